#!/usr/bin/env python3
"""Hold prose to its sources.

In every Markdown file given (default: all that git tracks):

  <!-- snippet: PATH NAME -->       the fenced block that follows must be exactly the text between the
                                    two `//! [NAME]` marks in PATH, dedented
  <!-- result: PATH BENCHMARK FIELD -->
                                    the next paragraph or table must contain that field's value from
                                    that Google Benchmark JSON, as rounded in the text
  <!-- output: PATH -->             the fenced block that follows must be lines that stand together in
                                    PATH, what a program printed; a test compares PATH with the program
  <!-- table: PATH LADDER COLUMNS -->
                                    the table that follows must be what make_tables.py makes of it
  `./learn WORD`                    must be a command
  relative links and images         must exist; images need alternative text
  links to docs/glossary.md#TERM    must have their entry there

With no file given, also:
  contracts                         in a comment of chapters/, `\\param` must begin its line, and what
                                    goes on below it stand further to the right
  the glossary                      each term must be a link where the lessons first use it, in the
                                    lesson that its entry names (glossary.py says it all)

`--fix` rewrites snippet blocks and tables from their sources. Prints one line for each fault; exits 1 if any.
"""
import argparse
import json
import pathlib
import re
import subprocess
import sys
import textwrap

from glossary import check_entries, check_first_places, check_glossary_links, entries_of
from make_tables import check_tables

ROOT = pathlib.Path(__file__).resolve().parents[2]
GLOSSARY = ROOT / "docs/glossary.md"
SNIPPET = re.compile(r"^<!-- snippet: (\S+) (\S+) -->\n+(```[^\n]*\n)(.*?)(^```$)", re.S | re.M)
SNIPPET_MARK = re.compile(r"^<!-- snippet: (.*?) -->", re.M)
OUTPUT = re.compile(r"^<!-- output: (\S+) -->\n+```[^\n]*\n(.*?)^```$", re.S | re.M)
OUTPUT_MARK = re.compile(r"^<!-- output: (.*?) -->", re.M)
RESULT = re.compile(
    r"^<!-- result: (\S+) (.+?) (\S+) -->\n"
    r"(?=(?:<!-- result: [^\n]*-->\n)*\n*(.+?)(?:\n\s*\n|\Z))", re.S | re.M)
LINK = re.compile(r"(!?)\[([^\]]*)\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")


def snippet_text(path, name):
    """The text between the two marks of NAME in PATH, dedented, without other marks."""
    mark = re.compile(r"\s*//! \[" + re.escape(name) + r"\]\s*$")
    lines = path.read_text().splitlines()
    places = [i for i, line in enumerate(lines) if mark.match(line)]
    if len(places) != 2:
        raise ValueError(f"{path.relative_to(ROOT)} has {len(places)} marks [{name}]; expected 2")
    body = [l for l in lines[places[0] + 1 : places[1]] if not re.match(r"\s*//! \[.*\]\s*$", l)]
    # A directive stands at the left edge wherever it is.
    shown = textwrap.dedent("\n".join("" if line.startswith("#") else line for line in body)).split("\n")
    lines = [line if line.startswith("#") else kept for line, kept in zip(body, shown)]
    return "\n".join(lines).strip("\n") + "\n"


def rounded_forms(value):
    """The ways a measured value may be written: to 2..5 significant digits, with thousands commas."""
    forms = set()
    for digits in range(2, 6):
        number = float(f"{value:.{digits}g}")
        for places in range(0, 5):
            text = f"{number:.{places}f}"
            if abs(float(text) - number) < 1e-9 * max(1.0, abs(number)):
                forms.update({text, f"{number:,.{places}f}"})
    return forms


def check_results(text, say):
    for match in RESULT.finditer(text):
        path, benchmark, field, paragraph = match.groups()
        source = ROOT / path
        if not source.is_file():
            say(match.start(), f"no result file {path}")
            continue
        rows = json.loads(source.read_text()).get("benchmarks", [])
        values = [row[field] for row in rows if row.get("name") == benchmark and field in row]
        if len(values) != 1:
            say(match.start(), f"{path} has {len(values)} rows '{benchmark}' with '{field}'; expected 1")
            continue
        numbers = {n.rstrip(",") for n in re.findall(r"\d[\d,]*(?:\.\d+)?", paragraph)}
        if not numbers & rounded_forms(float(values[0])):
            say(match.start(), f"'{benchmark}' {field} is {values[0]:.5g}; the text after it does not say so")


def check_outputs(text, say):
    matches = list(OUTPUT.finditer(text))
    if len(matches) != len(OUTPUT_MARK.findall(text)):
        say(0, "an output mark without PATH or without a fenced block after it")
    for match in matches:
        path, block = match.groups()
        source = ROOT / path
        if not source.is_file():
            say(match.start(), f"no output file {path}")
        elif "\n" + block not in "\n" + source.read_text() or not block.strip():
            say(match.start(), f"the block is not what {path} holds")


