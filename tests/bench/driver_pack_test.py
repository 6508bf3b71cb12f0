"""A pack runs where nothing is installed, and its results are drawn beside others."""

import importlib.util
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

import packing  # noqa: E402


def drive(*options):
    return subprocess.run([sys.executable, "-B", DRIVER, *options], capture_output=True, text=True, check=False)


class Pack(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.pack = os.path.join(cls.folder.name, "a pack")
        cls.made = drive("--build", BUILD, "--pack", cls.pack)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def run_inside(self, *command):
        """With nothing of this machine's but its kernel where that is allowed, else with nothing of the environment."""
        if os.geteuid() == 0:
            loader = ["chroot", self.pack, "/lib/" + packing.LOADER, "--library-path", "/lib"]
            command = [*loader, "/programs/" + os.path.basename(command[0]), *command[1:]]
        else:
            command = [os.path.join(self.pack, command[0]), *command[1:]]
        return subprocess.run(command, capture_output=True, text=True, check=False, env={"PATH": os.environ["PATH"]})

    def test_programs_run_with_its_libraries_alone(self):
        self.assertEqual(self.made.returncode, 0, self.made.stderr)
        for program in sorted(os.listdir(os.path.join(self.pack, "bench"))):
            if program.split("_")[0] in ("fib", "loop", "spawn"):
                done = self.run_inside(os.path.join("bench", program), "--tiny", "--workers", "2")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertTrue(json.loads(done.stdout)["verified"], program)
        done = self.run_inside("evencube", "run", "matmul", "--size", "128", "--workers", "2")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("verified", done.stdout)

    def test_it_measures_and_its_results_are_compared(self):
        done = subprocess.run([os.path.join(self.pack, "measure"), "--tiny", "fib-35", "wakeup"], capture_output=True,
                              text=True, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)
        first = os.path.join(self.pack, "results.json")
        with open(first, encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual([case["case"] for case in report["cases"]], ["fib-35", "wakeup"])
        with open(os.path.join(self.pack, "about.json"), encoding="utf-8") as file:
            self.assertEqual(report["machine"]["compiler"], json.load(file)["compiler"])

        # Another machine, which is twice as slow.
        for case in report["cases"]:
            for row in case["rows"]:
                row["median"] *= 2
        second = os.path.join(self.folder.name, "other.json")
        with open(second, "w", encoding="utf-8") as file:
            json.dump(report, file)
        picture = os.path.join(self.folder.name, "both.svg")
        drawing = ["--plot", picture] if importlib.util.find_spec("matplotlib") else []
        done = drive("--compare", first, second, *drawing)
        self.assertEqual(done.returncode, 0, done.stderr)
        lines = [line.split() for line in done.stdout.splitlines() if line.startswith("  evencube ")]
        self.assertTrue(lines)
        for line in lines:
            self.assertIn("2.00", line)
        if drawing and os.cpu_count() > 1:
            with open(picture, encoding="utf-8") as file:
                self.assertIn("<svg", file.read())

    def test_a_small_pack_draws_its_curves(self):
        small = os.path.join(self.folder.name, "small")
        made = drive("--build", BUILD, "--pack", small, "--curve")
        self.assertEqual(made.returncode, 0, made.stderr)
        self.assertLess(packing.mebibytes_of(small), 64)
        done = subprocess.run([os.path.join(small, "curve"), "--tiny", "--workers", "1,2"], capture_output=True, text=True,
                              check=False, env={"PATH": os.environ["PATH"]})
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(os.path.join(small, "curve.json"), encoding="utf-8") as file:
            report = json.load(file)
        self.assertEqual(report["failures"], [])
        for one in report["curves"]:
            counts = {row["workers"] for row in one["rows"] if row["variant"].startswith("evencube")}
            self.assertEqual(counts, {2} if one["curve"] == "rounds" else {1, 2}, one["curve"])
        with open(os.path.join(small, "curve.svg"), encoding="utf-8") as file:
            self.assertIn("<polyline", file.read())

    def test_what_cannot_be_done_is_refused_and_leaves_nothing(self):
        self.assertIn("is there already", drive("--build", BUILD, "--pack", self.folder.name).stderr)
        nowhere = os.path.join(self.folder.name, "nowhere")
        done = drive("--build", nowhere, "--pack", nowhere + ".pack")
        self.assertEqual(done.returncode, 1)
        self.assertIn(f"nothing is built in {nowhere}", done.stderr)
        self.assertFalse([name for name in os.listdir(self.folder.name) if name.startswith("nowhere")])
        self.assertIn("No such file", drive("--compare", nowhere, nowhere).stderr)
        self.assertIn("not what bench/run --json writes", drive("--compare", DRIVER, DRIVER).stderr)
        self.assertIn("goes with --compare", drive("--plot", "a.png").stderr)
        self.assertIn("goes with --pack", drive("--curve").stderr)
        for words, said in ((("--minutes", "0"), "--minutes 0: must be above 0"), (("--output", nowhere), nowhere)):
            done = drive("--build", BUILD, "curve", *words)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)


if __name__ == "__main__":
    unittest.main()
