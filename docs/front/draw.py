#!/usr/bin/env python3
"""Draws the chart at the top of the README from the committed results.

usage: draw.py           writes times.svg next to this script
       draw.py --text    prints what the README says about the chart instead

The bars show medians on two workers, the thin lines the fastest and the slowest run. Each case has its own scale, which begins
at 0. The colours follow the reader's browser, light or dark. tests/repository/readme_test.py compares the chart and the text
with the results.
"""

import json
import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
RESULTS = HERE.parent / "benchmarks" / "results.json"
WORKERS = 2
# The libraries, by the names that the results have for them, with their versions.
LIBRARIES = {"tbb": "oneTBB", "lace": "Lace", "libfork": "libfork", "citor": "citor"}
# For each column the cases: the case, its title in the chart, its name in the text, and the rows to show after EvenCube's.
COLUMNS = (
    (("fib-35", "fib(35): a task for each of 30 million calls", "fib(35)", ("lace", "libfork", "citor", "tbb", "openmp")),
     ("skynet", "A tree with 10 million leaves (skynet)", "skynet", ("tbb", "openmp"))),
    (("uts-T3", "Unbalanced tree search (UTS T3), 4 million nodes", "unbalanced tree search T3", ("tbb", "openmp")),
     ("phases-20", "1500 short loops of 4 items of 20 us", "1500 loops of 4 items of 20 us",
      ("citor", "tbb", "openmp dynamic", "taskflow"))),
)

STYLE = """
  .paper { fill: #ffffff }
  text { font: 12px sans-serif; fill: #1f2328 }
  .title { font-weight: bold }
  .name { text-anchor: end }
  .small { font-size: 11px; fill: #59636e }
  .ours { fill: #15897b } .other { fill: #b6bec8 }
  .range { stroke: #1f2328; stroke-width: 1.5 }
  .strong { font-weight: bold }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #0d1117 }
    text { fill: #f0f6fc }
    .small { fill: #9198a1 }
    .ours { fill: #2fb5a3 } .other { fill: #545d68 }
    .range { stroke: #f0f6fc }
  }
"""

WIDTH, COLUMN, LEFT, BAR, STEP, TITLE, GAP = 880, 440, 136, 226, 19, 22, 14


def name_of(about, variant):
    """The engine with its version, as the chart shows it."""
    if variant == "evencube":
        return "EvenCube"
    engine = variant.split()[0]
    if engine == "openmp":
        return "OpenMP (clang " + re.search(r"clang version (\d+)", about["compiler"])[1] + ")"
    library = LIBRARIES.get(engine, engine.capitalize())
    return library + " " + re.search(rf"\b{library} (\d+\.\d+)", about["rivals"])[1]


def rows(results, case, others):
    """For each engine its name and its row on WORKERS workers."""
    [found] = [entry["rows"] for entry in results["cases"] if entry["case"] == case]
    for variant in ("evencube", *others):
        [row] = [row for row in found if row["variant"] == variant and row["workers"] == WORKERS]
        yield name_of(results["machine"], variant), row


def milliseconds(seconds):
    value = 1e3 * seconds
    return f"{value:,.0f} ms" if value >= 30 else f"{value:.1f} ms"


def text(results):
    """The chart in words: the README's description of the picture, for readers who do not see it."""
    parts = []
    for case, _, name, others in (each for column in COLUMNS for each in column):
        times = ", ".join(f"{engine} {milliseconds(row['median'])}" for engine, row in rows(results, case, others))
        parts.append(f"{name}: {times}")
    return "; ".join(parts)


def group(results, case, title, others, x, y):
    """One case: its title and a bar for each engine."""
    found = list(rows(results, case, others))
    scale = BAR / max(row["max"] for _, row in found)
    yield f'<text x="{x + 8}" y="{y + 14}" class="title">{title}</text>'
    for line, (engine, row) in enumerate(found):
        top = y + TITLE + STEP * line
        middle, length = top + 7.5, row["median"] * scale
        ours = engine == "EvenCube"
        least, most = (x + LEFT + row[key] * scale for key in ("min", "max"))
        strong = " strong" if ours else ""
        yield f'<text x="{x + LEFT - 8}" y="{middle + 4}" class="name{strong}">{engine}</text>'
        yield f'<rect x="{x + LEFT}" y="{top}" width="{length:.1f}" height="15" class="{"ours" if ours else "other"}"/>'
        yield f'<path d="M{least:.1f} {middle}H{most:.1f}" class="range"/>'
        yield f'<text x="{most + 7:.1f}" y="{middle + 4}" class="{strong.strip()}">{milliseconds(row["median"])}</text>'


def picture(results):
    parts, height = [], 0
    for number, column in enumerate(COLUMNS):
        y = 6
        for case, title, _, others in column:
            parts += group(results, case, title, others, COLUMN * number, y)
            y += TITLE + STEP * (1 + len(others)) + GAP
        height = max(height, y + 24)
    parts.insert(0, f'<rect class="paper" width="{WIDTH}" height="{height}"/>')
    about = results["machine"]
    parts.append(f'<text x="8" y="{height - 10}" class="small">Less is faster. Medians on two workers, the lines are the fastest '
                 f'and the slowest run; {about["processor"]}, {about["cpus"]} CPUs, {about["date"][:10]}.</text>')
    return (f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" viewBox="0 0 {WIDTH} {height}" '
            f'role="img">\n<title>{text(results)}</title>\n<style>{STYLE}</style>\n' + "\n".join(parts) + "\n</svg>\n")


def main():
    results = json.loads(RESULTS.read_text(encoding="utf-8"))
    if sys.argv[1:] == ["--text"]:
        print(text(results))
    elif sys.argv[1:]:
        sys.exit(__doc__)
    else:
        (HERE / "times.svg").write_text(picture(results), encoding="utf-8")


if __name__ == "__main__":
    main()
