"""A file of results as a page: a table for each case, and pictures of the ratios."""

import json
import os

import ratios
import tables

# What a page needs of a row: older files of results may lack some of it.
KEYS = ("variant", "engine", "workers", "neighbour", "median", "min", "max", "repetitions", "units", "unit", "ns_per_unit",
        "to_best_rival", "to_serial", "speed_up", "peak_kibibytes")


class CannotWrite(Exception):
    """Why not."""


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        for name in ("processor", "caches", "cpus", "allowed_cpus", "virtual", "memory", "system", "load_before", "compiler",
                     "flags", "build_type", "commit", "date"):
            report["machine"][name]
        for case in report["cases"]:
            for row in case["rows"]:
                (case["case"], case["about"], [row[key] for key in KEYS])
        (report["tiny"], report["failures"])
    except OSError as problem:
        raise CannotWrite(str(problem)) from problem
    except (ValueError, KeyError, TypeError) as problem:
        raise CannotWrite(f"{path}: not what bench/run --json writes ({problem!r})") from problem
    if report["tiny"]:
        raise CannotWrite(f"{path}: made with --tiny, whose times mean nothing")
    return report


def text(words):
    """As Markdown shows it, in a table, too."""
    return str(words).replace("&", "&amp;").replace("<", "&lt;").replace("|", "&#124;").replace("*", r"\*")


def table(titles, lines, left=1):
    """So many columns are words, the others figures."""
    yield "| " + " | ".join(titles) + " |"
    yield "|" + "---|" * left + "---:|" * (len(titles) - left)
    for line in lines:
        yield "| " + " | ".join(line) + " |"


def machine(about, cases):
    cpus = f"{about['cpus']} CPUs"
    if len(about["allowed_cpus"]) != about["cpus"]:
        cpus += f", {len(about['allowed_cpus'])} of them allowed"
    counted = sorted({row["repetitions"] for case in cases for row in case["rows"]})
    yield "processor", f"{about['processor']}, {cpus}{', virtual' if about['virtual'] else ''}"
    yield "caches, memory", f"{about['caches']}; {about['memory']}"
    yield "system", f"{about['system']}; load {about['load_before']} before the start"
    yield "compiler", about["compiler"]
    yield "flags", about["flags"]
    if about.get("rivals"):
        yield "rivals", about["rivals"]
    yield "commit", about["commit"]
    yield "date", about["date"]
    yield "counted runs of a row", f"{counted[0]} to {counted[-1]}" if counted else "none"


def spread(row):
    return f"{tables.duration(row['min'])} .. {tables.duration(row['max'])}"


def workers(row):
    return str(row["workers"])


def columns(case):
    rows = case["rows"]
    found = [("variant", lambda row: f"`{row['variant']}`" + (" + neighbour" if row["neighbour"] else "")),
             ("workers", workers),
             ({**tables.MEDIANS, "cpu": "processor time"}.get(case.get("kind"), "median"), tables.median),
             ("min .. max", spread)]
    if case.get("kind") == "latency":
        found.append(("p99", lambda row: tables.duration(row["p99"])))
    if rows[0]["units"] > 1:
        found.append((f"ns by {text(rows[0]['unit'])}", tables.per_unit))
    for title, name in (("by the best rival", "to_best_rival"), ("by serial code", "to_serial")):
        if any(row[name] for row in rows):
            found.append((title, lambda row, name=name: tables.ratio(row[name])))
    if case.get("kind", "time") == "time" and len({row["workers"] for row in rows}) > 1:
        found.append(("speed-up", lambda row: tables.ratio(row["speed_up"] if row["workers"] > 1 else None)))
    found.append(("peak MiB", lambda row: f"{row['peak_kibibytes'] / 1024:.1f}"))
    return found


def verdict(row, other):
    """What the ranges say of two variants, where they do not overlap."""
    if row["max"] < other["min"]:
        return "ahead"
    return "behind" if row["min"] > other["max"] else "-"


def with_rivals(cases):
    """The rows of EvenCube that have a rival: (case, row, the best one)."""
    for case in cases:
        for row in case["rows"]:
            alike = [other for other in case["rows"] if tables.is_rival(other) and other["workers"] == row["workers"]
                     and other["neighbour"] == row["neighbour"]]
            if row["engine"] == "evencube" and alike:
                yield case, row, min(alike, key=lambda other: other["median"])


def name_of(case, row):
    """Of a row in a picture: the case, and what tells the row from its plain one."""
    more = row["variant"].removeprefix("evencube").strip()
    return case["case"] + (f" ({more})" if more else "") + (" + neighbour" if row["neighbour"] else "")


def marks(rows):
    """For a picture: rows by name, in their order, each with its ratios by number of workers."""
    named = {}
    for case, row, ratio, below in rows:
        if ratio and below > 0 and row["min"] > 0:
            named.setdefault(name_of(case, row), []).append(
                ratios.Mark(row["workers"], ratio, row["min"] / below, row["max"] / below))
    return list(named.items())


