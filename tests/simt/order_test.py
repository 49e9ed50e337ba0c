#!/usr/bin/env python3
"""Blocks start, and warps go on behind a barrier, in the order that SIMT_SEED says.

  order_test.py CUCC FOLDER

In every mode the same seed gives the same order, and another seed another one. What waits only for blocks
that have started ends whatever the seed; what waits for others does not, and is told so.
"""
import os
import pathlib
import subprocess
import sys
import tempfile

MODES = ([], ["--check"], ["--count"])
SEEDS = range(1, 7)


def build(cucc, source, folder, *options):
    program = folder / ("_".join([source.stem, *options]).replace("-", ""))
    subprocess.run([cucc, *options, str(source), "-o", str(program)], check=True)
    return program


def run(program, seed, threads="1"):
    ran = subprocess.run([str(program)], capture_output=True, text=True, timeout=600, check=False,
                         env={**os.environ, "SIMT_SEED": str(seed), "SIMT_THREADS": threads})
    return ran.returncode, ran.stdout, ran.stderr


def check_orders(cucc, source, folder):
    faults = []
    numbers = list(range(12))
    seen = set()
    programs = [build(cucc, source, folder, *mode) for mode in MODES]
    for seed in (0, *SEEDS):
        outputs = {run(program, seed)[1] for program in programs} | {run(programs[0], seed)[1]}
        if len(outputs) != 1:
            faults.append(f"seed {seed}: the order depends on the mode, or on the run: {outputs}")
            continue
        orders = [[int(word) for word in line.split()] for line in outputs.pop().splitlines()]
        if len(orders) != 4 or any(sorted(order) != numbers for order in orders):
            faults.append(f"seed {seed}: not every block once: {orders}")
        elif seed == 0 and any(order != numbers for order in orders):
            faults.append(f"seed 0: {orders}")
        elif seed != 0 and (orders[0] == orders[1] or orders[0] == orders[2] or orders[0] != orders[3]):
            faults.append(f"seed {seed}: expected another order for each launch, and the first again "
                          f"when the seed is set: {orders}")
        seen.add(tuple(orders[0]))
    if len(seen) != 1 + len(SEEDS):
        faults.append(f"two seeds have the same order: {seen}")
    return faults


def check_warps(cucc, source, folder):
    """With --check and a seed warps go on in other orders."""
    faults = []
    in_order = " ".join(str(warp) for warp in range(6))
    for mode in ([], ["--check"]):
        program = build(cucc, source, folder, *mode)
        turned = [False, False]
        for seed in (0, *SEEDS):
            lines = run(program, seed)[1].splitlines()
            if lines != run(program, seed, "3")[1].splitlines():
                faults.append(f"{program.name}, seed {seed}: two runs differ")
            if len(lines) != 6 or any(sorted(line) != sorted(in_order) for line in lines):
                faults.append(f"{program.name}, seed {seed}: not every warp once: {lines}")
            for kernel, orders in enumerate((lines[:3], lines[3:])):
                other = any(line != in_order for line in orders)
                turned[kernel] |= other
                if other and (seed == 0 or not mode):
                    faults.append(f"{program.name}, seed {seed}: {orders}")
        if mode and not all(turned):
            faults.append(f"{program.name}: no seed turns the warps of each kernel: {turned}")
    return faults


def check_waiting(cucc, source, wrong, passes_in_order, words, folder):
    """The right program passes with every seed, the wrong one fails with one of them."""
    faults = []
    for mode in ([], ["--check"]):
        right = build(cucc, source, folder, *mode)
        for seed in (0, *SEEDS):
            for threads in ("1", "3"):
                status, out, err = run(right, seed, threads)
                if status != 0:
                    faults.append(f"{right.name}, seed {seed}, {threads} threads: {out}{err}")
        bad = build(cucc, source, folder, wrong, *mode)
        status, out, err = run(bad, 0)
        if passes_in_order != (status == 0):
            faults.append(f"{bad.name}, in order: exit status {status}\n{out}{err}")
        for seed in SEEDS:
            status, out, err = run(bad, seed)
            if status != 0:
                break
        if status == 0 or words not in err or (not mode and "cudaErrorLaunchTimeout" not in out):
            faults.append(f"{bad.name}: expected '{words}'\n{out}{err}")
        if mode and f"{source.name}:" not in err:
            faults.append(f"{bad.name}: names no line\n{err}")
    return faults


def main():
    cucc, sources = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        faults = [
            *check_orders(cucc, sources / "start_order.cu", folder),
            *check_warps(cucc, sources / "warps.cu", folder),
            *check_waiting(cucc, sources / "look_back.cu", "-DBY_INDEX", True,
                           "blocks start in any order", folder),
            *check_waiting(cucc, sources / "grid_meets.cu", "-DBY_COUNTER", True,
                           "cudaLaunchCooperativeKernel", folder)]
    print("\n".join(faults))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
