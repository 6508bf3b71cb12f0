#!/usr/bin/env python3
"""`evencube lab` hands out the page, or says why there is none.

usage: command_test.py PROGRAM PAGE"""

import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAM = PAGE = ""


def lab(program, folder, *words):
    return subprocess.run([program, "lab", *words], cwd=folder, capture_output=True, text=True, check=False)


class Command(unittest.TestCase):
    def setUp(self):
        kept = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        self.addCleanup(kept.cleanup)
        self.folder = pathlib.Path(kept.name)

    def test_hands_out_the_page(self):
        if PAGE == "none":
            self.skipTest("the page of the lab was not built, because emscripten is missing")
        done = lab(PROGRAM, self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        written = self.folder / "evencube-lab.html"
        self.assertEqual(written.read_bytes(), pathlib.Path(PAGE).read_bytes())
        self.assertIn(str(written.resolve()), done.stdout)
        done = lab(PROGRAM, self.folder, "--output", "other.html", "--json")
        self.assertEqual(json.loads(done.stdout), {"file": str((self.folder / "other.html").resolve()), "bytes": written.stat().st_size})

    def test_hands_out_what_is_installed(self):
        (self.folder / "bin").mkdir()
        (self.folder / "share/evencube").mkdir(parents=True)
        installed = shutil.copy(PROGRAM, self.folder / "bin/evencube")
        (self.folder / "share/evencube/evencube-lab.html").write_text("<title>EvenCube lab</title>", encoding="utf-8")
        done = lab(installed, self.folder, "--output", "page.html")
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        self.assertEqual((self.folder / "page.html").read_text(encoding="utf-8"), "<title>EvenCube lab</title>")

    def test_says_why_there_is_none(self):
        alone = shutil.copy(PROGRAM, self.folder / "evencube")
        done = lab(alone, self.folder)
        self.assertEqual(done.returncode, 2)
        self.assertIn("emscripten", done.stderr)
        self.assertFalse((self.folder / "evencube-lab.html").exists())

    def test_refuses_a_place_that_cannot_be_written(self):
        (self.folder / "lab").mkdir()
        program = shutil.copy(PROGRAM, self.folder / "evencube")
        (self.folder / "lab/evencube-lab.html").write_text("<title>EvenCube lab</title>", encoding="utf-8")
        done = lab(program, self.folder, "--output", "nowhere/page.html")
        self.assertEqual(done.returncode, 2)
        self.assertIn("nowhere/page.html", done.stderr)


if __name__ == "__main__":
    PROGRAM, PAGE = sys.argv[1:]
    unittest.main(argv=[sys.argv[0]])
