#!/usr/bin/env python3
"""Installs the Debian packages in a root where EvenCube has never been, uses them and removes them.

usage: package_test.py SOURCE_FOLDER PACKAGES_FOLDER

The root is this system's own under a layer that takes all changes and is thrown away: nothing of it
is changed. Needs to be root and the file system `overlay`; exits with 77 where it cannot.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "repository"))

import readme  # noqa: E402

NAMES = ("libevencube0", "libevencube-dev", "evencube", "evencube-doc")

# In the other root. $1: the folder of the work, with packages/ and the projects.
IN_THE_ROOT = r"""
set -euo pipefail
cd "$1"
made_in=$2  # the folder of the sources
files() { find /etc /opt /usr -name __pycache__ -prune -o -print | sort; }
say() { printf '\n== %s\n' "$*"; }

files >before
say install
dpkg -i packages/*.deb
say run
evencube --version
evencube run edges --size 512 --workers 2 --placement one
evencube demo --size 512 --workers 2 --folder "$1/output"
if command -v man >/dev/null; then
  man evencube >page
else
  gzip -dcf /usr/share/man/man1/evencube.1* >page
fi
grep -q evencube page
bash -c 'source /usr/share/bash-completion/completions/evencube; complete -p evencube'
test -s /usr/share/zsh/site-functions/_evencube -o -s /usr/share/zsh/vendor-completions/_evencube
test -s /usr/share/fish/vendor_completions.d/evencube.fish
say the frames of the libraries have names and lines
for library in /usr/lib/*/libevencube_runtime.so.0.1 /usr/lib/*/libevencube_runtime.a; do
  readelf --debug-dump=decodedline "$library" >lines
  grep -c '^engine\.cpp ' lines
  if readelf --debug-dump=info "$library" | grep -F "$made_in"; then exit 1; fi
done
for kind in shared static; do
  say "client by CMake, $kind"
  cmake -G Ninja -S find_package -B by-cmake-$kind -DPROGRAM="$1/main.cpp" -DKIND=$kind >/dev/null
  cmake --build by-cmake-$kind
  by-cmake-$kind/consumer
  by-cmake-$kind/algorithms
  by-cmake-$kind/replayed
  EVENCUBE_TRACE=$kind.html by-cmake-$kind/paged
  grep -q '<!DOCTYPE html>' $kind.html
done
ldd by-cmake-shared/consumer | grep '/libevencube_runtime.so.0.1 '
ldd by-cmake-shared/replayed | grep '/libevencube_simulator.so.0.1 '
if ldd by-cmake-static/replayed | grep libevencube; then exit 1; fi
say client by pkg-config
mkdir by-pkg-config
cp pkg_config/Makefile by-pkg-config
make -C by-pkg-config PROGRAM="$1/main.cpp" REPLAY="$1/simulator.cpp"
by-pkg-config/consumer
by-pkg-config/replayed
EVENCUBE_TRACE=by-pkg-config.html by-pkg-config/paged
grep -q '<!DOCTYPE html>' by-pkg-config.html
say the way that the README shows
mkdir as-shown
cp main.cpp as-shown
(cd as-shown; source ../readme.sh)
say remove
dpkg --purge evencube-doc evencube libevencube-dev libevencube0
files >after
diff before after
"""


def inside_a_layer(folder, source):
    """Runs IN_THE_ROOT in this system's root under a layer in `folder`. In a mount namespace of its own."""
    layer = folder / "layer"
    for name in ("upper", "work", "root"):
        (layer / name).mkdir(parents=True)
    root = layer / "root"
    script = folder / "shared" / "in_the_root.sh"
    script.write_text(IN_THE_ROOT, encoding="utf-8")
    return f"""
set -eu
mount -t overlay overlay -o lowerdir=/,upperdir={layer}/upper,workdir={layer}/work {root} || exit 77
mount --rbind /proc {root}/proc
mount --rbind /sys {root}/sys
mount --rbind /dev {root}/dev
mkdir -p {root}{folder / 'shared'}
mount --bind {folder / 'shared'} {root}{folder / 'shared'}
exec chroot {root} bash {script} {folder / 'shared'} {source}
"""


def main():
    source, packages = (pathlib.Path(word).resolve() for word in sys.argv[1:3])
    made = sorted(packages.glob("*.deb"))
    named = [path.name.split("_")[0] for path in made]
    if sorted(named) != sorted(NAMES):
        sys.exit(f"the packages are {named}, not {list(NAMES)}")
    if os.geteuid() != 0:
        print("skipped: only root can make another root")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="evencube-packages-") as name:
        folder = pathlib.Path(name)
        # The layer must not lie on a layer itself: on a file system in memory it does not.
        for attempt in (["unshare", "--mount", "true"], ["mount", "-t", "tmpfs", "tmpfs", folder]):
            if subprocess.run(attempt, check=False).returncode != 0:
                print("skipped: nothing may be mounted here")
                sys.exit(77)
        try:
            shared = folder / "shared"
            (shared / "packages").mkdir(parents=True)
            for path in made:
                shutil.copy(path, shared / "packages")
            for project in ("find_package", "pkg_config"):
                subprocess.run(["cp", "-r", source / "tests" / "consumers" / project, shared], check=True)
            for name in ("algorithms.cpp", "simulator.cpp"):
                shutil.copy(source / "tests" / "consumers" / name, shared)
            page = readme.Page(source / "README.md")
            # Of its first way what comes when the packages are installed.
            shown = [command for command, _ in page.ways()[1] if not command.startswith(("evencube/dev ", "sudo "))]
            (shared / "readme.sh").write_text("\n".join(shown) + "\n", encoding="utf-8")
            (shared / "main.cpp").write_text(page.program(), encoding="utf-8")
            done = subprocess.run(["unshare", "--mount", "sh", "-c", inside_a_layer(folder, source)], check=False,
                                  stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=600)
            print(done.stdout)
            if done.returncode != 0:
                sys.exit(done.returncode if done.returncode == 77 else "the packages do not work: see above")
            # With and without pages, by CMake with shared and static libraries and by pkg-config; and as the README shows.
            if done.stdout.count(page.program_output()) != 2 * 3 + 1:
                sys.exit(f"the clients did not print {page.program_output()!r} seven times")
        finally:
            subprocess.run(["umount", folder], check=True)


if __name__ == "__main__":
    main()
