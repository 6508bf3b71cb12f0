"""Which copies of other libraries `./dev bench --rivals DIR` finds, and what it says of them."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

DRIVER = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "bench", "driver")
sys.path.insert(0, DRIVER)

import machine  # noqa: E402
import rivals  # noqa: E402


def tbb(version):
    names = ("MAJOR", "MINOR", "PATCH")
    return "".join(f"#define TBB_VERSION_{name} {part}\n" for name, part in zip(names, version.split(".")))


class Rivals(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.folder = os.path.join(self.temporary.name, "with a blank")
        os.mkdir(self.folder)

    def put(self, path, text=""):
        whole = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(whole), exist_ok=True)
        with open(whole, "w", encoding="utf-8") as file:
            file.write(text)

    def put_all(self):
        self.put("oneTBB-2021/include/oneapi/tbb/version.h", tbb("2021.13.0"))
        self.put("citor/include/citor/thread_pool.h")
        self.put("citor/include/citor/version.h", '#define CITOR_VERSION_STRING "0.6.0"\n')
        self.put("fork/include/libfork.hpp")
        self.put("fork/include/libfork/core/macro.hpp",
                 "#define LF_VERSION_MAJOR 3\n#define LF_VERSION_MINOR 8\n#define LF_VERSION_PATCH 1\n")
        self.put("tmc/include/tmc/all_headers.hpp")
        self.put("tmc/include/tmc/version.hpp",
                 "#define TMC_VERSION_MAJOR 1\n#define TMC_VERSION_MINOR 7\n#define TMC_VERSION_PATCH 0\n")
        self.put("taskflow/taskflow/taskflow.hpp")
        self.put("taskflow/CMakeLists.txt", "project(Taskflow VERSION 4.1.0 LANGUAGES CXX)\n")
        self.put("senders/include/stdexec/execution.hpp")
        self.put("senders/CMakeLists.txt",
                 'cmake_minimum_required(VERSION 3.28.0)\nproject(\n  STDEXEC\n  VERSION "0.11.0"\n  LANGUAGES CXX)\n')
        self.put("lace-1/src/lace.h")
        self.put("lace-1/CMakeLists.txt", "project(lace\n    VERSION 1.4.2\n")

    def test_all_are_found_by_what_they_contain(self):
        self.put_all()
        self.put("something else/README", "")
        found = {rival.engine: (rival.name, rival.version) for rival in rivals.find(self.folder)}
        self.assertEqual(found, {"tbb": ("oneTBB", "2021.13.0"), "citor": ("citor", "0.6.0"), "libfork": ("libfork", "3.8.1"),
                                 "tmc": ("TooManyCooks", "1.7.0"), "taskflow": ("Taskflow", "4.1.0"), "lace": ("Lace", "1.4.2"),
                                 "stdexec": ("stdexec", "0.11.0")})

    def test_the_newest_of_several_copies_counts(self):
        for number, version in enumerate(("2021.13.0", "2023.10.0", "2023.2.0")):
            self.put(f"{number}/include/oneapi/tbb/version.h", tbb(version))
        (found,) = rivals.find(self.folder)
        self.assertEqual((found.version, os.path.basename(found.folder)), ("2023.10.0", "1"))

    def test_the_folder_may_be_a_copy_itself(self):
        self.put("src/lace.h")
        (found,) = rivals.find(self.folder)
        self.assertEqual(found.folder, os.path.realpath(self.folder))
        self.assertEqual(found.described(), "Lace of an unknown version")

    def test_the_commit_is_that_of_a_clone_or_of_a_file(self):
        self.put_all()
        self.put("lace-1/COMMIT", "d4b8c08a1b2c3d4e5f\n")
        clone = os.path.join(self.folder, "citor")
        identity = {**os.environ, "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@b", "GIT_COMMITTER_NAME": "a",
                    "GIT_COMMITTER_EMAIL": "a@b"}
        for command in (["init", "-q"], ["add", "-A"], ["commit", "-qm", "all"]):
            subprocess.run(["git", "-C", clone, *command], check=True, env=identity)
        head = subprocess.run(["git", "-C", clone, "rev-parse", "HEAD"], check=True, capture_output=True, text=True).stdout
        found = {rival.engine: rival for rival in rivals.find(self.folder)}
        self.assertEqual(found["lace"].described(), "Lace 1.4.2 (d4b8c08a1b2c)")
        self.assertEqual(found["citor"].described(), f"citor 0.6.0 ({head[:12]})")
        self.assertEqual(found["taskflow"].described(), "Taskflow 4.1.0")

    def test_a_folder_that_holds_none_is_refused(self):
        self.put("oneTBB/README.md", "no sources")
        for folder, said in ((self.folder, "holds no copy"), (os.path.join(self.folder, "nowhere"), "No such file")):
            done = subprocess.run([sys.executable, "-B", os.path.join(DRIVER, "rivals.py"), folder,
                                   os.path.join(self.folder, "build")], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(folder, done.stderr)
            self.assertIn(said, done.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.folder, "build")))
        self.assertIn("oneTBB (include/oneapi/tbb/version.h)", subprocess.run(
            [sys.executable, "-B", os.path.join(DRIVER, "rivals.py"), self.folder, "build"], capture_output=True, text=True,
            check=False).stderr)

    def test_the_build_and_the_tables_are_told(self):
        self.put_all()
        os.rename(os.path.join(self.folder, "oneTBB-2021"), os.path.join(self.temporary.name, "not there"))
        build = os.path.join(self.temporary.name, "build")
        rivals.prepare(self.folder, build)
        with open(os.path.join(build, "rivals.cmake"), encoding="utf-8") as file:
            cache = file.read()
        self.assertIn(f'set(EVENCUBE_RIVAL_citor "{os.path.realpath(self.folder)}/citor" ', cache)
        self.assertIn("unset(TBB_DIR CACHE)", cache)
        with open(os.path.join(build, "rivals.json"), encoding="utf-8") as file:
            self.assertIn("citor 0.6.0", json.load(file))
        # An installed oneTBB is named in any case.
        installed = os.path.join(self.temporary.name, "TBB")
        os.mkdir(installed)
        with open(os.path.join(installed, "TBBConfigVersion.cmake"), "w", encoding="utf-8") as file:
            file.write('set(PACKAGE_VERSION "2021.8.0")\n')
        with open(os.path.join(build, "CMakeCache.txt"), "w", encoding="utf-8") as file:
            file.write(f"TBB_DIR:PATH={installed}\n")
        said = machine.describe_build(build)["rivals"]
        self.assertTrue(said.startswith("citor 0.6.0, "), said)
        self.assertTrue(said.endswith(", oneTBB 2021.8.0 (installed)"), said)
        os.remove(os.path.join(build, "rivals.json"))
        self.assertEqual(machine.describe_build(build)["rivals"], "oneTBB 2021.8.0 (installed)")

    def test_a_copy_that_cannot_be_built_is_refused(self):
        self.put("oneTBB/include/oneapi/tbb/version.h", tbb("2023.2.0"))
        with self.assertRaisesRegex(rivals.NoRivals, r"oneTBB 2023\.2\.0 in .* cannot be built: cmake"):
            rivals.prepare(self.folder, os.path.join(self.temporary.name, "build"))


if __name__ == "__main__":
    unittest.main()
