#!/usr/bin/env python3
"""Draws the pictures of reproductions: for every directory given, pictures.json says which columns
of which CSV table to draw; each picture becomes a PNG and an SVG beside its data.

Exit status 3 if matplotlib is missing."""

import csv
import json
import os
import pathlib
import signal
import sys

try:
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt
    from matplotlib import ticker
except ImportError:
    sys.exit(3)


def save(figure, path, **options):
    """Writes a picture under its name only when it is complete: what stood there is never cut."""
    draft = path.with_name(f".evencube-{os.getpid()}-{path.name}")
    try:
        figure.savefig(draft, format=path.suffix[1:], **options)
        with open(draft, "rb") as file:
            os.fsync(file.fileno())
        os.replace(draft, path)
    finally:
        draft.unlink(missing_ok=True)


def is_number(text):
    try:
        float(text)
        return True
    except ValueError:
        return False


def curves_of(rows, picture):
    """label -> list of (x text, y number); one curve per y column and value of the series column."""
    curves = {}
    for row in rows:
        for column in picture["y"]:
            parts = []
            if picture["series"]:
                parts.append(row[picture["series"]])
            if len(picture["y"]) > 1 or not parts:
                parts.append(column)
            if is_number(row[column]):
                curves.setdefault(", ".join(parts), []).append((row[picture["x"]], float(row[column])))
    return curves


def draw_bars(axes, curves):
    groups = list(dict.fromkeys(x for points in curves.values() for x, _ in points))
    width = 0.8 / max(1, len(curves))
    for index, (label, points) in enumerate(curves.items()):
        places = [groups.index(x) + (index - (len(curves) - 1) / 2) * width for x, _ in points]
        axes.bar(places, [y for _, y in points], width, label=label)
    axes.set_xticks(range(len(groups)), groups)
    if any(y < 0 for points in curves.values() for _, y in points):
        axes.axhline(0, color="black", linewidth=0.8)


def draw_lines(axes, curves):
    markers = "osD^v<>pPX*h"
    for index, (label, points) in enumerate(curves.items()):
        xs = [float(x) for x, _ in points]
        axes.plot(xs, [y for _, y in points], marker=markers[index % len(markers)], label=label)
    if all(float(x).is_integer() for points in curves.values() for x, _ in points):
        axes.xaxis.set_major_locator(ticker.MaxNLocator(integer=True))


def plain_numbers_on(axis):
    """20 and 0.5 instead of powers of ten; between the decades where these are few."""
    axis.set_major_formatter(ticker.FuncFormatter(lambda value, _: f"{value:g}"))
    low, high = axis.get_view_interval()
    if high < 100 * low:
        axis.set_minor_formatter(ticker.FuncFormatter(
            lambda value, _: f"{value:g}" if f"{value:e}"[0] in "25" else ""))


def legend_of(axes, picture, curves):
    """Beside the data, never on them; none where there is but one curve, which the axis names."""
    if len(curves) < 2:
        return
    title = picture["series"] if picture["series"] not in ("", "curve") else None
    axes.legend(fontsize="small", title=title, title_fontsize="small", loc="upper left",
                bbox_to_anchor=(1.01, 1), borderaxespad=0)


def draw(directory, picture):
    with open(directory / (picture["table"] + ".csv"), newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    if not rows:
        return
    figure, axes = plt.subplots(figsize=(8, 4.5), constrained_layout=True)
    curves = curves_of(rows, picture)
    (draw_bars if picture["bars"] else draw_lines)(axes, curves)
    if picture["log_x"]:
        axes.set_xscale("log", base=2)
    if picture["log_y"]:
        axes.set_yscale("log", nonpositive="mask")
        plain_numbers_on(axes.yaxis)
    axes.set_title(picture["title"])
    axes.set_xlabel(picture["x_label"])
    axes.set_ylabel(picture["y_label"])
    axes.grid(True, alpha=0.3)
    axes.set_axisbelow(True)
    legend_of(axes, picture, curves)
    for ending in ("png", "svg"):
        # No date in the file: the same data give the same picture.
        metadata = {"Date": None} if ending == "svg" else {"Software": None}
        save(figure, directory / f"{picture['name']}.{ending}", dpi=120, metadata=metadata)
    plt.close(figure)


def main():
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, lambda number, _: sys.exit(128 + number))  # by way of every finally
    plt.rcParams["svg.hashsalt"] = "evencube"
    for name in sys.argv[1:]:
        directory = pathlib.Path(name)
        with open(directory / "pictures.json", encoding="utf-8") as file:
            for picture in json.load(file):
                draw(directory, picture)


if __name__ == "__main__":
    try:
        main()
    except OSError as problem:
        sys.exit(f"evencube: the pictures: {problem}")
