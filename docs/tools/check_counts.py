#!/usr/bin/env python3
"""Hold what a chapter's benchmark counts to what is kept of it.

  check_counts.py PROGRAM FILE

PROGRAM is a chNN_counts, FILE its docs/results/cpu_backend/NN.json. Compiled by the compiler that FILE
names, it must print FILE. Another compiler may keep a value in a register that this one loads again;
then the rows must be the same, and of each what no compiler may change (SAME); the rest may differ by
the share SLACK. With TUT_UPDATE_OUTPUT=1 in the environment FILE is written.
"""
import json
import os
import pathlib
import subprocess
import sys

SLACK = 0.1
# The work, and what a barrier, an atomic or an address alone decides.
SAME = {"name", "run_type", "ladder", "size", "step", "order", "rival", "flops", "bytes", "arithmetic",
        "store_bytes_moved", "atomics", "atomic_repeats", "bank_conflicts", "error_occurred",
        "error_message"}


def row_faults(kept, now):
    faults = []
    for field in [*kept, *(field for field in now if field not in kept)]:
        was, value = kept.get(field), now.get(field)
        if was == value:
            continue
        if field in SAME or was is None or value is None:
            faults.append(f"{kept['name']}: {field} is {value}, was {was}")
        elif abs(value - was) > SLACK * abs(was):
            faults.append(f"{kept['name']}: {field} is {value}, was {was}: more than {SLACK:.0%} apart")
    return faults


def faults_of(kept, now):
    """What is wrong with the results of another compiler."""
    rows = {row["name"]: row for row in now["benchmarks"]}
    faults = [f"{name}: is not in the kept results"
              for name in rows.keys() - {row["name"] for row in kept["benchmarks"]}]
    for row in kept["benchmarks"]:
        faults += row_faults(row, rows[row["name"]]) if row["name"] in rows else [
            f"{row['name']}: is not counted any more"]
    return faults


def check(kept_text, now_text):
    """What is wrong with what a program printed, given what is kept."""
    kept, now = json.loads(kept_text), json.loads(now_text)
    if kept["context"].get("compiler") != now["context"]["compiler"]:
        return faults_of(kept, now)
    if kept_text == now_text:
        return []
    return faults_of(kept, now) or ["other text (a count within what other compilers may differ by, "
                                    "or the order of rows)"]


def main():
    program, path = sys.argv[1], pathlib.Path(sys.argv[2])
    ran = subprocess.run([program], capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"ended with {ran.returncode}:\n{ran.stderr}")
    if os.environ.get("TUT_UPDATE_OUTPUT") == "1":
        path.write_text(ran.stdout)
    faults = check(path.read_text(), ran.stdout)
    print("\n".join(faults) if faults else "the counts are what they were")
    if faults:
        print(f"TUT_UPDATE_OUTPUT=1 in the environment makes this test write {path}; prose may quote it")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
