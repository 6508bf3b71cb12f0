#!/usr/bin/env python3
"""Loops and reductions have no more declarations than their forms need, and declarations.py counts them right.

usage: declarations_test.py ROOT
"""

import pathlib
import sys
import unittest

import declarations

ROOT = pathlib.Path(sys.argv.pop()).resolve()
SAMPLE = '''
/// parallel_for(first, last) in a comment.
template <typename Body>
void parallel_for(int first, int last, const Body& body) {
  if (last < first) throw std::invalid_argument("parallel_for(first, last)");
  evencube::parallel_for(first, last, body);
  detail::parallel_for(body);
}

template <rule::says_where Where, typename Body>
[[nodiscard]] detail::outcome<Where> parallel_for(Where&& where, const Body& body) {
  return evencube::parallel_for(where, body);
}
template <typename... Arguments>
  requires requires(Arguments&&... a) { evencube::parallel_for(std::forward<Arguments>(a)...); }
EVENCUBE_FORMER("use parallel_for(on(rt, token), ...)") [[nodiscard]] auto parallel_for(
    runtime& rt, const std::stop_token& token, Arguments&&... arguments) {
  return evencube::parallel_for(evencube::on(rt, token), std::forward<Arguments>(arguments)...);
}
template <typename Value>
Value parallel_reduce(const std::stop_token& token, Value init);
'''


class Declarations(unittest.TestCase):
    def test_a_known_text_is_counted_right(self):
        rows = declarations.count([SAMPLE])
        self.assertEqual(list(rows.values()),
                         ["2, and 1 of former spellings", "1", "3", "1", "1", "1", "1", "18"])

    def test_there_are_at_most_8_of_loops_and_6_of_reductions(self):
        rows = declarations.count(declarations.headers(ROOT, "now"))
        for name, most in (("parallel_for", 8), ("parallel_reduce", 6)):
            number = int(rows[f"declarations of `{name}`"].split(",")[0])
            self.assertLessEqual(number, most)
            self.assertGreaterEqual(number, 4)  # a form of integers and one of elements, each with a place and without


if __name__ == "__main__":
    unittest.main()
