"""CMake's CUDA language with cucc as its compiler: configures, builds and tests a project with
shared and static libraries, separate compilation, a project within it, cuBLAS and GoogleTest.

usage: cmake_test.py TOOLKIT [CMAKE]    TOOLKIT: the folder with bin/cucc
"""

import json
import os
import pathlib
import subprocess
import sys
import tempfile

PROJECT = pathlib.Path(__file__).resolve().parent / "cmake_project"


def run(command, **options):
    """Runs a command and returns what it prints; ends the test where it fails."""
    process = subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                             check=False, **options)
    if process.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}\n{process.stdout}")
    return process.stdout


def fails(command, message):
    """Runs a command that must fail with a message."""
    process = subprocess.run(command, text=True, capture_output=True, check=False)
    if process.returncode == 0 or message not in process.stderr:
        sys.exit(f"{' '.join(map(str, command))}: not refused with '{message}':\n{process.stderr}")


def try_project(cmake, toolkit, build, options):
    """Builds the project and runs its tests; a header that changes is followed."""
    run([cmake, "-S", PROJECT, "-B", build, "-G", "Ninja", "-DCMAKE_CXX_COMPILER=g++",
         f"-DCMAKE_PREFIX_PATH={toolkit}", *options])
    run([cmake, "--build", build])
    run([cmake, "--build", build, "--target", "test"],
        env={**os.environ, "CTEST_OUTPUT_ON_FAILURE": "1"})
    objects = (build / "CMakeFiles/program.dir/program.cu.o").relative_to(build)
    needed = run(["ninja", "-C", build, "-t", "deps", objects])
    for header in ("scale.hpp", "norm.hpp", "cublas_v2.h"):
        if header not in needed:
            sys.exit(f"{objects} does not depend on {header}:\n{needed}")
    commands = json.loads((build / "compile_commands.json").read_text())
    cuda = [entry["command"] for entry in commands if entry["file"].endswith("program.cu")]
    if "norm/include folder" not in cuda[0]:
        sys.exit(f"no include path in {cuda[0]}")


def make_launcher(folder):
    """A program that writes down the command that it is given, and runs it."""
    launcher, log = folder / "launcher", folder / "launched"
    launcher.write_text(f'#!/bin/sh\necho "$*" >>"{log}"\nexec "$@"\n')
    launcher.chmod(0o755)
    return launcher, log


def main():
    toolkit = pathlib.Path(sys.argv[1]).resolve()
    cmake = sys.argv[2] if len(sys.argv) > 2 else "cmake"
    cucc = toolkit / "bin/cucc"
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        launcher, log = make_launcher(folder)
        try_project(cmake, toolkit, folder / "build",
                    [f"-DCMAKE_CUDA_COMPILER={cucc}", "-DCMAKE_CUDA_ARCHITECTURES=75;90a",
                     "-DCMAKE_CUDA_HOST_COMPILER=g++", f"-DCMAKE_CUDA_COMPILER_LAUNCHER={launcher}"])
        if f"{cucc} " not in log.read_text():
            sys.exit(f"the launcher was given no command of cucc's:\n{log.read_text()}")
        source = folder / "k.cu"
        source.write_text("__global__ void k() {}\n")
        fails([cucc, "-ptx", source], "asks for code of a GPU")
        # As the launcher of a host compiler it compiles and links.
        source.write_text("__global__ void k(int* x) { *x = 3; }\nint main() {\n  int* x = nullptr;\n"
                          "  cudaMallocManaged(&x, sizeof(int));\n  k<<<1, 1>>>(x);\n"
                          "  cudaDeviceSynchronize();\n  return *x == 3 ? 0 : 1;\n}\n")
        program = folder / "program"
        run([cucc, "--launcher", "g++", "-x", "c++", source, "-o", program])
        run([program])
        object_file = folder / "k.o"
        run([cucc, "--launcher", "g++", "-x", "c++", "-c", source, "-o", object_file])
        run([cucc, "--launcher", "g++", object_file, "-o", program])
        run([program])
        fails([cucc, "--check", "-shared", "-Xcompiler=-fPIC", source, "-o", folder / "k.so"],
              "without shared libraries")


if __name__ == "__main__":
    main()
