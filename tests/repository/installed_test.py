#!/usr/bin/env python3
"""What ./dev install builds is all that `cmake --install` then looks for in the build folder.

usage: installed_test.py BUILD_FOLDER
"""

import pathlib
import re
import subprocess
import sys

GIVEN = re.compile(r'file\(INSTALL [^)]*?FILES((?: "[^"]+")+)')


def ninja(folder, *words):
    output = subprocess.run(["ninja", "-C", str(folder), "-t", *words], check=True, capture_output=True, text=True).stdout
    return {(folder / line.strip().partition(": ")[0]).resolve() for line in output.splitlines()}


def main():
    folder = pathlib.Path(sys.argv[1]).resolve()
    # Ninja's inputs are those of what the target names, which a query has.
    built = ninja(folder, "query", "evencube_installed") | ninja(folder, "inputs", "evencube_installed")
    outputs = ninja(folder, "targets", "all")
    wanted = set()
    for script in folder.rglob("cmake_install.cmake"):
        if "CMakeFiles" in script.parts:
            continue
        for files in GIVEN.findall(script.read_text(encoding="utf-8")):
            wanted |= {pathlib.Path(name).resolve() for name in re.findall(r'"([^"]+)"', files)}
    # What configuring makes is there anyway.
    wanted &= outputs
    if not any(name.suffix == ".a" or ".so" in name.name for name in wanted):
        sys.exit(f"{folder}: no library is installed; has the form of cmake_install.cmake changed?")
    if lacking := sorted(map(str, wanted - built)):
        sys.exit(f"installed, but not built by evencube_installed: {', '.join(lacking)}")


main()
