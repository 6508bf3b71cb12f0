#!/usr/bin/env python3
"""Finds which of oneTBB's names programs use and whether EvenCube has them, and prints a row of a table for each program.

usage: names_used.py [--headers DIR] [--macro NAME=VALUE]... [--git DIR]... [--details] FOLDER...

FOLDER has the sources of a program. DIR of --git is a bare repository, of which HEAD is read. Nothing is built: the sources
are searched for names in namespace `tbb`, macros of the version, C functions and included headers. Left out are copies of
oneTBB, comments, and what a condition on oneTBB's version or headers excludes. --macro sets a macro of the program's own for
such conditions. EvenCube's names are read from its headers, and those of oneTBB from DIR of --headers (/usr/include), where
Debian's libtbb-dev is. Names that decide and that oneTBB has no more are marked as old. --details prints the names that
decide for each file. docs/programs-for-tbb.md has the rows of public programs."""

import argparse
import pathlib
import re
import subprocess
from collections import defaultdict

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
ENDS = "h hpp hh hxx cpp cc cxx inl ipp tcc cu".split()
COPY = re.compile(r"(^|/)(cmake|oneTBB)/|(^|/)(one)?tbb[^/]*/(include|src|test|examples?)/|(^|/)(one)?tbb\d\w*/|"
                  r"/include/(oneapi/)?tbb/|(^|/)(third[-_]?party|3rd[-_]?party|extern(al)?s?|deps|vendor)/([^/]+/)?"
                  r"(one)?tbb[^/]*/", re.IGNORECASE)
MAYBE = r"tbb(::|/|\.h)|namespace +tbb|scalable_|TBB_[A-Z]*VERSION|TBB_runtime"
COMMENT = re.compile(r'//[^\n]*|/\*.*?\*/|("(?:[^"\\\n]|\\.)*")', re.DOTALL)
INCLUDE = re.compile(r'\s*#\s*include\s*[<"](?:oneapi/)?(tbb(?:/[\w/]+)?\.h)[>"]')
NAME = re.compile(r"(?<![\w:])(?:::\s*)?(?:oneapi::)?tbb::((?:\w+::)*\w+)|\b(scalable_(?:\w*(?:alloc|free|memalign|msize)|"
                  r"allocation_\w+)|TBB_(?:runtime|(?:INTERFACE_)?VERSION)\w*|ONETBB_SPEC_VERSION)\b")
WORD = re.compile(r"\b[A-Za-z_]\w*\b")
INNER = ("info", "this_task_arena", "task", "profiling", "detail")


def text_of(paths):
    return "\n".join(path.read_text(encoding="utf-8") for path in paths)


