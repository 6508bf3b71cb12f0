"""Every case of the suite, at its smallest size, through the driver; and what it refuses."""

import json
import os
import subprocess
import sys
import tempfile
import unittest

BENCH = os.path.join(os.path.dirname(os.path.realpath(__file__)), "..", "..", "bench")
DRIVER = os.path.join(BENCH, "run")
BUILD = sys.argv.pop()

sys.path.insert(0, os.path.join(BENCH, "driver"))

import measure  # noqa: E402
import suite  # noqa: E402


def drive(*options):
    return subprocess.run([sys.executable, "-B", DRIVER, "--build", BUILD, *options],
                          capture_output=True, text=True, check=False)


class WholeSuite(unittest.TestCase):
    def test_every_variant_that_was_built_runs_and_is_reported(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "with a blank.json")
            done = drive("--tiny", "--workers", "1,2", "--json", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(file, encoding="utf-8") as text:
                report = json.load(text)
        self.assertEqual(report["failures"], [])
        self.assertEqual([case["case"] for case in report["cases"]],
                         [case.name for case in suite.CASES])
        for case, result in zip(suite.CASES, report["cases"]):
            self.assertIn(f"\n{case.name}: ", done.stdout)
            for variant in case.variants:
                program = os.path.join(BUILD, "bench", f"{case.workload}_{variant.engine}")
                workers = {row["workers"] for row in result["rows"]
                           if row["variant"] == variant.label}
                wanted = set(measure.counts(variant, [1, 2]))
                self.assertEqual(workers, wanted if os.path.exists(program) else set(),
                                 f"{case.name}, {variant.label}")

    def test_repetitions_after_a_warm_up_round(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "spawn.json")
            done = drive("spawn-1e6", "--engines", "serial", "--repetitions", "3", "--json", file)
            self.assertEqual(done.returncode, 0, done.stderr)
            with open(file, encoding="utf-8") as text:
                rows = json.load(text)["cases"][0]["rows"]
            (row,) = [row for row in rows if row["variant"] == "serial"]
        inner = next(case.inner for case in suite.CASES if case.name == "spawn-1e6")
        self.assertEqual(row["repetitions"], 3 * inner)
        self.assertEqual(row["units"], 1000000)

    def test_a_run_goes_on_where_another_ended(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(folder, "some.json")

            def cases(*options):
                done = drive("--tiny", "--engines", "serial", "--json", file, *options)
                self.assertEqual(done.returncode, 0, done.stderr)
                with open(file, encoding="utf-8") as text:
                    return done.stdout, json.load(text)

            _, first = cases("coroutine", "--resume")
            said, second = cases("coroutine", "graph", "--resume")
            self.assertEqual([case["case"] for case in second["cases"]], ["coroutine", "graph"])
            self.assertEqual(second["cases"][0], first["cases"][0])
            self.assertNotIn("\ncoroutine: ", said)
            self.assertEqual(os.listdir(folder), ["some.json"])
            # What failed is measured again.
            second["failures"] = ["graph, serial, 1 workers: the result is wrong"]
            with open(file, "w", encoding="utf-8") as text:
                json.dump(second, text)
            said, third = cases("coroutine", "graph", "--resume")
            self.assertNotIn("\ncoroutine: ", said)
            self.assertIn("\ngraph: ", said)
            self.assertEqual(third["failures"], [])
            # Another machine, and what is no such file, stay as they are.
            for what, said in (({**third, "machine": {**third["machine"], "cpus": 4096}}, "another cpus: 4096"),
                               ({**third, "tiny": False}, "without --tiny"), ([], "not what bench/run --json writes")):
                with open(file, "w", encoding="utf-8") as text:
                    json.dump(what, text)
                done = drive("--tiny", "scan", "--json", file, "--resume")
                self.assertEqual(done.returncode, 1)
                self.assertIn(said, done.stderr)
                with open(file, encoding="utf-8") as text:
                    self.assertEqual(json.load(text), what)

    def test_bad_requests_are_refused(self):
        for options, said in ((("--resume",), "--resume goes with --json"),
                              (("--json", "/no/such/folder/a.json"), "/no/such/folder/a.json")):
            done = drive("fib-35", *options)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(said, done.stderr)
        self.assertIn("fib-35", drive("no-such-case").stderr)
        self.assertNotEqual(drive("no-such-case").returncode, 0)
        for options in (("--workers", "0"), ("--workers", "two"), ("--repetitions", "1,2")):
            done = drive("fib-35", *options)
            self.assertEqual(done.returncode, 2, options)
            self.assertIn(options[1], done.stderr)


if __name__ == "__main__":
    unittest.main()
