#!/usr/bin/env python3
"""The script ./dev: what it answers to a wrong word, from any folder, and how often it configures.

usage: dev_test.py ROOT
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop()).resolve()

PROJECT = """
cmake_minimum_required(VERSION 3.25)
project(small LANGUAGES CXX)
file(APPEND "${CMAKE_SOURCE_DIR}/configured" "once\\n")
add_executable(evencube_cli main.cpp)
set_target_properties(evencube_cli PROPERTIES OUTPUT_NAME evencube RUNTIME_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
"""
PROGRAM = r"""
#include <cstdio>
int main(int count, char** words) {
  for (int i = 1; i < count; ++i) std::printf("[%s]", words[i]);
  return count > 3 ? 7 : 0;
}
"""


def dev(script, *words, folder=None):
    settings = {**os.environ, "EVENCUBE_NO_INSTALL": "1"}
    return subprocess.run([str(script), *words], cwd=folder, env=settings, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120, check=False)


class Words(unittest.TestCase):
    def test_help_lists_every_command(self):
        result = dev(ROOT / "dev", "help", folder="/")
        self.assertEqual(result.returncode, 0)
        for word in ("run", "test", "bench", "fuzz", "lint", "build"):
            self.assertRegex(result.stdout, rf"(?m)^  {word}\b")

    def test_wrong_words_are_named_with_exit_code_2(self):
        for words in (["fly"], ["build", "fast"], ["build", "release", "debug"], ["test", "nothing"], ["lint", "all"],
                      ["fuzz", "-1"], ["fuzz", "10", "soon"]):
            with self.subTest(words=words):
                result = dev(ROOT / "dev", *words)
                self.assertEqual(result.returncode, 2)
                self.assertIn("at most one preset" if words[0] == "build" and len(words) > 2 else words[-1], result.stderr)


class SmallProject(unittest.TestCase):
    """A project of one file in the place of EvenCube, in a folder with spaces in its name."""

    def setUp(self):
        self.outside = tempfile.TemporaryDirectory()
        self.addCleanup(self.outside.cleanup)
        self.folder = pathlib.Path(self.outside.name) / "a path with spaces"
        self.make(self.folder)

    def make(self, folder):
        folder.mkdir()
        shutil.copy(ROOT / "dev", folder)
        shutil.copy(ROOT / "CMakePresets.json", folder)
        (folder / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        (folder / "main.cpp").write_text(PROGRAM, encoding="utf-8")

    def test_run_hands_over_words_and_exit_code_from_any_folder(self):
        result = dev(self.folder / "dev", "run", "two words", "", folder="/")
        self.assertEqual((result.returncode, result.stdout), (0, "[two words][]"), result.stderr)
        self.assertEqual(dev(self.folder / "dev", "run").stdout, "[demo]")
        self.assertEqual(dev(self.folder / "dev", "run", "1", "2", "3").returncode, 7)

    def test_configures_once_and_again_when_the_clone_has_moved(self):
        for _ in range(2):
            self.assertEqual(dev(self.folder / "dev", "run").returncode, 0)
        self.assertEqual((self.folder / "configured").read_text(encoding="utf-8"), "once\n")
        moved = self.folder.with_name("moved elsewhere")
        self.folder.rename(moved)
        result = dev(moved / "dev", "run")
        self.assertEqual((result.returncode, result.stdout), (0, "[demo]"), result.stderr)

    def test_a_failed_build_is_a_failure_and_runs_nothing(self):
        (self.folder / "main.cpp").write_text("int main() { return no_such_name; }", encoding="utf-8")
        result = dev(self.folder / "dev", "run")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("no_such_name", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
