#!/usr/bin/env python3
"""Stands in for what a machine with a GPU has: does what a program of its own name would.

A folder of links to this file, first in PATH, makes a GPU of any machine. What goes wrong is said by
the environment:

  STAND_IN_HANGS=NAME:N   the program NAME stops for good after N rows, or tests, or trainings, and
                          writes its process id into the file $STAND_IN_MARK
  STAND_IN_DIES=NAME:N    it kills itself there
  STAND_IN_WRONG=NAME:N   its row N is wrong
  STAND_IN_STATUS=NAME:N  it exits with N
"""
import json
import os
import pathlib
import signal
import sys

NAME = pathlib.Path(sys.argv[0]).name
ARGUMENTS = sys.argv[1:]
ROWS = {"ch07_bench": 6, "ch09_bench": 4, "ch08_bench": 9, "ch12_bench": 3, "ch13_bench": 5}
DEVICE = "Stand-in GPU 3000"


def told(variable):
    """N of NAME:N, if it is this program that is meant."""
    name, _, number = os.environ.get(f"STAND_IN_{variable}", "").partition(":")
    return int(number) if name == NAME else None


def hang():
    pathlib.Path(os.environ["STAND_IN_MARK"]).write_text(str(os.getpid()))
    while True:
        signal.pause()


def maybe_end(done):
    if told("DIES") == done:
        os.kill(os.getpid(), signal.SIGKILL)
    if told("HANGS") == done:
        hang()


def value(flag, usual=None):
    """Of --flag=VALUE or --flag VALUE."""
    for i, argument in enumerate(ARGUMENTS):
        if argument.startswith(flag + "="):
            return argument[len(flag) + 1:]
        if argument == flag:
            return ARGUMENTS[i + 1]
    return usual


def nvidia_smi():
    facts = {"name": DEVICE, "driver_version": "580.1", "clocks.sm": "345", "clocks.max.sm": "1980",
             "clocks.mem": "2619", "power.limit": "700", "temperature.gpu": "30",
             "utilization.gpu": os.environ.get("STAND_IN_LOAD", "0"), "memory.used": "4"}
    print(", ".join(facts[field] for field in value("--query-gpu").split(",")))


def ncu():
    if value("--clock-control") != "none":
        sys.exit("ncu would set the clocks of a GPU that is only lent")
    head = ["ID", "Kernel Name", "Block Size", "Grid Size", "Metric Name", "Metric Unit", "Metric Value"]
    print("==PROF== Connected to process 1")
    print(",".join(f'"{word}"' for word in head))
    for i, metric in enumerate(value("--metrics").split(",")):
        row = ["0", "saxpy_kernel", "(256, 1, 1)", "(4, 1, 1)", metric, "inst", f"{i + 1},000"]
        print(",".join(f'"{word}"' for word in row))
        maybe_end(i + 1)


def compute_sanitizer():
    if "racecheck" in ARGUMENTS and any("never_ends" in part for part in ARGUMENTS):
        hang()
    print("========= ERROR SUMMARY: 0 errors")
    if any("skips" in part for part in ARGUMENTS):
        sys.exit(77)
    found = any("finds" in part for part in ARGUMENTS) and "memcheck" in ARGUMENTS
    sys.exit(int(value("--error-exitcode")) if found else 0)


def note(file, **line):
    with open(file, "a", encoding="utf-8") as journal:
        journal.write(json.dumps(line) + "\n")


def bench():
    rows = [f"ladder/{8 << i // 3}/step_{i}" for i in range(ROWS.get(NAME, 2))]
    if "--benchmark_list_tests" in ARGUMENTS:
        print("\n".join(row + "/manual_time" for row in rows))
        return
    journal = value("--journal")
    pathlib.Path(journal).write_text("")
    for key, fact in (("device", DEVICE), ("backend", "cuda"), ("roof_memory", "3e12"),
                      ("roof_fp32", "6e13"), ("chapter", f"{NAME[2:4]}_chapter")):
        note(journal, context={key: fact})
    for i, row in enumerate([] if "--roofs" in ARGUMENTS else rows):
        ladder, size, step = row.split("/")
        label = json.dumps({"ladder": ladder, "size": size, "step": step, "order": i, "rival": False,
                            "flops": 1e9, "bytes": 1e6, "arithmetic": "fp32"})
        maybe_end(i)
        note(journal, row=row + "/manual_time", label=label)
        if told("WRONG") == i:
            note(journal, row=row + "/manual_time", error="wrong result")
            continue
        for iterations in (1, *[30] * int(value("--benchmark_repetitions", "1"))):
            note(journal, row=row + "/manual_time", iterations=iterations, seconds=1e-3 * (i + 1))


def count():
    pathlib.Path(value("--json")).write_text(json.dumps(
        {"context": {"counted": "true"}, "benchmarks": [{"name": "m/8/s", "bytes_moved": 1}]}))


def tune():
    for done in range(3):
        maybe_end(done)
        pathlib.Path(value("--json")).write_text(json.dumps(
            {"context": {"chapter": "07_register_tiling"}, "benchmarks": [
                {"name": f"64x64/{value('--size')}", "real_time": 1.0 + done, "time_unit": "ms"}]}))


def train():
    seed = int(value("--seed", "1"))
    maybe_end(seed)
    epochs = [{"epoch": e + 1, "train_loss": 1 / (e + 1), "images_per_second": 1e6,
               "test_accuracy": 0.97 + 0.005 * e + 0.001 * seed}
              for e in range(int(value("--epochs")))]
    pathlib.Path(value("--json")).write_text(json.dumps(
        {"backend": DEVICE, "data": "MNIST", "settings": {"batch": 32}, "network": "small",
         "train_images": 60000, "epochs": epochs}))


def torch_mnist():
    """Answers as torch_mnist.py --serve does; without a GPU here it is the one that is replaced."""
    for i, line in enumerate(sys.stdin):
        maybe_end(i)
        asked = json.loads(line)
        print(json.dumps({"backend": f"PyTorch, {value('--mode')}", "epochs": [
            {"images_per_second": 5e5 + asked["batch"]}]}), flush=True)


def main():
    kinds = {"nvidia-smi": nvidia_smi, "ncu": ncu, "compute-sanitizer": compute_sanitizer,
             "ch07_tune": tune, "ch03_counts": count, "ch16_demo": train, "torch_mnist.py": torch_mnist}
    kinds.get(NAME, bench if NAME.endswith("_bench") else lambda: maybe_end(0))()
    sys.stdout.flush()
    sys.exit(told("STATUS") or 0)


if __name__ == "__main__":
    main()
