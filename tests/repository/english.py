#!/usr/bin/env python3
"""Finds words and turns that docs/development.md rules out, in pages, comments and messages.

usage: english.py ROOT            exit code 1 and one line for each finding
"""

import pathlib
import re
import subprocess
import sys

# (what is found, what to write instead)
PATTERNS = [
    (r"\banew\b", "again"),
    (r"\bso many\b", "the number itself"),
    (r"\bbut for\b", "except for"),
    (r"\bfor (?:it|they|he) (?:may|might|is|are|has|have|was|were)\b", "because"),
    (r"\bbeside\b", "next to"),
    (r"\bkin\b", "the like"),
    (r"\b(?:lies|lay|lying|lie) down\b", "parks"),
    (r"(?:^|[.;:] )(?:Who|Whoever) (?!is\b.*\?)[a-z]", "a noun as the subject"),
]
FOUND = [(re.compile(pattern), instead) for pattern, instead in PATTERNS]
COMMENT = re.compile(r"(?://+!?<?|#(?!include|pragma|define|if|e|undef))\s?(.*)$")
STRING = re.compile(r'"((?:[^"\\]|\\.)*)"')
ENDINGS = {".md", ".hpp", ".cpp", ".py", ".sh", ".cmake", ".txt"}
# Written by programs, or the words themselves.
LEFT_OUT = ("docs/benchmarks.md", "docs/papers.md", "docs/balancers.md", "tests/repository/english.py",
            "tests/repository/english_test.py", "tests/fuzz/corpus/", "LICENSE")


def texts_of(path, text):
    """The lines of a file with what people read in them."""
    for number, line in enumerate(text.splitlines(), 1):
        if path.suffix == ".md":
            yield number, re.sub(r"`[^`]*`", "", line)
            continue
        comment = COMMENT.search(line)
        if comment:
            yield number, comment[1]
        if path.suffix in (".hpp", ".cpp"):
            for words in STRING.findall(line[:comment.start()] if comment else line):
                yield number, words


def findings(root, name):
    path = root / name
    for number, words in texts_of(path, path.read_text(encoding="utf-8", errors="replace")):
        for pattern, instead in FOUND:
            if found := pattern.search(words):
                yield f"{name}:{number}: '{found[0].strip()}'; write {instead}"


def files(root):
    listed = subprocess.run(["git", "-C", str(root), "ls-files", "-z"], capture_output=True, text=True, check=False).stdout.split("\0")
    return [name for name in listed if pathlib.Path(name).suffix in ENDINGS and (root / name).is_file() and
            not name.startswith(LEFT_OUT)]


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    root = pathlib.Path(sys.argv[1]).resolve()
    names = files(root)
    if not names:
        print("This is no clone: what people read is not checked.")
        return
    if said := [line for name in names for line in findings(root, name)]:
        sys.exit("\n".join(said))


if __name__ == "__main__":
    main()
