// Loads per round and worker, who sent to whom, how long tasks computed.
"use strict";

/** A worker as a node of the cube: its number in bits, where that is short. */
function nodeText(worker, workers) {
  const bits = Math.ceil(Math.log2(workers));
  return bits >= 1 && bits <= 6 ? worker.toString(2).padStart(bits, "0") : String(worker);
}

/** Two maps under one another, before and after, over the rounds in their order. */
class LoadMap {
  constructor(model) {
    this.model = model;
    this.canvas = document.getElementById("loads");
    const {rounds, workers} = model;
    this.rows = Math.min(workers, 512);
    this.most = 0;
    for (const loads of [rounds.before, rounds.after]) for (const load of loads) this.most = Math.max(this.most, load);
    put("loads-legend",
      `Round by round from left to right; a row is a node of the cube. The darkest is ${countText(this.most)} quanta` +
      (this.rows < workers ? `; the first ${this.rows} of ${workers} workers.` : "."));
    document.getElementById("loads-section").hidden = rounds.count === 0;
    if (rounds.count === 0) return;
    this.row = Math.max(2, Math.min(22, Math.floor(150 / this.rows)));
    this.left = 58;
    tipOver(this.canvas, (x, y) => this.tipAt(x, y));
    window.addEventListener("resize", () => this.draw());
    this.draw();
  }

  draw() {
    const {rounds, workers} = this.model;
    const map = this.rows * this.row;
    const {context, width} = prepared(this.canvas, 2 * map + 50);
    this.wide = width - this.left - 4;
    const columns = Math.min(rounds.count, Math.floor(this.wide));
    this.maps = [[rounds.before, 16], [rounds.after, map + 38]];
    for (const [loads, top] of this.maps) {
      context.fillStyle = soft;
      context.textAlign = "left";
      context.fillText(loads === rounds.before ? "before" : "after", this.left, top - 8);
      for (let column = 0; column < columns; ++column) {
        const from = Math.floor(column * rounds.count / columns);
        const to = Math.max(from + 1, Math.floor((column + 1) * rounds.count / columns));
        const x = this.left + column * this.wide / columns;
        const end = this.left + (column + 1) * this.wide / columns;
        for (let worker = 0; worker < this.rows; ++worker) {
          let load = 0;
          for (let round = from; round < to; ++round) load = Math.max(load, loads[round * workers + worker]);
          // The root makes small loads visible next to large ones.
          context.fillStyle = scaleColour(this.most === 0 ? 0 : Math.sqrt(load / this.most));
          context.fillRect(x, top + worker * this.row, end - x + 0.4, this.row - (this.row > 5 ? 1 : 0));
        }
      }
      context.fillStyle = soft;
      context.textAlign = "right";
      const every = Math.ceil(10 / this.row);
      for (let worker = 0; worker < this.rows; worker += every) {
        context.fillText(nodeText(worker, workers), this.left - 7, top + worker * this.row + this.row / 2);
      }
    }
  }

  tipAt(x, y) {
    const {rounds, workers} = this.model;
    const round = Math.floor((x - this.left) / this.wide * rounds.count);
    if (round < 0 || round >= rounds.count) return "";
    for (const [, top] of this.maps) {
      const worker = Math.floor((y - top) / this.row);
      if (y < top || worker >= this.rows) continue;
      const at = round * workers + worker;
      const leader = rounds.leader[round];
      return `round ${rounds.number[round]} at ${timeText(rounds.time[round], 1)}, led by ${
        leader < 0 ? "a thread of its own" : `worker ${leader}`}\nworker ${worker}: ${countText(rounds.before[at])} before, ${
        countText(rounds.after[at])} planned after`;
    }
    return "";
  }
}

