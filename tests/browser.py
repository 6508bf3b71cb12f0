"""A browser without a screen, for tests of pages: what EVENCUBE_BROWSER names, or a Chromium on the path."""

import functools
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
DEADLINE = 240  # seconds for one page on a busy machine


def names():
    return [os.environ["EVENCUBE_BROWSER"]] if "EVENCUBE_BROWSER" in os.environ else NAMES


def program():
    return next(filter(None, map(shutil.which, names())), "")


def run(page, width, dark, *options):
    with tempfile.TemporaryDirectory() as profile:
        return subprocess.run(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             f"--window-size={width},1600", f"--user-data-dir={profile}", "--enable-logging=stderr", "--hide-scrollbars",
             *(["--blink-settings=preferredColorScheme=0"] if dark else []), "--virtual-time-budget=5000", *options,
             page.as_uri()], capture_output=True, text=True, errors="replace", timeout=DEADLINE, check=False)


def browse(page, width=1400, dark=False):
    """The page as the browser has it in the end, and what the console said."""
    done = run(page, width, dark, "--dump-dom")
    said = [line for line in done.stderr.splitlines() if ":CONSOLE" in line or "Uncaught" in line]
    return done.stdout, said


def picture(page, file, width=1400, dark=False):
    """Draws the page into a PNG, for people to look at."""
    run(page, width, dark, f"--screenshot={file}")


# Elements that scroll by themselves may be wider inside. The page, and Doxygen's column, may not.
OVERFLOW = """<script>window.addEventListener("load", () => setTimeout(() => {
  const wide = [document.scrollingElement, ...document.querySelectorAll("#doc-content")]
    .map((one) => one.scrollWidth - one.clientWidth);
  document.body.dataset.overflow = String(Math.max(...wide));
}, 500));</script>"""


def overflow(page, width):
    """By how many pixels the page is wider than a window of this width."""
    copy = page.with_name(f"overflow-{page.name}")
    copy.write_text(page.read_text(encoding="utf-8").replace("</body>", OVERFLOW + "</body>"), encoding="utf-8")
    try:
        return int(re.search(r'data-overflow="(-?\d+)"', browse(copy, width)[0])[1])
    finally:
        copy.unlink()


@functools.cache
def missing():
    """Why there is no browser that opens a page here; empty if there is one."""
    if not program():
        return f"no browser: none of {', '.join(names())} is here (Debian: chromium)"
    with tempfile.TemporaryDirectory() as folder:
        page = pathlib.Path(folder) / "page.html"
        page.write_text("<!DOCTYPE html><p>it opens</p>")
        try:
            return "" if "it opens" in browse(page)[0] else f"{program()} opens no page here"
        except subprocess.TimeoutExpired:
            return f"{program()} does not end here"
