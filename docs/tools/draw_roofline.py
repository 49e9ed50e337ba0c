#!/usr/bin/env python3
"""Draw the roofline of one core from chapter 01's results, with the chapter's three products on it.

  docs/tools/draw_roofline.py [RESULTS.json PICTURE.svg]

By default chapters/01_naive_matmul/roofline.svg of docs/results/epyc-zen4-2core/01.json, which the lesson
shows. `./learn plot` draws rooflines, too, of the bytes that must move at least; here each product stands at
the bytes that its loops move, counted in the lesson, below the bandwidth that limits these.
"""
import json
import math
import pathlib
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
RESULTS = ROOT / "docs/results/epyc-zen4-2core/01.json"
PICTURE = ROOT / "chapters/01_naive_matmul/roofline.svg"
WIDTH, HEIGHT = 900, 470
LEFT, RIGHT, TOP, BOTTOM = 90, 860, 40, 400  # of the axes
X_POWERS = range(-6, 9)  # of 2, FLOPs a byte
Y_POWERS = range(-1, 4)  # of 10, GFLOP/s

# What data comes from, the KiB that read_bandwidth read of it, and where its slope is named.
SLOPES = (("memory", 512 << 10, 2 ** -2.6), ("third cache", 4096, 2 ** -3.9), ("first cache", 16, 2 ** -4.6))
# A product's row, its FLOPs for each byte, its name in the picture, and where the name stands beside the point.
POINTS = (("naive", 2 / 64, "i, j, k", 12, 18, "start"), ("reordered", 2 / 12, "i, k, j", 6, -30, "end"),
          ("eigen", 1024 / 6, "Eigen", -4, 24, "end"))


def x_of(intensity):
    share = (math.log2(intensity) - X_POWERS[0]) / (X_POWERS[-1] - X_POWERS[0])
    return round(LEFT + share * (RIGHT - LEFT), 1)


def y_of(gflops):
    share = (math.log10(gflops) - Y_POWERS[0]) / (Y_POWERS[-1] - Y_POWERS[0])
    return round(BOTTOM - share * (BOTTOM - TOP), 1)


def text(x, y, words, anchor="middle", size=12, turn=0):
    turned = f' transform="rotate({turn:.1f} {x} {y})"' if turn else ""
    return f'<text x="{x}" y="{y}" font-size="{size}" text-anchor="{anchor}"{turned}>{words}</text>'


def line(x1, y1, x2, y2, style):
    return f'<path d="M{x1} {y1}L{x2} {y2}" fill="none" {style}/>'


def measured(results, name, field):
    return next(row[field] for row in results["benchmarks"] if row["name"] == name + "_median")


def read_rates(results):
    """The peak in GFLOP/s, the bandwidths in GB/s, and what the products reach in GFLOP/s."""
    bandwidths = {name: measured(results, f"read_bandwidth/KiB:{kib}/iterations:1", "GB/s")
                  for name, kib, _ in SLOPES}
    reached = {row: measured(results, f"{row}/1024/manual_time", "GFLOP/s") for row, *_ in POINTS}
    return measured(results, "peak/iterations:3", "GFLOP/s"), bandwidths, reached


def axes():
    parts = []
    for power in X_POWERS:
        x = x_of(2.0 ** power)
        parts.append(line(x, TOP, x, BOTTOM, 'stroke="#e5e5e5"'))
        parts.append(text(x, BOTTOM + 18, f"1/{2 ** -power}" if power < 0 else str(2 ** power)))
    for power in Y_POWERS:
        y = y_of(10.0 ** power)
        parts.append(line(LEFT, y, RIGHT, y, 'stroke="#e5e5e5"'))
        parts.append(text(LEFT - 8, y + 4, f"{10.0 ** power:g}", "end"))
    parts.append(text((LEFT + RIGHT) / 2, BOTTOM + 42, "arithmetic intensity: FLOPs for each byte", size=13))
    parts.append(text(LEFT, TOP - 14, "GFLOP/s", size=13))
    return parts


def roofs(peak, bandwidths):
    parts = []
    thick = 'stroke="#222" stroke-width="2"'
    angle = -math.degrees(math.atan2(y_of(1) - y_of(2), x_of(2) - x_of(1)))
    for name, _, named_at in SLOPES:
        rate = bandwidths[name]
        low = max(2.0 ** X_POWERS[0], 10.0 ** Y_POWERS[0] / rate)
        style = thick if name == "memory" else 'stroke="#555" stroke-width="1.4" stroke-dasharray="6 4"'
        parts.append(line(x_of(low), y_of(low * rate), x_of(peak / rate), y_of(peak), style))
        parts.append(text(x_of(named_at), y_of(named_at * rate) - 7, f"{name}: {rate:.3g} GB/s", turn=angle))
    parts.append(line(x_of(peak / max(bandwidths.values())), y_of(peak), RIGHT, y_of(peak), thick))
    parts.append(text(RIGHT - 6, y_of(peak) - 8, f"arithmetic: {peak:.3g} GFLOP/s", "end"))
    return parts


def points(reached):
    parts = []
    for row, intensity, name, right, below, anchor in POINTS:
        x, y = x_of(intensity), y_of(reached[row])
        parts.append(f'<circle cx="{x}" cy="{y}" r="6" fill="#2171b5" stroke="#222"/>')
        parts.append(text(x + right, y + below, f"{name}: {reached[row]:.3g}", anchor, 13))
    return parts


def draw(results):
    peak, bandwidths, reached = read_rates(results)
    words = (f"Roofline of one core of {results['context']['device']}: {peak:.3g} GFLOP/s; " +
             "; ".join(f"{name} {rate:.3g} GB/s" for name, rate in bandwidths.items()))
    return "\n".join([
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        'fill="#222" role="img">', f"<title>{words}</title>",
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>',
        *axes(), *roofs(peak, bandwidths), *points(reached), "</svg>", ""])


def main():
    source, picture = map(pathlib.Path, sys.argv[1:3]) if len(sys.argv) == 3 else (RESULTS, PICTURE)
    picture.write_text(draw(json.loads(source.read_text())))


if __name__ == "__main__":
    main()
