#!/usr/bin/env python3
"""Builds and runs the README's program in a user's project, by one of four routes; or the examples, each copied out.

usage: consumer_test.py ROUTE SOURCE_FOLDER BUILD_FOLDER CXX
ROUTE: find_package | shared | add_subdirectory | pkg_config | examples

find_package uses the static libraries of BUILD_FOLDER. shared builds the others, compares what they export with
packaging/abi, and installs them beside the static ones, of which clients then choose. pkg_config has the static ones.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "repository"))

import readme  # noqa: E402


# They include headers of libraries that may not be here, or are of one that is not built for strangers here.
FOREIGN = {"evencube/interop/beman_execution.hpp", "evencube/interop/eigen.hpp", "evencube/interop/opencv.hpp",
           "evencube/interop/stdexec.hpp", "evencube/interop/trace_of.hpp"}


def run(*command, **settings):
    print("+", *command, flush=True)
    subprocess.run([str(word) for word in command], check=True, **settings)


def install(build, prefix):
    shutil.rmtree(prefix, ignore_errors=True)
    run("cmake", "--install", build, "--prefix", prefix, stdout=subprocess.DEVNULL)


def named_version(source):
    return re.search(r"VERSION (\d+\.\d+\.\d+)", (source / "CMakeLists.txt").read_text(encoding="utf-8")).group(1)


def build_with_cmake(project, folder, program, compiler, *settings):
    run("cmake", "-G", "Ninja", "-S", project, "-B", folder, f"-DPROGRAM={program}", f"-DCMAKE_CXX_COMPILER={compiler}",
        "-DCMAKE_BUILD_TYPE=Release", *settings)
    run("cmake", "--build", folder)


def named_libraries(prefix, source):
    """The program is told where the library it names is; that one finds the others by itself."""
    named = {path.name for path in prefix.rglob("*.so.*")}
    version = ".".join(named_version(source).split(".")[:2])
    for library in ("balancers", "runtime", "trace", "simulator"):
        if f"libevencube_{library}.so.{version}" not in named:
            sys.exit(f"no libevencube_{library}.so.{version} among {sorted(named)}")


def kind_of(program):
    needed = subprocess.run(["readelf", "-d", program], check=True, capture_output=True, text=True).stdout
    return "shared" if "libevencube_" in needed else "static"


def check_page(program):
    """A program that links EvenCube::pages writes the page of its run, and Perfetto's file."""
    for ending, begin in (("html", "<!DOCTYPE html>"), ("json", "{")):
        file = program.parent / f"run.{ending}"
        run(program, env={**os.environ, "EVENCUBE_TRACE": str(file)}, timeout=60, stdout=subprocess.DEVNULL)
        if not file.read_text(encoding="utf-8").startswith(begin):
            sys.exit(f"{file} does not begin with {begin}")


def check_exports(folder, compiler, prefix):
    """Whatever the code of the headers calls is exported: all of it is compiled, called or not, and linked."""
    if "clang" in pathlib.Path(compiler).name:
        return  # which has no such option
    include = prefix / "include"
    names = [path.relative_to(include).as_posix() for path in sorted((include / "evencube").rglob("*.hpp"))]
    names = [name for name in names if name not in FOREIGN and not name.startswith("evencube/cluster")]
    text = "".join(f"#include <{name}>\n" for name in names)
    made = "".join(f"template class {name}<std_policy>;\n" for name in ("basic_worker", "basic_group", "basic_future_core"))
    source = folder / "everything.cpp"
    source.write_text(f"{text}namespace evencube::detail {{\n{made}}}\nint main() {{}}\n", encoding="utf-8")
    libraries = next(path.parent for path in prefix.rglob("libevencube_runtime.so"))
    said = subprocess.run([compiler, "-std=c++20", "-fkeep-inline-functions", "-DEVENCUBE_SHARED", f"-I{include}", source, "-o",
                           folder / "everything", f"-L{libraries}", "-levencube_simulator", "-levencube_trace",
                           "-levencube_runtime", "-levencube_balancers", f"-Wl,-rpath-link,{libraries}"],
                          check=False, capture_output=True, text=True).stderr
    # Inline functions of the C++ library are kept, too, and call what it does not export.
    missing = sorted(set(re.findall(r"undefined reference to `(evencube::.*)'", said)))
    if missing or re.search(r"^(?!collect2).*error:", said, re.MULTILINE):
        sys.exit("headers call what is not marked with EVENCUBE_EXPORT:\n" + ("\n".join(missing) or said))


