#!/usr/bin/env python3
"""Draws the runtime from its code: the rooms are the folders of runtime/src, and an arrow is an include of another room's header.

Fails where two rooms know each other, directly or in a circle, and where a room below the engine knows the engine. What counts are
headers: files named *-inl.hpp and *.cpp put the parts together, so they may include what they need.

usage: rooms.py ROOT            checks, and prints nothing if all is well
       rooms.py ROOT --draw     prints rooms and arrows
       rooms.py ROOT --svg      prints them as a picture
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^#include "(\w+)/[^"]+"', re.MULTILINE)


def rooms_of(folder):
    """Each room with the rooms that its headers include."""
    rooms = {path.name: set() for path in sorted(folder.iterdir()) if path.is_dir()}
    for header in folder.glob("*/*.hpp"):
        if not header.name.endswith("-inl.hpp"):
            rooms[header.parent.name] |= set(INCLUDE.findall(header.read_text(encoding="utf-8"))) - {header.parent.name}
    return rooms


def levels_of(rooms):
    """Each room with its level: 0 includes nobody. Rooms that are in a circle, or above one, are not in it."""
    levels = {}
    while True:
        ready = [room for room, below in rooms.items() if room not in levels and below <= set(levels)]
        if not ready:
            return levels
        for room in ready:
            levels[room] = 1 + max((levels[other] for other in rooms[room]), default=-1)


def faults(folder):
    rooms = rooms_of(folder)
    if not any(rooms.values()):
        yield f"{folder}: no room includes another one"
    for room, below in rooms.items():
        for other in sorted(below):
            if other not in rooms:
                yield f"{room} includes {other}/, which is no room"
            elif room in rooms[other] and room < other:
                yield f"{room} and {other} include each other"
            elif other == "engine":
                yield f"{room} includes the engine, which is above it"
    in_circle = sorted(set(rooms) - set(levels_of(rooms)))
    if in_circle:
        yield f"in a circle of includes, or above one: {', '.join(in_circle)}"


def drawn(rooms):
    levels = levels_of(rooms)
    for room in sorted(rooms, key=lambda name: (-levels.get(name, 99), name)):
        yield f"{room:12} -> {', '.join(sorted(rooms[room])) or 'nobody'}"


def picture(rooms):
    """An SVG with a row of rooms for each level. The engine, which may include all, is a bar without arrows."""
    levels, width, height, wide, gap = levels_of(rooms), 900, 34, 92, 76
    rows = {}
    for room, level in sorted(levels.items()):
        rows.setdefault(level, []).append(room)
    top = max(rows)
    at = {room: ((i + 1) * width / (len(row) + 1), 20 + (top - level) * gap) for level, row in rows.items() for i, room in enumerate(row)}
    yield (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {40 + top * gap + height}" font-family="sans-serif" '
           'font-size="13" text-anchor="middle">')
    yield ("<style>path,rect{stroke:#57606a;fill:none}rect{fill:#f6f8fa}text{fill:#1f2328}"
           "@media(prefers-color-scheme:dark){path,rect{stroke:#8b949e}rect{fill:#161b22}text{fill:#e6edf3}}</style>")
    yield '<marker id="head" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto"><path d="M0,0L8,4L0,8"/></marker>'
    for room, below in sorted(rooms.items()):
        for other in sorted(below if room != "engine" else ()):
            (x, y), (to_x, to_y) = at[room], at[other]
            yield f'<path d="M{x:.0f},{y + height:.0f}L{to_x:.0f},{to_y:.0f}" marker-end="url(#head)" opacity="0.6"/>'
    for room, (x, y) in sorted(at.items()):
        across = width - 40 if room == "engine" else wide
        yield f'<rect x="{x - across / 2:.0f}" y="{y:.0f}" width="{across}" height="{height}" rx="6"/><text x="{x:.0f}" y="{y + 22:.0f}">{room}</text>'
    yield "</svg>"


def main():
    if len(sys.argv) not in (2, 3) or (len(sys.argv) == 3 and sys.argv[2] not in ("--draw", "--svg")):
        sys.exit(__doc__)
    folder = pathlib.Path(sys.argv[1]).resolve() / "runtime/src"
    if said := list(faults(folder)):
        sys.exit("\n".join(said))
    kept = folder.parent / "rooms.svg"
    if len(sys.argv) == 3:
        print("\n".join((drawn if sys.argv[2] == "--draw" else picture)(rooms_of(folder))))
    elif kept.read_text(encoding="utf-8") != "\n".join(picture(rooms_of(folder))) + "\n":
        sys.exit(f"{kept}: is not what the code is now; make it again: rooms.py . --svg > runtime/rooms.svg")


if __name__ == "__main__":
    main()
