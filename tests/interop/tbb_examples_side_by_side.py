#!/usr/bin/env python3
"""The examples that come with Debian's oneTBB (libtbb-doc), as they are, built on EvenCube and on oneTBB: both print the same;
and, if asked, how long each took.

usage: tbb_examples_side_by_side.py BUILD [--time] [--workers N] [--rounds N] [--only NAME]... [--compiler CXX]

BUILD is where the project was built. Nothing of the examples is changed: the headers that they include by oneTBB's names are
made, in a folder of the build, to include <evencube/interop/as_tbb.hpp> instead. Exit status 77 where the examples or oneTBB
are not installed."""

import argparse
import os
import pathlib
import re
import shutil
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
EXAMPLES = pathlib.Path("/usr/share/doc/libtbb-dev/examples")
SKIPPED = 77
DEADLINE_SECONDS = 600

# What oneTBB calls those of its headers that there are adaptors for.
HEADERS = ("blocked_range", "blocked_range2d", "blocked_range3d", "cache_aligned_allocator", "combinable",
           "enumerable_thread_specific", "global_control", "info", "mutex", "parallel_for", "parallel_for_each",
           "parallel_invoke", "parallel_pipeline", "parallel_reduce", "parallel_scan", "parallel_sort", "partitioner",
           "scalable_allocator", "spin_mutex", "task_arena", "task_group", "tbb_allocator", "tick_count")


@dataclass(frozen=True)
class Example:
    """`check` and `time`: its arguments for a short run, whose output is compared, and for one worth timing; WORKERS stands
    for their number, EXAMPLE for its folder. `written`: a file that it writes, compared as well."""
    name: str
    sources: tuple
    check: tuple = ()
    time: tuple = ()
    written: str = ""


CONSOLE = "common/gui/convideo.cpp"
ALL = (
    Example("getting_started/sub_string_finder", ("sub_string_finder_extended.cpp",)),
    Example("parallel_for/seismic", ("main.cpp", "seismic_video.cpp", "universe.cpp", CONSOLE),
            ("WORKERS", "50"), ("WORKERS", "4000")),
    Example("parallel_for/tachyon", ("src/*.cpp", "!src/trace.*.cpp", "src/trace.tbb.cpp", CONSOLE),
            ("EXAMPLE/dat/model2.dat",), ("EXAMPLE/dat/balls3.dat",)),
    Example("parallel_for_each/parallel_preorder", ("main.cpp", "Graph.cpp", "parallel_preorder.cpp"),
            ("WORKERS", "500", "20"), ("WORKERS", "1000", "500")),
    Example("parallel_pipeline/square", ("square.cpp", "gen_input.cpp"),
            ("WORKERS", "input.txt", "output.txt"), ("WORKERS", "input.txt", "output.txt"), "output.txt"),
    Example("parallel_reduce/primes", ("main.cpp", "primes.cpp"), ("WORKERS", "2000000"), ("WORKERS", "500000000")),
    Example("task_arena/fractal", ("main.cpp", "fractal.cpp", CONSOLE), ("WORKERS", "1", "200"), ("WORKERS", "4", "1000")),
    Example("task_group/sudoku", ("sudoku.cpp",), ("WORKERS", "EXAMPLE/input1"), ("WORKERS", "EXAMPLE/input4")),
)
# Seconds, and what is told by them.
TIMES = re.compile(r"[-+]?\d+\.?\d*(?:e[-+]?\d+)?(?= *(?:sec|frame))|(?<=speedup of )\S+|(?<=[Tt]ime = )\S+|(?<=Time: )\S+")


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def sources(example):
    """The patterns, in turn; with a ! what is taken away."""
    found = []
    for pattern in example.sources:
        base = EXAMPLES if pattern == CONSOLE else EXAMPLES / example.name
        if pattern.startswith("!"):
            found = [path for path in found if path not in set(base.glob(pattern[1:]))]
        else:
            found += sorted(base.glob(pattern))
    return found


def write_headers(folder):
    for name in ("tbb.h", *(f"tbb/{header}.h" for header in HEADERS)):
        path = folder / "oneapi" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("#include <evencube/interop/as_tbb.hpp>\n", encoding="utf-8")
    (folder / "tbb").mkdir(exist_ok=True)
    for header in HEADERS + ("tbb",):
        (folder / "tbb" / f"{header}.h").write_text("#include <evencube/interop/as_tbb.hpp>\n", encoding="utf-8")


