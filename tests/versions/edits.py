"""Wrong versions of an exercise that are its solution with a mistake, each told by its edits.

tests/wrong/NN_name/EXERCISE.edits has them one after the other:

    === no_barrier
    fails: race
    says: reads a_tile
    Nobody waits before the tile is used.
    @@
       b_tile[ty][tx] = b(k0 + ty, col);
    -  __syncthreads();

After `=== WHY` come what a wrong version of its own file has in its first lines (`fails:`, `says:`,
`sanitized:`, `only:`; see cmake/TutExercise.cmake) and words that say what the mistake is. After each `@@`
comes an edit: lines that begin with a space stay, those with `-` go, those with `+` come. The lines that stay
and go must stand in the solution together, in one place only. In a solution, for this, are no marks of its
holes and no lines of its stub.

  edits.py --check FOLDER

looks at the marks of all wrong versions under a folder, `*.edits` and the first lines of other files, and
names each that is misspelt; CMake calls it before it reads them.
"""
import argparse
import difflib
import pathlib
import re
import sys

MARK = re.compile(r"\s*//(! \[|>)")
FIELDS = ("fails", "says", "sanitized", "only")
ROOT = pathlib.Path(__file__).resolve().parents[2]


def known_kinds():
    """What a version may fail for: the lists of common/learn/stubs/failure_kinds.hpp."""
    text = (ROOT / "common/learn/stubs/failure_kinds.hpp").read_text()
    lists = re.findall(r"k(?:Check|Test)Kinds\[\] = \{(.*?)\};", text, re.S)
    return re.findall(r'"([a-z-]+)"', " ".join(lists))


class EditError(Exception):
    """What is wrong with a file of edits: one line, with its place."""


class Version:
    def __init__(self, why, line):
        self.why = why
        self.line = line
        self.fields = []  # `fails: KIND` and so on, in their order
        self.words = []
        self.edits = []  # each a pair of lists, the old lines and the new ones, and where it begins


def nearest(word, known, least=0.5):
    close = difflib.get_close_matches(word, known, 1, least)
    return f"; did you mean '{close[0]}'" if close else ""


def check_field(line, path, number):
    """Whether a line of a version's head is one of its fields. A misspelt one is no words, but an error."""
    name, colon, value = line.partition(":")
    if name not in FIELDS:
        if colon and re.fullmatch(r"[a-z]+ ?", name) and (hint := nearest(name.strip(), FIELDS, 0.7)):
            raise EditError(f"{path}:{number}: unknown mark '{name}:'{hint}")
        return False
    if not re.fullmatch(r" \S.*", value):
        raise EditError(f"{path}:{number}: '{line}'; expected '{name}:', a space, and what belongs to it")
    kinds = known_kinds()
    if name == "fails" and value[1:] not in kinds:
        raise EditError(f"{path}:{number}: nothing fails by '{value[1:]}'{nearest(value[1:], kinds)}; "
                        f"expected one of {', '.join(kinds)}")
    if name == "only" and not re.fullmatch(r" cpu backend, because .+", value):
        raise EditError(f"{path}:{number}: '{line}'; expected 'only: cpu backend, because REASON'")
    return True


def check_fields(why, fields, path, line):
    """Whether the fields of a version are complete."""
    names = [field.split(":")[0] for field in fields]
    if not names or names[0] != "fails":
        raise EditError(f"{path}:{line}: {why} does not begin with 'fails: KIND'")
    for name in names:
        if names.count(name) > 1:
            raise EditError(f"{path}:{line}: {why} has '{name}:' twice")
    if fields[0] == "fails: budget" and "says" not in names:
        raise EditError(f"{path}:{line}: {why} fails by its budget; expected 'says: WORDS' of the message, too")


