#!/usr/bin/env python3
"""The figures that the pages quote from docs/benchmarks/*.json are those of these files.

usage: figures_test.py ROOT"""

import importlib.util
import pathlib
import subprocess
import sys


def main():
    root = pathlib.Path(sys.argv[1]).resolve()
    script = root / "docs/benchmarks/quote.py"
    done = subprocess.run([sys.executable, "-B", script, "--check"], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        sys.exit(f"{done.stderr}docs/benchmarks/quote.py writes the figures again")
    described = importlib.util.spec_from_file_location("quote", script)
    quote = importlib.util.module_from_spec(described)
    described.loader.exec_module(quote)
    marks = sum(len(quote.MARK.findall(page.read_text(encoding="utf-8"))) for page in quote.pages(root))
    if marks < 120:
        sys.exit(f"only {marks} figures have a mark")
    # The check finds a figure that differs, and what names nothing is no figure.
    results = quote.all_results()
    mark = "<!-- results fib-39/evencube/1/to_serial .2f -->"
    right, changes = quote.quoted(f"it takes {mark}", results)
    if not changes or quote.quoted(right, results) != (right, []):
        sys.exit(f"a missing figure was not filled in: {right}")
    if not quote.quoted(f"it takes 0.01{mark}", results)[1]:
        sys.exit("a wrong figure was not found")
    if (quote.written(1234.5, ".2g"), quote.written(0.125, ".2g")) != ("1200", "0.12"):
        sys.exit("a figure is not written as people write it")
    try:
        quote.quoted(f"it takes {mark.replace('evencube', 'nobody')}", results)
    except ValueError:
        return
    sys.exit("a row that is not there was not found")


if __name__ == "__main__":
    main()