class Known:
    """What EvenCube has, what oneTBB's containers add, and what else is in oneTBB."""

    def __init__(self, installed, macros):
        own, theirs = ROOT / "interop/as_tbb", installed / "oneapi"
        given = text_of([ROOT / "interop/include/evencube/interop/as_tbb.hpp"])
        self.ours = text_of(sorted((ROOT / "interop/include/evencube/interop/tbb").rglob("*.hpp")))
        version = dict(re.findall(r"#define ((?:ONE)?TBB_\w+) (.+)", self.ours))
        self.macros = {**version, **macros}
        self.offered = {*version, *re.findall(r"using evencube::tbb::((?:profiling::)?\w+);", given),
                        *re.findall(r"EVENCUBE_HIDDEN [\w\s:]+?\*? ?(\w+)\(", self.ours)}
        for space in re.findall(r"namespace (\w+) = evencube::tbb::", given):
            body = "\n".join(re.findall(rf"^namespace {space} {{$(.*?)^}}  // namespace {space}$", self.ours, re.S | re.M))
            found = re.findall(r"^(?!using|return)[\w\]\[][^=;(\n]*?\b(\w+)\(|^inline constexpr \w+ (\w+) =", body, re.M)
            self.offered |= {space, *(f"{space}::{function or value}" for function, value in found)}
        for space, body in re.findall(r"^namespace tbb::(detail::\w+) {$(.*?)^}", self.ours, re.S | re.M):
            self.offered |= {f"{space}::{name}" for name in re.findall(r"(\w+)(?: = .*)?;", body)}
        self.own_headers = {str(path.relative_to(own)).removeprefix("oneapi/") for path in own.rglob("*.h")}
        self.containers = set(re.findall(r"#include <(tbb/concurrent_\w+\.h)>", text_of([own / "tbb/tbb.h"])))
        exported = r"using detail::(?:\w+::)*(\w+);"
        self.beside = set(re.findall(exported, text_of(theirs / header for header in self.containers))) - self.offered
        self.their_headers = {f"tbb/{path.name}" for path in theirs.glob("tbb/*.h")}
        self.theirs = text_of(sorted(theirs.rglob("*.h")))
        self.words = set(WORD.findall(self.theirs))
        self.of_task = set(re.findall(exported, text_of([theirs / "tbb/task.h"])))
        self.rest = set(re.findall(exported, text_of(theirs.glob("tbb/*.h")))) | {"flow"}

    @staticmethod
    def has_member(text, name, member):
        body = re.search(rf"\b(?:class|struct|enum)\b[^;{{:]*\b{name}\b[^;{{:]*{{.*?^}};", text, re.S | re.M)
        return re.search(rf"\b{member}\b", body[0] if body else text)

    def kind(self, name):
        """offered, beside, missing, or old if oneTBB has it no more."""
        first, *more = name.split("::")
        if name.endswith(".h"):
            return ("offered" if name in self.own_headers else "beside" if name in self.containers else
                    "missing" if name in self.their_headers else "old")
        if first in INNER and (more or first == "task"):
            theirs = self.of_task if first == "task" else self.words
            return "offered" if more and name in self.offered else "missing" if more and more[-1] in theirs else "old"
        if more and first in self.offered and not self.has_member(self.ours, first, more[0]):
            return "missing" if self.has_member(self.theirs, first, more[0]) else "old"
        return ("offered" if first in self.offered else "beside" if first in self.beside else
                "missing" if first in self.rest else "old")

    def holds(self, condition, macros):
        """True or False if oneTBB's version, its headers and known macros decide, otherwise None."""
        says = re.sub(r"__has_include\s*\(?\s*[<\"](?:oneapi/)?(tbb(?:/\w+)?\.h)[>\"]\s*\)?",
                      lambda found: str(int(found[1] in self.own_headers | self.their_headers)), condition)
        says = re.sub(r"defined\s*\(?\s*(\w+)\s*\)?", lambda found: str(int(macros[found[1]] != "0"))
                      if found[1] in macros else "unknown", says)
        for _ in range(3):
            says = WORD.sub(lambda found: macros.get(found[0], found[0]), says)
        says = re.sub(r"!(?!=)", " not ", says.replace("&&", " and ").replace("||", " or ").replace("/", "//"))
        results = set()
        for value in ("0", "1", "999999"):
            known = WORD.sub(lambda found, value=value: found[0] if found[0] in ("and", "or", "not") else value, says)
            try:
                numbers = re.fullmatch(r"(?!.*(\d\s*\(|\*\s*\*))[\d\s()<>=!+*/%a-z-]+", known)
                results.add(bool(eval(known, {"__builtins__": {}})) if numbers else None)
            except (SyntaxError, TypeError, ZeroDivisionError):
                results.add(None)
        return results.pop() if len(results) == 1 else None


def lines_compiled(text, known):
    """The lines that no condition on oneTBB excludes, without comments."""
    text = COMMENT.sub(lambda found: found[1] or " ", re.sub(r"\\\r?\n", " ", text))
    macros = dict(known.macros)
    taken = []  # of each #if: whether a branch was taken for certain, and whether lines count now
    for line in text.splitlines():
        found = re.match(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif|define)\b(.*)", line)
        word, rest = found.groups() if found else ("", "")
        if word.startswith("if"):
            says = {"ifdef": "defined(%s)", "ifndef": "!defined(%s)", "if": "%s"}[word] % rest.strip()
            result = known.holds(says, macros)
            taken.append([result is True, result is not False])
        elif word == "endif" and taken:
            taken.pop()
        elif word.startswith("el") and taken:
            result = True if word == "else" else known.holds(rest, macros)
            taken[-1] = [taken[-1][0] or result is True, not taken[-1][0] and result is not False]
        elif all(counts for _, counts in taken):
            if word == "define" and taken and taken[-1][0]:
                macros[rest.split()[0]] = "1"
            yield line


