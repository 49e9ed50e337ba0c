"""What is built for the steps, or was built elsewhere."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

from .session import ROOT

# In the order of what they are worth: what only a GPU can tell comes first.
CHAPTERS_FIRST = ("11", "07", "09", "10", "08", "12", "13")
CHAPTERS_LATER = ("14",)
# Of a build's time limit: the rest is for what was built.
BUILD_SHARE = 0.6
# Labels of tests that ask nothing of a GPU.
WITHOUT_GPU = "^(learn|docs|fuzz|host)$"
TEST = re.compile(r'^add_test\(\[=\[(.+?)\]=\] (.*)\)$')
PROPERTIES = re.compile(r'^set_tests_properties\(\[=\[(.+?)\]=\] PROPERTIES  (.*)\)$')
# For programs that are built on one machine and run on another.
ELSEWHERE = ("-DCMAKE_CUDA_ARCHITECTURES=90a", "-DTUT_MARCH=x86-64-v3")


def chapters():
    """The numbers of the chapters that have a benchmark, in order of worth."""
    there = sorted(p.parent.name[:2] for p in (ROOT / "chapters").glob("[0-9][0-9]_*/bench.cpp"))
    first = [number for number in CHAPTERS_FIRST if number in there]
    later = [number for number in CHAPTERS_LATER if number in there]
    # Part I measures the CPU.
    rest = [n for n in there if n not in first + later]
    return first, later, sorted(rest, key=lambda n: (n in ("01", "02"), n))


def find_nvcc():
    there = shutil.which("nvcc")
    if there:
        return pathlib.Path(there)
    usual = pathlib.Path("/usr/local/cuda/bin/nvcc")
    return usual if usual.exists() else None


def test_files(folder):
    """Every line of the test files of a build."""
    for path in sorted(folder.rglob("CTestTestfile.cmake")):
        yield from path.read_text().splitlines()


def test_targets(folder):
    """The programs that the tests of a configured build run, without those of no use on a GPU."""
    commands, left_out = {}, set()
    for line in test_files(folder):
        test, properties = TEST.match(line), PROPERTIES.match(line)
        if test:
            commands[test[1]] = re.findall(rf"{re.escape(str(folder))}/bin/(\w+)", test[2])
        elif properties:
            label = re.search(r'LABELS "([^"]*)"', properties[2])
            if label and any(re.match(WITHOUT_GPU, word) for word in label[1].split(";")):
                left_out.add(properties[1])
    return sorted({program for name, programs in commands.items() if name not in left_out
                   for program in programs})


def targets_of(session, steps):
    """What the steps need, in order of worth."""
    available = ninja_targets(session.folder)
    wanted = []
    for step in steps:
        if step in ("tests", "sanitizers"):
            wanted += test_targets(session.folder)
        elif re.match(r"\d\d$", step):
            counts = f"ch{step}_counts"
            wanted.append(counts if counts in available and not session.on_gpu
                          else f"ch{step}_bench")
        else:
            wanted += {"roofs": ["ch07_bench"], "tuner": ["ch07_tune"] if session.on_gpu else [],
                       "trainer": ["ch16_demo"], "rivals": ["ch16_demo"],
                       "counters": ["counters"] if session.on_gpu else [],
                       "cpu_backend": ["simt_bench"]}.get(step, [])
    return list(dict.fromkeys(wanted))


def ninja_targets(folder):
    ran = subprocess.run(["ninja", "-C", str(folder), "-t", "targets", "all"], check=False,
                         capture_output=True, text=True)
    return {line.partition(":")[0] for line in ran.stdout.splitlines()}


def configure(session, more=()):
    nvcc = find_nvcc()
    env = {"CUDACXX": str(nvcc)} if session.on_gpu and nvcc and "CUDACXX" not in os.environ else {}
    command = ["cmake", "--preset", session.backend, "-B", session.folder,
               "-DTUT_WRONG_VERSIONS=OFF", *more, *session.cmake]
    return session.run(session.job("configure", command, env=env))


def out_of_date(session, targets):
    """Programs that a build has not made, or not of this source: what ninja would still link."""
    ran = subprocess.run(["ninja", "-C", str(session.folder), "-n", "-v", "-k", "0", *targets],
                         check=False, capture_output=True, text=True, cwd=ROOT)
    open_ones = set(re.findall(r"-o bin/(\w+)", ran.stdout))
    return [t for t in targets if t in open_ones or not (session.bin / t).exists()]


def build(session, steps, more=()):
    """Configures, and builds what the steps need; the programs that are not to be had are removed, so
    that nothing old is measured."""
    job = configure(session, more)
    if job.fault():
        print(job.said(4000))
        return {"ok": False, "problem": f"cmake: {job.fault()}"}
    targets = targets_of(session, steps)
    known = ninja_targets(session.folder)
    missing = [t for t in targets if t not in known]
    targets = [t for t in targets if t in known]
    print(f"   {len(targets)} programs", flush=True)
    seconds = session.left() * BUILD_SHARE
    job = session.run(session.job("build", ["cmake", "--build", session.folder, "--target", *targets,
                                            "--", "-k", "0"], seconds)) if targets else job
    if job.fault():
        print(job.said(4000))
        missing += out_of_date(session, targets)
    for name in missing:
        (session.bin / name).unlink(missing_ok=True)
    problem = job.fault() and f"the build: {job.fault()}"
    if missing:
        problem = (problem + "; " if problem else "") + "not built: " + ", ".join(missing)
    return {"ok": not problem, "problem": problem, "missing": missing}


def library_folders():
    """Where the toolkit's libraries may be: beside nvcc, and in Python's packages."""
    folders = []
    nvcc = find_nvcc()
    if nvcc:
        home = nvcc.resolve().parent.parent
        folders += [home / "lib64", home / "lib", home / "targets" / "x86_64-linux" / "lib"]
    for site in sys.path:
        folders += sorted(pathlib.Path(site).glob("nvidia/*/lib")) if site else []
    return [folder for folder in folders if folder.is_dir()]


def missing_libraries(program, path=""):
    """The shared libraries that the program would not find."""
    env = {**os.environ, "LD_LIBRARY_PATH": path} if path else None
    try:
        ran = subprocess.run(["ldd", str(program)], check=False, capture_output=True, text=True,
                             env=env)
    except OSError:
        return []
    return re.findall(r"(\S+) => not found", ran.stdout)


def find_libraries(session):
    """Makes the programs find their libraries, wherever the toolkit is; returns what is missing."""
    programs = sorted(p for p in session.bin.glob("*") if p.is_file())
    before = os.environ.get("LD_LIBRARY_PATH", "")
    if not any(missing_libraries(program) for program in programs):
        return {}
    path = ":".join([*(str(folder) for folder in library_folders()), *([before] if before else [])])
    session.environment["LD_LIBRARY_PATH"] = path
    missing = {program.name: missing_libraries(program, path) for program in programs}
    return {name: libraries for name, libraries in missing.items() if libraries}


def test_commands(session):
    """Name, command line, environment and labels of the tests of a build or of a bundle."""
    ran = subprocess.run(["ctest", "--test-dir", str(session.folder), "--show-only=json-v1", "-LE",
                          WITHOUT_GPU], cwd=ROOT, check=False, capture_output=True, text=True,
                         env=session.whole_environment())
    for test in json.loads(ran.stdout or '{"tests": []}')["tests"]:
        if "command" in test:
            properties = {p["name"]: p["value"] for p in test["properties"]}
            env = dict(pair.split("=", 1) for pair in properties.get("ENVIRONMENT", []))
            yield test["name"], test["command"], env, properties.get("LABELS", [])


def moved(line, folder):
    """A line of a test file, of a bundle whose place is known when it is used."""
    line = re.sub(r' _BACKTRACE_TRIPLES "[^"]*"', "", line)
    line = re.sub(r' WORKING_DIRECTORY "[^"]*"', "", line)
    return line.replace(str(folder), "${CMAKE_CURRENT_LIST_DIR}").replace(str(ROOT), "$ENV{TUT_ROOT}")


def bundle(session, steps, target):
    """Builds for an sm_90a somewhere else, and lays the programs and their tests into a folder, which
    --programs takes there."""
    result = build(session, steps, ELSEWHERE if session.on_gpu else ELSEWHERE[1:])
    if not result["ok"]:
        return result
    (target / "bin").mkdir(parents=True, exist_ok=True)
    for name in targets_of(session, steps):
        copy = target / "bin" / name
        shutil.copy2(session.bin / name, copy)
        subprocess.run(["strip", str(copy)], check=False)
    lines, kept = [], set()
    for line in test_files(session.folder):
        test, properties = TEST.match(line), PROPERTIES.match(line)
        if test and test[2].startswith(f'"{session.bin}/'):
            program = re.match(r'"([^"]*)"', test[2])[1]
            if (target / "bin" / pathlib.Path(program).name).exists():
                kept.add(test[1])
                lines.append(moved(line, session.folder))
        elif properties and properties[1] in kept:
            lines.append(moved(line, session.folder))
    (target / "CTestTestfile.cmake").write_text("\n".join(lines) + "\n")
    size = sum(path.stat().st_size for path in target.rglob("*") if path.is_file())
    print(f"   {len(kept)} tests, {size / 1e6:.1f} MB in {target}")
    return result