class SendMatrix {
  constructor(figures) {
    this.workers = figures.workers;
    this.canvas = document.getElementById("matrix");
    this.cells = new Map(figures.sent.map((way) => [way.from * this.workers + way.to, way.tasks]));
    this.most = figures.sent.reduce((most, way) => Math.max(most, way.tasks), 1);
    document.getElementById("matrix-section").hidden = this.cells.size === 0;
    put("matrix-legend", "Tasks moved, from the row to the column; framed where the two are neighbours in the cube.");
    if (this.workers > 1024) put("matrix-legend", `${countText(this.cells.size)} pairs of workers: too many to draw.`);
    this.drawn = this.workers <= 1024 && this.cells.size > 0;
    if (!this.drawn) return;
    tipOver(this.canvas, (x, y) => this.tipAt(x, y));
    window.addEventListener("resize", () => this.draw());
    this.draw();
  }

  draw() {
    const place = Math.max(160, Math.min(this.canvas.clientWidth - 70, 330));
    this.cell = Math.max(1, Math.min(64, place / this.workers));
    this.left = 62;
    this.top = 22;
    const size = this.cell * this.workers;
    const {context} = prepared(this.canvas, this.top + size + 6);
    context.fillStyle = soft;
    const every = Math.ceil(34 / this.cell);
    for (let worker = 0; worker < this.workers; worker += Math.ceil(12 / this.cell)) {
      context.textAlign = "right";
      context.fillText(nodeText(worker, this.workers), this.left - 7, this.top + (worker + 0.5) * this.cell);
    }
    for (let worker = 0; worker < this.workers; worker += every) {
      context.textAlign = "center";
      context.fillText(nodeText(worker, this.workers), this.left + (worker + 0.5) * this.cell, this.top - 9);
    }
    context.fillStyle = scaleColour(0);
    context.fillRect(this.left, this.top, size, size);
    context.textAlign = "center";
    const thick = this.cell > 12 ? 1 : 0;
    for (const [way, tasks] of this.cells) {
      const from = Math.floor(way / this.workers), to = way % this.workers;
      const share = Math.sqrt(tasks / this.most);
      const x = this.left + to * this.cell, y = this.top + from * this.cell;
      context.fillStyle = scaleColour(0.12 + 0.88 * share);
      context.fillRect(x + thick, y + thick, this.cell - 2 * thick, this.cell - 2 * thick);
      if (this.cell < 26) continue;
      context.fillStyle = inkOn(0.12 + 0.88 * share);
      context.fillText(String(tasks), x + this.cell / 2, y + this.cell / 2, this.cell - 4);
    }
    for (let from = 0; from < this.workers && this.workers <= 128; ++from) {
      for (let bit = 1; bit < this.workers; bit *= 2) {
        if ((from ^ bit) >= this.workers) continue;
        context.strokeStyle = frames;
        context.strokeRect(this.left + (from ^ bit) * this.cell + 0.5, this.top + from * this.cell + 0.5,
          this.cell - 1, this.cell - 1);
      }
    }
  }

  tipAt(x, y) {
    const to = Math.floor((x - this.left) / this.cell), from = Math.floor((y - this.top) / this.cell);
    if (x < this.left || y < this.top || to >= this.workers || from >= this.workers) return "";
    return `worker ${from} to worker ${to}: ${countText(this.cells.get(from * this.workers + to) || 0)} tasks`;
  }
}

class DurationChart {
  constructor(figures) {
    this.canvas = document.getElementById("durations");
    const choice = document.getElementById("durations-type");
    const of = [["anything", figures.durations], ...figures.types.slice(0, 1024).map((one) => [one.name, one.durations])];
    for (const [name] of of) choice.append(element("option", name));
    choice.onchange = () => {
      this.choose(of[choice.selectedIndex][1]);
      this.draw();
    };
    this.choose(figures.durations);
    tipOver(this.canvas, (x) => this.tipAt(x));
    window.addEventListener("resize", () => this.draw());
    this.draw();
  }

