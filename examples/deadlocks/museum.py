#!/usr/bin/env python3
"""Runs the museum of deadlocks: EvenCube's programs and their twins on other libraries, each under a deadline.

usage: museum.py BUILD [--compiler CXX] [--seconds N] [--rounds N] [--tbb FOLDER] [--taskflow FOLDER] [--stdexec FOLDER]

BUILD is where EvenCube and its examples were built. The twins are compiled here, for each library whose headers are found, as
Debian has them or in the folders given: oneTBB installed (`include/` and `lib/`), the headers of Taskflow (`taskflow/`) and of
stdexec (`stdexec/`). A program that has not ended after some seconds (5), in one of some rounds (5), hangs and is killed. Exit
status 1 if one of EvenCube's does not end."""

import argparse
import os
import pathlib
import re
import signal
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
LIBRARIES = ("evencube", "tbb", "openmp", "taskflow", "stdexec")


def version(compiler, flags, header, macros):
    """The values of the macros after the header, joined by dots; None where the header is not found."""
    text = f"#include <{header}>\nVERSION " + " ".join(macros) + "\n"
    done = subprocess.run([compiler, "-std=c++20", *flags, "-E", "-P", "-x", "c++", "-"], input=text, capture_output=True,
                          text=True, check=False)
    found = re.search(r"^VERSION ?(.*)$", done.stdout, re.MULTILINE)
    if done.returncode != 0 or not found:
        return None
    return ".".join(word.strip("()") for word in found.group(1).split())


def run(command, seconds):
    """'ends', 'HANGS', or how it failed."""
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True) as child:
        try:
            status = child.wait(timeout=seconds)
        except subprocess.TimeoutExpired:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            return "HANGS"
    return "ends" if status == 0 else f"fails ({status})"


def worst(command, options):
    result = "ends"
    for _ in range(options.rounds):
        result = run(command, options.seconds)
        if result != "ends":
            break
    return result


def compile_twin(source, flags, options, folder):
    program = folder / source.stem
    done = subprocess.run([options.compiler, "-std=c++20", "-O1", "-w", "-pthread", source, "-o", program, *flags],
                          capture_output=True, text=True, check=False)
    if done.returncode != 0:
        print(f"{source.name} does not compile:\n{done.stderr[:1000]}", file=sys.stderr)
        return None
    return program


def main():
    parser = argparse.ArgumentParser(description="the museum of deadlocks")
    parser.add_argument("build", type=pathlib.Path)
    parser.add_argument("--compiler", default="g++")
    parser.add_argument("--seconds", type=float, default=5)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--tbb", type=pathlib.Path)
    parser.add_argument("--taskflow", type=pathlib.Path)
    parser.add_argument("--stdexec", type=pathlib.Path)
    options = parser.parse_args()
    own = options.build / "examples" / "deadlocks" / "example_deadlocks"
    if not own.exists():
        sys.exit(f"{own} is not built")
    folder = options.build / "museum"
    folder.mkdir(exist_ok=True)

    flags = {"tbb": ["-ltbb"], "openmp": ["-fopenmp"], "taskflow": [], "stdexec": []}
    if options.tbb:
        libraries = options.tbb.resolve() / "lib"
        flags["tbb"] = ["-isystem", str(options.tbb / "include"), f"-L{libraries}", f"-Wl,-rpath,{libraries}", "-ltbb"]
    for name in ("taskflow", "stdexec"):
        if getattr(options, name):
            flags[name] = ["-isystem", str(getattr(options, name))]
    headers = {"tbb": ("oneapi/tbb/version.h", ("TBB_VERSION_MAJOR", "TBB_VERSION_MINOR")),
               "openmp": ("omp.h", ("_OPENMP", "__VERSION__")), "taskflow": ("taskflow/taskflow.hpp", ("TF_VERSION",)),
               "stdexec": ("stdexec/execution.hpp", ())}
    versions = {name: version(options.compiler, flags[name], *headers[name]) for name in headers}

    names = sorted(path.stem for path in HERE.glob("*.cpp") if path.stem != "main")
    shown = ["evencube", *(name for name in LIBRARIES[1:] if versions[name] is not None)]
    width = max(map(len, names))
    print(f"{'':{width}}  " + "  ".join(f"{name:10}" for name in shown))
    failed = False
    for name in names:
        results = [worst([own, name], options)]
        failed |= results[0] != "ends"
        for library in shown[1:]:
            source = HERE / "others" / f"{name}.{library}.cpp"
            program = compile_twin(source, flags[library], options, folder) if source.exists() else None
            results.append(worst([program], options) if program else "-")
        print(f"{name:{width}}  " + "  ".join(f"{result:10}" for result in results), flush=True)
    for library in LIBRARIES[1:]:
        said = versions[library]
        print(f"{library}: " + ("not found" if said is None else said.replace('"', "") or "a copy without a version"))
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
