#!/usr/bin/env python3
"""A build with EVENCUBE_PLATFORM=portable has the sources that the tests of this folder are linked to.

usage: configured_test.py SOURCE BUILD COMPILER SOURCES      SOURCES: a file with the path of a source on each line
"""

import json
import pathlib
import shutil
import subprocess
import sys


def main():
    if len(sys.argv) != 5:
        sys.exit(__doc__)
    source, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    tested = {pathlib.Path(line) for line in pathlib.Path(sys.argv[4]).read_text(encoding="utf-8").splitlines()}
    folder = build / "configured as portable"
    shutil.rmtree(folder, ignore_errors=True)
    subprocess.run(["cmake", "-G", "Ninja", "-S", source, "-B", folder, f"-DCMAKE_CXX_COMPILER={compiler}",
                    "-DEVENCUBE_PLATFORM=portable", "-DEVENCUBE_UNITY=OFF", "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON"], check=True)
    commands = json.loads((folder / "compile_commands.json").read_text(encoding="utf-8"))
    compiled = {pathlib.Path(command["file"]) for command in commands if "/evencube_runtime.dir/" in command["command"]}
    if compiled != tested:
        sys.exit(f"only compiled: {sorted(map(str, compiled - tested))}, only tested: {sorted(map(str, tested - compiled))}")


if __name__ == "__main__":
    main()
