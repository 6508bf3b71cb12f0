#!/usr/bin/env python3
"""What the shrinker prints is a program that compiles.

usage: print_test.py RANDOM_PROGRAMS CXX INCLUDE_FOLDER...
"""

import subprocess
import sys

PROGRAM, COMPILER, *FOLDERS = sys.argv[1:]
SEEDS = range(1, 41)


def printed(seed):
    command = [PROGRAM, "--print", str(seed), "--workers", "3"]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def main():
    text = ""
    for seed in SEEDS:
        whole = printed(seed)
        prelude, comment, program = whole.partition(f"// Seed {seed}, 3 workers.\n")
        assert comment and program.startswith("int main() {\n"), whole
        text = text or prelude
        text += program.replace("int main()", f"void program_{seed}()", 1)
    command = [COMPILER, "-std=c++20", "-fsyntax-only", *(f"-I{folder}" for folder in FOLDERS), "-x", "c++", "-"]
    sys.exit(subprocess.run(command, input=text, text=True, check=False).returncode)


if __name__ == "__main__":
    main()
