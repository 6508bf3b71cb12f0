#!/usr/bin/env python3
"""Whatever docs/comparison.md names as showing what EvenCube can do is there.

usage: comparison_test.py ROOT"""

import pathlib
import re
import sys

COLUMNS = 17
CELLS = {"Y", "P", "N", "-", "?"}


def rows(page):
    for line in page.splitlines():
        cells = [cell.strip() for cell in line.split("|")[1:-1]]
        if line.startswith("| ") and cells[0]:
            yield cells


def known(root):
    """The words of the tests' lists and the names of their suites, and the stages of the check."""
    words = set()
    for path in (root / "tests").rglob("*"):
        if path.name == "CMakeLists.txt":
            words.update(re.findall(r"[\w.]+", path.read_text(encoding="utf-8")))
        elif path.suffix == ".cpp":
            words.update(re.findall(r"^TEST(?:_F|_P)?\((\w+),", path.read_text(encoding="utf-8"), re.MULTILINE))
            words.add(path.stem)
    return words


def shown(name, root, words):
    if name.startswith("./dev test "):
        stages = re.findall(r"^    (\w+)\)$", (root / "dev.d/check.sh").read_text(encoding="utf-8"), re.MULTILINE)
        return set(name.split()[2:]) <= set(stages)
    if "/" in name:
        return (root / name).is_dir()
    return name in words or name.removesuffix(".*") in words or name.rpartition(".")[2] in words


def main():
    root = pathlib.Path(sys.argv[1])
    words, problems, count = known(root), [], 0
    for cells in rows((root / "docs/comparison.md").read_text(encoding="utf-8")):
        if len(cells) != COLUMNS:
            problems.append(f"{cells[0]}: {len(cells)} cells, not {COLUMNS}")
        if wrong := set(cells[1:-1]) - CELLS:
            problems.append(f"{cells[0]}: cells that mean nothing: {', '.join(sorted(wrong))}")
        names = re.findall(r"`([^`]+)`", cells[-1])
        if cells[1] in ("Y", "P") and not names:
            problems.append(f"{cells[0]}: nothing shows it")
        problems += [f"{cells[0]}: there is no {name}" for name in names if not shown(name, root, words)]
        count += len(names)
    if problems or count < 30:
        sys.exit("\n".join(problems) or f"only {count} names were found")


if __name__ == "__main__":
    main()
