"""Runs programs in turn and keeps what they report."""

import json
import os
import subprocess
import sys
from dataclasses import dataclass, field

# A program that takes longer hangs: the slowest case here takes under a minute.
DEADLINE_SECONDS = 600


@dataclass
class Run:
    """One variant with one number of workers, and the reports of its processes that count."""
    label: str
    engine: str
    workers: int
    command: list
    environment: dict
    busy: bool = False
    reports: list = field(default_factory=list)
    failed: bool = False


def plan(case, programs, workers, engines, tiny):
    """The runs of a case; engines that are not installed are left out, as CMake has said."""
    runs = []
    for variant in case.variants:
        program = os.path.join(programs, f"{case.workload}_{variant.engine}")
        if engines and variant.engine not in engines or not os.path.exists(program):
            continue
        settings = case.settings + variant.settings
        if tiny:
            settings = ("--tiny", *without_sizes(settings))
        else:
            settings += ("--repetitions", str(case.inner), "--warm-up", str(case.warm_up))
        for busy in (False, True) if case.neighbour else (False,):
            beside = ("--neighbour", str(max(os.sched_getaffinity(0)))) if busy else ()
            for count in [1] if variant.alone else workers:
                runs.append(Run(variant.label, variant.engine, count,
                                [program, "--workers", str(count), *settings, *beside],
                                {**os.environ, **variant.environment}, busy))
    return runs


# The settings that say how much, as opposed to what: the small values stand in the programs.
SIZES = {"--n", "--quantum", "--rest"}


def without_sizes(settings):
    kept = []
    for option, value in zip(settings[::2], settings[1::2]):
        if option not in SIZES:
            kept += [option, value]
    return kept


def run_in_turns(case, runs, rounds, warm_up, failures):
    total = (rounds + (1 if warm_up else 0)) * len(runs)
    done = 0
    for number in range(-1 if warm_up else 0, rounds):
        for run in runs if number % 2 == 0 else reversed(runs):
            progress(f"{case.name}: {done} of {total}")
            done += 1
            if run.failed:
                continue
            report, problem = run_once(run)
            if problem:
                run.failed = True
                beside = ", beside a neighbour" if run.busy else ""
                failures.append(
                    f"{case.name}, {run.label}, {run.workers} workers{beside}: {problem}")
            elif number >= 0:
                run.reports.append(report)
    progress("")


def run_once(run):
    """The report and None, or None and what went wrong."""
    try:
        done = subprocess.run(run.command, env=run.environment, capture_output=True, text=True,
                              timeout=DEADLINE_SECONDS, check=False)
    except subprocess.TimeoutExpired:
        return None, f"not done after {DEADLINE_SECONDS} s"
    if done.returncode != 0:
        said = done.stderr.strip().splitlines()
        return None, said[-1] if said else f"exit status {done.returncode}"
    report = json.loads(done.stdout)
    if not report["verified"]:
        return None, "the result is wrong"
    return report, None


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