def summary(rows):
    verdicts = [verdict(row, other) for _, row, other in rows]
    yield (f"Of {len(verdicts)} rows, EvenCube's slowest run is faster than the fastest of the best rival in "
           f"{verdicts.count('ahead')} (*ahead*), its fastest is slower than the slowest of the best rival in "
           f"{verdicts.count('behind')} (*behind*); in {verdicts.count('-')} the runs of both overlap. The best rival is the one "
           "with the lowest median with as many workers.")
    yield ""
    yield from table(("case", "best rival", "workers", "EvenCube", "rival", "ratio", "ranges"),
                     [(text(name_of(case, row)), f"`{other['variant']}`", workers(row), tables.duration(row["median"]),
                       tables.duration(other["median"]), tables.ratio(row["to_best_rival"]), verdict(row, other))
                      for case, row, other in rows], left=2)


def written(report, pictures, results):
    """The lines of the page, and its pictures by file name; both links are relative to the page."""
    cases = [case for case in report["cases"] if case["rows"]]
    rivals = list(with_rivals(cases))
    drawn = {}
    yield "# Benchmarks"
    yield ""
    yield ("Written by `./dev bench --page FILE.json` from one run of `./dev bench --json FILE.json`; not to be edited. Everything "
           f"here stands in [the results]({results}), too. Only ratios within a case mean anything on another machine.")
    yield ""
    yield from table(("what", "in this run"), [(name, text(value)) for name, value in machine(report["machine"], cases)], left=2)
    if report["machine"]["build_type"] != "Release":
        yield ""
        yield f"**Built as `{report['machine']['build_type']}`, not `Release`: the times mean little.**"
    for failure in report["failures"]:
        yield ""
        yield f"**Failed:** {text(failure)}"
    if rivals:
        drawn["by-rival.svg"] = ratios.picture(
            "EvenCube by the best rival", "time by that of the best rival with as many workers, left of 1 is faster",
            marks((case, row, row["to_best_rival"], other["median"]) for case, row, other in rivals))
        yield from ("", "## Compared with the best rival", "")
        yield f"![Times by those of the best rival, one mark for each number of workers]({pictures}/by-rival.svg)"
        yield ""
        yield from summary(rivals)
    serial = marks((case, row, row["to_serial"], row["median"] / row["to_serial"]) for case in cases for row in case["rows"]
                   if row["engine"] == "evencube" and row["to_serial"])
    if serial:
        drawn["by-serial.svg"] = ratios.picture(
            "EvenCube by serial code", "time by that of the serial program, left of 1 is faster", serial)
        yield from ("", "## Compared with serial code", "")
        yield f"![Times by those of the serial program, one mark for each number of workers]({pictures}/by-serial.svg)"
    yield from ("", "## Every case", "")
    yield ("What the columns mean stands in [how it is measured](HOW), and which programs these are. Spread is the fastest and "
           "the slowest of the runs that count.")
    for case in cases:
        found = columns(case)
        yield from ("", f"### {case['case']}", "", text(case["about"]) + ".", "")
        yield from table([title for title, _ in found], [[show(row) for _, show in found] for row in case["rows"]])
    return drawn


def collected(lines):
    """The lines of such a generator, and what it returns."""
    kept = []
    while True:
        try:
            kept.append(next(lines))
        except StopIteration as end:
            return kept, end.value


def compact(report):
    """The results without every single measurement, a row on a line of its own, so that a repository can keep them."""
    kept = {**report, "cases": []}
    lines = json.dumps(kept, indent=1, sort_keys=True).replace('"cases": []', '"cases": [\nCASES\n ]')
    cases = []
    for case in report["cases"]:
        rows = [json.dumps({key: value for key, value in row.items() if key not in ("seconds", "curve")}, sort_keys=True)
                for row in case["rows"]]
        head = json.dumps({key: value for key, value in case.items() if key != "rows"}, sort_keys=True)
        cases.append("  " + head[:-1] + ', "rows": [\n   ' + ",\n   ".join(rows) + "\n  ]}")
    return lines.replace("CASES", ",\n".join(cases), 1) + "\n"


def write(results, page, how):
    """The page, and next to it, in a folder named as it is, its pictures and its figures. The same files for the same results;
    gives their names back. `how` is the page that says how it is measured."""
    report = read(results)
    folder = os.path.splitext(page)[0]
    if folder == page:
        raise CannotWrite(f"{page}: the page must be a file with an ending, such as benchmarks.md")
    name = os.path.basename(folder)
    lines, drawn = collected(written(report, name, f"{name}/results.json"))
    link = os.path.relpath(how, os.path.dirname(os.path.abspath(page))).replace(os.sep, "/")
    files = {page: "\n".join(lines).replace("](HOW)", f"]({link})") + "\n",
             os.path.join(folder, "results.json"): compact(report),
             **{os.path.join(folder, picture): content for picture, content in drawn.items()}}
    try:
        os.makedirs(folder, exist_ok=True)
        for path, content in files.items():
            with open(path, "w", encoding="utf-8") as out:
                out.write(content)
    except OSError as problem:
        raise CannotWrite(str(problem)) from problem
    return list(files)
