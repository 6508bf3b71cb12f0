#!/usr/bin/env python3
"""The figures that the pages quote from docs/benchmarks/*.json, docs/cluster/*.json and docs/platforms.json are those of these files.

usage: figures_test.py ROOT"""

import importlib.util
import json
import pathlib
import statistics
import subprocess
import sys


def module_of(script):
    described = importlib.util.spec_from_file_location(script.stem, script)
    module = importlib.util.module_from_spec(described)
    described.loader.exec_module(module)
    return module


def check_simulated_ranks(root):
    scale = module_of(root / "bench/cluster/scale.py")
    results = json.loads((root / "docs/cluster/scale.json").read_text(encoding="utf-8"))
    lines = (root / "docs/measurements.md").read_text(encoding="utf-8").splitlines()
    found = [line for line in lines if line in {scale.row(one) for one in results}]
    if len(found) != len(results):
        sys.exit("docs/measurements.md does not have the rows that bench/cluster/scale.py makes of docs/cluster/scale.json")
    least, more = (next(one for one in results if (one["ranks"], one["depth"]) == (1024, depth)) for depth in (13, 14))
    said = (f"is {least['efficiency']:.0%} efficient on 1024 ranks if each has work for {least['nodes'] * 1e-6 / 1024:.2f} s, "
            f"and {more['efficiency']:.0%} if each has work for {more['nodes'] * 1e-6 / 1024:.2f} s.").replace("%", " %")
    if said not in " ".join((root / "docs/cluster.md").read_text(encoding="utf-8").split()):
        sys.exit(f"docs/cluster.md does not say that it {said}")


def check_drifting_objects(root):
    drift = module_of(root / "bench/cluster/drift.py")
    results = json.loads((root / "docs/cluster/drift.json").read_text(encoding="utf-8"))
    text = " ".join((root / "docs/measurements.md").read_text(encoding="utf-8").split())
    if len(results) != 6 or not all(drift.row(one) in text for one in results):
        sys.exit("docs/measurements.md does not have the rows that bench/cluster/drift.py makes of docs/cluster/drift.json")
    seconds = {(one["ranks"], one["way"]): statistics.median(run["seconds"] for run in one["runs"]) for one in results}
    to_none, to_stealing = ([seconds[ranks, "oem"] / seconds[ranks, way] for ranks in (2, 4)] for way in ("none", "stealing"))
    said = (f"Planned moves take {to_none[0]:.2f} times as long as no moves with two ranks and {to_none[1]:.2f} times with four, "
            f"and {to_stealing[0]:.2f} and {to_stealing[1]:.2f} times as long as stealing.")
    if said not in text:
        sys.exit(f"docs/measurements.md does not say: {said}")
    said = (f"takes {to_none[0]:.2f} times as long with planned moves as without moves, and {to_stealing[0]:.2f} times as long as "
            f"with random stealing, on two ranks")
    if said not in " ".join((root / "docs/cluster.md").read_text(encoding="utf-8").split()):
        sys.exit(f"docs/cluster.md does not say that the swarm {said}")


def check_shared_work(root):
    sharing = module_of(root / "bench/cluster/sharing.py")
    results = json.loads((root / "docs/cluster/sharing.json").read_text(encoding="utf-8"))
    lines = (root / "docs/measurements.md").read_text(encoding="utf-8").splitlines()
    if not all(sharing.row(results, workload, ranks) in lines for workload in sharing.WORKLOADS for ranks in sharing.RANKS):
        sys.exit("docs/measurements.md does not have the rows that bench/cluster/sharing.py makes of docs/cluster/sharing.json")
    runs = {(one["workload"], one["ranks"], one["way"]): one["runs"] for one in results}

    def of(workload, ranks, what):
        return (statistics.median(run[what] for run in runs[workload, ranks, way]) for way in sharing.WAYS)

    def require(said, *pages):
        for page in pages:
            if said not in " ".join((root / page).read_text(encoding="utf-8").split()):
                sys.exit(f"{page} does not say: {said}")

    for workload in sharing.WORKLOADS:
        lifelines, rounds, stealing = of(workload, 64, "messages")
        require(f"{lifelines / rounds:.2f} times as many messages as rounds and {lifelines / stealing:.2f} times as many as random "
                "stealing", "docs/measurements.md", "docs/cluster.md")
    lifelines, rounds, stealing = of("uts", 64, "seconds")
    to_rounds, to_stealing = f"{lifelines / rounds:.2f}", f"{lifelines / stealing:.2f}"
    require(f"take {to_rounds} times as long as rounds, but {to_stealing} times as long as random stealing", "docs/measurements.md")
    require(f"in {to_rounds} and {to_stealing} times the time", "docs/cluster.md")
    require(f"T3 takes {to_stealing} times as long with lifelines as with random stealing", "docs/where-we-lose.md")
    if min(of("queens", 64, "seconds")) != next(of("queens", 64, "seconds")):
        sys.exit("lifelines are not the fastest with 64 ranks and queens")
    queens, tree = (rounds / lifelines for lifelines, rounds, _ in (of(workload, 16, "messages") for workload in sharing.WORKLOADS))
    require(f"{queens:.2f} times as many as lifelines with queens, and {tree:.2f} times as many with T3", "docs/measurements.md")
    require(f"{queens:.2f} times as many messages as lifelines to place 14 queens, and {tree:.2f} times as many for T3",
            "docs/where-we-lose.md")


def check_platforms(root):
    compare = module_of(root / "bench/platforms/compare.py")
    lines = (root / "docs/platforms.md").read_text(encoding="utf-8").splitlines()
    if not all(compare.row(one) in lines for one in json.loads((root / "docs/platforms.json").read_text(encoding="utf-8"))):
        sys.exit("docs/platforms.md does not have the rows that bench/platforms/compare.py makes of docs/platforms.json")


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    check_simulated_ranks(root)
    check_drifting_objects(root)
    check_shared_work(root)
    check_platforms(root)
    script = root / "docs/benchmarks/quote.py"
    done = subprocess.run([sys.executable, "-B", script, "--check"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stderr}docs/benchmarks/quote.py writes the figures again")
    quote = module_of(script)
    marks = sum(len(quote.MARK.findall(page.read_text(encoding="utf-8"))) for page in quote.pages(root))
    if marks < 120:
        sys.exit(f"only {marks} figures have a mark")
    # The check finds a figure that differs, and what names nothing is no figure.
    results = quote.all_results()
    mark = "<!-- results fib-39/evencube/1/to_serial .2f -->"
    right, changes = quote.quoted(f"it takes {mark}", results)
    if not changes or quote.quoted(right, results) != (right, []):
        sys.exit(f"a missing figure was not filled in: {right}")
    if not quote.quoted(f"it takes 0.01{mark}", results)[1]:
        sys.exit("a wrong figure was not found")
    if (quote.written(1234.5, ".2g"), quote.written(0.125, ".2g")) != ("1200", "0.12"):
        sys.exit("a figure is not written as people write it")
    try:
        quote.quoted(f"it takes {mark.replace('evencube', 'nobody')}", results)
    except ValueError:
        return
    sys.exit("a row that is not there was not found")


if __name__ == "__main__":
    main()
