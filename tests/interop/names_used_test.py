#!/usr/bin/env python3
"""What names_used.py says of programs whose answer is known, and of the counts in docs/programs-for-tbb.md.

usage: names_used_test.py
"""

import collections
import contextlib
import io
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import names_used  # noqa: E402

INSTALLED = pathlib.Path("/usr/include")
LOOP = "#include <tbb/parallel_for.h>\nvoid f() { tbb::parallel_for(0, 9, [](int) {}); }\n"
VECTOR = "#include <oneapi/tbb/concurrent_vector.h>\noneapi::tbb::concurrent_vector<int> v;\n"
FLOW = "#include <tbb/flow_graph.h>\ntbb::flow::graph g;\n"
VERSION = "#if TBB_INTERFACE_VERSION < 12000\n{}#endif\n"


@unittest.skipUnless((INSTALLED / "oneapi/tbb.h").exists(), "oneTBB's headers are not here")
class NamesUsed(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name) / "program"
        self.folder.mkdir()
        self.known = names_used.Known(INSTALLED, {})

    def row(self, text, path="main.cpp", git=False):
        """Verdict and deciding names of a program of that source."""
        source = self.folder / path
        source.parent.mkdir(parents=True, exist_ok=True)
        source.write_text(text, encoding="utf-8")
        if git:
            for words in (("init", "-q"), ("add", "-A"), ("-c", "user.name=a", "-c", "user.email=a@b", "commit", "-q", "-m", "a")):
                subprocess.run(["git", "-C", self.folder, *words], check=True)
        with contextlib.redirect_stdout(io.StringIO()) as said:
            names_used.row(self.folder / ".git" if git else self.folder, git, self.known, False)
        cells = [cell.strip() for cell in said.getvalue().strip().strip("|").split("|")]
        return cells[4], cells[6]

    def test_verdicts(self):
        for text, expected in ((LOOP, ("unchanged", "")), (LOOP + VECTOR, ("include order", "`concurrent_vector`")),
                               (LOOP + VECTOR + FLOW, ("not", "`flow`")), ("// tbb::flow::graph\n" + LOOP, ("unchanged", "")),
                               ("auto a = tbb::task_scheduler_init::automatic;\n", ("not", "`task_scheduler_init::automatic` (old)")),
                               ("puts(TBB_VERSION_STRING);\ntbb::profiling::set_name(mutex, name);\n", ("unchanged", "")),
                               ("tbb::profiling::event e(name);\n", ("not", "`profiling::event`"))):
            with self.subTest(text=text):
                self.assertEqual(self.row(text), expected)

    def test_conditions_on_the_version_decide(self):
        self.assertEqual(self.row(LOOP + VERSION.format(FLOW)), ("unchanged", ""))
        self.assertEqual(self.row(LOOP + VERSION.replace("<", ">=").format(FLOW)), ("not", "`flow`"))
        self.assertEqual(self.row(LOOP + VERSION.format("#else\n" + FLOW)), ("not", "`flow`"))

    def test_a_copy_of_onetbb_is_left_out(self):
        self.row(LOOP)
        self.assertEqual(self.row(FLOW, "third_party/tbb/include/tbb/x.h"), ("unchanged", ""))

    def test_of_a_repository_the_newest_commit_is_read(self):
        self.assertEqual(self.row(LOOP + FLOW, git=True), ("not", "`flow`"))


class Page(unittest.TestCase):
    def test_counts_are_those_of_its_table(self):
        text = (HERE.parent.parent / "docs/programs-for-tbb.md").read_text(encoding="utf-8")
        rows = re.findall(r"^\| \S+/\S+ \| .*$", text, re.MULTILINE)
        verdicts = collections.Counter(row.split("|")[5].strip() for row in rows)
        self.assertEqual(len(rows), 42)
        for verdict, programs in re.findall(r"^\| (unchanged|include order|not) \| (\d+) \|", text, re.MULTILINE):
            self.assertEqual(verdicts.pop(verdict), int(programs))
        self.assertEqual(verdicts, {})
        said = re.findall(r"`(concurrent_\w+)` \((\d+)", text)
        self.assertEqual(len(said), 3)
        for name, count in said:
            self.assertEqual(sum(f"`{name}`" in row or f"`tbb/{name}.h`" in row for row in rows), int(count), name)


if __name__ == "__main__":
    unittest.main()
