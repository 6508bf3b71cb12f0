"""The figures that the tables show, on reports made up for the purpose."""

import os
import sys
import unittest

TESTS = os.path.dirname(os.path.realpath(__file__))
sys.path.insert(0, os.path.join(TESTS, "..", "..", "bench", "driver"))

import measure  # noqa: E402
import suite  # noqa: E402
import tables  # noqa: E402


def run(label, engine, workers, seconds, busy=False, copies=False, **more):
    report = {"seconds": seconds, "units": 100, "unit": "task", "peak_kibibytes": 2048,
              "settings": {}, "compiler": "", "flags": "", **more}
    return measure.Run(label, engine, workers, [], {}, busy, [report], copies=copies)


class Figures(unittest.TestCase):
    def rows(self, *runs):
        case = suite.Case("case", "workload", "about", ())
        return {(row["variant"], row["workers"], row["neighbour"]): row
                for row in tables.summarise(case, list(runs))}

    def test_spread_and_time_per_piece(self):
        row = self.rows(run("serial", "serial", 1, [3.0, 1.0, 2.0]))["serial", 1, False]
        self.assertEqual((row["median"], row["min"], row["max"]), (2.0, 1.0, 3.0))
        self.assertAlmostEqual(row["ns_per_unit"], 2e7)

    def test_percentile_is_an_observed_value(self):
        values = list(range(1, 201))
        self.assertEqual(tables.percentile(values, 99), 198)
        self.assertEqual(tables.percentile(values, 50), 100)
        self.assertEqual(tables.percentile([7.0], 99), 7.0)
        self.assertEqual(tables.percentile([2.0, 1.0], 99), 2.0)

    def test_ratios(self):
        rows = self.rows(
            run("serial", "serial", 1, [1.0]), run("evencube", "evencube", 1, [1.5]),
            run("evencube", "evencube", 2, [0.75]), run("tbb", "tbb", 2, [1.0]),
            run("openmp", "openmp", 2, [3.0]))
        ours = rows["evencube", 2, False]
        self.assertEqual(ours["to_serial"], 0.75)
        self.assertEqual(ours["to_best_rival"], 0.75)
        self.assertEqual(ours["speed_up"], 2.0)
        self.assertEqual(rows["openmp", 2, False]["to_best_rival"], 3.0)
        self.assertIsNone(rows["evencube", 1, False]["to_best_rival"])
        self.assertIsNone(rows["serial", 1, False]["to_best_rival"])
        self.assertIsNone(rows["openmp", 2, False]["speed_up"])

    def test_a_neighbour_is_compared_with_its_like(self):
        rows = self.rows(
            run("serial", "serial", 1, [1.0]), run("serial", "serial", 1, [2.0], busy=True),
            run("evencube", "evencube", 2, [0.5]), run("evencube", "evencube", 2, [0.7], busy=True),
            run("tbb", "tbb", 2, [0.5]), run("tbb", "tbb", 2, [1.4], busy=True))
        ours = rows["evencube", 2, True]
        self.assertAlmostEqual(ours["slow_down"], 1.4)
        self.assertAlmostEqual(ours["to_serial"], 0.35)
        self.assertAlmostEqual(ours["to_best_rival"], 0.5)
        self.assertIsNone(rows["evencube", 2, False]["slow_down"])

    def test_copies_of_serial_code_show_what_two_cpus_can_gain(self):
        rows = self.rows(run("serial", "serial", 1, [2.0]),
                         run("serial copies", "serial", 2, [1.25], copies=True))
        self.assertAlmostEqual(rows["serial copies", 2, False]["speed_up"], 1.6)
        self.assertIsNone(rows["serial copies", 2, False]["to_best_rival"])

    def test_the_raw_hand_off_is_a_floor_and_no_rival(self):
        rows = self.rows(run("raw futex", "futex", 2, [0.5]),
                         run("evencube", "evencube", 2, [0.6]), run("tbb", "tbb", 2, [1.2]))
        self.assertAlmostEqual(rows["evencube", 2, False]["to_floor"], 1.2)
        self.assertAlmostEqual(rows["evencube", 2, False]["to_best_rival"], 0.5)

    def test_efficiency_is_the_median_over_all_runs(self):
        rows = self.rows(run("evencube", "evencube", 2, [1.0, 2.0, 3.0],
                             efficiency=[0.9, 0.6, 0.5]))
        self.assertEqual(rows["evencube", 2, False]["efficiency"], 0.6)

    def test_a_granularity_that_was_not_reached_is_a_bound(self):
        case = suite.Case("case", "workload", "about", (), kind="granularity")
        (ours, rival) = tables.summarise(case, [
            run("evencube", "evencube", 2, [2e-6, 3e-6], tasks=10, reached=True, curve=[{"iterations": 1}]),
            run("tbb", "tbb", 2, [4e-3], tasks=10, reached=False, curve=[])])
        titles = [title for title, _ in tables.columns_of(case, [ours, rival])]
        self.assertEqual(titles[2], "METG")
        self.assertNotIn("speed-up", titles)
        self.assertEqual((tables.median(ours), tables.median(rival)), ("2.5 us", "> 4 ms"))
        self.assertEqual(ours["curve"], [[{"iterations": 1}]])
        self.assertEqual((ours["to_serial"], ours["speed_up"]), (None, None))
        self.assertLess(ours["to_best_rival"], 1)

    def test_durations_have_three_digits(self):
        self.assertEqual(tables.duration(1.23456), "1.23 s")
        self.assertEqual(tables.duration(0.0123456), "12.3 ms")
        self.assertEqual(tables.duration(0.99999e-3), "1000 us")
        self.assertEqual(tables.duration(0.0), "0 ns")
        self.assertEqual(tables.duration(125.4), "125 s")


class Plans(unittest.TestCase):
    def test_copies_share_the_time_that_they_took_together(self):
        one = ('{"seconds": [3.0], "verified": true}', '{"seconds": [5.0], "verified": true}')
        answers = [measure.start(["echo", text], None) for text in one]
        reports = [measure.read(process)[0] for process in answers]
        self.assertEqual(measure.shared(reports)["seconds"], [2.0])

    def test_every_case_is_named_once(self):
        names = [case.name for case in suite.CASES]
        self.assertEqual(len(names), len(set(names)))

    def test_sizes_of_a_case_do_not_undo_tiny(self):
        self.assertEqual(measure.without_sizes(("--n", "5", "--from", "outside")),
                         ["--from", "outside"])


if __name__ == "__main__":
    unittest.main()
