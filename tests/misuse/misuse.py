"""Compiles what users might write, without making code of it, and reads what the compilers say."""

import pathlib
import re
import shutil
import subprocess

COMPILERS = [name for name in ("g++", "clang++") if shutil.which(name)]
FLAGS = {
    "g++": ["-fmax-errors=0", "-fdiagnostics-color=never"],
    "clang++": ["-ferror-limit=0", "-fno-color-diagnostics"],
}

KEYWORDS = set("""
    alignas alignof and asm auto bool break case catch char class concept const consteval constexpr constinit
    const_cast continue co_await co_return co_yield decltype default defined delete do double dynamic_cast else enum
    explicit export extern false float for friend goto if inline int long mutable namespace new noexcept not nullptr
    operator or private protected public register reinterpret_cast requires return short signed sizeof static
    static_assert static_cast struct switch template this thread_local throw true try typedef typeid typename union
    unsigned using virtual void volatile while __asm__ __extension__
""".split())

# What the standard library itself looks for in the namespaces of its arguments: who replaces these
# breaks the standard library, not ours.
CUSTOMIZATION_POINTS = set("begin end rbegin rend cbegin cend crbegin crend data size ssize empty swap get".split())


def without_comments(text):
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    return re.sub(r'"(\\.|[^"\\])*"', '""', text)


def called_names(text):
    """Names that stand before a parenthesis without a qualification: declared there, or called, and
    then looked for in the namespaces of the arguments, too."""
    text = re.sub(r"^\s*#.*$", "", without_comments(text), flags=re.M)
    found = re.finditer(r"(?<![\w.:>~])(?<!->)\b([a-z_]\w*)\s*(?:<[\w\s:,*&]*>)?\s*\(", text)
    return {match.group(1) for match in found} - KEYWORDS - CUSTOMIZATION_POINTS


def names_of_headers(folders):
    names = set()
    for folder in folders:
        for header in sorted(pathlib.Path(folder).rglob("*.hpp")):
            names |= called_names(header.read_text(encoding="utf-8"))
    return names


def hostile_header(names):
    """Overloads of all the names that take anything and may not be used."""
    lines = ["#pragma once", "namespace user {"]
    for name in sorted(names):
        lines.append(f"template <class A> void {name}(A&&) = delete;")
        lines.append(f"template <class A> void {name}(A&) = delete;")
        lines.append(f"template <class A> void {name}(const A&) = delete;")
        lines.append(f"template <class A, class B> void {name}(A&&, B&&) = delete;")
        lines.append(f"template <class A, class B> void {name}(A&, B&&) = delete;")
        lines.append(f"template <class A, class B> void {name}(A&, B&) = delete;")
        for more in (3, 4, 5):
            types = ", ".join(f"class A{i}" for i in range(more))
            arguments = ", ".join(f"A{i}&&" for i in range(more))
            lines.append(f"template <{types}> void {name}({arguments}) = delete;")
    lines.append("}")
    return "\n".join(lines) + "\n"


def compile(compiler, source, folders, *more):
    """The compiler's exit status and what it says of a file or of a text."""
    text = None if isinstance(source, pathlib.Path) else source
    command = [compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", *FLAGS[compiler], *more]
    command += [f"-I{folder}" for folder in folders]
    command += ["-x", "c++", "-" if text is not None else str(source)]
    done = subprocess.run(command, input=text, capture_output=True, text=True)
    return done.returncode, done.stderr


BEGINS_BLOCK = re.compile(r"^(In file included from|\S[^:]*: (In |At global scope))")
ERROR = re.compile(r"^(\S[^:]*):\d+:(?:\d+:)? (?:fatal )?error: ")


NOTE = re.compile(r": note: ")


def blocks_of_errors(output):
    """What the compiler says, one text for each error with all that belongs to it."""
    blocks = []
    ahead = []  # what tells where something is, until it shows whether that is an error
    for line in output.splitlines():
        if ERROR.match(line):
            blocks.append(ahead)
            ahead = []
        elif BEGINS_BLOCK.match(line):
            ahead.append(line)
            continue
        elif ahead and not NOTE.search(line):
            ahead.append(line)
            continue
        if blocks:
            blocks[-1] += [*ahead, line]
            ahead = []
    return ["\n".join(block) for block in blocks]


def place_of_error(block):
    """The file that the error of a block is in."""
    return next(ERROR.match(line).group(1) for line in block.splitlines() if ERROR.match(line))
