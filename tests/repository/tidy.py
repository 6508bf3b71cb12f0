#!/usr/bin/env python3
"""Runs clang-tidy over the project's sources; a file that was clean and has not changed is skipped.

usage: tidy.py ROOT [--jobs N] [FILE...]

What counts as unchanged: the file, all of the project's files it includes, the command that compiles
it, the lists of checks and the version of clang-tidy. As with ccache, what was found clean is
remembered per user, not per clone: in $XDG_CACHE_HOME/evencube-tidy.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shutil
import subprocess
import sys

from sources import Tree

VERSIONS = (21, 20, 19, 18, 17, 16, 15, 14)


def find_clang_tidy():
    for name in (*(f"clang-tidy-{version}" for version in VERSIONS), "clang-tidy"):
        if shutil.which(name):
            return name
    sys.exit("tidy: clang-tidy is not installed")


class Tidy:
    def __init__(self, root):
        self.tree = Tree(root)
        self.program = find_clang_tidy()
        self.build = self.tree.root / "build" / "tidy"
        cache = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
        self.clean = pathlib.Path(cache) / "evencube-tidy"
        self.clean.mkdir(parents=True, exist_ok=True)
        commands = json.loads((self.build / "compile_commands.json").read_text(encoding="utf-8"))
        self.commands = {pathlib.Path(c["file"]).resolve(): c["command"] for c in commands}
        version = subprocess.run([self.program, "--version"], check=True, capture_output=True, text=True).stdout
        lists = sorted(self.tree.root.glob("**/.clang-tidy"))
        self.common = version + "".join(path.read_text(encoding="utf-8") for path in lists)

    def stamp(self, path):
        """The file that exists if and only if this very state of `path` was found clean."""
        root = str(self.tree.root)
        state = hashlib.sha256((self.common + self.commands[path].replace(root, "")).encode())
        for part in self.tree.closure(path):
            state.update(str(part).replace(root, "").encode() + b"\0" + part.read_bytes())
        return self.clean / state.hexdigest()

    def check(self, path):
        """What clang-tidy says of a file: empty where it is clean."""
        stamp = self.stamp(path)
        if stamp.exists():
            return ""
        result = subprocess.run([self.program, "--quiet", "-p", str(self.build), str(path)],
                                capture_output=True, encoding="utf-8", errors="replace", check=False)
        if result.returncode == 0:
            stamp.touch()
            return ""
        return result.stdout or result.stderr

    def sources(self, wanted):
        """The files to check: those that are compiled, the largest first so that none is left over."""
        known = [path for path in self.tree.files() if path in self.commands]
        if wanted:
            wanted = {pathlib.Path(name).resolve() for name in wanted}
            known = [path for path in known if path in wanted]
        return sorted(known, key=lambda path: -path.stat().st_size)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_intermixed_args()
    tidy = Tidy(options.root)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for complaint in pool.map(tidy.check, tidy.sources(options.files)):
            if complaint:
                bad += 1
                print(complaint.rstrip(), flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
