#!/usr/bin/env python3
"""Build, test, sanitize and measure the whole course on this machine.

  docs/tools/measure.py [--backend cuda|cpu] [--out DIR] [--steps tests,sanitizers,...]

The one command for the owner of a GPU. Writes into DIR (default: $OUT, else build/measured):

  summary.json      what ran, how long it took and how it ended
  tests.xml         the test results (JUnit)
  sanitizers/       what compute-sanitizer said, a file for each tool and program that it objects to
  NN.json           the benchmarks of chapter NN (Google Benchmark's format, device and conditions);
                    with --backend cpu what its kernels ask of memory, counted
  NN.log            its ladders as bars
  NN.guard.log      the same beside docs/results of this device: which steps are worse
  07_tuner_N.json   chapter 07's tile shapes for products of N x N matrices (with a GPU)
  counters.csv      Nsight Compute's counters of small launches (with a GPU and ncu), which
                    compare_counters.py --csv puts beside those of count mode
  cpu_backend.json  the CPU backend's own costs (with --backend cpu)
  16.json           the network trained for three epochs, with the seeds 1 to 5
  16_torch.json     the trainer beside PyTorch, in turn: images a second of each, and the ratios

Exits 1 if a test fails, a sanitizer finds something, a benchmark does not run or a step is worse than
the results of this device in docs/results. keep_results.py
takes what is to be kept to docs/results/DEVICE/.
"""
import argparse
import json
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time

from compare_counters import ncu_command, read_ncu

ROOT = pathlib.Path(__file__).resolve().parents[2]
STEPS = ("tests", "sanitizers", "benchmarks", "tuner", "counters", "trainer", "rivals")
TOOLS = ("memcheck", "racecheck", "synccheck", "initcheck")
# Programs that make errors on purpose.
PROVOKE = re.compile(r"simt\.(errors|sticky|assert)|\.(wrong|stub)|^(learn|docs|simt)$|same_kernels")


def mnist_folder():
    return pathlib.Path(os.environ.get("TUT_DATA_DIR", ROOT / "data" / "mnist"))


def missing_data(data):
    """Why there is no MNIST to train on; empty if there is."""
    if any(data.glob("train-images-idx3-ubyte*")):
        return ""
    return f"no MNIST in {data}; TUT_DATA_DIR says where it is, ./learn data mnist gets it"


def missing_for_torch(data):
    """What PyTorch's side of the comparison lacks; empty if nothing."""
    reason = missing_data(data)
    if reason:
        return reason
    found = subprocess.run([sys.executable, "-c", "import torch"], check=False, capture_output=True)
    return "" if found.returncode == 0 else f"{sys.executable} has no PyTorch"


def rival_rows(name, rates):
    """Medians, and how many times as fast as each rival the trainer is."""
    medians = {way: statistics.median(values) for way, values in rates.items()}
    rows = [{"name": f"{name}/{way}", "images_per_second": median}
            for way, median in medians.items()]
    return rows + [{"name": f"{name}/here_to_{way}", "ratio": medians["here"] / median}
                   for way, median in medians.items() if way != "here"]


