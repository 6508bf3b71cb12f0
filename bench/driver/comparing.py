"""Two files of results side by side: other machines, other compilers, other commits."""

import json
import math

import tables


class CannotCompare(Exception):
    """Why not."""


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        cases = {case["case"]: case for case in report["cases"]}
        for case in cases.values():
            for row in case["rows"]:
                (row["variant"], row["workers"], row["median"], row["speed_up"], row["neighbour"], row["engine"])
        return report["machine"], cases
    except OSError as problem:
        raise CannotCompare(str(problem)) from problem
    except (ValueError, KeyError, TypeError) as problem:
        raise CannotCompare(f"{path}: not what bench/run --json writes ({problem})") from problem


def key(row):
    return row["variant"] + (" + neighbour" if row["neighbour"] else ""), row["workers"]


def side_by_side(one, other):
    """A line for every variant and number of workers of either."""
    first = {key(row): row for row in one["rows"]}
    second = {key(row): row for row in other["rows"]}
    lines = []
    for variant, workers in list(first) + [k for k in second if k not in first]:
        a, b = first.get((variant, workers)), second.get((variant, workers))
        lines.append([variant, str(workers),
                      *(tables.duration(row["median"]) if row else "-" for row in (a, b)),
                      tables.ratio(tables.quotient(b["median"], a["median"]) if a and b else None),
                      *(tables.ratio(row["speed_up"] if row and row["workers"] > 1 else None) for row in (a, b))])
    return lines


def compare(paths):
    """Prints the tables of what is in both; gives the two reports back."""
    reports = [read(path) for path in paths]
    for letter, path, (about, _) in zip("AB", paths, reports):
        print(f"{letter} = {path}")
        tables.print_machine(about)
    common = [name for name in reports[0][1] if name in reports[1][1]]
    if not common:
        raise CannotCompare("the two have no case in common")
    for name in common:
        one, other = (cases[name] for _, cases in reports)
        print(f"\n{name}: {one['about']}")
        tables.print_table(["variant", "workers", "A", "B", "B/A", "speed-up A", "speed-up B"], side_by_side(one, other))
    return reports, common


def curves(case):
    """What is drawn of a case: EvenCube's speed-up by workers, and that of the rival that is fastest with the most."""
    rows = [row for row in case["rows"] if not row["neighbour"]]
    most = max((row["workers"] for row in rows if tables.is_rival(row)), default=None)
    rivals = [row for row in rows if tables.is_rival(row) and row["workers"] == most]
    names = ["evencube"] + ([min(rivals, key=lambda row: row["median"])["variant"]] if rivals else [])
    found = {}
    for name in names:
        points = sorted((row["workers"], 1.0 if row["workers"] == 1 else row["speed_up"])
                        for row in rows if row["variant"] == name)
        points = [point for point in points if point[1]]
        if len(points) > 1:
            found[name] = points
    return found


def draw(paths, reports, common, file):
    """A small plot of speed-ups for each case that was run with several numbers of workers."""
    try:
        import matplotlib
        matplotlib.use("Agg")
        from matplotlib import pyplot
    except ImportError as problem:
        raise CannotCompare("drawing needs matplotlib (Debian: python3-matplotlib)") from problem
    drawn = [(name, [curves(cases[name]) for _, cases in reports]) for name in common]
    drawn = [(name, both) for name, both in drawn if any(both)]
    if not drawn:
        raise CannotCompare("nothing to draw: no case was run with several numbers of workers")
    columns = min(4, len(drawn))
    figure, axes = pyplot.subplots(math.ceil(len(drawn) / columns), columns, squeeze=False, layout="constrained",
                                   figsize=(3.2 * columns, 2.6 * math.ceil(len(drawn) / columns)))
    for axis, (name, both) in zip(axes.flat, drawn):
        most = 1
        for letter, style, found in zip("AB", ("-", "--"), both):
            for variant, points in found.items():
                color = "tab:blue" if variant == "evencube" else "tab:orange"
                axis.plot(*zip(*points), style, marker="o", markersize=3, color=color, label=f"{variant} {letter}")
                most = max(most, points[-1][0])
        axis.plot([1, most], [1, most], ":", color="gray", linewidth=1)
        axis.set_title(name, fontsize=9)
        axis.set_xlabel("workers", fontsize=8)
        axis.xaxis.get_major_locator().set_params(integer=True)
        axis.legend(fontsize=6)
    for axis in list(axes.flat)[len(drawn):]:
        axis.set_axis_off()
    figure.suptitle(f"speed-up over one worker\nA: {paths[0]}\nB: {paths[1]}", fontsize=8)
    try:
        figure.savefig(file)
    except (OSError, ValueError) as problem:
        raise CannotCompare(f"{file}: {problem}") from problem
    finally:
        pyplot.close(figure)
