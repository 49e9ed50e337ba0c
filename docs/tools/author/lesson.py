"""The list of exercises in a chapter's lesson: one numbered line each, in course order."""
import re

from .course import AuthorError, Finding

HEAD = "## Exercises"
ITEM = re.compile(r"^(\d+)\. `([a-z][a-z0-9_]*)`(.*)$")


def section(lines):
    """The lines of the section, from the one behind its head; None if there is none."""
    if HEAD not in lines:
        return None
    start = lines.index(HEAD) + 1
    end = next((i for i in range(start, len(lines)) if lines[i].startswith("## ")), len(lines))
    return start, end


def items_of(lines, known):
    """The places of the list's lines in the section, for each the exercise and what follows its name."""
    place = section(lines)
    if place is None:
        return {}
    items = {}
    for i in range(*place):
        item = ITEM.match(lines[i])
        if item and item[2] in known:
            items[item[2]] = (i, int(item[1]), item[3])
    return items


def lines_of(course, chapter):
    path = course.root / "chapters" / chapter / "README.md"
    if not path.exists():
        raise AuthorError(f"{path}: the lesson is missing; expected one with a section '{HEAD}'")
    return path.read_text().split("\n")


def of_chapter(course, chapter):
    return [e for e in course.exercises if e.chapter == chapter and e.name in course.entries]


def findings(course, exercise):
    """Whether the lesson lists the exercise, at its place."""
    file = exercise.shown(exercise.lesson)
    mend = "run ./learn author lists"
    if not exercise.lesson.exists():
        return [Finding(file, 0, "the lesson is missing", f"write it, with a section '{HEAD}'")]
    lines = exercise.lesson.read_text().split("\n")
    names = [e.name for e in of_chapter(course, exercise.chapter)]
    items = items_of(lines, {*names, exercise.name})
    if exercise.name not in items:
        return [Finding(file, 0, f"its list of exercises has no {exercise.name}", mend)]
    at, number, rest = items[exercise.name]
    result = []
    wanted = names.index(exercise.name) + 1 if exercise.name in names else number
    if number != wanted:
        result.append(Finding(file, at + 1, f"{exercise.name} is number {number} of the list, and {wanted} of its "
                              "chapter in exercises/course.toml", mend))
    if "TODO" in rest:
        result.append(Finding(file, at + 1, "left to write: what is said of " + exercise.name,
                              "write it, or give the entry its title and run ./learn author lists"))
    return result


def new_item(entry):
    title = str(entry.get("title")).strip().rstrip(".")
    text = title if title.startswith("TODO") else title[:1].lower() + title[1:]
    return f": {text}."


def written(course, chapter):
    """The lesson's lines with the list as it must be: items keep their words, and get their order and numbers;
    new ones say their entry's title."""
    path = course.root / "chapters" / chapter / "README.md"
    lines = lines_of(course, chapter)
    place = section(lines)
    if place is None:
        raise AuthorError(f"{path}: no section '{HEAD}'; expected one, with the list of the chapter's exercises")
    exercises = of_chapter(course, chapter)
    items = items_of(lines, {e.name for e in exercises})
    made = []
    for number, exercise in enumerate(exercises, 1):
        _, _, rest = items.get(exercise.name, (0, 0, ""))
        if not rest or "TODO" in rest:
            rest = new_item(course.entries[exercise.name])
        made.append(f"{number}. `{exercise.name}`{rest}")
    places = sorted(at for at, _, _ in items.values())
    if places and places != list(range(places[0], places[0] + len(places))):
        raise AuthorError(f"{path}:{places[0] + 1}: the list of exercises is interrupted; expected one line each, "
                          "one below the other")
    if places:
        return lines[:places[0]] + made + lines[places[-1] + 1:]
    start = place[0]
    return lines[:start] + ["", *made] + lines[start:]


def write_lists(course, chapters):
    """Writes the lists that are not as they must be; returns their files."""
    changed = []
    for chapter in chapters:
        path = course.root / "chapters" / chapter / "README.md"
        if not of_chapter(course, chapter):
            continue
        lines = written(course, chapter)
        if lines != lines_of(course, chapter):
            path.write_text("\n".join(lines))
            changed.append(path)
    return changed
