#!/usr/bin/env python3
"""Which kernels of the course run on fibers: those in whole_kernels.txt, and no others.

  whole_kernels.py CUCC [--write]

A kernel on fibers takes ten times as long, and is as right as before, so that no other test would tell that
cucc no longer splits it. With --write the list is made anew.
"""
import concurrent.futures
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[1]
LIST = HERE / "whole_kernels.txt"
NOTE = re.compile(r"^(?P<file>.*?):\d+: note: (?P<kernel>\w+) runs whole, on fibers(?P<why>.*)$")
PLANTED = """\
template <int W> __device__ void add(float* x) { *x += W; }
__global__ void split(float* x) { add<2>(x + threadIdx.x); __syncthreads(); }
__global__ void whole(float* x) { if (x[threadIdx.x] > 0) __syncthreads(); }
"""


def report_of(cucc, source, folder):
    """{"FOLDER/FILE KERNEL": why} of the kernels in a source, and in headers of the course, on fibers."""
    command = [cucc, "-cuda", "--split-report", f"-I{ROOT}/chapters", f"-I{ROOT}/common", str(source),
               "-o", f"{folder}/{source.parent.name}_{source.stem}.cpp"]
    result = subprocess.run(command, capture_output=True, text=True)
    if "is not supported on the CPU backend" in result.stderr:
        return {}
    if result.returncode != 0:
        sys.exit(f"{source}: cucc ended with {result.returncode}:\n{result.stderr}")
    found = {}
    for line in result.stderr.splitlines():
        if note := NOTE.match(line):
            file = pathlib.Path(note["file"]).resolve()
            name = file.relative_to(ROOT) if file.is_relative_to(ROOT) else file.name
            found[f"{name} {note['kernel']}"] = note["why"].removeprefix(": ").replace(f"{ROOT}/", "")
    return found


def main():
    cucc = sys.argv[1]
    with tempfile.TemporaryDirectory() as folder:
        planted = pathlib.Path(folder) / "planted.cu"
        planted.write_text(PLANTED)
        if list(report_of(cucc, planted, folder)) != ["planted.cu whole"]:
            sys.exit("of two planted kernels, 'whole' alone should run on fibers: " +
                     str(report_of(cucc, planted, folder)))
        sources = sorted([*ROOT.glob("chapters/*/*.cu"), *ROOT.glob("solutions/*/*.cu")])
        found = {}
        with concurrent.futures.ThreadPoolExecutor(2) as pool:
            for kernels in pool.map(lambda source: report_of(cucc, source, folder), sources):
                found |= kernels
    if "--write" in sys.argv:
        LIST.write_text("".join(f"{name}\n" for name in sorted(found)))
    listed = set(LIST.read_text().split("\n")) - {""}
    for name in sorted(found.keys() - listed):
        print(f"{name} runs on fibers: {found[name] or 'its form is not known'}; if it has to, "
              f"'{pathlib.Path(__file__).name} CUCC --write' adds it to {LIST.name}")
    for name in sorted(listed - found.keys()):
        print(f"{name} does not run on fibers, and is in {LIST.name}: '--write' takes it out")
    print(f"{len(sources)} sources: {len(found)} kernels on fibers, {len(listed)} listed")
    sys.exit(found.keys() != listed)


main()
