"""Compiles mutants as an exercise's kernels are compiled, and runs them as its test does."""
import dataclasses
import os
import pathlib
import re
import shlex
import signal
import subprocess
import threading

FINDING = re.compile(r": error: ([a-z-]+): ")
KIND = re.compile(r"^\s*kind: ([a-z-]+)$", re.M)
NO_TESTS = re.compile(r"test cases: +0 ")
FINDINGS_STATUS = 86
# Of processor time, so that a busy machine decides nothing. By the clock only what waits in vain ends.
COMPILE_SECONDS, RUN_SECONDS, LONGEST_SECONDS = 240, 120, 3600


# A mutant is found by its first failure: what else its test would find is not waited for.
FIRST_FAILURE, FIRST_FINDING = "--abort-after=1", {**os.environ, "TUT_STOP_AT_FINDING": "1"}


def run_limited(command, folder, seconds):
    """Runs a command that may use so many seconds of processor time. "timeout" if it wanted more."""
    limited = ["sh", "-c", f'ulimit -S -t {seconds}; exec "$@"', "sh", *command]
    try:
        ran = subprocess.run(limited, cwd=folder, capture_output=True, text=True, errors="replace",
                             check=False, timeout=LONGEST_SECONDS,
                             env=FIRST_FINDING)
    except subprocess.TimeoutExpired:
        return "timeout"
    return "timeout" if ran.returncode == -signal.SIGXCPU else ran


class SetupError(Exception):
    """The trial itself is broken: it says nothing about the mutant."""


@dataclasses.dataclass(frozen=True)
class Exercise:
    chapter: str  # "05"
    name: str
    source: pathlib.Path
    counted: bool  # its test has a budget

    @property
    def prefix(self):
        return f"ch{self.chapter}_{self.name}_solution"


def find_exercises(root):
    found = []
    for source in sorted((root / "solutions").glob("*/*.cu")):
        test = root / "tests" / source.parent.name / f"{source.stem}_test.cpp"
        found.append(Exercise(source.parent.name[:2], source.stem, source,
                              'TEST_CASE("budget")' in test.read_text()))
    return found


class Trials:
    """The commands of one exercise, taken from its build tree."""

    def __init__(self, build, exercise):
        self.build = build
        self.exercise = exercise
        checked = self._commands(f"{exercise.prefix}_checked")
        self.watched = self._compile_command(checked)
        self.plain = self._compile_command(self._commands(exercise.prefix))
        self.links = {"checked": self._link_command(checked)}
        if exercise.counted:
            counted = self._commands(f"{exercise.prefix}_counted")
            self.links["counted"] = self._link_command(counted)
        self._lock = threading.Lock()
        self._original_object = None

    def run(self, text, folder):
        """What finds this version of the source; None if nothing does."""
        source = self._write(text, folder)
        built = self._compile(self.watched, source)
        if built == "timeout":
            return built
        if built.returncode != 0:
            return "compile"
        for mode, link in self.links.items():
            program = self._link(link, folder / f"{self.exercise.name}.o", folder / mode)
            arguments = ["--test-case=budget"] if mode == "counted" else []
            found = self._found_by([str(program), FIRST_FAILURE, *arguments], mode)
            if found:
                return found
        return None

    def is_equivalent(self, text, folder):
        """Whether the compiler makes the same object of it as of the original, when nobody watches."""
        with self._lock:
            if self._original_object is None:
                original = self._object(self.exercise.source.read_text(), folder / "original")
                again = self._object(self.exercise.source.read_text(), folder / "again")
                if original != again:
                    raise SetupError(f"{self.exercise.name}: two compilations differ")
                self._original_object = original
        return self._object(text, folder / "plain") == self._original_object

    def _object(self, text, folder):
        built = self._compile(self.plain, self._write(text, folder))
        if built == "timeout" or built.returncode != 0:
            raise SetupError(f"{self.exercise.name} compiles only when watched:\n"
                             f"{getattr(built, 'stderr', built)}")
        return (folder / f"{self.exercise.name}.o").read_bytes()

    def _write(self, text, folder):
        folder.mkdir(parents=True, exist_ok=True)
        source = folder / f"{self.exercise.name}.cu"
        source.write_text(text)
        return source

    def _compile(self, command, source):
        # The name is relative, lest the folder be part of the object.
        return run_limited([*command, "-o", f"{source.stem}.o", "-c", source.name], source.parent,
                           COMPILE_SECONDS)

    def _link(self, command, kernel, program):
        filled = [str({"KERNEL": kernel, "PROGRAM": program}.get(word, word)) for word in command]
        linked = subprocess.run(filled, cwd=self.build, capture_output=True, text=True, check=False)
        if linked.returncode != 0:
            raise SetupError(f"{self.exercise.name} does not link; is {self.build} built?\n"
                             f"{linked.stderr}")
        return program

    def _found_by(self, command, mode):
        ran = run_limited(command, self.build, RUN_SECONDS)
        if ran == "timeout":
            return ran
        output = ran.stdout + ran.stderr
        if ran.returncode == 0:
            unchecked = mode == "counted" and "budget not checked" in output
            if unchecked or NO_TESTS.search(output):
                raise SetupError(f"{shlex.join(command)} tests nothing:\n{output}")
            return None
        if ran.returncode < 0:
            return "crash"
        if ran.returncode == FINDINGS_STATUS:
            return f"check: {FINDING.search(output).group(1)}"
        kind = KIND.search(output)
        return kind.group(1) if kind else "assertion"

    def _commands(self, target):
        listed = subprocess.run(["ninja", "-t", "commands", target], cwd=self.build,
                                capture_output=True, text=True, check=False)
        if listed.returncode != 0:
            raise SetupError(f"{self.build} has no target {target}: {listed.stdout}{listed.stderr}")
        return listed.stdout.splitlines()

    def _compile_command(self, commands):
        suffix = f"-c {self.exercise.source}"
        words = shlex.split(next(c for c in commands if c.endswith(suffix)))
        kept, skip = [], 0
        for word in words:
            if skip:
                skip -= 1
            elif word in ("-MT", "-MF", "-o", "-c"):
                skip = 1
            elif word not in ("-MD", "-Werror"):
                kept.append(word)
        return [*kept, "-w"]

    def _link_command(self, commands):
        words = shlex.split(commands[-1].split(" && ")[1])
        kernel = f"{self.exercise.name}.cu.o"
        filled = ["KERNEL" if word.endswith(f"/{kernel}") else word for word in words]
        filled[filled.index("-o") + 1] = "PROGRAM"
        if filled.count("KERNEL") != 1:
            raise SetupError(f"{self.exercise.name}: no kernel in {commands[-1]}")
        return filled
