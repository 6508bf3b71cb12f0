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
    print(f"commit    {about['commit']}")
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
        rows.append(row)
    add_ratios(rows)
    return rows


def is_rival(row):
    return row["engine"] not in ("serial", "evencube", "futex")


def add_ratios(rows):
    """To the serial twin (time with any number of workers over the twin's), to the best rival with
    the same number of workers, and to the same variant with one worker."""
    twin = next((row["median"] for row in rows if row["variant"] == "serial"), None)
    for row in rows:
        rivals = [other["median"] for other in rows
                  if is_rival(other) and other["workers"] == row["workers"]]
        alone = next((other["median"] for other in rows
                      if other["variant"] == row["variant"] and other["workers"] == 1), None)
        row["to_serial"] = row["median"] / twin if twin else None
        row["to_best_rival"] = (row["median"] / min(rivals)
                                if rivals and row["engine"] not in ("serial",) else None)
        row["speed_up"] = alone / row["median"] if alone and row["median"] > 0 else None


def duration(seconds):
    for unit, size in (("s", 1.0), ("ms", 1e-3), ("us", 1e-6)):
        if seconds >= size:
            return f"{seconds / size:.3g} {unit}" if seconds / size < 999.5 else \
                f"{seconds / size:.0f} {unit}"
    return f"{seconds * 1e9:.3g} ns"


def ratio(value):
    return "-" if value is None else f"{value:.2f}"


def per_unit(row):
    return f"{row['ns_per_unit']:.3g}" if row["ns_per_unit"] < 1000 else f"{row['ns_per_unit']:.0f}"


def columns_of(case, rows):
    """Title, how to print a row's value."""
    columns = [
        ("variant", lambda row: row["variant"]),
        ("workers", lambda row: str(row["workers"])),
        ("median", lambda row: duration(row["median"])),
        ("min", lambda row: duration(row["min"])),
        ("max", lambda row: duration(row["max"])),
    ]
    if case.tail:
        columns.append(("p99", lambda row: duration(row["p99"])))
    if rows[0]["units"] > 1:
        columns.append((f"ns/{rows[0]['unit'].replace(' ', '-')}", per_unit))
    if any("efficiency" in row for row in rows):
        columns.append(("efficiency", lambda row: f"{row['efficiency']:.3f}"))
    if any(row["to_serial"] for row in rows):
        columns.append(("/serial", lambda row: ratio(row["to_serial"])))
    if any(row["to_best_rival"] for row in rows):
        columns.append(("/best rival", lambda row: ratio(row["to_best_rival"])))
    if any(row["workers"] > 1 for row in rows) and any(row["workers"] == 1 for row in rows):
        columns.append(("speed-up", lambda row: ratio(row["speed_up"])
                        if row["workers"] > 1 else "-"))
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


def print_slow_down(case, rows, results):
    """Beside a busy neighbour: how many times as long as without it."""
    before = next((result["rows"] for result in results if result["case"] == case.against), None)
    if not case.against or before is None:
        return
    lines = []
    for row in rows:
        for other in before:
            if (other["variant"], other["workers"]) == (row["variant"], row["workers"]):
                row["slow_down"] = row["median"] / other["median"]
                lines.append([row["variant"], str(row["workers"]), f"{row['slow_down']:.2f}"])
    print(f"  slow-down against {case.against}:")
    print_table(["variant", "workers", "slow-down"], lines)
