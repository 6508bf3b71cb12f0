#!/usr/bin/env python3
"""Fails the system calls of evencube, one at a time, and looks what becomes of it: it ends soon, with a result or with a
sentence that names the file and the reason; what was there before is whole; nothing is left behind.

usage: injection_test.py PROGRAM [--all] [--command NAME]... [--call NAME]... [--list]

strace does the failing. Every call of main and what comes after it may fail; a few of each kind are tried, with --all
every one. Both can be done in parts: some of the commands, some of the calls; --list names them. Prints, as it goes, how
often each call was tried in each command and how often the program ended with an error for it, in the end the matrix.
Exit status 77 where nobody may trace processes here."""

import argparse
import concurrent.futures
import errno
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

PROGRAM = ""
STRACE = ["strace", "-f", "-qq"]
DEADLINE = 120  # seconds for one command, traced, on a busy machine
SILENT = 20     # seconds at most, then a line is printed
FEW = 3         # of each call are tried unless all are

OLD = b"what was there before\n"

COMMANDS = {
    "run": "run edges --size 96 --tile 32 --workers 2 --output o.png --trace o.trace",
    "frames": "run heat --size 32 --tile 16 --steps 4 --frames 2 --workers 2 --output f",
    "picture": "run edges --input in.png --workers 2 --no-verify --json",
    "whatif": "whatif in.trace --balancer oem --json",
    "trace": "trace in.trace --perfetto o.json --html o.html --json",
    "reproduce": "reproduce loh-table-1 --no-plots --output r --page page.md",
    "simulate": "simulate batch --topology cube:4 --replications 2 --threads 2",
    "compare": "compare edges --size 96 --tile 32 --balancer none,oem --placement one --workers 2 --repeat 1 --plot o.svg",
    "forecasts": "compare in.trace --balancer none,oem --placement one --workers 2,4 --machine equal,numa2 --explain --plot o.svg",
    "speedup": "speedup edges --size 96 --tile 32 --workers 1,2 --repeat 1 --plot o.svg",
}

# What may fail and how. Some of these the C library asks for on its own account, too.
CALLS = {
    "openat": errno.EMFILE, "read": errno.EIO, "write": errno.ENOSPC, "fsync": errno.EIO, "close": errno.EIO,
    "rename": errno.EACCES, "mkdir": errno.EDQUOT, "fchmod": errno.EPERM, "newfstatat": errno.EACCES, "readlink": errno.EIO, "getdents64": errno.EIO,
    "faccessat2": errno.EACCES, "access": errno.ENOENT, "mmap": errno.ENOMEM, "munmap": errno.ENOMEM,
    "mprotect": errno.ENOMEM, "clone3": errno.EAGAIN, "sched_setaffinity": errno.EPERM,
    "sched_getaffinity": errno.EPERM, "prctl": errno.EPERM, "ioctl": errno.EIO,
    "getcwd": errno.ENOENT, "unlink": errno.EIO, "unlinkat": errno.EIO, "rmdir": errno.EIO, "lseek": errno.EIO,
    "fcntl": errno.EIO, "brk": errno.ENOMEM, "madvise": errno.ENOMEM, "clock_nanosleep": errno.EINTR,
    "rt_sigaction": errno.EINVAL, "uname": errno.EFAULT,
}
# Where a signal may come as if it had been that very moment.
SIGNALLED = ("write", "fsync", "rename", "fchmod")
# Where the program ends with an error for one of these, it has to say the system's reason.
TOLD = ("write", "fsync", "close", "rename", "mkdir", "fchmod")

# A futex is not among them: strace would fail the calls that wake, too, which the system never does.
# What every command does without, once.
DISPENSABLE = ("munmap", "sched_setaffinity", "sched_getaffinity", "prctl", "ioctl", "lseek", "brk", "madvise",
               "clock_nanosleep", "rt_sigaction", "uname")

# The first call of main(): it looks whether its standard input is open.
MAIN = re.compile(r"fcntl\(0, F_GETFD\)")


class Place:
    """A folder with what the commands read and replace."""

    def __init__(self, inputs):
        self.folder = tempfile.TemporaryDirectory(prefix="evencube-faults-")
        self.path = pathlib.Path(self.folder.name)
        for name, content in inputs.items():
            (self.path / name).write_bytes(content)
        for name in ("o.png", "o.trace", "o.json", "o.html", "o.svg", "page.md"):
            (self.path / name).write_bytes(OLD)
        for name in ("r/papers.md", "r/loh-table-1/networks.csv", "r/loh-table-1/notes.txt", "f/0001.heat.png", "f/notes.txt"):
            (self.path / name).parent.mkdir(parents=True, exist_ok=True)
            (self.path / name).write_bytes(OLD)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.folder.cleanup()

    def files(self):
        return {str(path.relative_to(self.path)): path.read_bytes()
                for path in sorted(self.path.rglob("*")) if path.is_file()}