def check_links(path, text, say):
    prose = re.sub(r"```.*?```|`[^`\n]*`", lambda m: " " * len(m.group()), text, flags=re.S)
    for match in LINK.finditer(prose):
        image, label, target = match.groups()
        if image and not label.strip():
            say(match.start(), f"image {target} has no alternative text")
        if re.match(r"[a-z]+:|#", target):
            continue
        if not (path.parent / target.split("#")[0]).exists():
            say(match.start(), f"link to {target}, which does not exist")


def known_commands():
    """The commands of ./learn, by its own source and by that of the instructors' program."""
    sources = [ROOT / "common/learn/cli.cpp", *(ROOT / "common/learn/classroom").glob("*.cpp")]
    return {name for source in sources
            for name in re.findall(r'\badd(?:\(\s*\w+,|_subcommand\()\s*"(\w+)"', source.read_text())}


def check_commands(text, say, known=known_commands()):
    """`./learn WORD` in code, of a block or in a line, must be a command."""
    for match in re.finditer(r"(?<=[`\n])\./learn +(?!--)([a-z]\w*)", text):
        if match.group(1) not in known:
            say(match.start(), f"no command './learn {match.group(1)}'")


def check_contract(path):
    """A parameter in the middle of a line, or text below one at the margin: a formatter's work."""
    faults, after_param = [], False
    for number, line in enumerate(path.read_text().splitlines(), 1):
        comment = re.match(r"\s*/// ?(.*)", line)
        text = comment.group(1) if comment else ""
        begins = text.startswith("\\param")
        if "\\param" in text[1:] or (after_param and text.strip() and not re.match(r"\\|    ", text)):
            faults.append(f"{path.relative_to(ROOT)}:{number}: not a parameter's line of its own")
        after_param = begins or (after_param and text.startswith("    "))
    return faults


def check_glossary():
    """The glossary beside the lessons, in course order."""
    lessons = {path.parent.name: path for path in listed("chapters/*/README.md")}
    texts = {path: path.read_text() for path in [GLOSSARY, *lessons.values()]}
    faults = []

    def say(path, position, message):
        faults.append(fault_line(path, texts[path], position, message))

    def say_of_entry(position, message):
        say(GLOSSARY, position, message)

    entries = check_entries(texts[GLOSSARY], say_of_entry)
    check_first_places(entries, [(folder, texts[lessons[folder]]) for folder in sorted(lessons)],
                       lambda folder, *fault: say(lessons[folder], *fault), say_of_entry)
    return faults


def fault_line(path, text, position, message):
    line = text.count("\n", 0, position) + 1
    return f"{path.relative_to(ROOT)}:{line}: {message}"


def check_file(path, fix):
    text = path.read_text()
    faults = []

    def say(position, message):
        faults.append(fault_line(path, text, position, message))

    def snippet(match):
        source, name, opening, body, closing = match.groups()
        try:
            expected = snippet_text(ROOT / source, name)
        except (OSError, ValueError) as error:
            say(match.start(), str(error))
            return match.group()
        if body != expected and not fix:
            say(match.start(), f"snippet {name} differs from {source}")
        return match.group().replace(opening + body + closing, opening + expected + closing)

    found = SNIPPET.findall(text)
    if len(found) != len(SNIPPET_MARK.findall(text)):
        say(0, "a snippet mark without 'PATH NAME' or without a fenced block after it")
    fixed = check_tables(SNIPPET.sub(snippet, text), say, fix)
    if fix and fixed != text:
        path.write_text(fixed)
    check_outputs(text, say)
    check_results(text, say)
    check_links(path, text, say)
    check_glossary_links(text, entries_of(GLOSSARY.read_text()), say)
    check_commands(text, say)
    return faults


def listed(*patterns):
    """The repository's files of these patterns: those that git tracks or would."""
    names = subprocess.run(["git", "ls-files", "-co", "--exclude-standard", *patterns], cwd=ROOT,
                           check=True, capture_output=True, text=True).stdout.split("\n")
    return [ROOT / name for name in names if name]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    parser.add_argument("--fix", action="store_true", help="rewrite snippet blocks and tables from their sources")
    options = parser.parse_args()
    files, contracts, whole = options.files, [], not options.files
    if whole:
        files = listed("*.md")
        contracts = listed("chapters/*.hpp", "chapters/*.cuh")
    faults = [fault for file in files for fault in check_file(file.resolve(), options.fix)]
    faults += [fault for contract in contracts for fault in check_contract(contract)]
    faults += check_glossary() if whole else []
    print("\n".join(faults) if faults else f"{len(files)} Markdown files agree with their sources")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
