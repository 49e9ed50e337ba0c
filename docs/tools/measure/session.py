"""What all steps share: the folders, what is known so far, and the archive that grows with it."""
import json
import os
import pathlib
import shutil
import subprocess
import time

from . import archive, processes

ROOT = pathlib.Path(__file__).resolve().parents[3]
TOOLS = ROOT / "docs" / "tools"
# Once packing took so long, this many times as long is not packed again.
PACK_PAUSE = 10


def write_json(path, data):
    """Writes it whole or not at all."""
    part = path.with_name(path.name + ".part")
    part.write_text(json.dumps(data, indent=1) + "\n")
    os.replace(part, path)


def from_root(argument):
    """An argument for cmake; CMake itself takes a prefix that is no absolute path for nothing."""
    flag, prefix, folders = argument.partition("CMAKE_PREFIX_PATH=")
    if flag != "-D":
        return argument
    return flag + prefix + ";".join(str(ROOT / folder) for folder in folders.split(";"))


def first_line(command):
    try:
        ran = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True,
                             timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return ran.stdout.partition("\n")[0].strip() if ran.returncode == 0 else ""


class Session:
    """One run of measure.py."""

    def __init__(self, options, deadline):
        self.backend = options.backend
        self.on_gpu = options.backend == "cuda"
        self.folder = options.programs or ROOT / "build" / f"measure_{options.backend}"
        self.builds = options.programs is None
        self.work = options.work
        self.archive = options.out / "measured.tar.gz"
        self.limit = int(options.archive_limit * archive.MIB)
        self.data = options.data
        self.at_once = options.at_once
        self.tools = options.tools
        self.cmake = [from_root(argument) for argument in options.cmake]
        self.deadline = deadline
        self.environment = {"TUT_ROOT": str(ROOT)}  # for programs; a bundle's tests name the folder
        self.summary = {"steps": {}}
        self.rows = {}  # of each chapter's benchmark, once they are known
        self.collectors = []  # bring results up to date; True if there was anything new
        self.pack_again = 0.0

    @property
    def bin(self):
        return self.folder / "bin"

    def open(self):
        """Goes on with the results of this device and this code, and puts others aside."""
        about = {"backend": self.backend, "commit": first_line(["git", "rev-parse", "HEAD"]),
                 "device": self.device_name()}
        summary = self.work / "summary.json"
        if summary.exists():
            known = json.loads(summary.read_text())
            if all(known.get(key) == value for key, value in about.items()):
                self.summary = known
            else:
                aside = self.work.with_name(self.work.name + ".before")
                shutil.rmtree(aside, ignore_errors=True)
                self.work.rename(aside)
                print(f"results of another device or other code are now in {aside}", flush=True)
        self.summary.update(about)
        self.work.mkdir(parents=True, exist_ok=True)
        self.archive.parent.mkdir(parents=True, exist_ok=True)
        self.pack()

    def device_name(self):
        if not self.on_gpu:
            return "cpu"
        return first_line(["nvidia-smi", "--query-gpu=name", "--format=csv,noheader"]) or "none"

    def whole_environment(self):
        return {**os.environ, **self.environment}

    def left(self):
        return self.deadline.left()

    def skip(self, reason):
        """A step that cannot be done. On a GPU that is a failure."""
        return {"ok": not self.on_gpu, "skipped": reason}

    def json(self, name):
        """A result file that is there already; None if it is not."""
        path = self.work / name
        return json.loads(path.read_text()) if path.exists() else None

    def write(self, name, data):
        write_json(self.work / name, data)

    def pack(self):
        began = time.monotonic()
        write_json(self.work / "summary.json", self.summary)
        left_out = archive.pack(self.work, self.archive, self.limit)
        if left_out:
            print(f"   too large for the archive: {', '.join(left_out)}", flush=True)
        self.pack_again = time.monotonic() + PACK_PAUSE * (time.monotonic() - began)

    def tick(self):
        """Called all the time: what a running program has noted goes into the archive."""
        if time.monotonic() >= self.pack_again and any([c() for c in self.collectors]):
            self.pack()

    def job(self, name, command, seconds=float("inf"), **more):
        """A command of the project, with its output in the work folder. Logs lie in a folder."""
        log = self.work / f"{name}.log"
        log.parent.mkdir(parents=True, exist_ok=True)
        return processes.Job(name, command, log, min(seconds, self.left()), cwd=ROOT,
                             env={**self.environment, **more.pop("env", {})}, **more)

    def run(self, job, collect=None):
        """Runs a command; `collect` says whether there is anything new, and is asked again and again."""
        if collect is not None:
            self.collectors.append(collect)
        try:
            return processes.run(job, self.tick)
        finally:
            if collect is not None:
                self.collectors.remove(collect)
                collect()

    def step(self, name, work):
        """Does a step, notes how it ended, and packs the archive anew."""
        print(f"== {name}", flush=True)
        began = time.monotonic()
        result = {"ok": False, "problem": "no time was left"}
        if self.left() > 0:
            self.summary["steps"][name] = {"ok": False, "problem": "not finished"}
            result = work()
        result["seconds"] = round(time.monotonic() - began, 1)
        result["at"] = time.strftime("%Y-%m-%d %H:%M:%S")
        self.summary["steps"][name] = result
        self.pack()
        print(f"   {describe(result)}, {result['seconds']} s", flush=True)
        return result["ok"]


def describe(result):
    """A step's result in a few words."""
    if "skipped" in result:
        return ("skipped: " if result["ok"] else "FAILED, as nothing was checked: ") + result["skipped"]
    return "ok" if result["ok"] else "FAILED: " + result.get("problem", "")
