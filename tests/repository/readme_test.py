#!/usr/bin/env python3
"""What the README says is so, and what the pages say that have its commands, its table of balancers and its examples.

usage: readme_test.py ROOT PROGRAM COMMAND     COMMAND: commands | ways | balancers | links
"""

import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys

from readme import Page

# The one command that is not run from here: it is the one that runs this.
CALLER = "./dev test"
# The README's commands are run first: the others need what `./dev run` builds.
PAGES_WITH_COMMANDS = ("docs/command-line.md", "docs/installing.md")
PAGES_WITH_LINKS = ("README.md", "CONTRIBUTING.md", "SECURITY.md", "examples/README.md", *PAGES_WITH_COMMANDS)


def quick_builds():
    """The environment in which what a command builds is found in ccache if tests/consumers or this build compiled it."""
    settings = dict(os.environ)
    if shutil.which("ccache"):
        settings.setdefault("CMAKE_CXX_COMPILER_LAUNCHER", "ccache")
        settings.setdefault("CCACHE_SLOPPINESS", "pch_defines,time_macros")  # or nothing with precompiled headers is found
    if shutil.which("g++"):  # by the name that the release build gives it: to ccache, c++ is another compiler
        settings.setdefault("CXX", "g++")
    settings["EVENCUBE_WARNINGS_AS_ERRORS"] = "ON"  # as in this build; the preset `release` reads it
    if shutil.which("ninja"):  # which compiles in another folder than make, and so by other paths
        settings.setdefault("CMAKE_GENERATOR", "Ninja")
    return settings


def check_commands(page, root):
    commands = list(page.commands())
    for needed in ("./dev run", CALLER):
        if needed not in commands:
            sys.exit(f"the README does not say `{needed}`")
    for name in PAGES_WITH_COMMANDS:
        more = list(Page(root / name).commands())
        if not more:
            sys.exit(f"{name} has no commands")
        commands += more
    for command in commands:
        if command == CALLER:
            continue
        print("+", command, flush=True)
        subprocess.run(["bash", "-euo", "pipefail", "-c", command], cwd=root, check=True, stdin=subprocess.DEVNULL,
                       env=quick_builds())


