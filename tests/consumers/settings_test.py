#!/usr/bin/env python3
"""The headers and an installed static library under the settings that strangers build with, by all compilers that are here.

usage: settings_test.py SOURCE_FOLDER BUILD_FOLDER
"""

import pathlib
import shutil
import subprocess
import sys
import unittest

sys.dont_write_bytecode = True
ROOT, BUILD = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
sys.path.insert(0, str(ROOT / "tests" / "repository"))

import readme  # noqa: E402

COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
LIBRARIES = ("balancers", "runtime", "algorithms", "interop", "trace", "simulator", "pages")
WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wold-style-cast", "-Werror"]
# They include headers of libraries that may not be here.
FOREIGN = {"evencube/interop/beman_execution.hpp", "evencube/interop/eigen.hpp", "evencube/interop/opencv.hpp",
           "evencube/interop/stdexec.hpp"}


def public_headers():
    for library in LIBRARIES:
        folder = ROOT / library / "include"
        for path in sorted(folder.rglob("*.hpp")):
            name = path.relative_to(folder).as_posix()
            if name not in FOREIGN:
                yield name


class Settings(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.work = BUILD / "consumers" / "settings"
        shutil.rmtree(cls.work, ignore_errors=True)
        cls.prefix = cls.work / "prefix"
        subprocess.run(["cmake", "--install", BUILD, "--prefix", cls.prefix, "--component", "development"], check=True,
                       stdout=subprocess.DEVNULL)
        cls.page = readme.Page(ROOT / "README.md")
        cls.program = cls.work / "main.cpp"
        cls.program.write_text(cls.page.program(), encoding="utf-8")
        cls.everything = cls.work / "everything.cpp"
        lines = [f"#include <{name}>\n" for name in public_headers()]
        cls.everything.write_text("".join(lines) + "int main() {}\n", encoding="utf-8")

    def compile(self, compiler, source, *words):
        """As a stranger includes it who has no system headers made of it: its warnings are seen."""
        command = [compiler, f"-I{self.prefix / 'include'}", "-pthread", str(source), *words]
        return subprocess.run([str(word) for word in command], check=False, capture_output=True, text=True)

    def each(self):
        self.assertTrue(COMPILERS, "no compiler is here")
        for compiler in COMPILERS:
            with self.subTest(compiler=compiler):
                yield compiler

    def test_every_header_is_without_warnings(self):
        for compiler in self.each():
            for more in (["-std=c++20"], ["-std=c++2b"], ["-std=c++20", "-fvisibility=hidden"]):
                with self.subTest(more=more):
                    done = self.compile(compiler, self.everything, "-fsyntax-only", *WARNINGS, *more)
                    self.assertEqual((done.returncode, done.stderr), (0, ""))

    def test_a_warning_would_be_seen(self):
        for compiler in self.each():
            source = self.work / "careless.cpp"
            source.write_text("#include <evencube/evencube.hpp>\nint main() { return (int)2.5; }\n", encoding="utf-8")
            self.assertNotEqual(self.compile(compiler, source, "-std=c++20", "-fsyntax-only", *WARNINGS).returncode, 0)

    def test_programs_are_built_and_run(self):
        libraries = [path for name in ("runtime", "balancers") for path in self.prefix.rglob(f"libevencube_{name}.a")]
        self.assertEqual(len(libraries), 2)
        hwloc = subprocess.run(["pkg-config", "--libs", "hwloc"], check=False, capture_output=True, text=True).stdout.split()
        for compiler in self.each():
            for more in (["-std=c++20", "-fno-rtti"], ["-std=c++2b"], ["-std=c++20", "-flto"], ["-std=c++20", "-O0", "-g"]):
                with self.subTest(more=more):
                    built = self.work / "program"
                    done = self.compile(compiler, self.program, *more, "-o", built, *libraries, *hwloc)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    printed = subprocess.run([built], check=True, capture_output=True, text=True, timeout=60).stdout
                    self.assertEqual(printed, self.page.program_output())

    def test_what_cannot_work_is_refused_with_its_reason(self):
        for compiler in self.each():
            for header in ("evencube/evencube.hpp", "evencube/algorithms.hpp", "evencube/coroutine.hpp",
                           "evencube/balancers/registry.hpp"):
                source = self.work / "refused.cpp"
                source.write_text(f"#include <{header}>\nint main() {{}}\n", encoding="utf-8")
                with self.subTest(header=header):
                    done = self.compile(compiler, source, "-fsyntax-only", "-std=c++20", "-fno-exceptions")
                    first = next(line for line in done.stderr.splitlines() if "error:" in line)
                    self.assertIn("EvenCube needs exceptions", first)
                    # Others may come first, of words that no older standard knows.
                    done = self.compile(compiler, source, "-fsyntax-only", "-std=c++17")
                    self.assertIn("EvenCube is written in C++20: compile with -std=c++20 or newer", done.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
