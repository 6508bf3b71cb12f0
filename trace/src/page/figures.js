// The figures that the program counted, as cards and tables; and texts.
"use strict";

function durationText(seconds) {
  if (!(seconds > 0)) return "0 s";
  for (const [length, name] of [[1, "s"], [1e-3, "ms"], [1e-6, "\u00b5s"], [1e-9, "ns"]]) {
    const value = seconds / length;
    if (value >= 0.9995) return value.toFixed(value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2) + " " + name;
  }
  return "0 s";
}
const shareText = (share) => (share * 100).toFixed(1) + " %";
const countText = (count) => count.toLocaleString("en");

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

const counted = (count, noun) => `${countText(count)} ${noun}${count === 1 ? "" : "s"}`;

/** A button that looks like a link. */
function link(text, title, action) {
  const made = element("button", text, "link");
  made.title = title;
  made.onclick = action;
  return made;
}

/** Where and when the run was recorded, as far as that is known. */
function originText({date, machine, command, bytes}) {
  const size = bytes >= 1e6 ? (bytes / 1e6).toFixed(1) + " MB" : Math.ceil(bytes / 1e3) + " kB";
  return [date, machine, command, bytes > 0 ? `recording of ${size}` : ""].filter((text) => text).join(" \u00b7 ");
}

function showFigures(report, model, timeline) {
  const f = report.figures;
  const all = f.seconds * f.workers;
  document.title = `${f.workload}: ${durationText(f.seconds)} on ${counted(f.workers, "worker")}`;
  put("title", f.workload);
  if (report.origin) {
    put("origin", originText(report.origin));
    document.getElementById("origin").hidden = originText(report.origin) === "";
  }
  put("subtitle", `${durationText(f.seconds)}: ${counted(f.tasks, "task")} on ${counted(f.workers, "worker")} ` +
      `(${f.topology}), balancer ${f.balancer}, ` +
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
  const named = new Set(model.names);
  putTable("types", ["task", "tasks", "computing", "median", "longest"],
    f.types.slice(0, 1024).map((one) => ({cells: [
      named.has(one.name) ? link(one.name, "show these tasks", () => timeline.search(one.name)) : one.name,
      countText(one.tasks), durationText(one.busy_seconds), durationText(one.durations.median),
      named.has(one.name) ? link(durationText(one.durations.max), "show this task",
        () => timeline.showLongest(one.name)) : durationText(one.durations.max)]})));
  document.getElementById("types-section").hidden = f.types.length === 0;
  if (f.regions.length > 0) {
    document.getElementById("regions-section").hidden = false;
    putTable("regions", ["region", "times", "in all", "longest"], f.regions.slice(0, 1024).map((one) => ({cells: [
      one.name, countText(one.count), durationText(one.seconds), durationText(one.longest_seconds)]})));
  }
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
