#!/usr/bin/env python3
"""Make the tables of figures in prose from measured or counted results.

  docs/tools/make_tables.py [FILE.md ...]     default: all that git tracks

A table belongs to a mark in the line before it, and is made anew from it:

  <!-- table: docs/results/cpu_backend/05.json matmul bytes_moved sectors_per_request -->

that is: the results, the ladder ("in quotes" where its name has spaces), size=SIZE where it has
several, and the columns: for counts bytes_moved, least_bytes, flops_per_byte, sectors_per_request,
requests, shared_wavefronts, bank_conflicts, atomic_repeats; for times time, flop_rate, byte_rate and
ratio, the speed beside the first rival's. check_prose.py compares; this writes.
"""
import argparse
import json
import pathlib
import re
import shlex
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
TABLE = re.compile(r"^<!-- table: (.*?) -->\n((?:\|[^\n]*\n)*)", re.M)
SECONDS = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}
PREFIXES = ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"),
            (1e-9, "n"))


def amount(value, unit):
    """In three digits: "16.8 MB"."""
    for factor, prefix in PREFIXES:
        scaled = value / factor
        if scaled >= 0.9995 or factor == 1e-9:
            places = 2 if scaled < 9.995 else 1 if scaled < 99.95 else 0
            return f"{scaled:.{places}f} {prefix}{unit}"
    return f"0 {unit}"


def counted(field):
    """A whole number that was counted, with thousands apart."""
    return lambda row, rows: f"{row[field]:,.0f}"


def seconds_of(row):
    times = row.get("repetition_times", [row["real_time"]])
    return statistics.median(times) * SECONDS[row["time_unit"]]


def ratio(row, rows):
    rival = next((r for r in rows if r.get("rival")), None)
    if rival is None:
        return ""
    return "1" if rival is row else f"{seconds_of(rival) / seconds_of(row):.2f}"


COLUMNS = {
    "bytes_moved": ("bytes moved", lambda row, rows: amount(row["bytes_moved"], "B")),
    "least_bytes": ("least possible", lambda row, rows: amount(row["bytes"], "B")),
    "flops_per_byte": ("FLOPs a byte", lambda row, rows: f"{row['flops_per_byte']:.3g}"),
    "sectors_per_request": ("sectors a request",
                            lambda row, rows: f"{row['sectors_per_request']:.3g}"),
    "requests": ("requests", counted("requests")),
    "shared_wavefronts": ("passes through the banks", counted("shared_wavefronts")),
    "bank_conflicts": ("bank conflicts", counted("bank_conflicts")),
    "atomic_repeats": ("atomics that wait", counted("atomic_repeats")),
    "time": ("time", lambda row, rows: amount(seconds_of(row), "s")),
    "flop_rate": ("FLOP/s", lambda row, rows: amount(row["flops"] / seconds_of(row), "FLOP/s")),
    "byte_rate": ("bytes/s", lambda row, rows: amount(row["bytes"] / seconds_of(row), "B/s")),
    "ratio": ("speed beside the rival", ratio),
}


def rows_of(path, ladder, size):
    """The rows with figures of one size of a ladder, in its order."""
    data = json.loads((ROOT / path).read_text())
    rows = [row for row in data["benchmarks"] if row.get("ladder") == ladder]
    sizes = list(dict.fromkeys(row["size"] for row in rows))
    if not rows:
        raise ValueError(f"{path} has no ladder '{ladder}'")
    if size is None and len(sizes) > 1:
        raise ValueError(f"{path} has '{ladder}' in sizes {', '.join(sizes)}; say size=SIZE")
    rows = [row for row in rows if row["size"] == (size or sizes[0])]
    if not rows:
        raise ValueError(f"{path} has '{ladder}' in sizes {', '.join(sizes)}, not {size}")
    figures = [row for row in rows if "bytes_moved" in row or "real_time" in row]
    return sorted(figures, key=lambda row: row["order"])


def table_text(mark):
    """The table that a mark's words ask for. Raises ValueError or OSError in one line."""
    words = shlex.split(mark)
    if len(words) < 3:
        raise ValueError("a table mark needs results, a ladder and columns")
    path, ladder, *columns = words
    sizes = [word[5:] for word in columns if word.startswith("size=")]
    columns = [word for word in columns if not word.startswith("size=")]
    for column in columns:
        if column not in COLUMNS:
            raise ValueError(f"no column '{column}'; there are {', '.join(COLUMNS)}")
    rows = rows_of(path, ladder, sizes[0] if sizes else None)
    try:
        body = [[f"`{row['step']}`", *(COLUMNS[c][1](row, rows) for c in columns)] for row in rows]
    except KeyError as missing:
        raise ValueError(f"{path} has no {missing} for '{ladder}'") from missing
    heads = [f"{ladder}, {rows[0]['size']}" if rows else ladder, *(COLUMNS[c][0] for c in columns)]
    lines = [heads, ["---", *("---:" for _ in columns)], *body]
    return "".join("| " + " | ".join(line) + " |\n" for line in lines)


def check_tables(text, say, fix):
    """Tells of every table that is not what its mark makes; returns the text with them made anew."""
    def made(match):
        mark, table = match.groups()
        try:
            expected = table_text(mark)
        except (OSError, ValueError) as error:
            say(match.start(), str(error))
            return match.group()
        if table != expected and not fix:
            say(match.start(), f"the table is not what {mark.split()[0]} holds; make_tables.py makes it")
        return f"<!-- table: {mark} -->\n{expected}"
    return TABLE.sub(made, text)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    files = parser.parse_args().files
    if not files:
        listed = subprocess.run(["git", "ls-files", "*.md"], cwd=ROOT, check=True,
                                capture_output=True, text=True).stdout.split("\n")
        files = [ROOT / name for name in listed if name]
    faults = []
    for file in files:
        try:
            text = file.read_text()
        except OSError as error:
            faults.append(f"{file}: {error.strerror}")
            continue
        made = check_tables(text, lambda at, what, file=file, text=text: faults.append(
            f"{file}:{text.count(chr(10), 0, at) + 1}: {what}"), True)
        if made != text:
            file.write_text(made)
            print(file)
    print("\n".join(faults), end="\n" if faults else "")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
