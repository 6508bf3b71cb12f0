#!/usr/bin/env python3
"""Keeps the figures that the pages quote equal to the committed results.

usage: quote.py            writes the figures of the results into the pages
       quote.py --check    fails and lists each figure that differs

A figure that comes from the results has a mark behind it, which readers do not see:

    2.40<!-- results fib-39/evencube/1/to_serial .2f -->

The mark names the file in this folder, the case, the variant, the number of workers, what is quoted and how it is written.
What can be quoted: the fields of a row; `ms`, `us` and `ns`, the median in that unit; `us_per_unit`; `efficiency`, the part of the workers'
time that serial code would have needed; `gain`, how many times as fast as with one worker; and `per:VARIANT`, the median
divided by that of another variant with as many workers. `slow_down` is of the row next to a busy process.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
MARK = re.compile(r"(?P<shown>[\d.,]*\d)?<!-- (?P<file>\w+) (?P<case>[^/]+)/(?P<variant>[^/]+)/(?P<workers>\d+)/(?P<what>[\w:'. -]+?) "
                  r"(?P<form>,?\.\d[fg]) -->")
UNITS = {"ms": 1e3, "us": 1e6, "ns": 1e9}


def row_of(results, case, variant, workers, busy=False):
    rows = [row for entry in results["cases"] if entry["case"] == case for row in entry["rows"]
            if (row["variant"], row["workers"], bool(row.get("neighbour"))) == (variant, workers, busy)]
    if len(rows) != 1:
        raise ValueError(f"{len(rows)} rows of {case}/{variant}/{workers}")
    return rows[0]


def value(results, case, variant, workers, what):
    row = row_of(results, case, variant, workers, what == "slow_down")
    if what in UNITS:
        return row["median"] * UNITS[what]
    if what == "us_per_unit":
        return row["ns_per_unit"] / 1e3
    if what == "efficiency":
        return 1 / (workers * row["to_serial"])
    if what == "gain":
        return row_of(results, case, variant, 1)["median"] / row["median"]
    if what.startswith("per:"):
        return row["median"] / row_of(results, case, what[4:], workers)["median"]
    if not isinstance(row.get(what), (int, float)):
        raise ValueError(f"{case}/{variant}/{workers} has no {what}")
    return row[what]


def written(number, form):
    """The number in that form, without an exponent."""
    made = format(number, form)
    return format(float(made), ".0f") if "e" in made else made


def quoted(text, results):
    """The text with each marked figure as the results have it, and the figures that differed."""
    changes = []

    def figure(mark):
        made = written(value(results[mark["file"]], mark["case"], mark["variant"], int(mark["workers"]), mark["what"]), mark["form"])
        if made != mark["shown"]:
            changes.append(f"{mark['case']}/{mark['variant']}/{mark['workers']}/{mark['what']} is {made}, not {mark['shown']}")
        return made + mark[0][len(mark["shown"] or ""):]

    return MARK.sub(figure, text), changes


def all_results():
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in HERE.glob("*.json")}


def pages(root):
    return [root / "README.md", *sorted((root / "docs").glob("*.md"))]


def main():
    root, results, wrong = HERE.parent.parent, all_results(), []
    for page in pages(root):
        text = page.read_text(encoding="utf-8")
        if text.count("<!-- ") != len(MARK.findall(text)):
            wrong.append(f"{page.relative_to(root)}: a comment that is no mark of a figure")
        made, changes = quoted(text, results)
        wrong += [f"{page.relative_to(root)}: {change}" for change in changes]
        if made != text and "--check" not in sys.argv:
            page.write_text(made, encoding="utf-8")
    if wrong and "--check" in sys.argv:
        sys.exit("\n".join(wrong))
    print("\n".join(wrong))


if __name__ == "__main__":
    main()
