// The charts next to the cube: difference by phase, loads by node, and links over time.

import {SHADES, shadeOf, pageColours, sharpened, shortNumber} from "./colours.js";

/** The colours of a cube's dimensions; other networks have the first for all links. */
export const DIMENSIONS = ["#1f77b4", "#d95f02", "#2a9d5c", "#c2408a", "#7a5fc7", "#a6761d", "#4e8f9e", "#b5433a"];

const height = (value) => Math.log2(1 + value);

/** The difference after each phase, with the bound of the theorem. The scale is logarithmic and begins at 0. */
export function drawDifferences(canvas, {differences, bound}, phase) {
  const {context, width, height: tall} = sharpened(canvas);
  const colours = pageColours();
  context.clearRect(0, 0, width, tall);
  if (width < 60) return;
  const [left, right, top, bottom] = [44, 14, 12, 24];
  const most = Math.max(1, bound ?? 0, differences.reduce((a, b) => Math.max(a, b), 0));
  const x = (i) => left + (width - left - right) * (differences.length > 1 ? i / (differences.length - 1) : 0.5);
  const y = (value) => tall - bottom - (tall - top - bottom) * height(value) / height(most);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.lineWidth = 1;
  let last = Infinity;
  for (const value of [0, 1, 2, 4, 8, 16, 32, 64, 128, 512, 2048, 8192, 65536, 1 << 20, 1 << 24, 1 << 28]) {
    if (value > most || last - y(value) < 15) continue;
    last = y(value);
    context.strokeStyle = colours.line;
    context.beginPath();
    context.moveTo(left, last);
    context.lineTo(width - right, last);
    context.stroke();
    context.fillStyle = colours.soft;
    context.fillText(shortNumber(value), left - 6, last);
  }
  context.textAlign = "center";
  const every = Math.max(1, Math.ceil(differences.length / Math.max(2, (width - left) / 34)));
  for (let i = 0; i < differences.length; i += every) context.fillText(String(i), x(i), tall - 10);
  if (bound !== null && bound !== undefined) {
    context.setLineDash([6, 4]);
    context.lineWidth = 1.6;
    context.strokeStyle = colours.warn;
    context.beginPath();
    context.moveTo(left, y(bound));
    context.lineTo(width - right, y(bound));
    context.stroke();
    context.setLineDash([]);
    context.fillStyle = colours.warn;
    context.textAlign = "right";
    context.fillText(`bound ${shortNumber(bound)}`, width - right, y(bound) - 8);
  }
  context.strokeStyle = colours.accent;
  context.lineWidth = 2;
  context.lineJoin = "round";
  context.beginPath();
  differences.forEach((value, i) => (i === 0 ? context.moveTo(x(i), y(value)) : context.lineTo(x(i), y(value))));
  context.stroke();
  context.fillStyle = colours.accent;
  if (differences.length <= 40) {
    for (const [i, value] of differences.entries()) {
      context.beginPath();
      context.arc(x(i), y(value), 3, 0, 2 * Math.PI);
      context.fill();
    }
  }
  const at = Math.min(phase, differences.length - 1);
  context.beginPath();
  context.arc(x(at), y(differences[at]), 6, 0, 2 * Math.PI);
  context.fill();
  context.lineWidth = 2;
  context.strokeStyle = colours.card;
  context.stroke();
}

/** The loads of all nodes as columns, with their mean. */
export function drawProfile(canvas, loads, largest) {
  const {context, width, height: tall} = sharpened(canvas);
  const colours = pageColours();
  context.clearRect(0, 0, width, tall);
  if (width < 30 || loads.length === 0) return;
  const [left, right, top, bottom] = [44, 14, 10, 20];
  const room = tall - top - bottom;
  const step = (width - left - right) / loads.length;
  const most = Math.max(largest, 1);
  let sum = 0;
  for (let k = 0; k < loads.length; ++k) {
    sum += loads[k];
    const tallness = room * Math.min(1, loads[k] / most);
    context.fillStyle = SHADES[shadeOf(loads[k], largest)];
    context.fillRect(left + k * step, top + room - tallness, Math.max(step * (step > 3 ? 0.82 : 1), 0.6), tallness);
  }
  context.font = "11px system-ui, sans-serif";
  context.fillStyle = colours.soft;
  context.textBaseline = "middle";
  context.textAlign = "right";
  context.fillText(shortNumber(most), left - 6, top + 4);
  context.fillText("0", left - 6, top + room);
  context.textAlign = "center";
  const every = Math.ceil(loads.length / Math.max(2, (width - left) / 36));
  for (let k = 0; k < loads.length; k += every) context.fillText(String(k), left + (k + 0.41) * step, tall - 8);
  const mean = top + room * (1 - sum / loads.length / most);
  context.strokeStyle = colours.ink;
  context.lineWidth = 1;
  context.setLineDash([3, 3]);
  context.beginPath();
  context.moveTo(left, mean);
  context.lineTo(width - right, mean);
  context.stroke();
  context.setLineDash([]);
}