def compile_example(example, engine, options, work):
    program = work / f"{example.name.rpartition('/')[2]}_{engine}"
    optimised = "-O3" if options.time else "-O1"  # what they print is the same, and most of the test is to compile them
    # Aligned alike: the same instructions took 1.4 times as long where a loop began 16 bytes further on.
    command = [options.compiler, "-std=c++20", optimised, "-DNDEBUG", "-falign-functions=64", "-falign-loops=32", "-w", "-pthread",
               "-I", EXAMPLES]
    if engine == "evencube":
        build = options.build
        folders = [work / "headers", *(ROOT / part / "include" for part in ("interop", "algorithms", "runtime", "balancers")),
                   build / "generated"]
        libraries = [build / "runtime/libevencube_runtime.a", build / "balancers/libevencube_balancers.a", "-lhwloc"]
    else:
        folders, libraries = [], ["-ltbb"]
    files = []
    cached = [shutil.which("ccache")] if shutil.which("ccache") else []
    for number, source in enumerate(sources(example)):
        made = f"{program}_{number}.o"
        words = [word for folder in folders for word in ("-I", folder)]
        done = subprocess.run([*cached, *command, *words, "-c", source, "-o", made], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{example.name} does not compile on {engine}:\n{done.stderr[:4000]}")
        files.append(made)
    done = subprocess.run([options.compiler, "-pthread", *files, "-o", program, *libraries], capture_output=True, text=True,
                          check=False)
    if done.returncode != 0:
        sys.exit(f"{example.name} does not link on {engine}:\n{done.stderr[:4000]}")
    return program


def run(example, engine, program, arguments, options, work):
    """Seconds, what it printed without its own times, and what it wrote."""
    folder = work / "run" / example.name / engine
    folder.mkdir(parents=True, exist_ok=True)
    words = [word.replace("WORKERS", str(options.workers)).replace("EXAMPLE", str(EXAMPLES / example.name))
             for word in arguments]
    begin = time.monotonic()
    done = subprocess.run([program, *words], cwd=folder, capture_output=True, text=True, stdin=subprocess.DEVNULL,
                          timeout=DEADLINE_SECONDS, check=False)
    seconds = time.monotonic() - begin
    if done.returncode != 0:
        sys.exit(f"{example.name} on {engine} ends with {done.returncode}:\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
    written = (folder / example.written).read_bytes() if example.written else b""
    # Which of two fractals is done first is chance.
    return seconds, "\n".join(sorted(TIMES.sub("#", done.stdout).splitlines())), written


def check(example, programs, options, work):
    ours, theirs = (run(example, engine, programs[engine], example.check, options, work)[1:] for engine in ("evencube", "tbb"))
    if ours != theirs:
        sys.exit(f"{example.name} differs:\n--- EvenCube\n{ours[0]}\n--- oneTBB\n{theirs[0]}")
    if not ours[0].strip():
        sys.exit(f"{example.name} prints nothing")
    print(f"{example.name}: the same", flush=True)


def measure(example, programs, options, work):
    """Medians of whole processes, run in turn, the order reversed every other round; the first round does not count."""
    times = {engine: [] for engine in programs}
    for number in range(options.rounds + 1):
        for engine in sorted(programs, reverse=number % 2 == 1):
            seconds = run(example, engine, programs[engine], example.time, options, work)[0]
            if number > 0:
                times[engine].append(seconds)
    ours, theirs = (statistics.median(times[engine]) for engine in ("evencube", "tbb"))

    def spread(engine):
        return f"[{min(times[engine]):.3f} .. {max(times[engine]):.3f}]"
    print(f"{example.name:36} EvenCube {ours:7.3f} s {spread('evencube'):20} oneTBB {theirs:7.3f} s {spread('tbb'):20} "
          f"ratio {ours / theirs:.3f}", flush=True)


def options_of(words):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("build", type=pathlib.Path, metavar="BUILD")
    parser.add_argument("--time", action="store_true", help="measure, too: for a quiet machine")
    parser.add_argument("--workers", type=int, default=2, metavar="N", help="threads of both (%(default)s)")
    parser.add_argument("--rounds", type=int, default=7, metavar="N", help="that count (%(default)s)")
    parser.add_argument("--only", action="append", default=[], metavar="NAME", help="only examples whose name has this in it")
    parser.add_argument("--compiler", default="c++", metavar="CXX", help="(%(default)s)")
    options = parser.parse_args(words)
    if options.workers < 1 or options.rounds < 1:
        parser.error("--workers and --rounds must be at least 1")
    options.build = options.build.resolve()
    options.chosen = [example for example in ALL if not options.only or any(word in example.name for word in options.only)]
    if not options.chosen:
        parser.error(f"no example is called so; there are {', '.join(example.name for example in ALL)}")
    return options


def main():
    options = options_of(sys.argv[1:])
    if not EXAMPLES.is_dir():
        skip(f"oneTBB's examples are not in {EXAMPLES} (Debian: libtbb-doc)")
    if not pathlib.Path("/usr/include/oneapi/tbb.h").exists():
        skip("oneTBB is not installed (Debian: libtbb-dev)")
    work = options.build / "tbb-examples"
    shutil.rmtree(work, ignore_errors=True)
    work.mkdir()
    write_headers(work / "headers")
    environment = {name: value for name, value in os.environ.items() if name != "EVENCUBE_WORKERS"}
    os.environ.clear()
    os.environ.update(environment)
    for example in options.chosen:
        missing = [pattern for pattern in example.sources if not pattern.startswith("!") and not any(
            (EXAMPLES if pattern == CONSOLE else EXAMPLES / example.name).glob(pattern))]
        if missing:
            print(f"{example.name}: not in this version, which has no {missing[0]}")
            continue
        programs = {engine: compile_example(example, engine, options, work) for engine in ("evencube", "tbb")}
        check(example, programs, options, work)
        if options.time:
            measure(example, programs, options, work)


if __name__ == "__main__":
    main()
