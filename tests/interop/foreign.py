#!/usr/bin/env python3
"""Builds another library's own tests, from a copy of its repository, on EvenCube, and prints how many cases pass. Or builds a
program that was written for oneTBB on both, and prints whether the outputs are the same.

usage: foreign.py BUILD DIR [--catch2 DIR] [--only NAME]... [--compiler CXX] [--seconds N]

BUILD is where the project was built. DIR is a copy of oneTBB (best of version 2021.8), stdexec, beman.execution or GCC (of
which the folder libstdc++-v3/testsuite is enough), or of one of the programs of foreign_programs.py; which of them is seen by its
files. Nothing in the copy is changed: folders of this project are searched before it, and what a test of a library of senders
needs besides is in the lists below. The tests of stdexec need Catch2 3, of which --catch2 names a copy, too. The results are rows
of the tables in docs/development.md. Not part of the continuous integration: what fails is printed, and the exit status is 0 if
all files were tried."""

import argparse
import pathlib
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass

import foreign_programs
from foreign_build import AS_TBB, OURS, ROOT, error_text, failure_of, libraries_of, searched, tasks_run

sys.path.insert(0, str(ROOT / "bench" / "driver"))
import rivals  # noqa: E402

PARALLEL_STL = ROOT / "interop" / "parallel_stl"
SCAFFOLD = ROOT / "tests" / "interop" / "foreign" / "onetbb" / "scaffold.hpp"
INTERNALS = "it tests internals of oneTBB"
# What EvenCube does not offer, and why.
NOT_APPLICABLE = (
    (r"dynamic_link|handle_perror|intrusive_list|.*_whitebox|semaphore|concurrent_monitor", INTERNALS),
    (r".*_node(_.*)?|.*graph.*|tagged_msg", "EvenCube has task_graph in place of flow::graph"),
    (r"resumable_tasks", "there are no resumable tasks"),
    (r"concurrent_.*", "containers are oneTBB's own"),
    (r"blocked_rangeNd", "a preview of oneTBB"),
    (r"arena_priorities", "priorities order enqueued tasks, and do not give the threads of other arenas to an arena"),
    (r"implicit_linkage_on_windows|numa_dist", "for Windows"),
    (r"test_parallel_pipeline", "each case counts oneTBB's own nodes"),
)
# Single cases that are left out, as patterns of the test framework, and why.
TAKE_PART = "expects that threads which wait take part in the call"
OTHER_GROUPS = "expects that a wait runs tasks of other groups"
LEFT_OUT = {
    "conformance_global_control": (("terminate_on_exception: enabled", "leaves the library by `longjmp`"),),
    "conformance_task_arena": (("this_task_arena::enqueue prolonging task_group",
                                "expects that `wait` waits for a task that was not run"),),
    "test_collaborative_call_once": (("multiple help", TAKE_PART), ("multiple arenas", TAKE_PART)),
    "test_partitioner": (("Threads respect task affinity", "expects that a thread always gets the same part of a range"),),
    "test_task_group": (("Thread safety test for the task group", "waits in a task for a group that another task made"),
                        ("Cancellation and exception test for the task group", "spins in a task until another one runs"),
                        ("Fibonacci test for the task group", "counts a thread outside that waits as one of the limit"),
                        ("Test for stack overflow avoidance mechanism", OTHER_GROUPS),
                        ("Test for stack overflow avoidance mechanism within arena", OTHER_GROUPS)),
}


@dataclass(frozen=True)
class Test:
    """A test of a library of senders."""
    source: str
    remark: str = ""
    # The test is linked with the target EvenCube::parallel_scheduler. A backend that it defines itself gives way.
    parallel_scheduler: bool = False
    # Tasks of a runtime have to run, or the test has shown nothing of EvenCube.
    on_evencube: bool = True
    words: tuple = ()

    def name(self):
        return pathlib.Path(self.source).name.removesuffix(".cpp").removesuffix(".test")


