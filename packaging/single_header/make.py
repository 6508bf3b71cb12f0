#!/usr/bin/env python3
"""Writes the runtime, the balancers and the algorithms as one header: the same bytes for the same sources.

usage: make.py FILE      FILE is usually evencube_single.hpp
"""

import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]

PARTS = ("balancers", "runtime", "algorithms")
# The first of all: it says why an older standard or -fno-exceptions is refused, before other errors do.
FIRST = "balancers/include/evencube/detail/compiler.hpp"
# Sources of balancers that only tests and tools call. The linker finds one that the runtime needs.
TOOLS = {"conformance", "documentation", "evaluation", "exhaustive", "theory"}
# The runtime reads the machine without hwloc.
WITH_HWLOC = "runtime/src/machine/hwloc_inventory.cpp"
PLATFORMS = "runtime/src/platform"
# What CMake makes of it says the version.
VERSION = "cmake/version.hpp.in"

INCLUDE = re.compile(r'#[ \t]*include[ \t]*([<"])([^>"]+)[>"]')
CONDITION = re.compile(r"#[ \t]*(if|endif)")
# What cannot be read line by line.
UNREADABLE = re.compile(r"R\"|/\*(?:(?!\*/).)*$|//.*\\$", re.MULTILINE)

HEAD = """\
// EvenCube {version} in one header: the runtime, the balancers and the algorithms, without hwloc.
// SPDX-License-Identifier: Apache-2.0 (https://www.apache.org/licenses/LICENSE-2.0)
// Copyright: the EvenCube developers
//
// packaging/single_header/make.py has written this file; change the sources, not this file.
//
// One source of the program defines EVENCUBE_IMPLEMENTATION before it includes this header, and so compiles the library,
// too. A program of one source does so in its first line:
//
//   #define EVENCUBE_IMPLEMENTATION
//   #include "evencube_single.hpp"
//
//   g++ -std=c++20 -O2 -pthread program.cpp
//
// All other sources only include this header. None of them may include the headers of an installed EvenCube, because these
// define the same names again.
//
// Where there is no Linux or no glibc, the library is built on the standard library alone, and it is on Linux, too, if
// EVENCUBE_PORTABLE is defined next to EVENCUBE_IMPLEMENTATION. Where the processor multiplies and adds in one rounding
// (aarch64, or x86 with -march=native), -ffp-contract=off makes plans the same as on other machines.
//
// This file leaves out the comments of private files, which are in the repository.
"""

IMPLEMENTATION = """
#if defined(EVENCUBE_IMPLEMENTATION) && !defined(EVENCUBE_SINGLE_HPP_IMPLEMENTED)
#define EVENCUBE_SINGLE_HPP_IMPLEMENTED
#ifdef __GNUC__
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"  // names of one source that another one uses in its functions
#endif
"""
IMPLEMENTED = """
#ifdef __GNUC__
#pragma GCC diagnostic pop
#endif"""


def refuse(path, what):
    sys.exit(f"{path.relative_to(ROOT)}: {what}")


class Header:
    """The text so far, and what has been included where it can be seen from here."""

    def __init__(self):
        self.lines = []  # and, where they belong, the sets of foreign headers
        self.seen = [set()]  # of each condition of this file that is open, what was included below it
        self.foreign = [set()]

    def add(self, text):
        self.lines += text.splitlines()

    def text(self):
        lines = []
        for line in self.lines:
            lines += [line] if isinstance(line, str) else foreign_includes(line)
        return "\n".join(lines) + "\n"

    def is_new(self, name):
        """Whether nothing above has included this; notes that it is included now."""
        if any(name in names for names in self.seen):
            return False
        self.seen[-1].add(name)
        return True

    def begin(self, condition):
        """The lines of a condition that hides what stands below it from what stands after it."""
        self.add(condition)
        self.seen.append(set())
        self.foreign.append(set())
        self.lines += ["", self.foreign[-1]]

    def turn(self, condition):
        self.seen.pop()
        self.foreign.pop()
        self.begin(condition)

    def end(self):
        self.seen.pop()
        self.foreign.pop()
        self.lines += ["", "#endif"]

    def file(self, path):
        """A source or a header with all that it includes and nothing above has."""
        text = path.read_text(encoding="utf-8")
        if unreadable := UNREADABLE.search(text):
            refuse(path, f"{unreadable.group().strip()!r} stands in it, which {pathlib.Path(__file__).name} cannot read")
        name = path.relative_to(ROOT).as_posix()
        body = []
        depth = 0
        for line in text.splitlines():
            if included := INCLUDE.match(line):
                if depth == 0:
                    if own(path, *included.groups()):
                        self.write(name, body)
                        body = []
                    self.include(path, line, *included.groups())
                    continue
                if own(path, *included.groups()):
                    refuse(path, f"{line}: included under a condition")
            elif condition := CONDITION.match(line):
                depth += 1 if condition.group(1) == "if" else -1
            elif line == "#pragma once" or (line.lstrip().startswith("//") and not is_public(path)):
                continue
            body.append(line)
        self.write(name, body)

    def include(self, path, line, kind, name):
        if header := own(path, kind, name):
            if self.is_new(header):
                self.file(header)
        elif kind == '"' or name.startswith("evencube/"):
            refuse(path, f"{line}: no such file")
        elif self.is_new(name):
            self.foreign[-1].add(name)

    def write(self, name, body):
        """The lines of a file, without those that are empty and follow one that is empty."""
        kept = [""]
        for line in body:
            if line or kept[-1]:
                kept.append(line)
        while kept and not kept[-1]:
            kept.pop()
        if kept:
            self.lines += ["", f"// ---- {name}", *kept]


