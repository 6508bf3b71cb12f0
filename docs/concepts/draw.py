#!/usr/bin/env python3
"""Draws the pictures of docs/concepts.md, next to this script.

usage: draw.py

The colours follow the reader's browser, light or dark.
"""

import math
import pathlib

STYLE = """
  .paper { fill: #ffffff }
  text { font: 13px sans-serif; fill: #1f2430; text-anchor: middle }
  .small { font-size: 11.5px; fill: #566070 }
  .left { text-anchor: start }
  .right { text-anchor: end }
  .strong { font-weight: bold }
  .node { fill: #e8eef8; stroke: #2f5fa8; stroke-width: 1.5 }
  .inside { fill: #1f2430 }
  .box { fill: none; stroke: #8a94a6; stroke-width: 1.2 }
  .task { fill: #cfe0f7; stroke: #2f5fa8 }
  .shared { fill: #fbe3c4; stroke: #b46a00 }
  .running { fill: #cdebd3; stroke: #2b7a3d }
  .line { fill: none; stroke: #8a94a6; stroke-width: 1.5 }
  .arrow { fill: none; stroke: #b46a00; stroke-width: 2 }
  .head { fill: #b46a00; stroke: none }
  .d0 { fill: none; stroke: #2f5fa8; stroke-width: 2.2 }
  .d1 { fill: none; stroke: #b46a00; stroke-width: 2.2; stroke-dasharray: 7 3 }
  .d2 { fill: none; stroke: #2b7a3d; stroke-width: 2.2; stroke-dasharray: 2 3 }
  .d0text { fill: #2f5fa8 } .d1text { fill: #b46a00 } .d2text { fill: #2b7a3d }
  @media (prefers-color-scheme: dark) {
    .paper { fill: #14181f }
    text { fill: #e4e8ef }
    .small { fill: #a5afbf }
    .node { fill: #22324d; stroke: #7fa8e6 }
    .inside { fill: #e4e8ef }
    .task { fill: #2a4368; stroke: #7fa8e6 }
    .shared { fill: #5a4218; stroke: #e9a94a }
    .running { fill: #21492c; stroke: #7ccb8e }
    .arrow { stroke: #e9a94a }
    .head { fill: #e9a94a }
    .d0 { stroke: #7fa8e6 } .d1 { stroke: #e9a94a } .d2 { stroke: #7ccb8e }
    .d0text { fill: #7fa8e6 } .d1text { fill: #e9a94a } .d2text { fill: #7ccb8e }
  }
"""


class Picture:
    def __init__(self, width, height, title):
        self.size, self.title, self.parts = (width, height), title, []

    def text(self, x, y, words, kind=""):
        self.parts.append(f'<text x="{x:g}" y="{y:g}" class="{kind}">{words}</text>')

    def box(self, x, y, width, height, kind, round_by=3):
        self.parts.append(f'<rect x="{x:g}" y="{y:g}" width="{width:g}" height="{height:g}" rx="{round_by}" class="{kind}"/>')

    def line(self, a, b, kind="line"):
        self.parts.append(f'<path d="M{a[0]:g} {a[1]:g}L{b[0]:g} {b[1]:g}" class="{kind}"/>')

    def arrow(self, a, b, gap=0.0):
        """From a to b, both ends drawn back by gap."""
        length = math.dist(a, b)
        x, y = (b[0] - a[0]) / length, (b[1] - a[1]) / length
        a, b = (a[0] + x * gap, a[1] + y * gap), (b[0] - x * gap, b[1] - y * gap)
        neck = (b[0] - 8 * x, b[1] - 8 * y)
        self.line(a, neck, "arrow")
        corners = (b, (neck[0] - 4.5 * y, neck[1] + 4.5 * x), (neck[0] + 4.5 * y, neck[1] - 4.5 * x))
        self.parts.append('<path d="M' + "L".join(f"{p[0]:.1f} {p[1]:.1f}" for p in corners) + 'Z" class="head"/>')

    def node(self, at, words, radius=16.0):
        self.parts.append(f'<circle cx="{at[0]:g}" cy="{at[1]:g}" r="{radius:g}" class="node"/>')
        self.text(at[0], at[1] + 4.5, words, "inside")

    def write(self, name):
        width, height = self.size
        text = (f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
                f'role="img">\n<title>{self.title}</title>\n<style>{STYLE}</style>\n'
                f'<rect class="paper" width="{width}" height="{height}"/>\n' + "\n".join(self.parts) + "\n</svg>\n")
        (pathlib.Path(__file__).resolve().parent / name).write_text(text, encoding="utf-8")


def cubes():
    """Cubes of 2, 4, 6 and 8 workers."""
    picture = Picture(700, 220, "Cubes of 2, 4, 6 and 8 workers")
    left = 45
    for workers, width in ((2, 80), (4, 80), (6, 125), (8, 125)):
        place = [(left + 80 * (k & 1) + 45 * (k >> 2), 150 - 80 * (k >> 1 & 1) - 40 * (k >> 2)) for k in range(workers)]
        for k in range(workers):
            for dimension in range(3):
                other = k ^ 1 << dimension
                if k < other < workers:
                    picture.line(place[k], place[other], f"d{dimension}")
        for k in range(workers):
            picture.node(place[k], str(k), 14)
        picture.text(left + width / 2, 190, f"{workers} workers", "small")
        left += width + 65
    for dimension in range(3):
        picture.line((200 + 120 * dimension, 210), (225 + 120 * dimension, 210), f"d{dimension}")
        picture.text(231 + 120 * dimension, 214, f"dimension {dimension}", f"left small d{dimension}text")
    picture.write("cube.svg")


