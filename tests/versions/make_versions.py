#!/usr/bin/env python3
"""Makes one source of an exercise's wrong and right versions, or one for each.

  make_versions.py --folder DIR --namespace chNN --exercise NAME [--alone]
                   [--solution FILE --edits FILE --edited WHY ...] [--files FILE ...]

Those of --edited are made of the solution, as DIR/NAME.WHY.EXT; the --files are there already. Writes
DIR/versions.EXT, in which each version has a namespace of its own, or with --alone DIR/WHY.EXT for each.
"""
import argparse
import pathlib
import re
import sys

import edits


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--folder", type=pathlib.Path, required=True)
    parser.add_argument("--namespace", required=True)
    parser.add_argument("--exercise", required=True)
    parser.add_argument("--alone", action="store_true")
    parser.add_argument("--solution", type=pathlib.Path)
    parser.add_argument("--edits", type=pathlib.Path)
    parser.add_argument("--edited", nargs="*", default=[])
    parser.add_argument("--files", type=pathlib.Path, nargs="*", default=[])
    return parser.parse_args()


def make_edited(arguments):
    """Writes the versions that are edits, and returns their paths."""
    if not arguments.edited:
        return []
    known = {version.why: version for version in edits.read_edits(arguments.edits)}
    lines = edits.solution_lines(arguments.solution)
    made = []
    for why in arguments.edited:
        if why not in known:
            raise edits.EditError(f"{arguments.edits}: there is no version {why}")
        path = arguments.folder / f"{arguments.exercise}.{why}{arguments.solution.suffix}"
        path.write_text(edits.version_text(known[why], lines, arguments.edits))
        made.append(path)
    return made


def why_of(path):
    return path.name.split(".")[1]


def joined(sources, namespace):
    """The versions' own includes come first: what they include would else be in their namespaces."""
    includes = []
    for source in sources:
        includes += re.findall(r"^#include.*$", source.read_text(), re.M)
    text = "\n".join(dict.fromkeys(includes)) + "\n"
    for source in sources:
        own = f"{namespace}_{why_of(source)}"
        text += (f"\nnamespace tut::{own} {{\nusing namespace tut::{namespace};\n}}\n"
                 f"#define {namespace} {own}\n#include \"{source}\"\n#undef {namespace}\n")
    return text


def main():
    arguments = parse_arguments()
    arguments.folder.mkdir(parents=True, exist_ok=True)
    try:
        sources = make_edited(arguments) + arguments.files
    except edits.EditError as error:
        print(error, file=sys.stderr)
        return 1
    suffix = sources[0].suffix
    if arguments.alone:
        for source in sources:
            name = f"{arguments.exercise}_{why_of(source)}"
            (arguments.folder / f"{why_of(source)}{suffix}").write_text(
                f"#define {arguments.exercise} {name}\n#include \"{source}\"\n")
    else:
        (arguments.folder / f"versions{suffix}").write_text(joined(sources, arguments.namespace))
    return 0


if __name__ == "__main__":
    sys.exit(main())
