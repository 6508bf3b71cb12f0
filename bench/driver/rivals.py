"""Libraries to compare with, from local copies of their sources: `./dev bench --rivals DIR`.

rivals.py DIR BUILD finds the copies in DIR, builds oneTBB if there is one, and writes into BUILD what
CMake (rivals.cmake) and the tables (rivals.json) need to know of them.
"""

import json
import os
import re
import subprocess
import sys
from dataclasses import dataclass

# What rivals.py writes into a build.
NAMED = "rivals.json"
CACHE = "rivals.cmake"


class NoRivals(Exception):
    """Why not."""


@dataclass(frozen=True)
class Library:
    engine: str
    name: str
    # The file by which a copy is known, and that which gives its version by the expressions, each of them one part.
    known_by: str
    version_in: str
    version: tuple


LIBRARIES = (
    Library("tbb", "oneTBB", "include/oneapi/tbb/version.h", "include/oneapi/tbb/version.h",
            (r"define TBB_VERSION_MAJOR (\d+)", r"define TBB_VERSION_MINOR (\d+)", r"define TBB_VERSION_PATCH (\d+)")),
    Library("citor", "citor", "include/citor/thread_pool.h", "include/citor/version.h", (r'CITOR_VERSION_STRING "([\d.]+)"',)),
    Library("libfork", "libfork", "include/libfork.hpp", "include/libfork/core/macro.hpp",
            (r"define LF_VERSION_MAJOR (\d+)", r"define LF_VERSION_MINOR (\d+)", r"define LF_VERSION_PATCH (\d+)")),
    Library("tmc", "TooManyCooks", "include/tmc/all_headers.hpp", "include/tmc/version.hpp",
            (r"define TMC_VERSION_MAJOR (\d+)", r"define TMC_VERSION_MINOR (\d+)", r"define TMC_VERSION_PATCH (\d+)")),
    Library("taskflow", "Taskflow", "taskflow/taskflow.hpp", "CMakeLists.txt", (r"project\(Taskflow VERSION ([\d.]+)",)),
    Library("stdexec", "stdexec", "include/stdexec/execution.hpp", "CMakeLists.txt", (r'VERSION "([\d.]+)"',)),
    Library("lace", "Lace", "src/lace.h", "CMakeLists.txt", (r"project\(lace\s+VERSION ([\d.]+)",)),
)


@dataclass(frozen=True)
class Rival:
    """One copy."""
    engine: str
    name: str
    folder: str
    # Empty where the copy does not say.
    version: str
    commit: str

    def order(self):
        return [int(part) for part in self.version.split(".") if part]

    def described(self):
        return " ".join(part for part in (self.name, self.version or "of an unknown version",
                                          f"({self.commit})" if self.commit else "") if part)


def text_of(path):
    try:
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""


def version_of(library, folder):
    text = text_of(os.path.join(folder, library.version_in))
    parts = [re.search(expression, text) for expression in library.version]
    return ".".join(part.group(1) for part in parts) if all(parts) else ""


def commit_of(folder):
    """Of a clone, what Git says; of an exported tree, what a file COMMIT in it says, if there is one."""
    if os.path.exists(os.path.join(folder, ".git")):
        done = subprocess.run(["git", "-C", folder, "rev-parse", "--short=12", "HEAD"], capture_output=True, text=True,
                              check=False)
        return done.stdout.strip() if done.returncode == 0 else ""
    words = text_of(os.path.join(folder, "COMMIT")).split()
    return words[0][:12] if words else ""


def find(folder):
    """The newest copy of each library in `folder`: in it, or it itself."""
    try:
        inside = sorted(os.listdir(folder))
    except OSError as problem:
        raise NoRivals(f"--rivals {folder}: {problem.strerror}") from problem
    places = [folder] + [os.path.join(folder, name) for name in inside]
    found = {}
    for library in LIBRARIES:
        copies = [Rival(library.engine, library.name, os.path.realpath(place), version_of(library, place), commit_of(place))
                  for place in places if os.path.isfile(os.path.join(place, library.known_by))]
        if copies:
            found[library.engine] = max(copies, key=Rival.order)
    if not found:
        wanted = ", ".join(f"{library.name} ({library.known_by})" for library in LIBRARIES)
        raise NoRivals(f"--rivals {folder}: it holds no copy of a library to compare with; looked there and one folder below for "
                       f"{wanted}")
    return list(found.values())


