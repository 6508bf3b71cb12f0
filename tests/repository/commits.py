#!/usr/bin/env python3
"""Checks that the subject of each commit after the one in commits_after.txt has at most 72 characters and says what it does.

A subject has the area, a colon and an imperative: "runtime: refuse spawns after the workers have left". Merges may have the subject that
git gives them.

usage: commits.py ROOT     exit code 1 and one line for each fault
"""

import pathlib
import re
import subprocess
import sys

LONGEST = 72
SUBJECT = re.compile(r"[a-z0-9][\w./ -]*(?:, [\w./ -]+)*: [a-z`]")
MERGE = re.compile(r"Merge ")


def faults_of(subject):
    if len(subject) > LONGEST:
        yield f"has {len(subject)} characters; at most {LONGEST} are allowed"
    if not SUBJECT.match(subject) and not MERGE.match(subject):
        yield "has no area and what is done there, as in 'runtime: refuse spawns after the workers have left'"
    if subject.endswith("."):
        yield "ends with a full stop"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    after = (root / "tests/repository/commits_after.txt").read_text(encoding="utf-8").strip()
    log = subprocess.run(["git", "-C", str(root), "log", "--format=%h %s", f"{after}.."], capture_output=True, text=True, check=False)
    if log.returncode != 0:
        print(f"Commit {after} is not here: the subjects of commits are not checked.")
        return
    said = [f"{number} '{subject}': {fault}" for number, _, subject in (line.partition(" ") for line in log.stdout.splitlines())
            for fault in faults_of(subject)]
    if said:
        sys.exit("\n".join(said))


if __name__ == "__main__":
    main()
