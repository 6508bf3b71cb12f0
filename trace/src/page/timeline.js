// The lanes of the workers and, below them, how many computed. Both show the same window of time.
"use strict";

class Timeline {
  constructor(model) {
    this.model = model;
    this.canvas = document.getElementById("timeline");
    this.below = document.getElementById("utilisation");
    this.view = {from: 0, to: model.makespan};
    this.lanes = Math.min(model.workers, 2000);
    this.laneHeight = Math.max(3, Math.min(56, Math.floor(this.lanes <= 16 ? 240 / this.lanes + 16 : 620 / this.lanes)));
    this.top = 16;
    this.left = 64;
    // Up to so many workers each has a colour of its own; of more, only what has moved is told apart.
    this.coloured = model.workers <= 16;
    this.found = null;  // of each task, whether the search found it; null without a search
    this.steer();
    this.steerSearch();
    tipOver(this.canvas, (x, y) => this.tipAt(x, y));
    tipOver(this.below, (x) => this.tipBelow(x));
    this.showLegend();
    this.draw();
  }

  get right() { return this.canvas.clientWidth - 46; }
  timeAt(x) { return this.view.from + (x - this.left) / (this.right - this.left) * (this.view.to - this.view.from); }
  placeOf(time) {
    return this.left + (time - this.view.from) / (this.view.to - this.view.from) * (this.right - this.left);
  }

  /** At least 100 ns and at most all of it. */
  look(from, to) {
    const all = this.model.makespan;
    const span = Math.min(Math.max(to - from, Math.min(100, all)), all);
    from = Math.min(Math.max(from, 0), all - span);
    this.view = {from, to: from + span};
    if (this.scheduled) return;
    this.scheduled = true;
    requestAnimationFrame(() => { this.scheduled = false; this.draw(); });
  }
  zoom(factor, at) {
    this.look(at - (at - this.view.from) * factor, at + (this.view.to - at) * factor);
  }
  shift(share) {
    const by = share * (this.view.to - this.view.from);
    this.look(this.view.from + by, this.view.to + by);
  }

