"""A machine with a GPU that is none: folders, programs and tools for measure.py."""
import contextlib
import io
import json
import os
import pathlib
import signal
import subprocess
import sys
import tarfile
import tempfile
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent
TOOLS = HERE.parents[1] / "docs" / "tools"
STAND_IN = HERE / "stand_in.py"
PROGRAMS = ["ch07_tune", "ch16_demo", "counters",
            *(f"ch{number}_bench" for number in ("01", "02", "03", "04", "05", "07", "08", "09",
                                                 "10", "11", "12", "13", "14"))]
GPU_TOOLS = ("nvidia-smi", "ncu", "compute-sanitizer")
# measure.py, with a stand-in for PyTorch, and a clock that stands still until a program hangs, and then
# leaps: so no program is stopped for being slow, on whatever machine.
LEAP = 200
START = """
import os, sys, pathlib
sys.path.insert(0, {tools!r})
from measure import clock, command, training
clock.now = lambda: {leap} if os.path.exists({hangs!r}) else 0
training.TOOLS = pathlib.Path({programs!r})
training.missing_torch = lambda session: ""
sys.exit(command.main("", sys.argv[1:]))
"""


class Folder(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)

    def script(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"#!/bin/sh\n{text}\n")
        path.chmod(0o755)
        return path


class Rehearsal(unittest.TestCase):
    """Each test has a folder with a GPU of its own."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.programs, self.out = self.root / "programs", self.root / "out"
        self.tools, self.data = self.root / "tools", self.root / "mnist"
        for place in (self.programs / "bin", self.out, self.tools, self.data):
            place.mkdir(parents=True)
        (self.data / "train-images-idx3-ubyte.gz").touch()
        for name in PROGRAMS:
            (self.programs / "bin" / name).symlink_to(STAND_IN)
        (self.programs / "torch_mnist.py").symlink_to(STAND_IN)
        for name in GPU_TOOLS:
            (self.tools / name).symlink_to(STAND_IN)
        (self.tools / "python3").symlink_to(sys.executable)  # the stand-ins' own, without a detour
        self.archive = self.out / "measured.tar.gz"
        self.set_tests(first="exit 0", second="exit 0")

    def set_tests(self, **scripts):
        """The tests of the build, as shell scripts."""
        lines = []
        for name, script in scripts.items():
            program = self.programs / "bin" / name
            program.write_text(f"#!/bin/sh\n{script}\n")
            program.chmod(0o755)
            labels = "07;reports-memcheck" if name == "by_design" else "07"
            lines += [f'add_test([=[{name}]=] "{program}")',
                      f'set_tests_properties([=[{name}]=] PROPERTIES  LABELS "{labels}" '
                      'SKIP_RETURN_CODE "77" TIMEOUT "60")']
        (self.programs / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")

    def start(self, *arguments, **environment):
        text = START.format(tools=str(TOOLS), programs=str(self.programs), leap=LEAP,
                            hangs=str(self.root / "hangs"))
        return subprocess.Popen(
            [sys.executable, "-c", text, "--programs", str(self.programs), "--out", str(self.out),
             "--work", str(self.root / "work"), "--data", str(self.data), *arguments],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
            env={**os.environ, "PATH": f"{self.tools}:{os.environ['PATH']}",
                 "STAND_IN_MARK": str(self.root / "hangs"), **environment})

    def measure(self, *arguments, **environment):
        """Runs it to its end; its exit code, and what it printed."""
        process = self.start(*arguments, **environment)
        text = process.communicate()[0]
        return process.returncode, text

    def packed(self):
        """The names in the archive, and what they hold."""
        with tarfile.open(self.archive) as tar:
            return {member.name: tar.extractfile(member).read().decode() for member in tar}

    def result(self, name):
        return json.loads(self.packed()[name])

    def step(self, name):
        return self.result("summary.json")["steps"][name]

    def rows(self, name):
        """The steps of the medians in a file of results."""
        return [json.loads(row["label"])["step"] for row in self.result(name)["benchmarks"]
                if row.get("aggregate_name") == "median"]

    def wait_for(self, process, there):
        """Until `there()` is true, of a program that goes on by itself."""
        while True:
            try:
                if there():
                    return
            except (OSError, KeyError, tarfile.TarError):
                pass  # nothing yet
            self.assertIsNone(process.poll(), "it ended before")
            time.sleep(0.01)

    @staticmethod
    def wait_until_gone(number):
        """Until no process has this number, or a zombie that nobody waits for."""
        with contextlib.suppress(OSError):
            while pathlib.Path(f"/proc/{number}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z":
                time.sleep(0.01)

    @staticmethod
    def kill(process):
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def tar_of(entries):
    """An archive of names and texts."""
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as tar:
        for name, text in entries.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            tar.addfile(info, io.BytesIO(text.encode()))
    return file.getvalue()
