"""From archives to docs/results/DEVICE, tables and plots."""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

import keep_results

from . import archive
from .session import ROOT, TOOLS, describe

BUILD = ROOT / "build" / "cpu" / "bin"


def merge(archives, folder):
    """Lays the archives into one folder, later ones over earlier ones; returns all that they say of
    their steps."""
    summary = {"steps": {}}
    for path in archives:
        archive.unpack(path, folder)
        one = json.loads((folder / "summary.json").read_text())
        for key in ("device", "backend", "commit"):
            if summary.setdefault(key, one.get(key)) != one.get(key):
                raise ValueError(f"{path} has another {key} than the archives before it: "
                                 f"{one.get(key)}, not {summary[key]}")
        for step, result in one["steps"].items():
            known = summary["steps"].get(step, {})
            if result.get("at", "") >= known.get("at", ""):
                summary["steps"][step] = result
    return summary


def folder_name(device):
    """"NVIDIA H100 80GB HBM3" is kept in nvidia-h100-80gb-hbm3."""
    return re.sub(r"[^a-z0-9]+", "-", device.lower()).strip("-")


def conditions_of(summary):
    return f"docs/tools/measure.py, one program after the other, clocks as they were; " \
        f"code {summary.get('commit', '')[:10] or 'unknown'}"


def chapters_in(folder):
    return sorted(path.stem for path in folder.glob("[0-9][0-9].json"))


def run(command):
    ran = subprocess.run([str(part) for part in command], cwd=ROOT, check=False, text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    return ran.returncode, ran.stdout


def guard(folder):
    """What is worse than the kept results of this device; said before these are replaced."""
    learn = BUILD / "learn_cli"
    for number in chapters_in(folder) if learn.exists() else []:
        status, text = run([learn, "bench", number, "--read", folder / f"{number}.json", "--guard"])
        lines = [line for line in text.splitlines() if line.startswith("  worse:")]
        if status != 0 and lines:
            print(f"chapter {number} beside what was kept:\n" + "\n".join(lines))


def keep_counters(folder, device):
    """Nsight Compute's counters beside those that are counted here."""
    csv = folder / "counters.csv"
    if not csv.exists() or not csv.stat().st_size:
        return ""
    if not (BUILD / "counters").exists():
        return "counters.csv waits: build the target `counters` in build/cpu and do this again"
    status, text = run([sys.executable, TOOLS / "compare_counters.py", "--csv", csv, "--device", device])
    print(text, end="")
    return "" if status == 0 else "compare_counters.py failed"


def plot(device):
    """The pictures of the device's kept results."""
    learn = BUILD / "learn_cli"
    kept = ROOT / "docs" / "results" / device
    if not learn.exists():
        return "no plots: build the target `learn_cli` in build/cpu and do this again"
    faults = []
    for number in chapters_in(kept):
        if not any("ladder" in row for row in
                   json.loads((kept / f"{number}.json").read_text())["benchmarks"]):
            continue
        status, text = run([learn, "plot", number, "--json", kept / f"{number}.json",
                            "--out", ROOT / "docs" / "plots" / device])
        if status != 0:
            faults.append(f"chapter {number} is not plotted: {text.strip()}")
    return "; ".join(faults)


def report(summary):
    """What ran and how it ended; whether all of it is well."""
    print(f"{summary.get('device')}, code {summary.get('commit')}")
    for step, result in summary["steps"].items():
        print(f"  {step}: {describe(result)}")
    return all(result["ok"] for result in summary["steps"].values())


def bring(archives, device=None, conditions=None):
    """From the archives to the repository; exits 0 if everything in them is well and was kept."""
    with tempfile.TemporaryDirectory() as scratch:
        folder = pathlib.Path(scratch)
        try:
            summary = merge(archives, folder)
        except (OSError, ValueError, KeyError) as error:
            print(f"measure.py: {error}", file=sys.stderr)
            return 2
        well = report(summary)
        device = device or folder_name(summary["device"])
        guard(folder)
        kept = keep_results.keep(folder, device, conditions or conditions_of(summary),
                                 summary["device"])
        waits = [keep_counters(folder, device)]
    print(f"{kept} files in docs/results/{device}")
    waits.append(plot(device) if kept else "no results to keep")
    for tool in ("make_tables.py", "check_prose.py"):
        status, text = run([sys.executable, TOOLS / tool])
        print(text, end="")
        if status != 0:
            waits.append(f"{tool} is not content, as it says above")
    print("\n".join(wait for wait in waits if wait))
    return 0 if well and not any(waits) else 1
