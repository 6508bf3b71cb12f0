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


def copy_dev(folder):
    """The script with what it reads."""
    shutil.copy(ROOT / "dev", folder)
    shutil.copytree(ROOT / "dev.d", folder / "dev.d")


def dev(script, *words, folder=None):
    settings = {**os.environ, "EVENCUBE_NO_INSTALL": "1"}
    return subprocess.run([str(script), *words], cwd=folder, env=settings, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL, timeout=120, check=False)


class Words(unittest.TestCase):
    def test_help_lists_every_command(self):
        result = dev(ROOT / "dev", "help", folder="/")
        self.assertEqual(result.returncode, 0)
        for word in ("run", "test", "bench", "fuzz", "lint", "build", "install", "uninstall", "package", "machines", "abi",
                     "lab", "docs", "release", "single"):
            self.assertRegex(result.stdout, rf"(?m)^  {word}\b")

    def test_wrong_words_are_named_with_exit_code_2(self):
        for words in (["fly"], ["build", "fast"], ["build", "release", "debug"], ["test", "nothing"], ["test", "all", "nothing"],
                      ["test", "quick", "nothing"], ["lint", "all"],
                      ["fuzz", "nothing"], ["fuzz", "-1"], ["fuzz", "10", "soon"], ["fuzz", "png", "soon"],
                      ["fuzz", "png", "0"], ["fuzz", "programs", "few"], ["docs", "all"], ["abi", "all"], ["lab", "now"],
                      ["release", "soon"], ["single", "a.hpp", "b.hpp"]):
            with self.subTest(words=words):
                result = dev(ROOT / "dev", *words)
                self.assertEqual(result.returncode, 2)
                self.assertIn("at most one preset" if words[0] == "build" and len(words) > 2 else words[-1], result.stderr)


