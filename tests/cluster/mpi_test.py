#!/usr/bin/env python3
"""Clusters over MPI: starts a program under mpirun and looks at what its ranks say.

usage: mpi_test.py MPIRUN PROGRAM [unittest's arguments]; exit status 77 where MPIRUN starts nothing
"""

import itertools
import os
import random
import re
import subprocess
import sys
import tempfile
import time
import unittest

from launcher import Launcher

LAUNCHER = Launcher(sys.argv[1])
PROGRAM = sys.argv[2]


def run(ranks, *arguments, limit=240, environment=None, and_another=None):
    """The finished process, the output and errors of mpirun and then of the ranks, and the seconds it took.

    `and_another` is the program of one more rank.
    """
    began = time.monotonic()
    # Ranks write to a file: MPICH's launcher may drop what a rank says just before it ends the job.
    with tempfile.NamedTemporaryFile("r") as said:
        shell = ["sh", "-c", f"exec \"$0\" \"$@\" >>'{said.name}' 2>&1"]
        command = [*LAUNCHER.command(ranks), *shell, PROGRAM, *arguments]
        if and_another:
            command += [":", "-np", "1", *shell, and_another, *arguments]
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                              env={**LAUNCHER.environment, **(environment or {})}, timeout=limit, check=False)
        done.stdout += said.read()
    return done, time.monotonic() - began


