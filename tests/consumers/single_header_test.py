#!/usr/bin/env python3
"""The header that packaging/single_header writes: programs of one and of two sources compile with it and do what they say.

usage: single_header_test.py ROOT BUILD
"""

import pathlib
import re
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
ROOT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(ROOT / "tests" / "repository"))

import readme  # noqa: E402

MAKE = ROOT / "packaging" / "single_header" / "make.py"
SOURCES = ROOT / "tests" / "consumers" / "single_header"
WORK = BUILD / "consumers" / "single_header"
# Compiled alike, most of it is in ccache the next time.
CCACHE = ["ccache"] if shutil.which("ccache") else []
FLAGS = ["-std=c++20", "-pthread", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wconversion", "-Wold-style-cast", "-Werror"]


def version():
    return re.search(r"project\(EvenCube VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]


def printed():
    """What program.cpp prints."""
    squares = sum(i * i for i in range(1000))
    return f"fork_join 6765\ncoroutine {610 + 987}\nreduce {squares}\ngroup 100\nsorted yes\noem 4 4 4 4\nversion {version()}\n"


def write_header(file):
    subprocess.run([sys.executable, "-B", MAKE, file], check=True)


class SingleHeader(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        shutil.rmtree(WORK, ignore_errors=True)
        WORK.mkdir(parents=True)
        write_header(WORK / "evencube_single.hpp")
        for source in SOURCES.iterdir():
            shutil.copy(source, WORK)

    def run_in_work(self, *words):
        done = subprocess.run([str(word) for word in words], cwd=WORK, check=False, capture_output=True, text=True)
        self.assertEqual((done.returncode, done.stderr), (0, ""), " ".join(map(str, words)))
        return done.stdout

    def compile(self, compiler, level, source):
        """The object of a source, compiled once."""
        built = WORK / f"{source}{level}-{compiler}.o"
        if not built.exists():
            self.run_in_work(*CCACHE, compiler, level, *FLAGS, "-c", source, "-o", built.name)
        return built

    def output(self, compiler, level, *sources):
        """What the program of these sources prints, and the functions that it takes from shared libraries."""
        program = WORK / "program"
        self.run_in_work(compiler, "-pthread", *(self.compile(compiler, level, source) for source in sources), "-o", program)
        return self.run_in_work(program), self.run_in_work("nm", "-D", "-u", program)

    def check_two_sources(self, compiler, level):
        if not shutil.which(compiler):
            self.skipTest(f"{compiler} is not here")
        output, taken = self.output(compiler, level, "program.cpp", "library.cpp")
        self.assertEqual(output, printed())
        self.assertIn("sched_setaffinity", taken)

    def test_two_sources_by_gcc(self):
        self.check_two_sources("g++", "-O0")

    def test_two_sources_by_clang_optimised(self):
        self.check_two_sources("clang++-19", "-O3")

    def test_one_source_on_the_standard_library_alone(self):
        (WORK / "one.cpp").write_text('#define EVENCUBE_PORTABLE\n#define EVENCUBE_IMPLEMENTATION\n#include "program.cpp"\n',
                                      encoding="utf-8")
        output, taken = self.output("g++", "-O0", "one.cpp")
        self.assertEqual(output, printed())
        self.assertNotIn("sched_setaffinity", taken)

    def test_the_program_of_the_readme(self):
        page = readme.Page(ROOT / "README.md")
        text = page.program()
        self.assertIn("#include <evencube/evencube.hpp>\n", text)
        (WORK / "readme.cpp").write_text(text.replace("<evencube/evencube.hpp>", '"evencube_single.hpp"'), encoding="utf-8")
        self.assertEqual(self.output("g++", "-O0", "readme.cpp", "library.cpp")[0], page.program_output())

    def test_the_same_bytes_every_time(self):
        write_header(WORK / "again.hpp")
        text = (WORK / "evencube_single.hpp").read_text(encoding="utf-8")
        self.assertEqual((WORK / "again.hpp").read_text(encoding="utf-8"), text)
        self.assertNotIn(str(ROOT), text)
        self.assertIn(f"// EvenCube {version()} ", text.partition("\n")[0])
        self.assertNotIn("#include <evencube/", text)

    def test_an_older_standard_is_refused_with_its_reason(self):
        done = subprocess.run(["g++", "-std=c++17", "-fsyntax-only", "-x", "c++", "evencube_single.hpp"], cwd=WORK, check=False,
                              capture_output=True, text=True)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("EvenCube is written in C++20: compile with -std=c++20 or newer", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
