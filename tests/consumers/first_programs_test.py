#!/usr/bin/env python3
"""Programs as a new user would write them compile with the header that the README shows, without a warning, and do what they say.

usage: first_programs_test.py ROOT BUILD CXX
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv[1]).resolve()
BUILD = pathlib.Path(sys.argv[2]).resolve()
COMPILER = sys.argv[3]
PROGRAMS = sorted((ROOT / "tests" / "consumers" / "first_programs").glob("*.cpp"))


def own_headers(text):
    return re.findall(r"#include <(evencube/[^>]*)>", text)


class FirstPrograms(unittest.TestCase):
    def test_there_are_eight(self):
        self.assertEqual(len(PROGRAMS), 8)

    def test_the_header_of_the_readme_is_all_that_they_include(self):
        readme = set(own_headers((ROOT / "README.md").read_text(encoding="utf-8")))
        for program in PROGRAMS:
            with self.subTest(program=program.name):
                self.assertEqual(own_headers(program.read_text(encoding="utf-8")), ["evencube/evencube.hpp"])
                self.assertIn("evencube/evencube.hpp", readme)

    def test_they_compile_without_a_warning_and_succeed(self):
        folders = [ROOT / part / "include" for part in ("runtime", "balancers")] + [BUILD / "generated"]
        libraries = [BUILD / f"{part}/libevencube_{part}.a" for part in ("runtime", "balancers")]
        with tempfile.TemporaryDirectory() as folder:
            for source in PROGRAMS:
                with self.subTest(program=source.name):
                    program = pathlib.Path(folder) / source.stem
                    done = subprocess.run(
                        [COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Werror", "-pthread", *(f"-I{f}" for f in folders), source,
                         "-o", program, *libraries, "-lhwloc", "-ldl"], capture_output=True, text=True, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertEqual(subprocess.run([program], timeout=60, check=False).returncode, 0)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
