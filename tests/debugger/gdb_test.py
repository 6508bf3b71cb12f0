#!/usr/bin/env python3
"""What packaging/gdb/evencube.py lets gdb show of a program whose workers are busy or asleep.

usage: gdb_test.py PROGRAM SCRIPT       PROGRAM: made of hung.cpp

Skipped (77) where there is no gdb, or where it may trace no process.
"""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile


def gdb(*words, program):
    said = subprocess.run(["gdb", "--batch", "--nx", "-iex", "set debuginfod enabled off", "-iex", "set auto-load no",
                           *words, program], capture_output=True, text=True, check=False, timeout=240)
    return said.stdout + said.stderr


def commands(*lines):
    return [word for line in lines for word in ("-ex", line)]


def check(found, *patterns):
    for pattern in patterns:
        if not re.search(pattern, found, re.MULTILINE):
            sys.exit(f"gdb does not say '{pattern}':\n{found}")


def main():
    program, script = sys.argv[1:3]
    if shutil.which("gdb") is None:
        print("skipped: there is no gdb here")
        sys.exit(77)
    if "python" not in gdb("-ex", "python print('py' + 'thon')", program=program):
        print("skipped: this gdb has no Python")
        sys.exit(77)
    begin = commands(f"source {script}")
    check(gdb(*begin, *commands("evencube workers"), program=program), "evencube workers: needs a process")
    with tempfile.TemporaryDirectory() as folder:
        core = pathlib.Path(folder, "core")
        stopped = commands("set pagination off", "set width 0", "break look_here", "run")
        shown = commands("print group", "print stopped", "print ready", "print thrown", "print runs", "print later",
                         "print none", "print rt")
        found = gdb(*begin, *stopped, *shown, *commands("evencube workers", "evencube workers all", f"generate-core-file {core}",
                                                        "continue"), program=program)
        if "Breakpoint 1, look_here" not in found:
            if re.search(r"ptrace|[Cc]ould not trace|personality|not permitted", found):
                print(f"skipped: gdb may trace no process here:\n{found}")
                sys.exit(77)
            sys.exit(f"gdb does not stop:\n{found}")
        printed = (r"= evencube::task_group: 4 tasks not ended, made outside of tasks$",
                   r"= evencube::task_group: 0 tasks not ended, made outside of tasks, stopped$",
                   r"= evencube::future<int>: ended$", r"= evencube::future<int>: ended by an exception$",
                   r"= evencube::future<void>: its task runs", r"= evencube::future<int>: its task is queued$",
                   r"= evencube::future<int>: none; taken, moved from or empty$",
                   r"= evencube::runtime, engine at 0x[0-9a-f]+ \(see: evencube workers\)$")
        check(found, *printed, r"^runtime \d+:$", r"^worker 0: busy yes", r"^worker 1: busy yes",
              r"^evencube workers: takes no argument, but got: all", r"exited normally")
        if "cannot call" in found:
            sys.exit(f"gdb could not call the program's function:\n{found}")
        # A core file has no function that could be called, but memory that can be read.
        if core.exists():
            check(gdb(*begin, *commands("set width 0", f"core-file {core}"), *shown, *commands("evencube workers"),
                      program=program), *printed, r"a core file has none")


if __name__ == "__main__":
    main()