def names_of(text, known):
    """The names that are used, and those that the program adds to namespace tbb."""
    text = "\n".join(lines_compiled(text, known))
    found = {included[1] for included in map(INCLUDE.match, text.splitlines()) if included}
    for inside, other in NAME.findall(text):
        parts = re.sub(r"^v1::", "", inside or other).split("::")
        found.add("::".join(parts[:1 if parts[0] == "flow" else 3 if parts[0] == "detail" else 2]))
    if re.search(r"\busing\s+namespace\s+(?:::)?(?:oneapi::)?tbb\s*;", text):
        found |= set(WORD.findall(text)) & (known.beside | {name for name in known.offered if "_" in name})
    opened = re.search(r"^namespace\s+tbb\s*{(.*)", text, re.M | re.S)
    return found, re.findall(r"\b(?:class|struct)\s+(\w+)[^;{]*{", opened[1]) if opened else []


def sources(folder, git):
    """(path, text) of each source that may use a name of oneTBB."""
    if not git:
        for path in sorted(pathlib.Path(folder).rglob("*")):
            inside = path.relative_to(folder).as_posix()
            if path.suffix[1:] in ENDS and path.is_file() and not COPY.search(inside):
                yield inside, path.read_text(encoding="utf-8", errors="replace")
        return
    words = ["git", "--git-dir", folder, "grep", "-l", "-I", "-z", "-E", MAYBE, "HEAD", "--", *(f"*.{end}" for end in ENDS)]
    found = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False).stdout
    paths = [path for path in found.decode(errors="replace").split("\0") if path and not COPY.search(path[5:])]
    said = subprocess.run([*words[:3], "cat-file", "--batch"], input="\n".join(paths).encode(), stdout=subprocess.PIPE,
                          check=False).stdout
    for path in paths:
        head, said = said.split(b"\n", 1)
        size = int(head.split()[-1])
        yield path[5:], said[:size].decode(errors="replace")
        said = said[size + 1:]


def row(folder, git, known, details):
    used, added = {}, set()
    for path, text in sources(folder, git):
        found, defined = names_of(text, known)
        added |= set(defined)
        if found:
            used[path] = found
    where = defaultdict(lambda: defaultdict(set))  # of each kind and name: the sources
    for path, found in used.items():
        for name in found:
            kind = "offered" if name.split("::")[0] in added else known.kind(name)
            inner = name.split("::")[0] in INNER or kind in ("missing", "old")
            where[kind][name if inner else name.split("::")[0]].add(path)
    lacking = {**where["missing"], **where["old"]}
    verdict, deciding = ("not", lacking) if lacking else ("include order", where["beside"])
    if not deciding:
        verdict = "unchanged"
    containing = set().union(*deciding.values())
    if details:
        for path in sorted(containing):
            print(f"    {path}: {' '.join(sorted(used[path] & set(deciding)))}")
    # A header is left out where one of its names is listed.
    shown = [name for name in sorted(deciding) if not name.endswith(".h") or
             not any(name[4:-2].startswith(other.split("::")[0]) for other in deciding if not other.endswith(".h"))]
    words = ", ".join(f"`{name}`{' (old)' if name in where['old'] else ''}" for name in shown)
    commit = git and subprocess.run(["git", "--git-dir", folder, "log", "-1", "--format=%h, %cs"], stdout=subprocess.PIPE,
                                    text=True, check=False).stdout.strip()
    name = pathlib.Path(folder).resolve().name.removesuffix(".git")
    names = sum(not one.endswith(".h") for kind in where.values() for one in kind)
    print(f"| {name} | {commit or ''} | {len(used)} | {names} | {verdict} | {len(containing) or ''} | {words} |", flush=True)


def main():
    parser = argparse.ArgumentParser(description="which of oneTBB's names programs use")
    parser.add_argument("folders", nargs="*")
    parser.add_argument("--git", action="append", default=[])
    parser.add_argument("--headers", type=pathlib.Path, default=pathlib.Path("/usr/include"))
    parser.add_argument("--macro", action="append", default=[])
    parser.add_argument("--details", action="store_true")
    options = parser.parse_args()
    known = Known(options.headers, dict(macro.split("=", 1) for macro in options.macro))
    print("| program | commit | sources | names | verdict | sources with names that decide | names that decide |")
    print("|---|---|---|---|---|---|---|")
    for folder, git in [*((one, False) for one in options.folders), *((one, True) for one in options.git)]:
        row(folder, git, known, options.details)


if __name__ == "__main__":
    main()
