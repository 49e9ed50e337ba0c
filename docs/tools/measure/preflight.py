"""What this machine has of what the steps need, looked for all at once."""
import concurrent.futures
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from . import processes, programs, training
from .session import ROOT

HERE = pathlib.Path(__file__).resolve().parent
SECONDS = 60  # for one look; most take a few
BUSY_MIB = 1024  # of memory in use, by someone else
SMI_FIELDS = ("name", "driver_version", "clocks.sm", "clocks.max.sm", "clocks.mem", "power.limit",
              "temperature.gpu", "utilization.gpu", "memory.used")
GPU_TOOLS = {"ncu": ("counters",), "compute-sanitizer": ("sanitizers",)}
MEASURED = ("roofs", "benches", "tuner", "trainer", "tests", "rivals", "counters", "sanitizers")


class Finding:
    """One thing that was looked for: what is there, or what is missing; for which steps."""

    def __init__(self, name, found="", missing="", steps=MEASURED):
        self.name, self.found, self.missing, self.steps = name, found, missing, steps

    def line(self):
        if self.missing:
            return f"MISSING {self.name}: {self.missing} (for {', '.join(self.steps)})"
        return f"ok      {self.name}: {self.found}"


def said(session, command, env=None, cwd=None):
    """The exit code and all output of a command; 127 where it is not there, 124 where it does not end."""
    try:
        process = subprocess.Popen([str(part) for part in command], text=True, env=env, cwd=cwd,
                                   stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.STDOUT, errors="replace", start_new_session=True)
    except OSError as error:
        return 127, error.strerror
    seconds = min(SECONDS, session.left())
    try:
        text = process.communicate(timeout=seconds)[0].strip()
        return process.returncode, text
    except subprocess.TimeoutExpired:
        processes.end_group(process)
        process.stdout.close()
        return 124, f"no answer in {seconds:.0f} s"


def last_line(text):
    return text.splitlines()[-1] if text else "it says nothing"


def version_of(session, name, command, pattern, least=(), steps=MEASURED):
    """A program that is at least so new."""
    status, text = said(session, command)
    match = re.search(pattern, text)
    if status != 0 or not match:
        return Finding(name, missing=f"{command[0]}: {last_line(text)}", steps=steps)
    version = tuple(int(part) for part in match[1].split("."))
    wanted = ".".join(str(part) for part in least)
    return Finding(name, match[1], f"it is {match[1]}; expected {wanted} or newer"
                   if version < least else "", steps)


def compilers(session):
    """g++ and what builds."""
    nvcc, compiler = programs.find_nvcc(), os.environ.get("CXX", "c++")
    found = [version_of(session, "C++ compiler", [compiler, "-dumpfullversion", "-dumpversion"],
                        r"([\d.]+)", (12,)),
             version_of(session, "cmake", ["cmake", "--version"], r"version ([\d.]+)", (3, 25)),
             version_of(session, "ninja", ["ninja", "--version"], r"([\d.]+)")]
    if session.on_gpu:
        found.append(version_of(session, "nvcc", [nvcc or "nvcc", "--version"],
                                r"release ([\d.]+)", (12, 4)))
    return found


def libraries(session, scratch):
    """Each library is found by CMake, linked with, and found when the program runs."""
    folder = scratch / "probe"
    on_gpu = "ON" if session.on_gpu else "OFF"
    nvcc = programs.find_nvcc()
    env = {**os.environ, **({"CUDACXX": str(nvcc)} if nvcc else {})}
    hints = [f"-DCUDAToolkit_ROOT={nvcc.resolve().parent.parent}"] if nvcc else []
    status, text = said(session, [
        "cmake", "-G", "Ninja", "-S", HERE / "probe", "-B", folder, f"-DGPU={on_gpu}", *hints,
        *(flag for flag in session.cmake if flag.startswith("-D"))], env, ROOT)
    names = re.findall(r"(?m)^-- probe: (\S+) (\S+)$", text)
    if status != 0 or not names:
        return [Finding("libraries", missing=f"cmake: {last_line(text)}")]
    said(session, ["ninja", "-C", folder, "-k", "0"])
    found = []
    for name, state in names:
        steps = ("13", "trainer") if name == "cuDNN" else MEASURED
        missing = "CMake does not find it; install it, or say where by -- -DCMAKE_PREFIX_PATH=..."
        if state == "found":
            program = folder / f"probe_{name}"
            lost = programs.missing_libraries(program, session.environment.get("LD_LIBRARY_PATH", ""))
            missing = "it does not compile or link" if not program.exists() else \
                f"found when linked, but not when run: {', '.join(lost)}" if lost else ""
        found.append(Finding(name, "links", missing, steps))
    return found


