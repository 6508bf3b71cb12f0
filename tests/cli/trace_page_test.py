#!/usr/bin/env python3
"""Opens the pages of `evencube trace --html` in a real browser, without a screen: nothing on the console, and what the
page counts in its own data is what the program says.

usage: trace_page_test.py PROGRAM

Exit status 77 where there is no browser that runs."""

import json
import math
import pathlib
import re
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import browser  # noqa: E402

PROGRAM = ""
RUNS = {
    "planned by who ran dry": "spin --size 600 --task-us 20 --placement one --workers 3",
    "stolen": "spin --size 300 --task-us 20 --placement one --workers 2 --balancer random_stealing",
    "with waits and forks": "edges --size 500 --tile 64 --workers 2 --placement skewed",
    "alone": "matmul --size 128 --tile 32 --workers 1",
    "by many workers": "spin --size 400 --task-us 10 --placement one --workers 40",
}
# What the page has in its own data, counted by a script that is appended to it.
COUNT = """
"use strict";

/** The figures of `evencube trace --json` as far as they follow from the arrays. */
function figuresFound(model) {
  const {workers, tasks, waits, moves, rounds, pieces} = model;
  const perWorker = [];
  let busy = 0;
  for (let worker = 0; worker < workers; ++worker) {
    let sum = 0;
    for (let i = pieces.first[worker]; i < pieces.first[worker + 1]; ++i) sum += pieces.end[i] - pieces.start[i];
    busy += sum;
    perWorker.push({tasks: tasks.first[worker + 1] - tasks.first[worker], busy_seconds: sum / 1e9, received: 0, sent: 0});
  }
  const sent = new Map();
  const moved = new Set();
  const causes = [0, 0, 0];
  for (let i = 0; i < moves.count; ++i) {
    const way = moves.from[i] * workers + moves.to[i];
    sent.set(way, (sent.get(way) || 0) + 1);
    ++perWorker[moves.from[i]].sent;
    ++perWorker[moves.to[i]].received;
    ++causes[Math.min(moves.cause[i], 2)];
    moved.add(moves.id[i]);
  }
  let waited = 0;
  for (let i = 0; i < waits.count; ++i) waited += waits.end[i] - waits.begin[i];
  return {
    critical_tasks: tasks.critical.reduce((sum, one) => sum + one, 0),
    workers, tasks: tasks.count, seconds: model.makespan / 1e9, busy_seconds: busy / 1e9, waits: waits.count,
    wait_seconds: waited / 1e9, rounds: rounds.count, moves: moves.count, moved_tasks: moved.size,
    moved_by_pulls: causes[0], moved_by_rescues: causes[1], moved_by_rounds: causes[2],
    imbalance_before: meanImbalance(rounds, rounds.before, workers),
    imbalance_after: meanImbalance(rounds, rounds.after, workers), per_worker: perWorker,
    sent: [...sent.keys()].sort((a, b) => a - b).map((way) => (
      {from: Math.floor(way / workers), to: way % workers, tasks: sent.get(way)})),
    types: typesFound(model), regions: regionsFound(model), counters: countersFound(model),
  };
}

/** Tasks by their names, those that computed longest first. */
function typesFound({tasks, pieces, names}) {
  const types = new Map();
  for (let i = 0; i < tasks.count; ++i) {
    const one = types.get(tasks.name[i]) || {name: names[tasks.name[i]], tasks: 0, busy_seconds: 0};
    ++one.tasks;
    types.set(tasks.name[i], one);
  }
  for (let i = 0; i < pieces.count; ++i) {
    types.get(tasks.name[pieces.task[i]]).busy_seconds += (pieces.end[i] - pieces.start[i]) / 1e9;
  }
  return [...types.values()].sort((a, b) => b.busy_seconds - a.busy_seconds);
}

function regionsFound({regions, names}) {
  const found = new Map();
  for (let i = 0; i < regions.count; ++i) {
    const one = found.get(regions.name[i]) || {name: names[regions.name[i]], count: 0, seconds: 0, longest_seconds: 0};
    const lasted = (regions.end[i] - regions.begin[i]) / 1e9;
    ++one.count;
    one.seconds += lasted;
    one.longest_seconds = Math.max(one.longest_seconds, lasted);
    found.set(regions.name[i], one);
  }
  return [...found.values()].sort((a, b) => b.seconds - a.seconds);
}

function countersFound({curves, names}) {
  return curves.map(({name, points}) => {
    const values = points.map((point) => point[1]);
    return {name: names[name], count: values.length, least: Math.min(...values), most: Math.max(...values),
      last: values[values.length - 1]};
  });
}

/** Of the rounds that saw any load: the largest over the mean. */
function meanImbalance(rounds, loads, workers) {
  let sum = 0, seen = 0;
  for (let round = 0; round < rounds.count; ++round) {
    let all = 0, most = 0;
    for (let i = round * workers; i < (round + 1) * workers; ++i) {
      all += loads[i];
      most = Math.max(most, loads[i]);
    }
    if (all > 0) {
      sum += most * workers / all;
      ++seen;
    }
  }
  return seen === 0 ? 0 : sum / seen;
}

{
  const made = document.createElement("pre");
  made.id = "found";
  made.hidden = true;
  made.textContent = JSON.stringify(
    figuresFound(readModel(JSON.parse(document.getElementById("report").textContent))));
  document.body.append(made);
}
"""
# What a person would do, on every picture.
HANDS = """
for (const canvas of document.querySelectorAll("canvas")) {
  const box = canvas.getBoundingClientRect();
  for (let step = 1; step < 12; ++step) {
    const at = {clientX: box.left + box.width * step / 12, clientY: box.top + box.height * step / 12, bubbles: true};
    canvas.dispatchEvent(new PointerEvent("pointermove", at));
    canvas.dispatchEvent(new WheelEvent("wheel", {...at, deltaY: step < 10 ? -900 : 3000, cancelable: true}));
  }
  canvas.dispatchEvent(new PointerEvent("pointerleave"));
  canvas.dispatchEvent(new MouseEvent("dblclick"));
}
for (const choice of document.querySelectorAll("select")) {
  choice.selectedIndex = choice.options.length - 1;
  choice.dispatchEvent(new Event("change"));
}
for (const button of document.querySelectorAll("button")) button.click();
for (const key of "wasd") window.dispatchEvent(new KeyboardEvent("keydown", {key}));
window.dispatchEvent(new Event("resize"));
document.body.dataset.hands = "moved";
"""


