#!/usr/bin/env python3
"""What the README says, done as a new user would: on fresh roots of other Debian releases, with nothing in them but git.

usage: machines.py ROOT [--only STEP,STEP] [RELEASE...]     RELEASE: bookworm, trixie; both where none is named

The roots are made by debootstrap below build/machines, once. What a run does to one of them lies in a layer over it, which
is thrown away; the packages that were downloaded are kept. The clone lies in a folder with a space in its name, and has what
is committed here. Needs root and the file system `overlay`. The table that it prints, and leaves in
build/machines/table.md, has for each step how long it took and how much processor time, without the time in which packages
were installed.
"""

import argparse
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import time

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "tests" / "repository"))

import readme  # noqa: E402

RELEASES = {"bookworm": "Debian 12", "trixie": "Debian 13"}
# Those after the clone and its packages, by the names that the table has.
STEPS = ("./dev run", "./dev test", "library", "README: fetched", "README: packages", "README: installed", "example")
HOME = "/root"
CLONE = "a folder/evencube"
def run(*words, **settings):
    return subprocess.run([str(word) for word in words], check=True, **settings)


def made_root(folder, release):
    root = folder / release
    if not (root / "complete").exists():
        shutil.rmtree(root, ignore_errors=True)
        print(f"Making {root}.", flush=True)
        # Debootstrap takes no path with a space.
        with tempfile.TemporaryDirectory() as made:
            run("debootstrap", "--variant=minbase", "--include=git,ca-certificates", release, f"{made}/root", stdout=subprocess.DEVNULL)
            run("mv", f"{made}/root", root)
        (root / "complete").touch()
    return root


class Machine:
    """A root under a layer of its own, in which commands run; what it prints is shown."""

    def __init__(self, folder, release, source):
        self.release = release
        self.root = made_root(folder, release)
        self.layer = folder / f"{release}-layer"
        shutil.rmtree(self.layer, ignore_errors=True)
        for name in ("upper", "work", "root", "shared"):
            (self.layer / name).mkdir(parents=True)
        self.archives = folder / f"{release}-archives"
        (self.archives / "partial").mkdir(parents=True, exist_ok=True)
        run("git", "clone", "-q", "--bare", source, self.layer / "shared" / "evencube.git")
        run("git", "branch", "-q", "-f", "main", "HEAD", cwd=self.layer / "shared" / "evencube.git")
        self.lines = []

    def script(self, text, where):
        """Everything in one mount namespace, which ends with the command."""
        top = self.layer / "root"
        inner = self.layer / "shared" / "step.sh"
        inner.write_text(f"set -euo pipefail\ncd {where}\n{text}\n", encoding="utf-8")
        return f"""
set -eu
mount -t overlay overlay -o lowerdir='{self.root}',upperdir='{self.layer}/upper',workdir='{self.layer}/work' '{top}'
mount -t proc proc '{top}/proc'
mount --rbind /sys '{top}/sys'
mount --rbind /dev '{top}/dev'
mkdir -p '{top}/shared'
mount --bind '{self.layer}/shared' '{top}/shared'
mount --bind '{self.archives}' '{top}/var/cache/apt/archives'
cp /etc/resolv.conf '{top}/etc/resolv.conf'
# As the installer writes it: mpirun asks for the machine's own name, and without an answer waits seconds each time.
printf '127.0.0.1\\tlocalhost %s\\n' "$(uname -n)" >'{top}/etc/hosts'
exec chroot '{top}' env -i HOME={HOME} PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LANG=C.UTF-8 CMAKE_GENERATOR=Ninja \\
  {' '.join(f"'{name}={value}'" for name, value in os.environ.items() if name.lower().endswith('_proxy'))} \\
  bash /shared/step.sh
"""

    def step(self, name, text, where=f"'{HOME}/{CLONE}'"):
        """True if it ended well."""
        print(f"\n== {RELEASES[self.release]}: {name}\n", flush=True)
        before, began = os.times(), time.monotonic()
        done = subprocess.run(["unshare", "--mount", "--pid", "--fork", "sh", "-c", self.script(text, where)], check=False,
                              stdin=subprocess.DEVNULL)
        after, wall = os.times(), time.monotonic() - began
        used = after.children_user + after.children_system - before.children_user - before.children_system
        ok = done.returncode == 0
        self.lines.append((RELEASES[self.release], name, "passed" if ok else f"FAILED ({done.returncode})", wall, used))
        print(f"== {name} {'passed' if ok else 'FAILED'} in {wall:.0f} s, {used:.0f} s of processor time", flush=True)
        return ok


