#!/usr/bin/env python3
"""Objects that drift over ranks: runs bench/cluster/drift.cpp with blocks that a plan moves, with blocks that stay, and with
blocks that travel to thieves, in turn. Writes docs/cluster/drift.json and prints the table of docs/measurements.md.
"""

import argparse
import json
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
WAYS = {"oem": "planned moves (`oem`)", "none": "no moves", "stealing": "tasks with their blocks, stolen"}
RANKS = (2, 4)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "bench", metavar="DIR")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "cluster" / "drift.json", metavar="FILE")
    parser.add_argument("--repetitions", type=int, default=5)
    return parser.parse_args()


def measured(given, ranks, way):
    """A run: the time of the slowest rank, and the sums of all."""
    command = ["mpirun", "--oversubscribe", "-np", str(ranks), given.build / "bench" / "cluster_drift", "--balance", way]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    if len(lines) != ranks or not all(one["right"] for one in lines):
        raise SystemExit(f"a run over {ranks} ranks is wrong: {done.stdout}")
    return {"seconds": max(one["seconds"] for one in lines), "messages": sum(one["messages"] for one in lines),
            "bytes": sum(one["bytes"] for one in lines), "moved": lines[0]["moved"]}


def row(one):
    """A line of the table in docs/measurements.md."""
    times = sorted(each["seconds"] for each in one["runs"])
    first, median, third = statistics.quantiles(times, n=4, method="inclusive")
    middle = {name: statistics.median(each[name] for each in one["runs"]) for name in ("messages", "bytes", "moved")}
    return (f"| {one['ranks']} | {WAYS[one['way']]} | {median:.2f} [{first:.2f} .. {third:.2f}] | {middle['messages']:.0f} "
            f"| {middle['bytes'] / 1e6:.1f} | {middle['moved']:.0f} |")


def main():
    given = arguments()
    results = [{"ranks": ranks, "way": way, "runs": []} for ranks in RANKS for way in WAYS]
    for _ in range(given.repetitions):
        for one in results:
            one["runs"].append(measured(given, one["ranks"], one["way"]))
    given.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    for one in results:
        print(row(one))


if __name__ == "__main__":
    main()
