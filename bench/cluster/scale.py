#!/usr/bin/env python3
"""Lifelines on 2^10 to 2^16 ranks in virtual time: runs bench/cluster/scale.cpp, writes its results and a picture of them, and
prints the table of docs/measurements.md.

The dashed lines are the formula of docs/measurements.md: besides its share of the work, a rank spends PER_DIMENSION for each
dimension of the cube.
"""

import argparse
import json
import math
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]
PER_DIMENSION = 0.9e-3  # seconds
CONTROL_PART = "control part of the links' time"
# The ranks for each depth of the tree. The largest simulations take minutes.
RANKS = {13: (1024, 4096, 16384, 65536), 14: (1024, 4096, 16384)}


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "bench", metavar="DIR")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "cluster", metavar="DIR")
    return parser.parse_args()


def simulated(given):
    program = given.build / "bench" / "cluster_scale"
    for depth, all_ranks in RANKS.items():
        for ranks in all_ranks:
            done = subprocess.run([program, "--ranks", str(ranks), "--depth", str(depth)], capture_output=True, text=True, check=True)
            print(f"depth {depth}, {ranks} ranks", flush=True)
            yield {"depth": depth, **json.loads(done.stdout)}


def by_formula(one):
    share = one["nodes"] * 1e-6 / one["ranks"]  # a node takes a microsecond
    return share / (share + PER_DIMENSION * math.log2(one["ranks"]))


def row(one):
    """A line of the table in docs/measurements.md."""
    return (f"| {one['nodes'] / 1e9:.2f} x 10^9 | {one['ranks']} | {one['seconds']:.3f} | {one['efficiency'] * 100:.1f} % "
            f"| {by_formula(one) * 100:.1f} % | {one['control messages per rank']:.0f} "
            f"| {one[CONTROL_PART] * 100:.2f} % |")


def draw(results, path):
    """Efficiency, and messages of a rank that carry no task."""
    import matplotlib  # pylint: disable=import-outside-toplevel  # not where only the table is needed

    matplotlib.use("svg")
    import matplotlib.pyplot as plt  # pylint: disable=import-outside-toplevel

    plt.rcParams.update({"svg.hashsalt": "scale", "font.size": 9})
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for depth in sorted({each["depth"] for each in results}):
        of = [each for each in results if each["depth"] == depth]
        label = f"{of[0]['nodes'] / 1e9:.2g} x 10^9 nodes of 1 us"
        ranks = [each["ranks"] for each in of]
        line, = left.plot(ranks, [each["efficiency"] for each in of], marker="o", label=label)
        left.plot(ranks, [by_formula(each) for each in of], linestyle="--", color=line.get_color())
        right.plot(ranks, [each["control messages per rank"] for each in of], marker="o", label=label)
    for axes, title in ((left, "efficiency"), (right, "messages without tasks, for each rank")):
        axes.set(title=title, xlabel="ranks", xscale="log")
        ranks = sorted({each["ranks"] for each in results})
        axes.set_xticks(ranks, [str(each) for each in ranks])
        axes.minorticks_off()
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
    left.set_ylim(0, 1)
    left.legend()
    figure.savefig(path, metadata={"Date": None})


def main():
    given = arguments()
    given.output.mkdir(parents=True, exist_ok=True)
    results = list(simulated(given))
    (given.output / "scale.json").write_text(json.dumps(results, indent=1) + "\n", encoding="utf-8")
    draw(results, given.output / "scale.svg")
    print("\n".join(map(row, results)))


if __name__ == "__main__":
    main()
