"""From reports to figures, and from figures to a table."""

import statistics


def print_machine(about):
    cpus = f"{about['cpus']} CPUs"
    if len(about["allowed_cpus"]) != about["cpus"]:
        cpus += f" ({len(about['allowed_cpus'])} allowed)"
    if about["virtual"]:
        cpus += ", virtual"
    print(f"machine   {about['processor']}, {cpus}, {about['caches']}, {about['memory']}")
    print(f"system    {about['system']}, load {about['load_before']} before the start")
    print(f"compiler  {about['compiler']}, {about['flags']}")
    if about.get("rivals"):
        print(f"rivals    {about['rivals']}")
    print(f"commit    {about['commit']}")
    if "date" in about:  # files of results had none at first
        print(f"date      {about['date']}")
    if about["build_type"] != "Release":
        print(f"CAUTION   built as '{about['build_type']}', not Release: the times mean little")


def percentile(values, share):
    """The smallest value that at least this share of the values do not exceed."""
    ordered = sorted(values)
    rank = max(0, -(-len(ordered) * share // 100) - 1)
    return ordered[int(rank)]


def summarise(case, runs):
    rows = []
    for run in runs:
        if not run.reports:
            continue
        seconds = [value for report in run.reports for value in report["seconds"]]
        units = run.reports[0]["units"]
        row = {
            "variant": run.label, "engine": run.engine, "workers": run.workers,
            "neighbour": run.busy, "copies": run.copies,
            "median": statistics.median(seconds), "min": min(seconds), "max": max(seconds),
            "p99": percentile(seconds, 99),
            "repetitions": len(seconds), "seconds": seconds,
            "unit": run.reports[0]["unit"], "units": units,
            "ns_per_unit": 1e9 * statistics.median(seconds) / units,
            "peak_kibibytes": max(report["peak_kibibytes"] for report in run.reports),
            "settings": run.reports[0]["settings"],
            "compiler": run.reports[0]["compiler"], "flags": run.reports[0]["flags"],
        }
        if "efficiency" in run.reports[0]:
            row["efficiency"] = statistics.median(
                value for report in run.reports for value in report["efficiency"])
        if case.kind == "granularity":
            row["tasks"] = run.reports[0]["tasks"]
            row["reached"] = all(report["reached"] for report in run.reports)
            row["curve"] = [report["curve"] for report in run.reports]
        rows.append(row)
    add_ratios(rows)
    if case.kind == "granularity":  # neither is a time of the same work
        for row in rows:
            row["to_serial"] = row["speed_up"] = None
    return rows


def is_rival(row):
    return row["engine"] not in ("serial", "evencube", "futex")


def add_ratios(rows):
    """To the serial twin (on one worker), to the best rival with as many workers, to the same
    variant with one worker, and to the same without the neighbour."""
    def median_of(variant, workers, busy):
        return next((row["median"] for row in rows if
                     (row["variant"], row["workers"], row["neighbour"]) ==
                     (variant, workers, busy)), None)

    for row in rows:
        alike = [other["median"] for other in rows
                 if is_rival(other) and other["workers"] == row["workers"]
                 and other["neighbour"] == row["neighbour"]]
        rivals = [] if row["engine"] in ("serial", "futex") else alike
        floor = next((other["median"] for other in rows if other["engine"] == "futex"
                      and other["workers"] == row["workers"]), None)
        row["to_serial"] = quotient(row["median"], median_of("serial", 1, row["neighbour"]))
        row["to_best_rival"] = quotient(row["median"], min(rivals, default=None))
        row["to_floor"] = quotient(row["median"], floor)
        alone = "serial" if row["copies"] else row["variant"]
        row["speed_up"] = quotient(median_of(alone, 1, row["neighbour"]), row["median"])
        row["slow_down"] = (quotient(row["median"], median_of(row["variant"], row["workers"], False))
                            if row["neighbour"] else None)


def quotient(above, below):
    return above / below if above is not None and below else None


def duration(seconds):
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds / size < 999.5 else \
                f"{seconds / size:.0f} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def ratio(value):
    return "-" if value is None else f"{value:.2f}"


# The titles of medians that are no time on the wall.
MEDIANS = {"cpu": "cpu time", "granularity": "METG"}


def median(row):
    """As a table shows it: a granularity at which the efficiency was not reached is a bound."""
    return ("" if row.get("reached", True) else "> ") + duration(row["median"])


def per_unit(row):
    return f"{row['ns_per_unit']:.3g}" if row["ns_per_unit"] < 1000 else f"{row['ns_per_unit']:.0f}"


def columns_of(case, rows):
    """Title, how to print a row's value."""
    columns = [
        ("variant", lambda row: row["variant"] + (" + neighbour" if row["neighbour"] else "")),
        ("workers", lambda row: str(row["workers"])),
        (MEDIANS.get(case.kind, "median"), median),
        ("min", lambda row: duration(row["min"])),
        ("max", lambda row: duration(row["max"])),
    ]
    if case.kind == "latency":
        columns.append(("p99", lambda row: duration(row["p99"])))
    if rows[0]["units"] > 1:
        columns.append((f"ns/{rows[0]['unit'].replace(' ', '-')}", per_unit))
    if any("efficiency" in row for row in rows):
        columns.append(("efficiency", lambda row: f"{row['efficiency']:.3f}"))
    if any(row["to_serial"] for row in rows):
        columns.append(("/serial", lambda row: ratio(row["to_serial"])))
    if any(row["to_best_rival"] for row in rows):
        columns.append(("/best rival", lambda row: ratio(row["to_best_rival"])))
    if any(row["to_floor"] for row in rows):
        columns.append(("/raw futex", lambda row: ratio(row["to_floor"])))
    if case.kind == "time" and len({row["workers"] for row in rows}) > 1:
        columns.append(("speed-up", lambda row: ratio(row["speed_up"])
                        if row["workers"] > 1 else "-"))
    if any(row["neighbour"] for row in rows):
        columns.append(("slow-down", lambda row: ratio(row["slow_down"])))
    columns.append(("peak MiB", lambda row: f"{row['peak_kibibytes'] / 1024:.1f}"))
    return columns


def print_table(titles, lines):
    widths = [max(len(line[i]) for line in [titles] + lines) for i in range(len(titles))]
    for line in [titles] + lines:
        cells = [line[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(line[1:], widths[1:])]
        print("  " + "  ".join(cells).rstrip())


def print_case(case, rows):
    print(f"\n{case.name}: {case.about}")
    if not rows:
        print("  nothing to show")
        return
    counted = sorted({row["repetitions"] for row in rows})
    print(f"  {' or '.join(map(str, counted))} counted runs each")
    columns = columns_of(case, rows)
    print_table([title for title, _ in columns],
                [[show(row) for _, show in columns] for row in rows])

