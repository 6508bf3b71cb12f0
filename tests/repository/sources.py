"""The project's own source files and what they include."""

import pathlib
import re

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*([<"])([^>"]+)[>"]', re.MULTILINE)
COMPONENTS = ("balancers", "runtime", "algorithms", "interop", "cluster", "trace", "simulator", "pages", "workloads",
              "papers", "cli", "bench", "examples", "lab")
SUFFIXES = {".hpp", ".cpp"}


class Tree:
    """The sources below a root folder."""

    def __init__(self, root):
        self.root = pathlib.Path(root).resolve()

    def files(self):
        """All source files, sorted."""
        for top in (*COMPONENTS, "tests"):
            for path in sorted((self.root / top).rglob("*")):
                if path.suffix in SUFFIXES and path.is_file():
                    yield path

    def component(self, path):
        """The top folder a file stands in."""
        return path.relative_to(self.root).parts[0]

    def is_public(self, path):
        """May users include it?"""
        return path.relative_to(self.root).parts[1] == "include"

    def includes(self, path):
        """(line number, '<' or '"', name) of every include of a file."""
        text = path.read_text(encoding="utf-8")
        for found in INCLUDE.finditer(text):
            yield text.count("\n", 0, found.start(1)) + 1, found.group(1), found.group(2)

    def public_header(self, name):
        """The file behind `#include <name>`, or None."""
        for component in COMPONENTS:
            path = self.root / component / "include" / name
            if path.is_file():
                return path
        return None

    def quoted_header(self, path, name):
        """The file behind `#include "name"` in `path`, or None: beside it, or in a src folder."""
        candidates = [path.parent, self.root / self.component(path) / "src", self.root / self.component(path)]
        if self.component(path) == "tests":
            candidates += [self.root / c / "src" for c in COMPONENTS] + [self.root / c for c in COMPONENTS]
            candidates += [self.root / "tests"]
        for folder in candidates:
            if (folder / name).is_file():
                return (folder / name).resolve()
        return None

    def resolve(self, path, kind, name):
        """The project's own file behind an include, or None."""
        return self.public_header(name) if kind == "<" else self.quoted_header(path, name)

    def closure(self, path):
        """A file and all of the project's files that it includes, directly or not, sorted."""
        seen, waiting = set(), [path.resolve()]
        while waiting:
            current = waiting.pop()
            if current not in seen:
                seen.add(current)
                waiting += filter(None, (self.resolve(current, k, n) for _, k, n in self.includes(current)))
        return sorted(seen)
