#!/usr/bin/env python3
"""Counts the functions and files of EvenCube that one task passes, from its spawn to the wake-up of the waiter.

One task spawns another one on worker 0 while worker 1 sleeps. Worker 1 is rung and takes the task. Worker 0 waits, falls asleep
and is rung when the task has ended. The library is compiled without optimisation, so that nothing is inlined, and callgrind lists
the functions that ran meanwhile on both workers. A function that is written on one line, such as one that only returns a member,
does not count, and neither does a function of another library. Several instances of a template are one function, and a lambda is
part of the function that has it.

Needs cmake, g++ and valgrind. Compiles the library below FOLDER, which takes minutes.

usage: task_path.py ROOT FOLDER          prints the counts of the clone ROOT
       task_path.py ROOT FOLDER --list   prints each file with its functions, too
"""

import pathlib
import re
import subprocess
import sys

PROGRAM = """
#include <atomic>
#include <chrono>
#include <thread>
#include <valgrind/callgrind.h>
#include <evencube/runtime.hpp>
#include <evencube/task_group.hpp>

int main() {
  evencube::runtime rt({.workers = 2});
  rt.run([&] {
    evencube::task_group group(rt);
    std::atomic<bool> begun{false};
    while (rt.stats().workers[1].parks == 0) std::this_thread::yield();
    CALLGRIND_ZERO_STATS;
    group.spawn([&] {
      begun.store(true);
      std::this_thread::sleep_for(std::chrono::seconds(1));  // until worker 0 sleeps
    });
    while (!begun.load()) std::this_thread::yield();
    group.wait();
    CALLGRIND_DUMP_STATS;
  });
}
"""

PROJECT = """cmake_minimum_required(VERSION 3.25)
project(task_path LANGUAGES CXX)
set(CMAKE_CXX_STANDARD 20)
add_subdirectory({root} evencube EXCLUDE_FROM_ALL)
add_executable(task_path task_path.cpp)
target_link_libraries(task_path PRIVATE evencube_runtime)
"""


def run(*command, cwd=None):
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(map(str, command))}: exit status {done.returncode}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


def measured(root, folder):
    """The dumps of callgrind."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "CMakeLists.txt").write_text(PROJECT.replace("{root}", str(root)), encoding="utf-8")
    (folder / "task_path.cpp").write_text(PROGRAM, encoding="utf-8")
    run("cmake", "-S", folder, "-B", folder / "build", "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS=-O0 -g")
    run("ninja", "-C", folder / "build", "-j2", "task_path")
    for old in folder.glob("calls*"):
        old.unlink()
    run("valgrind", "--tool=callgrind", "--compress-strings=no", "--compress-pos=no", "--callgrind-out-file=calls",
        folder / "build/task_path", cwd=folder)
    dumps = sorted(folder.glob("calls.1*"))
    if not dumps:
        sys.exit(f"{folder}: callgrind has left no dump of the path")
    return [dump.read_text(encoding="utf-8") for dump in dumps]


def plain(name):
    """A function's name without parameters, arguments of templates, and the lambdas in it."""
    name = re.sub(r"'\d+$", "", name).replace("operator()", "call")
    while (shorter := re.sub(r"\{lambda\([^{}]*\)#\d+\}", "lambda", name)) != name:
        name = shorter
    while (shorter := re.sub(r"<[^<>]*>", "", re.sub(r"\([^()]*\)", "", name))) != name:
        name = shorter
    return name.split("::lambda")[0].split(" const")[0].split(" ")[-1]


def functions(dump):
    """Each function of the dump, as a pair of its file and its name, with the lines of its own file that it ran."""
    found, file, here, function, called = {}, None, None, None, False
    for line in dump.splitlines():
        kind, _, value = line.partition("=")
        if kind == "fl":
            file = here = value
        elif kind in ("fi", "fe"):
            here = value
        elif kind == "fn":
            function, here = value, file
        elif kind == "calls":
            called = True  # the next line has the cost of the call, not of a line
        elif line[:1].isdigit() and function is not None:
            if not called and here == file:
                found.setdefault((file, plain(function)), set()).add(int(line.split()[0]))
            called = False
    return found


def path_of(dumps, root):
    """Each file of the clone with the functions of more than one line that ran."""
    lines = {}
    for dump in dumps:
        for key, ran in functions(dump).items():
            lines.setdefault(key, set()).update(ran)
    path = {}
    for (file, function), ran in lines.items():
        if len(ran) > 1 and file.startswith(f"{root}/") and "evencube::" in function:
            path.setdefault(file[len(str(root)) + 1:], set()).add(function)
    return path


def main():
    if len(sys.argv) not in (3, 4) or (len(sys.argv) == 4 and sys.argv[3] != "--list"):
        sys.exit(__doc__)
    root, folder = pathlib.Path(sys.argv[1]).resolve(), pathlib.Path(sys.argv[2]).resolve()
    path = path_of(measured(root, folder), root)
    if len(sys.argv) == 4:
        for file in sorted(path):
            print(f"{file}: {', '.join(sorted(path[file]))}")
    print(f"{sum(map(len, path.values()))} functions in {len(path)} files")


if __name__ == "__main__":
    main()
