"""A picture of ratios on a logarithmic scale, as SVG: a row for each name, a mark for each number of workers."""

import math
from dataclasses import dataclass
from xml.sax.saxutils import escape

WIDTH, LEFT, RIGHT, TOP, ROW, BOTTOM = 860, 250, 24, 78, 22, 48
# Told apart by shape, too. Both palettes have 4.5:1 against their background.
SHAPES = ("circle", "square", "diamond", "triangle")
STYLE = """
svg { background: #ffffff }
.back { fill: #ffffff } .band { fill: #f3f4f6 } .grid { stroke: #d0d4da } .one { stroke: #57606a; stroke-width: 1.5 }
text { fill: #1f2328; font: 12px sans-serif } .title { font-weight: bold; font-size: 14px }
.c0 { fill: #0550ae; stroke: #0550ae } .c1 { fill: #bc4c00; stroke: #bc4c00 }
.c2 { fill: #1a7f37; stroke: #1a7f37 } .c3 { fill: #8250df; stroke: #8250df }
@media (prefers-color-scheme: dark) {
  svg { background: #0d1117 }
  .back { fill: #0d1117 } .band { fill: #161b22 } .grid { stroke: #30363d } .one { stroke: #9198a1 }
  text { fill: #f0f6fc }
  .c0 { fill: #58a6ff; stroke: #58a6ff } .c1 { fill: #f0883e; stroke: #f0883e }
  .c2 { fill: #3fb950; stroke: #3fb950 } .c3 { fill: #d2a8ff; stroke: #d2a8ff }
}
"""


@dataclass(frozen=True)
class Mark:
    """The ratio of a row with so many workers, and those of its fastest and slowest run; all above 0."""
    workers: int
    ratio: float
    least: float
    most: float


def steps(least, most):
    """1, 2 and 5 times the powers of ten around a range; powers of ten alone where it is wide."""
    digits = (1, 2, 5) if most / least < 300 else (1,)
    every = [digit * 10.0 ** power for power in range(math.floor(math.log10(least)) - 1, math.ceil(math.log10(most)) + 2)
             for digit in digits]
    first = max(step for step in every if step <= least * 1.0001)
    last = min(step for step in every if step >= most * 0.9999)
    return [step for step in every if first <= step <= last]


def shape(kind, x, y):
    if kind == "circle":
        return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="4.5"/>'
    if kind == "square":
        return f'<rect x="{x - 4:.1f}" y="{y - 4:.1f}" width="8" height="8"/>'
    corners = ((0, -5.5), (5.5, 0), (0, 5.5), (-5.5, 0)) if kind == "diamond" else ((0, -5), (5, 4), (-5, 4))
    return '<polygon points="' + " ".join(f"{x + dx:.1f},{y + dy:.1f}" for dx, dy in corners) + '"/>'


def picture(title, caption, rows):
    """The text of the picture. `rows`: names with their marks, from top to bottom."""
    marks = [mark for _, found in rows for mark in found]
    ticks = steps(min([mark.least for mark in marks] + [0.5]), max([mark.most for mark in marks] + [2.0]))
    least, most = math.log(ticks[0]), math.log(ticks[-1])
    counts = sorted({mark.workers for mark in marks})
    bottom = TOP + ROW * len(rows)

    def at(ratio):
        return LEFT + (math.log(ratio) - least) / (most - least) * (WIDTH - LEFT - RIGHT)

    def look(workers):
        return counts.index(workers) % len(SHAPES)

    lines = [f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{bottom + BOTTOM}" '
             f'viewBox="0 0 {WIDTH} {bottom + BOTTOM}" role="img">',
             f"<title>{escape(title)}</title><desc>{escape(caption)}</desc><style>{STYLE}</style>",
             f'<rect class="back" width="{WIDTH}" height="{bottom + BOTTOM}"/>',
             f'<text class="title" x="12" y="24">{escape(title)}</text>']
    x = 12
    for workers in counts:
        words = f"{workers} worker" + ("s" if workers != 1 else "")
        lines.append(f'<g class="c{look(workers)}">{shape(SHAPES[look(workers)], x + 6, 46)}</g>'
                     f'<text x="{x + 16}" y="50">{words}</text>')
        x += 40 + 7 * len(words)
    lines.append(f'<text x="{x}" y="50">line: from the fastest run to the slowest</text>')
    for index, (name, _) in enumerate(rows):
        if index % 2 == 0:
            lines.append(f'<rect class="band" x="0" y="{TOP + ROW * index}" width="{WIDTH}" height="{ROW}"/>')
    for tick in ticks:
        kind = "one" if tick == 1 else "grid"
        lines.append(f'<line class="{kind}" x1="{at(tick):.1f}" y1="{TOP}" x2="{at(tick):.1f}" y2="{bottom}"/>'
                     + "".join(f'<text text-anchor="middle" x="{at(tick):.1f}" y="{y}">{tick:g}</text>'
                               for y in (TOP - 6, bottom + 16)))
    for index, (name, found) in enumerate(rows):
        middle = TOP + ROW * index + ROW / 2
        lines.append(f'<text text-anchor="end" x="{LEFT - 12}" y="{middle + 4:.1f}">{escape(name)}</text>')
        for place, mark in enumerate(sorted(found, key=lambda each: each.workers)):
            y = middle + (place - (len(found) - 1) / 2) * 8
            lines.append(f'<g class="c{look(mark.workers)}"><line x1="{at(mark.least):.1f}" y1="{y:.1f}" '
                         f'x2="{at(mark.most):.1f}" y2="{y:.1f}"/>{shape(SHAPES[look(mark.workers)], at(mark.ratio), y)}'
                         f"<title>{escape(name)}, {mark.workers}: {mark.ratio:.2f}</title></g>")
    lines.append(f'<text text-anchor="middle" x="{(LEFT + WIDTH - RIGHT) / 2:.1f}" y="{bottom + 36}">{escape(caption)}</text>')
    return "\n".join(lines) + "\n</svg>\n"