class Path(unittest.TestCase):
    def test_no_program_comes_from_the_current_folder(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            for program in ("readlink", "dirname", "cat", "git", "python3", "shellcheck", "clang-format-19"):
                (folder / program).write_text("#!/bin/sh\n: >was-run\n", encoding="utf-8")
                (folder / program).chmod(0o755)
            for path in (":{}", ".:{}", "bin::.:{}", "{}:"):
                with self.subTest(path=path):
                    settings = {**os.environ, "PATH": path.format(os.environ["PATH"])}
                    done = subprocess.run([shutil.which("bash"), ROOT / "dev", "help"], cwd=folder, env=settings,
                                          capture_output=True, text=True, timeout=60, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)
                    self.assertFalse((folder / "was-run").exists())


class Release(unittest.TestCase):
    """Of a repository with nothing in it but what is looked at first."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        copy_dev(self.root)
        self.write("CMakeLists.txt", "project(EvenCube VERSION 1.2.3 LANGUAGES CXX)\n")
        self.write("CHANGELOG.md", "## [1.2.3] - 2026-01-31\n")
        self.git("init", "-q")
        self.commit()

    def write(self, name, text):
        (self.root / name).write_text(text, encoding="utf-8")

    def git(self, *words):
        subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", *words], cwd=self.root, check=True,
                       capture_output=True)

    def commit(self):
        self.git("add", "-A")
        self.git("commit", "-q", "-m", "all")

    def refused(self, why, version="1.2.3"):
        result = dev(self.root / "dev", "release", version)
        self.assertEqual(result.returncode, 1)
        self.assertIn(why, result.stderr)
        self.assertFalse((self.root / "build").exists(), "nothing is built first")

    def test_another_version_is_refused(self):
        self.refused("CMakeLists.txt says version 1.2.3, not 1.2.4", "1.2.4")

    def test_a_changelog_without_the_version_is_refused(self):
        self.write("CHANGELOG.md", "## [Unreleased]\n## [1x2.3] - 2026-01-31\n")
        self.commit()
        self.refused('CHANGELOG.md has no section "## [1.2.3] - YYYY-MM-DD"')

    def test_a_tag_that_is_there_is_refused(self):
        self.git("tag", "v1.2.3")
        self.refused("there is a tag v1.2.3 already")

    def test_changes_that_are_not_committed_are_refused(self):
        self.write("new", "")
        self.refused("there are changes that are not committed")


class Stages(unittest.TestCase):
    """A stage that a release runs again, with a command in its place."""

    STAGE = """
        set -euo pipefail
        root=$1; finished=()
        source "$root/dev.d/check.sh"
        lint() { echo "lint runs"; }
        skip_passed=$2
        stage lint
    """

    def runs(self, root, skips="true"):
        done = subprocess.run(["bash", "-c", self.STAGE, "stages", str(root), skips], capture_output=True, text=True, timeout=60,
                              check=True)
        self.assertNotEqual("lint runs" in done.stdout, "lint has passed on these files before" in done.stdout)
        return "lint runs" in done.stdout

    def test_what_has_passed_is_repeated_once_a_file_has_changed(self):
        with tempfile.TemporaryDirectory() as name:
            root = pathlib.Path(name)
            copy_dev(root)
            git = ["git", "-C", str(root), "-c", "user.name=a", "-c", "user.email=a@b"]

            def commit():
                subprocess.run([*git, "add", "-A"], check=True)
                subprocess.run([*git, "commit", "-q", "-m", "all"], check=True)

            self.assertTrue(self.runs(root), "no repository")
            self.assertTrue(self.runs(root), "nothing is known of files outside of a repository")
            subprocess.run([*git, "init", "-q"], check=True)
            (root / ".gitignore").write_text("/build/\n", encoding="utf-8")
            commit()
            self.assertTrue(self.runs(root))
            self.assertFalse(self.runs(root))
            self.assertTrue(self.runs(root, "false"), "not a release")
            (root / "new").touch()
            self.assertTrue(self.runs(root), "not committed")
            self.assertTrue(self.runs(root), "not committed")
            commit()
            self.assertTrue(self.runs(root), "committed")
            self.assertFalse(self.runs(root))


class MissingPackages(unittest.TestCase):
    """An ordinary user on a Debian where packages are missing, with the tools that ./dev asks replaced."""

    def setUp(self):
        self.outside = tempfile.TemporaryDirectory()
        self.addCleanup(self.outside.cleanup)
        self.tools = pathlib.Path(self.outside.name) / "bin"
        self.tools.mkdir()
        for name in ("bash", "dirname", "readlink", "nproc", "awk", "env"):
            (self.tools / name).symlink_to(shutil.which(name))
        self.tool("dpkg-query", "")
        self.tool("apt-cache", "")
        self.tool("apt-get", 'echo "E: no way to the network"; exit 100')

    def tool(self, name, script):
        path = self.tools / name
        path.write_text(f"#!{shutil.which('bash')}\n{script}\n", encoding="utf-8")
        path.chmod(0o755)

    def run_dev(self, *words):
        # Where the test itself is root, bash cannot be told otherwise; the script reads EUID, as its copy does not.
        folder = pathlib.Path(self.outside.name) / "copy"
        if not folder.exists():
            folder.mkdir()
            copy_dev(folder)
            for script in (folder / "dev.d").glob("*.sh"):
                script.write_text(script.read_text(encoding="utf-8").replace("EUID", "PRETENDED_USER"), encoding="utf-8")
        copy = folder / "dev"
        temporary = pathlib.Path(self.outside.name) / "temporary"
        temporary.mkdir(exist_ok=True)
        settings = {"PATH": str(self.tools), "HOME": "/", "PRETENDED_USER": "1000", "TMPDIR": str(temporary)}
        result = subprocess.run([shutil.which("bash"), str(copy), *words], capture_output=True, text=True, timeout=60,
                                env=settings, check=False)
        self.assertEqual(list(temporary.iterdir()), [])
        return result

    def test_without_sudo_it_says_what_root_has_to_do(self):
        for words in (["build"], ["run"], ["test"], ["bench"], ["lint"]):
            with self.subTest(words=words):
                result = self.run_dev(*words)
                self.assertEqual(result.returncode, 1)
                self.assertIn("neither root nor sudo is here", result.stderr)
                self.assertIn("apt-get install g++ ", result.stderr)

    def test_what_a_failed_tool_printed_is_shown(self):
        self.tool("sudo", 'exec "$@"')
        result = self.run_dev("build")
        self.assertEqual(result.returncode, 1)
        self.assertIn("E: no way to the network", result.stderr)
        self.assertIn("this failed: as_root apt-get", result.stderr)


class SmallProject(unittest.TestCase):
    """A project of one file in the place of EvenCube, in a folder with spaces in its name."""

    def setUp(self):
        self.outside = tempfile.TemporaryDirectory()
        self.addCleanup(self.outside.cleanup)
        self.folder = pathlib.Path(self.outside.name) / "a path with spaces"
        self.make(self.folder)

    def make(self, folder):
        folder.mkdir()
        copy_dev(folder)
        shutil.copy(ROOT / "CMakePresets.json", folder)
        (folder / "CMakeLists.txt").write_text(PROJECT, encoding="utf-8")
        (folder / "main.cpp").write_text(PROGRAM, encoding="utf-8")

    def test_run_hands_over_words_and_exit_code_from_any_folder(self):
        result = dev(self.folder / "dev", "run", "two words", "", folder="/")
        self.assertEqual((result.returncode, result.stdout), (0, "[two words][]"), result.stderr)
        self.assertEqual(dev(self.folder / "dev", "run", "1", "2", "3").returncode, 7)

    def test_run_alone_shows_one_command_after_the_other_until_one_fails(self):
        result = dev(self.folder / "dev", "run", folder="/")
        self.assertEqual(result.returncode, 7, result.stderr)
        shown = [line for line in result.stdout.splitlines() if line.startswith("$ ")]
        self.assertEqual(shown[0], "$ evencube demo")
        self.assertIn("\n$ evencube demo\n[demo]\n$ evencube speedup ", result.stdout)
        self.assertEqual(len(shown), 2)

    def test_configures_once_and_again_when_the_clone_has_moved(self):
        for _ in range(2):
            self.assertEqual(dev(self.folder / "dev", "run", "word").returncode, 0)
        self.assertEqual((self.folder / "configured").read_text(encoding="utf-8"), "once\n")
        moved = self.folder.with_name("moved elsewhere")
        self.folder.rename(moved)
        result = dev(moved / "dev", "run", "word")
        self.assertEqual((result.returncode, result.stdout), (0, "[word]"), result.stderr)

    def test_a_link_to_the_script_leads_to_its_project(self):
        elsewhere = pathlib.Path(self.outside.name) / "bin"
        elsewhere.mkdir()
        (elsewhere / "second").symlink_to(self.folder / "dev")
        (elsewhere / "dev").symlink_to("second")
        result = dev(elsewhere / "dev", "run", "word", folder="/")
        self.assertEqual((result.returncode, result.stdout), (0, "[word]"), result.stderr)
        self.assertEqual(sorted(path.name for path in elsewhere.iterdir()), ["dev", "second"])

    def test_a_folder_that_cmake_cannot_build_in_is_named(self):
        for sign in '"$;#<>|[]\\\n':
            with self.subTest(sign=sign):
                folder = self.folder.with_name(f"a{sign}b")
                self.folder.rename(folder)
                try:
                    result = dev(folder / "dev", "run")
                finally:
                    folder.rename(self.folder)
                self.assertEqual(result.returncode, 2, result.stderr)
                self.assertIn("which CMake cannot build in: move it elsewhere", result.stderr)

    def test_presets_that_name_a_folder_in_flags_quote_it(self):
        shutil.copytree(ROOT / "cmake", self.folder / "cmake")
        shutil.copytree(ROOT / "tests" / "windows", self.folder / "tests" / "windows")
        for preset, compiler in (("packages", "g++"), ("windows", "x86_64-w64-mingw32-g++-posix")):
            if shutil.which(compiler):
                with self.subTest(preset=preset):
                    done = subprocess.run(["cmake", "--preset", preset], cwd=self.folder, capture_output=True, text=True,
                                          timeout=120, check=False)
                    self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_failed_build_is_a_failure_and_runs_nothing(self):
        (self.folder / "main.cpp").write_text("int main() { return no_such_name; }", encoding="utf-8")
        result = dev(self.folder / "dev", "run")
        self.assertNotEqual(result.returncode, 0)
        self.assertIn("no_such_name", result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
