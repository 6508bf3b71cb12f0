#!/usr/bin/env python3
"""Runs a program for Windows under Wine. CMake calls it for each test of the preset windows.

Of a GoogleTest program, the cases that not_applicable.txt lists are run apart from the others, and must fail. So a case
that passes, or that no longer exists, leaves the list.

usage: run.py WINE PROGRAM [ARGUMENTS...]      exit code: that of the program, or 1 if a line of the list is wrong
"""

import os
import pathlib
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIST = HERE / "not_applicable.txt"
# A listed case may hang.
PATIENCE = 120


def listed(text):
    """The cases of each program in the lines `PROGRAM CASE: REASON`; blank lines and those that begin with # say nothing."""
    cases = {}
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        where, separator, reason = line.partition(": ")
        words = where.split()
        if len(words) != 2 or not separator or not reason.strip():
            raise ValueError(f"line {number}: it is not PROGRAM CASE: REASON")
        cases.setdefault(words[0], []).append(words[1])
    return cases


def cases_of(text):
    """The full names in what --gtest_list_tests prints."""
    suite, names = "", set()
    for line in text.splitlines():
        name = line.split("#")[0].rstrip()
        if name.startswith("  "):
            names.add(suite + name.strip())
        elif name.endswith("."):
            suite = name
    return names


def wrong_lines(command, cases, environment):
    """What is wrong with the list, a line each."""
    found = subprocess.run([*command, "--gtest_list_tests"], env=environment, stdout=subprocess.PIPE, text=True, check=True)
    existing = cases_of(found.stdout)
    for case in cases:
        if case not in existing:
            yield f"{case} does not exist"
            continue
        try:
            status = subprocess.run([*command, f"--gtest_filter={case}"], env=environment, stdout=subprocess.DEVNULL,
                                    stderr=subprocess.DEVNULL, timeout=PATIENCE, check=False).returncode
        except subprocess.TimeoutExpired:
            continue
        if status == 0:
            yield f"{case} passes"


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    command = sys.argv[1:]
    environment = {"WINEDEBUG": "-all", "WINEPREFIX": str(HERE.parents[1] / "build" / "wine"), **os.environ}
    cases = listed(LIST.read_text(encoding="utf-8")).get(pathlib.Path(command[1]).stem, [])
    if not cases or len(command) > 2:
        sys.exit(subprocess.run(command, env=environment, check=False).returncode)
    status = subprocess.run([*command, "--gtest_filter=-" + ":".join(cases)], env=environment, check=False).returncode
    if os.environ.get("GTEST_SHARD_INDEX", "0") == "0":
        alone = {name: value for name, value in environment.items() if not name.startswith("GTEST_")}
        for wrong in wrong_lines(command, cases, alone):
            print(f"{LIST.name}: {wrong}: take it from the list")
            status = status or 1
    sys.exit(status)


if __name__ == "__main__":
    main()