def read_file_fields(path):
    """The fields in the first lines of a wrong version of its own file, where they are comments."""
    fields = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        if not line.startswith("//"):
            break
        if check_field(line[2:].strip(), path, number):
            if not line.startswith("// ") or line[3] == " ":
                raise EditError(f"{path}:{number}: '{line}'; expected '// ' and the mark")
            if len(fields) != number - 1:
                raise EditError(f"{path}:{number}: '{line}'; expected the marks before all other lines")
            fields.append(line[3:])
    check_fields(path.name.split(".")[1] if path.name.count(".") > 1 else path.name, fields, path, 1)
    return fields


def read_edits(path):
    """The versions of a file, in its order."""
    versions = []
    for number, line in enumerate(path.read_text().split("\n"), 1):
        begins = re.fullmatch(r"=== ([a-z0-9_]+)", line)
        if begins:
            if any(begins[1] == known.why for known in versions):
                raise EditError(f"{path}:{number}: a second version {begins[1]}")
            versions.append(Version(begins[1], number))
        elif not versions:
            if line.strip():
                raise EditError(f"{path}:{number}: '{line}'; expected '=== WHY' first")
        elif line == "@@":
            versions[-1].edits.append(([], [], number))
        elif not versions[-1].edits:
            version = versions[-1]
            if check_field(line, path, number):
                if version.words:
                    raise EditError(f"{path}:{number}: '{line}'; expected the marks before the words")
                version.fields.append(line)
            elif line.strip():
                version.words.append(line)
        else:
            old, new, _ = versions[-1].edits[-1]
            if line[:1] not in ("", " ", "-", "+"):
                raise EditError(f"{path}:{number}: '{line}'; expected a line that begins with a space, "
                                "- or +, '@@' or '=== WHY'")
            if line[:1] != "+":
                old.append(line[1:])
            if line[:1] != "-":
                new.append(line[1:])
    for version in versions:
        for old, new, _ in version.edits:
            while old and new and not old[-1] and not new[-1]:  # blank lines before the next `===`
                old.pop()
                new.pop()
        check_fields(version.why, version.fields, path, version.line)
        if not version.edits:
            raise EditError(f"{path}:{version.line}: {version.why} has no edit")
    return versions


def solution_lines(path):
    """What edits apply to."""
    return [line for line in path.read_text().split("\n") if not MARK.match(line)]


def places(lines, wanted):
    return [i for i in range(len(lines) - len(wanted) + 1) if lines[i:i + len(wanted)] == wanted]


def apply_edits(version, lines, path):
    """The lines with all edits of the version made; `path` is that of the edits, for messages."""
    changes = []
    for old, new, number in version.edits:
        found = places(lines, old) if old else []
        if len(found) != 1:
            raise EditError(f"{path}:{number}: the lines that this edit of {version.why} keeps and removes "
                            f"stand in {len(found)} places of the solution; expected one")
        changes.append((found[0], len(old), new))
    changes.sort()
    result, at = [], 0
    for first, count, new in changes:
        if first < at:
            raise EditError(f"{path}:{version.line}: two edits of {version.why} overlap")
        result += lines[at:first] + new
        at = first + count
    return result + lines[at:]


def version_text(version, lines, path):
    """The whole source of a version."""
    head = [f"// {line}" for line in version.fields + version.words]
    return "\n".join(head + apply_edits(version, lines, path))


def check_folder(folder):
    """What is wrong with the wrong versions under a folder: one line for each file that has a fault."""
    faults = []
    for path in sorted(folder.glob("*/*.*")):
        try:
            if path.suffix == ".edits":
                read_edits(path)
            elif path.suffix in (".cu", ".cpp"):
                read_file_fields(path)
        except (EditError, UnicodeDecodeError) as error:
            faults.append(str(error) if isinstance(error, EditError) else f"{path}: no text: {error}")
    return faults


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", type=pathlib.Path, metavar="FOLDER", required=True)
    faults = check_folder(parser.parse_args().check)
    print("\n".join(faults), file=sys.stderr, end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
