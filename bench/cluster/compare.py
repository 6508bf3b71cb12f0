#!/usr/bin/env python3
"""Ranks of a cluster next to one process with as many workers, random stealing, a manager over plain MPI and StarPU.

The ways run in turn, in the opposite order in every other round. Each process repeats its work, the first time not counting.
Before that a row each for empty tasks to the other of two ranks and back: one, and many at once, the time of each.
"No waiting" is a thief whose results go home one by one, and at once. Figures are of one repetition; times are medians of all
repetitions of all rounds, with the spread from the first to the third quartile. StarPU, where it was found, paints tiles on the
ranks that own them, in turn; trees that are found as they are walked are nothing for its MPI layer.
"""

import argparse
import json
import os
import re
import shutil
import statistics
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
KINDS = ("with tasks", "with results", "balancing", "termination")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=os.path.join(ROOT, "build", "release"), metavar="DIR")
    parser.add_argument("--mpirun", default=shutil.which("mpirun"), metavar="PROGRAM")
    parser.add_argument("--ranks", default="2,4", metavar="N,N", help="how many ranks, each of one worker (%(default)s)")
    parser.add_argument("--workloads", default="uts,tiles", metavar="NAMES", help="of uts, tiles and queens (%(default)s)")
    parser.add_argument("--balancers", default="oem,random_stealing", metavar="NAMES",
                        help="of the cluster; the first is what the others are compared with (%(default)s)")
    parser.add_argument("--tree", default="T3", help="T1 or T3 (%(default)s)")
    parser.add_argument("--grain", default="2000", metavar="NODES", help="of a task of uts (%(default)s)")
    parser.add_argument("--rounds", type=int, default=3, metavar="N", help="processes of each way (%(default)s)")
    parser.add_argument("--repetitions", type=int, default=5, metavar="N", help="of a process, that count (%(default)s)")
    parser.add_argument("--tiny", action="store_true", help="does everything work? The times mean nothing")
    parser.add_argument("--json", metavar="FILE", help="write the figures there, too")
    given = parser.parse_args()
    if not given.mpirun:
        parser.error("no mpirun (Debian: openmpi-bin)")
    return given


def launcher(mpirun, place):
    """What starts ranks, as many as asked for even on fewer processors, and its environment; StarPU's notes go to `place`."""
    version = subprocess.run([mpirun, "--version"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                             check=False).stdout
    own = ["--oversubscribe", "--bind-to", "none"] if re.search("Open MPI|OpenRTE", version) else []
    return [mpirun, *own], {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
                            "STARPU_HOME": place, "STARPU_SILENT": "1"}


def program_of(given, name):
    return os.path.join(given.build, "bench", f"cluster_{name}")


def ways(given, workload, ranks):
    """Name, ranks (0: no mpirun), program and arguments."""
    yield f"one process of {ranks} workers", 0, "evencube", ["--workers", str(ranks)]
    for balancer in given.balancers.split(","):
        yield f"{ranks} ranks, {balancer}", ranks, "evencube", ["--balancer", balancer]
    yield f"{ranks} ranks, random_stealing, no waiting", ranks, "evencube", ["--balancer", "random_stealing", "--result-seconds", "0"]
    if workload != "queens":
        yield f"manager and {ranks} workers, plain MPI", ranks + 1, "manager", []
    if workload == "tiles" and os.path.exists(program_of(given, "starpu")):
        yield f"{ranks} ranks, StarPU", ranks, "starpu", []


def run(given, start, environment, workload, way, sizes=None):
    _, ranks, program, own = way
    command = [*start, "-np", str(ranks)] if ranks else []
    command += [program_of(given, program), "--workload", workload, *own]
    if sizes is None:
        sizes = ["--tiny"] if given.tiny else ["--tree", given.tree, "--grain", given.grain,
                                               "--repetitions", str(given.repetitions)]
    command += sizes
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, env=environment, timeout=1800, check=False)
    lines = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode != 0 or len(lines) != max(ranks, 1):
        sys.exit(f"failed: {' '.join(command)}\n{done.stdout}")
    lines.sort(key=lambda line: line["rank"])
    for found in zip(*(line["found"] for line in lines)):
        if sum(found) != lines[0]["right"]:
            sys.exit(f"wrong: {' '.join(command)}: {sum(found)}, right is {lines[0]['right']}")
    return lines


