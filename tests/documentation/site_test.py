#!/usr/bin/env python3
"""Makes the site of the documentation, which checks its own links, and opens pages of it in a browser where there is one:
nothing on the console.

usage: site_test.py ROOT

Exit status 77 where there is no Doxygen."""

import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import browser  # noqa: E402

ROOT = pathlib.Path()
COPIED = ("README.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md", "CITATION.cff", "CMakeLists.txt", "LICENSE", "docs",
          "runtime", "balancers", "algorithms", "interop", "cluster", "examples", "bench/README.md")


def make(root, site):
    return subprocess.run([sys.executable, "-B", root / "docs/site/make.py", root, site], capture_output=True, text=True,
                          check=False)


class Site(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.site = pathlib.Path(folder.name) / "site"

    def test_opens_without_an_error(self):
        done = make(ROOT, self.site)
        self.assertEqual(done.returncode, 0, done.stderr)
        for page in ("index.html", "guide.html", "concepts-page.html", "comparison.html", "examples-readme.html", "example-solver.html",
                     "classevencube_1_1runtime.html"):
            text = (self.site / page).read_text(encoding="utf-8")
            self.assertIn("EvenCube", text, page)
        for page, part in (("classevencube_1_1runtime", '#include &lt;<a class="el" href="runtime_8hpp_source.html">evencube/runtime.hpp<'),
                           ("looking-at-runs", '<span class="program">EVENCUBE_STATS=1 ./program</span>'),
                           ("looking-at-runs", "<code>EVENCUBE_TRACE=run-%p.trace mpirun ./program</code>"),
                           ("looking-at-runs", ">evencube whatif</a>"), ("installing", "Without ./dev</h1>"),
                           ("group__tasks", ">fork_join()</h2>"), ("group__observing", ">trace_region</a>"),
                           ("examples-readme", '<span class="prompt">$ </span><span class="program">cp</span>')):
            self.assertIn(part, (self.site / f"{page}.html").read_text(encoding="utf-8"), page)
        if browser.missing():
            self.skipTest(browser.missing())
        for page in ("index.html", "performance.html", "classevencube_1_1runtime.html"):
            shown, said = browser.browse(self.site / page)
            self.assertEqual(said, [], page)
            self.assertIn("EvenCube", shown)
        for page in ("index.html", "installing.html", "looking-at-runs.html", "performance.html", "contract.html",
                     "classevencube_1_1runtime.html"):
            for width in (1280, 500):
                self.assertLessEqual(browser.overflow(self.site / page, width), 0, f"{page} in {width} pixels")

    def test_has_a_tree_for_users_and_one_for_maintainers(self):
        done = make(ROOT, self.site)
        self.assertEqual(done.returncode, 0, done.stderr)
        for page, parent in (("what-to-use", "guide"), ("contract", "guide"), ("development", "maintainers"),
                             ("runtime-src-queues-deque", "maintainers")):
            path = re.search(r'<div id="nav-path".*?</div>', (self.site / f"{page}.html").read_text(encoding="utf-8"), re.DOTALL)
            self.assertIn(f'href="{parent}.html"', path[0], page)

    def copy(self):
        root = self.site.parent / "root"
        for name in COPIED:
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            if (ROOT / name).is_dir():
                shutil.copytree(ROOT / name, root / name)
            else:
                shutil.copy(ROOT / name, root / name)
        return root

    def refused(self, root):
        self.site.mkdir()
        (self.site / "good").touch()
        done = make(root, self.site)
        self.assertNotEqual(done.returncode, 0)
        self.assertTrue((self.site / "good").exists(), "what was there is kept")
        return done.stderr

    def test_refuses_a_header_that_is_in_no_group(self):
        root = self.copy()
        shutil.copy(ROOT / "runtime/include/evencube/error.hpp", root / "runtime/include/evencube/unsorted.hpp")
        self.assertIn("unsorted.hpp is in no group", self.refused(root))

    def test_refuses_a_link_to_a_page_that_is_not_there(self):
        root = self.copy()
        with open(root / "docs/guide.md", "a", encoding="utf-8") as page:
            page.write("\n[nowhere](no-such-page.md)\n")
        self.assertIn("docs/guide.md: there is no no-such-page.md", self.refused(root))

    def test_refuses_a_link_to_a_heading_that_is_not_there(self):
        root = self.copy()
        with open(root / "docs/recipes.md", "a", encoding="utf-8") as page:
            page.write("\n[nowhere](contract.md#no-such-heading)\n")
        self.assertIn("no-such-heading", self.refused(root))


if __name__ == "__main__":
    ROOT = pathlib.Path(sys.argv.pop(1)).resolve()
    if shutil.which("doxygen") is None:
        print("skipped: no doxygen is here (Debian: doxygen)")
        sys.exit(77)
    unittest.main()
