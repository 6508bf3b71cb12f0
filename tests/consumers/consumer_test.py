#!/usr/bin/env python3
"""Builds and runs the README's program in a stranger's project, by one of the four routes.

usage: consumer_test.py ROUTE SOURCE_FOLDER BUILD_FOLDER CXX
ROUTE: find_package | shared | add_subdirectory | pkg_config
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "repository"))

import readme  # noqa: E402


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


def main():
    route, source, build, compiler = sys.argv[1], *(pathlib.Path(word) for word in sys.argv[2:5])
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
    if route in ("find_package", "shared"):
        if route == "shared":
            build = folder / "libraries"
            run("cmake", "-G", "Ninja", "-S", source, "-B", build, f"-DCMAKE_CXX_COMPILER={compiler}",
                "-DCMAKE_BUILD_TYPE=Release", "-DBUILD_SHARED_LIBS=ON", "-DEVENCUBE_DEVELOPER=OFF", *cached)
            run("cmake", "--build", build)
        install(build, prefix)
        if route == "shared":
            # The program is told where the library it names is; that one finds the other by itself.
            shutil.rmtree(build)
            named = {path.name for path in prefix.rglob("*.so.*")}
            version = ".".join(named_version(source).split(".")[:2])
            for library in ("balancers", "runtime"):
                if f"libevencube_{library}.so.{version}" not in named:
                    sys.exit(f"no libevencube_{library}.so.{version} among {sorted(named)}")
        build_with_cmake(project, folder / "build", program, compiler, f"-DCMAKE_PREFIX_PATH={prefix}")
    elif route == "add_subdirectory":
        build_with_cmake(project, folder / "build", program, compiler, f"-DEVENCUBE_SOURCE={source}",
                         *cached)
    else:
        install(build, prefix)
        (folder / "build").mkdir()
        shutil.copy(project / "Makefile", folder / "build")
        found = [str(path.parent) for path in prefix.rglob("evencube.pc")]
        run("make", f"PROGRAM={program}", f"CXX={compiler}", cwd=folder / "build",
            env={**os.environ, "PKG_CONFIG_PATH": ":".join(found)})
    if route != "pkg_config":
        run(folder / "build" / "algorithms", timeout=60)
    printed = subprocess.run([folder / "build" / "consumer"], check=True, capture_output=True, text=True, timeout=60).stdout
    print(printed, end="")
    if printed != page.program_output():
        sys.exit(f"the program printed\n{printed}where the README says\n{page.program_output()}")


if __name__ == "__main__":
    main()
