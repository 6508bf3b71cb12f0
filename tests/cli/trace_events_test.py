#!/usr/bin/env python3
"""Records runs, writes them for Perfetto, reads that with a reader of its own, and compares with the trace's figures.

usage: trace_events_test.py PROGRAM"""

import collections
import json
import pathlib
import subprocess
import sys
import tempfile
import unittest

import trace_events

PROGRAM = ""
RUNS = {
    "planned by who ran dry": "spin --size 600 --task-us 20 --placement one --workers 3",
    "planned by a thread": "spin --size 600 --task-us 20 --placement one --workers 2 --mode thread --trigger 8 "
                           "--period 200 --pulls off",
    "stolen": "spin --size 600 --task-us 20 --placement one --workers 4 --balancer random_stealing",
    "with waits and forks": "edges --size 500 --tile 64 --workers 2 --placement skewed",
    "alone": "matmul --size 128 --tile 32 --workers 1",
}


def evencube(*arguments):
    return subprocess.run([PROGRAM, *arguments], check=True, capture_output=True, text=True).stdout


def busy_times(document):
    """Of each worker's track: the time in which more tasks are open than waits, by a sweep over its edges."""
    edges = collections.defaultdict(list)
    for category, step in (("task", 1), ("wait", -1)):
        for begin, end, event in document.slices(category):
            track = (event["pid"], event["tid"])
            edges[track] += [(begin, step), (end, -step)]
    times = {}
    for track, changes in edges.items():
        depth, before, sum_of = 0, 0, 0
        for time, step in sorted(changes, key=lambda change: change[0]):
            sum_of += time - before if depth > 0 else 0
            depth, before = depth + step, time
        times[track] = sum_of
    return times