def append(page, script):
    page.write_text(page.read_text().replace("</body>", f"<script>{script}</script></body>"))


def found_in(document):
    return json.loads(re.search(r'<pre id="found"[^>]*>(\{.*?\})</pre>', document, re.S).group(1))


class Page(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)

    def made(self, arguments):
        trace, page = self.folder / "a.trace", self.folder / "a.html"
        subprocess.run([PROGRAM, "run", *arguments.split(), "--trace", trace], check=True, capture_output=True)
        done = subprocess.run([PROGRAM, "trace", trace, "--html", page, "--json"], check=True, capture_output=True)
        return json.loads(done.stdout), page

    def same(self, found, told, where):
        if isinstance(told, dict):
            for key, value in found.items():
                self.same(value, told[key], f"{where}.{key}")
        elif isinstance(told, list):
            self.assertEqual(len(found), len(told), where)
            for at, (one, other) in enumerate(zip(found, told)):
                self.same(one, other, f"{where}[{at}]")
        elif isinstance(told, float):
            self.assertTrue(math.isclose(found, told, rel_tol=1e-9, abs_tol=1e-12), f"{where}: {found}, not {told}")
        else:
            self.assertEqual(found, told, where)

    def test_counts_what_the_program_counts(self):
        named = set()
        for name, arguments in RUNS.items():
            with self.subTest(name):
                figures, page = self.made(arguments)
                append(page, COUNT)
                document, said = browser.browse(page)
                self.assertEqual(said, [])
                found = found_in(document)
                for key in ("tasks", "busy_seconds", "per_worker", "sent", "moves", "rounds", "wait_seconds", "types"):
                    self.assertIn(key, found)
                self.same(found, figures, "figures")
                rows = re.search(r'<table id="workers">.*?</table>', document, re.S).group(0).count("<tr")
                self.assertEqual(rows, figures["workers"] + 1)
                named.update(one["name"] for key in ("types", "regions", "counters") for one in figures[key])
        # Of nothing there would be nothing to compare.
        self.assertLessEqual({"spin", "sobel", "vote", "edges", "votes", "tiles that vote", "tile"}, named)

    def test_survives_whoever_plays_with_it(self):
        _, page = self.made(RUNS["planned by who ran dry"])
        append(page, HANDS)
        document, said = browser.browse(page)
        self.assertEqual(said, [])
        self.assertIn('data-hands="moved"', document)

    def test_asks_nobody_for_anything(self):
        _, page = self.made(RUNS["alone"])
        text = page.read_text()
        self.assertNotRegex(text, r"https?://|\bsrc=|\bhref=|url\(|@import|fetch\(|XMLHttpRequest")
        self.assertIn("default-src 'none'", text)

    def test_names_the_run_and_shows_no_empty_box(self):
        _, page = self.made("spin --size 50 --task-us 5 --workers 1 --balancer none")
        self.assertRegex(page.read_text(), "<title>spin - EvenCube</title>")
        document, said = browser.browse(page, dark=True)
        self.assertEqual(said, [])
        self.assertRegex(document, r"<title>spin: [\d.]+ \S+ on 1 worker</title>")
        origin = re.search(r'<p id="origin">(.*?)</p>', document)[1]
        self.assertRegex(origin, r"^20\d\d-\d\d-\d\d \d\d:\d\d UTC ")
        self.assertRegex(origin, r"\d processors? ")
        self.assertIn("evencube run spin --size 50", origin)
        self.assertRegex(origin, r"recording of \d+ kB$")
        for section in ("loads-section", "matrix-section", "regions-section", "curves-section"):
            self.assertRegex(document, f'<section id="{section}" hidden')

    def test_finds_tasks(self):
        _, page = self.made(RUNS["with waits and forks"])
        append(page, """
          const field = document.getElementById("search");
          field.value = "sobel";
          field.dispatchEvent(new Event("input"));
          const all = document.getElementById("search-found").textContent;
          const before = document.getElementById("window").textContent;
          field.dispatchEvent(new KeyboardEvent("keydown", {key: "Enter"}));
          const first = document.getElementById("search-found").textContent;
          [...document.querySelectorAll("#types button.link")].find((one) => one.title === "show this task").click();
          const longest = document.getElementById("search-found").textContent;
          field.value = "no such task";
          field.dispatchEvent(new Event("input"));
          const none = document.getElementById("search-found").textContent;
          document.body.dataset.found = [all, first, longest, none].join("; ");
        """)
        document, said = browser.browse(page)
        self.assertEqual(said, [])
        self.assertRegex(re.search(r'data-found="([^"]*)"', document)[1],
                         r"^(\d+) tasks; 1 of \1 tasks; 1 of 1 task; 0 tasks$")

    def test_fits_into_narrow_windows(self):
        for name in ("with waits and forks", "by many workers"):
            _, page = self.made(RUNS[name])
            for width in (1280, 500):
                self.assertLessEqual(browser.overflow(page, width), 0, f"{name} in {width} pixels")

    def test_would_notice_an_error(self):
        page = self.folder / "broken.html"
        page.write_text("<!DOCTYPE html><script>nobody.knows(this)</script>")
        self.assertEqual(len(browser.browse(page)[1]), 1)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    reason = browser.missing()
    if reason:
        print(f"skipped: {reason}")
        sys.exit(77)
    unittest.main()
