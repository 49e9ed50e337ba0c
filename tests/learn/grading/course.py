"""A class that is graded: the texts that students hand in, the call of `grade`, and what it wrote."""
import csv
import pathlib
import subprocess
import sys
import urllib.parse

SOURCE = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(SOURCE / "tests/versions"))
import edits  # noqa: E402

FOLDERS = {"dot_compensated": "01_naive_matmul", "reverse": "03_first_kernels", "rotate_tiled": "05_shared_memory_tiling"}
EXERCISES = list(FOLDERS)
ASSIGNMENT = """title = "Homework 1"
secret = "not for students"
due = 2027-02-12T23:59:00+01:00
[late]
grace_minutes = 15
percent_per_day = 10
days = 3
""" + "".join(f'[[exercise]]\nname = "{name}"\npoints = 10\n' for name in EXERCISES)
# What a right answer needs is far below; who never ends takes all of it.
LIMITS = ("--compile-seconds", "20", "--run-seconds", "6", "--memory", "2")
faults = []


def expect(holds, text):
    if not holds:
        faults.append(text)
        print(f"FAULT: {text}", flush=True)


def file_of(exercise, top="exercises"):
    ending = ".cpp" if exercise == "dot_compensated" else ".cu"
    return f"{top}/{FOLDERS[exercise]}/{exercise}{ending}"


def replaced(text, *changes):
    for old, new in changes:
        if text.count(old) != 1:
            sys.exit(f"it stands there {text.count(old)} times, expected once: {old}")
        text = text.replace(old, new)
    return text


def version(exercise, what):
    """The text of `solution`, `stub`, `right.WHY` or `wrong.WHY`, as the course's own tests have them."""
    kind, _, why = what.partition(".")
    if kind == "stub":
        return (SOURCE / file_of(exercise)).read_text()
    if kind == "solution":
        return (SOURCE / file_of(exercise, "solutions")).read_text()
    if kind == "right":
        path = SOURCE / file_of(exercise, "tests/right")
        return path.with_name(f"{exercise}.{why}{path.suffix}").read_text()
    path = SOURCE / f"tests/wrong/{FOLDERS[exercise]}/{exercise}.edits"
    for one in edits.read_edits(path):
        if one.why == why:
            return "\n".join(edits.apply_edits(one, edits.solution_lines(SOURCE / file_of(exercise, "solutions")), path))
    sys.exit(f"{path} has no version {why}")


def course_state():
    """What no submission may change: names, sizes and times of the course's files."""
    files = {}
    for name in ("chapters", "common", "exercises", "solutions", "tests", "learn", "build/cpu/bin"):
        place = SOURCE / name
        for file in [place] if place.is_file() else sorted(place.rglob("*")):
            if file.is_file() and "__pycache__" not in str(file):
                files[str(file)] = (file.stat().st_size, file.stat().st_mtime_ns)
    return files


def changes(before, after):
    """The files that differ between two states of the course, by their names."""
    names = sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))
    return [f"{name} ({'new' if name not in before else 'gone' if name not in after else 'changed'})" for name in names]


class Grading:
    """One run of `grade` or several, over a folder of students."""

    def __init__(self, program, folder, name="class"):
        self.program, self.students, self.out = program, folder / name, folder / f"out_of_{name}"
        self.assignment, self.times = folder / "assignment.toml", folder / "times.csv"
        self.students.mkdir()
        self.assignment.write_text(ASSIGNMENT)

    def hand_in(self, student, files):
        """`files`: the text or bytes of each exercise's file."""
        place = self.students / student
        place.mkdir()
        for exercise, text in files.items():
            (place / pathlib.Path(file_of(exercise)).name).write_bytes(text if isinstance(text, bytes) else text.encode())

    def hand_in_late(self, moments):
        self.times.write_text("".join(f"{student},{moment}\n" for student, moment in moments.items()))

    def command(self, *more, out=None):
        times = ("--times", str(self.times)) if self.times.exists() else ()
        return [self.program, "grade", "--assignment", str(self.assignment), "--out", str(out or self.out), *LIMITS,
                *times, *more, str(self.students)]

    def run(self, *more, out=None, environment=None):
        ran = subprocess.run(self.command(*more, out=out), capture_output=True, text=True, check=False, env=environment)
        print(ran.stdout + ran.stderr, flush=True)
        return ran

    def grade(self, *more, out=None, environment=None):
        ran = self.run(*more, out=out, environment=environment)
        expect(ran.returncode == 0, f"grading ended with {ran.returncode}: {ran.stderr}")
        return ran.stdout + ran.stderr

    def marks(self):
        with open(self.out / "marks.csv", newline="", encoding="utf-8") as file:
            # A spreadsheet takes what begins with one of these for a formula, so they stand behind a mark.
            return {row["student"].removeprefix("'"): row for row in csv.DictReader(file)}

    def feedback(self):
        """Of each student what there is to read. Names of folders are written as in an address."""
        return {urllib.parse.unquote(file.parent.name): file.read_text()
                for file in sorted(self.out.glob("students/*/feedback.txt"))}


def all_bytes(out):
    return {str(file.relative_to(out)): file.read_bytes() for file in sorted(out.rglob("*"))
            if file.is_file() and file.parent.name != "journal"}
