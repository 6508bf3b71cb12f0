#!/usr/bin/env python3
"""The check of the runtime's rooms passes a clean tree and finds every kind of fault seeded in it."""

import unittest

import rooms
from trees import complaints_in

CLEAN = {
    "sync/parking.hpp": "#pragma once\n",
    "wait/waiting.hpp": '#include "sync/parking.hpp"\n',
    "wait/waiting-inl.hpp": '#include "engine/workers.hpp"\n',
    "engine/workers.hpp": '#include "wait/waiting.hpp"\n',
}

# (file, a line added to it, a piece of a complaint)
SEEDED = [
    ("sync/parking.hpp", '#include "wait/waiting.hpp"', "sync and wait include each other"),
    ("wait/waiting.hpp", '#include "engine/workers.hpp"', "wait includes the engine"),
    ("sync/parking.hpp", '#include "engine/workers.hpp"', "in a circle of includes"),
    ("wait/waiting.hpp", '#include "gone/gone.hpp"', "which is no room"),
]


class RoomsTest(unittest.TestCase):
    def test_a_clean_tree_passes(self):
        self.assertEqual(complaints_in(CLEAN, rooms.faults), [])

    def test_a_tree_without_arrows_does_not(self):
        self.assertEqual(len(complaints_in({"sync/parking.hpp": ""}, rooms.faults)), 1)

    def test_every_seeded_fault_is_found(self):
        for name, line, complaint in SEEDED:
            with self.subTest(file=name, line=line):
                self.assertIn(complaint, "\n".join(complaints_in({**CLEAN, name: CLEAN[name] + line + "\n"}, rooms.faults)))

    def test_rooms_have_levels(self):
        self.assertEqual(rooms.levels_of({"engine": {"wait"}, "wait": {"sync"}, "sync": set()}), {"sync": 0, "wait": 1, "engine": 2})


if __name__ == "__main__":
    unittest.main()
