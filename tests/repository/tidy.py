#!/usr/bin/env python3
"""Runs clang-tidy over the project's sources; a file that was clean and has not changed is skipped.

usage: tidy.py ROOT [--jobs N] [FILE...]

What counts as unchanged: the file, all of the project's files it includes, the command that compiles
it, the lists of checks and the version of clang-tidy. As with ccache, what was found clean is
remembered per user, not per clone: in $XDG_CACHE_HOME/evencube-tidy.

Most of the time goes into the standard library's headers, which are read and walked through for every
file. So the files of a target are first checked several at a time, as one text that includes them. Where
that finds anything, be it only that two of them use a name for different things, each is checked by itself.
"""

import argparse
import concurrent.futures
import hashlib
import json
import os
import pathlib
import shlex
import shutil
import subprocess
import sys
import tempfile

from sources import Tree

# Whose files are checked as one text: in what is included there clang-tidy reports what the HeaderFilterRegex of
# .clang-tidy names. And how many of them, and of how many bytes in all.
TOGETHER = ("balancers", "cli", "pages", "papers", "runtime", "simulator", "trace", "workloads")
MOST_TOGETHER = 12
MOST_BYTES = 60_000

VERSIONS = (21, 20, 19, 18, 17, 16, 15, 14)


def find_clang_tidy():
    for name in (*(f"clang-tidy-{version}" for version in VERSIONS), "clang-tidy"):
        if shutil.which(name):
            return name
    sys.exit("tidy: clang-tidy is not installed")


def bytes_of(paths):
    return sum(path.stat().st_size for path in paths)


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

    def flags(self, path):
        """What the compiler is told of a file, but for its name and that of its object."""
        words = shlex.split(self.commands[path])[1:]
        for option in ("-o", "-c"):
            at = words.index(option)
            del words[at : at + 2]
        return words

    def batches(self, paths):
        """Lists of files that are compiled alike: those that are to be checked as one text."""
        batches = []
        open_ones = {}
        for path in paths:
            if self.stamp(path).exists():
                continue
            kind = (self.tree.component(path), *self.flags(path))
            batch = open_ones.get(kind)
            if (batch is None or kind[0] not in TOGETHER or len(batch) == MOST_TOGETHER or
                    bytes_of(batch) + path.stat().st_size > MOST_BYTES):
                batch = open_ones[kind] = []
                batches.append(batch)
            batch.append(path)
        return sorted(batches, key=bytes_of, reverse=True)  # so that no large one is left over

    def check_together(self, batch):
        """What clang-tidy says of the files of a batch."""
        if len(batch) > 1:
            with tempfile.NamedTemporaryFile("w", suffix=".cpp", dir=self.build, encoding="utf-8") as text:
                text.write("".join(f'#include "{path}"\n' for path in batch))
                text.flush()
                # A local name may be that of something in another file.
                command = [self.program, "--quiet", text.name, "--", *self.flags(batch[0]), "-Wno-shadow"]
                if subprocess.run(command, capture_output=True, check=False).returncode == 0:
                    for path in batch:
                        self.stamp(path).touch()
        return "".join(self.check(path) for path in batch)

    def sources(self, wanted):
        """The files to check: those that are compiled."""
        known = [path for path in self.tree.files() if path in self.commands]
        if wanted:
            wanted = {pathlib.Path(name).resolve() for name in wanted}
            known = [path for path in known if path in wanted]
        return known


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("root")
    parser.add_argument("files", nargs="*")
    parser.add_argument("--jobs", type=int, default=os.cpu_count())
    options = parser.parse_intermixed_args()
    tidy = Tidy(options.root)
    bad = 0
    with concurrent.futures.ThreadPoolExecutor(options.jobs) as pool:
        for complaint in pool.map(tidy.check_together, tidy.batches(tidy.sources(options.files))):
            if complaint:
                bad += 1
                print(complaint.rstrip(), flush=True)
    sys.exit(1 if bad else 0)


if __name__ == "__main__":
    main()
