#!/usr/bin/env python3
"""`evencube run --cluster`: every workload over ranks, its results compared with those of one process, and refusals.

usage: run_over_ranks_test.py MPIRUN PROGRAM EVENCUBE [unittest's arguments]; exit status 77 where MPIRUN starts nothing

PROGRAM is EVENCUBE, or the program for ranks linked with another MPI.
"""

import json
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import unittest

from launcher import Launcher

LAUNCHER = Launcher(sys.argv[1])
PROGRAM, EVENCUBE = sys.argv[2:4]
ENVIRONMENT = {name: value for name, value in LAUNCHER.environment.items() if name != "EVENCUBE_WORKERS"}


def launch(ranks, command, **more):
    """The finished process, output and errors apart; without a launcher for 0 ranks."""
    return subprocess.run([*LAUNCHER.command(ranks), *command], capture_output=True, text=True, env={**ENVIRONMENT, **more}, timeout=120,
                          check=False)


def over_ranks(ranks, words, **more):
    """`run` over so many ranks, each of one worker."""
    return launch(ranks, [PROGRAM, "run", *words.split(), "--cluster", "--workers", "1"], **more)


def alone(words):
    return launch(0, [EVENCUBE, "run", *words.split(), "--workers", "1"])


class RunOverRanks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def measured(self, done):
        self.assertEqual(done.returncode, 0, done.stderr + done.stdout)
        lines = [line for line in done.stdout.splitlines() if line.startswith("{")]
        self.assertEqual(len(lines), 1, done.stdout)
        return json.loads(lines[0])

    def verified(self, ranks, words):
        """The figures of a run, which are those of so many ranks and whose result was right."""
        figures = self.measured(over_ranks(ranks, words + " --json"))
        self.assertIs(figures["verified"], True)
        self.assertEqual(figures["ranks"], max(ranks, 1))
        self.assertEqual(figures["workers"], max(ranks, 1))
        for name in ("executed", "sent", "received", "messages", "bytes"):
            self.assertEqual(len(figures[name + "_per_rank"]), max(ranks, 1), figures)
        self.assertEqual(sum(figures["sent_per_rank"]), sum(figures["received_per_rank"]), figures)
        self.assertEqual(figures["tasks_moved"], sum(figures["sent_per_rank"]), figures)
        return figures

    def every_task_once(self, figures):
        self.assertEqual(sum(figures["executed_per_rank"]), figures["tasks"], figures)

    def same_output(self, ranks, words):
        """The file that the ranks write is the one that one process does."""
        one, many = self.folder / "one.png", self.folder / f"{ranks}.png"
        if not one.exists():
            self.assertEqual(alone(f"{words} --output {one}").returncode, 0)
        figures = self.verified(ranks, f"{words} --output {many}")
        self.assertEqual(one.read_bytes(), many.read_bytes())
        return figures

    def test_edges_of_a_large_picture(self):
        for ranks, balancer in ((0, "oem"), (2, "dem")):
            with self.subTest(ranks=ranks, balancer=balancer):
                self.every_task_once(self.same_output(ranks, f"edges --size 700 --tile 64 --balancer {balancer}"))

    def test_edges_of_a_folder(self):
        pictures = self.folder / "pictures"
        pictures.mkdir()
        for size in (60, 90, 200, 333):
            self.assertEqual(alone(f"edges --size {size} --output {pictures}/{size}.png").returncode, 0)
        self.assertEqual(alone(f"edges --input {pictures} --output {self.folder}/one").returncode, 0)
        output = self.folder / "by4"
        figures = self.verified(4, f"edges --input {pictures} --output {output}")
        self.assertEqual(sum(figures["executed_per_rank"]), 4, figures)
        for picture in pictures.iterdir():
            self.assertEqual((self.folder / "one" / picture.name).read_bytes(), (output / picture.name).read_bytes())
        # A file that is no picture is left out, and reported once.
        (pictures / "notes.txt").write_text("no picture", encoding="utf-8")
        done = over_ranks(2, f"edges --input {pictures} --output {self.folder}/rest --json")
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertEqual(done.stderr.count("notes.txt"), 1, done.stderr)
        self.assertEqual(done.stderr.count("1 file of"), 1, done.stderr)
        self.assertEqual(len(list((self.folder / "rest").iterdir())), 4)

    def test_mandelbrot(self):
        for ranks, more in ((2, "--transmission phased"), (4, "--balancer random_stealing"), (4, "--sharing rounds")):
            with self.subTest(ranks=ranks):
                figures = self.same_output(ranks, f"mandelbrot --size 200 --tile 16 {more}")
                self.every_task_once(figures)

    def test_matmul(self):
        self.every_task_once(self.verified(4, "matmul --size 300 --tile 64 --repeat 2"))

    def test_uts(self):
        said = re.search(r"verified: (\d+ nodes, .*)", alone("uts --tree tiny --tile 20").stdout)
        for ranks in (0, 2):
            with self.subTest(ranks=ranks):
                done = over_ranks(ranks, "uts --tree tiny --tile 20")
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertEqual(done.stdout.count(said.group(1)), 1, done.stdout)
                rows = re.findall(r"^ +(\d+) +1 +\d+ +[\d.]+ % +\d+ +\d+ +\d+ +[\d.]+ [kM]?B$", done.stdout, re.MULTILINE)
                self.assertEqual(rows, [str(rank) for rank in range(max(ranks, 1))], done.stdout)
        self.every_task_once(self.verified(4, "uts --tree tiny --tile 3 --balancer dem"))
        figures = self.verified(4, "uts --tree tiny --tile 3")
        self.every_task_once(figures)
        self.assertEqual((figures["sharing"], figures["rounds"]), ("lifelines", 0))
        for of_rounds in ("--balancer dem", "--transmission phased"):
            self.assertEqual(self.verified(2, "uts --tree tiny " + of_rounds)["sharing"], "rounds")
        self.assertEqual(self.verified(2, "uts --tree tiny --balancer dem --sharing lifelines")["rounds"], 0)
        self.every_task_once(self.verified(2, "uts --tree T3"))

    def refused(self, ranks, words, said, **more):
        """Ends with 2 on all ranks, having said so once."""
        done = over_ranks(ranks, words, **more)
        self.assertEqual(done.returncode, 2, words + done.stderr)
        self.assertEqual(done.stdout.count("{"), 0, done.stdout)
        self.assertEqual(done.stderr.count("evencube: "), 1, done.stderr)
        self.assertIn(said, done.stderr)

    def test_what_means_nothing_between_ranks_is_refused_by_name(self):
        for option in ("--placement one", "--live", "--trigger 5", "--order newest", "--measured costs"):
            with self.subTest(option=option):
                self.refused(0, "uts --tree tiny " + option, f"{option.split()[0]} with --cluster: ")
        self.refused(4, "uts --tree tiny --pulls off", "--pulls with --cluster: ")

    def test_what_is_wrong_is_said_once(self):
        missing = self.folder / "missing"
        for ranks, words, said in (
                (0, "heat", "the tasks of heat do not carry what they work on"),
                (0, "uts --output tree.png", "workload uts has no result to write"),
                (0, "uts --leaves 7", "--leaves"),
                (2, "uts --sharing lifeline", "lifeline"),
                (2, "uts --balancer oen", '"oen"'),
                (4, f"edges --size 64 --output {missing}/edges.png", "missing/edges.png")):
            with self.subTest(words=words):
                self.refused(ranks, words, said)
        self.refused(2, "uts --tree tiny", "EVENCUBE_WORKERS=many", EVENCUBE_WORKERS="many")

    def test_ranks_with_other_options_are_refused(self):
        for one, other in (("mandelbrot --size 64", "mandelbrot --size 64 --zoom 3"), ("uts --tree tiny --repeat 2", "uts --tree tiny"),
                           ("uts --tree tiny", "edges --size 64"), ("uts --tree tiny", "uts --tree tiny --no-verify"),
                           ("uts --tree tiny", "uts --tree tiny --balancer dem"),
                           ("uts --tree tiny --transmission phased", "uts --tree tiny"),
                           ("uts --tree tiny --sharing rounds", "uts --tree tiny")):
            with self.subTest(other=other):
                # The commands are not separated by a colon, at which the mpirun of Open MPI 5.0.7 dies of signal 11.
                words = [shlex.join([PROGRAM, "run", *options.split(), "--cluster", "--workers", "1"]) for options in (one, other)]
                done = launch(2, ["sh", "-c", f'if [ "${{OMPI_COMM_WORLD_RANK-$PMI_RANK}}" = 0 ]; then exec {words[0]}; fi; exec {words[1]}'])
                self.assertEqual(done.returncode, 2, done.stderr)
                self.assertEqual(done.stderr.count("evencube: the options of rank 1 differ from those of rank 0: "), 1, done.stderr)
                self.assertEqual(done.stdout, "")

    def test_the_simulator_is_told_of_the_link_between_ranks(self):
        machine = self.folder / "ranks.json"
        done = launch(2, [PROGRAM, *f"simulate --calibrate --cluster --output {machine}".split()])
        self.assertEqual(done.returncode, 0, done.stderr)
        link = json.loads(machine.read_text(encoding="utf-8"))["ranks"]
        self.assertGreater(link["latency"], 0)
        self.assertGreaterEqual(link["per_byte"], 0)
        done = launch(0, [EVENCUBE, *f"simulate batch --ranks 8 --machine {machine} --json".split()])
        self.assertEqual(done.returncode, 0, done.stderr)
        done = launch(0, [PROGRAM, *"simulate --calibrate --cluster".split()])
        self.assertEqual(done.returncode, 2)
        self.assertIn("--calibrate --cluster needs at least two ranks", done.stderr)
        # The report has a forecast next to the measured time.
        forecast = self.verified(2, "uts --tree tiny --tile 20 --forecast")["forecast"]
        self.assertGreater(forecast["seconds"], 0)
        self.assertGreater(forecast["latency"], 0)

    def test_help_is_printed_once(self):
        done = over_ranks(2, "uts --help")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count("--cluster"), alone("uts --help").stdout.count("--cluster"))

    def test_without_the_option_each_process_runs_by_itself(self):
        done = launch(2, [EVENCUBE, *"run uts --tree tiny --workers 1 --json".split()])
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertEqual(done.stdout.count('"verified":true'), 2, done.stdout)

    def test_a_program_without_the_other_one_says_so(self):
        copy = self.folder / "evencube"
        shutil.copy(EVENCUBE, copy)
        done = launch(0, [str(copy), *"run uts --tree tiny --cluster".split()])
        self.assertEqual(done.returncode, 2)
        self.assertIn("--cluster: evencube-ranks is not in this program's folder; it is built only if MPI and cereal are found",
                      done.stderr)


if __name__ == "__main__":
    LAUNCHER.require()
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
