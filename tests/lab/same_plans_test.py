#!/usr/bin/env python3
"""The planners in the page answer as the native ones do, byte for byte, on drawn requests and recordings.

usage: same_plans_test.py DRAWN_CASES PAGE NUMBER

For more cases than the test has: same_plans_test.py build/checked/tests/lab/lab_drawn_cases PAGE 10000.
Exit status 77 where the page was not built or node is missing."""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent


def compared(node, page, cases):
    """What node says, and its exit status."""
    done = subprocess.run([node, HERE / "same_plans.mjs", page, cases], capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def main():
    program, page, number = sys.argv[1:]
    if page == "none":
        print("skipped: the page of the lab was not built, because emscripten is missing (Debian: emscripten)")
        return 77
    node = shutil.which("node") or shutil.which("nodejs")
    if not node:
        print("skipped: no node to run WebAssembly with (Debian: nodejs)")
        return 77
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
        cases = pathlib.Path(folder) / "cases"
        with cases.open("w", encoding="utf-8") as out:
            subprocess.run([program, number, folder], stdout=out, check=True)
        status, said = compared(node, page, cases)
        print(said, end="")
        if status:
            return 1
        # Each number is a request, a recording that is opened, and a request for its rounds.
        found = re.search(r"^(\d+) requests, \d+ of them refused, (\d+) recordings opened, ", said, re.MULTILINE)
        if not found or int(found[1]) != 3 * int(number) + 2 or int(found[2]) < int(number) // 4:
            print("not all requests were answered, or too few recordings were opened")
            return 1
        # The comparison finds a difference: one digit of one answer is changed.
        lines = cases.read_text(encoding="utf-8").splitlines()
        lines[1] = lines[1].replace("4096", "4097", 1)
        cases.write_text("\n".join(lines) + "\n", encoding="utf-8")
        status, said = compared(node, page, cases)
        if status != 1 or "1 answered differently" not in said:
            print(f"a changed answer is not found: {said}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
