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
    copies: bool = False


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
            neighbour = ("--neighbour", str(max(os.sched_getaffinity(0)))) if busy else ()
            for count in counts(variant, workers):
                asked = "1" if variant.copies else str(count)
                runs.append(Run(variant.label, variant.engine, count,
                                [program, "--workers", asked, *settings, *neighbour],
                                {**os.environ, **variant.environment}, busy,
                                copies=variant.copies))
    return runs


def counts(variant, workers):
    if variant.alone:
        return [1]
    if variant.copies:
        return [count for count in workers if 1 < count <= len(os.sched_getaffinity(0))]
    return workers


# The settings that say how much, as opposed to what: the small values stand in the programs.
SIZES = {"--n", "--side", "--quantum", "--rest", "--rows", "--columns", "--cells", "--steps", "--gap", "--phases", "--quota",
         "--before"}


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
                where = ", next to a busy process" if run.busy else ""
                failures.append(
                    f"{case.name}, {run.label}, {run.workers} workers{where}: {problem}")
            elif number >= 0:
                run.reports.append(report)
    progress("")


def run_once(run):
    """The report and None, or None and what went wrong."""
    if not run.copies:
        return read(start(run.command, run.environment))
    cpus = sorted(os.sched_getaffinity(0))[:run.workers]
    answers = [read(process) for process in
               [start(run.command, run.environment, cpu) for cpu in cpus]]
    for report, problem in answers:
        if problem:
            return None, problem
    return shared([report for report, _ in answers]), None


def shared(reports):
    """One report of copies that ran at once: they did the work as often as there are copies, so the
    work once took a copy's time by their number."""
    times = zip(*(report["seconds"] for report in reports))
    return {**reports[0], "seconds": [sum(each) / len(each) ** 2 for each in times]}


def start(command, environment, cpu=None):
    pin = None if cpu is None else lambda: os.sched_setaffinity(0, {cpu})
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, preexec_fn=pin)


def read(process):
    """The report of a process that was started, and None; or None and what went wrong."""
    try:
        out, err = process.communicate(timeout=DEADLINE_SECONDS)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
        return None, f"not done after {DEADLINE_SECONDS} s"
    if process.returncode != 0:
        said = err.strip().splitlines()
        return None, said[-1] if said else f"exit status {process.returncode}"
    report = json.loads(out)
    if not report["verified"]:
        return None, "the result is wrong"
    return report, None


def progress(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)
