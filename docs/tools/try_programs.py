#!/usr/bin/env python3
"""Tries the CPU backend on public programs: compiles each of docs/tools/programs.toml with cucc,
runs it split, whole (CUCC_SPLIT=off) and under --check, and compares what they print. What check mode
finds does not hide a wrong result: `finding: leak; split: prints something else than whole`.

usage: try_programs.py FOLDER [--cucc PROGRAM] [--only TEXT] [--jobs N]

FOLDER has the repositories as OWNER+NAME, at the commits that the list names. Nothing is fetched.
Ends with 1 where a program's outcome is not the one in the list.
"""

import argparse
import concurrent.futures
import math
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib

TOOLS = pathlib.Path(__file__).resolve().parent
ROOT = TOOLS.parents[1]
TIMES = re.compile(r"\btime\b|elapsed|\bms\b|GFLOP|seconds|GB/s|bandwidth|speed|Datapoints", re.IGNORECASE)

FINDING = re.compile(r"error: ([a-z-]+): ")
CLOCK_SEED = re.compile(r"\bsrand\(time\((?:NULL|0|nullptr)\)\)")


def program(name):
    """The path of a program, from any folder."""
    path = shutil.which(name)
    if path is None:
        raise argparse.ArgumentTypeError(f"there is no program {name}")
    return os.path.abspath(path)


def shrink(text, sizes):
    """The source with other values for some of its names, `int B = 8` or `#define B 8`, and with the
    same random numbers in every run."""
    text = CLOCK_SEED.sub("srand(1)", text)
    for name, value in sizes.items():
        text, count = re.subn(rf"(#define\s+{name}\s+|\b\w+\s+{name}\s*=\s*)\d[^;,\n/]*",
                              rf"\g<1>{value}", text, count=1)
        if count == 0:
            sys.exit(f"nothing is named {name}")
    return text


def run(command, folder, seconds, **environment):
    """Exit status, standard output and error; None for one that ran out of time."""
    try:
        process = subprocess.run(command, cwd=folder, text=True, errors="replace", check=False,
                                 capture_output=True, timeout=seconds, stdin=subprocess.DEVNULL,
                                 env={**os.environ, **environment})
    except subprocess.TimeoutExpired:
        return None, "", ""
    return process.returncode, process.stdout, process.stderr


def steady(output):
    """What a program prints, without the times it measured."""
    return [line for line in output.splitlines() if not TIMES.search(line)]


def same(first, second):
    """Are the lines the same, but for the last digits of numbers with a point? Compilers may fuse
    products and sums where they like."""
    words = [[word for line in lines for word in line.split()] for lines in (first, second)]
    if len(words[0]) != len(words[1]):
        return False
    for one, other in zip(*words):
        try:
            if one != other and not ("." in one and "." in other and
                                     math.isclose(float(one), float(other), rel_tol=1e-4,
                                                  abs_tol=1e-5)):
                return False
        except ValueError:
            return False
    return True


def first_error(messages):
    """The first error in the messages of a compiler."""
    found = re.search(r"(?:fatal )?error: (.*)", messages)
    return found.group(1) if found else messages.strip()[-200:]


class Trial:
    """One program of the list, in its three ways."""

    def __init__(self, entry, folder, cucc, seconds):
        self.entry, self.cucc = entry, cucc
        self.seconds = max(seconds, entry.get("seconds", 0))
        self.repository = folder / entry["repository"].replace("/", "+")
        self.source = self.repository / entry["file"]

    def name(self):
        """Repository and file."""
        return f"{self.entry['repository']} {self.entry['file']}"

    def outcome(self):
        """`right`, or what is the matter."""
        if not self.source.exists():
            return "missing"
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "source"
            shutil.copytree(self.source.parent, copy, symlinks=True)
            source = copy / self.source.name
            source.write_text(shrink(source.read_text(errors="replace"),
                                     self.entry.get("sizes", {})))
            return self.compare(copy, source)

    def compile(self, folder, source, way):
        """The program's path, and what the compiler has against it."""
        options = ["--check"] if way == "check" else []
        environment = {"CUCC_SPLIT": "off"} if way == "whole" else {}
        program = folder / f"program_{way}"
        others = [str(path) for pattern in self.entry.get("with", [])
                  for path in sorted(folder.glob(pattern))]
        own = [option.replace("{repository}", str(self.repository)).replace("{tools}", str(TOOLS))
               for option in self.entry.get("options", [])]
        status, _, messages = run(
            [self.cucc, *options, "-O2", f"-I{self.source.parent}", source.name, *others, *own,
             "-o", str(program)],
            folder, 600, **environment)
        return program, "" if status == 0 else f"does not compile: {first_error(messages)}"

    def compare(self, folder, source):
        """Compiles and runs the three ways: what check mode finds, and the first other matter."""
        whole, kinds, matters = {}, set(), []
        for way in self.entry.get("ways", ("whole", "split", "check")):
            program, problem = self.compile(folder, source, way)
            if problem:
                return problem
            for arguments in self.entry.get("arguments", [""]):
                status, output, messages = run([program, *arguments.split()], folder, self.seconds,
                                               **self.entry.get("environment", {}))
                found = set(FINDING.findall(messages)) if way == "check" else set()
                kinds |= found
                expected = whole.setdefault(arguments, (status, self.printed(output)))
                problem = self.judge(86 if found else expected[0], status,
                                     same(self.printed(output), expected[1]))
                if problem:
                    matters.append(f"{way}: {problem} {arguments}".strip())
        findings = [f"finding: {', '.join(sorted(kinds))}"] if kinds else []
        return "; ".join(findings + matters[:1]) or "right"

    def printed(self, output):
        """What a run printed, so that it can be compared."""
        lines = steady(output)
        return sorted(" ".join(lines).split()) if self.entry.get("any_order") else lines

    @staticmethod
    def judge(expected, status, as_whole):
        """What is wrong with how a run ended, or nothing."""
        if status is None:
            return "out of time"
        if status != expected or status not in (0, 86):
            return f"ended with {status}"
        return "" if as_whole else "prints something else than whole"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--cucc", type=program, default=str(ROOT / "build/cpu/bin/cucc"))
    parser.add_argument("--list", type=pathlib.Path, default=ROOT / "docs/tools/programs.toml")
    parser.add_argument("--only", default="", help="programs whose name has this text")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--seconds", type=int, default=120, help="the longest that a run may take")
    arguments = parser.parse_args()
    listed = tomllib.loads(arguments.list.read_text())["program"]
    trials = [Trial({**entry, "file": file}, arguments.folder.resolve(), arguments.cucc, arguments.seconds)
              for entry in listed for file in entry.get("files", [entry.get("file")])]
    trials = [trial for trial in trials if arguments.only in trial.name()]
    counts = {}
    surprises = 0
    with concurrent.futures.ThreadPoolExecutor(arguments.jobs) as pool:
        for trial, outcome in zip(trials, pool.map(Trial.outcome, trials)):
            expected = trial.entry.get("outcome", "right")
            surprise = outcome != expected and not (
                expected.startswith("does not compile") and outcome.startswith(expected))
            surprises += surprise
            kind = outcome.split(": ")[0] if "compile" in outcome else outcome
            counts[kind] = counts.get(kind, 0) + 1
            print(f"{'!' if surprise else ' '} {trial.name()}: {outcome}", flush=True)
    print(", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())))
    print(f"{surprises} of {len(trials)} not as listed")
    return 1 if surprises else 0


if __name__ == "__main__":
    sys.exit(main())