/** The colours from 0 to `largest`, with that number next to them. */
export function drawScale(canvas, label, largest) {
  label.textContent = shortNumber(largest);
  const {context, width, height: tall} = sharpened(canvas);
  SHADES.forEach((shade, i) => {
    context.fillStyle = shade;
    context.fillRect(i * width / SHADES.length, 0, width / SHADES.length + 1, tall);
  });
}

export const MOST_ROWS = 32;

/** The links that a schedule uses, in the order in which they begin: `{from, to, pieces: [[start, quanta], ...]}`. */
export function linksOf(steps) {
  const found = new Map();
  for (const [start, , transfers] of steps) {
    for (let i = 0; i < transfers.length; i += 3) {
      const name = `${transfers[i]},${transfers[i + 1]}`;
      if (!found.has(name)) found.set(name, {from: transfers[i], to: transfers[i + 1], pieces: []});
      found.get(name).pieces.push([start, transfers[i + 2]]);
    }
  }
  return [...found.values()];
}

/** What is drawn for a schedule is as tall as its links need. */
export function ganttHeight(links) {
  return 30 + 17 * Math.min(links.length, MOST_ROWS) + (links.length > MOST_ROWS ? 17 : 0);
}

/** A row for each link, a bar for what it carries when. `end` is the end of the time axis, in units of T_comm. */
export function drawGantt(canvas, links, end, cube) {
  const {context, width, height: tall} = sharpened(canvas);
  const colours = pageColours();
  context.clearRect(0, 0, width, tall);
  const [left, right] = [70, 14];
  // Another view may have been chosen while the planners were asked: what is hidden has no width.
  if (width < left + right + 40) return;
  const scale = (width - left - right) / Math.max(1, end);
  context.font = "11px system-ui, sans-serif";
  context.textBaseline = "middle";
  const shown = links.slice(0, MOST_ROWS);
  const floor = 8 + 17 * shown.length;
  let tick = 1;
  while (tick * scale < 34) tick = niceAfter(tick);
  context.textAlign = "center";
  for (let time = 0; time <= end; time += tick) {
    const x = left + time * scale;
    context.strokeStyle = colours.line;
    context.lineWidth = 1;
    context.beginPath();
    context.moveTo(x, 4);
    context.lineTo(x, floor);
    context.stroke();
    context.fillStyle = colours.soft;
    context.fillText(shortNumber(time), x, floor + 10);
  }
  shown.forEach(({from, to, pieces}, row) => {
    const y = 8 + 17 * row;
    context.textAlign = "right";
    context.fillStyle = colours.soft;
    context.fillText(`${from} \u2192 ${to}`, left - 8, y + 7);
    context.fillStyle = DIMENSIONS[cube ? (31 - Math.clz32(from ^ to)) % DIMENSIONS.length : 0];
    for (const [start, quanta] of pieces) {
      const wide = Math.max(1, quanta * scale - (scale > 6 ? 1.5 : 0));
      context.beginPath();
      context.roundRect(left + start * scale, y, wide, 13, Math.min(3, wide / 2));
      context.fill();
    }
    if (scale > 1) {
      context.textAlign = "center";
      context.fillStyle = "#fff";
      for (const [start, quanta] of pieces) {
        if (quanta * scale > 24) context.fillText(shortNumber(quanta), left + (start + quanta / 2) * scale, y + 7);
      }
    }
  });
  if (links.length > MOST_ROWS) {
    context.textAlign = "left";
    context.fillStyle = colours.soft;
    context.fillText(`and ${links.length - MOST_ROWS} more links`, left, floor + 26);
  }
}

function niceAfter(tick) {
  const power = 10 ** Math.floor(Math.log10(tick));
  const digit = Math.round(tick / power);
  return (digit < 2 ? 2 : digit < 5 ? 5 : 10) * power;
}
