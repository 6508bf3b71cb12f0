#!/usr/bin/env python3
"""Draws the runtime from its code: the rooms are the folders of runtime/src, and an arrow is an include of another room's header.

Fails where two rooms know each other, directly or in a cycle, and where a room below the engine knows the engine. What counts are
headers: files named *-inl.hpp and *.cpp put the parts together, so they may include what they need.

Also fails where a header of a room of parts (PARTS), a header of detail/ that the README of such a room lists, or a header of
detail/ that one of these includes, directly or not, names the worker or the list of workers, and where the worker, the list, or a
part of one of them has more than twelve data members. And where a step of the map (the life of a task in the README of the
runtime) names a function that its file does not have. And where a test of the runtime or of its protocols is not in a folder of
the tests that is named as a room is. And where a class of a room of parts has more than twelve data members.

And where a class of a header of cluster/src, which are the parts of a rank, has more than twelve data members, or the README of the
cluster does not name such a header.

usage: rooms.py ROOT            checks, and prints nothing if all is well
       rooms.py ROOT --draw     prints rooms and arrows
       rooms.py ROOT --svg      prints them as a picture
"""

import pathlib
import re
import sys

INCLUDE = re.compile(r'^#include "(\w+)/[^"]+"', re.MULTILINE)

PARTS = ("sync", "queues", "tasks", "search", "wait")
ENGINE = re.compile(r"\b(?:basic_)?(?:all_)?(?:workers?|scheduler)(?:_type)?\b")
LISTED = re.compile(r"\(\.\./\.\./include/evencube/detail/(\w+\.hpp)\)")
STEP = re.compile(r"^\| \d+ \|[^|]*\|([^|]*)\| \[[^\]]*\]\(([^)]*)\) \|$", re.MULTILINE)
DETAIL = re.compile(r"^#include <evencube/detail/(\w+\.hpp)>", re.MULTILINE)
DECLARES = "engine_fwd.hpp"  # has the declarations that all parts share, of the worker too, and no more
WHOLES = ("basic_worker", "basic_workers")
MOST_MEMBERS = 12
TESTS = ("runtime", "protocols")  # these folders of tests/ have the rooms as their folders
NO_ROOMS = {"protocols/algorithms"}  # the explorer also runs a protocol of the algorithms
CHECKED = re.compile(r"\bEVENCUBE_(?:GUARDED_BY|CHECKED|REQUIRES)\((?:[^()]|\([^()]*\))*\)")
CLASS = re.compile(r"^(?:class|struct)\s+(?:alignas\(\d+\)\s+)?(?:EVENCUBE_EXPORT\s+)?(\w+)(?:\s+final)?(?:\s*:[^{;]*)?\s*$")
# A declaration at the top level of a class, without its initialiser, that is neither a function nor a type or a constant.
MEMBER = re.compile(r"^(?:alignas\(\d+\)\s+|mutable\s+)?(?!static\b|using\b|friend\b|typedef\b|enum\b|class\b|struct\b|template\s|public\b)"
                    r"((?:const\s+|typename\s+)?[\w:]+.*?)[\s*&]+(\w+)$", re.DOTALL)


def code_of(text):
    """Without comments, and without preprocessor lines other than includes."""
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
    text = re.sub(r"//.*", "", text)
    return re.sub(r"^#(?!include).*$", "", text, flags=re.MULTILINE)


def classes_of(text):
    """Each class of a header with the declarations of its data members, as pairs of a type and a name."""
    found = {}
    stack = []  # the open braces: the name of a class, or None for anything else
    piece = ""  # the text since the last end of a declaration in the innermost class
    for char in code_of(text):
        if char == "{":
            head = re.sub(r"template\s*<[^{}]*?>\s*(?=class|struct)", "", piece.strip().split(";")[-1]).strip()
            head = head.split("public:")[-1].split("private:")[-1].split("protected:")[-1].strip()
            named = CLASS.match(re.sub(r"\s+", " ", head))
            stack.append((named[1] if named else None, piece))
            if named:
                found.setdefault(named[1], [])
            piece = ""
        elif char == "}":
            _, before = stack.pop() if stack else (None, "")
            # What stands in braces is a body, an initialiser, or a class; the text before them goes on after an initialiser.
            piece = before + "{}"
        elif char == ";":
            owner = stack[-1][0] if stack else None
            text_of = re.sub(r"\b(?:public|private|protected)\s*:", "", piece)
            text_of = re.sub(r"^.*\{\}(?=\s*[^\s{=,]+\s)", "", text_of, flags=re.DOTALL)  # after bodies of functions
            text_of = re.sub(r"\s+", " ", re.sub(r"(?:=.*|\{\}.*)$", "", text_of, flags=re.DOTALL)).strip()
            member = MEMBER.match(text_of)
            if owner and member and member[2] != "operator" and "(" not in re.sub(r"<.*>|alignas\(\d+\)", "", text_of):
                found[owner].append((member[1], member[2]))
            piece = ""
        else:
            piece += char
    return found


