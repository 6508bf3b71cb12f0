#!/usr/bin/env python3
"""Every test has one lane, in its labels: lane.test for `./dev test`, lane.all for `./dev test all`.

usage: lanes_test.py CTEST BUILD_FOLDER
"""

import json
import re
import subprocess
import sys


def wrong(tests):
    """Of ctest's list of tests, as JSON has it, those without a lane or with two, each with its labels."""
    for test in tests:
        labels = [value for property in test.get("properties", ()) if property["name"] == "LABELS"
                  for value in property["value"]]
        lanes = re.findall(r"\blane\.(?:test|all)\b", " ".join(labels))
        if len(lanes) != 1:
            yield f"{test['name']} ({', '.join(labels) or 'no labels'})"


def main():
    # A list that is known: the check itself is not to pass by finding nothing.
    known = [{"name": name, "properties": [{"name": "LABELS", "value": labels}]}
             for name, labels in (("good", ["unit", "lane.test"]), ("joined", ["unit lane.all"]), ("none", ["unit"]),
                                  ("two", ["lane.test", "lane.all"]), ("other", ["lane.tests"]))] + [{"name": "bare"}]
    found = [line.split()[0] for line in wrong(known)]
    if found != ["none", "two", "other", "bare"]:
        sys.exit(f"of a list with four wrong ones it finds {found}")

    ctest, folder = sys.argv[1:]
    said = subprocess.run([ctest, "--test-dir", folder, "--show-only=json-v1"], check=True, capture_output=True, text=True).stdout
    tests = json.loads(said)["tests"]
    if not tests:
        sys.exit(f"{folder} has no tests")
    if lacking := list(wrong(tests)):
        sys.exit("tests that are not in one lane:\n" + "\n".join(lacking))


main()
