#!/usr/bin/env python3
"""Including EvenCube costs a stranger less than including oneTBB. `bench/include` measures the time; this
counts what the compiler has to read, which is the same on a busy machine.

usage: include_test.py ROOT CXX
"""

import pathlib
import sys
import unittest

sys.dont_write_bytecode = True
ROOT = pathlib.Path(sys.argv[1]).resolve()
COMPILER = sys.argv[2]
sys.path[:0] = [str(ROOT / "bench" / "driver"), str(ROOT / "tests" / "repository")]

import compiling  # noqa: E402
from sources import Tree  # noqa: E402

# Of the bytes of <tbb/tbb.h>. The times of clang are nearer to each other than the bytes: at half the
# bytes it takes seven tenths of the time, so that this is where the times would meet.
LARGEST_SHARE = 0.7

# Each of these adds a tenth of a second or more, and none is needed to start tasks and to wait for them.
# <stop_token> is one no more: groups take a std::stop_token, and such a type cannot be declared beforehand.
TOO_DEAR = {"barrier", "codecvt", "condition_variable", "deque", "format", "fstream", "future", "iomanip", "iostream",
            "istream", "latch", "list", "locale", "mutex", "ostream", "queue", "random", "ranges", "regex", "semaphore",
            "set", "shared_mutex", "sstream", "syncstream", "thread", "unordered_map", "unordered_set",
            "valarray"}


def bytes_of(text):
    return compiling.preprocessed(COMPILER, text)[1]


class Including(unittest.TestCase):
    def test_everything_for_users_is_less_to_read_than_tbb(self):
        if not compiling.has_header(COMPILER, "tbb/tbb.h"):
            self.skipTest("no oneTBB (Debian: libtbb-dev)")
        ours, theirs = compiling.INCLUDES["evencube"], compiling.INCLUDES["tbb"]
        limit = LARGEST_SHARE * bytes_of(theirs)
        self.assertLess(bytes_of(ours), limit)
        # The same measure sees a header that is too dear.
        self.assertGreater(bytes_of(ours + theirs), limit)

    def test_public_headers_include_no_dear_standard_header(self):
        tree = Tree(ROOT)
        headers = tree.closure(tree.public_header("evencube/evencube.hpp"))
        self.assertGreater(len(headers), 10)
        dear = [f"{path.relative_to(ROOT)}:{line}: <{name}>" for path in headers
                for line, _, name in tree.includes(path) if name in TOO_DEAR]
        self.assertEqual(dear, [])

    def test_a_header_that_is_not_there_is_told_from_one_that_is(self):
        self.assertTrue(compiling.has_header(COMPILER, "vector"))
        self.assertFalse(compiling.has_header(COMPILER, "evencube/no_such_header.hpp"))
        with self.assertRaises(compiling.CompilationFailed):
            bytes_of("#include <evencube/no_such_header.hpp>\n")


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
