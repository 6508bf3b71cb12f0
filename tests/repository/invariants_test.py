#!/usr/bin/env python3
"""The check of invariants passes a clean tree and finds every kind of fault seeded in it."""

import unittest

import invariants
from trees import complaints_in

CLEAN = {
    "runtime/src/sync/parking.md": "# Sleeping\n\n**`parking.last-look`.** A thread looks once more (`parking.word`).\n\n"
                                   "**`parking.word`.** Others only set bits.\n",
    "runtime/src/sync/parking.hpp": "// Seq_cst: pairs with the load (invariant\n// parking.last-look).\nparking.begin();\n"
                                    'if (Policy::checks("parking.last-look: again")) again();\n',
}

# (file, a line added to it, a piece of the complaint)
SEEDED = [
    ("runtime/src/sync/parking.hpp", "// before it sleeps (invariant parking.first-look)", "refers to parking.first-look"),
    ("runtime/src/sync/parking.hpp", "// pairs with the release (parking.bits)", "refers to parking.bits"),
    ("runtime/src/sync/parking.hpp", "// invariant P", "by a letter"),
    ("runtime/src/sync/parking.hpp", 'if (Policy::checks("look again")) again();', 'checks("look again") names no invariant'),
    ("runtime/src/sync/parking.hpp", 'checked("parking.bits: all", bits);', 'checks("parking.bits: all") names no invariant'),
    ("runtime/src/sync/parking.md", "As `parking.first-look` says.", "refers to parking.first-look"),
    ("runtime/src/sync/parking.md", "**`parking.word`.** Again.", "parking.word is defined in"),
]


class InvariantsTest(unittest.TestCase):
    def test_a_clean_tree_passes(self):
        self.assertEqual(complaints_in(CLEAN, invariants.faults), [])

    def test_a_tree_without_definitions_does_not(self):
        self.assertEqual(complaints_in({"runtime/README.md": "# Runtime\n"}, invariants.faults), ["no page defines an invariant"])

    def test_every_seeded_fault_is_found(self):
        for name, line, complaint in SEEDED:
            with self.subTest(line=line):
                found = complaints_in({**CLEAN, name: CLEAN[name] + "\n" + line + "\n"}, invariants.faults)
                self.assertEqual(len(found), 1, found)
                self.assertIn(complaint, found[0])


if __name__ == "__main__":
    unittest.main()
