"""How many of the tasks that change their worker are moved by planned rounds, and what a run takes.

`bench/run shares` runs `evencube run` in turn: every workload from every placement under every strategy. A move counts as
planned only if a round of the registered balancer made it. Pulls and rescues are the others.
"""

import argparse
import json
import os
import statistics
import subprocess
import sys

WORKLOADS = ("edges", "sort", "nbody", "heat", "pagerank", "mandelbrot", "matmul", "uts")
PLACEMENTS = ("one", "skewed", "spread")
BALANCERS = ("oem", "random_stealing")
# With fewer moves a share says nothing.
ENOUGH = 100


class Cell:
    def __init__(self):
        self.seconds, self.planned, self.pulled, self.rescued, self.rounds, self.requests = [], 0, 0, 0, 0, {}

    def add(self, report):
        self.seconds.append(report["seconds"])
        self.planned += sum(report["moved_by_rounds"])
        self.pulled += sum(report["moved_by_pulls"])
        self.rescued += sum(report["moved_by_rescues"])
        self.rounds += report["rounds"]
        for answer, count in report["requests"].items():
            self.requests[answer] = self.requests.get(answer, 0) + count

    @property
    def moves(self):
        return self.planned + self.pulled + self.rescued

    @property
    def share(self):
        return self.planned / self.moves if self.moves >= ENOUGH else None

    def as_json(self):
        return {"runs": len(self.seconds), "seconds": statistics.median(self.seconds), "planned": self.planned,
                "pulled": self.pulled, "rescued": self.rescued, "rounds": self.rounds, "share": self.share,
                "requests": self.requests}


def words(text):
    return tuple(word for word in text.split(",") if word)


def arguments(given):
    parser = argparse.ArgumentParser(prog="bench shares", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--workers", type=words, default=("2", "8"), metavar="N,N", help="numbers of workers (2,8)")
    parser.add_argument("--workloads", type=words, default=WORKLOADS, metavar="NAMES", help="only these")
    parser.add_argument("--placements", type=words, default=PLACEMENTS, metavar="NAMES", help="only these")
    parser.add_argument("--balancers", type=words, default=BALANCERS, metavar="NAMES",
                        help="these strategies (%s)" % ",".join(BALANCERS))
    parser.add_argument("--runs", type=int, default=15, metavar="N", help="runs that are pooled (%(default)s)")
    parser.add_argument("--size", metavar="N", help="--size of the workloads")
    parser.add_argument("--json", action="store_true", help="print one object instead of a table")
    options = parser.parse_args(given)
    if options.runs < 1:
        parser.error("--runs must be at least 1")
    return options


def command(program, workload, workers, placement, balancer, size):
    line = [program, "run", workload, "--workers", workers, "--placement", placement, "--balancer", balancer, "--json"]
    return line + (["--size", size] if size else [])


def measure(program, options):
    keys = [(workers, placement, workload, balancer) for workers in options.workers for placement in options.placements
            for workload in options.workloads for balancer in options.balancers]
    cells = {key: Cell() for key in keys}
    for turn in range(options.runs):
        for workers, placement, workload, balancer in keys if turn % 2 == 0 else reversed(keys):
            line = command(program, workload, workers, placement, balancer, options.size)
            done = subprocess.run(line, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"bench shares: {' '.join(line)}: {done.stderr.strip()}")
            cells[workers, placement, workload, balancer].add(json.loads(done.stdout))
    return cells


def share_text(cell):
    return "too few" if cell.share is None else f"{100 * cell.share:.0f} %"


def table(cells):
    lines = [f"{'workers':>7}  {'placement':9}  {'workload':10}  {'balancer':18}  {'moves':>8}  {'planned':>7}  {'ms':>8}"
             "   requests: moved, nothing, too soon, under way, not asked"]
    for (workers, placement, workload, balancer), cell in cells.items():
        asked = "  ".join(str(cell.requests.get(answer, 0))
                          for answer in ("moved", "nothing", "too_soon", "under_way", "not_asked"))
        lines.append(f"{workers:>7}  {placement:9}  {workload:10}  {balancer:18}  {cell.moves:>8}  {share_text(cell):>7}  "
                     f"{1e3 * statistics.median(cell.seconds):>8.1f}   {asked}")
    return "\n".join(lines)


def main(build, given):
    options = arguments(given)
    program = os.path.join(build, "evencube")
    if not os.path.exists(program):
        sys.exit(f"bench: {program} is not built")
    cells = measure(program, options)
    if options.json:
        print(json.dumps({"benchmark": "shares", "cells": [
            {"workers": int(workers), "placement": placement, "workload": workload, "balancer": balancer, **cell.as_json()}
            for (workers, placement, workload, balancer), cell in cells.items()]}))
    else:
        print(table(cells))
    return 0
