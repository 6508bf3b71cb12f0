#!/usr/bin/env python3
"""Checks that each invariant has one definition, and that what is referred to is defined.

An invariant is defined where its name opens a paragraph of a page beside the runtime's code, in bold: **`parking.last-look`.**
Comments of code, and pages, refer to it by that name. So does each hook of the explorer in the runtime: `checks("parking.calls")`,
or `checks("injector.turns: again")` if there are several for one invariant.

usage: invariants.py ROOT     exit code 1 and one line for each fault
"""

import pathlib
import re
import sys

DEFINED = re.compile(r"^\*\*`([a-z]+\.[a-z0-9-]+)`\.\*\*", re.MULTILINE)
# In code only what stands in a comment after this word, or in brackets, is a reference: `queue.push` is an expression.
IN_COMMENT = re.compile(r"//.*$", re.MULTILINE)
HOOK = re.compile(r'\b(?:checks|checked)\(\s*"([^"]*)"')
HOOK_NAME = re.compile(r"([a-z]+\.[a-z0-9-]+)(?:: [a-z -]+)?")
LETTER = re.compile(r"\b[Ii]nvariants? [A-Z]\d?\b")


def faults(root):
    pages = sorted((root / "runtime").rglob("*.md"))
    defined = {}
    for page in pages:
        for name in DEFINED.findall(page.read_text(encoding="utf-8")):
            if name in defined:
                yield f"{page.relative_to(root)}: {name} is defined in {defined[name]}, too"
            defined[name] = page.relative_to(root)
    if not defined:
        yield "no page defines an invariant"
        return
    families = "|".join(sorted({name.split(".")[0] for name in defined}))
    reference = re.compile(rf"(?<![\w./])(?:{families})\.[a-z0-9]+(?:-[a-z0-9]+)*(?![\w(-])")
    code = [file for folder in ("runtime", "algorithms", "interop", "cluster", "tests") for file in (root / folder).rglob("*.[ch]pp")]
    for file in [*pages, *sorted((root / "docs").glob("*.md")), *code]:
        text = file.read_text(encoding="utf-8", errors="replace")
        hooks = HOOK.findall(text) if root / "runtime" in file.parents and file.suffix != ".md" else []
        for hook in hooks:
            name = HOOK_NAME.fullmatch(hook)
            if name is None or name[1] not in defined:
                yield f'{file.relative_to(root)}: checks("{hook}") names no invariant that a page defines'
        if file.suffix != ".md":
            # A comment that goes on over lines, as one text.
            text = " ".join(line.lstrip("/ ") for line in IN_COMMENT.findall(text))
            where = re.findall(r"[Ii]nvariants? ([^;:()]*)|\(([a-z]+\.[^()]*)\)", text)
            found = reference.findall(" ".join(" ".join(pair) for pair in where))
            if LETTER.search(text):
                yield f"{file.relative_to(root)}: an invariant by a letter, without its name"
        else:
            found = [name for name in re.findall(r"`([^`\s]+)`", text) if reference.fullmatch(name)]
        for name in found:
            if name not in defined and not name.endswith((".md", ".hpp", ".cpp", ".py", ".h")):
                yield f"{file.relative_to(root)}: refers to {name}, which no page defines"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    said = sorted(set(faults(pathlib.Path(sys.argv[1]).resolve())))
    if said:
        sys.exit("\n".join(said))


if __name__ == "__main__":
    main()
