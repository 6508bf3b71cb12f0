#!/usr/bin/env python3
"""Kills a program at random, and starts it again on other numbers of ranks until it ends: its result must be the same as
without.

usage: checkpoint_test.py PROGRAM
"""

import pathlib
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM = pathlib.Path(sys.argv.pop()).resolve()
STEPS = {"blocks": 4000, "tree": 30}
CHECKPOINTS = {"blocks": 100, "tree": 6}  # at most, from a start to a kill; the whole has several times as many


def started(what, ranks, path):
    return subprocess.Popen([PROGRAM, what, str(ranks), str(path), str(STEPS[what])], stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True)


def ended(process):
    said, _ = process.communicate(timeout=240)
    return process.returncode, said


def saved(path):
    """The number of the newest checkpoint of which there is a part, complete or not."""
    return max((int(part.name.split(".")[1]) for part in path.parent.glob(f"{path.name}.*.*")), default=0)


class Killed(unittest.TestCase):
    def went_from(self, said):
        """From where a program went on, or None if it was killed before it knew: a step, or 1 for a tree."""
        found = re.search(r"^from (\d+)$", said, re.MULTILINE)
        return found and int(found.group(1))

    def test_goes_on_where_it_was(self):
        for what in STEPS:
            with self.subTest(what=what):
                self.kill_and_start_again(what)

    def kill_and_start_again(self, what):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            status, said = ended(started(what, 3, folder / "whole"))
            self.assertEqual(status, 0, said)
            self.assertEqual(self.went_from(said), 0)
            expected = said.splitlines()[-1]
            draw = random.Random(1)
            for run in range(3):
                path = folder / f"run{run}"
                killed = 0
                reached = 0
                for _ in range(200):
                    last = saved(path) + draw.randint(0, CHECKPOINTS[what])
                    process = started(what, draw.randint(1, 5), path)
                    if killed < 12:
                        while saved(path) < last and process.poll() is None:
                            time.sleep(0.001)
                        time.sleep(draw.uniform(0, 0.02))
                        if process.poll() is None:
                            process.kill()
                            killed += 1
                    status, said = ended(process)
                    step = self.went_from(said)
                    if step is not None:
                        self.assertGreaterEqual(step, reached, "a checkpoint was lost")
                        reached = step
                    if status != -9:
                        break
                self.assertEqual((status, said.splitlines()[-1]), (0, expected))
                self.assertGreater(killed, 0)
                self.assertGreater(reached, 0)
                # Those of the last checkpoint are left, and none of those that were not completed.
                parts = sorted(folder.glob(f"run{run}.*.*"))
                self.assertEqual(len({part.name.split(".")[1] for part in parts}), 1, parts)
                self.assertLessEqual(len(parts), 5)


if __name__ == "__main__":
    unittest.main()
