"""Curves for larger machines: how a few cases go with 1, 2, 4, ... and all workers, in a given time.

`bench/run curve` runs them in turn, in as many rounds as the time allows, and writes a file of results and
a picture. It needs Python only.
"""

import argparse
import json
import math
import os
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass, field
from xml.sax.saxutils import escape

import machine
import suite
import tables

# The largest folder that a pack of these programs may make.
MOST_MEBIBYTES = 64


@dataclass(frozen=True)
class Curve:
    name: str
    about: str
    # What is drawn: the speed-up over serial code, or a time in seconds.
    unit: str
    # label: (program, words of its command, environment)
    variants: dict = field(hash=False)


def of(workload, *settings, variants):
    """Benchmark programs: label: (engine, settings of its own)."""
    return {label: (f"{workload}_{engine}", [*settings, *own], suite.BIND if engine == "openmp" else {})
            for label, (engine, own) in variants.items()}


EVERY = {"serial": ("serial", []), "evencube": ("evencube", []), "tbb": ("tbb", []), "openmp": ("openmp", [])}
LOOPS = {"evencube": ("evencube", []), "tbb": ("tbb", []), "openmp": ("openmp", [])}
STEPS = {"serial": ("serial", []), "evencube balanced_loop": ("evencube", []),
         "evencube parallel_for": ("evencube", ["--by", "parallel_for"]), "tbb affinity": ("tbb", ["--partitioner", "affinity"]),
         "openmp static": ("openmp", [])}

CURVES = (
    Curve("fork-join", "fib(35), a task for every call", "speed-up", of("fib", "--n", "35", variants=EVERY)),
    Curve("phases", "100 us of serial code, then a loop of 2 items of 20 us a worker, again and again: the loops alone",
          "speed-up", of("phases", "--phases", "500", variants=LOOPS)),
    Curve("skewed tasks", "4096 tasks of 10 us on worker 0, the first 128 of them 32 times as long", "speed-up",
          of("skewed", "--quantum", "10", "--head", "yes", variants=LOOPS)),
    Curve("skewed loop", "the same loop again and again, over cells with a swarm that moves", "speed-up",
          of("particles", "--steps", "50", variants=STEPS)),
    Curve("matmul", "1024 x 1024, recursive", "speed-up", of("matmul", "--n", "1024", variants=EVERY)),
    Curve("edges", "the workload edges of the command line", "speed-up", {"evencube": ("evencube", ["run", "edges"], {})}),
    Curve("rounds", "a balancing round that spreads 10000 tasks, while the workers run", "seconds",
          {f"evencube {how}": ("rounds_evencube", [how], {}) for how in ("direct", "pipelined")}),
)


@dataclass
class Run:
    curve: str
    variant: str
    workers: int
    command: list
    environment: dict
    values: list = field(default_factory=list)
    took: float = 0.0
    failed: bool = False


def programs():
    """Of the benchmarks; `evencube` itself is needed, too."""
    return {program for curve in CURVES for program, _, _ in curve.variants.values()} - {"evencube"}


def plan(build, counts, tiny):
    runs = []
    for curve in CURVES:
        for label, (program, words, environment) in curve.variants.items():
            path = os.path.join(build, program) if program == "evencube" else os.path.join(build, "bench", program)
            if not os.path.exists(path):
                continue
            for workers in [1] if label == "serial" else counts:
                if program == "rounds_evencube":
                    if workers < 2 or words[0] != "direct":
                        continue  # one run gives all of them
                    command = ["--workers", str(workers), "--repetitions", "1" if tiny else "5",
                               "--no-payloads", "--json"]
                    command = (["--tiny"] if tiny else []) + command
                elif program == "evencube":
                    command = [*words, "--workers", str(workers), "--json", *(["--size", "64"] if tiny else [])]
                else:
                    command = ["--workers", str(workers),
                               *(["--tiny", *kept_in_tiny(words)] if tiny else [*words, "--repetitions", "3"])]
                runs.append(Run(curve.name, label, workers, [path, *command], environment))
    return runs


def kept_in_tiny(words):
    return [word for option, value in zip(words[::2], words[1::2]) if not value.isdigit() for word in (option, value)]


def once(run, seconds):
    """The values of one process by variant, or None and what went wrong. An empty result: there was no time left."""
    try:
        done = subprocess.run(run.command, env={**os.environ, **run.environment}, capture_output=True, text=True, check=False,
                              timeout=seconds)
    except subprocess.TimeoutExpired:
        return {}, None
    except OSError as problem:
        return None, str(problem)
    if done.returncode != 0:
        return None, (done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1]
    report = json.loads(done.stdout)
    if not report.get("verified", True):
        return None, "the result is wrong"
    if "rounds" in report and "benchmark" in report:
        return {f"evencube {row['transmission']}": [row["seconds"]["median"]] for row in report["rounds"]
                if not row["held"]}, None
    if "efficiency" in report and isinstance(report["efficiency"], list):
        return {run.variant: [value * run.workers for value in report["efficiency"]]}, None
    if run.curve == "edges":
        return {run.variant: [report["serial_seconds"] / report["seconds"]]}, None
    return {run.variant: report["seconds"]}, None