class Cluster(unittest.TestCase):
    def counted(self, ranks, *arguments):
        done, _ = run(ranks, "tree", *arguments)
        self.assertEqual(done.returncode, 0, done.stdout)
        lines = re.findall(r"rank (\d+) of (\d+) counted (\d+), all (\d+)", done.stdout)
        self.assertEqual(len(lines), 3 * max(ranks, 1), done.stdout)
        self.assertEqual({int(size) for _, size, _, _ in lines}, {max(ranks, 1)})
        self.assertEqual(sum(int(count) for _, _, count, _ in lines), 3 * int(lines[0][3]), done.stdout)

    def test_counts_every_node_of_a_tree_once(self):
        for ranks in (1, 2, 4):
            for balancer in ("lifelines", "oem", "dem", "random_stealing"):
                with self.subTest(ranks=ranks, balancer=balancer):
                    self.counted(ranks, balancer)

    def test_needs_no_mpirun(self):
        self.counted(0)

    def test_says_that_the_launcher_is_another_mpis(self):
        prefix = "PMI" if LAUNCHER.is_open_mpi else "OMPI_COMM_WORLD"
        for number in "01":
            with self.subTest(number=number):
                done, _ = run(0, "tree", environment={f"{prefix}_SIZE": "4", f"{prefix}_RANK": number})
                self.assertEqual(done.returncode, 0, done.stdout)
                said = f"{prefix}_SIZE is 4, but each process is alone and does the whole work"
                self.assertEqual(done.stdout.count(said), 1 if number == "0" else 0, done.stdout)

    def test_refuses_ranks_of_two_builds(self):
        with open(PROGRAM, "rb") as file:
            program = bytearray(file.read())
        note = program.find(b"\x04\0\0\0\x14\0\0\0\x03\0\0\0GNU\0")
        if note < 0:
            self.skipTest("the linker writes no build id")
        program[note + 16] ^= 255
        with tempfile.NamedTemporaryFile("wb", delete=False) as other:
            other.write(program)
        self.addCleanup(os.unlink, other.name)
        os.chmod(other.name, 0o755)
        done, _ = run(1, "tree", and_another=other.name)
        self.assertNotEqual(done.returncode, 0, done.stdout)
        self.assertIn("the ranks differ in their program: rank 1 has build id", done.stdout)

    def test_has_clusters_over_several_communicators(self):
        for ranks in (1, 2, 5):
            with self.subTest(ranks=ranks):
                done, _ = run(ranks, "communicators")
                self.assertEqual(done.returncode, 0, done.stdout)
                if "no MPI_THREAD_MULTIPLE" in done.stdout:
                    self.skipTest("this MPI has no MPI_THREAD_MULTIPLE")
                for rank in range(ranks):
                    half = [k for k in reversed(range(ranks)) if k % 2 == rank % 2]
                    self.assertIn(f"rank {rank} of {ranks}, rank {half.index(rank)} of {len(half)} in its half: "
                                  f"{40 * ranks}, {60 * len(half)}, {ranks}", done.stdout)
                    self.assertIn(f"rank {rank} refused: cluster: the communicator is MPI_COMM_NULL", done.stdout)

    def test_goes_on_while_a_rank_is_stopped(self):
        for ranks in (3, 4):
            for balancer in ("lifelines", "oem", "random_stealing"):
                with self.subTest(ranks=ranks, balancer=balancer):
                    done, _ = run(ranks, "stopped", balancer)
                    self.assertEqual(done.returncode, 0, done.stdout)
                    self.assertIn("shared: 1", done.stdout)

    def test_lets_spawns_wait_for_a_rank_that_is_stopped(self):
        done, _ = run(2, "window", "none")
        self.assertEqual(done.returncode, 0, done.stdout)
        spawned = re.search(r"spawned: (\d+) of (\d+)", done.stdout)
        self.assertEqual(spawned[1], spawned[2], done.stdout)
        self.assertIn("came: 1", done.stdout)

    def test_carries_megabytes(self):
        for ranks in (2, 4):
            done, _ = run(ranks, "bytes")
            self.assertEqual(done.returncode, 0, done.stdout)
            self.assertEqual(done.stdout.count(": as sent"), ranks, done.stdout)

    def test_moves_under_a_hold_what_the_planner_says(self):
        for ranks, balancer in ((1, "oem"), (3, "oem"), (4, "cwa")):
            with self.subTest(ranks=ranks, balancer=balancer):
                done, _ = run(ranks, "hold", balancer)
                self.assertEqual(done.returncode, 0, done.stdout)
                self.assertEqual(done.stdout.count(": as planned"), ranks, done.stdout)

    def test_refuses_messages_beyond_two_gigabytes(self):
        done, _ = run(2, "huge", "none")
        self.assertEqual(done.returncode, 0, done.stdout)
        self.assertIn('rank 0 refused: an argument of task "count" takes 2147483656 bytes or more, and a message to '
                      "rank 1 can have 2147483519 of them", done.stdout)
        for rank in range(2):
            self.assertIn(f'rank {rank} caught: task "make" on rank 1: its result takes 2147483656 bytes or more',
                          done.stdout)

    def test_tells_all_ranks_what_a_task_threw(self):
        done, _ = run(4, "throw", "none")  # balancing might move it on
        self.assertEqual(done.returncode, 0, done.stdout)
        for rank in range(4):
            self.assertIn(f'rank {rank} caught: task "end" on rank 3: disk full', done.stdout)

    def test_refuses_ranks_that_registered_other_tasks(self):
        done, _ = run(2, "unequal")
        self.assertNotEqual(done.returncode, 0)
        said = 'task 0 of those registered: rank 1 has "shade", rank 0 has "render"'
        self.assertGreaterEqual(done.stdout.count(said), 1, done.stdout)  # mpirun may end the other before it has said so

    def test_ends_with_a_rank_that_dies(self):
        for ranks, how in itertools.product((4, 8), ("kill", "abort", "terminate", "exit")):
            with self.subTest(ranks=ranks, how=how):
                done, took = run(ranks, how)
                self.assertNotEqual(done.returncode, 0)
                self.assertLess(took, 60)
                # MPICH's launcher at times says of a rank that ends by itself no more than its exit code.
                if not LAUNCHER.is_open_mpi and (how, done.returncode) == ("exit", 3):
                    continue
                # What mpirun calls it.
                self.assertRegex(done.stdout, r"(?i)signal|exit|terminated", done.stdout)

    def test_is_no_success_if_a_rank_exits_early(self):
        for ranks, how in itertools.product((3, 8), ("exit 0", "quick_exit 0", "exit outside", "end of main")):
            with self.subTest(ranks=ranks, how=how):
                done, took = run(ranks, how)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertLess(took, 60)
                self.assertIn("exits while its cluster lives", done.stdout)

    def test_ends_if_a_rank_ends_without_a_trace(self):
        for ranks in (3, 8):
            with self.subTest(ranks=ranks):
                done, took = run(ranks, "_exit 0", "none")
                self.assertLess(took, 60)
                if LAUNCHER.is_open_mpi:  # MPICH's launcher takes it for success
                    self.assertNotEqual(done.returncode, 0, done.stdout)

    def test_is_no_success_if_a_rank_cannot_go_on(self):
        for ranks, (how, said) in itertools.product(
                (3, 8), (("throw outside", "takes no part"), ("memory", "cannot go on: std::bad_alloc"))):
            with self.subTest(ranks=ranks, how=how):
                done, took = run(ranks, how)
                self.assertNotEqual(done.returncode, 0, done.stdout)
                self.assertLess(took, 60)
                self.assertIn(said, done.stdout)

    def test_runs_random_programs_with_faults(self):
        """EVENCUBE_RANK_PROGRAMS: how many; EVENCUBE_RANK_SEED: the seed of the first."""
        first = int(os.environ.get("EVENCUBE_RANK_SEED", "1"))
        for seed in range(first, first + int(os.environ.get("EVENCUBE_RANK_PROGRAMS", "12"))):
            draw = random.Random(seed)
            ranks = draw.randint(2, 5)
            fault = draw.choice(("none", "stop", "stop", "exit", "exit", "quick_exit", "_exit", "kill", "abort", "terminate"))
            words = ("random", str(seed), fault, str(draw.randrange(ranks)), str(draw.randrange(30)))
            with self.subTest(again=f"EVENCUBE_RANK_PROGRAMS=1 EVENCUBE_RANK_SEED={seed}", ranks=ranks, words=words):
                done, _ = run(ranks, *words)  # its limit is that of a job that never ends
                if fault in ("none", "stop"):
                    self.assertEqual(done.returncode, 0, done.stdout)
                    self.assertEqual(len(re.findall(r"has done \d+ of \d+ tasks", done.stdout)), ranks, done.stdout)
                elif fault != "_exit" or LAUNCHER.is_open_mpi:  # MPICH's launcher takes that for success
                    self.assertNotEqual(done.returncode, 0, done.stdout)

    def test_idle_ranks_sleep(self):
        done, _ = run(2, "idle")
        shares = [float(share) for share in re.findall(r"idle: ([\d.]+) %", done.stdout)]
        self.assertEqual(len(shares), 1, done.stdout)
        print(f"an idle rank takes {shares[0]} % of a processor", flush=True)
        self.assertLess(shares[0], 30)


if __name__ == "__main__":
    LAUNCHER.require()
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
