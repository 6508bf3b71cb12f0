#!/usr/bin/env python3
"""Lifelines on 2^10 to 2^16 ranks in virtual time: runs bench/cluster/scale.cpp, and writes its results and a picture of them.

Next to the simulated efficiencies stands the formula of cluster/docs/ranks.md: the time T of a run is the work of a rank, and
what its questions and refusals cost it.
"""

import argparse
import json
import pathlib
import subprocess

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plt  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parents[2]


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build" / "bench", metavar="DIR")
    parser.add_argument("--output", type=pathlib.Path, default=ROOT / "docs" / "cluster", metavar="DIR")
    parser.add_argument("--ranks", default="1024,4096,16384,65536", metavar="N,N")
    parser.add_argument("--depths", default="13,14,15", metavar="N,N", help="of the trees (%(default)s)")
    return parser.parse_args()


def simulated(given):
    program = given.build / "bench" / "cluster_scale"
    for depth in given.depths.split(","):
        for ranks in given.ranks.split(","):
            done = subprocess.run([program, "--ranks", ranks, "--depth", depth], capture_output=True, text=True, check=True)
            print(f"depth {depth}, {ranks} ranks", flush=True)
            yield {"depth": int(depth), **json.loads(done.stdout)}


def draw(results, path):
    """Efficiency, and messages of a rank that carry no task."""
    plt.rcParams.update({"svg.hashsalt": "scale", "font.size": 9})
    figure, (left, right) = plt.subplots(1, 2, figsize=(8, 3.2), layout="constrained")
    for depth in sorted({each["depth"] for each in results}):
        of = [each for each in results if each["depth"] == depth]
        label = f"{of[0]['nodes'] / 1e9:.2g} x 10^9 nodes of 1 us"
        ranks = [each["ranks"] for each in of]
        left.plot(ranks, [each["efficiency"] for each in of], marker="o", label=label)
        right.plot(ranks, [each["control messages per rank"] for each in of], marker="o", label=label)
    for axes, title in ((left, "efficiency"), (right, "messages without tasks, for each rank")):
        axes.set(title=title, xlabel="ranks", xscale="log")
        axes.set_xticks(sorted({each["ranks"] for each in results}), [f"{each['ranks']}" for each in results][:len(
            {each["ranks"] for each in results})], minor=False)
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


if __name__ == "__main__":
    main()
