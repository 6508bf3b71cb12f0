"""A folder with the programs and every library that they need, for machines on which nothing is to be installed."""

import json
import os
import re
import shutil
import subprocess

import curve
import machine

LOADER = "ld-linux-x86-64.so.2"
NEEDED = re.compile(r"^\s*(\S+) (?:=> (\S+) )?\(0x", re.MULTILINE)
MISSING = re.compile(r"^\s*(\S+) => not found", re.MULTILINE)
# The command line loads it where it multiplies matrices, and does without it elsewhere.
LOADED_LATER = "libopenblas.so.0"

WRAPPER = """#!/bin/sh
# With the libraries that lie here, whatever is installed.
here={folder}
exec "$here/lib/{loader}" --library-path "$here/lib" "$here/programs/{name}" "$@"
"""

MEASURE = """#!/bin/sh
# All benchmarks, on 1, 2, 4, ... and all CPUs; what is given here goes to the driver, see --help.
here=${0%/*}
exec python3 -B "$here/scripts/run" --build "$here" --workers doubling --json "$here/results.json" "$@"
"""

CURVE = """#!/bin/sh
# Some benchmarks on 1, 2, 4, ... and all CPUs, in 8 minutes, as a file of results and a picture; see --help.
here=${0%/*}
exec python3 -B "$here/scripts/run" --build "$here" curve --output "$here" "$@"
"""

README = """EvenCube's benchmarks and its command line, with all the libraries that they need. For x86-64 Linux; nothing is to be
installed. Built from commit {commit} by {compiler} with {flags}.

./curve                      fork-join, phases, skewed loops, rounds, matmul and edges next to oneTBB and OpenMP, on 1, 2, 4, ...
                             and all CPUs, in 8 minutes; writes curve.json and curve.svg. Needs Python (3.9 or later), as
                             ./measure does
./measure                    all benchmarks that are here, as long as it takes; writes results.json. ./measure --help says
                             what else it takes
./evencube speedup edges     how fast a workload gets on more and more workers, next to the machine's own limit
./evencube --help            everything else
./bench/fib_evencube --help  one benchmark alone

Where the results came from: bench/run --compare results.json OTHER.json, in a clone of EvenCube.
"""


class CannotPack(Exception):
    """Why not."""


def needed_by(program):
    """The files of the libraries that a program or library needs, and those in turn, by the name that is asked for."""
    done = subprocess.run(["ldd", program], capture_output=True, text=True, check=False)
    if "not a dynamic executable" in done.stderr:
        return {}
    if done.returncode != 0:
        raise CannotPack(f"{program}: {done.stderr.strip()}")
    missing = MISSING.findall(done.stdout)
    if missing:
        raise CannotPack(f"{program} needs {missing[0]}, which is not found")
    files = {}
    for name, path in NEEDED.findall(done.stdout):
        path = path or name
        if os.path.isabs(path):  # not the kernel's own
            files[os.path.basename(name)] = path
    return files


def loaded_later():
    """The file of that library, or None where it is not installed."""
    done = subprocess.run(["ldconfig", "-p"], capture_output=True, text=True, check=False,
                          env={**os.environ, "PATH": os.environ.get("PATH", "") + ":/sbin:/usr/sbin"})
    found = re.search(rf"^\s*{re.escape(LOADED_LATER)} .*x86-64.* => (\S+)$", done.stdout, re.MULTILINE)
    return found.group(1) if found else None


def programs_of(build, of_curve):
    """What is packed: the benchmarks that were built, or those that the curves need, and the command line."""
    folder = os.path.join(build, "bench")
    if not os.path.isdir(folder):
        raise CannotPack(f"nothing is built in {folder}")
    found = {}
    for name in sorted(os.listdir(folder)):
        path = os.path.join(folder, name)
        if os.path.isfile(path) and os.access(path, os.X_OK) and (not of_curve or name in curve.programs()):
            found[os.path.join("bench", name)] = path
    evencube = os.path.join(build, "evencube")
    if not os.path.exists(evencube):
        raise CannotPack(f"{evencube} is not built")
    found["evencube"] = evencube
    return found


def write_script(path, text):
    with open(path, "w", encoding="utf-8") as out:
        out.write(text)
    os.chmod(path, 0o755)


def strip(program):
    """Without the names of its functions, where a tool for that is installed."""
    tool = shutil.which("strip")
    if tool:
        subprocess.run([tool, program], check=False, capture_output=True)


def mebibytes_of(folder):
    return sum(os.path.getsize(os.path.join(place, name)) for place, _, names in os.walk(folder) for name in names) / 2 ** 20


def fill(folder, build, of_curve):
    programs = programs_of(build, of_curve)
    libraries = {}
    for path in programs.values():
        libraries.update(needed_by(path))
    if LOADER not in libraries:
        raise CannotPack("these are no programs for x86-64 Linux")
    later = loaded_later()
    if later and not of_curve:
        libraries.update({LOADED_LATER: later, **needed_by(later)})
    for inner in ("bench", "lib", "programs", "scripts"):
        os.makedirs(os.path.join(folder, inner))
    for name, path in libraries.items():
        shutil.copy(os.path.realpath(path), os.path.join(folder, "lib", name))
    for place, path in programs.items():
        name = os.path.basename(place)
        shutil.copy(path, os.path.join(folder, "programs", name))
        strip(os.path.join(folder, "programs", name))
        up = "${0%/*}/.." if os.path.dirname(place) else "${0%/*}"
        write_script(os.path.join(folder, place), WRAPPER.format(folder=up, loader=LOADER, name=name))
    here = os.path.dirname(os.path.dirname(os.path.realpath(__file__)))
    shutil.copy(os.path.join(here, "run"), os.path.join(folder, "scripts", "run"))
    shutil.copytree(os.path.join(here, "driver"), os.path.join(folder, "scripts", "driver"),
                    ignore=shutil.ignore_patterns("__pycache__"))
    about = machine.describe_build(build)
    with open(os.path.join(folder, machine.ABOUT), "w", encoding="utf-8") as out:
        json.dump(about, out, indent=1)
        out.write("\n")
    write_script(os.path.join(folder, "measure"), MEASURE)
    write_script(os.path.join(folder, "curve"), CURVE)
    with open(os.path.join(folder, "README.txt"), "w", encoding="utf-8") as out:
        out.write(README.format(**about))
    return len(programs), len(libraries)


def pack(folder, build, of_curve=False):
    """Fills `folder`, which must not exist. Gives the numbers of programs and libraries and the size in MiB; throws
    CannotPack, and leaves nothing then."""
    if os.path.exists(folder):
        raise CannotPack(f"{folder} is there already")
    part = folder.rstrip("/") + ".part"
    shutil.rmtree(part, ignore_errors=True)
    try:
        os.makedirs(part)
        counts = fill(part, build, of_curve)
        mebibytes = mebibytes_of(part)
        if of_curve and mebibytes > curve.MOST_MEBIBYTES:
            raise CannotPack(f"{folder} would have {mebibytes:.0f} MiB; at most {curve.MOST_MEBIBYTES} are allowed")
        os.rename(part, folder)
    except OSError as problem:
        raise CannotPack(str(problem)) from problem
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return (*counts, mebibytes)
