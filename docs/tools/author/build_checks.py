"""What an exercise lacks that only its programs can tell."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import sys
import tempfile
import xml.etree.ElementTree

from .course import ROOT, AuthorError, Finding
from .static_checks import planted_bug

ERROR = re.compile(r"^(/[^:\n]+|[\w./-]+):(\d+)(?::\d+)?: (?:fatal )?error: (.*)$", re.M)
MARK = re.compile(r"\s*//! \[((hole|bug|blank)-[a-z0-9_-]+)\]\s*$")
MENDED = "mend it, and check again"


class Build:
    """The build folder of the CPU backend that has an exercise's programs."""

    def __init__(self, folder):
        self.folder = folder
        cache = folder / "CMakeCache.txt"
        if not cache.exists():
            raise AuthorError(f"{folder} is not configured; run cmake --preset cpu -DTUT_MAINTAINER=ON")
        self.cache = dict(re.findall(r"^(\w+):\w+=(.*)$", cache.read_text(), re.M))
        if self.cache.get("TUT_MAINTAINER") not in ("ON", "1", "TRUE", "YES"):
            raise AuthorError(f"{folder} has no wrong versions; run cmake --preset cpu -DTUT_MAINTAINER=ON")
        self.ninja_program = self.cache.get("CMAKE_MAKE_PROGRAM", "ninja")

    def ninja(self, *arguments):
        return subprocess.run([self.ninja_program, "-C", self.folder, *arguments], capture_output=True, text=True,
                              errors="replace", check=False)

    def configure(self, root):
        """Looks for files that have come since, and for changed marks. It may be for the exercises of another
        folder than this."""
        if root != ROOT and self.cache.get("TUT_COURSE_PATH") != str(root):
            done = subprocess.run([self.cache.get("CMAKE_COMMAND", "cmake"), f"-DTUT_COURSE_PATH={root}", self.folder],
                                  env={**os.environ, "LEARN_COURSE_PATH": str(root)}, capture_output=True, text=True,
                                  errors="replace", check=False)
        else:
            done = self.ninja("build.ninja")
        if done.returncode != 0:
            output = done.stdout + done.stderr
            said = re.search(r"CMake Error[^\n]*\n\s*\n?\s*(\S.*?)(?:\n\s*\n|\Z)", output, re.S)
            raise AuthorError("the build cannot be configured: " + " ".join((said[1] if said else output).split()))

    def tests(self, exercise):
        """The names of its tests, and the programs that they run."""
        done = subprocess.run([self.cache.get("CMAKE_CTEST_COMMAND", "ctest"), "--test-dir", self.folder,
                               "--show-only=json-v1", "-R", self.pattern(exercise)], capture_output=True, text=True,
                              check=False)
        if done.returncode != 0:
            raise AuthorError(f"ctest cannot list the tests of {self.folder}: {done.stderr.strip()}")
        tests = {}
        for test in json.loads(done.stdout)["tests"]:
            if not test["name"].endswith(".author"):
                words = [word.removeprefix("-DPROGRAM=") for word in test.get("command", [])]
                programs = [pathlib.Path(w).name for w in words if w.startswith(f"{self.folder}/bin/ch")]
                tests[test["name"]] = programs
        return tests

    @staticmethod
    def pattern(exercise):
        return rf"^{exercise.number}[.]{exercise.name}[.]"

    def has_target(self, name):
        return f"\nbuild {name}: phony" in (self.folder / "build.ninja").read_text()

    def run_tests(self, exercise):
        """What those tests said that failed: by name."""
        with tempfile.TemporaryDirectory() as folder:
            report = pathlib.Path(folder) / "report.xml"
            subprocess.run([self.cache.get("CMAKE_CTEST_COMMAND", "ctest"), "--test-dir", self.folder, "-R",
                            self.pattern(exercise), "-E", r"[.]author$", "--output-junit", report],
                           capture_output=True, check=False)
            if not report.exists():
                raise AuthorError(f"ctest has run none of the tests of {exercise.name}")
            cases = xml.etree.ElementTree.parse(report).getroot().iter("testcase")
            return {case.get("name"): case.findtext("system-out") or "" for case in cases
                    if case.get("status") == "fail"}


