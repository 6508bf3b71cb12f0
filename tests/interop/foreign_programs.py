"""Programs that were written for oneTBB, from copies of their repositories: each is built on oneTBB and on EvenCube, and what
they print is compared. Some get a main function from tests/interop/foreign/programs. oneTBB is Debian's (libtbb-dev)."""

import os
import shlex
import subprocess
from dataclasses import dataclass

from foreign_build import AS_TBB, OURS, ROOT, error_text, failure_of, libraries_of, searched, tasks_run

MAINS = ROOT / "tests/interop/foreign/programs"


class Failed(Exception):
    """What a compiler or a program said."""


@dataclass(frozen=True)
class Program:
    name: str
    known_by: str
    sources: tuple = ()  # of the copy
    main: str = ""       # of MAINS
    flags: tuple = ()
    # Where it is built by its own CMake files: the options for that.
    cmake: tuple = ()
    # What is run, if it is not the program with these arguments.
    command: str = "{program}"
    arguments: tuple = ()
    remark: str = ""


# A linker links this project's libraries, and the file that it makes is printed.
LINK = ("ln -sf {program} {folder}/ld.mold && g++ -B{folder} -fuse-ld=mold -shared -Wl,--no-fork,--no-quick-exit,--whole-archive "
        "{build}/runtime/libevencube_runtime.a {build}/balancers/libevencube_balancers.a -Wl,--no-whole-archive -lhwloc "
        "-o {folder}/linked.so && sha256sum < {folder}/linked.so")

PROGRAMS = (
    Program("BLAKE3", "c/blake3_tbb.cpp",
            ("c/blake3.c", "c/blake3_dispatch.c", "c/blake3_portable.c", "c/blake3_tbb.cpp", "c/example_tbb.c"),
            flags=("-DBLAKE3_USE_TBB", "-DBLAKE3_NO_SSE2", "-DBLAKE3_NO_SSE41", "-DBLAKE3_NO_AVX2", "-DBLAKE3_NO_AVX512",
                   "-DTBB_USE_EXCEPTIONS=0"),
            arguments=("{data}",), remark="its example hashes 64 MiB; compiled with exceptions, which EvenCube needs"),
    Program("embree", "common/tasking/taskschedulertbb.cpp",
            ("common/tasking/taskschedulertbb.cpp", *(f"common/sys/{name}.cpp" for name in (
                "sysinfo", "alloc", "thread", "estring", "mutex", "condition", "barrier", "regression"))),
            main="embree_algorithms.cpp", flags=("-DTASKING_TBB", "-msse4.2", "-I{copy}"),
            remark="its tasking, called through ten of its algorithms"),
    Program("small_gicp", "include/small_gicp/registration/reduction_tbb.hpp", main="small_gicp_registration.cpp",
            flags=("-I{copy}/include", "-I/usr/include/eigen3"), arguments=("{copy}/data",),
            remark="registers its two clouds of points"),
    Program("mold", "src/mold.h",
            cmake=("-DMOLD_TARGETS=X86_64", "-DMOLD_USE_SYSTEM_TBB=ON", "-DMOLD_USE_MIMALLOC=OFF", "-DBUILD_TESTING=OFF"),
            command=LINK, remark="links this project's libraries; its containers are oneTBB's; compiled with exceptions"),
    Program("Taskflow", "benchmarks/primes/tbb.cpp", ("benchmarks/primes/tbb.cpp",), main="taskflow_primes.cpp",
            remark="the primes of its benchmarks, in their version for oneTBB"),
)


def program_of(copy):
    """The program of which the folder is a copy, or None."""
    return next((program for program in PROGRAMS if (copy / program.known_by).is_file()), None)


def compile_it(*command):
    error = failure_of(*command)
    if error:
        raise Failed(f'"{error_text(error)}"')


def run(command, words, seconds):
    # EvenCube's statistics tell whether it ran anything.
    try:
        return subprocess.run(["sh", "-c", f'{command} "$@"', "sh", *words], capture_output=True, text=True, check=False,
                              timeout=seconds, env={**os.environ, "EVENCUBE_STATS": "1"})
    except subprocess.TimeoutExpired:
        raise Failed(f"it has not ended after {seconds} s") from None


def built_by_cmake(program, copy, options, folder):
    compile_it("cmake", "-S", copy, "-B", folder, "-DCMAKE_BUILD_TYPE=Release", *program.cmake, *options)
    compile_it("cmake", "--build", folder, "--parallel")
    return folder / program.name


def built(program, copy, compiler, searched_first, libraries, folder):
    folder.mkdir(parents=True, exist_ok=True)
    flags = [flag.format(copy=copy) for flag in program.flags]
    objects = []
    for source in [copy / source for source in program.sources] + ([MAINS / program.main] if program.main else []):
        language = ["gcc", "-std=c11"] if source.suffix == ".c" else [compiler, "-std=c++20", *searched(searched_first)]
        objects.append(folder / f"{source.name}.o")
        compile_it(*language, "-O2", "-w", "-pthread", *flags, "-c", source, "-o", objects[-1])
    compile_it(compiler, "-pthread", *objects, "-o", folder / "program", *libraries)
    return folder / "program"


def outcome(program, copy, build, seconds, compiler):
    """What a table says of it."""
    build = build.resolve()
    folder = build / "foreign"
    data = folder / "data"
    if any("{data}" in word for word in program.arguments):
        data.write_bytes(bytes(range(251)) * (64 * 1024 * 1024 // 251))
    words = [word.format(copy=copy, data=data) for word in program.arguments]
    said = []
    as_package = [f"-DTBB_DIR={ROOT / 'tests/interop/foreign/cmake'}", f"-DEVENCUBE_BUILD={build}"]
    for library, options, searched_first, libraries in (
            ("oneTBB", [], [], ["-ltbb", "-ltbbmalloc"]),
            ("EvenCube", as_package, [AS_TBB, *OURS, build / "generated"], libraries_of(build))):
        here = folder / program.name / library
        try:
            if program.cmake:
                made = built_by_cmake(program, copy, [f"-DCMAKE_CXX_COMPILER={compiler}", *options], here)
            else:
                made = built(program, copy, compiler, searched_first, libraries, here)
            command = program.command.format(**{name: shlex.quote(str(path)) for name, path in (
                ("program", made), ("folder", here), ("build", build))})
            done = run(command, words, seconds)
        except Failed as problem:
            return f"no: on {library}, {problem}"
        if done.returncode != 0:
            return f"no: on {library}, it ends with status {done.returncode}"
        said.append(done.stdout)
    if said[0] != said[1]:
        return "no: it prints something else"
    ran = tasks_run(done.stderr)
    return f"yes, by {ran} tasks" if ran else "no: EvenCube ran nothing of it"
