#!/usr/bin/env python3
"""How much a learner's machine has to compile, counted in compiler commands and bytes.

  work_test.py SOURCE CXX CUCC

Configures a learner's build in a scratch folder, compiles nothing there, and counts the commands that
would be run: for the tour's first picture, the command line, the tour and the tests, the last by what a
chapter may add. And what every CUDA source brings along: the size of a small one when its headers are in,
and the code that a worked example becomes.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

# Commands that compile, with some room for what is added; a limit that is met is looked at, not raised.
FIRST_PICTURE = 20
COMMAND_LINE = 14
TOUR = 70
TESTS_IN_COMMON = 200
TESTS_OF_A_CHAPTER = 28
# Bytes of the program below over those of what CUDA's own header brings of the standard library: 1.36
# with g++ 12. With <algorithm> it would be 1.8, with <memory> and <atomic> as well 3.
HEADERS_AND_OURS = 1.6
# Bytes of code that a worked example compiles to: 15,000 with g++ 12, of which its kernel and launcher are
# nearly all. Checks of arguments that put their messages together where they stand made it 46,000.
EXAMPLE = "05_shared_memory_tiling/matmul_tiled.cu"
CODE_OF_EXAMPLE = 24000
STANDARD_HEADERS = "".join(f"#include <{name}>\n" for name in
                           ("cassert", "cmath", "cstdio", "cstdlib", "cstring", "ctime", "utility"))

PROGRAM = """#include <cstdio>
__global__ void add(int n, float a, const float* x, float* y) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) y[i] += a * x[i];
}
int main() {
  float *x, *y;
  cudaMallocManaged(&x, 400);
  cudaMallocManaged(&y, 400);
  for (int i = 0; i < 100; ++i) x[i] = y[i] = 1;
  add<<<1, 128>>>(100, 2, x, y);
  cudaDeviceSynchronize();
  std::printf("%g\\n", y[5]);
}
"""


def output_of(command):
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}:\n{ran.stdout}{ran.stderr}")
    return ran.stdout


def compiled_for(build, *targets):
    """The objects that are compiled for targets."""
    commands = output_of(["ninja", "-C", build, "-t", "commands", *targets]).splitlines()
    objects = [re.search(r" -o (\S+)", line) for line in commands if " -c " in line]
    return {found.group(1) for found in objects if found}


def check_builds(source, cxx, build, faults):
    output_of(["cmake", "-S", source, "--preset", "cpu", "-B", build, f"-DCMAKE_CXX_COMPILER={cxx}",
               "-DTUT_MAINTAINER=OFF"])
    chapters = len(list(pathlib.Path(source, "chapters").glob("[0-9][0-9]_*/CMakeLists.txt")))
    limits = {("ch02_ladder",): FIRST_PICTURE, ("learn_cli",): COMMAND_LINE,
              ("ch02_ladder", "learn_cli", "ch16_train"): TOUR,
              ("tested",): TESTS_IN_COMMON + TESTS_OF_A_CHAPTER * chapters}
    for targets, limit in limits.items():
        objects = compiled_for(build, *targets)
        print(f"{' '.join(targets)}: {len(objects)} commands that compile, at most {limit}")
        if not 0 < len(objects) <= limit:
            faults.append(f"{' '.join(targets)}: {len(objects)} commands that compile; expected 1 to {limit}")
    wrong = [name for name in compiled_for(build, "all") if "_versions" in name]
    if wrong:
        faults.append(f"a learner's build has {len(wrong)} sources of wrong versions, {wrong[0]} for one")


def check_small_program(cxx, cucc, folder, faults):
    (folder / "add.cu").write_text(PROGRAM)
    (folder / "standard.cpp").write_text(STANDARD_HEADERS)
    output_of([cucc, "-cuda", folder / "add.cu", "-o", folder / "add.ii"])
    output_of([cxx, "-std=gnu++20", "-E", folder / "standard.cpp", "-o", folder / "standard.ii"])
    size, standard = ((folder / name).stat().st_size for name in ("add.ii", "standard.ii"))
    limit = int(HEADERS_AND_OURS * standard)
    print(f"a program of {len(PROGRAM.splitlines())} lines: {size} bytes to compile, at most {limit}")
    if size > limit:
        faults.append(f"a small program is {size} bytes with its headers; expected at most {limit}")


def check_code_of_example(source, cucc, folder, faults):
    output_of([cucc, "-O3", f"-I{source}/common", f"-I{source}/chapters", "-DTUT_BACKEND_CPU", "-c",
               f"{source}/chapters/{EXAMPLE}", "-o", folder / "example.o"])
    code = int(output_of(["size", folder / "example.o"]).splitlines()[1].split()[0])
    print(f"{EXAMPLE}: {code} bytes of code, at most {CODE_OF_EXAMPLE}")
    if code > CODE_OF_EXAMPLE:
        faults.append(f"{EXAMPLE} becomes {code} bytes of code; expected at most {CODE_OF_EXAMPLE}")


def main():
    source, cxx, cucc = sys.argv[1:]
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        check_small_program(cxx, cucc, pathlib.Path(folder), faults)
        check_code_of_example(source, cucc, pathlib.Path(folder), faults)
        check_builds(source, cxx, str(pathlib.Path(folder, "build")), faults)
    for fault in faults:
        print(f"FAILED: {fault}")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
