#!/usr/bin/env python3
"""Checks that includes only point down the house, and public headers need nothing but the standard.

Of the runtime, only its folder for platforms includes headers of the operating system.

usage: layering.py ROOT     exit code 1 and one line for each violation
"""

import re
import sys

from sources import Tree

# The areas whose public headers each area may include. Every area may include its own headers.
BELOW = {
    "balancers": set(),
    "runtime": {"balancers"},
    "algorithms": {"balancers", "runtime"},
    "trace": {"balancers"},
    "simulator": {"balancers", "trace"},
    # What it gives to the runtime is called by a pointer.
    "pages": {"balancers", "runtime", "simulator", "trace"},
    "interop": {"algorithms", "balancers", "runtime", "trace"},
    "cluster": {"balancers", "runtime"},
    "workloads": {"algorithms", "balancers", "runtime"},
    "papers": {"balancers", "runtime", "simulator", "trace", "workloads"},
    "lab": {"balancers", "simulator", "trace", "workloads"},
    # Only the program for ranks is linked with the cluster: the other programs do not find its headers.
    "cli": {"algorithms", "balancers", "cluster", "interop", "pages", "papers", "runtime", "simulator", "trace",
            "workloads"},
    "bench": {"algorithms", "balancers", "cluster", "interop", "papers", "runtime", "simulator", "trace", "workloads"},
    "examples": {"algorithms", "balancers", "interop", "pages", "runtime", "simulator", "trace"},
    "tests": {"algorithms", "balancers", "cluster", "interop", "lab", "pages", "papers", "runtime", "simulator",
              "trace", "workloads"},
}

STANDARD = set("""
algorithm any array atomic barrier bit bitset cassert ccomplex cctype cerrno cfenv cfloat charconv chrono cinttypes
climits clocale cmath codecvt compare complex concepts condition_variable coroutine csetjmp csignal cstdarg cstddef
cstdint cstdio cstdlib cstring ctime cuchar cwchar cwctype deque exception execution expected filesystem format
forward_list fstream functional future initializer_list iomanip ios iosfwd iostream istream iterator latch limits list
locale map memory memory_resource mutex new numbers numeric optional ostream queue random ranges ratio regex
scoped_allocator semaphore set shared_mutex source_location span sstream stack stdexcept stop_token streambuf string
string_view strstream syncstream system_error thread tuple type_traits typeindex typeinfo unordered_map unordered_set
utility valarray variant vector version
""".split())

# Planning is pure: no threads, no clocks, no logging.
IMPURE = {"atomic", "barrier", "chrono", "condition_variable", "ctime", "fstream", "future", "iostream", "latch",
          "mutex", "semaphore", "shared_mutex", "stop_token", "syncstream", "thread"}

# The exceptions to this rule: any thread may register a balancer, and plan with one.
EXEMPT = {("balancers/src/registry.cpp", "atomic"), ("balancers/src/working_memory.hpp", "atomic")}

# Headers for programs that use another library; they may include that library's headers.
FOREIGN = {"cluster/include/evencube/cluster/detail/serial.hpp": "cereal/",
           "cluster/include/evencube/cluster/mpi.hpp": "mpi.h",
           "interop/include/evencube/interop/beman_execution.hpp": "beman/",
           "interop/include/evencube/interop/eigen.hpp": "unsupported/Eigen/",
           "interop/include/evencube/interop/opencv.hpp": "opencv2/",
           "interop/include/evencube/interop/stdexec.hpp": "stdexec/"}

# The runtime asks the operating system for everything in one folder. It reads the machine with a library, too.
PLATFORM = "runtime/src/platform/"
LIBRARIES = {("runtime/src/machine/hwloc_inventory.cpp", "hwloc.h")}
SYSTEM = re.compile(r"^[ \t]*#[ \t]*(?:el)?if.*\b(?:_WIN(?:32|64)|__(?:linux|unix|APPLE|MACH|FreeBSD|NetBSD|OpenBSD|MINGW(?:32|64))(?:__)?)\b", re.MULTILINE)

GENERATED = {"evencube/version.hpp": "balancers"}


def own_header_violation(tree, path, name):
    """What is wrong with `#include <evencube/...>` in path, or None."""
    component = tree.component(path)
    header = tree.public_header(name)
    if header is None and name not in GENERATED:
        return f"no public header <{name}>"
    owner = GENERATED.get(name) or tree.component(header)
    if owner != component and owner not in BELOW[component]:
        return f"<{name}> belongs to {owner}/, which {component}/ must not know"
    return None


def quoted_violation(tree, path, name):
    """What is wrong with `#include "..."` in path, or None."""
    if tree.component(path) in ("tests", "bench", "examples"):
        return None  # the compiler finds these; tests may look inside what they test
    if tree.is_public(path):
        return f'a public header includes "{name}", which is private'
    header = tree.quoted_header(path, name)
    if header is None:
        return f'"{name}" is no private file of {tree.component(path)}/'
    if tree.is_public(header):
        return f'"{name}" is public: include it as <evencube/...>'
    return None


def foreign_violation(tree, path, name):
    """What is wrong with `#include <...>` of somebody else's header in path, or None."""
    if tree.component(path) == "balancers":
        if name not in STANDARD:
            return f"<{name}> is not standard, and balancers/ includes only that and itself"
        if name in IMPURE and (str(path.relative_to(tree.root)), name) not in EXEMPT:
            return f"<{name}>: a plan is made without threads, clocks and logging"
    elif tree.component(path) in BELOW and tree.component(path) != "tests":
        foreign = FOREIGN.get(str(path.relative_to(tree.root)))
        if tree.is_public(path) and name not in STANDARD and not (foreign and name.startswith(foreign)):
            return f"<{name}> in a public header: users would need it too"
    if tree.component(path) == "runtime" and name not in STANDARD and not asks_system(tree, path):
        if (str(path.relative_to(tree.root)), name) not in LIBRARIES:
            return f"<{name}> is not standard: what the runtime asks of the system is in {PLATFORM}"
    return None


def asks_system(tree, path):
    """True for the files of the runtime that may ask the operating system."""
    return str(path.relative_to(tree.root)).startswith(PLATFORM)


def system_lines(tree, path):
    """The lines of a file of the runtime that ask which system this is, where only the build may choose."""
    if tree.component(path) == "runtime" and not asks_system(tree, path):
        text = path.read_text(encoding="utf-8")
        for found in SYSTEM.finditer(text):
            yield text.count("\n", 0, found.start()) + 1


def violations(root):
    """All violations below root as lines of text."""
    tree = Tree(root)
    for path in tree.files():
        for line, kind, name in tree.includes(path):
            if kind == '"':
                wrong = quoted_violation(tree, path, name)
            elif name.startswith("evencube/"):
                wrong = own_header_violation(tree, path, name)
            else:
                wrong = foreign_violation(tree, path, name)
            if wrong:
                yield f"{path.relative_to(tree.root)}:{line}: {wrong}"
        for line in system_lines(tree, path):
            yield f"{path.relative_to(tree.root)}:{line}: asks which system this is; the build chooses files of {PLATFORM}"


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    found = list(violations(sys.argv[1]))
    print("\n".join(found), end="\n" if found else "")
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
