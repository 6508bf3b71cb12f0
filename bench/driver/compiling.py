"""What it costs to include the library: processor time of the compiler, and how much it has to read."""

import os
import re
import resource
import subprocess

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(__file__))))
OWN_FOLDERS = [os.path.join(ROOT, component, "include") for component in ("runtime", "balancers")]
MARKER = re.compile(r'^# \d+ "([^"]*)"')

INCLUDES = {"evencube": "#include <evencube/evencube.hpp>\n", "tbb": "#include <tbb/tbb.h>\n"}


def command(compiler, *words):
    folders = [word for folder in OWN_FOLDERS for word in ("-I", folder)]
    return [compiler, "-std=c++20", "-pthread", *folders, *words]


class CompilationFailed(Exception):
    """What the compiler said."""


def compile_text(compiler, text, *words):
    """What the compiler prints for a source text; CompilationFailed if it refuses it."""
    done = subprocess.run(command(compiler, *words, "-x", "c++", "-"), input=text, check=False,
                          capture_output=True, text=True, encoding="utf-8", errors="replace")
    if done.returncode != 0:
        raise CompilationFailed(done.stderr)
    return done.stdout


def has_header(compiler, name):
    """Does `#include <name>` find something?"""
    try:
        compile_text(compiler, f"#include <{name}>\n", "-E")
    except CompilationFailed:
        return False
    return True


def user_seconds(compiler, text, *words):
    """Processor time in user mode of one compilation, the compiler's own children included."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    compile_text(compiler, text, *words)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before


def preprocessed(compiler, text):
    """(lines, bytes, files) that the compiler reads after its preprocessor; blank lines count for nothing."""
    lines = size = 0
    files = set()
    for line in compile_text(compiler, text, "-E").splitlines():
        marker = MARKER.match(line)
        if marker:
            files.add(marker.group(1))
        elif line.strip():
            lines += 1
            size += len(line) + 1
    return lines, size, sum(not name.startswith("<") for name in files)
