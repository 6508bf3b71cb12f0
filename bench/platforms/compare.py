#!/usr/bin/env python3
"""The platform `portable` beside `linux`: runs fib, spawn and wakeup of two builds in turn. Writes docs/platforms.json and prints
the table of docs/platforms.md.

Both builds are made like this, with P each of the two names:

    cmake --preset release -B build/P -DEVENCUBE_PLATFORM=P -DBUILD_TESTING=OFF "-DEVENCUBE_FOLDERS=workloads;bench"
    cmake --build build/P --target bench_fib_evencube bench_spawn_evencube bench_wakeup_evencube
"""

import argparse
import json
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PLATFORMS = ("linux", "portable")
# The program, what is measured, how many of its units a second has, workers, and arguments on Linux alone.
CASES = (("fib", "fib(39), ns a call", 1e9, 1, []), ("fib", "fib(39), ns a call", 1e9, 2, []),
         ("spawn", "10,000,000 empty tasks, ns a task", 1e9, 1, []), ("spawn", "10,000,000 empty tasks, ns a task", 1e9, 2, []),
         ("wakeup", "a wake-up after 20 ms of rest, us", 1e6, 2, []),
         ("wakeup", "the same, on `linux` with unbound workers", 1e6, 2, ["--pinned", "no"]))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--builds", type=pathlib.Path, default=ROOT / "build", metavar="DIR", help="has the folders of both")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "platforms.json", metavar="FILE")
    parser.add_argument("--repetitions", type=int, default=15)
    return parser.parse_args()


def measured(program, workers, arguments):
    """The seconds of a unit: the median of five runs in a process, after one that does not count."""
    done = subprocess.run([program, "--workers", str(workers), "--repetitions", "5", *arguments], capture_output=True, text=True,
                          check=True)
    said = json.loads(done.stdout)
    if not said["verified"]:
        raise SystemExit(f"{program} is wrong: {done.stdout}")
    return statistics.median(said["seconds"]) / said["units"]


def digits(value):
    return f"{value:.0f}" if value >= 100 else f"{value:.3g}"


def row(one):
    """A line of the table in docs/platforms.md."""
    cells = [one["case"], str(one["workers"])]
    for platform in PLATFORMS:
        first, median, third = statistics.quantiles((seconds * one["scale"] for seconds in one[platform]), n=4, method="inclusive")
        cells.append(f"{digits(median)} [{digits(first)} .. {digits(third)}]")
    ratios = [portable / linux for linux, portable in zip(one["linux"], one["portable"])]
    first, median, third = statistics.quantiles(ratios, n=4, method="inclusive")
    cells.append(f"{median:.2f} [{first:.2f} .. {third:.2f}]")
    return f"| {' | '.join(cells)} |"


def main():
    given = arguments()
    results = []
    for program, case, scale, workers, only_on_linux in CASES:
        one = {"case": case, "workers": workers, "scale": scale, **{platform: [] for platform in PLATFORMS}}
        for number in range(given.repetitions):
            for platform in PLATFORMS if number % 2 == 0 else reversed(PLATFORMS):
                own = only_on_linux if platform == "linux" else []
                one[platform].append(measured(given.builds / platform / "bench" / f"{program}_evencube", workers, own))
        results.append(one)
    given.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    print(*map(row, results), sep="\n")


if __name__ == "__main__":
    main()
