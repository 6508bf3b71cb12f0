#!/usr/bin/env python3
"""Makes a program of the C++ that stands in a page of the documentation.

usage: fill.py PAGE FRAME OUTPUT

The frame is a C++ source in which the line `@snippet N` stands for the N-th block of C++ of the page, from 1 on. Every block
must be used, once.
"""

import pathlib
import re
import sys

BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PLACE = re.compile(r"^@snippet (\d+)\n", re.MULTILINE)


def filled(page, frame, name):
    """The frame with the page's blocks in it; each says in the compiler's messages where it stands."""
    blocks = list(BLOCK.finditer(page))
    used = [int(number) for number in PLACE.findall(frame)]
    if sorted(used) != list(range(1, len(blocks) + 1)):
        sys.exit(f"{name} has {len(blocks)} blocks of C++, and the frame uses {used}")

    def block(place):
        found = blocks[int(place.group(1)) - 1]
        line = page.count("\n", 0, found.start(1)) + 1
        return f'#line {line} "{name}"\n{found.group(1)}'

    return PLACE.sub(block, frame)


def main():
    page, frame, output = (pathlib.Path(name) for name in sys.argv[1:4])
    text = filled(page.read_text(encoding="utf-8"), frame.read_text(encoding="utf-8"), page.name)
    output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
