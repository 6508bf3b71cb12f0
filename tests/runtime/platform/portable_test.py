#!/usr/bin/env python3
"""Builds the library on the standard library alone, and runs its unit, stress and random-program tests on that.

usage: portable_test.py SOURCE BUILD COMPILER      builds in a folder beside BUILD, with the same compiler
"""

import pathlib
import subprocess
import sys

TARGETS = ("platform_test", "runtime_tests", "random_programs_test")


def run(*command):
    """Ends the test if the command fails."""
    subprocess.run([str(word) for word in command], check=True)


def main():
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    source, build, compiler = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2]), sys.argv[3]
    # As far below the clone as the build of the tests, so what is compiled alike is found in ccache. It is kept, so that the
    # next run compiles only what has changed.
    folder = build.parent / "portable"
    # Nothing is timed, and -O1 compiles in less time than -O3.
    run("cmake", "-G", "Ninja", "-S", source, "-B", folder, f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Release",
        "-DCMAKE_CXX_FLAGS_RELEASE=-O1 -DNDEBUG", "-DEVENCUBE_PLATFORM=portable", "-DEVENCUBE_DEVELOPER=ON", "-DEVENCUBE_WARNINGS_AS_ERRORS=ON", "-DEVENCUBE_FOLDERS=",
        "-DEVENCUBE_SIMULATOR=OFF", "-DEVENCUBE_CLUSTER=OFF")
    run("cmake", "--build", folder, "--target", *TARGETS)
    run("ctest", "--test-dir", folder, "--output-on-failure", "--no-tests=error", "-R", f"^({'|'.join(TARGETS)})([.]|$)")


if __name__ == "__main__":
    main()
