#!/usr/bin/env python3
"""The scripts of the page plan nothing: loads change only where a plan is replayed, and no script treats one balancer
differently from another.

usage: no_planning_test.py PAGE_FOLDER"""

import pathlib
import re
import sys

# What changes a load, other than to show one, or makes a transfer.
CHANGES = re.compile(r"loads\[[^\]]*\]\s*(?:[-+*/|^&]|<<|>>>?)?=[^=>]|quanta\s*[:=]\s*[^=]*(?:/ 2|>> 1|>>> 1|Math\.(?:floor|ceil|round))")
# A script that decides by the rule of a balancer would compare its name.
DECIDES = re.compile(r"(?:===|!==|case|includes\()\s*\(?\[?\"(?:dem|oem|cwa|hybrid|diffusion|gradient|sender_initiated|"
                     r"receiver_initiated|dispatcher|prediction|locality|optimal|rotate)\"")
ALLOWED = "replay.js"


def findings(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        if (name != ALLOWED and CHANGES.search(line)) or DECIDES.search(line):
            yield f"{name}:{number}: {line.strip()}"


def main():
    # It finds what it is for.
    planted = "if (balancer === \"dem\") {\n  loads[k] -= quanta;\n  const quanta = Math.floor(difference / 2);\n}\n"
    if len(list(findings("x.js", planted))) != 3:
        sys.exit("planning that is planted is not found")
    scripts = sorted(pathlib.Path(sys.argv[1]).glob("*.js"))
    if len(scripts) < 8:
        sys.exit(f"{sys.argv[1]} has {len(scripts)} scripts")
    if said := [line for path in scripts for line in findings(path.name, path.read_text(encoding="utf-8"))]:
        sys.exit("\n".join(said))


main()