def measure(runs, seconds, tiny):
    """Runs them in turn until the time is over, each at least once if there is time for that. Gives the values by curve,
    variant and number of workers, the number of whole rounds, and the failures."""
    end = time.monotonic() + seconds
    values, failures, rounds = {}, [], 0
    while True:
        for run in runs if rounds % 2 == 0 else list(reversed(runs)):
            left = end - time.monotonic()
            if run.failed or left < 1.2 * run.took or left <= 0:
                continue
            tell(f"round {rounds + 1}, {run.curve}, {run.variant}, {run.workers} workers; {max(0, left):.0f} s left")
            begun = time.monotonic()
            found, problem = once(run, left)
            run.took = max(run.took, time.monotonic() - begun)
            if problem:
                run.failed = True
                failures.append(f"{run.curve}, {run.variant}, {run.workers} workers: {problem}")
            for variant, some in (found or {}).items():
                values.setdefault((run.curve, variant, run.workers), []).extend(some)
        rounds += 1
        left = end - time.monotonic()
        if tiny or left < max([1.2 * run.took for run in runs if not run.failed], default=math.inf):
            tell("")
            return values, rounds, failures


def tell(text):
    if sys.stderr.isatty():
        print(f"\r\033[K{text}", end="", file=sys.stderr, flush=True)


def rows_of(curve, values):
    """The rows of a curve. Times of programs become speed-ups over the serial program, in the order of the variants."""
    of_serial = values.get((curve.name, "serial", 1))
    timed = curve.unit == "speed-up" and of_serial is not None
    rows = []
    for (name, variant, workers), found in sorted(values.items(), key=lambda item: item[0][2]):
        if name != curve.name or variant not in curve.variants or timed and variant == "serial":
            continue
        if timed:
            found = [statistics.median(of_serial) / seconds for seconds in found]
        rows.append({"variant": variant, "workers": workers, "median": statistics.median(found), "min": min(found),
                     "max": max(found), "runs": len(found)})
    order = list(curve.variants)
    return sorted(rows, key=lambda row: (order.index(row["variant"]), row["workers"]))


def results(values):
    return [{"curve": curve.name, "about": curve.about, "unit": curve.unit, "rows": rows_of(curve, values)} for curve in CURVES]


WIDTH, HEIGHT, LEFT, TOP, BOTTOM, ACROSS, LEGEND = 400, 330, 56, 44, 40, 2, 16
COLOURS = ("#0550ae", "#bc4c00", "#1a7f37", "#8250df", "#57606a")
STYLE = "text{font:11px sans-serif;fill:#1f2328}.t{font-weight:bold;font-size:13px}.g{stroke:#d0d4da}.i{stroke:#57606a;stroke-dasharray:3 3}"