def run_session(session, folder):
    """Every command, as a user types it, whose home is the folder; what the README shows of the output is all of it."""
    for command, output in session:
        print("$", command, flush=True)
        done = subprocess.run(["bash", "-euo", "pipefail", "-c", command.replace("~/", f"{shlex.quote(str(folder))}/")], cwd=folder, check=False,
                              stdin=subprocess.DEVNULL, env=quick_builds(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              text=True)
        print(done.stdout, end="", flush=True)
        if done.returncode != 0:
            sys.exit(f"`{command}` ends with {done.returncode}")
        if output and done.stdout != output:
            sys.exit(f"`{command}` printed\n{done.stdout}where the README says\n{output}")


def check_ways(page, root):
    """CMake alone and the prefix; the packages are tests/packages' to check, in a root of their own."""
    fetched, _, installed = page.ways()
    (root / "build").mkdir(exist_ok=True)
    page.project("embedded")  # is in the README; tests/consumers builds such a project
    for way, session in (("fetched", fetched), ("installed", installed)):
        # Always by the same name: what was compiled there is found in ccache the next time.
        folder = root / "build" / "readme"
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir()
        try:
            lists = page.project(way, (folder / "repository").as_uri())
            if way == "fetched":  # what is here, committed or not
                subprocess.run(["git", "clone", "-q", root, folder / "repository"], check=True)
                difference = subprocess.run(["git", "-C", root, "diff", "--binary", "HEAD"], check=True, capture_output=True).stdout
                if difference:
                    subprocess.run(["git", "apply", "--index"], input=difference, cwd=folder / "repository", check=True)
                    subprocess.run(["git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "as it is here"],
                                   cwd=folder / "repository", check=True)
                subprocess.run(["git", "checkout", "-q", "-B", "main"], cwd=folder / "repository", check=True)
            (folder / "evencube").symlink_to(root)
            (folder / "main.cpp").write_text(page.program(), encoding="utf-8")
            (folder / "CMakeLists.txt").write_text(lists, encoding="utf-8")
            run_session(session, folder)
            left = [path for path in (folder / ".local").rglob("*") if path.is_file()]
            if left:
                sys.exit(f"uninstalling has left {left[0]} and {len(left) - 1} more")
        finally:
            shutil.rmtree(folder)


def check_balancers(root, program):
    page = Page(root / "docs/command-line.md")
    output = subprocess.run([program, "balancers", "--json"], check=True, capture_output=True, text=True).stdout
    registered = sorted(balancer["name"] for balancer in json.loads(output)["balancers"])
    if sorted(page.balancers()) != registered:
        sys.exit(f"the table of docs/command-line.md has {sorted(page.balancers())}, the program {registered}")


def check_links(root):
    for name in PAGES_WITH_LINKS:
        page = Page(root / name)
        broken = [link for link in page.links() if not (page.path.parent / link).exists()]
        if broken:
            sys.exit(f"{name} refers to what is not there: {', '.join(broken)}")


def check_examples(root):
    """The table of examples has a row for each folder with a program."""
    listed = sorted(re.findall(r"^\| \[(\w+)\]\(\1/main\.cpp\) \|", (root / "examples/README.md").read_text(encoding="utf-8"),
                               re.MULTILINE))
    there = sorted(path.parent.name for path in (root / "examples").glob("*/main.cpp"))
    if listed != there:
        sys.exit(f"examples/README.md lists {listed}, the folder has {there}")


def check_repository(page, root):
    """The address of the repository is that of CITATION.cff, where a maintainer sets it."""
    [cited] = re.findall(r'^repository-code: "(\S+)"$', (root / "CITATION.cff").read_text(encoding="utf-8"), re.MULTILINE)
    if page.repository() != f"{cited}.git":
        sys.exit(f"the README fetches {page.repository()}, CITATION.cff has {cited}")


def check_phases(root):
    """The table of short loops is that of the results."""
    cases = {case["case"]: case["rows"] for case in json.loads((root / "docs/benchmarks/results.json").read_text())["cases"]}
    text = (root / "docs/performance.md").read_text(encoding="utf-8")
    variants = {"EvenCube, `hotness::learned` (the default)": "evencube", "EvenCube, `hotness::never`": "evencube never hot",
                "citor": "citor", "oneTBB": "tbb", "OpenMP, dynamic": "openmp dynamic", "Taskflow": "taskflow"}
    for name, variant in variants.items():
        cells = []
        for case in ("phases-2", "phases-20", "phases-200"):
            [row] = [row for row in cases[case] if row["variant"] == variant and row["workers"] == 2]
            median, least, most = (f"{1e3 * row[key]:.3g}" for key in ("median", "min", "max"))
            cells.append(f"{median} [{least} .. {most}] ms")
        if f"| {name} | {' | '.join(cells)} |\n" not in text:
            sys.exit(f"docs/performance.md says otherwise of {name}: {' | '.join(cells)}")


def check_figures(page, root):
    """The chart, the words for it and the other figures of the README are those of the results."""
    results = json.loads((root / "docs/benchmarks/results.json").read_text(encoding="utf-8"))
    described = importlib.util.spec_from_file_location("draw", root / "docs/front/draw.py")
    draw = importlib.util.module_from_spec(described)
    described.loader.exec_module(draw)
    if (root / "docs/front/times.svg").read_text(encoding="utf-8") != draw.picture(results):
        sys.exit("docs/front/times.svg is not the chart of the results: run docs/front/draw.py")
    if page.pictures().get("docs/front/times.svg") != draw.text(results):
        sys.exit(f"the README describes the chart otherwise than:\n{draw.text(results)}")
    idle = {row["variant"]: 1e3 * row["median"] for case in results["cases"] if case["case"] == "idle-2s"
            for row in case["rows"] if row["workers"] == 2}
    words = " ".join(page.text.split())
    said = f"two of them used {idle['evencube']:.2f} ms of processor time in 2 s, oneTBB's {idle['tbb']:.2f} ms"
    if said not in words:
        sys.exit(f"the README does not say: {said}")
    table = (root / "docs/benchmarks.md").read_text(encoding="utf-8")
    count, ahead, behind, both = re.search(r"Of (\d+) rows, .* in (\d+) \(\*ahead\*\), .* in (\d+) \(\*behind\*\); in (\d+) the runs",
                                           table).groups()
    said = f"ahead of the best rival in {ahead} of {count} rows and behind in {behind}; in {both} the ranges overlap"
    if said not in words:
        sys.exit(f"the README does not say: {said}")


def check_map(folder):
    """The map of the runtime: its links, and that each function of a task's life stands in the file that it names."""
    text = (folder / "README.md").read_text(encoding="utf-8")
    wrong = [link for link in re.findall(r"\]\(([^)]+)\)", text) if not (folder / link).exists()]
    steps = re.findall(r"^\| \d+ \|.*\| (`.*`) \| \[[^]]*\]\(([^)]+)\) \|$", text, re.MULTILINE)
    for names, path in steps:
        code = (folder / path).read_text(encoding="utf-8")
        wrong += [f"{name} in {path}" for name in re.findall(r"`(\w+)`", names) if not re.search(rf"\b{name}\(", code)]
    if wrong or not steps:
        sys.exit(f"the map refers to what is not there: {', '.join(wrong) or 'no steps'}")


def main():
    root, program, check = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    page = Page(root / "README.md")
    if check == "commands":
        check_commands(page, root)
    elif check == "ways":
        check_ways(page, root)
    elif check == "balancers":
        check_balancers(root, program)
    elif check == "links":
        check_links(root)
        check_examples(root)
        check_repository(page, root)
        check_map(root / "runtime")
        check_figures(page, root)
        check_phases(root)
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main()