  steer() {
    const middle = () => (this.view.from + this.view.to) / 2;
    for (const canvas of [this.canvas, this.below]) {
      canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        const x = event.clientX - canvas.getBoundingClientRect().left;
        if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.shift(event.deltaX / 1000);
        else this.zoom(Math.pow(1.0018, event.deltaY), this.timeAt(x));
      }, {passive: false});
      canvas.addEventListener("dblclick", () => this.look(0, this.model.makespan));
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        this.grip = {x: event.clientX, ...this.view};
      });
      canvas.addEventListener("pointermove", (event) => {
        if (!this.grip) return;
        const by = (this.grip.x - event.clientX) / (this.right - this.left) * (this.grip.to - this.grip.from);
        this.look(this.grip.from + by, this.grip.to + by);
      });
      for (const end of ["pointerup", "pointercancel"]) canvas.addEventListener(end, () => { this.grip = null; });
    }
    const keys = {w: () => this.zoom(0.7, middle()), s: () => this.zoom(1 / 0.7, middle()),
      a: () => this.shift(-0.2), d: () => this.shift(0.2)};
    window.addEventListener("keydown", (event) => {
      if (event.target instanceof HTMLInputElement) return;
      if (keys[event.key] && !event.ctrlKey && !event.metaKey && !event.altKey) keys[event.key]();
    });
    document.getElementById("zoom-in").onclick = keys.w;
    document.getElementById("zoom-out").onclick = keys.s;
    document.getElementById("zoom-all").onclick = () => this.look(0, this.model.makespan);
    window.addEventListener("resize", () => this.look(this.view.from, this.view.to));
  }

  steerSearch() {
    this.field = document.getElementById("search");
    this.field.addEventListener("input", () => this.search(this.field.value));
    this.field.addEventListener("keydown", (event) => { if (event.key === "Enter") this.showNext(); });
    document.getElementById("search-next").onclick = () => this.showNext();
  }

  /** Marks the tasks with this number, or with this text in their name. */
  search(text) {
    const {tasks, names} = this.model;
    this.field.value = text;
    text = text.trim().toLowerCase();
    this.found = null;
    this.hits = [];
    if (text !== "") {
      const named = names.map((name) => name.toLowerCase().includes(text));
      this.found = new Uint8Array(tasks.count);
      for (let i = 0; i < tasks.count; ++i) {
        const matches = String(tasks.id[i]) === text || (tasks.name[i] >= 0 && named[tasks.name[i]]);
        if (!matches) continue;
        this.found[i] = 1;
        this.hits.push(i);
      }
      this.hits.sort((a, b) => tasks.start[a] - tasks.start[b]);
    }
    this.next = 0;
    put("search-found", text === "" ? "" : counted(this.hits.length, "task"));
    this.look(this.view.from, this.view.to);
  }

  showNext() {
    if (!this.found || this.hits.length === 0) return;
    const at = this.next % this.hits.length;
    this.next = at + 1;
    put("search-found", `${countText(at + 1)} of ${counted(this.hits.length, "task")}`);
    this.showTask(this.hits[at]);
  }

  /** Makes a task a third of the window. */
  showTask(task) {
    const {tasks} = this.model;
    const span = Math.max(tasks.end[task] - tasks.start[task], 1);
    this.look(tasks.start[task] - span, tasks.end[task] + span);
  }

  /** The task of this name that computed longest. */
  showLongest(name) {
    const {tasks, pieces, names} = this.model;
    const computed = new Float64Array(tasks.count);
    for (let i = 0; i < pieces.count; ++i) computed[pieces.task[i]] += pieces.end[i] - pieces.start[i];
    let longest = -1;
    for (let i = 0; i < tasks.count; ++i) {
      if (tasks.name[i] < 0 || names[tasks.name[i]] !== name) continue;
      if (longest < 0 || computed[i] > computed[longest]) longest = i;
    }
    if (longest < 0) return;
    this.search(String(tasks.id[longest]));
    this.showNext();
    this.canvas.scrollIntoView({block: "nearest"});
  }

  /** Tasks that a search has not found are drawn pale. */
  paleness(task) { return this.found && !this.found[task] ? 0.18 : 1; }

  classOf(piece, worker) {
    const origin = this.model.tasks.origin[this.model.pieces.task[piece]];
    return this.coloured ? origin : origin === worker ? 0 : 1;
  }
  colourOf(kind) { return this.coloured ? workerColour(kind, this.model.workers) : kind === 0 ? computing : strong[1]; }

  draw() {
    const {rounds, moves} = this.model;
    const height = this.top + this.lanes * this.laneHeight + 20;
    const {context} = prepared(this.canvas, height);
    const bottom = height - 20;
    drawTimeAxis(context, this.view, this.left, this.right, bottom);
    const width = Math.max(1, Math.floor(this.right - this.left));
    const busy = new Columns(width);
    for (let worker = 0; worker < this.model.workers; ++worker) this.drawLane(context, worker, width, busy);
    context.fillStyle = served;
    const from = firstAbove(rounds.time, this.view.from - 1, 0, rounds.count);
    const to = firstAbove(rounds.time, this.view.to, from, rounds.count);
    for (let i = from, last = -9; i < to; ++i) {
      const x = this.placeOf(rounds.time[i]);
      if (x - last < 2) continue;
      last = x;
      context.beginPath();
      context.moveTo(x - 3, 4);
      context.lineTo(x + 3, 4);
      context.lineTo(x, 11);
      context.fill();
    }
    this.drawArrows(context, firstAbove(moves.time, this.view.from - 1, 0, moves.count));
    const span = this.view.to - this.view.from;
    put("window", `${timeText(this.view.from, span / 1000)} to ${timeText(this.view.to, span / 1000)}: ` +
        durationText(span / 1e9));
    this.drawBelow(busy.means(), width);
  }

  /** Wide pieces one by one; of narrow ones, a column shows how much of it each kind has. */
  drawLane(context, worker, width, busy) {
    const {pieces, waits} = this.model;
    const shown = worker < this.lanes;
    const y = this.top + worker * this.laneHeight;
    const gap = this.laneHeight > 8 ? 3 : 1;
    const high = this.laneHeight - gap;
    const scale = width / (this.view.to - this.view.from);
    if (shown) {
      context.fillStyle = ground;
      context.fillRect(this.left, y, width, high);
      if (this.laneHeight >= 9 || worker % Math.ceil(10 / this.laneHeight) === 0) {
        context.fillStyle = soft;
        context.textAlign = "right";
        context.fillText(this.model.workers <= 64 ? `worker ${worker}` : String(worker), this.left - 10, y + high / 2);
      }
      if (this.coloured) {
        context.fillStyle = workerColour(worker, this.model.workers);
        context.fillRect(this.left - 6, y, 4, high);
      }
      this.drawWaits(context, worker, y, high, scale);
    }
    const narrow = new Map();
    const last = pieces.first[worker + 1];
    for (let i = firstAbove(pieces.end, this.view.from, pieces.first[worker], last);
         i < last && pieces.start[i] < this.view.to; ++i) {
      const from = (pieces.start[i] - this.view.from) * scale, to = (pieces.end[i] - this.view.from) * scale;
      busy.add(from, to);
      if (!shown) continue;
      const kind = this.classOf(i, worker);
      const paleness = this.paleness(pieces.task[i]);
      if (to - from < 2) {
        const key = paleness < 1 ? -1 - kind : kind;
        if (!narrow.has(key)) narrow.set(key, new Columns(width));
        narrow.get(key).add(from, to);
        continue;
      }
      const x = Math.max(from, 0), end = Math.min(to, width);
      context.globalAlpha = paleness;
      context.fillStyle = this.colourOf(kind);
      context.fillRect(this.left + x, y, Math.max(end - x - (to - from > 4 ? 1 : 0), 0.5), high);
      if (end - x > 46 && high > 11) {
        context.fillStyle = "#fff";
        context.textAlign = "left";
        context.fillText(this.labelOf(pieces.task[i]), this.left + x + 4, y + high / 2 + 1, end - x - 8);
      }
    }
    context.globalAlpha = 1;
    if (!shown) return;
    const filled = new Float64Array(width);
    // Those that were found first, at the bottom of the lane.
    for (const key of [...narrow.keys()].sort((a, b) => (a < 0) - (b < 0) || a - b)) {
      const means = narrow.get(key).means();
      context.fillStyle = this.colourOf(key < 0 ? -1 - key : key);
      context.globalAlpha = key < 0 ? 0.18 : 1;
      for (let x = 0; x < width; ++x) {
        if (means[x] <= 0) continue;
        const part = Math.min(means[x], 1 - filled[x]) * high;
        context.fillRect(this.left + x, y + high - filled[x] * high - part, 1, part);
        filled[x] += means[x];
      }
    }
    context.globalAlpha = 1;
    this.drawRegions(context, worker, y, high, scale);
    this.drawCritical(context, worker, y + high, scale);
  }

  /** A line below the tasks of the critical path, where they computed. */
  drawCritical(context, worker, y, scale) {
    const {pieces, tasks} = this.model;
    const line = this.laneHeight > 8 ? 3 : 1;
    context.fillStyle = criticalColour;
    const last = pieces.first[worker + 1];
    for (let i = firstAbove(pieces.end, this.view.from, pieces.first[worker], last);
         i < last && pieces.start[i] < this.view.to; ++i) {
      if (!tasks.critical[pieces.task[i]]) continue;
      const from = Math.max(0, (pieces.start[i] - this.view.from) * scale);
      const to = (Math.min(pieces.end[i], this.view.to) - this.view.from) * scale;
      context.fillRect(this.left + from, y - 1, Math.max(to - from, 1), line);
    }
  }

  drawWaits(context, worker, y, high, scale) {
    const {waits} = this.model;
    context.fillStyle = waiting;
    let until = -1;
    for (let i = waits.first[worker]; i < waits.first[worker + 1] && waits.begin[i] < this.view.to; ++i) {
      if (waits.end[i] <= Math.max(this.view.from, until)) continue;
      const from = Math.max(0, (Math.max(waits.begin[i], until) - this.view.from) * scale);
      const to = (Math.min(waits.end[i], this.view.to) - this.view.from) * scale;
      if (to - from >= 0.3) context.fillRect(this.left + from, y + high * 0.42, to - from, Math.max(1, high * 0.16));
      until = Math.max(until, waits.end[i]);
    }
  }

  drawArrows(context, first) {
    const {moves} = this.model;
    const most = 250;
    if (first + most < moves.count && moves.time[first + most] <= this.view.to) return;
    context.strokeStyle = context.fillStyle = arrows;
    context.lineWidth = 1;
    const middle = (worker) => this.top + (worker + 0.5) * this.laneHeight - 1;
    for (let i = first; i < moves.count && moves.time[i] <= this.view.to; ++i) {
      if (Math.max(moves.from[i], moves.to[i]) >= this.lanes) continue;
      const x = this.placeOf(moves.time[i]), y = middle(moves.from[i]), to = middle(moves.to[i]);
      const head = Math.sign(to - y) * Math.min(6, this.laneHeight / 3);
      context.beginPath();
      context.moveTo(x, y);
      context.lineTo(x, to - head);
      context.stroke();
      context.beginPath();
      context.moveTo(x, to);
      context.lineTo(x - 3, to - head);
      context.lineTo(x + 3, to - head);
      context.fill();
    }
  }

  /** Stacked: who computed; who had nothing while tasks waited; who had nothing. And the tasks in queues. */
  drawBelow(busy, width) {
    const {tasks, workers} = this.model;
    const high = 110;
    const {context} = prepared(this.below, high + 20);
    const scale = width / (this.view.to - this.view.from);
    const queues = new Columns(width);
    for (let i = 0; i < tasks.count; ++i) {
      if (tasks.start[i] <= this.view.from || tasks.spawned[i] >= this.view.to) continue;
      queues.add((tasks.spawned[i] - this.view.from) * scale, (tasks.start[i] - this.view.from) * scale);
    }
    const waiting = queues.means();
    let most = 1;
    for (const count of waiting) most = Math.max(most, count);
    this.columns = {busy, waiting, width};
    context.fillStyle = nothing;
    context.fillRect(this.left, 0, width, high);
    for (let x = 0; x < width; ++x) {
      const used = Math.min(busy[x], workers);
      const lost = Math.min(workers - used, waiting[x]);
      context.fillStyle = computing;
      context.fillRect(this.left + x, high - used / workers * high, 1, used / workers * high);
      context.fillStyle = served;
      context.fillRect(this.left + x, high - (used + lost) / workers * high, 1, lost / workers * high);
    }
    drawTimeAxis(context, this.view, this.left, this.right, high);
    context.strokeStyle = queued;
    context.lineWidth = 1.5;
    context.beginPath();
    for (let x = 0; x < width; ++x) context.lineTo(this.left + x + 0.5, high - 1 - waiting[x] / most * (high - 4));
    context.stroke();
    context.textAlign = "right";
    context.fillStyle = soft;
    context.fillText(`${workers}`, this.left - 8, 6);
    context.fillText("0", this.left - 8, high - 6);
    context.textAlign = "left";
    context.fillStyle = queued;
    context.fillText(most >= 100 ? Math.round(most).toLocaleString("en") : most.toFixed(1), this.right + 5, 6);
  }

  tipAt(x, y) {
    const {pieces, tasks, waits} = this.model;
    const worker = Math.floor((y - this.top) / this.laneHeight);
    if (this.grip || worker < 0 || worker >= this.lanes || x < this.left || x > this.right) return "";
    const time = this.timeAt(x);
    const first = firstAbove(pieces.end, time, pieces.first[worker], pieces.first[worker + 1]);
    const where = `worker ${worker} at ${timeText(time, 1)}`;
    if (first < pieces.first[worker + 1] && pieces.start[first] <= time) {
      const task = pieces.task[first];
      const origin = tasks.origin[task];
      return `${where}${this.regionsText(worker, time)}\n${this.nameOf(task)} ${tasks.id[task]}${tasks.parent[task] < 0 ? ", from outside" :
        `, spawned by task ${tasks.parent[task]}`}\n${timeText(tasks.start[task], 1)} to ${
        timeText(tasks.end[task], 1)}: ${durationText((tasks.end[task] - tasks.start[task]) / 1e9)}\nwaited ${
        durationText((tasks.start[task] - tasks.spawned[task]) / 1e9)} in queues${
        origin === worker ? "" : `; began on worker ${origin}`}${
        tasks.critical[task] ? "\non the critical path" : ""}`;
    }
    for (let i = waits.first[worker]; i < waits.first[worker + 1] && waits.begin[i] <= time; ++i) {
      if (waits.end[i] > time) return `${where}\ntask ${waits.id[i]} waits`;
    }
    return `${where}\nidle`;
  }

  nameOf(task) {
    const name = this.model.tasks.name[task];
    return name < 0 ? "task" : this.model.names[name];
  }
  labelOf(task) {
    const id = String(this.model.tasks.id[task]);
    return this.model.tasks.name[task] < 0 ? id : `${this.nameOf(task)} ${id}`;
  }

  /** The regions around a moment, the outermost first. */
  regionsText(worker, time) {
    const {regions, names} = this.model;
    let text = "";
    for (let i = regions.first[worker]; i < regions.first[worker + 1] && regions.begin[i] <= time; ++i) {
      if (regions.end[i] > time) text += `\nin ${names[regions.name[i]]}`;
    }
    return text;
  }

  /** Lines along the upper edge of the lane, inner regions below outer ones. */
  drawRegions(context, worker, y, high, scale) {
    const {regions, names} = this.model;
    const line = high > 24 ? 4 : 2;
    context.fillStyle = regionColour;
    for (let i = regions.first[worker]; i < regions.first[worker + 1] && regions.begin[i] < this.view.to; ++i) {
      if (regions.end[i] <= this.view.from || regions.depth[i] * line >= high / 2) continue;
      const from = Math.max(0, (regions.begin[i] - this.view.from) * scale);
      const to = (Math.min(regions.end[i], this.view.to) - this.view.from) * scale;
      if (to - from >= 0.3) context.fillRect(this.left + from, y + regions.depth[i] * line, to - from, line - 1);
    }
  }

  tipBelow(x) {
    const at = Math.floor(x - this.left);
    if (this.grip || !this.columns || at < 0 || at >= this.columns.width) return "";
    return `${timeText(this.timeAt(x), 1)}\n${this.columns.busy[at].toFixed(2)} of ${this.model.workers} computing\n${
      this.columns.waiting[at].toFixed(1)} tasks in queues`;
  }

  showLegend() {
    const legend = document.getElementById("timeline-legend");
    const kinds = this.coloured ? [...Array(this.model.workers).keys()].map((w) => [this.colourOf(w), `began on ${w}`]) :
      [[this.colourOf(0), "began here"], [this.colourOf(1), "came from another worker"]];
    for (const [colour, text] of [...kinds, [waiting, "waits"], ...(this.model.regions.count > 0 ? [[regionColour, "regions of the program"]] : []), [criticalColour, "tasks of the critical path (below)"], [served, "rounds (above the lanes)"]]) {
      const mark = document.createElement("i");
      mark.style.background = colour;
      legend.append(mark, text);
    }
    if (this.lanes < this.model.workers) legend.append(`; the first ${this.lanes} of ${this.model.workers} workers`);
  }
}