def check_kinds(project, folder, program, compiler, prefix):
    """Both kinds stand in the prefix: the shared ones are taken unless static ones are asked for; not both."""
    for kind in ("shared", "static"):
        # Without optimising functions are called that are inlined else.
        build_with_cmake(project, folder / kind, program, compiler, f"-DCMAKE_PREFIX_PATH={prefix}", f"-DKIND={kind}",
                         "-DCMAKE_BUILD_TYPE=Debug")
        for name in ("consumer", "algorithms", "replayed", "paged"):
            run(folder / kind / name, timeout=60, stdout=subprocess.DEVNULL)
            if kind_of(folder / kind / name) != kind:
                sys.exit(f"{name} was asked to be {kind} and is not")
        check_page(folder / kind / "paged")
    refused("already", "cmake", "-G", "Ninja", "-S", project, "-B", folder / "both", f"-DPROGRAM={program}",
            f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={prefix}", "-DKIND=shared", "-DTHEN=static")


def refused(why, *command, **settings):
    """What CMake breaks lines into is put together again."""
    said = subprocess.run([str(word) for word in command], check=False, capture_output=True, text=True, **settings)
    if said.returncode == 0 or why not in " ".join(said.stderr.split()):
        sys.exit(f"{command} was not refused with '{why}':\n{said.stdout}{said.stderr}")


def check_examples(source, build, folder, compiler, prefix):
    """Those that are built here, whose libraries are here, too."""
    install(build, prefix)
    built = sorted(path.name for path in (build / "examples").iterdir() if (path / f"example_{path.name}").exists())
    if len(built) < 10:
        sys.exit(f"of the examples only {built} are built")
    for name in built:
        shutil.copytree(source / "examples" / name, folder / name)
        run("cmake", "-G", "Ninja", "-S", folder / name, "-B", folder / name / "build", f"-DCMAKE_PREFIX_PATH={prefix}",
            f"-DCMAKE_CXX_COMPILER={compiler}", "-DCMAKE_BUILD_TYPE=Debug", stdout=subprocess.DEVNULL)
        run("cmake", "--build", folder / name / "build", stdout=subprocess.DEVNULL)
        tiny = ["--tiny"] if name in ("eigen", "opencv") else []
        run(folder / name / "build" / f"example_{name}", *tiny, timeout=120, stdout=subprocess.DEVNULL)


def main():
    route, source, build, compiler = sys.argv[1], *(pathlib.Path(word) for word in sys.argv[2:5])
    if route == "examples":
        folder = build / "consumers" / "examples copied out"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        check_examples(source, build, folder, compiler, folder / "prefix")
        return
    page = readme.Page(source / "README.md")
    project = source / "tests" / "consumers" / ("find_package" if route == "shared" else route)
    # The spaces in the name are on purpose.
    folder = build / "consumers" / f"a {route} project"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    program = folder / "main.cpp"
    program.write_text(page.program(), encoding="utf-8")
    prefix = folder / "prefix"
    launcher = shutil.which("ccache")
    cached = [f"-DCMAKE_CXX_COMPILER_LAUNCHER={launcher}"] if launcher else []
    if route == "find_package":
        install(build, prefix)
        # What the simulator stands on is nothing to who does not use it.
        build_with_cmake(project, folder / "build", program, compiler, f"-DCMAKE_PREFIX_PATH={prefix}",
                         "-DCMAKE_DISABLE_FIND_PACKAGE_ZLIB=ON")
        senders = "parallel_scheduler"
        build_with_cmake(source / "tests" / "consumers" / senders, folder / senders, program, compiler,
                         f"-DCMAKE_PREFIX_PATH={prefix}")
        run(folder / senders / senders, timeout=60)
        refused("no shared libraries of EvenCube", "cmake", "-G", "Ninja", "-S", project, "-B", folder / "none",
                f"-DPROGRAM={program}", f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={prefix}", "-DKIND=shared")
    elif route == "shared":
        install(build, prefix)
        # As far below the clone as the builds for packages: by relative paths, too, it is the same for ccache.
        libraries = build.parent / "consumer-shared"
        run("cmake", "-G", "Ninja", "-S", source, "-B", libraries, f"-DCMAKE_CXX_COMPILER={compiler}",
            "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON", "-DEVENCUBE_DEVELOPER=OFF", "-DEVENCUBE_SIMULATOR=ON",
            *cached)
        run("cmake", "--build", libraries)
        run("cmake", "--install", libraries, "--prefix", prefix, stdout=subprocess.DEVNULL)
        shutil.rmtree(libraries)
        named_libraries(prefix, source)
        run(sys.executable, "-B", source / "packaging" / "abi" / "check.py", prefix)
        build_with_cmake(project, folder / "build", program, compiler, f"-DCMAKE_PREFIX_PATH={prefix}")
        if kind_of(folder / "build" / "consumer") != "shared":
            sys.exit("the shared libraries stand first, and are not taken")
        check_kinds(project, folder, program, compiler, prefix)
        check_exports(folder, compiler, prefix)
    elif route == "add_subdirectory":
        # Where it is the same for ccache, see above.
        embedding = build.parent / "consumer-embedding"
        shutil.rmtree(embedding, ignore_errors=True)
        build_with_cmake(project, embedding, program, compiler, f"-DEVENCUBE_SOURCE={source}",
                         *[f"-DCMAKE_DISABLE_FIND_PACKAGE_{name}=ON" for name in ("fmt", "nlohmann_json", "ZLIB")], *cached)
        (folder / "build").symlink_to(embedding)
    else:
        install(build, prefix)
        (folder / "build").mkdir()
        shutil.copy(project / "Makefile", folder / "build")
        found = [str(path.parent) for path in prefix.rglob("evencube.pc")]
        run("make", f"PROGRAM={program}", f"REPLAY={source / 'tests' / 'consumers' / 'simulator.cpp'}", f"CXX={compiler}", cwd=folder / "build",
            env={**os.environ, "PKG_CONFIG_PATH": ":".join(found)})
    if route == "pkg_config":
        check_page(folder / "build" / "paged")
    run(folder / "build" / ("replayed" if route == "pkg_config" else "algorithms"), timeout=60)
    printed = subprocess.run([folder / "build" / "consumer"], check=True, capture_output=True, text=True, timeout=60).stdout
    print(printed, end="")
    if printed != page.program_output():
        sys.exit(f"the program printed\n{printed}where the README says\n{page.program_output()}")


if __name__ == "__main__":
    main()
