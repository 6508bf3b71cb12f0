"""A file of results that grows with every case, so that a run that is stopped can go on later."""

import json
import os

# What may differ between the parts of one file of results.
OF_THE_HOUR = {"date", "load_before"}


class CannotGoOn(Exception):
    pass


def begun(path, about, tiny):
    """What `path` has so far but for cases in which something failed; an empty report where there is no such file.
    Only of the same machine, build and commit: all rows of a file are to be compared."""
    if not os.path.exists(path):
        return {"machine": about, "tiny": tiny, "cases": [], "failures": []}
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
        before = report["machine"]
        failed = {failure.partition(",")[0] for failure in report["failures"]}
        report["cases"] = [case for case in report["cases"] if case["case"] not in failed]
        report["failures"] = []
    except (OSError, ValueError, KeyError, TypeError):
        raise CannotGoOn(f"{path}: not what bench/run --json writes") from None
    for name in sorted(about.keys() - OF_THE_HOUR):
        if before.get(name) != about[name]:
            raise CannotGoOn(f"{path}: was measured with another {name}: {before.get(name)}; now {about[name]}")
    if report.get("tiny") != tiny:
        raise CannotGoOn(f"{path}: was measured {'with' if report.get('tiny') else 'without'} --tiny")
    return report


def keep(path, report):
    """Writes the report; what stood there stays until it is whole."""
    unfinished = path + ".unfinished"
    with open(unfinished, "w", encoding="utf-8") as out:
        json.dump(report, out, indent=1)
        out.write("\n")
    os.replace(unfinished, path)
