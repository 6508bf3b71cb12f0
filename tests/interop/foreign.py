#!/usr/bin/env python3
"""Builds oneTBB's conformance tests, from a copy of its repository, on EvenCube, and prints how many cases pass.

usage: foreign.py BUILD DIR [--only NAME]... [--compiler CXX] [--seconds N]

BUILD is where the project was built. DIR has oneTBB's folders `test` and `include`, best those of version 2021.8. Nothing in
them is changed: the folder `interop/as_tbb` is searched before them. Not part of the continuous integration: what fails is
printed, and the exit status is 0 if all files were tried."""

import argparse
import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
# What EvenCube does not offer, and why.
NOT_APPLICABLE = (
    (r".*_node|graph", "EvenCube has task_graph in place of flow::graph"),
    (r"resumable_tasks", "there are no resumable tasks"),
    (r"concurrent_.*", "containers are oneTBB's own"),
    (r"blocked_rangeNd", "a preview of oneTBB"),
)


def reason_not_applicable(name):
    for pattern, reason in NOT_APPLICABLE:
        if re.fullmatch(pattern, name):
            return reason
    return None


def build(source, options, folder):
    """The program, or None and what the compiler said first."""
    program = folder / source.stem
    folders = [ROOT / "interop" / "as_tbb", *(ROOT / part / "include" for part in ("interop", "algorithms", "runtime", "balancers")),
               options.build / "generated", options.dir / "test", options.dir / "include"]
    libraries = [options.build / "runtime/libevencube_runtime.a", options.build / "balancers/libevencube_balancers.a", "-lhwloc"]
    done = subprocess.run([options.compiler, "-std=c++20", "-O1", "-w", "-pthread", *(word for f in folders for word in ("-I", f)),
                           source, "-o", program, *libraries, "-ldl"], capture_output=True, text=True, check=False)
    if done.returncode == 0:
        return program, None
    errors = [line for line in done.stderr.splitlines() if "error" in line or "undefined" in line]
    return None, (errors or ["it does not compile"])[0]


def run(program, seconds):
    """(passed, failed, remark)."""
    try:
        done = subprocess.run([program], capture_output=True, text=True, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return 0, 0, f"has not ended after {seconds} s"
    found = re.search(r"test cases:\s*(\d+)\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed", done.stdout)
    if not found:
        return 0, 0, f"ends with status {done.returncode}"
    return int(found.group(2)), int(found.group(3)), ""


def main():
    parser = argparse.ArgumentParser(description="oneTBB's conformance tests on EvenCube")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--seconds", type=float, default=120)
    options = parser.parse_args()
    tests = sorted((options.dir / "test" / "conformance").glob("conformance_*.cpp"))
    if not tests:
        sys.exit(f"{options.dir} has no test/conformance")
    folder = options.build / "foreign"
    folder.mkdir(exist_ok=True)
    print(f"{'file':32} passed failed")
    total = [0, 0]
    for source in tests:
        name = source.stem.removeprefix("conformance_")
        if options.only and name not in options.only:
            continue
        reason = reason_not_applicable(name)
        if reason:
            print(f"{name:32} not applicable: {reason}")
            continue
        program, error = build(source, options, folder)
        if program is None:
            print(f"{name:32} does not compile: {error}", flush=True)
            continue
        passed, failed, remark = run(program, options.seconds)
        total = [total[0] + passed, total[1] + failed]
        print(f"{name:32} {passed:6} {failed:6} {remark}", flush=True)
    print(f"{'all':32} {total[0]:6} {total[1]:6}")


if __name__ == "__main__":
    main()
