"""The shares of planned moves: which runs are started, how they are pooled, and what is printed."""

import io
import json
import os
import sys
import tempfile
import unittest
from contextlib import redirect_stdout

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "bench", "driver"))

import shares  # noqa: E402

REPORT = {"seconds": 0.25, "moved_by_rounds": [60, 20], "moved_by_pulls": [15, 0], "moved_by_rescues": [5, 0], "rounds": 7,
          "requests": {"moved": 3, "nothing": 2, "left_to_thread": 0, "too_soon": 1, "under_way": 0, "not_asked": 4}}


class Shares(unittest.TestCase):
    def setUp(self):
        self.build = tempfile.TemporaryDirectory()
        self.addCleanup(self.build.cleanup)
        program = os.path.join(self.build.name, "evencube")
        with open(program, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\necho \"$@\" >> \"$0.log\"\necho '" + json.dumps(REPORT) + "'\n")
        os.chmod(program, 0o755)

    def printed(self, *words):
        out = io.StringIO()
        with redirect_stdout(out):
            self.assertEqual(shares.main(self.build.name, list(words)), 0)
        return out.getvalue()

    def started(self):
        with open(os.path.join(self.build.name, "evencube.log"), encoding="utf-8") as file:
            return file.read().splitlines()

    def test_runs_take_turns_and_are_pooled(self):
        text = self.printed("--workers", "2", "--workloads", "edges,sort", "--placements", "spread", "--balancers", "oem",
                            "--runs", "2", "--json")
        [edges, sort] = json.loads(text)["cells"]
        self.assertEqual((edges["workload"], sort["workload"]), ("edges", "sort"))
        self.assertEqual((edges["planned"], edges["pulled"], edges["rescued"], edges["rounds"]), (160, 30, 10, 14))
        self.assertEqual((edges["share"], edges["seconds"], edges["runs"]), (0.8, 0.25, 2))
        self.assertEqual(edges["requests"]["nothing"], 4)
        self.assertEqual([line.split()[1] for line in self.started()], ["edges", "sort", "sort", "edges"])
        self.assertEqual(self.started()[0], "run edges --workers 2 --placement spread --balancer oem --json")

    def test_a_share_of_few_moves_is_not_told(self):
        cell = shares.Cell()
        cell.add({**REPORT, "moved_by_rounds": [9], "moved_by_pulls": [1], "moved_by_rescues": [0]})
        self.assertIsNone(cell.share)
        self.assertEqual(shares.share_text(cell), "too few")

    def test_the_table_has_a_line_for_each_cell(self):
        text = self.printed("--workers", "2,8", "--workloads", "heat", "--runs", "1")
        self.assertEqual(len(text.splitlines()), 1 + 2 * len(shares.PLACEMENTS) * len(shares.BALANCERS))
        self.assertIn(" 80 %", text)


if __name__ == "__main__":
    unittest.main()