def picture(title, curves):
    """The curves as SVG: a panel for each that has rows, on logarithmic scales."""
    curves = [curve for curve in curves if curve["rows"]]
    down = math.ceil(len(curves) / ACROSS)
    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH * ACROSS}" height="{30 + HEIGHT * down}">',
             f"<style>{STYLE}</style>", '<rect width="100%" height="100%" fill="#ffffff"/>',
             f'<text class="t" x="12" y="20">{escape(title)}</text>']
    for number, curve in enumerate(curves):
        lines += panel(curve, WIDTH * (number % ACROSS), 30 + HEIGHT * (number // ACROSS))
    return "\n".join([*lines, "</svg>"]) + "\n"


def panel(curve, left, top):
    rows = curve["rows"]
    counts = sorted({row["workers"] for row in rows})
    variants = list(dict.fromkeys(row["variant"] for row in rows))
    speed = curve["unit"] == "speed-up"
    low = min([row["min"] for row in rows] + ([1.0] if speed else []))
    high = max([row["max"] for row in rows] + ([counts[-1]] if speed else []))
    least, most = 2.0 ** math.floor(math.log2(low)), 2.0 ** math.ceil(math.log2(high) + 1e-9)
    most = max(most, 2 * least)
    wide, tall = WIDTH - LEFT - 16, HEIGHT - TOP - BOTTOM - LEGEND * math.ceil(len(variants) / 2)

    def x(workers):
        span = math.log2(counts[-1] / counts[0]) or 1.0
        return left + LEFT + wide * math.log2(workers / counts[0]) / span

    def y(value):
        return top + TOP + tall * (1 - math.log2(value / least) / math.log2(most / least))

    yield f'<text class="t" x="{left + 12}" y="{top + 18}">{escape(curve["name"])}</text>'
    yield f'<text x="{left + 12}" y="{top + 34}">{escape("speed-up over serial code" if speed else "time")}</text>'
    value, steps = least, math.log2(most / least)
    while value <= most * 1.001:
        yield f'<line class="g" x1="{left + LEFT}" x2="{left + LEFT + wide}" y1="{y(value):.1f}" y2="{y(value):.1f}"/>'
        name = f"{value:g}" if speed else tables.duration(value)
        yield f'<text x="{left + LEFT - 5}" y="{y(value) + 4:.1f}" text-anchor="end">{escape(name)}</text>'
        value *= 2.0 ** max(1, math.ceil(steps / 8))
    for workers in counts:
        yield (f'<text x="{x(workers):.1f}" y="{top + TOP + tall + 16}" text-anchor="middle">{workers}</text>')
    if speed:
        ends = [(count, count) for count in (counts[0], counts[-1])]
        yield (f'<line class="i" x1="{x(ends[0][0]):.1f}" y1="{y(ends[0][1]):.1f}" x2="{x(ends[1][0]):.1f}" '
               f'y2="{y(ends[1][1]):.1f}"/>')
    for number, variant in enumerate(variants):
        colour = COLOURS[number % len(COLOURS)]
        points = [(x(row["workers"]), y(row["median"]), y(row["min"]), y(row["max"])) for row in rows
                  if row["variant"] == variant]
        line = " ".join(f"{across:.1f},{middle:.1f}" for across, middle, _, _ in points)
        yield f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.8"/>'
        for across, middle, bottom, peak in points:
            yield f'<line x1="{across:.1f}" x2="{across:.1f}" y1="{bottom:.1f}" y2="{peak:.1f}" stroke="{colour}"/>'
            yield f'<circle cx="{across:.1f}" cy="{middle:.1f}" r="3" fill="{colour}"/>'
        at_x = left + LEFT + (number % 2) * wide / 2
        at_y = top + TOP + tall + 34 + LEGEND * (number // 2)
        yield f'<circle cx="{at_x:.1f}" cy="{at_y - 4:.1f}" r="4" fill="{colour}"/>'
        yield f'<text x="{at_x + 9:.1f}" y="{at_y:.1f}">{escape(variant)}</text>'


def print_curve(curve):
    print(f"\n{curve['curve']}: {curve['about']}")
    if not curve["rows"]:
        print("  nothing to show")
        return
    counts = sorted({row["workers"] for row in curve["rows"]})
    shown = {(row["variant"], row["workers"]): f"{row['median']:.2f}" if curve["unit"] == "speed-up"
             else tables.duration(row["median"]) for row in curve["rows"]}
    tables.print_table([curve["unit"], *map(str, counts)],
                       [[variant, *(shown.get((variant, workers), "-") for workers in counts)]
                        for variant in dict.fromkeys(row["variant"] for row in curve["rows"])])


def arguments(words, numbers):
    parser = argparse.ArgumentParser(prog="bench/run curve", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=8.0, metavar="M", help="how long it may take in all (%(default)s)")
    parser.add_argument("--workers", type=numbers, default=numbers("doubling"), metavar="N,N",
                        help="how many workers (1, 2, 4, ... and all the CPUs this process may use)")
    parser.add_argument("--output", default=".", metavar="DIR", help="where curve.json and curve.svg are written (%(default)s)")
    parser.add_argument("--tiny", action="store_true", help="small sizes, one round: does it work? The times mean nothing")
    options = parser.parse_args(words)
    if not 0 < options.minutes <= 1440:
        parser.error(f"--minutes {options.minutes:g}: must be above 0 and at most 1440")
    if not os.path.isdir(options.output):
        parser.error(f"--output {options.output}: there is no such folder")
    return options


def main(build, words, numbers):
    options = arguments(words, numbers)
    runs = plan(build, options.workers, options.tiny)
    if not runs:
        sys.exit(f"bench: nothing is built in {os.path.join(build, 'bench')}")
    about = machine.describe(build)
    tables.print_machine(about)
    values, rounds, failures = measure(runs, 60 * options.minutes, options.tiny)
    curves = results(values)
    for curve in curves:
        print_curve(curve)
    files = {"curve.json": json.dumps({"machine": about, "tiny": options.tiny, "rounds": rounds, "curves": curves,
                                       "failures": failures}, indent=1) + "\n",
             "curve.svg": picture(f"{about['processor']}, {len(about['allowed_cpus'])} CPUs, commit {about['commit']}",
                                  [{**curve, "name": curve["curve"]} for curve in curves])}
    print()
    for name, text in files.items():
        path = os.path.join(options.output, name)
        with open(path, "w", encoding="utf-8") as out:
            out.write(text)
        print(path)
    for failure in failures:
        print(f"FAILED: {failure}", file=sys.stderr)
    return 1 if failures else 0