IN_STDEXEC = (
    # EvenCube's backend comes first, and with it the header, so that the test can no longer ask for stdexec's own backend in it.
    Test("test/stdexec/schedulers/test_parallel_scheduler.cpp",
         "linked with `EvenCube::parallel_scheduler`, without stdexec's own backend in the header", parallel_scheduler=True,
         words=("-include", "stdexec/__detail/__parallel_scheduler_default_impl.hpp")),
    Test("test/stdexec/schedulers/test_parallel_scheduler_replacement.cpp", "its backend is derived from EvenCube's"),
    Test("test/stdexec/schedulers/test_task_scheduler.cpp",
         "on a runtime of one worker instead of `single_thread_context`"),
    Test("test/exec/tbb/test_tbb_thread_pool.cpp", "on a runtime instead of oneTBB"),
    Test("test/exec/taskflow/test_taskflow_thread_pool.cpp", "on a runtime instead of Taskflow"),
)
OWN_SCHEDULERS = "its own schedulers: it tests concepts"
IN_BEMAN = tuple(
    Test(f"tests/beman/execution/{name}.test.cpp", remark, parallel_scheduler=ours, on_evencube=ours) for name, remark, ours in (
        ("exec-parallel-scheduler", "linked with `EvenCube::parallel_scheduler`", True),
        ("exec-sched", OWN_SCHEDULERS, False), ("exec-schedule", OWN_SCHEDULERS, False),
        ("exec-schedule-from", OWN_SCHEDULERS, False), ("exec-bulk", OWN_SCHEDULERS, False),
        ("exec-get-compl-sched", OWN_SCHEDULERS, False), ("exec-task-scheduler", OWN_SCHEDULERS, False)))


@dataclass(frozen=True)
class Senders:
    """A library of senders."""
    name: str
    known_by: str
    standard: str
    # Of the copy; and of the project, searched before those.
    folders: tuple
    before: tuple
    tests: tuple
    needs_catch2: bool


SENDERS = (
    Senders("stdexec", "include/stdexec/execution.hpp", "c++20", ("include", "test"), ("stdexec", "catch2"), IN_STDEXEC, True),
    Senders("beman", "include/beman/execution/execution.hpp", "c++2b", ("include", "tests/beman/execution/include"), (), IN_BEMAN,
            False),
)


def reason_not_applicable(test):
    """Why the test, such as test_mutex, is not tried, or None."""
    for pattern, reason in NOT_APPLICABLE:
        if re.fullmatch(f"((conformance|test)_)?({pattern})", test):
            return reason
    return None


def library_of(folder):
    """The library of senders of which the folder is a copy, or None."""
    return next((library for library in SENDERS if (folder / library.known_by).is_file()), None)


def build_tbb(source, options, folder):
    """The program, or None and what the compiler said first."""
    program = folder / source.stem
    folders = [AS_TBB, *OURS, options.build / "generated", options.dir / "test", options.dir / "include",
               options.dir]
    # libtbb is linked, where it is installed, for oneTBB's own containers.
    error = failure_of(options.compiler or "g++", "-std=c++20", "-O1", "-w", "-pthread", *searched(folders), "-include", SCAFFOLD,
                       source, "-o", program, *libraries_of(options.build),
                       *(["-Wl,--as-needed", "-ltbb"] if pathlib.Path("/usr/include/tbb/tbb.h").is_file() else []))
    return (None, error) if error else (program, None)


