#!/usr/bin/env python3
"""C++ sources may include those of CUDA's headers that C++ compilers take from CUDA, too.

  host_headers_test.py CUCC INCLUDE [CUDA]

The headers in FOR_CUDA_ONLY are refused in a .cpp file and taken in a .cu file; all others in INCLUDE are
taken together in a .cpp file. Given CUDA's own folder of headers, g++ must judge each of them alike.
"""
import pathlib
import re
import subprocess
import sys
import tempfile

FOR_CUDA_ONLY = ["common_functions.h", "cooperative_groups/memcpy_async.h", "cooperative_groups/reduce.h",
                 "cooperative_groups/scan.h", "cuda_pipeline.h", "cuda_pipeline_primitives.h"]
# Parts of other headers, which no program includes by themselves.
PARTS = re.compile(r"simt/|crt/|curand_\w+\.h|\w+\.hpp$|device_functions\.h|math_functions\.h")


def compile_source(command, folder, suffix, headers):
    source = pathlib.Path(folder) / ("source" + suffix)
    source.write_text("".join(f"#include <{header}>\n" for header in headers) + "int main() { return 0; }\n")
    return subprocess.run([*command, str(source)], capture_output=True, text=True, check=False)


def main():
    cucc, include = sys.argv[1], pathlib.Path(sys.argv[2])
    object_of = [cucc, "-O0", "-c", "-o", "/dev/null"]
    names = sorted(str(path.relative_to(include)) for path in include.rglob("*") if path.is_file())
    others = [name for name in names if not PARTS.match(name) and name not in FOR_CUDA_ONLY]
    faults = []
    with tempfile.TemporaryDirectory() as folder:
        for header in FOR_CUDA_ONLY:
            ran = compile_source(object_of, folder, ".cpp", [header])
            if ran.returncode == 0 or f'error "{header} is for .cu files' not in ran.stderr.replace("#", ""):
                faults.append(f"{header} in C++: exit status {ran.returncode}\n{ran.stderr}")
        for suffix, headers in ((".cu", FOR_CUDA_ONLY), (".cpp", others)):
            ran = compile_source(object_of, folder, suffix, headers)
            if ran.returncode != 0:
                faults.append(f"{', '.join(headers)} in {suffix}:\n{ran.stderr}")
        for header in names if len(sys.argv) > 3 else []:
            ran = compile_source(["g++", "-std=c++20", "-fsyntax-only", f"-I{sys.argv[3]}",
                                  f"-I{sys.argv[3]}/cccl"], folder, ".cpp", [header])
            if header in FOR_CUDA_ONLY and ran.returncode == 0:
                faults.append(f"{header}: g++ takes CUDA's own")
            if header in others and ran.returncode != 0 and "No such file" not in ran.stderr:
                faults.append(f"{header}: g++ refuses CUDA's own\n{ran.stderr[:400]}")
    print("\n".join(faults) if faults else f"{len(FOR_CUDA_ONLY)} headers refused in C++, {len(others)} taken")
    return 1 if faults or not others else 0


if __name__ == "__main__":
    sys.exit(main())
