#!/usr/bin/env python3
"""axe-core finds no violation in any view of the lab, in light and in dark colours.

usage: axe_test.py PAGE PROGRAM      PROGRAM is evencube, which records a run for one of the views, or none

The script of axe-core is the file that EVENCUBE_AXE names, or the one that `npm install --global axe-core` puts into place.
Exit status 77 where it, the page or a browser is missing."""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import browser  # noqa: E402
from devtools import Page  # noqa: E402
from recorded_run import recorded  # noqa: E402

VIEWS = {"cube": "v=cube&n=hypercube:3&l=15,1,1,1,1,1,1,1&b=dem&p=1", "grid": "v=cube&n=hypercube:7&b=oem&l=" + ",".join(str(k % 9) for k in range(128)),
         "compare": "v=compare&n=hypercube:3&l=15,1,1,1,1,1,1,1&c=dem|oem|cwa", "time": "v=time&n=mesh:4x4&ts=loh-stable&ta=500",
         "exercises": "v=exercises&e=half-of-it"}
# What is shown folded is checked unfolded, too.
UNFOLD = "document.querySelectorAll('details').forEach((one) => { one.open = true; })"
FIND = """axe.run(document, {resultTypes: ["violations"]}).then(({violations}) =>
  violations.map(({id, help, nodes}) => `${id}: ${help}: ${nodes.map(({html}) => html.slice(0, 120)).join(" | ")}`))"""
PLANTED = "(() => { const field = document.createElement('input'); field.id = 'planted'; document.querySelector('main').append(field); })()"


def script():
    """The path of axe-core's script, or none."""
    named = os.environ.get("EVENCUBE_AXE")
    if named:
        return pathlib.Path(named)
    npm = shutil.which("npm")
    if not npm:
        return None
    folder = subprocess.run([npm, "root", "--global"], capture_output=True, text=True, check=False).stdout.strip()
    found = pathlib.Path(folder) / "axe-core/axe.min.js"
    return found if folder and found.is_file() else None


def faults_of(page):
    return page.ask(FIND)


def main():
    address, program = sys.argv[1:]
    if address == "none":
        print("skipped: the page of the lab was not built, because emscripten is missing (Debian: emscripten)")
        return 77
    axe = script()
    if axe is None:
        print("skipped: no axe-core here (npm install --global axe-core, or EVENCUBE_AXE=PATH/axe.min.js)")
        return 77
    if browser.missing():
        print(f"skipped: {browser.missing()}")
        return 77
    source = axe.read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR")) as folder:
        if program == "none":
            print("no recording is checked, because the program evencube was not built")
        file = None if program == "none" else recorded(program, folder)
        return 1 if faults_in_views(address, source, file) else 0


def faults_in_views(address, source, file):
    """How many violations there are."""
    bad = 0
    views = dict(VIEWS, **({"recording": VIEWS["cube"]} if file else {}))
    for dark in (False, True):
        for name, fragment in views.items():
            with Page(browser.program(), f"{pathlib.Path(address).resolve().as_uri()}#{fragment}", dark=dark) as page:
                page.until("document.body?.dataset.ready === 'true'")
                if name == "recording":
                    page.choose_file("#recording-file", file)
                    page.until("evencubeLab.recording.open && evencubeLab.replay.answer.figures")
                page.ask(f"{source}; 0")
                page.ask(UNFOLD)
                found = faults_of(page)
                print(f"{name}, {'dark' if dark else 'light'}: {len(found)} violations")
                for one in found:
                    print(f"  {one}")
                bad += len(found)
                if name == "cube" and not dark:
                    page.ask(PLANTED)
                    if not any(one.startswith("label") for one in faults_of(page)):
                        print("a field without a label is not found")
                        bad += 1
    return bad


if __name__ == "__main__":
    sys.exit(main())