def run_tbb(program, seconds):
    """(passed, failed, remark)."""
    left_out = LEFT_OUT.get(program.name, ())
    excluded = ",".join(case for case, _ in left_out)
    try:
        done = subprocess.run([program, *([f"--test-case-exclude={excluded}"] if excluded else [])], capture_output=True, text=True,
                              timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return 0, 0, f"has not ended after {seconds} s"
    found = re.search(r"test cases:\s*(\d+)\s*\|\s*(\d+) passed\s*\|\s*(\d+) failed", done.stdout)
    if not found:
        return 0, 0, f"ends with status {done.returncode}"
    failed = dict.fromkeys(re.findall(r"^TEST CASE:\s+(.*\S)", done.stdout, re.MULTILINE))
    remarks = [f'without "{case}", which {why}' for case, why in left_out]
    needs = subprocess.run(["readelf", "-d", program], capture_output=True, text=True, check=False).stdout
    if "[libtbb." in needs:
        remarks.append("needs libtbb, too")
    if failed and found.group(3) != "0":
        remarks.append(f"failed: {', '.join(failed)}")
    return int(found.group(2)), int(found.group(3)), "; ".join(remarks)


def try_tbb(options, folder):
    tests = [*sorted((options.dir / "test" / "conformance").glob("conformance_*.cpp")),
             *sorted((options.dir / "test" / "tbb").glob("test_*.cpp"))]
    if not tests:
        others = ", ".join(program.name for program in foreign_programs.PROGRAMS)
        sys.exit(f"{options.dir} is no copy of oneTBB (test/conformance), stdexec, beman.execution, {others}")
    commit = rivals.commit_of(str(options.dir))
    print(f"oneTBB{f' {commit}' if commit else ''}, {options.compiler or 'g++'}\n\n| test | passed | |\n|---|---|---|")
    total = [0, 0]
    for source in tests:
        if options.only and source.stem not in options.only:
            continue
        reason = reason_not_applicable(source.stem)
        if reason:
            print(f"| `{source.stem}` | not applicable | {reason} |")
            continue
        program, error = build_tbb(source, options, folder)
        if program is None:
            internals = re.search(r"\bdetail::", source.read_text(encoding="utf-8"))
            outcome, remark = ("not applicable", INTERNALS) if internals else ("not compiled", f'"{error_text(error)}"')
            print(f"| `{source.stem}` | {outcome} | {remark} |", flush=True)
            continue
        passed, failed, remark = run_tbb(program, options.seconds)
        total = [total[0] + passed, total[1] + failed]
        print(f"| `{source.stem}` | {f'{passed} of {passed + failed}' if passed + failed else 'no'} | {remark} |", flush=True)
    print(f"| all | {total[0]} of {sum(total)} | |")


class SenderTests:
    """Builds and runs the tests of a library of senders."""

    def __init__(self, library, options, folder):
        self.library = library
        self.options = options
        self.folder = folder
        compiler = options.compiler or shutil.which("clang++-19") or shutil.which("clang++") or "g++"
        folders = [*(ROOT / "tests/interop/foreign" / part for part in library.before), *OURS, options.build / "generated",
                   *(options.dir / part for part in library.folders)]
        if library.needs_catch2:
            folders.append(options.catch2 / "extras")
        # Without optimisation, so that a test's own backend is called, and not put into its callers.
        self.compile = [compiler, f"-std={library.standard}", "-O0", "-w", "-pthread", *searched(folders)]

    def object(self, source, *words):
        """An object file, which is made once; (None, what the compiler said) if it cannot."""
        made = self.folder / f"{pathlib.Path(source).name}.o"
        error = failure_of(*self.compile, *words, "-c", source, "-o", made)
        return (None, error) if error else (made, None)

    def program(self, test):
        """The program, or None and what the compiler or the linker said first."""
        made, error = self.object(self.options.dir / test.source, *test.words)
        if error:
            return None, error
        objects = [made]
        if test.parallel_scheduler:
            subprocess.run(["objcopy", "--wildcard", "--weaken-symbol=*query_parallel_scheduler_backend*", made], check=True)
            backend, error = self.object(ROOT / "interop/src/parallel_scheduler.cpp")
            if error:
                return None, error
            objects.append(backend)
        if self.library.needs_catch2:
            objects.append(self.folder / "catch_amalgamated.cpp.o")
        program = self.folder / test.name()
        error = failure_of(self.compile[0], "-pthread", *objects, "-o", program, *libraries_of(self.options.build))
        return (None, error) if error else (program, None)

    def result(self, test):
        """What the table says of it in its second column, and in its third one."""
        program, error = self.program(test)
        if program is None:
            return "not compiled", f'"{error_text(error)}"'
        try:
            # EvenCube's statistics tell whether it ran anything.
            done = subprocess.run([program], capture_output=True, text=True, timeout=self.options.seconds, check=False,
                                  env={"EVENCUBE_STATS": "1"})
        except subprocess.TimeoutExpired:
            return "no", f"has not ended after {self.options.seconds} s"
        if test.on_evencube and not tasks_run(done.stderr):
            return "no", "EvenCube ran nothing of it"
        return passed(done, self.library.needs_catch2), test.remark

    def prepare(self):
        if self.library.needs_catch2 and not (self.folder / "catch_amalgamated.cpp.o").exists():
            _, error = self.object(self.options.catch2 / "extras" / "catch_amalgamated.cpp")
            if error:
                sys.exit(f"Catch2 does not compile: {error}")

    def try_all(self):
        self.prepare()
        commit = rivals.commit_of(str(self.options.dir))
        print(f"{self.library.name}{f' {commit}' if commit else ''}, {self.compile[0]}\n\n| test | passed | |\n|---|---|---|")
        for test in self.library.tests:
            if self.options.only and test.name() not in self.options.only:
                continue
            if not (self.options.dir / test.source).is_file():
                outcome, remark = "not there", f"this copy has no {test.source}"
            else:
                outcome, remark = self.result(test)
            print(f"| {self.library.name} `{test.name()}` | {outcome} | {remark} |", flush=True)


def try_pstl(options, folder):
    """Runs GCC's own tests of the parallel algorithms, and prints a row for each folder of them."""
    suite = options.dir / "libstdc++-v3" / "testsuite"
    tests = [path for path in sorted(suite.glob("**/pstl/**/*.cc")) if "dg-do run" in path.read_text(encoding="utf-8")]
    folders = [PARALLEL_STL, *OURS, options.build / "generated", suite / "util"]
    print(f"{options.compiler or 'g++'}\n\n| tests | passed | |\n|---|---|---|")
    for of in sorted({path.parent for path in tests}):
        chosen = [path for path in tests if path.parent == of and (not options.only or path.stem in options.only)]
        failed = {path.stem: why for path in chosen if (why := failure_of_pstl(path, folders, options, folder))}
        if chosen:
            print(f"| `{of.relative_to(suite)}` | {len(chosen) - len(failed)} of {len(chosen)} | "
                  f"{'; '.join(f'`{name}`: {why}' for name, why in failed.items())} |", flush=True)


def failure_of_pstl(source, folders, options, folder):
    """Why the test did not pass, or None."""
    program = folder / f"pstl_{source.stem}"
    error = failure_of(options.compiler or "g++", "-std=c++20", "-O1", "-w", "-pthread", *searched(folders), source, "-o", program,
                       *libraries_of(options.build))
    if error:
        return f'not compiled, "{error_text(error)}"'
    if b"evencube" not in program.read_bytes():  # in the names of functions
        return "does not call EvenCube"
    try:
        done = subprocess.run([program], capture_output=True, timeout=options.seconds, check=False)
    except subprocess.TimeoutExpired:
        return f"has not ended after {options.seconds} s"
    return f"ends with status {done.returncode}" if done.returncode else None


def try_program(program, options):
    commit = rivals.commit_of(str(options.dir))
    print("| program | same output | |\n|---|---|---|")
    compiler = options.compiler or "g++"
    said = foreign_programs.outcome(program, options.dir.resolve(), options.build, options.seconds, compiler)
    print(f"| {program.name}{f' {commit}' if commit else ''} | {said} | {program.remark} |", flush=True)


def passed(done, by_catch2):
    """What a program that has ended says: the number of cases by Catch2, or whether its assertions held."""
    if not by_catch2:
        return "yes" if done.returncode == 0 else f"no: it ends with status {done.returncode}"
    all_of_them = re.search(r"All tests passed \(.* in (\d+) test cases?\)", done.stdout)
    if all_of_them and done.returncode == 0:
        return f"{all_of_them.group(1)} of {all_of_them.group(1)}"
    some = re.search(r"test cases:\s*(\d+)\s*\|(?:\s*(\d+) passed)?", done.stdout)
    return f"{some.group(2) or 0} of {some.group(1)}" if some else f"no: it ends with status {done.returncode}"


def main():
    parser = argparse.ArgumentParser(description="other libraries' own tests on EvenCube")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("dir", type=pathlib.Path)
    parser.add_argument("--catch2", type=pathlib.Path)
    parser.add_argument("--only", action="append", default=[])
    parser.add_argument("--compiler")
    parser.add_argument("--seconds", type=float, default=120)
    options = parser.parse_args()
    library = library_of(options.dir)
    if library is not None and library.needs_catch2:
        if options.catch2 is None or not (options.catch2 / "extras" / "catch_amalgamated.cpp").is_file():
            sys.exit(f"the tests of {library.name} need --catch2 DIR, a copy of Catch2 3 (extras/catch_amalgamated.cpp)")
    folder = options.build / "foreign"
    folder.mkdir(exist_ok=True)
    program = foreign_programs.program_of(options.dir)
    if library is not None:
        SenderTests(library, options, folder).try_all()
    elif program is not None:
        try_program(program, options)
    elif (options.dir / "libstdc++-v3/testsuite/util/pstl/test_utils.h").is_file():
        try_pstl(options, folder)
    else:
        try_tbb(options, folder)


if __name__ == "__main__":
    main()
