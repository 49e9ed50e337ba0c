#!/usr/bin/env python3
"""Planted bugs and their correct twins.

  check_test.py CUCC FOLDER

Each program in FOLDER says at the end of a line what check mode finds there: `// finds: KIND`. It must
find just that; compiled with -DMENDED, nothing. Two runs print the same. `// says: TEXT` is a part of what
it must say, `// says once: TEXT` is there once, `// says in turn: TEXT` stands behind the one before, and
`// says not: TEXT` is no part of it.
"""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

FOUND = re.compile(r"^(.+?):(\d+): error: ([a-z-]+): .+$", re.M)
FINDINGS_STATUS = 86


def files_of(source, *others):
    """The program's files: NAME.cu, and those of the others that there are."""
    others = [source.with_suffix(other) for other in others]
    return [source, *(other for other in others if other.exists())]


def compiled_of(source):
    return files_of(source, ".host.cpp")


def read_of(source):
    return files_of(source, ".host.cpp", ".cuh")


def expected_of(source):
    return {(number, kind) for file in read_of(source)
            for number, line in enumerate(file.read_text().splitlines(), 1)
            for kind in re.findall(r"// finds: ([a-z-]+)", line)}


def unsaid_of(source, said):
    """What the program should say and does not, or says and should not."""
    wanted = re.findall(r"// says( once| in turn| not|): (.+)", source.read_text())
    faults, place = [], 0
    for how, text in wanted:
        if how == " in turn":
            place = said.find(text, place) + 1
        fits = {"": text in said, " once": said.count(text) == 1, " in turn": place > 0,
                " not": text not in said}
        if not fits[how]:
            faults.append(f"says{how}: {text}")
    return faults


def environment_of(folder):
    """With ccache in the place of g++, where it is there: a program that has not changed is not compiled again. It
    gives what g++ would, for this checkout alone: its paths are in the findings."""
    environment = {name: value for name, value in os.environ.items() if name not in ("CCACHE_BASEDIR", "CCACHE_NOHASHDIR")}
    if ccache := shutil.which("ccache"):
        (folder / "g++").symlink_to(ccache)
        environment["PATH"] = f"{folder}:{environment['PATH']}"
    return environment


def run(cucc, source, mended, folder, environment):
    program = folder / (source.stem + ("_mended" if mended else ""))
    built = subprocess.run([cucc, "--check", *(["-DMENDED"] if mended else []),
                            *map(str, compiled_of(source)), "-o", str(program)],
                           capture_output=True, text=True, check=False, env=environment)
    if built.returncode != 0:
        return None, built.stderr, 0
    ran = [subprocess.run([str(program)], capture_output=True, text=True, timeout=1800, check=False)
           for _ in range(2)]
    if ran[0].stderr != ran[1].stderr:
        return None, "two runs differ:\n" + ran[0].stderr + ran[1].stderr, 0
    found = {(int(line), kind) for file, line, kind in FOUND.findall(ran[0].stderr)
             if pathlib.Path(file) in read_of(source)}
    return found, ran[0].stderr, ran[0].returncode


def check(cucc, source, folder, environment):
    faults = []
    for mended in (False, True):
        wanted = set() if mended else expected_of(source)
        found, said, status = run(cucc, source, mended, folder, environment)
        version = source.name + (" mended" if mended else "")
        if found is None:
            faults.append(f"{version}: {said}")
        elif found != wanted:
            faults.append(f"{version}: found {sorted(found)}, expected {sorted(wanted)}\n{said}")
        elif not mended and unsaid_of(source, said):
            faults.append(f"{version}: does not hold {unsaid_of(source, said)}\n{said}")
        elif status != (FINDINGS_STATUS if wanted else 0):
            faults.append(f"{version}: exit status {status}\n{said}")
    return faults


def main():
    cucc, folder = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    sources = sorted(folder.glob("*.cu"))
    without = [source.name for source in sources if not expected_of(source)]
    with tempfile.TemporaryDirectory() as scratch, tempfile.TemporaryDirectory() as compilers:
        environment = environment_of(pathlib.Path(compilers))
        with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
            results = list(pool.map(lambda source: check(cucc, source, pathlib.Path(scratch), environment),
                                    sources))
    faults = [fault for result in results for fault in result]
    faults += [f"{name} plants nothing" for name in without]
    print("\n".join(faults) if faults else f"{len(sources)} planted bugs found, their twins silent")
    return 1 if faults or not sources else 0


if __name__ == "__main__":
    sys.exit(main())
