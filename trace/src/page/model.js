// From the packed bytes to arrays: one entry for each task, wait, move and round, in nanoseconds.
"use strict";

/** Reads unsigned numbers of seven bits a byte, the lowest first, as far as doubles are exact. */
class PackedReader {
  constructor(id) {
    const text = atob(document.getElementById(id).textContent.trim());
    this.bytes = new Uint8Array(text.length);
    for (let i = 0; i < text.length; ++i) this.bytes[i] = text.charCodeAt(i);
    this.at = 0;
  }
  number() {
    let byte = this.bytes[this.at++];
    if (byte < 128) return byte;
    let value = byte & 127;
    for (let scale = 128; byte >= 128; scale *= 128) {
      byte = this.bytes[this.at++];
      value += (byte & 127) * scale;
    }
    return value;
  }
  /** A number that may be negative: 0, -1, 1, -2, 2 are 0, 1, 2, 3, 4. */
  difference() {
    const value = this.number();
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  }
}

function readTasks(workers, count) {
  const from = new PackedReader("packed-tasks");
  const tasks = {
    first: new Uint32Array(workers + 1),  // of each worker, in order of their starts
    start: new Float64Array(count), end: new Float64Array(count), spawned: new Float64Array(count),
    id: new Float64Array(count), parent: new Float64Array(count), origin: new Uint32Array(count),
    worker: new Uint32Array(count), name: new Int32Array(count), count,
  };
  let at = 0;
  for (let worker = 0; worker < workers; ++worker) {
    let start = 0, id = 0;
    for (let left = from.number(); left > 0; --left, ++at) {
      start += from.number();
      tasks.start[at] = start;
      tasks.end[at] = start + from.number();
      tasks.spawned[at] = start - from.number();
      id += from.difference();
      tasks.id[at] = id;
      const parent = from.number();
      tasks.parent[at] = parent === 0 ? -1 : parent - 1;
      tasks.origin[at] = from.number();
      tasks.name[at] = from.number() - 1;
      tasks.worker[at] = worker;
    }
    tasks.first[worker + 1] = at;
  }
  return tasks;
}

function readWaits(workers, count) {
  const from = new PackedReader("packed-waits");
  const waits = {
    first: new Uint32Array(workers + 1), begin: new Float64Array(count), end: new Float64Array(count),
    id: new Float64Array(count), count,
  };
  let at = 0;
  for (let worker = 0; worker < workers; ++worker) {
    let begin = 0, id = 0;
    for (let left = from.number(); left > 0; --left, ++at) {
      begin += from.number();
      waits.begin[at] = begin;
      waits.end[at] = begin + from.number();
      id += from.difference();
      waits.id[at] = id;
    }
    waits.first[worker + 1] = at;
  }
  return waits;
}

/** Of each worker, in order of their beginnings, the outer ones first; `depth` says how many lie around one. */
function readRegions(workers, count) {
  const from = new PackedReader("packed-regions");
  const regions = {
    first: new Uint32Array(workers + 1), begin: new Float64Array(count), end: new Float64Array(count),
    name: new Uint32Array(count), depth: new Uint32Array(count), count,
  };
  let at = 0;
  for (let worker = 0; worker < workers; ++worker) {
    let begin = 0;
    const open = [];
    for (let left = from.number(); left > 0; --left, ++at) {
      begin += from.number();
      regions.begin[at] = begin;
      regions.end[at] = begin + from.number();
      regions.name[at] = from.number();
      while (open.length > 0 && open[open.length - 1] <= begin) open.pop();
      regions.depth[at] = open.length;
      open.push(regions.end[at]);
    }
    regions.first[worker + 1] = at;
  }
  return regions;
}

function readMoves(count) {
  const from = new PackedReader("packed-moves");
  const moves = {
    time: new Float64Array(count), from: new Uint32Array(count), to: new Uint32Array(count),
    id: new Float64Array(count), cause: new Float64Array(count), count,
  };
  let time = 0, id = 0;
  for (let at = 0; at < count; ++at) {
    time += from.number();
    moves.time[at] = time;
    moves.from[at] = from.number();
    moves.to[at] = from.number();
    id += from.difference();
    moves.id[at] = id;
    moves.cause[at] = from.number();  // 0: a pull, 1: a rescue, else a round and 2
  }
  return moves;
}

function readRounds(workers, count) {
  const from = new PackedReader("packed-rounds");
  const rounds = {
    time: new Float64Array(count), leader: new Float64Array(count), number: new Float64Array(count),
    before: new Float64Array(count * workers), after: new Float64Array(count * workers), count,
  };
  let time = 0;
  for (let at = 0; at < count; ++at) {
    time += from.number();
    rounds.time[at] = time;
    rounds.number[at] = from.number();
    rounds.leader[at] = from.number() - 1;
    for (const loads of [rounds.before, rounds.after]) {
      for (let worker = 0; worker < workers; ++worker) loads[at * workers + worker] = from.number();
    }
  }
  return rounds;
}

/**
 * Who computed when: pieces of the lanes, each of one task, without waits. What a worker runs during a wait lies on top
 * of the task that waits.
 */
function computePieces(workers, tasks, waits) {
  const most = 2 * (tasks.count + waits.count);
  const start = new Float64Array(most), end = new Float64Array(most), task = new Uint32Array(most);
  const first = new Uint32Array(workers + 1);
  let count = 0;
  for (let worker = 0; worker < workers; ++worker) {
    const ends = [], owners = [];  // what is open; a wait has the owner -1
    let now = 0;
    const put = (until) => {
      const owner = owners[owners.length - 1];
      if (owner >= 0 && until > now) {
        start[count] = now;
        end[count] = until;
        task[count++] = owner;
      }
      now = Math.max(now, until);
    };
    const advance = (until) => {
      while (ends.length > 0 && ends[ends.length - 1] <= until) {
        put(ends[ends.length - 1]);
        ends.pop();
        owners.pop();
      }
      if (ends.length > 0) put(until);
      now = Math.max(now, until);
    };
    let t = tasks.first[worker], w = waits.first[worker];
    const tasksEnd = tasks.first[worker + 1], waitsEnd = waits.first[worker + 1];
    while (t < tasksEnd || w < waitsEnd) {
      const nextTask = t < tasksEnd ? tasks.start[t] : Infinity;
      const nextWait = w < waitsEnd ? waits.begin[w] : Infinity;
      advance(Math.min(nextTask, nextWait));
      const top = owners.length > 0 ? owners[owners.length - 1] : -1;
      if (nextWait < nextTask || (nextWait === nextTask && top >= 0 && tasks.id[top] === waits.id[w])) {
        ends.push(waits.end[w++]);
        owners.push(-1);
      } else {
        ends.push(tasks.end[t]);
        owners.push(t++);
      }
    }
    advance(Infinity);
    first[worker + 1] = count;
  }
  return {first, start, end, task, count};
}

function readModel({figures, names, curves, critical}) {
  const workers = figures.workers;
  const tasks = readTasks(workers, figures.tasks);
  const chain = new Set(critical);
  tasks.critical = Uint8Array.from(tasks.id, (id) => chain.has(id) ? 1 : 0);
  const waits = readWaits(workers, figures.waits);
  return {
    workers, makespan: Math.round(figures.seconds * 1e9), tasks, waits, moves: readMoves(figures.moves),
    rounds: readRounds(workers, figures.rounds), names, curves,
    regions: readRegions(workers, figures.regions.reduce((sum, one) => sum + one.count, 0)),
    pieces: computePieces(workers, tasks, waits),
  };
}
