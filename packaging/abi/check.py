#!/usr/bin/env python3
"""Compares what the shared libraries export with the lists beside this file, libevencube_NAME.symbols.

usage: check.py [--renew] FOLDER    FOLDER: where the libraries are, at any depth

Listed are the functions and variables that a library defines for others, demangled and sorted. Not listed are the virtual
tables and type information that may also be defined by whoever uses a class: a compiler leaves them out where it does
not need them. Nothing else is left out, so that a template of the standard library among the exports is found, as is
anything else that is not ours.
"""

import difflib
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
NAMES = ("balancers", "runtime", "trace", "simulator")
# As they are written by people; the longest first.
SHORTER = (("std::__cxx11::basic_string<char, std::char_traits<char>, std::allocator<char> >", "std::string"),
           ("std::basic_string_view<char, std::char_traits<char> >", "std::string_view"), (", 18446744073709551615ul>", ">"))
OURS = re.compile(r"_Z(N[VK]*|T[ISV]N)8evencube")


def exported(library):
    """The mangled names with their kinds, without the versions of symbols."""
    said = subprocess.run(["nm", "--dynamic", "--defined-only", "--format=posix", str(library)], check=True,
                          capture_output=True, text=True).stdout
    for line in said.splitlines():
        name, kind = line.split()[:2]
        yield name.partition("@")[0], kind


def symbols(library):
    """What is to stand in the list, and the names of others."""
    ours, others = [], []
    for name, kind in exported(library):
        if not OURS.match(name):
            others.append(name)
        elif not (kind == "V" and name.startswith("_ZT")):
            ours.append(name)
    return demangled(ours), demangled(others)


def demangled(names):
    if not names:
        return []
    said = subprocess.run(["c++filt"], input="\n".join(names), check=True, capture_output=True, text=True).stdout
    for long, short in SHORTER:
        said = said.replace(long, short)
    # The constructors of whole objects and of bases have one name here.
    return sorted(set(said.splitlines()))


def difference(listed, found):
    """A readable one, or nothing."""
    lines = [line for line in difflib.ndiff(listed, found) if line[0] in "+-"]
    words = {"+": "added", "-": "removed"}
    return "".join(f"  {words[line[0]]:8}{line[2:]}\n" for line in lines)


def library_in(folder, name):
    """The one that was built or installed, without packages that were made of it and without gdb's script for it."""
    found = [path for path in sorted(folder.rglob(f"libevencube_{name}.so*"))
             if not path.is_symlink() and path.suffix != ".py" and "_CPack_Packages" not in path.parts]
    if len(found) != 1:
        sys.exit(f"{folder}: {len(found)} libraries libevencube_{name}.so*, not one")
    return found[0]


def main(words):
    renew = "--renew" in words
    folders = [pathlib.Path(word) for word in words if word != "--renew"]
    if len(folders) != 1 or not folders[0].is_dir():
        sys.exit(__doc__)
    problems = ""
    for name in NAMES:
        library, path = library_in(folders[0], name), HERE / f"libevencube_{name}.symbols"
        found, others = symbols(library)
        if others:
            problems += f"{library.name} exports what is not EvenCube's:\n" + "".join(f"  {other}\n" for other in others)
        if renew:
            path.write_text("".join(f"{line}\n" for line in found), encoding="utf-8")
            continue
        listed = path.read_text(encoding="utf-8").splitlines() if path.exists() else []
        if changes := difference(listed, found):
            problems += f"{library.name} exports something else than {path.relative_to(HERE.parent.parent)} lists:\n{changes}"
    if problems:
        sys.exit(f"{problems}Removed or changed: programs that were built before do not start any more. Added: nobody may be "
                 "able to\ndo without it again. If it is meant: ./dev abi --renew, and a line in CHANGELOG.md.")


if __name__ == "__main__":
    main(sys.argv[1:])
