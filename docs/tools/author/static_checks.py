"""What can be said of an exercise without building it."""
import pathlib
import re
import subprocess
import sys

from . import lesson
from .contract import contract_findings
from .course import ROOT, Finding

sys.path.insert(0, str(ROOT / "tests/versions"))
import edits  # noqa: E402

LEAST_BUDGET_CHAPTER = 4
NO_BUDGET = re.compile(r"^// no budget: .+", re.M)
STUB_FAULT = re.compile(r"^(\S+?):(\d+): error: (.*)$")


class StubStates:
    """What `make_stubs --check` says of the stubs of a course."""

    def __init__(self, make_stubs, root):
        self.make_stubs, self.root, self.said = make_stubs, root, {}

    def of(self, exercises):
        """Asks once for all; for each alone where one ends it."""
        if not self._ask([]):
            for exercise in exercises:
                self._ask(["--only", exercise.name])

    def _ask(self, arguments):
        done = subprocess.run([self.make_stubs, "--check", *arguments, self.root], capture_output=True, text=True,
                              check=False)
        for line in done.stderr.splitlines():
            fault = STUB_FAULT.match(line)
            if fault:
                self.said[pathlib.Path(fault[1]).name] = ("solution", int(fault[2]), fault[3])
                return False
            state = re.match(r"exercises/(\S+): (stale|missing)", line)
            if state:
                self.said[pathlib.Path(state[1]).name] = (state[2], 0, "")
        return True

    def finding(self, exercise):
        kind, line, words = self.said.get(exercise.stub.name, ("", 0, ""))
        make = f"run ./learn author stub {exercise.name}"
        if kind == "solution":
            return [Finding(exercise.shown(exercise.solution), line, words, "the stub cannot be made before")]
        if kind == "stale":
            return [Finding(exercise.shown(exercise.stub), 0, "the stub is not what the solution makes of it", make)]
        if kind == "missing":
            return [Finding(exercise.shown(exercise.stub), 0, "the stub is missing", make)]
        return []


def planted_bug(exercise):
    """The kind of the bug in its stub; "" if its stub has holes."""
    found = re.search(r"^\s*//! \[bug-([a-z-]+)\]", exercise.solution.read_text(), re.M)
    return found[1] if found else ""


def entry_findings(course, exercise):
    manifest = str(course.manifest.relative_to(course.root))
    entry = course.entries.get(exercise.name)
    if entry is None:
        return [Finding(manifest, 0, f"no entry of {exercise.name}",
                        "add [[exercise]] with chapter, name, title, file, points and hints")]
    findings = []

    def fault(what, cure):
        findings.append(Finding(manifest, entry.line, f"{exercise.name}: {what}", cure))

    file = exercise.shown(exercise.stub)
    if entry.get("file") != file:
        fault(f"file = \"{entry.get('file')}\"", f"expected file = \"{file}\"")
    if entry.get("chapter") != int(exercise.number):
        fault(f"chapter = {entry.get('chapter')}", f"expected {int(exercise.number)}, of its folder")
    if not str(entry.get("title") or "").strip():
        fault("no title", "say in one line what the learner builds")
    hints = entry.get("hints") or []
    if not isinstance(hints, list) or not 2 <= len(hints) <= 3:
        fault(f"{len(hints) if isinstance(hints, list) else 'no list of'} hints" if hints else "no hint",
              "write two or three, from where to look to nearly the code")
    elif any(not str(hint).strip() for hint in hints):
        fault("a hint that says nothing", "write two or three, from where to look to nearly the code")
    if (entry.get("needs") == "cpu") == exercise.is_cuda:
        fault(f"needs = \"{entry.get('needs', 'any')}\"",
              "expected \"cpu\" for a .cpp file, and for no other")
    before = [e for e in course.entries.values() if e.index < entry.index]
    late = [e for e in before if e.get("chapter", 0) > int(exercise.number)]
    if late:
        fault(f"it stands after {late[-1].get('name')} of chapter {late[-1].get('chapter')}",
              "put it behind the last exercise of its own chapter")
    return findings