def figures(runs):
    """Of one repetition, from the lines of all ranks of some processes."""
    seconds = sorted(time for lines in runs for time in lines[0]["seconds"])
    quartiles = statistics.quantiles(seconds, n=4, method="inclusive") if len(seconds) > 1 else [seconds[0]] * 3
    made = {"seconds": statistics.median(seconds), "first quartile": quartiles[0], "third quartile": quartiles[2]}
    for name in ("tasks", "moved", "messages", "bytes", "rounds", *KINDS):
        made[name] = sum(line.get(name, 0) for lines in runs for line in lines) / len(seconds)
    return made


def empty_tasks(given, start, environment):
    """What a task costs that goes to the other of two ranks and back: one alone, and one of many."""
    found = {}
    print("\nempty tasks to another rank and back, two ranks of one worker")
    print(f"  {'tasks':>8} {'us for each':>12} {'spread':>17} {'B for each':>11} {'messages':>9}")
    for tasks, repetitions in ((1, 2), (10, 2)) if given.tiny else ((1, 200), (10000, 9)):
        way = "empty", 2, "evencube", ["--balancer", "none", "--tasks", str(tasks), "--repetitions", str(repetitions)]
        made = figures([run(given, start, environment, "empty", way, [])
                        for _ in range(1 if given.tiny else given.rounds)])
        each = [made[name] * 1e6 / tasks for name in ("seconds", "first quartile", "third quartile")]
        spread = f"{each[1]:.2f} to {each[2]:.2f}"
        print(f"  {tasks:8} {each[0]:12.2f} {spread:>17} {made['bytes'] / tasks:11.0f} {made['messages']:9.1f}")
        found[str(tasks)] = made
    return found


def compare(given, place):
    start, environment = launcher(given.mpirun, place)
    results = {"empty tasks": empty_tasks(given, start, environment)}
    for workload in given.workloads.split(","):
        for ranks in (int(number) for number in given.ranks.split(",")):
            all_ways = list(ways(given, workload, ranks))
            runs = {way[0]: [] for way in all_ways}
            for number in range(1 if given.tiny else given.rounds):
                for way in all_ways if number % 2 == 0 else reversed(all_ways):
                    runs[way[0]].append(run(given, start, environment, workload, way))
            found = {name: figures(lines) for name, lines in runs.items()}
            results[f"{workload}, {ranks}"] = found
            one, first = (found[way[0]] for way in all_ways[:2])
            print(f"\n{workload}, {ranks} ranks of one worker")
            print(f"  {'':38} {'ms':>9} {'spread':>17} {'speed':>6} {'tasks':>8} {'moved':>7} {'messages':>8} "
                  f"{'kB':>9} {'B/moved':>8} {'rounds':>7}  of the messages: {', '.join(KINDS)}")
            for name, of in found.items():
                spread = f"{of['first quartile'] * 1e3:.1f} to {of['third quartile'] * 1e3:.1f}"
                print(f"  {name:38} {of['seconds'] * 1e3:9.1f} {spread:>17} {one['seconds'] / of['seconds']:6.2f} "
                      f"{of['tasks']:8.0f} {of['moved']:7.0f} {of['messages']:8.1f} {of['bytes'] / 1e3:9.1f} "
                      f"{of['bytes'] / max(of['moved'], 1):8.0f} {of['rounds'] / ranks:7.1f}  "
                      f"{' '.join(format(of[kind], '6.1f') for kind in KINDS)}")
            for name, _, program, _ in all_ways[2:]:
                if program != "evencube":
                    continue
                print(f"  {all_ways[1][0]} sends {found[name]['messages'] / max(first['messages'], 1):.1f} times fewer messages "
                      f"than {name}")
    return results


def main():
    given = arguments()
    with tempfile.TemporaryDirectory(prefix="evencube-") as place:
        results = compare(given, place)
    if given.json:
        with open(given.json, "w", encoding="utf-8") as file:
            json.dump(results, file, indent=1)


if __name__ == "__main__":
    main()
