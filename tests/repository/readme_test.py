#!/usr/bin/env python3
"""What the README says is so.

usage: readme_test.py ROOT PROGRAM COMMAND     COMMAND: commands | balancers | links
"""

import json
import os
import pathlib
import shutil
import subprocess
import sys

from readme import Page

# The one command that is not run from here: it is the one that runs this.
CALLER = "./dev test"


def quick_builds():
    """The environment in which what a command builds is found in ccache if tests/consumers built it, or the reverse."""
    settings = dict(os.environ)
    if shutil.which("ccache"):
        settings.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
    if shutil.which("g++"):  # by the name that the release build gives it: to ccache, c++ is another compiler
        settings.setdefault("CXX", "g++")
    return settings


def check_commands(page, root):
    commands = list(page.commands())
    for needed in ("./dev run", CALLER):
        if needed not in commands:
            sys.exit(f"the README does not say `{needed}`")
    for command in commands:
        if command == CALLER:
            continue
        print("+", command, flush=True)
        subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=root, check=True, stdin=subprocess.DEVNULL,
                       env=quick_builds())


def check_balancers(page, program):
    output = subprocess.run([program, "balancers", "--json"], check=True, capture_output=True, text=True).stdout
    registered = sorted(balancer["name"] for balancer in json.loads(output)["balancers"])
    if sorted(page.balancers()) != registered:
        sys.exit(f"the README's table has {sorted(page.balancers())}, the program {registered}")


def check_links(page, root):
    broken = [link for link in page.links() if not (root / link).exists()]
    if broken:
        sys.exit(f"the README refers to what is not there: {', '.join(broken)}")


def main():
    root, program, check = pathlib.Path(sys.argv[1]), sys.argv[2], sys.argv[3]
    page = Page(root / "README.md")
    if check == "commands":
        check_commands(page, root)
    elif check == "balancers":
        check_balancers(page, program)
    elif check == "links":
        check_links(page, root)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
