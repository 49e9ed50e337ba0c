#!/usr/bin/env python3
"""Hold the pages for instructors to the course.

  check_classroom.py [SEMESTER.md [FIGURES.md]]        default: those of docs/classroom

SEMESTER.md, the plan of a semester, against exercises/course.toml:

  | [NAME](../../exercises/.../NAME.cu) | POINTS | WHEN |
                        a row for each exercise of the course, once: its file, the points that a grader
                        gives (a blank file's count double), and homework, lab or extra
  Points of this week: homework N, lab N, extra N.
                        under each table: its sums
  | homework | EXERCISES | POINTS |, also lab, extra, together
                        the sums of the plan
  readings              a lesson is read in the week of its first exercise, or before; the section that a
                        link names must be there

FIGURES.md, the list of figures: each picture of chapters/, and each of docs/ that a lesson shows, is a
row `| [FILE](PATH) | CAPTION |`, once.

Prints one line for each fault; exits 1 if any.
"""
import pathlib
import re
import sys
import tomllib

from glossary import anchor_of

ROOT = pathlib.Path(__file__).resolve().parents[2]
ROW = re.compile(r"^\| \[(\w+)\]\(([^)]+)\) \| (\d+) \| (\w+) \|$", re.M)
WEEK = re.compile(r"^## Week (\d+): [^\n]*\n(.*?)(?=^## |\Z)", re.S | re.M)
SUMS = re.compile(r"^Points of this week: homework (\d+), lab (\d+), extra (\d+)\.$", re.M)
TOTAL = re.compile(r"^\| (homework|lab|extra|together) \| (\d+) \| (\d+) \|$", re.M)
SECTION_LINK = re.compile(r"\]\(\.\./\.\./(chapters/(\d\d)_\w+/\w+\.md)#([^)]+)\)")
FIGURE = re.compile(r"^\| \[([^\]]+)\]\(([^)]+\.svg)\) \| (.*) \|$", re.M)
KINDS = ("homework", "lab", "extra")


def line_of(text, position):
    return text.count("\n", 0, position) + 1


def points_of(exercise):
    """What a grader gives for it."""
    return exercise["points"] * (2 if exercise.get("blank") else 1)


def anchors_of(path):
    prose = re.sub(r"^```.*?^```", "", path.read_text(), flags=re.S | re.M)
    return {anchor_of(heading) for heading in re.findall(r"^#+ (.+)$", prose, re.M)}


def check_links(text, root):
    faults, anchors = [], {}
    for match in SECTION_LINK.finditer(text):
        path, _, anchor = match.groups()
        if not (root / path).is_file():
            faults.append((match.start(), f"no lesson {path}"))
            continue
        if anchor not in anchors.setdefault(path, anchors_of(root / path)):
            faults.append((match.start(), f"{path} has no section #{anchor}"))
    return faults


def check_row(match, exercises, seen):
    """What is wrong with an exercise's row."""
    name, target, points, when = match.groups()
    exercise = exercises.get(name)
    if exercise is None:
        return [f"no exercise {name} in the course"]
    faults = []
    if int(points) != points_of(exercise):
        faults.append(f"{name} has {points} points; the course gives {points_of(exercise)}")
    if target != "../../" + exercise["file"]:
        faults.append(f"{name} lies in {exercise['file']}, not {target}")
    if when not in KINDS:
        faults.append(f"{name} is '{when}'; expected one of {', '.join(KINDS)}")
    if name in seen:
        faults.append(f"{name} stands in week {seen[name]} already")
    return faults