def budget_findings(course, exercise):
    """From chapter 04 on memory traffic counts, unless the test says why it cannot."""
    if not exercise.is_cuda or not exercise.test.exists():
        return []
    test = exercise.test.read_text()
    has_case = re.search(r'^TEST_CASE\("budget"\)', test, re.M) is not None
    entry = course.entries.get(exercise.name)
    limits = entry.get("budget") if entry else None
    file = exercise.shown(exercise.test)
    if NO_BUDGET.search(test):
        if has_case or limits:
            return [Finding(file, 0, "it says 'no budget', and there is one", "take the line `// no budget:` out")]
        return []
    findings = []
    if has_case and not limits:
        findings.append(Finding("exercises/course.toml", entry.line if entry else 0,
                                f"no [exercise.budget] of {exercise.name}", "give the limits of its test case budget"))
    if limits and not has_case:
        findings.append(Finding(file, 0, "no test case \"budget\"",
                                "call tut::expect_budget there, or nobody holds the entry's [exercise.budget]"))
    if not has_case and not limits and int(exercise.number) >= LEAST_BUDGET_CHAPTER:
        findings.append(Finding(file, 0, "no budget", "add TEST_CASE(\"budget\") and [exercise.budget], or say "
                                "`// no budget: REASON` in the test"))
    return findings


def wrong_findings(exercise):
    """Wrong versions: there are some, their marks are right, and edits fit; one breaks the budget."""
    findings, kinds = [], []
    try:
        if exercise.edits.exists():
            versions = edits.read_edits(exercise.edits)
            kinds += [version.fields[0] for version in versions]
            if exercise.solution.exists():
                lines = edits.solution_lines(exercise.solution)
                for version in versions:
                    edits.version_text(version, lines, exercise.edits)
        kinds += [edits.read_file_fields(path)[0] for path in exercise.wrong_files()]
    except edits.EditError as error:
        place, line, what = re.match(r"(.*?):(\d+): (.*)", str(error)).groups()
        return [Finding(exercise.shown(pathlib.Path(place)), int(line), what,
                        "see tests/versions/edits.py for what a wrong version looks like")]
    file = exercise.shown(exercise.edits)
    if not kinds:
        findings.append(Finding(file, 0, "no wrong version", "write what learners get wrong, each with what it fails "
                                "for"))
    elif exercise.test.exists() and re.search(r'^TEST_CASE\("budget"\)', exercise.test.read_text(), re.M) \
            and "fails: budget" not in kinds:
        findings.append(Finding(file, 0, "no wrong version fails by the budget",
                                "write one with right values that moves too much, `fails: budget`"))
    return findings


def right_findings(exercise):
    if exercise.right_files():
        return []
    return [Finding(exercise.shown(exercise.right_file("WHY")), 0, "no right version of another shape",
                    "write one from the contract alone: the test must pass with it")]


def todo_findings(exercise, course):
    """What `author new` has left to write. (A stub has TODOs for the learner.)"""
    files = [exercise.contract, exercise.solution, exercise.test, exercise.edits, *exercise.wrong_files(),
             *exercise.right_files()]
    findings = []
    for path in files:
        for number, line in enumerate(path.read_text().split("\n") if path.exists() else [], 1):
            if "TODO" in line and not line.lstrip().startswith("//>"):
                findings.append(Finding(exercise.shown(path), number, f"left to write: {line.strip(' /-+')}",
                                        "write it, and take the TODO out"))
    entry = course.entries.get(exercise.name)
    if entry is not None:
        lines = course.manifest.read_text().split("\n")
        for number in range(entry.line, len(lines) + 1):
            line = lines[number - 1]
            if number > entry.line and line.startswith("[["):
                break
            if "TODO" in line:
                findings.append(Finding("exercises/course.toml", number, f"left to write: {line.strip(' ,')}",
                                        "write it, and take the TODO out"))
    return findings


def static_findings(course, exercise, stubs):
    """All of them, in the order in which one writes an exercise."""
    findings = contract_findings(exercise)
    findings += stubs.finding(exercise)
    if not exercise.test.exists():
        findings.append(Finding(exercise.shown(exercise.test), 0, "the test is missing", "write it: see the others'"))
    findings += budget_findings(course, exercise)
    findings += wrong_findings(exercise) + right_findings(exercise)
    findings += entry_findings(course, exercise)
    findings += lesson.findings(course, exercise)
    return findings + todo_findings(exercise, course)


def course_findings(course):
    """Of what belongs to no exercise that has a solution."""
    known = {exercise.name for exercise in course.exercises}
    findings = [Finding("exercises/course.toml", entry.line, f"{name} has no solution",
                        f"write solutions/…/{name}, or take the entry out")
                for name, entry in course.entries.items() if name not in known]
    for folder in ("tests/wrong", "tests/right"):
        for path in sorted((course.root / folder).glob("*/*.*")):
            if path.name.split(".")[0] not in known:
                findings.append(Finding(str(path.relative_to(course.root)), 0, "it belongs to no exercise",
                                        "name it EXERCISE.WHY, as the solution is named"))
    return findings
