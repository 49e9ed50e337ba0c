#!/usr/bin/env python3
"""Compare count mode's counters with Nsight Compute's.

  compare_counters.py [--counted PROGRAM] [--gpu PROGRAM | --csv FILE] [--device NAME]
  compare_counters.py --check [--counted PROGRAM]

Both programs are the target `counters`: that of the CPU backend (default: build/cpu/bin/counters),
which counts, and that of the CUDA backend (default: build/cuda/bin/counters, if `ncu` is there). FILE
is what ncu printed elsewhere, with --csv and the command that --print-command shows. Writes

  docs/results/DEVICE/counters.json  every metric of every kernel: counted, and measured or null
  docs/counters.md                   the same as a table

With --check nothing is written: what is counted now must be what the JSON says was counted (by
another compiler than the JSON's, within check_counts.py's SLACK, but for bank conflicts), and the page
what is made of one such JSON.
"""
import argparse
import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from check_counts import SLACK

ROOT = pathlib.Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "counters.md"
WITHOUT_GPU = "cpu_backend"
GLOBAL = "pipe_lsu_mem_global_op_"
# Title in the table, and Nsight Compute's name.
METRICS = [
    ("load requests", f"l1tex__t_requests_{GLOBAL}ld.sum"),
    ("load sectors", f"l1tex__t_sectors_{GLOBAL}ld.sum"),
    ("bytes used of loaded, %", "smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct"),
    ("store requests", f"l1tex__t_requests_{GLOBAL}st.sum"),
    ("store sectors", f"l1tex__t_sectors_{GLOBAL}st.sum"),
    ("shared loads", "smsp__inst_executed_op_shared_ld.sum"),
    ("their wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"),
    ("their conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"),
    ("shared stores", "smsp__inst_executed_op_shared_st.sum"),
    ("their wavefronts", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"),
    ("their conflicts", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum"),
]
NAMES = [name for _, name in METRICS]


def ncu_command(program):
    # Without --clock-control ncu would set the clocks, of a GPU that may be lent.
    return ["ncu", "--clock-control", "none", "--csv", "--print-kernel-base", "function", "--print-units", "base",
            "--metrics", ",".join(NAMES), str(program)]


def count(program):
    """(kernel, grid, block) -> metric -> value, of launches on the CPU backend; and the compiler."""
    with tempfile.TemporaryDirectory() as folder:
        report = pathlib.Path(folder) / "report.json"
        subprocess.run([str(program)], check=True, stderr=subprocess.DEVNULL,
                       env={**os.environ, "SIMT_REPORT": str(report)})
        told = json.loads(report.read_text())
    return {(k["kernel"], tuple(k["grid"]), tuple(k["block"])):
            {name: k["nsight_compute"].get(name, 0) / (1 if name.endswith("pct") else k["launches"])
             for name in NAMES} for k in told["kernels"]}, told["compiler"]


def numbers_in(text):
    return tuple(int(number) for number in re.findall(r"\d+", text))


def read_ncu(text):
    """The same of what ncu printed: a line for each kernel and metric."""
    lines = [line for line in text.splitlines() if line.startswith('"')]
    measured = {}
    for row in csv.DictReader(lines):
        key = (row["Kernel Name"], numbers_in(row["Grid Size"]), numbers_in(row["Block Size"]))
        value = float(row["Metric Value"].replace(",", ""))
        measured.setdefault(key, {})[row["Metric Name"]] = value
    return measured


def measure(arguments):
    if arguments.csv:
        return read_ncu(arguments.csv.read_text())
    if not (shutil.which("ncu") and arguments.gpu.exists()):
        return {}
    ran = subprocess.run(ncu_command(arguments.gpu), capture_output=True, text=True, check=False)
    if ran.returncode != 0:
        sys.exit(f"ncu failed:\n{ran.stdout[-2000:]}{ran.stderr[-2000:]}")
    return read_ncu(ran.stdout)


def rows_of(counted, measured):
    return [{"kernel": kernel, "grid": grid, "block": block, "metric": name,
             "counted": round(values[name], 4),
             "measured": measured.get((kernel, grid, block), {}).get(name)}
            for (kernel, grid, block), values in counted.items() for name in NAMES]


def figure(value):
    return "–" if value is None else f"{value:,.10g}" if value == int(value) else f"{value:.1f}"


def cell(row):
    if row["measured"] is None:
        return figure(row["counted"])
    same = abs(row["counted"] - row["measured"]) <= 1e-3 * abs(row["measured"])
    return figure(row["counted"]) + ("" if same else f" ({figure(row['measured'])})")


def shape(extent):
    text = [str(part) for part in extent]
    while len(text) > 1 and text[-1] == "1":
        text.pop()
    return " x ".join(text)


def page_text(device, rows):
    measured = any(row["measured"] is not None for row in rows)
    if measured:
        text = ["# Counters: count mode beside Nsight Compute", "",
                f"Counted on the CPU backend; in brackets what Nsight Compute measured on {device}"
                " where that differs", "by more than 0.1 %.", ""]
    else:
        text = ["# Counters: what count mode counts of the course's kernels", "",
                "These figures are counted on the CPU backend, and their comparison with Nsight"
                " Compute waits for a run on", "a GPU. There, with `ncu` and permission to read the"
                " counters, these commands make it and fill this page:", "", "```sh",
                "cmake --preset cpu  -DTUT_MAINTAINER=ON && cmake --build build/cpu  --target counters",
                "cmake --preset cuda -DTUT_MAINTAINER=ON && cmake --build build/cuda --target counters",
                "python3 docs/tools/compare_counters.py --device NAME    # NAME: the GPU's", "```", ""]
    text += ["Made by `docs/tools/compare_counters.py`; do not edit. Each kernel is launched once,"
             " on the shapes of", "`docs/tools/counters/launches.cpp`.", ""]
    titles = [title for title, _ in METRICS]
    text += ["| kernel, grid, block | " + " | ".join(titles) + " |",
             "|---|" + "---:|" * len(titles)]
    for i in range(0, len(rows), len(NAMES)):
        row = rows[i]
        text.append(f"| `{row['kernel']}`, {shape(row['grid'])}, {shape(row['block'])} | " +
                    " | ".join(cell(r) for r in rows[i:i + len(NAMES)]) + " |")
    text += ["", "The columns are, in this order:", ""]
    text += [f"- {title}: `{name}`" for title, name in METRICS]
    return "\n".join(text) + "\n"


def check_page(stored):
    """Whether the page is what is made of one of these JSONs: 0, else 1."""
    if PAGE.read_text() in [page_text(one["device"], one["rows"]) for one in stored]:
        return 0
    print(f"{PAGE.relative_to(ROOT)} is not what its JSON makes of it; run this program")
    return 1


def agree(metric, was, now, same_compiler):
    if was is None or now is None or same_compiler or "bank_conflicts" in metric:
        return was == now
    return abs(now - was) <= SLACK * abs(was)


def check(counted, compiler, stored):
    known = {(row["kernel"], tuple(row["grid"]), tuple(row["block"]), row["metric"]): row["counted"]
             for row in stored["rows"]}
    now = {(row["kernel"], row["grid"], row["block"], row["metric"]): row["counted"]
           for row in rows_of(counted, {})}
    faults = [f"{key}: counted {now.get(key)}, was {known.get(key)}"
              for key in sorted(known.keys() | now.keys())
              if not agree(key[3], known.get(key), now.get(key), compiler == stored["compiler"])]
    print("\n".join(faults) if faults else f"{len(now)} counters are what they were")
    return 1 if faults or not now else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--counted", type=pathlib.Path, default=ROOT / "build/cpu/bin/counters")
    parser.add_argument("--gpu", type=pathlib.Path, default=ROOT / "build/cuda/bin/counters")
    parser.add_argument("--csv", type=pathlib.Path)
    parser.add_argument("--device", default=None)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--print-command", action="store_true")
    arguments = parser.parse_args()
    if arguments.print_command:
        print(" ".join(ncu_command(arguments.gpu)))
        return 0
    counted, compiler = count(arguments.counted)
    results = sorted((ROOT / "docs" / "results").glob("*/counters.json"))
    if arguments.check:
        stored = [json.loads(path.read_text()) for path in results]
        return max([check_page(stored), *(check(counted, compiler, one) for one in stored)])
    measured = measure(arguments)
    if measured and not arguments.device:
        sys.exit("--device NAME: on which GPU was that?")
    device = arguments.device if measured else WITHOUT_GPU
    rows = rows_of(counted, measured)
    path = ROOT / "docs" / "results" / device / "counters.json"
    path.parent.mkdir(parents=True, exist_ok=True)
    body = ",\n".join(json.dumps(row) for row in rows)
    path.write_text('{"device": ' + json.dumps(device) + ', "compiler": ' + json.dumps(compiler) +
                    ', "rows": [\n' + body + "\n]}\n")
    PAGE.write_text(page_text(device, rows))
    missing = sum(row["measured"] is None for row in rows)
    print(f"{path.relative_to(ROOT)}, {PAGE.relative_to(ROOT)}: {len(rows)} counters of "
          f"{len(counted)} launches" + (f", {missing} not measured" if missing else ""))
    return 0


if __name__ == "__main__":
    sys.exit(main())
