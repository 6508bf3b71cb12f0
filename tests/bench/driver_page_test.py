"""A file of results as a page: what stands in it, the same files for the same results, and what is refused.

usage: driver_page_test.py ROOT
"""

import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest
import xml.etree.ElementTree

ROOT = pathlib.Path(sys.argv.pop()).resolve()
RESULTS = ROOT / "tests/bench/results.json"
sys.path.insert(0, str(ROOT / "bench/driver"))

import machine  # noqa: E402
import ratios  # noqa: E402


def write(results, *options, program=("bench/run",)):
    return subprocess.run([ROOT / program[0], *program[1:], "--page", str(results), *map(str, options)], capture_output=True,
                          text=True, check=False)


def files_below(folder):
    return {str(path.relative_to(folder)): path.read_text(encoding="utf-8") for path in folder.rglob("*") if path.is_file()}


class Pages(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def made(self, results=RESULTS, name="page", **how):
        page = self.folder / name / "figures.md"
        page.parent.mkdir()
        done = write(results, "--output", page, **how)
        self.assertEqual(done.returncode, 0, done.stderr)
        return files_below(page.parent)

    def changed(self, change):
        report = json.loads(RESULTS.read_text(encoding="utf-8"))
        change(report)
        path = self.folder / "changed.json"
        path.write_text(json.dumps(report), encoding="utf-8")
        return path

    def test_machine_and_rows_stand_in_it(self):
        files = self.made()
        self.assertEqual(sorted(files), ["figures.md", "figures/by-rival.svg", "figures/by-serial.svg", "figures/results.json"])
        page = files["figures.md"]
        for line in ("| processor | A &lt;processor> &#124; of 2 GHz, 2 CPUs, virtual |", "| compiler | a compiler 1.0 |",
                     "| commit | 0123456789ab |", "| date | 2026-01-02 03:04 UTC |", "| counted runs of a row | 5 to 40 |",
                     "### fib",
                     "| variant | workers | median | min .. max | ns by call | by the best rival | by serial code | speed-up | peak MiB |",
                     "| `evencube` | 2 | 110 ms | 100 ms .. 220 ms | 11 | 0.50 | 1.10 | 1.81 | 4.0 |",
                     "| variant | workers | median | min .. max | p99 | by the best rival | peak MiB |"):
            self.assertIn(line + "\n", page)

    def test_the_best_rival_has_as_many_workers_and_ranges_decide(self):
        page = self.made()["figures.md"]
        for line in ("| fib | `tbb` | 1 | 200 ms | 2 s | 0.10 | ahead |", "| fib | `openmp` | 2 | 110 ms | 220 ms | 0.50 | - |",
                     "| wakeup | `tbb` | 2 | 80 us | 50 us | 1.60 | behind |"):
            self.assertIn(line + "\n", page)
        self.assertIn("Of 3 rows, EvenCube's slowest run is faster than the fastest of the best rival in 1 (*ahead*)", page)
        self.assertNotIn("| offers | ", page)

    def test_the_same_results_make_the_same_files(self):
        first = self.made()
        self.assertEqual(first, self.made(name="again"))
        kept = self.folder / "page/figures/results.json"
        self.assertNotIn('"seconds"', first["figures/results.json"])
        self.assertEqual(first, self.made(kept, name="of-what-was-kept"))
        self.assertEqual(first, self.made(name="by-dev", program=("dev", "bench")))

    def test_links_lead_somewhere(self):
        self.made()
        page = self.folder / "page/figures.md"
        links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
        self.assertEqual(len(links), 4)
        for link in links:
            self.assertTrue((page.parent / link).exists(), link)

    def test_pictures_have_a_mark_for_each_row_and_colours_for_light_and_dark(self):
        text = self.made()["figures/by-rival.svg"]
        picture = xml.etree.ElementTree.fromstring(text)
        marks = [title.text for title in picture.iter("{http://www.w3.org/2000/svg}title")][1:]
        self.assertEqual(marks, ["fib, 1: 0.10", "fib, 2: 0.50", "wakeup, 2: 1.60"])
        self.assertIn("@media (prefers-color-scheme: dark)", text)
        self.assertIn(">1 worker</text>", text)
        self.assertIn(">2 workers</text>", text)

    def test_failures_and_other_builds_are_told(self):
        def change(report):
            report["failures"] = ["fib, tbb, 2 workers: the result is wrong"]
            report["machine"]["build_type"] = "Debug"
        page = self.made(self.changed(change))["figures.md"]
        self.assertIn("**Failed:** fib, tbb, 2 workers: the result is wrong\n", page)
        self.assertIn("**Built as `Debug`, not `Release`", page)

    def test_nothing_measured_is_a_page_without_pictures(self):
        files = self.made(self.changed(lambda report: report["cases"].clear()))
        self.assertEqual(sorted(files), ["figures.md", "figures/results.json"])

    def test_what_is_no_result_is_refused_and_nothing_is_written(self):
        broken = {
            "tiny": lambda report: report.update(tiny=True),
            "'date'": lambda report: report["machine"].pop("date"),
            "'median'": lambda report: report["cases"][0]["rows"][0].pop("median"),
            "'cases'": lambda report: report.pop("cases"),
        }
        for said, change in broken.items():
            with self.subTest(said=said):
                done = write(self.changed(change), "--output", self.folder / "page.md")
                self.assertEqual(done.returncode, 1)
                self.assertIn(said, done.stderr)
                self.assertNotIn("Traceback", done.stderr)
                self.assertFalse((self.folder / "page.md").exists())
        for options, said in (((self.folder / "none.json",), "none.json"),
                              ((RESULTS, "--output", self.folder / "none" / "deep" / "page"), "an ending")):
            done = write(*options)
            self.assertNotEqual(done.returncode, 0)
            self.assertIn(said, done.stderr)

    def test_output_goes_with_a_page(self):
        done = subprocess.run([ROOT / "bench/run", "--output", "x.md"], capture_output=True, text=True, check=False)
        self.assertEqual(done.returncode, 2)
        self.assertIn("--output goes with --page", done.stderr)


class Scales(unittest.TestCase):
    def test_steps_enclose_the_range(self):
        self.assertEqual(ratios.steps(0.5, 2.0), [0.5, 1.0, 2.0])
        self.assertEqual(ratios.steps(0.3, 21.0), [0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 50.0])
        self.assertEqual(ratios.steps(0.02, 200.0), [0.01, 0.1, 1.0, 10.0, 100.0, 1000.0])


class Repository(unittest.TestCase):
    def test_results_say_where_they_come_from(self):
        about = machine.describe(str(ROOT))
        for name in ("processor", "cpus", "system", "compiler", "flags", "commit"):
            self.assertIn(name, about)
        self.assertRegex(about["date"], r"^\d{4}-\d\d-\d\d \d\d:\d\d UTC$")

    def test_the_page_is_that_of_the_results_beside_it(self):
        kept = ROOT / "docs/benchmarks/results.json"
        if not kept.exists():
            text = (ROOT / "docs/benchmarks.md").read_text(encoding="utf-8")
            self.assertIn("./dev bench --page", text)
            return
        with tempfile.TemporaryDirectory() as folder:
            page = pathlib.Path(folder) / "docs/benchmarks.md"
            page.parent.mkdir()
            self.assertEqual(write(kept, "--output", page).returncode, 0)
            link = os.path.relpath(ROOT / "bench/README.md", page.parent)
            for name, text in files_below(page.parent).items():
                self.assertEqual(text.replace(link, "../bench/README.md"), (ROOT / "docs" / name).read_text(encoding="utf-8"), name)


if __name__ == "__main__":
    unittest.main()