def here(command):
    """The package manager asks nothing, and root needs no sudo."""
    return re.sub(r"^sudo apt install", "apt-get -q -y -o Dpkg::Use-Pty=0 install", command).replace("~/", f"{HOME}/")


def try_machine(machine, page, wanted):
    def step(name, *words, **settings):
        if not wanted or name in wanted:
            machine.step(name, *words, **settings)

    if not machine.step("clone", f"mkdir -p '{HOME}/a folder'\ngit clone -q /shared/evencube.git '{HOME}/{CLONE}'", where="/"):
        return
    machine.step("packages", "apt-get -q update >/dev/null\n"
                 "bash -c 'root=$PWD; source dev.d/packages.sh; fail() { exit 1; }; "
                 "need \"$packages_to_test$packages_to_package\"'")
    step("./dev run", "./dev run")
    step("./dev test", "./dev test")
    step("library", "cmake -S . -B build/library\ncmake --build build/library -j \"$(nproc)\"")
    folder = f"{HOME}/a program"
    for way, session in zip(("fetched", "packages", "installed"), page.ways()):
        commands = "\n".join(here(command) for command, _ in session)
        lists = page.project("installed" if way == "packages" else way, "file:///shared/evencube.git")
        text = f"""
rm -rf '{folder}'
mkdir -p '{folder}'
cd '{folder}'
ln -s '{HOME}/{CLONE}' evencube
cat >main.cpp <<'PROGRAM'
{page.program()}PROGRAM
cat >CMakeLists.txt <<'LISTS'
{lists}LISTS
{{
{commands}
}} | tee printed
grep -qxF '{page.program_output().strip()}' printed
"""
        step(f"README: {way}", text, where="/")
    step("example", f"""
rm -rf '{HOME}/sort'
cp -r '{HOME}/{CLONE}/examples/sort' '{HOME}/sort'
cmake -S . -B build/prefix -DCMAKE_INSTALL_PREFIX='{HOME}/prefix' >/dev/null
cmake --build build/prefix -j "$(nproc)"
cmake --install build/prefix >/dev/null
cmake -S '{HOME}/sort' -B '{HOME}/sort/build' -DCMAKE_PREFIX_PATH='{HOME}/prefix' -DCMAKE_BUILD_TYPE=Release
cmake --build '{HOME}/sort/build'
'{HOME}/sort/build/example_sort'
""")


def table(lines):
    rows = ["| machine | step | result | wall | processor |", "|---|---|---|---:|---:|"]
    rows += [f"| {where} | {what} | {result} | {wall:.0f} s | {used:.0f} s |" for where, what, result, wall, used in lines]
    return "\n".join(rows) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("root", type=pathlib.Path)
    parser.add_argument("release", nargs="*", help="; ".join(f"{name}: {text}" for name, text in RELEASES.items()))
    parser.add_argument("--only", default="", metavar="STEP,STEP", help="of the steps after `packages` only these")
    given = parser.parse_intermixed_args()
    for release in given.release:
        if release not in RELEASES:
            parser.error(f"no release '{release}'; there are {', '.join(RELEASES)}")
    wanted = set(filter(None, given.only.split(",")))
    if unknown := wanted.difference(STEPS):
        parser.error(f"no step '{unknown.pop()}'; there are {', '.join(STEPS)}")
    if os.geteuid() != 0:
        sys.exit("machines: only root can make another root")
    source = given.root.resolve()
    folder = source / "build" / "machines"
    folder.mkdir(parents=True, exist_ok=True)
    page, lines = readme.Page(source / "README.md"), []
    for release in given.release or RELEASES:
        machine = Machine(folder, release, source)
        try:
            try_machine(machine, page, wanted)
        finally:
            lines += machine.lines
            shutil.rmtree(machine.layer, ignore_errors=True)
    text = table(lines)
    (folder / "table.md").write_text(text, encoding="utf-8")
    print(f"\n{text}", end="")
    if any(result != "passed" for _, _, result, _, _ in lines):
        sys.exit(1)


if __name__ == "__main__":
    main()