def build_tbb(rival, build):
    """Builds and installs it in a folder of the build, unless that version and commit is there. Gives that folder."""
    place = os.path.join(build, "oneTBB")
    stamp = os.path.join(place, "built")
    wanted = f"{rival.folder} {rival.version} {rival.commit}\n"
    if text_of(stamp) != wanted:
        print(f"Building {rival.described()}.", file=sys.stderr)
        work = os.path.join(place, "work")
        jobs = os.environ.get("CMAKE_BUILD_PARALLEL_LEVEL", str(len(os.sched_getaffinity(0))))
        for command in (["cmake", "-S", rival.folder, "-B", work, "-DCMAKE_BUILD_TYPE=Release", "-DTBB_TEST=OFF",
                         "-DTBB_STRICT=OFF", "-DTBBMALLOC_BUILD=OFF", "-DTCM_BUILD=OFF", "-DCMAKE_INSTALL_LIBDIR=lib",
                         f"-DCMAKE_INSTALL_PREFIX={os.path.abspath(place)}"],
                        ["cmake", "--build", work, "--parallel", jobs], ["cmake", "--install", work]):
            done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
            if done.returncode != 0:
                raise NoRivals(f"--rivals: {rival.described()} in {rival.folder} cannot be built: {' '.join(command)}\n"
                               + "\n".join(done.stdout.splitlines()[-20:]))
        with open(stamp, "w", encoding="utf-8") as file:
            file.write(wanted)
    return place


def prepare(folder, build):
    """Finds the copies and writes the two files; gives the copies."""
    rivals = find(folder)
    os.makedirs(build, exist_ok=True)
    lines = []
    for library in LIBRARIES:
        rival = next((one for one in rivals if one.engine == library.engine), None)
        place = ""
        if rival is not None:
            place = rival.folder
            if rival.engine == "tbb":
                place = os.path.abspath(os.path.join(build_tbb(rival, build), "lib", "cmake", "TBB"))
        if library.engine != "tbb":
            lines.append(f'set(EVENCUBE_RIVAL_{library.engine} "{place}" CACHE PATH "Sources of {library.name}" FORCE)')
        elif place:
            lines.append(f'set(TBB_DIR "{place}" CACHE PATH "oneTBB" FORCE)')
        else:
            lines.append("unset(TBB_DIR CACHE)")
    with open(os.path.join(build, CACHE), "w", encoding="utf-8") as file:
        file.write("\n".join(lines) + "\n")
    with open(os.path.join(build, NAMED), "w", encoding="utf-8") as file:
        json.dump([rival.described() for rival in rivals], file, indent=1)
        file.write("\n")
    return rivals


def named(build):
    """What the tables say of the rivals of a build: those that rivals.py has written there, and oneTBB in any case."""
    try:
        with open(os.path.join(build, NAMED), encoding="utf-8") as file:
            found = json.load(file)
    except (OSError, ValueError):
        found = []
    if not any(name.startswith("oneTBB ") for name in found):
        cache = text_of(os.path.join(build, "CMakeCache.txt"))
        place = re.search(r"^TBB_DIR:\w+=(/.*)$", cache, re.MULTILINE)
        version = re.search(r'PACKAGE_VERSION "?([\d.]+)', text_of(os.path.join(place.group(1), "TBBConfigVersion.cmake"))
                            if place else "")
        if version:
            found.append(f"oneTBB {version.group(1)} (installed)")
    return ", ".join(found)


def main():
    if len(sys.argv) != 3:
        sys.exit("usage: rivals.py DIR BUILD")
    try:
        for rival in prepare(sys.argv[1], sys.argv[2]):
            print(f"rival     {rival.described()}, {rival.folder}", file=sys.stderr)
    except NoRivals as problem:
        print(f"./dev: bench: {problem}", file=sys.stderr)
        sys.exit(2)


if __name__ == "__main__":
    main()