def too_large(root):
    """Complaints of the worker, the list of workers, one of their parts, or a class of a room of parts, that have too many members."""
    classes = {}
    parts = set(WHOLES)
    for header in sorted([*root.glob("include/evencube/**/*.hpp"), *root.glob("src/*/*.hpp")]):
        for name, members in classes_of(header.read_text(encoding="utf-8")).items():
            if members or name not in classes:
                classes[name] = (header.relative_to(root), members)
            if header.parent.parent.name == "src" and header.parent.name in PARTS:
                parts.add(name)
    for whole in WHOLES:
        for kind, _ in classes.get(whole, (None, []))[1]:
            # A reference or a pointer is a neighbour. Settings and counters are lists, which may be long.
            parts |= {name for name in re.findall(r"\w+", kind) if name in classes and not name.endswith(("_settings", "_counters"))}
    for name in sorted(parts):
        header, members = classes.get(name, (None, []))
        if len(members) > MOST_MEMBERS:
            yield f"{header}: {name} has {len(members)} data members, more than {MOST_MEMBERS}: {', '.join(member for _, member in members)}"


def names_of_engine(root):
    detail = root / "include/evencube/detail"
    for room in PARTS:
        folder = root / "src" / room
        headers = [path for path in sorted(folder.glob("*.hpp")) if not path.name.endswith("-inl.hpp")]
        if (readme := folder / "README.md").exists():
            headers += [detail / name for name in LISTED.findall(readme.read_text(encoding="utf-8"))]
        for header in headers:  # grows by what the headers include
            code = code_of(header.read_text(encoding="utf-8"))
            for found in sorted(set(ENGINE.findall(code))):
                yield f"{header.relative_to(root)}: names `{found}`, which is above {room}"
            included = [detail / name for name in DETAIL.findall(code) if name != DECLARES]
            headers += [path for path in included if path.exists() and path not in headers]


def faults_of_map(root):
    """Complaints of steps whose function is not in the file that they name."""
    if not (page := root / "README.md").exists():
        return
    for functions, name in STEP.findall(page.read_text(encoding="utf-8")):
        code = code_of(file.read_text(encoding="utf-8")) if (file := root / name).exists() else ""
        for function in re.findall(r"`(\w+)`", functions):
            if not re.search(rf"\b{function}\b", code):
                yield f"README.md: `{function}` is not in {name}"


def faults_of_tests(root):
    """Complaints of tests whose folder is not a room."""
    for test in sorted(path for kind in TESTS for path in (root / "tests" / kind).rglob("*_test.cpp")):
        folder = test.parent.relative_to(root / "tests")
        if len(folder.parts) != 2 or (str(folder) not in NO_ROOMS and not (root / "runtime/src" / folder.name).is_dir()):
            yield f"{test.relative_to(root)}: belongs into a folder of tests/{folder.parts[0]} that is named as a folder of runtime/src"


def faults_of_cluster(root):
    """Complaints of parts of a rank that are too large, or that the map of the parts does not have."""
    if not (folder := root / "cluster/src").is_dir():
        return
    page = (root / "cluster/README.md").read_text(encoding="utf-8") if (root / "cluster/README.md").exists() else ""
    for header in sorted(folder.glob("*.hpp")):
        # What clang checks of a member stands after its name.
        for name, members in classes_of(CHECKED.sub("", code_of(header.read_text(encoding="utf-8")))).items():
            if len(members) > MOST_MEMBERS:
                yield (f"{header.relative_to(root)}: {name} has {len(members)} data members, more than {MOST_MEMBERS}: "
                       f"{', '.join(member for _, member in members)}")
        if f"(src/{header.name})" not in page:
            yield f"cluster/README.md: does not name src/{header.name}"


def rooms_of(folder):
    """Each room with the rooms that its headers include."""
    rooms = {path.name: set() for path in sorted(folder.iterdir()) if path.is_dir()}
    for header in folder.glob("*/*.hpp"):
        if not header.name.endswith("-inl.hpp"):
            rooms[header.parent.name] |= set(INCLUDE.findall(header.read_text(encoding="utf-8"))) - {header.parent.name}
    return rooms


def levels_of(rooms):
    """Each room with its level: 0 includes nobody. Rooms that are in a cycle, or above one, are not in it."""
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
        yield f"in a cycle of includes, or above one: {', '.join(in_circle)}"
    yield from names_of_engine(folder.parent)
    yield from too_large(folder.parent)
    yield from faults_of_map(folder.parent)


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
    root = pathlib.Path(sys.argv[1]).resolve()
    folder = root / "runtime/src"
    if said := [*faults(folder), *faults_of_tests(root), *faults_of_cluster(root)]:
        sys.exit("\n".join(said))
    kept = folder.parent / "rooms.svg"
    if len(sys.argv) == 3:
        print("\n".join((drawn if sys.argv[2] == "--draw" else picture)(rooms_of(folder))))
    elif kept.read_text(encoding="utf-8") != "\n".join(picture(rooms_of(folder))) + "\n":
        sys.exit(f"{kept}: is not what the code is now; make it again: rooms.py . --svg > runtime/rooms.svg")


if __name__ == "__main__":
    main()
