"""What foreign.py and foreign_programs.py share: EvenCube as a library for other projects' sources, and what programs say."""

import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
AS_TBB = ROOT / "interop" / "as_tbb"
OURS = [ROOT / part / "include" for part in ("interop", "algorithms", "runtime", "balancers")]


def searched(folders):
    return [word for folder in folders for word in ("-I", folder)]


def libraries_of(build):
    return [build / "runtime/libevencube_runtime.a", build / "balancers/libevencube_balancers.a", "-lhwloc", "-ldl"]


def first_error(said):
    errors = [line for line in said.splitlines() if re.search(r"\berror:|undefined reference|multiple definition", line)]
    return (errors or ["it does not compile"])[0]


def failure_of(*command):
    """What a compiler said first, or None if it took the files."""
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    return None if done.returncode == 0 else first_error(done.stderr)


def error_text(line):
    """The message of an error alone, without the place, and harmless in a table."""
    return re.sub(r"^.*?\berror: ", "", line).replace("|", r"\|")


def tasks_run(said):
    """How many tasks all runtimes of a program ran, by the statistics that it printed."""
    return sum(int(count) for count in re.findall(r"^  ran\s+(\d+) tasks?", said, re.MULTILINE))
