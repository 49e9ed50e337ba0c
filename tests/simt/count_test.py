#!/usr/bin/env python3
"""Exact counters of small kernels.

  count_test.py CUCC FOLDER

A line of a program in FOLDER says what count mode counts there:

  // counts: global_load requests=1 sectors=4; global_store requests=1

Of every line that is said: no more kinds of traffic than named, and these numbers. Lines that say
nothing have no traffic. Two runs print and write the same.
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

SAID = re.compile(r"// counts: (.+)$")


def expected_of(source):
    """By line: kind of traffic -> counter -> number."""
    expected = {}
    for number, line in enumerate(source.read_text().splitlines(), 1):
        said = SAID.search(line)
        if not said:
            continue
        expected[number] = {}
        for part in said.group(1).split(";"):
            kind, *counters = part.split()
            expected[number][kind] = {name: int(value) for name, value
                                      in (counter.split("=") for counter in counters)}
    return expected


def run(program, folder, number):
    report = folder / f"report{number}.json"
    ran = subprocess.run([str(program)], capture_output=True, text=True, timeout=1800, check=False,
                         env={**os.environ, "SIMT_REPORT": str(report)})
    return ran.returncode, ran.stderr, report.read_text() if report.exists() else ""


def counted_lines(report, source):
    lines = {}
    for kernel in json.loads(report)["kernels"]:
        for line in kernel["lines"]:
            place = line["line"] if line["file"] == str(source) else f"{line['file']}:{line['line']}"
            kinds = {name: value for name, value in line.items() if isinstance(value, dict)}
            lines.setdefault(place, {}).update(kinds)
    return lines


def compare(expected, counted):
    faults = []
    for line in sorted(set(expected) | set(counted), key=str):
        wanted, got = expected.get(line, {}), counted.get(line, {})
        if set(wanted) != set(got):
            faults.append(f"line {line}: has {sorted(got)}, expected {sorted(wanted)}")
        for kind in set(wanted) & set(got):
            for name, value in wanted[kind].items():
                if got[kind].get(name) != value:
                    faults.append(f"line {line}: {kind} {name} is {got[kind].get(name)}, "
                                  f"expected {value}")
    return faults


def check(cucc, source, folder):
    program = folder / "program"
    built = subprocess.run([cucc, "--count", str(source), "-o", str(program)],
                           capture_output=True, text=True, check=False)
    if built.returncode != 0:
        return [built.stderr]
    status, said, report = run(program, folder, 1)
    if status != 0 or not report:
        return [f"exit status {status}\n{said}"]
    faults = compare(expected_of(source), counted_lines(report, source))
    if run(program, folder, 2) != (status, said, report):
        faults.append("two runs differ")
    if any(len(line) > 100 for line in said.splitlines()):
        faults.append("the table is wider than 100 columns")
    if len(report.splitlines()) < 3 or "in all, as Nsight Compute names it" not in said:
        faults.append(f"the table says too little:\n{said}")
    return faults


def main():
    cucc, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    sources = sorted(folder.glob("*.cu"))
    faults = []
    lines = 0
    with tempfile.TemporaryDirectory() as scratch:
        for source in sources:
            lines += len(expected_of(source))
            faults += [f"{source.name}: {fault}" for fault
                       in check(cucc, source, pathlib.Path(scratch))]
    print("\n".join(faults) if faults else f"{lines} lines of {len(sources)} programs counted right")
    return 1 if faults or lines == 0 else 0


if __name__ == "__main__":
    sys.exit(main())
