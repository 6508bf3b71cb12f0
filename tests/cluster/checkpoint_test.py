#!/usr/bin/env python3
"""Kills a program at random, and starts it again on other numbers of ranks until it ends: its result must be the same as
without.

usage: checkpoint_test.py PROGRAM
"""

import pathlib
import random
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop()).resolve()
STEPS = 4000


def started(ranks, path):
    return subprocess.Popen([PROGRAM, str(ranks), str(path), str(STEPS)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def ended(process):
    said, _ = process.communicate(timeout=240)
    return process.returncode, said


class Killed(unittest.TestCase):
    def test_goes_on_where_it_was(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            began = time.monotonic()
            status, expected = ended(started(3, folder / "whole"))
            whole = time.monotonic() - began
            self.assertEqual(status, 0, expected)
            draw = random.Random(1)
            for run in range(3):
                path = folder / f"run{run}"
                killed = 0
                for _ in range(200):
                    process = started(draw.randint(1, 5), path)
                    if killed < 12:
                        time.sleep(draw.uniform(0.05, 0.5) * whole)
                        if process.poll() is None:
                            process.kill()
                            killed += 1
                    status, said = ended(process)
                    if status != -9:
                        break
                self.assertEqual((status, said), (0, expected))
                self.assertGreater(killed, 0)


if __name__ == "__main__":
    unittest.main()
