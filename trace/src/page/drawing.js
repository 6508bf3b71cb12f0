// What all pictures share: canvases as sharp as the screen, axes of time, colours, the tip under the pointer.
"use strict";

// Light and dark follow the browser; the pictures are drawn again by a new start.
const darkness = window.matchMedia("(prefers-color-scheme: dark)");
const dark = darkness.matches;
darkness.addEventListener("change", () => window.location.reload());
const [ink, soft, line, ground] = dark ? ["#e6ebf0", "#9aa7b4", "#2f3a46", "#1e262f"] :
  ["#1d2733", "#5c6b7c", "#dde3ea", "#eef1f5"];
const [nothing, waiting, regionColour, arrows, frames] = dark ? ["#28323d", "#566473", "#f2f5f8", "rgba(230, 235, 240, .8)", "#5d6b7a"] :
  ["#e6eaef", "#b9c3ce", "#20262e", "rgba(29, 39, 51, .75)", "#8d9aa8"];
const [computing, served, queued, criticalColour] = dark ? ["#2fa596", "#e8a04c", "#b08be0", "#ff6b6b"] :
  ["#178a7e", "#e08b2d", "#6b3fa0", "#c8262f"];
const fontOf = (size) => `${size}px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif`;

/** A context in which units are CSS pixels, cleared; the canvas is `height` high and as wide as its place. */
function prepared(canvas, height) {
  const width = Math.max(1, canvas.clientWidth);
  const ratio = window.devicePixelRatio || 1;
  canvas.style.height = height + "px";
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  context.clearRect(0, 0, width, height);
  context.font = fontOf(11);
  context.textBaseline = "middle";
  return {context, width, height};
}

/** The colour of a worker: few have strong ones, many share the circle. */
const strong = ["#178a7e", "#4467c4", "#b23a68", "#7a9a1f", "#8a5bb5", "#d9722e", "#3d96c8", "#a88414"];
function workerColour(worker, workers) {
  if (workers <= strong.length) return strong[worker];
  return `hsl(${Math.round(360 * worker / workers)} ${worker % 2 === 0 ? 60 : 45}% ${worker % 2 === 0 ? 42 : 56}%)`;
}

/** From nothing to most, away from the colour of the page. */
const scaleStops = dark ? [[30, 38, 47], [24, 74, 84], [23, 118, 116], [84, 184, 166], [196, 240, 226]] :
  [[244, 247, 250], [190, 222, 214], [92, 178, 163], [20, 120, 120], [10, 52, 74]];
/** The colour of a text on that one. */
const inkOn = (share) => share > 0.55 ? (dark ? "#10161c" : "#fff") : ink;
function scaleColour(share) {
  const place = Math.min(Math.max(share, 0), 1) * (scaleStops.length - 1);
  const low = Math.min(Math.floor(place), scaleStops.length - 2);
  const part = place - low;
  const mixed = scaleStops[low].map((value, i) => Math.round(value + part * (scaleStops[low + 1][i] - value)));
  return `rgb(${mixed.join(" ")})`;
}

/** Steps of 1, 2 or 5 times a power of ten, about `wanted` of them in `span`. */
function roundStep(span, wanted) {
  const rough = span / wanted;
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  for (const factor of [1, 2, 5]) if (power * factor >= rough) return power * factor;
  return power * 10;
}

function timeText(nanoseconds, step) {
  for (const [length, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "\u00b5s"]]) {
    if (step >= length / 1000 && nanoseconds >= length) {
      return (nanoseconds / length).toFixed(Math.max(0, Math.ceil(-Math.log10(step / length) - 1e-9))) + " " + name;
    }
  }
  return nanoseconds === 0 ? "0" : nanoseconds.toFixed(step < 1 ? 1 : 0) + " ns";
}

function drawTimeAxis(context, view, left, right, y) {
  const step = roundStep(view.to - view.from, (right - left) / 110);
  context.textAlign = "center";
  for (let k = Math.ceil(view.from / step); k * step <= view.to; ++k) {
    const x = left + (k * step - view.from) / (view.to - view.from) * (right - left);
    context.fillStyle = line;
    context.fillRect(x, 0, 1, y);
    if (x < left + 18 || x > right - 26) continue;
    context.fillStyle = soft;
    context.fillText(timeText(k * step, step), x, y + 9);
  }
}

/** Shows what `text(x, y)` says of the place under the pointer, or nothing. */
function tipOver(canvas, text) {
  const tip = document.getElementById("tip");
  canvas.addEventListener("pointermove", (event) => {
    const box = canvas.getBoundingClientRect();
    const said = text(event.clientX - box.left, event.clientY - box.top);
    tip.hidden = !said;
    if (!said) return;
    tip.textContent = said;
    tip.style.left = Math.min(event.clientX + 14, window.innerWidth - tip.offsetWidth - 8) + "px";
    tip.style.top = Math.min(event.clientY + 16, window.innerHeight - tip.offsetHeight - 8) + "px";
  });
  canvas.addEventListener("pointerleave", () => { tip.hidden = true; });
}

/** The first index in [low, high) for which the sorted array is above `value`. */
function firstAbove(array, value, low, high) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (array[middle] > value) high = middle; else low = middle + 1;
  }
  return low;
}

/** Sums of time per column of pixels: intervals are added in constant time and spread at the end. */
class Columns {
  constructor(count) {
    this.parts = new Float64Array(count + 1);
    this.slopes = new Float64Array(count + 2);
    this.count = count;
  }
  /** An interval in columns, which may reach out of the picture. */
  add(from, to) {
    from = Math.max(from, 0);
    to = Math.min(to, this.count);
    if (!(to > from)) return;
    const low = Math.floor(from), high = Math.floor(to);
    if (low === high) {
      this.parts[low] += to - from;
      return;
    }
    this.parts[low] += low + 1 - from;
    this.parts[high] += to - high;
    this.slopes[low + 1] += 1;
    this.slopes[high] -= 1;
  }
  /** Of each column, the mean number of intervals that cover it. */
  means() {
    const made = new Float64Array(this.count);
    let covering = 0;
    for (let i = 0; i < this.count; ++i) {
      covering += this.slopes[i];
      made[i] = covering + this.parts[i];
    }
    return made;
  }
}
