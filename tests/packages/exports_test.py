#!/usr/bin/env python3
"""packaging/abi/check.py finds what libraries export and their lists do not have, and the other way round.

usage: exports_test.py ROOT CXX
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT, COMPILER = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2]

LISTED = """
#include <stdexcept>
#include <string>
namespace evencube {
int first(const std::string&) { return 1; }
int second = 2;
template <class T> void third(T) {}
template void third(int);
struct error : std::runtime_error { using runtime_error::runtime_error; };
void fail() { throw error(""); }
}
"""


class Exports(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "packaging/abi").mkdir(parents=True)
        shutil.copy(ROOT / "packaging/abi/check.py", self.folder / "packaging/abi")
        self.build("namespace evencube { int other; }", "trace")
        for name in ("simulator", "balancers"):
            shutil.copy(self.library("trace"), self.library(name))
        self.build(LISTED, "runtime")
        self.assertEqual(self.check("--renew").returncode, 0)

    def library(self, name):
        return self.folder / f"libevencube_{name}.so.0.1"

    def build(self, text, name):
        source = self.folder / "source.cpp"
        source.write_text(text, encoding="utf-8")
        subprocess.run([COMPILER, "-std=c++20", "-O1", "-shared", "-fPIC", "-fvisibility-inlines-hidden", str(source), "-o",
                        str(self.library(name)), *self.exports()], check=True)

    def exports(self):
        return ["-Wl,--version-script=" + str(ROOT / "cmake/exports.map")]

    def check(self, *words):
        return subprocess.run([sys.executable, "-B", str(self.folder / "packaging/abi/check.py"), *words, str(self.folder)],
                              check=False, capture_output=True, text=True)

    def listed(self):
        return (self.folder / "packaging/abi/libevencube_runtime.symbols").read_text(encoding="utf-8").splitlines()

    def test_the_list_is_of_functions_and_variables_by_their_names(self):
        self.assertEqual(self.listed(), ["evencube::fail()", "evencube::first(std::string const&)", "evencube::second",
                                         "void evencube::third<int>(int)"])
        self.assertEqual(self.check().returncode, 0)

    def test_what_was_added_and_removed_is_named(self):
        self.build(LISTED.replace("second", "another"), "runtime")
        said = self.check()
        self.assertEqual(said.returncode, 1)
        self.assertIn("libevencube_runtime.so.0.1 exports something else than packaging/abi/libevencube_runtime.symbols",
                      said.stderr)
        self.assertIn("added   evencube::another\n", said.stderr)
        self.assertIn("removed evencube::second\n", said.stderr)
        self.assertNotIn("first", said.stderr)
        self.assertIn("./dev abi --renew", said.stderr)

    def test_what_is_not_ours_is_refused(self):
        self.exports = lambda: []
        self.build(LISTED + "\nnamespace other { int leaked; }\n", "runtime")
        said = self.check()
        self.assertEqual(said.returncode, 1)
        self.assertIn("exports what is not EvenCube's", said.stderr)
        self.assertIn("other::leaked", said.stderr)

    def test_a_missing_library_is_said(self):
        self.library("trace").unlink()
        self.assertIn("0 libraries libevencube_trace.so*", self.check().stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