def worker():
    """A worker and its queue."""
    picture = Picture(700, 185, "A worker: a thread on a core, the task that it runs, and its queue")
    picture.box(20, 30, 500, 95, "box", 8)
    picture.text(32, 22, "worker 0: a thread, bound to a core", "left small")
    picture.text(75, 52, "runs", "small")
    picture.box(50, 65, 50, 32, "running")
    picture.text(75, 86, "1")
    picture.text(325, 52, "its queue", "small")
    for i, (kind, cost) in enumerate((("task", 1), ("task", 1), ("task", 3), ("shared", 2), ("shared", 1))):
        picture.box(160 + 66 * i, 65, 60, 32, kind)
        picture.text(190 + 66 * i, 86, str(cost))
    picture.text(258, 115, "private", "small")
    picture.text(423, 115, "shared", "small")
    picture.arrow((158, 81), (102, 81))
    picture.arrow((486, 81), (580, 81))
    picture.text(588, 78, "other workers", "left small")
    picture.text(588, 93, "take the oldest", "left small")
    picture.text(190, 145, "newest, which it takes next", "small")
    picture.text(454, 145, "oldest", "small")
    picture.text(325, 172, "load: 8 quanta in the queue and 1 for the running task = 9", "small strong")
    picture.write("worker.svg")


# The example of the page: four workers, and what `oem` plans for these loads, phase by phase.
LOADS = (9, 1, 4, 2)
PHASES = (((0, 1, 4), (2, 3, 1)), ((0, 2, 1), (1, 3, 1)))


def rounds():
    """The loads of a round before, between and after the two phases of its plan."""
    picture = Picture(700, 210, "A round: the loads 9, 1, 4, 2 become 4, 4, 4, 4 in two phases")
    loads = list(LOADS)
    titles = ("loads, and phase 1", "then, and phase 2", "afterwards")
    for step, title in enumerate(titles):
        left = 75 + 240 * step
        place = [(left + 90 * (k & 1), 150 - 95 * (k >> 1)) for k in range(4)]
        for k in range(4):
            for dimension in range(2):
                if k < (other := k ^ 1 << dimension):
                    picture.line(place[k], place[other])
        for k in range(4):
            picture.node(place[k], str(loads[k]), 18)
            picture.text(place[k][0] + (-31 if k % 2 == 0 else 31), place[k][1] + 22, f"w{k}", "small")
        picture.text(left + 45, 22, title, "small strong")
        if step == 2:
            break
        for source, target, quanta in PHASES[step]:
            a, b = place[source], place[target]
            if a[1] == b[1]:
                picture.arrow((a[0], a[1]), (b[0], b[1]), 21)
                picture.text((a[0] + b[0]) / 2, a[1] - 8, str(quanta), "strong")
            else:
                picture.arrow(a, b, 21)
                picture.text(a[0] + (-11 if source % 2 == 0 else 11), (a[1] + b[1]) / 2 + 4, str(quanta), "strong")
            loads[source] -= quanta
            loads[target] += quanta
    assert loads == [4, 4, 4, 4]
    legend = "w0 to w3 are the workers; the number in a circle is a load, the number at an arrow is quanta"
    picture.text(350, 198, legend, "small")
    picture.write("round.svg")


def transmissions():
    """When each transfer of that plan is under way, if a quantum takes one unit of time over a link."""
    (first, second) = PHASES
    shown = (("phased", [(*t, 0) for t in first] + [(*t, max(q for _, _, q in first)) for t in second]),
             ("overlapped", [(*t, 0) for t in first + second]),
             ("direct", [(0, 1, 3, 0), (0, 3, 2, 0)]))
    unit, top = 70, 50
    picture = Picture(700, 315, "The same plan under three transmissions: phased takes 5 units of time, overlapped 4, direct 3")
    bottom = top + sum(18 * len(bars) + 20 for _, bars in shown) - 12
    for tick in range(6):
        x = 210 + unit * tick
        picture.line((x, 36), (x, bottom))
        picture.text(x, 28, str(tick), "small")
    picture.text(205 + unit * 5 + 22, 28, "time", "left small")
    for name, bars in shown:
        picture.text(20, top + 13, name, "left strong")
        cost = max(start + quanta for _, _, quanta, start in bars)
        for source, target, quanta, start in bars:
            x = 210 + unit * start
            kind = "running" if name == "direct" else "shared" if (source, target, quanta) in first else "task"
            picture.text(198, top + 12, f"w{source} to w{target}", "right small")
            picture.box(x, top, unit * quanta, 15, kind)
            top += 18
        picture.text(210 + unit * cost + 8, top - 9 * len(bars) + 3, f"takes {cost}", "left small strong")
        top += 20
    picture.text(350, bottom + 22, "orange: phase 1; blue: phase 2; green: transfers that skip the worker between", "small")
    picture.write("transmission.svg")


if __name__ == "__main__":
    cubes()
    worker()
    rounds()
    transmissions()
