#!/usr/bin/env python3
"""Fails the system calls of evencube, one at a time, and looks what becomes of it: it ends soon, with a result or with a
sentence that names the file and the reason; what was there before is whole; nothing is left behind.

usage: injection_test.py PROGRAM [--all] [--only COMMAND[:CALL]]

strace does the failing. Every call of main and what comes after it may fail; a few of each kind are tried, with --all
every one. Prints how often each call was tried in each command and how often the program ended with an error for it.
Exit status 77 where nobody may trace processes here."""

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

PROGRAM = ""
DEADLINE = 120  # seconds for one command, traced, on a busy machine
FEW = 3        # of each call are tried unless all are

OLD = b"what was there before\n"

COMMANDS = {
    "run": "run edges --size 96 --tile 32 --workers 2 --output o.png --trace o.trace",
    "picture": "run edges --input in.png --workers 2 --no-verify --json",
    "whatif": "whatif in.trace --balancer oem --json",
    "trace": "trace in.trace --perfetto o.json --html o.html --json",
    "reproduce": "reproduce loh-table-1 --no-plots --output r --page page.md",
    "simulate": "simulate batch --topology cube:4 --replications 2 --threads 2",
    "speedup": "speedup edges --size 96 --tile 32 --workers 1,2 --repeat 1 --plot o.svg",
}

# What may fail and how. Some of these the C library asks for on its own account, too.
CALLS = {
    "openat": errno.EMFILE, "read": errno.EIO, "write": errno.ENOSPC, "fsync": errno.EIO, "close": errno.EIO,
    "rename": errno.EACCES, "renameat2": errno.EIO, "linkat": errno.EDQUOT, "mkdir": errno.EDQUOT, "fchmod": errno.EPERM,
    "chmod": errno.EPERM, "newfstatat": errno.EACCES, "readlink": errno.EIO, "getdents64": errno.EIO,
    "faccessat2": errno.EACCES, "access": errno.ENOENT, "mmap": errno.ENOMEM, "munmap": errno.ENOMEM,
    "mprotect": errno.ENOMEM, "clone3": errno.EAGAIN, "sched_setaffinity": errno.EPERM,
    "sched_getaffinity": errno.EPERM, "prctl": errno.EPERM, "ioctl": errno.EIO,
    "getcwd": errno.ENOENT, "unlink": errno.EIO, "rmdir": errno.EIO, "lseek": errno.EIO, "fcntl": errno.EIO,
}
# Where the program ends with an error for one of these, it has to say the system's reason.
TOLD = ("write", "fsync", "close", "rename", "renameat2", "linkat", "mkdir", "fchmod", "chmod")

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
        for name in ("r/papers.md", "r/loh-table-1/networks.csv", "r/loh-table-1/notes.txt"):
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
    arguments = ["strace", "-f", "-qq", "-o", os.fspath(place.path.with_suffix(".log")), *options, PROGRAM,
                 *COMMANDS[command].split()]
    settings = {name: value for name, value in os.environ.items() if name != "EVENCUBE_WORKERS"}
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
    """call -> (how many the loader makes before main, how many the first thread makes in all)."""
    with Place(inputs) as place:
        result = traced(place, command, "-e", "trace=" + ",".join(CALLS))
        if result is None or result.returncode != 0:
            raise SystemExit(f"{command} fails by itself: {result and result.stderr.decode()}")
        log = place.path.with_suffix(".log")
        lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
        log.unlink()
        reference = place.files()
    first = lines[0].split()[0]
    counts = {call: [0, 0] for call in CALLS}
    in_main = False
    for line in lines:
        pid, _, rest = line.partition(" ")
        in_main = in_main or MAIN.search(rest) is not None
        match = re.match(r"(\w+)\(", rest.strip())
        if pid != first or match is None or match[1] not in counts:
            continue
        counts[match[1]][1] += 1
        if not in_main:
            counts[match[1]][0] += 1
    return counts, reference


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
            if command == "speedup" and name == "o.svg" and not whole_picture(content):
                return f"{name} was not written"
        for name in ("o.png", "o.json", "o.html", "r/loh-table-1/networks.csv"):
            if name in reference and reference[name] != OLD and after.get(name) != reference[name]:
                return f"{name} was not written"
    else:
        if not text.startswith("evencube: ") or text.count("\n") > 2:
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
    if left and call not in ("unlink", "rmdir", "getdents64"):
        return f"left behind: {left}"
    return None


