// What the page counts in its own data, for a test to compare with what the program said; and texts.
"use strict";

function durationText(seconds) {
  if (!(seconds > 0)) return "0 s";
  for (const [length, name] of [[1, "s"], [1e-3, "ms"], [1e-6, "us"], [1e-9, "ns"]]) {
    const value = seconds / length;
    if (value >= 0.9995) return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2) + " " + name;
  }
  return "0 s";
}
const shareText = (share) => (share * 100).toFixed(1) + " %";
const countText = (count) => count.toLocaleString("en");

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
    workers, tasks: tasks.count, seconds: model.makespan / 1e9, busy_seconds: busy / 1e9, waits: waits.count,
    wait_seconds: waited / 1e9, rounds: rounds.count, moves: moves.count, moved_tasks: moved.size,
    moved_by_pulls: causes[0], moved_by_rescues: causes[1], moved_by_rounds: causes[2],
    imbalance_before: meanImbalance(rounds, rounds.before, workers),
    imbalance_after: meanImbalance(rounds, rounds.after, workers), per_worker: perWorker,
    sent: [...sent.keys()].sort((a, b) => a - b).map((way) => (
      {from: Math.floor(way / workers), to: way % workers, tasks: sent.get(way)})),
  };
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

function put(id, text) { document.getElementById(id).textContent = text; }

function element(kind, text, kind_class) {
  const made = document.createElement(kind);
  made.textContent = text;
  if (kind_class) made.className = kind_class;
  return made;
}

function putTable(id, heads, rows) {
  const table = document.getElementById(id);
  const head = table.createTHead().insertRow();
  for (const text of heads) head.append(element("th", text));
  const body = table.createTBody();
  for (const {cells, recorded} of rows) {
    const row = body.insertRow();
    if (recorded) row.className = "recorded";
    for (const cell of cells) row.insertCell().append(cell);
  }
}

function showFigures(report, model) {
  const f = report.figures;
  const all = f.seconds * f.workers;
  document.title = f.workload + " in EvenCube";
  put("title", f.workload);
  put("subtitle", `${countText(f.tasks)} tasks on ${f.workers} workers (${f.topology}), balancer ${f.balancer}, ` +
      `transmission ${f.transmission}${f.cut ? "; the recording was cut: its memory was used up" : ""}`);
  put("verdict", "Bound by " + report.sentence + ".");
  const cards = document.getElementById("cards");
  for (const [value, what] of [
    [durationText(f.seconds), "from the first spawn to the last end"],
    [shareText(f.busy_share), "of the workers' time computing"],
    [shareText(f.idle_seconds_while_tasks_waited / all), "idle while tasks waited"],
    [shareText(f.idle_seconds_without_tasks / all), "idle, nothing to take"],
    [durationText(f.critical_path_seconds), "critical path"],
    [countText(f.moves), `moves: ${f.moved_by_rounds} by rounds, ${f.moved_by_pulls} by pulls, ` +
      `${f.moved_by_rescues} by rescues`],
    [countText(f.rounds), f.rounds === 0 ? "rounds" : `rounds: largest load over the mean ` +
      `${f.imbalance_before.toFixed(2)} before, ${f.imbalance_after.toFixed(2)} after`],
  ]) {
    const card = document.createElement("div");
    card.append(element("b", value), element("span", what));
    cards.append(card);
  }
  putTable("workers", ["worker", "tasks", "computing", "of the time", "received", "sent"],
    f.per_worker.slice(0, 4096).map((one, worker) => ({cells: [
      String(worker), countText(one.tasks), durationText(one.busy_seconds), shareText(one.busy_seconds / f.seconds),
      countText(one.received), countText(one.sent)]})));
  showForecasts(report, f);
}

function showForecasts(report, f) {
  const rows = report.what_if;
  const most = Math.max(...rows.map((row) => row.seconds || 0));
  putTable("what-if", ["balancer", "workers", "time", "", "speed-up", "moves"], rows.map((row) => {
    if (row.refused) return {cells: [row.balancer, row.topology, "", element("span", row.refused), "", ""]};
    const bar = element("span", "", "bar");
    bar.style.width = Math.max(1, 90 * row.seconds / most) + "px";
    return {recorded: row.recorded, cells: [row.balancer, row.topology, durationText(row.seconds), bar,
      row.speedup.toFixed(2), countText(row.tasks_moved)]};
  }));
  put("what-if-legend", rows.length < 2 ?
    "The program is large: evencube whatif replays it under other strategies and numbers of workers." :
    `Replays of this run in the simulator; that of the recorded configuration (bold) is ` +
    `${shareText(f.forecast_error)} off. Speed-up: over all computing on one worker.`);
}
