"""Records runs of the program evencube for tests of the page."""

import json
import pathlib
import subprocess

RUN = "spin --size 600 --task-us 20 --placement one --workers 8 --balancer oem"
LEAST_ROUNDS = 3


def figures_of(program, file):
    """What `evencube trace --json` says about a recording."""
    return json.loads(subprocess.run([program, "trace", "--json", file], check=True, capture_output=True, text=True).stdout)


def recorded(program, folder):
    """The file of a recording of a real run. A run may be over before the third round, so there may be several."""
    file = pathlib.Path(folder) / "run.trace"
    for _ in range(20):
        subprocess.run([program, "run", *RUN.split(), "--trace", file], check=True, capture_output=True)
        if figures_of(program, file)["rounds"] >= LEAST_ROUNDS:
            return file
    raise AssertionError(f"no run has {LEAST_ROUNDS} rounds")
