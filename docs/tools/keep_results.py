#!/usr/bin/env python3
"""Keep what docs/tools/measure.py measured: medians, in readable units, under docs/results/DEVICE.

  docs/tools/keep_results.py MEASURED DEVICE --conditions TEXT [--device TEXT]

Reads every Google Benchmark JSON in the folder MEASURED. Of each row it keeps the median, with the
times of all repetitions, which ./learn bench --guard needs, and the fields of its label; it adds
GFLOP/s, GB/s, ns_per_thread and microseconds where the row has what they are made of, and to the
context what TEXT says: what else ran. Counts are kept as they are, as cpu_backend.
"""
import argparse
import json
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MICROSECONDS = {"ns": 1e-3, "us": 1.0, "ms": 1e3, "s": 1e6}
PRIVATE = ("host_name", "executable", "load_avg")


def readable(row, times):
    row = dict(row)
    row.update(json.loads(row.pop("label")) if row.get("label", "").startswith("{") else {})
    if len(times.get(row["run_name"], [])) > 1:
        row["repetition_times"] = [round(time, 4) for time in times[row["run_name"]]]
    for field, name, factor in (("FLOP/s", "GFLOP/s", 1e-9), ("bytes/s", "GB/s", 1e-9),
                                ("per_thread", "ns_per_thread", 1e9)):
        if field in row:
            row[name] = round(row[field] * factor, 4)
    if "real_time" in row:
        row["microseconds"] = round(row["real_time"] * MICROSECONDS[row["time_unit"]], 4)
    return row


def medians(data):
    """A row for each benchmark: its median where there is one, else what there is, an error as well."""
    times, summed = {}, set()
    for row in data["benchmarks"]:
        if row.get("run_type") == "iteration" and "real_time" in row:
            times.setdefault(row.get("run_name", row["name"]), []).append(row["real_time"])
        if row.get("aggregate_name") == "median":
            summed.add(row["run_name"])
    rows = [{"run_name": row["name"], **row} for row in data["benchmarks"]]
    kept = [row for row in rows if row.get("aggregate_name", "median") == "median"
            and not (row.get("run_type") == "iteration" and row["run_name"] in summed)]
    return sorted((readable(row, times) for row in kept), key=lambda row: row["name"])


def keep_counts(path, text):
    """What was counted is the same on every machine."""
    target = ROOT / "docs" / "results" / "cpu_backend" / path.name
    target.parent.mkdir(parents=True, exist_ok=True)
    target.write_text(text)
    print(target.relative_to(ROOT))


def keep(measured, device, conditions, device_name=None):
    """Keeps every file of results in the folder `measured`; returns how many there were."""
    target = ROOT / "docs" / "results" / device
    kept = 0
    for path in sorted(measured.glob("*.json")):
        data = json.loads(path.read_text())
        if "benchmarks" not in data:
            continue
        kept += 1
        if data["context"].get("counted") == "true":
            keep_counts(path, path.read_text())
            continue
        data["benchmarks"] = medians(data)
        data["context"] = {k: v for k, v in data["context"].items() if k not in PRIVATE}
        data["context"]["conditions"] = conditions
        if device_name:
            data["context"]["device_in_words"] = device_name
        target.mkdir(parents=True, exist_ok=True)
        (target / path.name).write_text(json.dumps(data, indent=1) + "\n")
    return kept


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("measured", type=pathlib.Path)
    parser.add_argument("device", help="folder under docs/results, such as h200")
    parser.add_argument("--conditions", required=True, help="what else ran, how rows were ordered")
    parser.add_argument("--device-name", help="the device in words, for the context")
    options = parser.parse_args()
    kept = keep(options.measured, options.device, options.conditions, options.device_name)
    if kept == 0:
        print(f"{options.measured} has no results of Google Benchmark", file=sys.stderr)
        return 1
    print(f"{kept} files kept, times in docs/results/{options.device}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