def check_semester(text, course, root=ROOT):
    """What is wrong with a plan: pairs of position and message."""
    exercises = {exercise["name"]: exercise for exercise in course["exercise"]}
    faults, seen, read = check_links(text, root), {}, set()
    counts, sums = dict.fromkeys(KINDS, 0), dict.fromkeys(KINDS, 0)
    weeks = list(WEEK.finditer(text))
    if [int(week.group(1)) for week in weeks] != list(range(1, 13)):
        faults.append((0, f"weeks {[int(week.group(1)) for week in weeks]}; expected 1 to 12"))
    for week in weeks:
        number, body = int(week.group(1)), week.group(2)
        read |= {int(chapter) for _, chapter, _ in SECTION_LINK.findall(body)}
        own = dict.fromkeys(KINDS, 0)
        for match in ROW.finditer(body):
            at, name, when = week.start(2) + match.start(), match.group(1), match.group(4)
            faults += [(at, fault) for fault in check_row(match, exercises, seen)]
            seen.setdefault(name, number)
            if name in exercises and exercises[name]["chapter"] not in read:
                faults.append((at, f"{name} is of chapter {exercises[name]['chapter']}, which is not read by then"))
            if when in KINDS:
                own[when] += int(match.group(3))
                counts[when] += 1
        stated = SUMS.findall(body)
        if stated != [tuple(str(own[kind]) for kind in KINDS)]:
            expected = ", ".join(f"{kind} {own[kind]}" for kind in KINDS)
            faults.append((week.start(), f"week {number} wants one line 'Points of this week: {expected}.'"))
        for kind in KINDS:
            sums[kind] += own[kind]
    for match in re.finditer(r"^\| \[.*$", text, re.M):
        if not ROW.match(match.group()):
            faults.append((match.start(), "not a row '| [NAME](FILE) | POINTS | WHEN |'"))
    faults += [(0, f"{name} is in no week") for name in exercises if name not in seen]
    counts["together"], sums["together"] = sum(counts.values()), sum(sums.values())
    stated = {kind: (int(count), int(points)) for kind, count, points in TOTAL.findall(text)}
    for kind in counts:
        if stated.get(kind) != (counts[kind], sums[kind]):
            faults.append((0, f"the plan's sums want a row '| {kind} | {counts[kind]} | {sums[kind]} |'"))
    return faults


def figures_of(root):
    """The course's figures: drawings beside the lessons, and pictures of results that these show."""
    figures = {path.relative_to(root).as_posix() for path in root.glob("chapters/*/*.svg")}
    for lesson in root.glob("chapters/*/README.md"):
        for target in re.findall(r"!\[[^\]]*\]\((\.\./\.\./docs/[^)\s]+\.svg)\)", lesson.read_text()):
            figures.add(target.removeprefix("../../"))
    return figures


def check_figures(text, root=ROOT):
    """What is wrong with the list of figures: pairs of position and message."""
    faults, seen = [], set()
    figures = figures_of(root)
    for match in FIGURE.finditer(text):
        label, target, caption = match.groups()
        figure = target.replace("../../", "", 1) if target.startswith("../../") else "docs/" + target.removeprefix("../")
        if figure not in figures:
            faults.append((match.start(), f"{figure} is no figure of a lesson"))
        if figure in seen:
            faults.append((match.start(), f"{figure} is listed twice"))
        if label != pathlib.PurePosixPath(target).name:
            faults.append((match.start(), f"'{label}' is not the name of {target}"))
        if not caption.endswith("."):
            faults.append((match.start(), f"the caption of {figure} is no sentence"))
        seen.add(figure)
    return faults + [(0, f"{figure} is not listed") for figure in sorted(figures - seen)]


def main():
    files = [pathlib.Path(name) for name in sys.argv[1:]] or []
    semester = files[0] if files else ROOT / "docs/classroom/semester.md"
    figures = files[1] if len(files) > 1 else ROOT / "docs/classroom/figures.md"
    course = tomllib.loads((ROOT / "exercises/course.toml").read_text())
    faults = []
    for path, found in ((semester, check_semester(semester.read_text(), course)),
                        (figures, check_figures(figures.read_text()))):
        faults += [f"{path}:{line_of(path.read_text(), at)}: {message}" for at, message in found]
    print("\n".join(faults) if faults else f"{semester.name} and {figures.name} agree with the course")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
