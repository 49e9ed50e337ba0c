#!/usr/bin/env python3
"""`learn debug` and `learn asm` of a file, by the real cucc and, where there is one, the real gdb.

  debug_test.py LEARN_CLI CHECKOUT CUCC

The build folder is a scratch one in which everything is up to date. What gdb shows is tested by
tests/simt/gdb_test.py, what disassemblers say by machine_code_test.cpp.
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

PROGRAM = """#include <cstdio>
#include <cstdlib>
__global__ void triple(int n, int* x) {
  const int i = threadIdx.x;
  if (i < n) x[i] = 3 * i;
}
int main(int argc, char** argv) {
  int* x;
  cudaMallocManaged(&x, 32 * sizeof(int));
  const int n = argc > 1 ? std::atoi(argv[1]) : 1;
  triple<<<1, 32>>>(n, x);
  cudaDeviceSynchronize();
  std::printf("last %d\\n", x[n - 1]);
  cudaFree(x);
}
"""


class Course:
    """A build folder for learn_cli, with a ninja that has nothing to do."""

    def __init__(self, scratch, learn_cli, checkout, cucc):
        self.learn_cli, self.checkout = learn_cli, checkout
        self.build = scratch / "build" / "cpu"
        (self.build / "bin").mkdir(parents=True)
        (self.build / "bin" / "cucc").symlink_to(cucc)
        ninja = scratch / "ninja"
        ninja.write_text("#!/bin/sh\nexit 0\n")
        ninja.chmod(0o755)
        (self.build / "build.ninja").write_text("\nbuild cucc: phony bin/cucc\n")
        (self.build / "CMakeCache.txt").write_text(
            f"TUT_BACKEND:STRING=cpu\nCMAKE_MAKE_PROGRAM:FILEPATH={ninja}\n")

    def run(self, *arguments, path=None):
        environment = {**os.environ, "LEARN_ROOT": self.checkout, "LEARN_BUILD": str(self.build)}
        if path is not None:
            environment["PATH"] = path
        ran = subprocess.run([self.learn_cli, *map(str, arguments)], capture_output=True, text=True,
                             check=False, env=environment, stdin=subprocess.DEVNULL)
        return ran.returncode, ran.stdout + ran.stderr


def expect(what, result, status, *words):
    """What a command ended with, and what it said. Returns 1 if it is something else."""
    if result[0] == status and all(word in result[1] for word in words):
        return 0
    print(f"FAILED: {what}: exit code {result[0]}, expected {status} and {words}:\n{result[1]}")
    return 1


def one_line(what, result, words):
    lines = [line for line in result[1].splitlines() if line.startswith("learn: ")]
    return expect(what, result, 2, words) or expect(what, (len(lines), result[1]), 1)


def test_debug(course, source, bare_path):
    bad = one_line("a file that is not there", course.run("debug", "nosuch.cu"), "nosuch.cu")
    bad += one_line("an exercise that is not there", course.run("debug", "matmul_paded"),
                    "no exercise 'matmul_paded'; did you mean matmul_padded?")
    bad += one_line("no gdb", course.run("debug", source, path=bare_path), "gdb is missing")
    bad += expect("for an editor", course.run("debug", "--prepare", source), 0)
    link = course.build / "debug" / "program"
    bad += expect("the link to it", (int(os.access(link, os.X_OK)), ""), 1)
    if shutil.which("gdb") is None:
        print("there is no gdb here: not tried further")
        return bad
    with_commands = source.parent / "commands"
    with_commands.write_text("print n\n")
    result = course.run("debug", source, "--batch", "-ex", "backtrace", "-x", with_commands, "-ex",
                        "continue", "--", "7")
    if "has no Python" in result[1]:
        print("this gdb has no Python: not tried further")
        return bad
    return bad + expect("a file with an argument", result, 0,
                        "[triple, block (0,0,0), thread (0,0,0) at own.cu:4]", "#0  triple (n=7",
                        "$1 = 7", "last 18")


def test_asm(course, source):
    bad = one_line("no such kernel", course.run("asm", "matmul_tiledd_kernel"),
                   "did you mean matmul_tiled_kernel?")
    bad += one_line("an exercise for the CPU", course.run("asm", "gemm"), "has no kernel")
    return bad + expect("x86 code", course.run("asm", source, "--cpu"), 0,
                        "This is x86 code of the CPU backend", "triple: x86",
                        "own.cu:5: if (i < n) x[i] = 3 * i;")


def main():
    learn_cli, checkout, cucc = sys.argv[1:]
    with tempfile.TemporaryDirectory() as name:
        scratch = pathlib.Path(name)
        course = Course(scratch, learn_cli, checkout, cucc)
        source = scratch / "own.cu"
        source.write_text(PROGRAM)
        bare = scratch / "bare"
        bare.mkdir()
        bad = test_debug(course, source, str(bare)) + test_asm(course, source)
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