def shown_path(exercise, path):
    path = pathlib.Path(path)
    for root in (exercise.root, ROOT):
        if path.is_relative_to(root):
            return str(path.relative_to(root))
    return str(path)


def compile_findings(exercise, output):
    """The first error of each place that a build names."""
    places = {}
    for file, line, message in ERROR.findall(output):
        # A version that is an edit of the solution lies in the build folder.
        edited = re.search(rf"/{exercise.name}\.([a-z0-9_]+)\.\w+$", file)
        if edited and not pathlib.Path(file).is_relative_to(exercise.root):
            file, line, message = exercise.edits, 0, f"{edited[1]}: {message}"
        places.setdefault((shown_path(exercise, file), int(line)), message)
    return [Finding(file, line, f"does not compile: {message}", MENDED) for (file, line), message in places.items()]


def first_words(text):
    """One line of what a program said: its first cause."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    telling = [line for line in lines if re.search(r"ERROR|error:|wrong|expected|must fail|instead", line)
               and not line.startswith(("CMake Error", "[doctest]"))]
    return (telling or lines or ["it said nothing"])[0][:200]


LIMITS = (  # what a solution's test says where limits are on trial: in which file it is to be mended, and how
    (re.compile(r"^.*significant bits rounded to .* pass .*$|^.*an integer of .* rounded to .* pass .*$", re.M), "test",
     "a result of the next lower precision must fail"),
    (re.compile(r"^no comparison by tut::compare .*$", re.M), "test",
     "see 'The limits themselves' in docs/contributing.md"),
    (re.compile(r"^the budget of .* twice as much would pass$", re.M), "manifest",
     "what moves twice as much must break the budget"))


def limit_finding(exercise, said):
    """Which limit of the test is too wide; None if it is not that."""
    for pattern, where, cure in LIMITS:
        found = pattern.search(said)
        if found:
            file = exercise.shown(exercise.test) if where == "test" else "exercises/course.toml"
            return Finding(file, 0, found[0].strip(), cure)
    return None


def test_finding(exercise, name, said):
    """What a failing test means."""
    part = name.removeprefix(f"{exercise.number}.{exercise.name}.")
    kind, _, why = part.partition(".")
    why = why.removesuffix(".checked").removesuffix(".budget").removesuffix(".values")
    words = first_words(said)
    again = f"see ctest --output-on-failure -R '^{name}$'"
    if kind == "stub":
        if "passed, but must fail" in said:
            return Finding(exercise.shown(exercise.stub), 0, "the stub passes the test", "the test must ask for what "
                           "the holes leave out")
        return Finding(exercise.shown(exercise.stub), 0, f"the stub does not fail as it must: {words}", again)
    if kind == "stub_fools":
        return Finding(exercise.shown(exercise.stub), 0, f"the stub with the bug fails a plain run: {words}", again)
    if kind == "wrong":
        own = [f for f in exercise.wrong_files() if f.name.split(".")[1] == why]
        return Finding(exercise.shown(own[0] if own else exercise.edits), 0, f"the wrong version {why}: {words}", again)
    if kind == "right":
        return Finding(exercise.shown(exercise.right_file(why)), 0, f"the right version {why} is refused: {words}",
                       again)
    return limit_finding(exercise, said) or Finding(exercise.shown(exercise.solution), 0,
                                                    f"the solution fails its test ({kind}): {words}", again)


def budget_of_stub(exercise, build):
    """A budget that a stub meets asks for nothing."""
    target = f"{exercise.prefix}_exercise_counted"
    if not build.has_target(target) or planted_bug(exercise) not in ("", "budget"):
        return []
    if build.ninja(target).returncode != 0:
        return []  # that it does not compile is told already
    ran = subprocess.run([build.folder / "bin" / target, "--test-case=budget"], capture_output=True, text=True,
                         errors="replace", check=False)
    if ran.returncode != 0:
        return []
    return [Finding("exercises/course.toml", 0, f"the stub of {exercise.name} is within its budget",
                    "add what its work comes to at least: threads, load_bytes or tensor_products")]


def filled_before(solution, names):
    """The solution with these holes as the stub has them."""
    lines, inside = [], None
    for line in solution.split("\n"):
        mark = MARK.match(line)
        if mark:
            inside = None if inside else mark[1]
            continue
        text = line.strip()
        if inside in names:
            if text.startswith("//>"):
                line = text.removeprefix("//>").removeprefix(" ")
            elif not text.startswith("//"):
                continue
        elif text.startswith("//>"):
            continue
        lines.append(line)
    return "\n".join(lines)


def holes_of(solution):
    """The names of the holes, and the lines at which they begin."""
    holes = {}
    for number, line in enumerate(solution.split("\n"), 1):
        mark = MARK.match(line)
        if mark and mark[2] == "hole":
            holes.setdefault(mark[1], number)
    return holes


def compile_command(exercise, build):
    """How the stub is compiled, without its names."""
    target = f"{exercise.prefix}_exercise"
    listed = build.ninja("-t", "commands", target)
    for command in listed.stdout.splitlines():
        if command.endswith(f"-c {exercise.stub}"):
            words, kept = shlex.split(command), []
            skip = False
            for word in words:
                if not skip and word not in ("-MD", "-MT", "-MF", "-o", "-c"):
                    kept.append(word)
                skip = not skip and word in ("-MT", "-MF", "-o", "-c")
            return kept
    raise AuthorError(f"{build.folder} does not compile {exercise.stub}; configure it again")


def hole_findings(exercise, build):
    """Whether the file compiles, without a warning, after each hole that a learner fills in, from the top."""
    solution = exercise.solution.read_text()
    holes = holes_of(solution)
    names = list(holes)
    command = compile_command(exercise, build)
    findings = []
    with tempfile.TemporaryDirectory() as folder:
        for number, name in enumerate(names[1:], 1):  # with all empty it is the stub itself
            source = pathlib.Path(folder) / f"{exercise.name}{exercise.extension}"
            source.write_text(filled_before(solution, names[number:]))
            done = subprocess.run([*command, "-Werror", "-o", source.with_suffix(".o"), "-c", source],
                                  cwd=build.folder, capture_output=True, text=True, errors="replace", check=False)
            if done.returncode != 0:
                said = ERROR.search(done.stdout + done.stderr)
                findings.append(Finding(exercise.shown(exercise.solution), holes[name],
                                        f"filled up to {name}, which is empty as those after it are, it does not "
                                        f"compile: {said[3] if said else 'see the compiler'}",
                                        "leave what earlier lines need out of the hole, or give the stub a line by `//>`"))
    return findings


def mutant_findings(exercise, build):
    tool = ROOT / "tests/mutants/mutants.py"
    done = subprocess.run([sys.executable, tool, build.folder, "--exercise", exercise.name], capture_output=True,
                          text=True, check=False)
    if done.returncode == 0:
        return []
    lines = [line for line in (done.stdout + done.stderr).splitlines()
             if re.search(r"not listed in survivors.json|found, .* expected at least|^mutants.py:|^no mutants", line)]
    return [Finding(exercise.shown(exercise.test), 0, line, "make the test find it, or list it in "
                    "tests/mutants/survivors.json with the reason") for line in lines or ["mutants.py fails"]]


def findings(exercise, folder, with_mutants):
    """All of them. Where something does not compile, only that."""
    if not all(path.exists() for path in (exercise.solution, exercise.stub, exercise.test)):
        return []  # the static checks have said it
    if with_mutants and exercise.root != ROOT:
        raise AuthorError("--mutants is for the course's own exercises: mutants.py knows no other")
    build = Build(folder)
    build.configure(exercise.root)
    tests = build.tests(exercise)
    if not tests:
        raise AuthorError(f"{build.folder} has no tests of {exercise.name}; configure it with -DTUT_MAINTAINER=ON")
    programs = sorted({program for names in tests.values() for program in names})
    built = build.ninja("-k", "0", *programs)
    if built.returncode != 0:
        found = compile_findings(exercise, built.stdout)
        return found or [Finding(exercise.shown(exercise.solution), 0, "its programs cannot be built: "
                                 + first_words(built.stdout), f"see ninja -C {build.folder} {programs[0]}")]
    result = [test_finding(exercise, name, said) for name, said in build.run_tests(exercise).items()]
    result += budget_of_stub(exercise, build) + hole_findings(exercise, build)
    if with_mutants and exercise.is_cuda:
        result += mutant_findings(exercise, build)
    return result
