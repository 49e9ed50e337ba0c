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
"""
import re

MARK = re.compile(r"\s*//(! \[|>)")
FIELDS = ("fails", "says", "sanitized", "only")


class EditError(Exception):
    """What is wrong with a file of edits: one line, with its place."""


class Version:
    def __init__(self, why, line):
        self.why = why
        self.line = line
        self.fields = []  # `fails: KIND` and so on, in their order
        self.words = []
        self.edits = []  # each a pair of lists, the old lines and the new ones, and where it begins


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
            field = line.split(":")[0]
            if field in FIELDS and not version.words:
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
        if not version.edits or not version.fields or not version.fields[0].startswith("fails: "):
            raise EditError(f"{path}:{version.line}: {version.why} has no edit or does not begin with "
                            "'fails: KIND'")
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
