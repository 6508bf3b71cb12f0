#!/usr/bin/env python3
"""How `./dev foreign` knows a copy of a library, and what it says of programs that pass, fail or do not compile.

usage: foreign_test.py BUILD CXX
"""

import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
COMPILER = sys.argv.pop()
BUILD = pathlib.Path(sys.argv.pop()).resolve()
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import foreign  # noqa: E402
import foreign_build  # noqa: E402


def ended(status, said):
    return subprocess.CompletedProcess([], status, said, "")


class Words(unittest.TestCase):
    def test_cases_that_passed_are_counted(self):
        for status, said, expected in (
                (0, "All tests passed (107 assertions in 27 test cases)\n", "27 of 27"),
                (0, "All tests passed (5 assertions in 1 test case)\n", "1 of 1"),
                (1, "test cases:  5 |  4 passed | 1 failed\nassertions: 11 | 10 passed | 1 failed\n", "4 of 5"),
                (1, "test cases: 1 | 1 failed\nassertions: 1 | 1 failed\n", "0 of 1"),
                (-11, "", "no: it ends with status -11")):
            with self.subTest(said=said):
                self.assertEqual(foreign.passed(ended(status, said), True), expected)

    def test_tasks_of_all_runtimes_are_counted(self):
        said = "evencube, 0.010 s\n  ran     1 task; by worker: 1 0\n  busy    3 %\nother, 0.1 s\n  ran     20 tasks\n"
        self.assertEqual(foreign_build.tasks_run(said), 21)
        self.assertEqual(foreign_build.tasks_run("nothing ran 7 tasks"), 0)

    def test_an_error_is_told_without_its_place(self):
        said = "In file included from a.cpp:1:\n/some/where/b.hpp:3:7: error: no member named 'a|b'\n1 error generated.\n"
        self.assertEqual(foreign_build.error_text(foreign_build.first_error(said)), r"no member named 'a\|b'")


class Copies(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.addCleanup(self.temporary.cleanup)
        self.copy = pathlib.Path(self.temporary.name) / "a copy"

    def put(self, path, text=""):
        file = self.copy / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")

    def run_script(self, *words):
        # Where it builds is a folder of this test; the libraries are those of the build.
        folder = pathlib.Path(self.temporary.name) / "build"
        folder.mkdir(exist_ok=True)
        for part in ("runtime", "balancers", "generated"):
            if not (folder / part).exists():
                (folder / part).symlink_to(BUILD / part)
        return subprocess.run([sys.executable, "-B", HERE / "foreign.py", folder, self.copy, "--compiler", COMPILER, *words],
                              capture_output=True, text=True, timeout=240, check=False)

    def test_a_folder_of_something_else_is_refused(self):
        self.put("README.md")
        done = self.run_script()
        self.assertEqual(done.returncode, 1)
        self.assertIn("is no copy of oneTBB", done.stderr)

    def test_stdexec_needs_catch2(self):
        self.put("include/stdexec/execution.hpp")
        done = self.run_script()
        self.assertEqual(done.returncode, 1)
        self.assertIn("--catch2", done.stderr)

    def test_programs_are_built_and_run(self):
        self.put("include/beman/execution/execution.hpp")
        tests = "tests/beman/execution/"
        self.put(f"{tests}exec-sched.test.cpp", "int main() {}\n")
        self.put(f"{tests}exec-schedule.test.cpp", "int main() { return 3; }\n")
        self.put(f"{tests}exec-bulk.test.cpp", "#error this is not for you\n")
        done = self.run_script("--only", "exec-sched", "--only", "exec-schedule", "--only", "exec-bulk", "--only",
                               "exec-task-scheduler")
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = {row.split("|")[1].strip(): row for row in done.stdout.splitlines() if row.startswith("| beman")}
        self.assertEqual(list(rows), ["beman `exec-sched`", "beman `exec-schedule`", "beman `exec-bulk`",
                                      "beman `exec-task-scheduler`"])
        self.assertIn("| yes |", rows["beman `exec-sched`"])
        self.assertIn("| no: it ends with status 3 |", rows["beman `exec-schedule`"])
        self.assertRegex(rows["beman `exec-bulk`"], r"\| not compiled \| .*this is not for you")
        self.assertIn("| not there |", rows["beman `exec-task-scheduler`"])

    def test_tests_of_onetbb_are_built_and_run(self):
        says = '#include <cstdio>\nint main() { std::puts("[doctest] test cases: 3 | 2 passed | 1 failed"); }\n'
        self.put("test/conformance/conformance_combinable.cpp", says)
        self.put("test/conformance/conformance_concurrent_vector.cpp", "int main() {}\n")
        self.put("test/tbb/test_task.cpp", "int main() { return tbb::detail::nothing; }\n")
        self.put("test/tbb/test_mutex.cpp", "#error this is not for you\n")
        self.put("test/tbb/test_tick_count.cpp", "int main() { return 3; }\n")
        done = self.run_script()
        self.assertEqual(done.returncode, 0, done.stderr)
        rows = dict(re.findall(r"^\| (\S+) \| (.*) \|$", done.stdout, re.MULTILINE))
        self.assertEqual(rows.pop("`conformance_combinable`"), "2 of 3 | ")
        self.assertIn("not applicable", rows.pop("`conformance_concurrent_vector`"))
        self.assertRegex(rows.pop("`test_mutex`"), "not compiled .*this is not for you")
        self.assertIn("internals of oneTBB", rows.pop("`test_task`"))
        self.assertIn("ends with status 3", rows.pop("`test_tick_count`"))
        self.assertEqual(rows, {"test": "passed |", "all": "2 of 3 |"})

    @unittest.skipUnless(pathlib.Path("/usr/include/tbb/tbb.h").is_file(), "oneTBB is not installed")
    def test_outputs_of_programs_for_onetbb_are_compared(self):
        for added, expected in ((0, r"yes, by \d+ tasks"), ("__has_include(<evencube/runtime.hpp>)", "no: it prints something else"),
                                ("not_there", r"no: on oneTBB, .*not_there.*")):
            with self.subTest(added=added):
                self.put("benchmarks/primes/tbb.cpp", f"""
#include <tbb/tbb.h>
#include <functional>
#if {0 if added == "not_there" else added}
constexpr std::size_t added = 1;
#else
constexpr std::size_t added = {"not_there" if added == "not_there" else 0};
#endif
std::size_t primes_tbb(std::size_t, std::size_t below) {{
  return added + tbb::parallel_reduce(tbb::blocked_range<std::size_t>(0, below, 1000), std::size_t(0),
                                      [](auto r, std::size_t sum) {{
                                        for (std::size_t i = r.begin(); i != r.end(); ++i) sum += i % (i % 7 + 2);
                                        return sum;
                                      }}, std::plus<>());
}}
""")
                done = self.run_script()
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertRegex(done.stdout, rf"(?m)^\| Taskflow \| {expected} \|")


if __name__ == "__main__":
    unittest.main()