def graphics_card(session):
    """The device, its clocks, and whether someone else is on it."""
    if not session.on_gpu:
        return []
    status, text = said(session, ["nvidia-smi", f"--query-gpu={','.join(SMI_FIELDS)}",
                         "--format=csv,noheader,nounits"])
    parts = [part.strip() for part in text.split("\n")[0].split(",")]
    if status != 0 or len(parts) != len(SMI_FIELDS):
        return [Finding("GPU", missing=f"nvidia-smi: {last_line(text)}")]
    facts = dict(zip(SMI_FIELDS, parts))
    busy = [f"{what} is {facts[key]} {unit} before anything runs" for what, key, unit, most in
            (("its load", "utilization.gpu", "%", 5), ("memory in use", "memory.used", "MiB", BUSY_MIB))
            if facts[key].isdigit() and int(facts[key]) > most]
    clocks = f"{facts['clocks.sm']} of {facts['clocks.max.sm']} MHz now, memory {facts['clocks.mem']} " \
        f"MHz, limit {facts['power.limit']} W, {facts['temperature.gpu']} °C; they are left as they are"
    return [Finding("GPU", f"{facts['name']}, driver {facts['driver_version']}"),
            Finding("clocks", clocks),
            Finding("a GPU of one's own", "nobody else is on it", "; ".join(busy))]


def on_the_device(session, scratch):
    """A kernel is compiled and run, then under Nsight Compute and under compute-sanitizer."""
    if not session.on_gpu:
        return []
    program = scratch / "kernel"
    nvcc = programs.find_nvcc()
    if nvcc is None:  # with programs from elsewhere there need not be one
        found = [Finding(name, str(shutil.which(name)), "" if shutil.which(name) else "it is not here",
                         steps) for name, steps in GPU_TOOLS.items()]
        return found + ([Finding("a kernel", missing="there is no nvcc")] if session.builds else [])
    status, text = said(session, [nvcc, "-arch=native", "-o", program, HERE / "probe" / "kernel.cu"])
    if status == 0:
        status, text = said(session, [program], session.whole_environment())
    found = [Finding("a kernel", "compiled and run", "" if status == 0 else last_line(text))]
    if status != 0:
        return found
    counted = ["ncu", "--clock-control", "none", "--csv", "--metrics", "smsp__inst_executed.sum", program]
    checked = ["compute-sanitizer", "--tool", "memcheck", "--error-exitcode", "99", program]
    for name, command, word in (("ncu", counted, "smsp__inst_executed"),
                                ("compute-sanitizer", checked, "ERROR SUMMARY: 0")):
        status, text = said(session, command, session.whole_environment())
        works = status == 0 and word in text
        found.append(Finding(name, "works on a kernel", "" if works else last_line(text), GPU_TOOLS[name]))
    return found


def pytorch(session):
    status, text = said(session, [sys.executable, "-c", "import torch; print(torch.__version__, "
                         "torch.cuda.is_available(), hasattr(torch, 'compile'))"])
    words = text.split()
    if status != 0 or len(words) < 3:
        return [Finding("PyTorch", missing=f"{sys.executable}: {last_line(text)}", steps=("rivals",))]
    missing = "it sees no GPU" if session.on_gpu and words[-2] != "True" else \
        "it is older than 2" if words[-1] != "True" else ""
    return [Finding("PyTorch", words[-3], missing, ("rivals",))]


def data(session):
    missing = training.missing_data(session.data)
    return [Finding("MNIST", str(session.data), missing, ("trainer", "rivals"))]


def given_programs(session):
    """Programs that were built elsewhere: they are there, and find their libraries."""
    lost = programs.find_libraries(session)
    wanted = [f"ch{n}_bench" for group in programs.chapters() for n in group] + \
        ["ch07_tune", "ch16_demo", "counters"]
    gone = [name for name in wanted if not (session.bin / name).exists()]
    missing = [f"{name} does not find {', '.join(libraries)}" for name, libraries in lost.items()]
    missing += [f"not in {session.bin}: {', '.join(gone)}"] if gone else []
    return [Finding("programs", str(session.bin), "; ".join(missing))]


def run(session):
    """Looks for everything; says what is there and what will be missing, and for which steps."""
    with tempfile.TemporaryDirectory() as folder:
        scratch = pathlib.Path(folder)
        looks = [lambda: graphics_card(session), lambda: on_the_device(session, scratch),
                 lambda: pytorch(session), lambda: data(session)]
        looks += [lambda: compilers(session), lambda: libraries(session, scratch)] \
            if session.builds else [lambda: given_programs(session)]
        with concurrent.futures.ThreadPoolExecutor(len(looks)) as pool:
            found = [finding for part in pool.map(lambda look: look(), looks) for finding in part]
    for finding in found:
        print("   " + finding.line())
    session.write("preflight.json", {finding.name: {
        "found": finding.found, "missing": finding.missing, "for": list(finding.steps)}
        for finding in found})
    missing = [finding.name for finding in found if finding.missing]
    free = shutil.disk_usage(session.work).free >> 30
    if free < 5:
        missing.append(f"space on the disk: {free} GiB are left")
    return {"ok": not missing, "problem": "missing: " + ", ".join(missing) if missing else "",
            "missing": missing}
