#!/usr/bin/env python3
"""The check of English finds what is ruled out in pages, comments and messages, and nothing elsewhere."""

import unittest

import english
from trees import complaints_in

# (file, text, how many findings)
CASES = [
    ("docs/a.md", "Workers look again, next to the queue.\n", 0),
    ("docs/a.md", "Workers look anew, beside the queue.\n", 2),
    ("docs/a.md", "`so many` is code.\n", 0),
    ("docs/a.md", "It stays. Who waits is rung.\n", 1),
    ("docs/a.md", "Who is told of it?\n", 0),
    ("a.cpp", "int kin = anew(beside);\n", 0),
    ("a.cpp", "f(\"all but for one\");  // for it may outlive it\n", 2),
    ("a.hpp", "/// Whoever parks looks once more.\n", 1),
    ("a.py", "# lies down\n", 1),
    ("runtime/src/a.hpp", "void begin(all_workers& of, double speed);\n", 1),
    ("runtime/src/a.hpp", "  worker* const by = current_worker;  // said by it\n", 1),
    ("runtime/src/a.cpp", "  part on(root, who);\n  const machine& on_;\n  return of(on);\n", 0),
    ("runtime/src/a.cpp", "void take(std::uint32_t who) noexcept {\n  crowd* of = nullptr;\n", 2),
    ("algorithms/include/a.hpp", "task_graph(runtime& on, const graph& of);\n", 2),
    ("algorithms/include/a.hpp", "auto on(Place& place);  // a place on the runtime\n", 0),
    ("tests/a.cpp", "void begin(all_workers& of);\n", 0),
    ("a.sh", "echo anew  # so many\n", 1),
]


class EnglishTest(unittest.TestCase):
    def test_each_case_has_its_findings(self):
        for name, text, expected in CASES:
            with self.subTest(name=name, text=text):
                found = complaints_in({name: text}, lambda folder, name=name: english.findings(folder, name))
                self.assertEqual(len(found), expected)


if __name__ == "__main__":
    unittest.main()
