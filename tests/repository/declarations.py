#!/usr/bin/env python3
"""Counts the declarations of the algorithms, and how many of them only say where or until when another one runs.

usage: declarations.py ROOT [COMMIT...]     now stands for the files as they are

Reads the headers of `algorithms` and those of the runtime that have loops, without `detail/`, as they were at each commit,
and prints a table in Markdown. A call in a header is written with its namespace, so a name without one in front of a parenthesis is a
declaration. Lines are counted without comments and blank lines.
"""

import pathlib
import re
import subprocess
import sys

HEADERS = re.compile(r"algorithms/include/evencube/\w+\.hpp|runtime/include/evencube/(parallel_for\w*|where)\.hpp")
FORMER = re.compile(r'EVENCUBE_FORMER\(\s*(?:"[^"]*"\s*)+\)')
PLACE = r"(?:const )?(?:runtime|Place|place|Where)&+ \w+"
TOKEN = r"const std::stop_token& \w+"


def git(root, *words):
    return subprocess.run(["git", "-C", root, *words], check=True, capture_output=True, text=True).stdout


def code_of(text):
    """The text without comments, without blank lines and without what strings say; a former spelling keeps its mark."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", "", text, flags=re.S)
    text = FORMER.sub("EVENCUBE_FORMER", text)
    text = re.sub(r'"(?:\\.|[^"\\\n])*"', '""', text)
    return "\n".join(line for line in text.splitlines() if line.strip())


def declarations(code, name):
    """(all, those of former spellings) of a function, or of any function if the name is `\\w+`."""
    # The mark stands before the type of the result, which has neither braces nor semicolons.
    found = re.finditer(rf"(?:(EVENCUBE_FORMER)[^;{{}}]*?)?(?<![\w:.>&]){name}\(", code)
    marks = [match.group(1) for match in found]
    return len(marks), len([mark for mark in marks if mark])


def first_parameters(code, parameters):
    """How many declarations begin their parameters so, and have more of them."""
    return len(re.findall(rf"(?<![\w:.>])\w+\(\s*{parameters},", code))


def headers(root, commit):
    """The texts of the headers at a commit, or as they are."""
    if commit == "now":
        paths = (path.relative_to(root).as_posix() for path in sorted(pathlib.Path(root).glob("*/include/evencube/*.hpp")))
        return [(pathlib.Path(root) / path).read_text(encoding="utf-8") for path in paths if HEADERS.fullmatch(path)]
    paths = git(root, "ls-tree", "-r", "--name-only", commit).splitlines()
    return [git(root, "show", f"{commit}:{path}") for path in paths if HEADERS.fullmatch(path)]


def count(texts):
    """The rows of the table for these headers."""
    codes = [code_of(text) for text in texts]
    # Spaces and lines are the same in a declaration.
    flat = re.sub(r"\s+", " ", "\n".join(codes))
    rows = {}
    for name in ("parallel_for", "parallel_reduce"):
        every, former = declarations(flat, name)
        rows[f"declarations of `{name}`"] = f"{every - former}" + (f", and {former} of former spellings" if former else "")
    both = first_parameters(flat, rf"{PLACE}, {TOKEN}")
    token = first_parameters(flat, TOKEN)
    place = first_parameters(flat, PLACE) - both
    rows["declarations of any function that say where or until when"] = str(place + token + both)
    rows["by a place, or by one parameter for both"] = str(place)
    rows["by a token"] = str(token)
    rows["by a place and a token"] = str(both)
    rows["of these, with any arguments, which are passed on"] = str(len(re.findall(r"\w+&&\.\.\. arguments\)", flat)))
    rows["lines of these headers"] = f"{sum(code.count(chr(10)) + 1 for code in codes):,}"
    return rows


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    root, *commits = sys.argv[1:]
    commits = commits or ["now"]
    columns = [count(headers(root, commit)) for commit in commits]
    names = [commit if commit == "now" else git(root, "rev-parse", "--short=8", commit).strip() for commit in commits]
    print(f"| | {' | '.join(names)} |\n|---|{'---:|' * len(names)}")
    for row in columns[0]:
        print(f"| {row} | {' | '.join(column[row] for column in columns)} |")


if __name__ == "__main__":
    main()
