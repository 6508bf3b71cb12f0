#!/usr/bin/env python3
"""Each promise of docs/contract.md has a name of its own and names tests that exist, and links to promises lead to one.

usage: contract_test.py ROOT"""

import pathlib
import re
import sys

NAME = re.compile(r'^<a id="([a-z-]+)"></a>\*\*([a-z-]+)\*\*: (.*)$')
TESTS = re.compile(r" \((`\w+_test`(?:, `\w+_test`)*)\)(?:\.$|[,;]|\. | )")
RULE = "A rule for programs."
LINK = re.compile(r"\((?:[\w./-]*/)?contract\.md#([\w-]+)\)")
MOST_RULES = 3  # of the promises that are there now


def promises(page):
    """The text of each item of the page's lists, in one line."""
    item = None
    for line in [*page.splitlines(), ""]:
        if item is not None and not line.startswith("  "):
            yield item
            item = None
        if line.startswith("- "):
            item = line[2:]
        elif item is not None:
            item += " " + line.strip()


def headings(page):
    return {re.sub(r"[^\w -]", "", text.lower()).replace(" ", "-") for text in re.findall(r"^#+ (.*)$", page, re.MULTILINE)}


def problems(page, tests, pages):
    """What is wrong with the page, given the names of all tests and the texts of the pages that may link to it."""
    names, rules = [], 0
    for text in promises(page):
        found = NAME.match(text)
        if not found or found[1] != found[2]:
            yield f"a promise without a name: {text[:60]}"
            continue
        names.append(found[1])
        shown = [name for some in TESTS.findall(text) for name in re.findall(r"\w+", some)]
        yield from (f"{found[1]}: there is no {name}" for name in shown if name not in tests)
        if not shown and not text.endswith(RULE):
            yield f"{found[1]}: no test shows it"
        rules += text.endswith(RULE)
    yield from (f"{name}: two promises of this name" for name in sorted(set(names)) if names.count(name) > 1)
    if rules > MOST_RULES:
        yield f"{rules} rules for programs, not {MOST_RULES}: what the library promises has a test"
    if len(names) < 60:
        yield f"only {len(names)} promises were found"
    known = {*names, *headings(page)}
    for path, text in pages.items():
        yield from (f"{path}: the contract has no {name}" for name in LINK.findall(text) if name not in known)


def main():
    root = pathlib.Path(sys.argv[1])
    tests = {path.stem for ending in ("cpp", "py") for path in (root / "tests").rglob(f"*_test.{ending}")}
    pages = {path.relative_to(root): path.read_text(encoding="utf-8")
             for path in [root / "README.md", *(root / "docs").glob("*.md"), *root.glob("*/docs/*.md"), *root.glob("*/README.md"),
                          *(root / "runtime/src").rglob("*.md")]}
    page = (root / "docs/contract.md").read_text(encoding="utf-8")
    if found := list(problems(page, tests, pages)):
        sys.exit("\n".join(found))
    # The check finds what it is there to find.
    spoilt = {"two promises": page + "\n" + page, "no test shows": page.replace("(`deep_waits_test`)", ""),
              "there is no": page.replace("deep_waits_test", "shallow_waits_test"),
              "without a name": page + "\n- Something more.\n"}
    for expected, text in spoilt.items():
        if not any(expected in one for one in problems(text, tests, {})):
            sys.exit(f"nothing was said where it should have been: {expected}")
    if not list(problems(page, tests, {"a page": "[x](contract.md#no-such-promise)"})):
        sys.exit("a link that leads nowhere was not found")


if __name__ == "__main__":
    main()
