#!/usr/bin/env python3
"""Keep what chapter 16's trainer learnt: one row a run and epoch, under docs/results/DEVICE.

  docs/tools/keep_training.py RUN.json... DEVICE/NAME.json --conditions TEXT [--device-name TEXT]

Reads files that `./learn run 16 -- --json FILE` has written, of single runs or of experiments. Rows
are named after what they were told: mnist/batch_256/lr_0.16/warmup_1/epoch_3. They have the test
accuracy, the loss and the number of steps, which a seed fixes; the images a second, which depend on
what else a machine does, are left out. A run whose loss was not finite has no rows. Runs that differ
in their seed alone have one more row an epoch, NAME/mean, with the mean over the seeds.
"""
import argparse
import json
import math
import pathlib
import re
import statistics
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
# What a row's name says where it is not as usual.
USUAL = {"accumulate": 1, "optimiser": "sgd", "momentum": 0.9, "weight_decay": 0, "warmup": 0,
         "decay": "linear", "format": "fp32", "augment": False, "seed": 1}


def data_of(run):
    """What a run learned from, without the place where that lay."""
    return "drawn" if "drawn" in run["data"] else re.split(r"\W", run["data"])[0].lower()


def name_of(run, seeded=True):
    settings = run["settings"] if seeded else {**run["settings"], "seed": USUAL["seed"]}
    parts = [data_of(run)] + ([run["network"]] if run["network"] != "small" else [])
    parts += [f"batch_{settings['batch']}", f"lr_{settings['lr']:g}"]
    for key, usual in USUAL.items():
        if settings[key] != usual:
            value = settings[key]
            parts.append(f"{key}_{value:g}" if isinstance(value, (int, float)) else f"{key}_{value}")
    return "/".join(parts)


def rows_of(run):
    settings = run["settings"]
    steps = math.ceil(run["train_images"] / (settings["batch"] * settings["accumulate"]))
    for epoch in run["epochs"]:
        yield {"name": f"{name_of(run)}/epoch_{epoch['epoch']}",
               "epochs_in_all": settings["epochs"],
               "steps": steps * epoch["epoch"],
               "train_loss": epoch["train_loss"],
               "test_accuracy_percent": round(100 * epoch["test_accuracy"], 4)}


def mean_rows(runs):
    groups = {}
    for run in runs:
        groups.setdefault(name_of(run, seeded=False), []).append(run)
    for name, group in groups.items():
        for epochs in zip(*(run["epochs"] for run in group)) if len(group) > 1 else ():
            percent = [100 * epoch["test_accuracy"] for epoch in epochs]
            yield {"name": f"{name}/epoch_{epochs[0]['epoch']}/mean",
                   "seeds": len(percent),
                   "test_accuracy_percent": round(statistics.mean(percent), 4),
                   "standard_deviation": round(statistics.stdev(percent), 4),
                   "lowest_percent": round(min(percent), 4)}


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", 1)[0])
    parser.add_argument("runs", nargs="+", type=pathlib.Path)
    parser.add_argument("target", help="file under docs/results, such as h200/16_batches.json")
    parser.add_argument("--conditions", required=True, help="what the rows have in common")
    parser.add_argument("--device-name", help="the device in words, for the context")
    options = parser.parse_args()
    rows, runs = {}, []
    context = {"chapter": "16_cnn_trainer", "conditions": options.conditions}
    if options.device_name:
        context["device"] = options.device_name
    for path in options.runs:
        data = json.loads(path.read_text())
        for run in data.get("runs", [data]):
            runs.append(run)
            context["backend"] = run["backend"]
            for row in rows_of(run):
                if rows.setdefault(row["name"], row) != row:
                    print(f"{path}: {row['name']} is there twice and differs", file=sys.stderr)
                    return 1
    rows.update((row["name"], row) for row in mean_rows(runs))
    target = ROOT / "docs" / "results" / options.target
    target.parent.mkdir(parents=True, exist_ok=True)
    kept = {"context": context, "benchmarks": [rows[name] for name in sorted(rows)]}
    target.write_text(json.dumps(kept, indent=1) + "\n")
    print(f"{len(rows)} rows in {target.relative_to(ROOT)}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
