#!/usr/bin/env python3
"""Names in the user's namespace change nothing: every call inside the headers says whose function it means.

usage: hostile_names_test.py SOURCE_FOLDER INCLUDE_FOLDER...
"""

import pathlib
import sys
import tempfile
import unittest

import misuse

SOURCE = pathlib.Path(sys.argv.pop(1))
FOLDERS = sys.argv[1:]
del sys.argv[1:]
HEADERS = [SOURCE / folder / "include" for folder in ("algorithms", "runtime", "balancers")]

# What the hostile names would do to a library whose author forgot a qualification.
CARELESS = """
#include "hostile_names.hpp"
namespace library {
template <class F> bool failed(const F&) { return false; }
template <class F> void call(F&& f) { if (!%sfailed(f)) f(); }
}
namespace user { void use() { library::call([] {}); } }
"""


class HostileNames(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def write(self, names):
        (self.folder / "hostile_names.hpp").write_text(misuse.hostile_header(names), encoding="utf-8")

    def test_the_names_are_those_that_stand_there(self):
        text = """
        template <typename F> void take_back(F& f) { settle<int>(f); std::move(f); f.run(); f->go(); w::turn(f); }
        // hidden(f)
        #define macro(x) (x)
        """
        self.assertEqual(misuse.called_names(text), {"take_back", "settle"})
        self.assertGreater(len(misuse.names_of_headers(HEADERS)), 50)

    def test_a_careless_library_is_found(self):
        self.write({"failed"})
        for compiler in misuse.COMPILERS:
            for qualification, well in (("", False), ("library::", True)):
                with self.subTest(compiler=compiler, qualification=qualification):
                    status, said = misuse.compile(compiler, CARELESS % qualification, [self.folder])
                    self.assertEqual(status == 0, well, said)

    def test_a_program_compiles_beside_them(self):
        self.assertTrue(misuse.COMPILERS, "no compiler is here")
        self.write(misuse.names_of_headers(HEADERS))
        for compiler in misuse.COMPILERS:
            with self.subTest(compiler=compiler):
                program = SOURCE / "tests" / "misuse" / "hostile_program.cpp"
                status, said = misuse.compile(compiler, program, [*FOLDERS, self.folder])
                errors = misuse.blocks_of_errors(said)
                self.assertEqual(status, 0, f"{len(errors)} errors, such as\n" + "\n".join(errors[:5]))


if __name__ == "__main__":
    unittest.main()
