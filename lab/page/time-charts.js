// Lines over the simulated time.

import {pageColours, sharpened, shortNumber} from "./colours.js";

const [LEFT, RIGHT, TOP, BOTTOM] = [52, 14, 12, 24];

/** A step between marks of an axis: 1, 2 or 5 times a power of ten, so that at most `most` marks are needed up to `end`. */
export function markStep(end, most) {
  const least = end / Math.max(1, most);
  const power = 10 ** Math.floor(Math.log10(least));
  return [1, 2, 5, 10].map((digit) => digit * power).find((step) => step >= least * (1 - 1e-12)) ?? 10 * power;
}

function markText(value, step) {
  if (value >= 10000) return shortNumber(value);
  return value.toFixed(Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9))));
}

/**
 * Draws lines over the time of `points`. Each line is `{name, of, colour, width}`, where `of` gives the value at a point, or null
 * where there is none. `from` is the time from which values count, after the warm-up. `mark` is a point to mark, or null.
 */
export function drawOverTime(canvas, points, lines, from, mark = null) {
  const {context, width, height: tall} = sharpened(canvas);
  const colours = pageColours();
  context.clearRect(0, 0, width, tall);
  if (width < LEFT + RIGHT + 40 || points.length === 0) return;
  const end = Math.max(points.at(-1).time, mark?.time ?? 0, 1e-12);
  let most = 0;
  for (const point of mark ? [...points, mark] : points) for (const {of} of lines) most = Math.max(most, of(point) ?? 0);
  if (!(most > 0)) most = 1;
  const x = (time) => LEFT + (width - LEFT - RIGHT) * time / end;
  const y = (value) => tall - BOTTOM - (tall - TOP - BOTTOM) * value / most;
  drawAxes(context, {width, tall, end, most, x, y}, colours);
  if (from > 0 && from < end) {
    context.fillStyle = colours.line;
    context.globalAlpha = 0.4;
    context.fillRect(LEFT, TOP, x(from) - LEFT, tall - TOP - BOTTOM);
    context.globalAlpha = 1;
  }
  context.lineJoin = "round";
  for (const {of, colour, width: wide} of lines) {
    context.strokeStyle = colours[colour];
    context.lineWidth = wide;
    context.beginPath();
    let begun = false;
    for (const point of points) {
      const value = of(point);
      if (value === null) continue;
      if (begun) context.lineTo(x(point.time), y(value)); else context.moveTo(x(point.time), y(value));
      begun = true;
    }
    context.stroke();
  }
  if (mark) drawMark(context, mark, lines, {x, y, tall}, colours);
}

function drawMark(context, mark, lines, {x, y, tall}, colours) {
  context.strokeStyle = colours.soft;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(x(mark.time), TOP);
  context.lineTo(x(mark.time), tall - BOTTOM);
  context.stroke();
  context.setLineDash([]);
  for (const {of, colour} of lines) {
    context.fillStyle = colours[colour];
    context.beginPath();
    context.arc(x(mark.time), y(of(mark)), 4.5, 0, 2 * Math.PI);
    context.fill();
  }
}

function drawAxes(context, {width, tall, end, most, x, y}, colours) {
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.lineWidth = 1;
  context.strokeStyle = colours.line;
  context.fillStyle = colours.soft;
  const up = markStep(most, (tall - TOP - BOTTOM) / 28);
  for (let value = 0; value <= most * (1 + 1e-9); value += up) {
    context.beginPath();
    context.moveTo(LEFT, y(value));
    context.lineTo(width - RIGHT, y(value));
    context.stroke();
    context.fillText(markText(value, up), LEFT - 6, y(value));
  }
  context.textAlign = "center";
  const across = markStep(end, (width - LEFT - RIGHT) / 70);
  for (let time = 0; time <= end * (1 + 1e-9); time += across) context.fillText(markText(time, across), x(time), tall - 10);
}
