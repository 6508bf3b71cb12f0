#!/usr/bin/env python3
"""What run.py says of the list of cases that fail under Wine, with a script in the place of Wine.

usage: run_test.py
"""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import run  # noqa: E402

# A program with two cases: good.one passes, bad.two/1 fails.
PROGRAM = """#!/bin/sh
case "$*" in
  *list_tests*) printf 'good.\\n  one\\nbad.\\n  two/1  # GetParam() = 1\\n' ;;
  *=bad.two/1) exit 1 ;;
esac
"""


class ListedCases(unittest.TestCase):
    def test_lines_name_a_program_a_case_and_a_reason(self):
        self.assertEqual(run.listed("# nothing\n\na_test x.y/1: it forks\na_test x.z: no: really\n"), {"a_test": ["x.y/1", "x.z"]})
        for line in ("a_test x.y", "a_test: it forks", "a_test x.y: ", "a_test x y: it forks"):
            with self.assertRaisesRegex(ValueError, "line 1"):
                run.listed(line)

    def test_the_list_may_only_shrink(self):
        with tempfile.TemporaryDirectory() as name:
            program = pathlib.Path(name, "program")
            program.write_text(PROGRAM, encoding="utf-8")
            program.chmod(0o755)
            wrong = list(run.wrong_lines([str(program)], ["good.one", "bad.two/1", "bad.three"], dict(os.environ)))
        self.assertEqual(wrong, ["good.one passes", "bad.three does not exist"])

    def test_the_status_is_that_of_the_program(self):
        for status in (0, 3):
            done = subprocess.run([sys.executable, "-B", run.__file__, "/bin/sh", "-c", f"exit {status}"], check=False)
            self.assertEqual(done.returncode, status)


if __name__ == "__main__":
    unittest.main()