class Measurement:
    def __init__(self, backend, out, steps, extra):
        self.build = ROOT / "build" / backend
        self.backend = backend
        self.out = out
        self.steps = steps
        self.extra = extra
        self.summary = {"backend": backend, "steps": {}}
        self.failed = False

    def run(self, command, log=None, **options):
        """Runs a command from the root; output goes to `log` or to the terminal. Returns its status."""
        if log is None:
            return subprocess.run(command, cwd=ROOT, check=False, **options).returncode
        with open(log, "w", encoding="utf-8") as file:
            return subprocess.run(command, cwd=ROOT, stdout=file, stderr=subprocess.STDOUT,
                                  check=False, **options).returncode

    def step(self, name, work):
        print(f"== {name}", flush=True)
        begin = time.monotonic()
        result = work()
        result["seconds"] = round(time.monotonic() - begin, 1)
        self.summary["steps"][name] = result
        self.failed |= not result["ok"]
        print(f"   {'ok' if result['ok'] else 'FAILED'}, {result['seconds']} s", flush=True)
        (self.out / "summary.json").write_text(json.dumps(self.summary, indent=1) + "\n")
        return result["ok"]

    def configure_and_build(self):
        log = self.out / "build.log"
        for command in (["cmake", "--preset", self.backend, "-DTUT_MAINTAINER=ON", *self.extra],
                        ["cmake", "--build", str(self.build)]):
            if self.run(command, log) != 0:
                print(log.read_text()[-4000:])
                return {"ok": False}
        return {"ok": True}

    def tests(self):
        status = self.run(["ctest", "--test-dir", str(self.build), "--output-on-failure",
                           "--output-junit", str(self.out / "tests.xml"), "-j", "4"],
                          self.out / "tests.log")
        lines = (self.out / "tests.log").read_text().splitlines()
        said = [line for line in lines if "tests passed" in line or "(Failed)" in line]
        print("\n".join("   " + line for line in said))
        return {"ok": status == 0, "summary": said}

    def commands(self):
        """The test programs that make no errors on purpose: their names and command lines."""
        text = subprocess.run(["ctest", "--test-dir", str(self.build), "--show-only=json-v1"],
                              cwd=ROOT, check=True, capture_output=True, text=True).stdout
        for test in json.loads(text)["tests"]:
            if "command" in test and not PROVOKE.search(test["name"]):
                yield test["name"], test["command"]

    def sanitizers(self):
        sanitizer = shutil.which("compute-sanitizer")
        if self.backend != "cuda" or sanitizer is None:
            return {"ok": True, "skipped": "compute-sanitizer is not here, or the backend is cpu"}
        folder = self.out / "sanitizers"
        folder.mkdir(exist_ok=True)
        findings, runs = [], 0
        for name, command in self.commands():
            for tool in TOOLS:
                log = folder / f"{tool}.{name}.log"
                runs += 1
                try:
                    status = self.run([sanitizer, "--tool", tool, "--error-exitcode", "99",
                                       "--report-api-errors", "no", *command], log, timeout=120)
                except subprocess.TimeoutExpired:
                    status = "timeout"
                if status == 0:
                    log.unlink()
                else:
                    findings.append({"test": name, "tool": tool, "status": status})
                    print(f"   {tool}: {name}: {status}", flush=True)
        return {"ok": not findings, "runs": runs, "findings": findings}

    def benchmarks(self):
        chapters = sorted(p.name[2:4] for p in (self.build / "bin").glob("ch[0-9][0-9]_bench"))
        bad, worse, new = [], [], []
        for number in chapters:
            print(f"   chapter {number}", flush=True)
            file = str(self.out / f"{number}.json")
            if self.learn("bench", number, "--json", file, log=f"{number}.log") != 0:
                bad.append(number)
                continue
            status = self.learn("bench", number, "--read", file, "--guard", log=f"{number}.guard.log")
            if status == 1:
                worse.append(number)
                print((self.out / f"{number}.guard.log").read_text(), flush=True)
            elif status != 0:
                new.append(number)
        if self.backend == "cpu":
            program = self.build / "bin" / "simt_bench"
            if self.run([str(program), f"--benchmark_out={self.out / 'cpu_backend.json'}",
                         "--benchmark_out_format=json"], self.out / "cpu_backend.log") != 0:
                bad.append("cpu_backend")
        return {"ok": not bad and not worse, "chapters": chapters, "failed": bad, "worse": worse,
                "nothing_kept_to_compare_with": new}

    def tuner(self):
        """Chapter 07's search for tile shapes, at both sizes that the chapter speaks of."""
        if self.backend != "cuda":
            return {"ok": True, "skipped": "times of the CPU backend rank nothing"}
        failed = []
        for size in ("4096", "8192"):
            command = [str(self.build / "bin" / "ch07_tune"), "--size", size, "--json",
                       str(self.out / f"07_tuner_{size}.json")]
            if self.run(command, self.out / f"07_tuner_{size}.log") != 0:
                failed.append(size)
        return {"ok": not failed, "failed": failed}

    def counters(self):
        if self.backend != "cuda" or shutil.which("ncu") is None:
            return {"ok": True, "skipped": "ncu is not here, or the backend is cpu"}
        log = self.out / "counters.csv"
        status = self.run(ncu_command(self.build / "bin" / "counters"), log)
        if status == 0 and not read_ncu(log.read_text()):
            status = "no counters in what ncu said"
        # Often only root may read them.
        if status != 0:
            print(f"   {log.read_text()[-1000:]}")
        return {"ok": status == 0, "status": status}

    def learn(self, *arguments, log):
        """The command line of this build; returns its status."""
        return self.run([str(self.build / "bin" / "learn_cli"), *arguments], self.out / log)

    def trainer(self):
        data = mnist_folder()
        reason = missing_data(data)
        if reason:
            return {"ok": True, "skipped": reason}
        result = self.json_of([str(self.build / "bin" / "ch16_demo"), "--epochs", "3",
                               "--seed", "1-5", "--data", str(data)], "trainer")
        if result is None:
            return {"ok": False}
        runs = result["runs"]
        rows = [self.epoch_row(runs, epoch) for epoch in range(3)]
        context = {"chapter": "16_cnn_trainer"}
        context.update((key, runs[0][key]) for key in ("backend", "data", "settings"))
        (self.out / "16.json").write_text(
            json.dumps({"context": context, "benchmarks": rows}, indent=1) + "\n")
        return {"ok": True, "test_accuracy_percent": rows[2]["test_accuracy_percent"]}

    def rivals(self):
        """The same network, batch and precision here and in PyTorch, in turn, three times over."""
        data = mnist_folder()
        reason = missing_for_torch(data)
        if reason:
            return {"ok": True, "skipped": reason}
        torch = [sys.executable, str(ROOT / "docs" / "tools" / "torch_mnist.py")]
        ways = {"here": [str(self.build / "bin" / "ch16_demo"), "--decay", "none"],
                "eager": [*torch, "--mode", "eager"]}
        if self.backend == "cuda":
            ways["captured"] = [*torch, "--mode", "captured"]
        formats = ("fp32", "bf16") if self.backend == "cuda" else ("fp32",)
        rows, context = [], {"chapter": "16_cnn_trainer"}
        for network in ("small", "example"):
            for number_format in formats:
                settings = ["--network", network, "--format", number_format, "--batch", "256",
                            "--epochs", "2", "--data", str(data)]
                rates = {way: [] for way in ways}
                for _ in range(3):
                    for way, command in ways.items():
                        run = self.json_of([*command, *settings], f"rivals.{network}.{number_format}.{way}")
                        if run is None:
                            return {"ok": False, "failed": f"{network} {number_format} {way}"}
                        context[way] = run["backend"]
                        rates[way].append(run["epochs"][-1]["images_per_second"])
                rows += rival_rows(f"{network}/{number_format}/256", rates)
        (self.out / "16_torch.json").write_text(
            json.dumps({"context": context, "benchmarks": rows}, indent=1) + "\n")
        return {"ok": True, "rows": len(rows)}

    def json_of(self, command, name):
        """What the program writes with --json; None if it fails."""
        file = self.out / "run.json"
        status = self.run([*command, "--json", str(file)], self.out / f"{name}.log")
        if status != 0:
            return None
        result = json.loads(file.read_text())
        file.unlink()
        return result

    @staticmethod
    def epoch_row(runs, epoch):
        results = [run["epochs"][epoch] for run in runs]
        return {"name": f"mnist/epoch_{epoch + 1}", "seeds": len(runs),
                "test_accuracy_percent": 100 * statistics.mean(r["test_accuracy"] for r in results),
                "lowest_percent": 100 * min(r["test_accuracy"] for r in results),
                "train_loss": statistics.mean(r["train_loss"] for r in results),
                "images_per_second": statistics.median(r["images_per_second"] for r in results)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("--backend", choices=("cuda", "cpu"), default="cuda")
    parser.add_argument("--out", type=pathlib.Path,
                        default=pathlib.Path(os.environ.get("OUT", ROOT / "build" / "measured")))
    parser.add_argument("--steps", default=",".join(STEPS), help="some of " + ",".join(STEPS))
    parser.add_argument("cmake", nargs="*", help="further arguments for cmake, after --")
    arguments = parser.parse_args()
    steps = arguments.steps.split(",")
    for step in steps:
        if step not in STEPS:
            parser.error(f"--steps has '{step}'; expected some of {','.join(STEPS)}")
    try:
        arguments.out.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        parser.error(f"cannot write to {arguments.out}: {error.strerror}")
    measurement = Measurement(arguments.backend, arguments.out.resolve(), steps, arguments.cmake)
    if measurement.step("build", measurement.configure_and_build):
        for step in steps:
            measurement.step(step, getattr(measurement, step))
    print(f"results: {measurement.out}")
    return 1 if measurement.failed else 0


if __name__ == "__main__":
    sys.exit(main())