def attempt(inputs, command, call, number, reference):
    with Place(inputs) as place:
        before = place.files()
        result = traced(place, command, "-e", f"trace={call}", "-e",
                        f"inject={call}:error={errno.errorcode[CALLS[call]]}:when={number}")
        found = wrong(command, call, result, before, place.files(), reference)
        place.path.with_suffix(".log").unlink(missing_ok=True)
        return found, result is not None and result.returncode != 0


def stopped(inputs, command, call, number, name, reference, without_tmpfile):
    """A signal at the moment of a call: as if the call had never been, or all was well; nothing stays behind."""
    options = ["-e", f"trace={call},access", "-e", f"inject={call}:signal={name}:when={number}"]
    if without_tmpfile:  # a file system that has no files without names: every opening of one fails
        options += ["-e", f"inject=access:error=ENOENT:when={without_tmpfile}+"]
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
    if shutil.which("strace") is None:
        return False
    result = subprocess.run(["strace", "-qq", "-o", "/dev/null", "true"], capture_output=True, check=False)
    return result.returncode == 0


def main():
    global PROGRAM
    PROGRAM = os.path.abspath(sys.argv[1])
    all_of_them = "--all" in sys.argv
    only = sys.argv[sys.argv.index("--only") + 1].split(":") if "--only" in sys.argv else []
    if not may_trace():
        print("no process may be traced here")
        return 77
    inputs = inputs_of()
    jobs = []
    for command in COMMANDS:
        if only and only[0] != command:
            continue
        counts, reference = calls_of(inputs, command)
        for call, (loading, total) in counts.items():
            if len(only) > 1 and only[1] != call:
                continue
            for number in some(loading + 1, total, all_of_them):
                jobs.append((command, call, f"{number}th fails", attempt, (inputs, command, call, number, reference)))
        if command not in ("run", "reproduce") or len(only) > 1:
            continue
        # Looks for /proc/self/fd, of which only files without names have need.
        probing = counts["access"][0] + 1
        for call in ("write", "fsync", "linkat", "rename", "renameat2", "fchmod"):
            loading, total = counts[call]
            for number in some(loading + 1, total, all_of_them):
                for without in (0, probing):
                    names = ("SIGINT", "SIGTERM", "SIGHUP")
                    for name in names if all_of_them else (names[len(jobs) % 3],):  # otherwise they take turns
                        jobs.append((command, call, f"{name} at the {number}th", stopped,
                                     (inputs, command, call, number, name, reference, without)))
    tried, refused, failures = {}, {}, []
    with concurrent.futures.ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        running = [(job, pool.submit(job[3], *job[4])) for job in jobs]
        for (command, call, what, kind, _), future in running:
            result = future.result()
            found, ended = result if kind is attempt else (result, False)
            key = (call if kind is attempt else "signals", command)
            tried[key] = tried.get(key, 0) + 1
            refused[key] = refused.get(key, 0) + ended
            if found:
                failures.append(f"{command}, {call}: {what}: {found}")
    print(f"{'call':20}" + "".join(f"{command:>14}" for command in COMMANDS))
    for call in [*CALLS, "signals"]:
        cells = [f"{tried[call, c]} ({refused[call, c]})" if (call, c) in tried else "" for c in COMMANDS]
        if any(cells):
            print(f"{call:20}" + "".join(f"{cell:>14}" for cell in cells))
    print(f"{sum(tried.values())} faults, {sum(refused.values())} of which ended the command with an error")
    for failure in failures:
        print("FAILED:", failure)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
