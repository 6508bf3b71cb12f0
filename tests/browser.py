"""A browser without a screen, for tests of pages: what EVENCUBE_BROWSER names, or a Chromium on the path."""

import functools
import os
import pathlib
import shutil
import subprocess
import tempfile

NAMES = ("chromium", "chromium-browser", "google-chrome", "chrome")
DEADLINE = 240  # seconds for one page on a busy machine


def names():
    return [os.environ["EVENCUBE_BROWSER"]] if "EVENCUBE_BROWSER" in os.environ else NAMES


def program():
    return next(filter(None, map(shutil.which, names())), "")


def browse(page):
    """The page as the browser has it in the end, and what the console said."""
    with tempfile.TemporaryDirectory() as profile:
        done = subprocess.run(
            [program(), "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
             "--window-size=1400,1600", f"--user-data-dir={profile}", "--enable-logging=stderr",
             "--virtual-time-budget=5000", "--dump-dom", page.as_uri()],
            capture_output=True, text=True, errors="replace", timeout=DEADLINE, check=False)
    said = [line for line in done.stderr.splitlines() if ":CONSOLE" in line or "Uncaught" in line]
    return done.stdout, said


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