def foreign_includes(names):
    """The lines for these headers. libstdc++ 12 calls its own deprecated function in std::stable_sort; newer clangs say so."""
    if not names:
        return []
    return ["#ifdef __clang__", "#pragma clang diagnostic push",
            '#pragma clang diagnostic ignored "-Wdeprecated-declarations"', "#endif",
            *(f"#include <{name}>" for name in sorted(names)), "#ifdef __clang__", "#pragma clang diagnostic pop", "#endif"]


def is_public(path):
    """Whether users include this file and read its comments."""
    parts = path.relative_to(ROOT).parts
    return "include" in parts and "detail" not in parts


def own(path, kind, name):
    """The file of the project behind an include of another one, or None."""
    top = ROOT / path.relative_to(ROOT).parts[0]
    folders = [path.parent, top / "src"] if kind == '"' else [ROOT / part / "include" for part in PARTS]
    return next((folder / name for folder in folders if (folder / name).is_file()), None)


def headers():
    """What users may include, and so all that it includes."""
    yield ROOT / FIRST
    for part in PARTS:
        for path in sorted((ROOT / part / "include").rglob("*.hpp")):
            if is_public(path) and not (part == "balancers" and path.stem in TOOLS):
                yield path


def sources():
    """What is compiled on any platform."""
    for part in ("balancers", "runtime"):
        for path in sorted((ROOT / part / "src").rglob("*.cpp")):
            name = path.relative_to(ROOT).as_posix()
            of_one_platform = path.parent.parent == ROOT / PLATFORMS
            if name != WITH_HWLOC and not of_one_platform and not (part == "balancers" and path.stem in TOOLS):
                yield path


def single_header():
    project = (ROOT / "CMakeLists.txt").read_text(encoding="utf-8")
    version = re.search(r"^project\(EvenCube VERSION ([\d.]+)", project, re.MULTILINE).group(1)
    header = Header()
    header.add(HEAD.format(version=version))
    header.begin("#ifndef EVENCUBE_SINGLE_HPP\n#define EVENCUBE_SINGLE_HPP")
    for path in headers():
        if header.is_new(path):
            header.file(path)
    text = (ROOT / VERSION).read_text(encoding="utf-8").replace("@PROJECT_VERSION@", version)
    header.write(VERSION, text.replace("#include <string_view>\n", "").splitlines()[1:])
    # The sources see what the header includes.
    declared = header.seen[-1]
    header.end()
    header.begin(IMPLEMENTATION)
    header.seen[-1] |= declared
    for path in sources():
        header.file(path)
    for condition, platform in (("#if defined(__linux__) && defined(__GLIBC__) && !defined(EVENCUBE_PORTABLE)", "linux"),
                                ("#else", "portable")):
        if platform == "linux":
            header.begin(condition)
        else:
            header.turn(condition)
        for path in sorted((ROOT / PLATFORMS / platform).glob("*.cpp")):
            header.file(path)
    header.end()
    header.add(IMPLEMENTED)
    header.end()
    return header.text()


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    pathlib.Path(sys.argv[1]).write_text(single_header(), encoding="utf-8")


if __name__ == "__main__":
    main()