  choose(d) {
    this.first = d.histogram.findIndex((bin) => bin.tasks > 0);
    this.bins = d.histogram.slice(this.first);
    this.most = Math.max(...this.bins.map((bin) => bin.tasks));
    put("durations-legend", `median ${durationText(d.median)}, mean ${durationText(d.mean)}, 90 % below ${
      durationText(d.p90)}, 99 % below ${durationText(d.p99)}, longest ${durationText(d.max)}; without their own waits`);
  }

  draw() {
    const high = 190;
    const {context, width} = prepared(this.canvas, high + 22);
    this.left = 52;
    this.step = Math.min(70, (width - this.left - 8) / this.bins.length);
    context.textAlign = "right";
    const step = Math.max(1, roundStep(this.most, 4));
    for (let count = 0; count <= this.most; count += step) {
      const y = high - count / this.most * (high - 14);
      context.fillStyle = line;
      context.fillRect(this.left, y, width - this.left, 1);
      context.fillStyle = soft;
      context.fillText(countText(count), this.left - 7, y);
    }
    const every = Math.ceil(56 / this.step);
    this.bins.forEach((bin, i) => {
      const tall = bin.tasks / this.most * (high - 14);
      const x = this.left + i * this.step;
      context.fillStyle = computing;
      if (bin.tasks > 0) context.fillRect(x + 1, high - Math.max(tall, 1), this.step - 2, Math.max(tall, 1));
      context.fillStyle = soft;
      context.textAlign = "left";
      if (i % every === 0) context.fillText(durationText(bin.from), x, high + 11);
    });
  }

  tipAt(x) {
    const bin = this.bins[Math.floor((x - this.left) / this.step)];
    return x < this.left || !bin ? "" : `${durationText(bin.from)} to ${durationText(bin.to)}: ${countText(bin.tasks)} tasks`;
  }
}

/** What a counter of the program was, from one value to the next. */
class CurveChart {
  constructor(model) {
    this.model = model;
    if (model.curves.length === 0) return;
    document.getElementById("curves-section").hidden = false;
    this.canvas = document.getElementById("curve");
    const choice = document.getElementById("curve-of");
    for (const curve of model.curves) choice.append(element("option", model.names[curve.name]));
    choice.onchange = () => {
      this.points = model.curves[choice.selectedIndex].points;
      this.draw();
    };
    this.points = model.curves[0].points;
    tipOver(this.canvas, (x) => this.tipAt(x));
    window.addEventListener("resize", () => this.draw());
    this.draw();
  }

  draw() {
    const high = 150;
    const {context, width} = prepared(this.canvas, high + 22);
    this.left = 64;
    this.right = width - 8;
    const values = this.points.map((point) => point[1]);
    const least = Math.min(0, ...values), most = Math.max(...values);
    const span = most > least ? most - least : 1;
    const y = (value) => high - 4 - (value - least) / span * (high - 16);
    this.view = {from: 0, to: this.model.makespan};
    drawTimeAxis(context, this.view, this.left, this.right, high);
    context.textAlign = "right";
    context.fillStyle = soft;
    context.fillText(String(Number(most.toPrecision(4))), this.left - 6, y(most));
    context.fillText(String(Number(least.toPrecision(4))), this.left - 6, y(least));
    context.strokeStyle = computing;
    context.lineWidth = 1.5;
    context.beginPath();
    this.points.forEach(([time, value], i) => {
      const x = this.left + time / this.model.makespan * (this.right - this.left);
      if (i > 0) context.lineTo(x, y(this.points[i - 1][1]));
      context.lineTo(x, y(value));
    });
    context.stroke();
    put("curve-legend", `${countText(this.points.length)} values, from ${Math.min(...values)} to ${most}`);
  }

  tipAt(x) {
    if (!this.points || x < this.left || x > this.right) return "";
    const time = (x - this.left) / (this.right - this.left) * this.model.makespan;
    const after = this.points.findIndex((point) => point[0] > time);
    const at = after < 0 ? this.points.length - 1 : after - 1;
    return at < 0 ? "" : `${timeText(this.points[at][0], 1)}: ${this.points[at][1]}`;
  }
}
