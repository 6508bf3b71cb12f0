#!/usr/bin/env python3
"""How ranks share work by lifelines, by rounds and by random stealing: runs bench/cluster/evencube.cpp with each in turn, on all
ways to place 14 queens and on the unbalanced tree T3. Writes docs/cluster/sharing.json and prints the tables of
docs/measurements.md.
"""

import argparse
import json
import pathlib
import statistics
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
WORKLOADS = ("queens", "uts")
WAYS = ("lifelines", "oem", "random_stealing")
RANKS = (2, 4, 8, 16, 64)


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "bench", metavar="DIR")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "cluster" / "sharing.json", metavar="FILE")
    parser.add_argument("--repetitions", type=int, default=5)
    return parser.parse_args()


def measured(given, workload, ranks, way):
    """A process: the time of rank 0, which ends when all tasks have, and the messages of all ranks."""
    command = ["mpirun", "--oversubscribe", "--bind-to", "none", "-np", str(ranks), given.build / "bench" / "cluster_evencube",
               "--workload", workload, "--balancer", way, "--repetitions", "1"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = sorted((json.loads(line) for line in done.stdout.splitlines()), key=lambda line: line["rank"])
    if len(lines) != ranks or sum(line["found"][0] for line in lines) != lines[0]["right"]:
        raise SystemExit(f"a run over {ranks} ranks is wrong: {done.stdout}")
    kinds = ("messages", "balancing", "moved", "tasks")
    return {"seconds": lines[0]["seconds"][0], **{kind: sum(line[kind] for line in lines) for kind in kinds}}


def row(results, workload, ranks):
    """A line of a table in docs/measurements.md."""
    cells = [str(ranks)]
    for way in WAYS:
        runs = next(one["runs"] for one in results if (one["workload"], one["ranks"], one["way"]) == (workload, ranks, way))
        first, median, third = statistics.quantiles((run["seconds"] * 1e3 for run in runs), n=4, method="inclusive")
        cells += [f"{median:.0f} [{first:.0f} .. {third:.0f}]", f"{statistics.median(run['messages'] for run in runs):.0f}"]
    return f"| {' | '.join(cells)} |"


def main():
    given = arguments()
    results = [{"workload": workload, "ranks": ranks, "way": way, "runs": []}
               for workload in WORKLOADS for ranks in RANKS for way in WAYS]
    for _ in range(given.repetitions):
        for one in results:
            one["runs"].append(measured(given, one["workload"], one["ranks"], one["way"]))
    given.output.write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    for workload in WORKLOADS:
        print(*[row(results, workload, ranks) for ranks in RANKS], sep="\n", end="\n\n")


if __name__ == "__main__":
    main()