def traced(place, command, *options):
    """The finished command under strace, or None where it did not end in time."""
    arguments = [*STRACE, "-o", os.fspath(place.path.with_suffix(".log")), *options, PROGRAM,
                 *COMMANDS[command].split()]
    settings = {name: value for name, value in os.environ.items() if name != "EVENCUBE_WORKERS"}
    # glibc keeps the stacks of ended threads up to a size, and ends a program whose stacks beyond it cannot be unmapped.
    settings["GLIBC_TUNABLES"] = "glibc.pthread.stack_cache_size=1073741824"
    process = subprocess.Popen(arguments, cwd=place.path, env=settings, stdin=subprocess.DEVNULL, start_new_session=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    try:
        out, err = process.communicate(timeout=DEADLINE)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()
        return None
    return subprocess.CompletedProcess(arguments, process.returncode, out, err)


def calls_of(inputs, command):
    """call -> (how many the loader makes before main, how many the thread that makes most of them makes in all).

    strace counts for each thread by itself: the Nth call that fails is the Nth of every thread that gets so far."""
    with Place(inputs) as place:
        result = traced(place, command, "-e", "trace=" + ",".join(CALLS))
        if result is None or result.returncode != 0:
            raise SystemExit(f"{command} fails by itself: {result and result.stderr.decode()}")
        log = place.path.with_suffix(".log")
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        log.unlink()
        reference = place.files()
    loading = dict.fromkeys(CALLS, 0)
    of_threads = {}
    in_main = False
    for line in lines:
        pid, _, rest = line.partition(" ")
        in_main = in_main or MAIN.search(rest) is not None
        match = re.match(r"(\w+)\(", rest.strip())
        if match is None or match[1] not in loading:
            continue
        of_threads[match[1], pid] = of_threads.get((match[1], pid), 0) + 1
        loading[match[1]] += not in_main
    return {call: (loading[call], max([count for (name, _), count in of_threads.items() if name == call], default=0))
            for call in CALLS}, reference


def some(first, last, all_of_them):
    """Numbers of first..last, all or a few spread over them."""
    count = last - first + 1
    if all_of_them or count <= FEW:
        return range(first, last + 1)
    return sorted({first + i * (count - 1) // (FEW - 1) for i in range(FEW)})


def describe(result):
    return f"exit {result.returncode}, stderr {result.stderr.decode(errors='replace')!r}"


def whole_picture(content):
    """The picture of a measurement is another one each time, but never a part of one."""
    return content.startswith(b"<svg ") and content.endswith(b"</svg>\n")


def wrong(command, call, result, before, after, reference):
    """What is not as it should be, or None."""
    if result is None:
        return f"did not end within {DEADLINE} s"
    if result.returncode not in (0, 1, 2):
        return describe(result)
    text = result.stderr.decode(errors="replace")
    if result.returncode == 0:
        for name, content in after.items():
            steady = name in reference and not name.endswith((".trace", ".svg"))
            if steady and content not in (reference[name], before.get(name)) and ".md" not in name:
                return f"{name} is neither old nor new"
            if command == "run" and name == "o.trace" and (content == OLD or not content.startswith(b"EVCTRACE")):
                return f"{name} was not written"
            if command in ("compare", "forecasts", "speedup") and name == "o.svg" and not whole_picture(content):
                return f"{name} was not written"
        for name in ("o.png", "o.json", "o.html", "r/loh-table-1/networks.csv"):
            if name in reference and reference[name] != OLD and after.get(name) != reference[name]:
                return f"{name} was not written"
    else:
        if call in DISPENSABLE or not text.startswith("evencube: ") or text.count("\n") > 2:
            return describe(result)
        if call in TOLD and os.strerror(CALLS[call]) not in text:
            return f"no reason: {describe(result)}"
        for name, content in before.items():
            if name not in after:
                return f"{name} is lost"
            if name == "o.svg" and after[name] != content and not whole_picture(after[name]):
                return f"{name} is neither old nor new"
            if after[name] not in (content, reference.get(name)) and not name.endswith((".trace", ".md", ".svg")):
                return f"{name} is neither old nor new"
            if not after[name]:
                return f"{name} is empty"
    left = [name for name in after if ".evencube" in name]
    if left and call not in ("unlink", "unlinkat", "rmdir", "getdents64"):
        return f"left behind: {left}"
    return None


def how_it_fails(call):
    """In strace's words. The kernel knows no error of brk: it returns where the heap ends, which is then too low."""
    return "retval=0" if call == "brk" else f"error={errno.errorcode[CALLS[call]]}"


def attempt(inputs, command, call, number, reference):
    with Place(inputs) as place:
        before = place.files()
        result = traced(place, command, "-e", f"trace={call}", "-e",
                        f"inject={call}:{how_it_fails(call)}:when={number}")
        found = wrong(command, call, result, before, place.files(), reference)
        place.path.with_suffix(".log").unlink(missing_ok=True)
        return found, result is not None and result.returncode != 0


def stopped(inputs, command, call, number, name, reference):
    """A signal at the moment of a call: as if the call had never been, or all was well; nothing stays behind."""
    options = ["-e", f"trace={call}", "-e", f"inject={call}:signal={name}:when={number}"]
    with Place(inputs) as place:
        before = place.files()
        result = traced(place, command, *options)
        after = place.files()
        place.path.with_suffix(".log").unlink(missing_ok=True)
        if result is None:
            return "did not end"
        number = getattr(signal, name)
        if result.returncode not in (0, -number, 128 + number):
            return describe(result)
        left = [path for path in after if ".evencube" in path]
        if left:
            return f"left behind: {left}"
        for path, content in before.items():
            if path not in after or not after[path]:
                return f"{path} is lost or empty"
            if after[path] not in (content, reference[path]) and not path.endswith((".trace", ".md")):
                return f"{path} is neither old nor new"
        return None


def inputs_of():
    """A trace and a picture to read."""
    with tempfile.TemporaryDirectory() as folder:
        for words in ("run spin --size 20 --workers 2 --trace in.trace", "run edges --size 64 --output in.png"):
            subprocess.run([PROGRAM, *words.split()], cwd=folder, check=True, capture_output=True, timeout=DEADLINE)
        return {name: (pathlib.Path(folder) / name).read_bytes() for name in ("in.trace", "in.png")}


def may_trace():
    """Whether, and how: with a filter in the kernel only the calls that may fail are stopped at."""
    if shutil.which("strace") is None:
        return False
    for options in (["--seccomp-bpf"], []):
        result = subprocess.run([*STRACE, *options, "-o", "/dev/null", "-e", "trace=close", "true"],
                                capture_output=True, check=False)
        if result.returncode == 0 and not result.stderr:
            STRACE.extend(options)
            return True
    return False


def jobs_of(inputs, command, calls, all_of_them):
    """(row of the matrix, what is done, function, its arguments) of each fault of a command."""
    counts, reference = calls_of(inputs, command)
    for call in calls:
        loading, total = counts[call]
        for number in some(loading + 1, total, all_of_them):
            yield call, f"{number}th {call} fails", attempt, (inputs, command, call, number, reference)
    if command not in ("run", "reproduce"):
        return
    turn = 0
    for call in [name for name in SIGNALLED if name in calls]:
        loading, total = counts[call]
        for number in some(loading + 1, total, all_of_them):
            names = ("SIGINT", "SIGTERM", "SIGHUP")
            for name in names if all_of_them else (names[turn % 3],):  # otherwise they take turns
                turn += 1
                yield (f"signal at {call}", f"{name} at the {number}th {call}", stopped,
                       (inputs, command, call, number, name, reference))


def faults_of(inputs, command, calls, all_of_them, pool):
    """Tries the faults of a command; row -> (tried, ended with an error), and what was wrong."""
    rows, failures, since, shown = {}, [], time.monotonic(), 0.0
    jobs = list(jobs_of(inputs, command, calls, all_of_them))
    results = pool.map(lambda job: job[2](*job[3]), jobs)
    for place, ((row, what, kind, _), result) in enumerate(zip(jobs, results)):
        found, ended = result if kind is attempt else (result, False)
        tried, refused = rows.get(row, (0, 0))
        rows[row] = (tried + 1, refused + ended)
        if found:
            failures.append(f"{command}: {what}: {found}")
            print("FAILED:", failures[-1], flush=True)
        seconds = time.monotonic() - since
        if place + 1 == len(jobs) or jobs[place + 1][0] != row or seconds > shown + SILENT:
            shown = seconds
            print(f"{command:10} {row:20} {rows[row][0]:5} tried, {rows[row][1]:4} ended with an error"
                  f"{seconds:8.0f} s, {100 * (place + 1) // len(jobs):3} %", flush=True)
    return rows, failures


def arguments_of(words):
    parser = argparse.ArgumentParser(description="fails the system calls of evencube, one at a time")
    parser.add_argument("program")
    parser.add_argument("--all", action="store_true", help="every call, not a few of each kind")
    parser.add_argument("--command", action="append", choices=COMMANDS, help="only this one; may be repeated")
    parser.add_argument("--call", action="append", choices=CALLS, help="only this one; may be repeated")
    parser.add_argument("--list", action="store_true", help="the names of commands and calls")
    return parser.parse_args(words)


def main():
    global PROGRAM
    given = arguments_of(sys.argv[1:])
    if given.list:
        print("commands:", *COMMANDS)
        print("calls:", *CALLS)
        return 0
    PROGRAM = os.path.abspath(given.program)
    if not may_trace():
        print("no process may be traced here")
        return 77
    inputs = inputs_of()
    commands = given.command or list(COMMANDS)
    matrix, failures = {}, []
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        for command in commands:
            matrix[command], wrong_here = faults_of(inputs, command, given.call or list(CALLS), given.all, pool)
            failures += wrong_here
    print(f"\n{'call':20}" + "".join(f"{command:>14}" for command in commands))
    for row in [*CALLS, *(f"signal at {call}" for call in SIGNALLED)]:
        cells = ["{} ({})".format(*matrix[c][row]) if row in matrix[c] else "" for c in commands]
        if any(cells):
            print(f"{row:20}" + "".join(f"{cell:>14}" for cell in cells))
    counts = [count for rows in matrix.values() for count in rows.values()]
    print(f"{sum(tried for tried, _ in counts)} faults, {sum(refused for _, refused in counts)} of which ended the command"
          f" with an error; {len(failures)} wrong")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
