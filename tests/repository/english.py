#!/usr/bin/env python3
"""Finds words and turns that docs/development.md rules out, in pages, comments and messages.

Also finds parameters and variables of the runtime and the algorithms whose names are no nouns: a reader learns nothing from `of`.

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
# A declaration of a name that is a preposition or a pronoun. The word before it is its type.
NAMELESS = re.compile(r"(?:[\w>]\s*[&*]+\s*(?:const )?|"
                      r"\b(?!return\b|case\b|delete\b|new\b|throw\b|else\b|co_return\b|co_await\b|using\b)[\w>]+[>\w] )"
                      r"\b(of|by|on|who|whose|which|how|why|into)(?=[,;=){]| =| \{|$)")
NAMED = ("runtime/", "algorithms/")  # the folders in which names are nouns; it may only grow
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


def names_of(path, text):
    """The lines of a file of C++ with the names in it that are no nouns."""
    for number, line in enumerate(text.splitlines(), 1):
        for found in NAMELESS.finditer(STRING.sub('""', re.sub(r"//.*", "", line))):
            yield number, found[1]


def findings(root, name):
    path = root / name
    text = path.read_text(encoding="utf-8", errors="replace")
    if name.startswith(NAMED) and path.suffix in (".hpp", ".cpp"):
        for number, word in names_of(path, text):
            yield f"{name}:{number}: a parameter or variable `{word}`; call it by a noun"
    for number, words in texts_of(path, text):
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
