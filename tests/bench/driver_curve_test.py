"""The curves for larger machines: their figures, their picture, and what they do when time or programs are missing."""

import os
import sys
import tempfile
import time
import unittest
import xml.dom.minidom

sys.path.insert(0, os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "bench", "driver"))

import curve  # noqa: E402

FORK_JOIN, ROUNDS = (next(one for one in curve.CURVES if one.name == name) for name in ("fork-join", "rounds"))


class Curves(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)

    def program(self, text):
        path = os.path.join(self.temporary.name, f"program{len(os.listdir(self.temporary.name))}")
        with open(path, "w", encoding="utf-8") as file:
            file.write("#!/bin/sh\n" + text)
        os.chmod(path, 0o755)
        return path

    def run_of(self, name, variant, workers, text):
        return curve.Run(name, variant, workers, [self.program(text)], {})

    def test_times_become_speed_ups_over_the_serial_program(self):
        values = {("fork-join", "serial", 1): [4.0, 5.0, 6.0], ("fork-join", "evencube", 2): [2.5, 5.0],
                  ("fork-join", "evencube", 1): [10.0], ("fork-join", "tbb", 2): [50.0], ("rounds", "evencube direct", 2): [1e-3]}
        rows = curve.rows_of(FORK_JOIN, values)
        self.assertEqual([(row["variant"], row["workers"], row["median"]) for row in rows],
                         [("evencube", 1, 0.5), ("evencube", 2, 1.5), ("tbb", 2, 0.1)])
        self.assertEqual((rows[1]["min"], rows[1]["max"], rows[1]["runs"]), (1.0, 2.0, 2))
        self.assertEqual([row["median"] for row in curve.rows_of(ROUNDS, values)], [1e-3])

    def test_each_kind_of_report_is_read(self):
        for name, variant, report, wanted in (
                ("fork-join", "tbb", '{"verified": true, "seconds": [1.0, 2.0]}', {"tbb": [1.0, 2.0]}),
                ("phases", "evencube", '{"verified": true, "seconds": [9], "efficiency": [0.5, 0.25]}', {"evencube": [2.0, 1.0]}),
                ("edges", "evencube", '{"verified": true, "seconds": 2.0, "serial_seconds": 6.0}', {"evencube": [3.0]}),
                ("rounds", "evencube direct", '{"benchmark": "rounds", "rounds": [{"held": true, "transmission": "direct", '
                 '"seconds": {"median": 1}}, {"held": false, "transmission": "pipelined", "seconds": {"median": 2}}]}',
                 {"evencube pipelined": [2]})):
            run = self.run_of(name, variant, 4, f"echo '{report}'")
            self.assertEqual(curve.once(run, 60), (wanted, None))
        self.assertEqual(curve.once(self.run_of("fork-join", "tbb", 1, "echo no >&2; echo bad >&2; exit 3"), 60), (None, "bad"))
        self.assertEqual(curve.once(self.run_of("fork-join", "tbb", 1, """echo '{"verified": false}'"""), 60),
                         (None, "the result is wrong"))

    def test_the_time_is_kept(self):
        runs = [self.run_of("fork-join", "evencube", 1, "exec sleep 60"),
                self.run_of("fork-join", "tbb", 1, """echo '{"verified": true, "seconds": [1.0]}'""")]
        begun = time.monotonic()
        values, _, failures = curve.measure(runs, 0.3, False)
        self.assertLess(time.monotonic() - begun, 50)
        self.assertEqual((values.get(("fork-join", "evencube", 1)), failures), (None, []))

    def test_one_that_fails_runs_once(self):
        runs = [self.run_of("fork-join", "evencube", 1, "exit 1"),
                self.run_of("fork-join", "tbb", 1, """echo '{"verified": true, "seconds": [1.0]}'""")]
        values, rounds, failures = curve.measure(runs, 60, True)
        self.assertEqual((values, rounds), ({("fork-join", "tbb", 1): [1.0]}, 1))
        self.assertEqual(failures, ["fork-join, evencube, 1 workers: exit status 1"])

    def test_the_picture_is_xml_with_a_line_for_each_variant(self):
        rows = [{"variant": variant, "workers": workers, "median": value, "min": value / 2, "max": 2 * value}
                for variant, value in (("a <b>", 0.01), ("c", 3.0)) for workers in (1, 2, 4, 6)]
        one = [{"variant": "a", "workers": 1, "median": 1.0, "min": 1.0, "max": 1.0}]
        curves = [{"name": "x & y", "unit": "speed-up", "rows": rows}, {"name": "none", "unit": "seconds", "rows": []},
                  {"name": "z", "unit": "seconds", "rows": rows}, {"name": "alone", "unit": "speed-up", "rows": one}]
        text = curve.picture("a <machine>", curves)
        drawn = xml.dom.minidom.parseString(text)
        self.assertEqual(len(drawn.getElementsByTagName("polyline")), 5)
        self.assertNotIn("nan", text)

    def test_every_program_is_a_benchmark(self):
        self.assertIn("rounds_evencube", curve.programs())
        self.assertNotIn("evencube", curve.programs())
        self.assertEqual(curve.kept_in_tiny(["--quantum", "10", "--head", "yes"]), ["--head", "yes"])


if __name__ == "__main__":
    unittest.main()