class Written(unittest.TestCase):
    def recorded(self, arguments):
        with tempfile.TemporaryDirectory() as folder:
            trace, out = (str(pathlib.Path(folder) / name) for name in ("a.trace", "a.json"))
            evencube("run", *arguments.split(), "--trace", trace)
            figures = json.loads(evencube("trace", trace, "--perfetto", out, "--json"))
            return figures, trace_events.read(out)

    def test_is_what_the_format_asks_for_and_tells_what_the_trace_tells(self):
        rounds = moves = 0
        named = set()
        for name, arguments in RUNS.items():
            with self.subTest(name):
                # On a busy machine the others may not wake up before worker 0 is done: then nobody plans.
                for _ in range(20):
                    figures, document = self.recorded(arguments)
                    if not name.startswith("planned") or min(figures["rounds"], figures["moves"]) > 0:
                        break
                self.compare(figures, document)
                rounds += figures["rounds"]
                named.update(one["name"] for key in ("types", "regions", "counters") for one in figures[key])
                moves += figures["moves"]
        # Of nothing there would be nothing to compare.
        self.assertGreater(rounds, 0)
        self.assertGreater(moves, 0)
        self.assertLessEqual({"spin", "sobel", "vote", "edges", "votes", "tiles that vote", "tile"}, named)

    def compare(self, figures, document):
        tasks = document.slices("task")
        self.assertEqual(len(tasks), figures["tasks"])
        self.assertEqual(sorted(event["args"]["task"] for _, _, event in tasks), list(range(figures["tasks"])))
        self.assertEqual(len(document.slices("wait")), figures["waits"])
        waited = sum(end - begin for begin, end, _ in document.slices("wait"))
        self.assertAlmostEqual(waited * 1e-9, figures["wait_seconds"], places=9)
        self.assertEqual(max(end for _, end, _ in tasks), round(figures["seconds"] * 1e9))
        workers = [track for track, name in document.names.items() if name.startswith("worker ")]
        self.assertEqual(len(workers), figures["workers"])
        busy = busy_times(document)
        of_worker = collections.Counter((event["pid"], event["tid"]) for _, _, event in tasks)
        for track in workers:
            expected = figures["per_worker"][int(document.names[track].split()[1])]
            self.assertEqual(of_worker[track], expected["tasks"])
            self.assertAlmostEqual(busy.get(track, 0) * 1e-9, expected["busy_seconds"], places=9)
        self.compare_names(figures, document)
        self.compare_moves(figures, document)
        self.compare_rounds(figures, document)

    def compare_names(self, figures, document):
        named = collections.Counter(event["name"] for _, _, event in document.slices("task"))
        self.assertEqual(named, {one["name"]: one["tasks"] for one in figures["types"]})
        lasted = collections.defaultdict(list)
        for begin, end, event in document.slices("region"):
            lasted[event["name"]].append(end - begin)
        self.assertEqual(set(lasted), {one["name"] for one in figures["regions"]})
        for one in figures["regions"]:
            self.assertEqual(len(lasted[one["name"]]), one["count"])
            self.assertAlmostEqual(sum(lasted[one["name"]]) * 1e-9, one["seconds"], places=9)
        values = collections.defaultdict(list)
        for event in document.counters:
            if event.get("cat") == "counter":
                values[event["name"]].append((event["ts"], event["args"]["value"]))
        self.assertEqual({name: (len(all_), min(v for _, v in all_), max(v for _, v in all_))
                          for name, all_ in values.items()},
                         {one["name"]: (one["count"], one["least"], one["most"]) for one in figures["counters"]})

    def compare_moves(self, figures, document):
        sends = [event for _, _, event in document.slices("send")]
        self.assertEqual(len(sends), figures["moves"])
        causes = collections.Counter(event["args"]["round"] if isinstance(event["args"]["round"], str) else "round"
                                     for event in sends)
        self.assertEqual([causes["round"], causes["pull"], causes["rescue"]],
                         [figures["moved_by_" + cause] for cause in ("rounds", "pulls", "rescues")])
        self.assertEqual(len(document.arrows), figures["moved_tasks"])
        ways = collections.Counter((document.names[(event["pid"], event["tid"])], event["args"]["to"])
                                   for event in sends)
        self.assertEqual(ways, {(f"worker {way['from']}", way["to"]): way["tasks"] for way in figures["sent"]})

    def compare_rounds(self, figures, document):
        rounds = [event["args"] for _, _, event in document.slices("round")]
        self.assertEqual(len(rounds), figures["rounds"])
        self.assertEqual(sum(one["moved"] for one in rounds), figures["moved_by_rounds"])
        seen = [one for one in rounds if sum(one["before"]) > 0]
        for key in ("before", "after"):
            for one in rounds:
                self.assertEqual(sum(one["before"]), sum(one[key]))
            mean = sum(max(one[key]) * len(one[key]) / sum(one[key]) for one in seen) / max(len(seen), 1)
            self.assertAlmostEqual(mean, figures["imbalance_" + key], places=9)
        loads = [event for event in document.counters if event.get("cat") != "counter"]
        self.assertEqual(len(loads), figures["rounds"])


class Reader(unittest.TestCase):
    """That the reader would notice."""

    GOOD = [{"ph": "X", "name": "a", "cat": "task", "pid": 1, "tid": 1, "ts": 0, "dur": 5},
            {"ph": "X", "name": "b", "cat": "task", "pid": 1, "tid": 2, "ts": 4, "dur": 5},
            {"ph": "s", "name": "m", "cat": "c", "id": 1, "pid": 1, "tid": 1, "ts": 0},
            {"ph": "f", "name": "m", "cat": "c", "id": 1, "pid": 1, "tid": 2, "ts": 4, "bp": "e"}]

    def verdict(self, events):
        with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
            json.dump({"displayTimeUnit": "ns", "traceEvents": events}, file)
            file.flush()
            try:
                trace_events.read(file.name)
            except trace_events.Broken as problem:
                return str(problem)
        return ""

    def test_finds_what_is_broken(self):
        self.assertEqual(self.verdict(self.GOOD), "")
        for at, change, message in ((0, {"ts": -1}, "before the beginning"), (0, {"dur": "5"}, "wrong type"),
                                    (0, {"ph": "Q"}, "unknown phase"), (1, {"tid": 1}, "crosses"),
                                    (2, {"id": 2}, "one start and one end"), (2, {"ts": 1}, "no slice"),
                                    (3, {"bp": "x"}, "next slice")):
            broken = [dict(event) for event in self.GOOD]
            broken[at].update(change)
            self.assertIn(message, self.verdict(broken))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main()
