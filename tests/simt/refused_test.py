#!/usr/bin/env python3
"""What nvcc refuses of device code, and `cucc --strict-device` too.

  refused_test.py CUCC FOLDER [NVCC]

Each program in FOLDER says at the end of a line what is refused there: `// refused: WORDS`. Just that must
be refused; with -DMENDED, nothing. Given an nvcc, it must refuse the same lines as they stand alone, and
compile the mended program. What `// misplaced: WORDS` says is refused without --strict-device, too; nvcc
may take it.
"""
import pathlib
import re
import subprocess
import sys

NVCC_FLAGS = ["-std=c++20", "--expt-relaxed-constexpr", "--extended-lambda", "-gencode",
              "arch=compute_90a,code=sm_90a", "-c", "-o", "/dev/null"]


def expected_of(source, mark="refused"):
    return {number: words for number, line in enumerate(source.read_text().splitlines(), 1)
            for words in re.findall(rf"// {mark}: (.+)", line)}


def said_of(ran, source):
    return {int(line): text for line, text in
            re.findall(re.escape(str(source)) + r":(\d+): error: (.+)", ran.stderr)}


def is_as_expected(said, wanted):
    return said.keys() == wanted.keys() and all(words in said[line] for line, words in wanted.items())


def compile_with(command, source, mended):
    return subprocess.run([*command, *(["-DMENDED"] if mended else []), str(source)],
                          capture_output=True, text=True, check=False)


def check(cucc, source):
    faults = []
    for mended in (False, True):
        version = source.name + (" mended" if mended else "")
        misplaced = {} if mended else expected_of(source, "misplaced")
        wanted = misplaced | ({} if mended else expected_of(source))
        stage = ["-c", "-o", "/dev/null"] if mended else ["-cuda", "-o", "/dev/null"]
        ran = compile_with([cucc, "--strict-device", *stage], source, mended)
        if not is_as_expected(said_of(ran, source), wanted):
            faults.append(f"{version}: expected {wanted}\n{ran.stderr}")
        elif (ran.returncode != 0) != bool(wanted):
            faults.append(f"{version}: exit status {ran.returncode}\n{ran.stderr}")
        elif not mended:
            ran = compile_with([cucc, "-cuda", "-o", "/dev/null"], source, False)
            if not is_as_expected(said_of(ran, source), misplaced):
                faults.append(f"{version}: without --strict-device\n{ran.stderr}")
    return faults


def check_nvcc(nvcc, source):
    """Each line by itself: nvcc stops after some kinds of errors before it looks for others."""
    faults = []
    mended = compile_with([nvcc, *NVCC_FLAGS], source, True)
    if mended.returncode != 0:
        faults.append(f"{source.name} mended: nvcc says\n{mended.stderr}")
    text = source.read_text().splitlines()
    left = expected_of(source).keys()
    while left:
        trial = source.with_name(source.stem + ".trial.cu")
        trial.write_text("\n".join("" if number in expected_of(source).keys() - left else line
                                   for number, line in enumerate(text, 1)) + "\n")
        ran = compile_with([nvcc, *NVCC_FLAGS], trial, False)
        trial.unlink()
        found = {int(line) for line in re.findall(r"\.trial\.cu\((\d+)\): error", ran.stdout + ran.stderr)}
        if not found & left:
            faults.append(f"{source.name}: nvcc takes lines {sorted(left)}\n{ran.stdout}{ran.stderr}")
            break
        left = left - found
    return faults


def main():
    sources = sorted(pathlib.Path(sys.argv[2]).resolve().glob("*.cu"))
    faults = [fault for source in sources for fault in check(sys.argv[1], source)]
    if len(sys.argv) > 3:
        faults += [fault for source in sources for fault in check_nvcc(sys.argv[3], source)]
    print("\n".join(faults) if faults else f"{len(sources)} programs refused, their twins taken")
    return 1 if faults or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
