#!/usr/bin/env python3
"""Draws sentences by lot, for a reader to count those at which a new user would stumble (docs/reading.md).

usage: lot.py ROOT SEED            60 sentences: 20 of users' pages, 20 of comments of public headers, 10 of protocol pages,
                                   10 strings of the command line
"""

import pathlib
import random
import re
import subprocess
import sys

# Pages for maintainers, and pages that programs write.
LEFT_OUT = ("docs/development.md", "docs/maintainers.md", "docs/reading.md", "docs/measurements.md", "docs/faults.md",
            "docs/cube-bounds.md", "docs/incomplete-cubes.md", "docs/benchmarks.md", "docs/papers.md", "docs/programs-for-tbb.md")
FENCED = re.compile(r"^(```|~~~).*?^\1", re.MULTILINE | re.DOTALL)
SENTENCE = re.compile(r"(?<=[.!?:])\s+(?=[A-Z`\[*])")
COMMENT = re.compile(r"(\s*)///?!?<?\s?(.*)$")
BEHIND = re.compile(r"\S.*?//[/!]?<?\s?(.*)$")
STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"')


def sentences(path, paragraph):
    for one in SENTENCE.split(re.sub(r"\s+", " ", paragraph).strip()):
        if len(one.split()) >= 4 and re.search("[a-z]{3}", one):
            yield path, one


def of_page(path, text):
    text = re.sub(r"<!--.*?-->", "", FENCED.sub("\n\n", text), flags=re.DOTALL)
    text = re.sub(r"^\s*([-*]|\d+\.) ", "\n\n", re.sub(r"^#.*$", "", text, flags=re.MULTILINE), flags=re.MULTILINE)
    for paragraph in re.split(r"\n\s*\n", text):
        if paragraph.lstrip().startswith("|"):
            cells = [cell for line in paragraph.splitlines() for cell in line.strip("| ").split("|")]
            for cell in cells:
                if len(cell.split()) > 6:
                    yield from sentences(path, cell)
        elif not paragraph.lstrip().startswith("!["):
            yield from sentences(path, paragraph)


def of_header(path, text):
    paragraph = []
    for line in [*text.splitlines(), ""]:
        comment = COMMENT.match(line)
        if comment and comment[2]:
            paragraph.append(comment[2])
            continue
        yield from sentences(path, " ".join(paragraph))
        paragraph = []
        if not comment and (behind := BEHIND.search(line)):
            yield from sentences(path, behind[1])


def of_source(path, text):
    text = re.sub(r'"\s*\n\s*"', "", re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE))
    for words in STRING.findall(text):
        if len(words.split()) >= 4 and "<" not in words:
            yield path, words


def kind(path):
    """The number of the kind of text, or None: users' pages, headers, protocols, the command line."""
    if path in LEFT_OUT or "/detail/" in path:
        return None
    kinds = (r"README\.md|docs/[^/]*\.md", r"\w+/include/.*\.hpp", r"runtime/(src/.*|GLOSSARY|README)\.md|cluster/docs/.*\.md",
             r"cli/src/.*\.[ch]pp")
    return next((number for number, pattern in enumerate(kinds) if re.fullmatch(pattern, path)), None)


def main():
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    root, lot = pathlib.Path(sys.argv[1]), random.Random(int(sys.argv[2]))
    pools = ([], [], [], [])
    for path in subprocess.run(["git", "-C", str(root), "ls-files"], capture_output=True, text=True, check=True).stdout.splitlines():
        if (number := kind(path)) is not None:
            read = (of_page, of_header, of_page, of_source)[number]
            pools[number].extend(read(path, (root / path).read_text(encoding="utf-8")))
    for title, pool, count in zip(("users' pages", "headers", "protocols", "command line"), pools, (20, 20, 10, 10)):
        print(f"{title}, {count} of {len(pool)}:")
        for path, words in lot.sample(pool, count):
            print(f"  {path}: {words}")


if __name__ == "__main__":
    main()
