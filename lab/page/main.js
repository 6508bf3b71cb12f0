// The page: controls, views, keys, and the state in the address.

import {Planner, Refusal} from "./planner.js";
import {fragmentOf, stateOf, optionsOf, VIEWS} from "./state.js";
import {Replay} from "./replay.js";
import {CubeView} from "./cube-view.js";
import {CompareView} from "./compare.js";
import {ExercisesView} from "./exercises.js";
import {TimeView} from "./time.js";
import {RecordingView} from "./recording.js";
import {drawDifferences, drawProfile, drawScale} from "./charts.js";
import {byId, make, fill, counted, whole, optionFields} from "./elements.js";

const KINDS = [
  ["hypercube", "Hypercube", "Dimensions", "3"], ["cube", "Cube of any number of nodes", "Nodes", "12"],
  ["mesh", "Mesh", "Rows x columns", "4x4"], ["torus", "Torus", "Rows x columns", "4x4"], ["ring", "Ring", "Nodes", "12"],
  ["linear", "Line", "Nodes", "8"], ["complete", "Complete", "Nodes", "8"], ["star", "Star", "Nodes", "8"],
  ["fibonacci", "Fibonacci cube", "Order", "7"], ["fibonacci-composite", "Fibonacci composite", "Nodes", "16"],
  ["edges", "Any links", "Links, as 0-1,1-2", "0-1,1-2,2-3,3-0,1-3"],
];
const MOST_TABLE_ROWS = 256;

class App {
  state = stateOf("");
  catalogue = null;
  network = null;
  loads = null;
  planner;
  replay = null;
  cube;
  #compare;
  #exercises;
  time;
  recording;
  #progress = 0;
  #playing = false;
  #last = 0;
  #round = 0;
  #largest = 1;
  #reduced = matchMedia("(prefers-reduced-motion: reduce)");

  constructor(planner) {
    this.planner = planner;
  }

  async begin() {
    this.catalogue = await this.planner.ask({ask: "catalogue"});
    this.cube = new CubeView(byId("cube"));
    this.#compare = new CompareView(this);
    this.#exercises = new ExercisesView(this);
    this.time = new TimeView(this);
    this.recording = new RecordingView(this);
    this.#makeControls();
    this.#listen();
    this.#showTheme();
    await this.#readAddress();
    new ResizeObserver(() => this.redraw()).observe(byId("views"));
    document.body.dataset.ready = "true";
  }

  // ---- state

  remember() {
    history.replaceState(null, "", `#${fragmentOf(this.state)}`);
  }

  async #readAddress() {
    let problem = "";
    try {
      this.state = stateOf(location.hash.slice(1));
    } catch (refused) {
      problem = refused.message;
      this.state = stateOf("");
    }
    const phase = this.state.phase;
    this.recording.close();
    this.#showState();
    await this.#update(true, this.state.view === "time");
    if (phase > 0 && this.replay) this.#goTo(phase);
    if (problem) this.complain(problem);
  }

  complain(sentence) {
    const line = byId("problem");
    line.hidden = !sentence;
    if (line.textContent !== sentence) line.textContent = sentence;
  }

  // ---- controls

  #makeControls() {
    fill(byId("kind"), ...KINDS.map(([value, title]) => make("option", {value}, title)));
    fill(byId("balancer"), ...this.catalogue.balancers.map(({name}) => make("option", {value: name}, name)));
    fill(byId("starts"), ...this.catalogue.starts.map((one) => {
      const button = make("button", {type: "button", title: one.summary, "data-start": one.name}, one.name.replaceAll("-", " "));
      button.setAttribute("aria-label", `${one.name.replaceAll("-", " ")}: ${one.summary}`);
      button.addEventListener("click", () => this.#makeLoads(one));
      return button;
    }));
  }

  /** Puts the state into the controls. */
  #showState() {
    const {state} = this;
    this.#showNetworkFields();
    byId("loads").value = state.loads;
    byId("balancer").value = state.balancer;
    byId("draw-seed").value = state.drawSeed;
    byId("largest").value = state.largest;
    this.#showBalancer();
    this.#compare.showChoices();
    this.#exercises.show();
    this.time.show();
    this.#showView();
  }

  #showNetworkFields() {
    const {network} = this.state;
    const at = network.indexOf(":");
    const kind = network.slice(0, at);
    byId("kind").value = KINDS.some(([name]) => name === kind) ? kind : "hypercube";
    byId("size").value = network.slice(at + 1);
    byId("size-name").textContent = KINDS.find(([name]) => name === byId("kind").value)[2];
  }

  #showView() {
    for (const view of VIEWS) {
      const chosen = this.state.view === view;
      byId(`view-${view}`).hidden = !chosen;
      const tab = byId(`tab-${view}`);
      tab.setAttribute("aria-selected", String(chosen));
      tab.tabIndex = chosen ? 0 : -1;
    }
    document.querySelector(".columns").classList.toggle("alone", this.state.view === "exercises");
    // A recording brings its own network and loads.
    const cube = this.state.view === "cube";
    const recorded = cube && this.recording.open;
    byId("network-section").hidden = recorded;
    byId("balancer-section").hidden = !cube || recorded;
    byId("loads-section").hidden = this.state.view === "time" || recorded;
    byId("recording-section").hidden = !cube;
    this.recording.showControls();
    byId("simulation-section").hidden = this.state.view !== "time";
  }

  #showBalancer() {
    const known = this.catalogue.balancers.find(({name}) => name === this.state.balancer);
    if (!known) {
      fill(byId("options"));
      byId("balancer-facts").textContent = "";
      return;
    }
    const summary = known.summary.charAt(0).toUpperCase() + known.summary.slice(1);
    byId("balancer-facts").textContent = `${summary}. ${known.source}. Final difference: ${known.difference}. Networks: ${known.networks}.`;
    const fields = optionFields(known, this.state.options, (name, value) => {
      if (value === "") delete this.state.options[name]; else this.state.options[name] = value;
      this.#update(false);
    }, "option");
    const seed = make("input", {id: "plan-seed", type: "number", min: 0, max: 999999999, value: this.state.seed});
    seed.addEventListener("change", () => {
      this.state.seed = Math.max(0, Math.floor(Number(seed.value)) || 0);
      this.#update(false);
    });
    if (["random", "matching", "dem"].includes(known.name)) fields.push(make("label", {htmlFor: "plan-seed"}, "Seed of the balancer", seed));
    if (known.event_driven) {
      const caller = make("input", {id: "initiator", type: "number", min: 0, value: this.state.initiator, placeholder: "all nodes"});
      caller.addEventListener("change", () => {
        this.state.initiator = /^\d{1,7}$/.test(caller.value) ? caller.value : "";
        this.#update(false);
      });
      fields.push(make("label", {htmlFor: "initiator"}, "The node that calls it (empty: all nodes in turn)", caller));
    }
    fill(byId("options"), ...fields);
  }

  #listen() {
    for (const view of VIEWS) byId(`tab-${view}`).addEventListener("click", () => this.#choose(view));
    document.querySelector(".tabs").addEventListener("keydown", (event) => this.#onTabKey(event));
    byId("kind").addEventListener("change", () => {
      const [kind, , , size] = KINDS.find(([name]) => name === byId("kind").value);
      byId("size").value = size;
      this.#networkChosen(`${kind}:${size}`);
    });
    byId("size").addEventListener("change", () => this.#networkChosen(`${byId("kind").value}:${byId("size").value.replaceAll(/\s/g, "")}`));
    byId("loads").addEventListener("change", () => {
      this.state.loads = byId("loads").value.trim();
      this.#update(false);
    });
    byId("balancer").addEventListener("change", () => {
      this.state.balancer = byId("balancer").value;
      this.state.options = {};
      this.state.initiator = "";
      this.#showBalancer();
      this.#update(false);
    });
    byId("first").addEventListener("click", () => this.#goTo(0));
    byId("back").addEventListener("click", () => this.#step(this.#progress > 0 ? 0 : -1));
    byId("forward").addEventListener("click", () => this.#step(1));
    byId("last").addEventListener("click", () => this.#goTo(this.replay.phases));
    byId("play").addEventListener("click", () => this.#play(!this.#playing));
    byId("phase").addEventListener("input", () => this.#goTo(Number(byId("phase").value)));
    document.addEventListener("keydown", (event) => this.#onKey(event));
    byId("copy").addEventListener("click", () => this.#copyLink());
    byId("theme").addEventListener("click", () => this.#setTheme(document.documentElement.dataset.theme === "dark" ? "light" : "dark"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", ({matches}) => this.#setTheme(matches ? "dark" : "light"));
    window.addEventListener("hashchange", () => this.#readAddress());
    byId("cube").addEventListener("pointermove", (event) => this.#onPoint(event));
    byId("cube").addEventListener("pointerleave", () => { byId("tip").hidden = true; });
    byId("table-details").addEventListener("toggle", () => this.#showTable());
  }

  #choose(view) {
    this.#play(false);
    if (this.time.running) this.time.pause();
    this.state.view = view;
    this.#showView();
    this.remember();
    this.#update(this.recording.open, true);
  }

  #onTabKey(event) {
    const step = {ArrowRight: 1, ArrowLeft: VIEWS.length - 1}[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const next = VIEWS[(VIEWS.indexOf(this.state.view) + step) % VIEWS.length];
    this.#choose(next);
    byId(`tab-${next}`).focus();
  }

  #onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, textarea, button, summary, a")) return;
    if (this.state.view === "time") this.time.onKey(event);
    if (this.state.view !== "cube" || !this.replay) return;
    this.recording.onKey(event);
    const doing = {" ": () => this.#play(!this.#playing), ArrowRight: () => byId("forward").click(), ArrowLeft: () => byId("back").click(),
      Home: () => this.#goTo(0), End: () => this.#goTo(this.replay.phases)}[event.key];
    if (!doing) return;
    event.preventDefault();
    doing();
  }

  async #copyLink() {
    this.remember();
    const button = byId("copy");
    try {
      await navigator.clipboard.writeText(location.href);
      button.textContent = "Copied";
    } catch {
      button.textContent = "It is in the address bar";
    }
    setTimeout(() => { button.textContent = "Copy link"; }, 1800);
  }

  // ---- appearance

  #showTheme() {
    this.#setTheme(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
  }

  #setTheme(theme) {
    document.documentElement.dataset.theme = theme;
    const button = byId("theme");
    button.setAttribute("aria-pressed", String(theme === "dark"));
    this.redraw();
  }

  // ---- loads and plans

  async #networkChosen(network) {
    this.state.network = network;
    byId("size-name").textContent = KINDS.find(([name]) => name === byId("kind").value)[2];
    this.#play(false);
    const round = ++this.#round;
    try {
      const {nodes} = await this.planner.ask({ask: "network", topology: network});
      if (round !== this.#round) return;
      if (nodes !== this.loads?.length) {
        const made = await this.planner.ask({ask: "start", topology: network, start: "uniform", ...this.#drawing()});
        if (round !== this.#round) return;
        this.state.loads = made.loads.join(",");
        byId("loads").value = this.state.loads;
      }
    } catch (refused) {
      if (round === this.#round) this.refused(refused);
      return;
    }
    await this.#update(true);
  }

  /** Chooses a network, and shows it in the controls. */
  showNetwork(network) {
    this.state.network = network;
    this.#showNetworkFields();
    return this.#networkChosen(network);
  }

  #drawing() {
    this.state.drawSeed = Math.max(0, Math.floor(Number(byId("draw-seed").value)) || 0);
    this.state.largest = Math.max(1, Math.floor(Number(byId("largest").value)) || 1);
    return {seed: this.state.drawSeed, largest: this.state.largest};
  }

  async #makeLoads(start) {
    try {
      const made = await this.planner.ask({ask: "start", topology: this.state.network, start: start.name, ...this.#drawing()});
      this.state.loads = made.loads.join(",");
      byId("loads").value = this.state.loads;
      await this.#update(false);
      if (start.drawn) byId("draw-seed").value = this.state.drawSeed + 1;
    } catch (refused) {
      this.refused(refused);
    }
  }

  /** Tells what was refused; anything else is a mistake of the page. */
  refused(refused) {
    if (!(refused instanceof Refusal)) throw refused;
    this.complain(refused.message);
  }

  /** Plans again, and shows it. */
  async #update(networkToo, keepPhase = false) {
    this.#play(false);
    const round = ++this.#round;
    const {state} = this;
    if (state.view === "cube" && this.recording.open) {
      await this.recording.show(this.recording.at, keepPhase ? this.replay.phase : 0);
      return;
    }
    try {
      if (networkToo || !this.network) {
        const network = await this.planner.ask({ask: "network", topology: state.network});
        if (round !== this.#round) return;
        this.network = network;
      }
      if (state.view === "time") {
        this.#showNetworkFacts();
        this.remember();
        await this.time.update(keepPhase);
        return;
      }
      const {loads} = await this.planner.ask({ask: "loads", topology: state.network, loads: state.loads});
      if (round !== this.#round) return;
      this.loads = loads;
      this.#showNetworkFacts();
      if (state.view === "compare") {
        this.remember();
        await this.#compare.update();
        return;
      }
      const request = {ask: "plan", topology: state.network, loads, balancer: state.balancer, options: state.options, seed: state.seed};
      if (state.initiator !== "") request.initiator = Number(state.initiator);
      const plan = await this.planner.ask(request);
      if (round !== this.#round) return;
      this.#play(false);
      this.showPlan(plan, keepPhase ? state.phase : 0, plan.initial.reduce((a, b) => Math.max(a, b), 1));
      this.complain("");
    } catch (refused) {
      if (round === this.#round) this.refused(refused);
    }
  }

  #showNetworkFacts() {
    const {nodes, links, diameter, average_distance: distance} = this.network;
    byId("network-facts").textContent = `${counted(nodes, "node")}, ${counted(links.length / 2, "link")}, diameter ${diameter}, average distance ${
      distance.toPrecision(3)}`;
    const complete = this.network.kind === "hypercube" || (this.network.kind === "cube" && (nodes & (nodes - 1)) === 0);
    for (const one of this.catalogue.starts) {
      const button = document.querySelector(`[data-start="${one.name}"]`);
      button.disabled = one.cubes_only && !complete;
    }
  }

  /** Shows a plan for `network` at a phase. `largest` is the load with the lightest colour. */
  showPlan(plan, phase, largest) {
    this.cube.setNetwork(this.network);
    this.replay = new Replay(plan);
    this.#largest = largest;
    byId("phase").max = String(plan.phases.length);
    this.#showFigures(plan);
    this.#drawScale();
    this.#place(phase);
  }

  /** Shows the cube view with the recording that was opened. */
  showRecording() {
    this.state.view = "cube";
    this.#showView();
    this.remember();
    return this.#update(false);
  }

  /** Shows the plans of the state again, after a recording. */
  showPlans() {
    this.#showState();
    return this.#update(true);
  }

  #showFigures(plan) {
    const figures = plan.figures ?? [["Phases", plan.phases.length], ["Difference before", plan.differences[0]], ["Difference after", plan.differences.at(-1)],
      ["Bound", plan.bound === null ? "none" : plan.bound], ["Task-hops", plan.task_hops], ["T_comm phased", plan.t_comm.phased],
      ["T_comm overlapped", plan.t_comm.overlapped], ["T_comm pipelined", plan.t_comm.pipelined]];
    fill(byId("figures"), ...figures.map(([title, value]) => make("div", {}, make("dt", {}, title),
      make("dd", {}, typeof value === "string" ? value : whole(value)))));
  }

  #drawScale() {
    drawScale(byId("scale"), byId("scale-most"), this.#largest);
  }

  // ---- playing

  pause() {
    this.#play(false);
  }

  #goTo(phase) {
    if (!this.replay) return;
    this.#play(false);
    this.#place(phase);
  }

  #place(phase) {
    this.#progress = 0;
    this.replay.goTo(phase);
    this.#arrived();
  }

  /** Goes by one phase. Before the first and after the last phase of a recorded round is the round next to it. */
  #step(by) {
    if (!this.replay) return;
    const phase = this.replay.phase + by;
    if (phase < 0 && this.recording.has(-1)) this.recording.choose(this.recording.at - 1, Infinity);
    else if (phase > this.replay.phases && this.recording.has(1)) this.recording.choose(this.recording.at + 1);
    else this.#goTo(phase);
  }

  #arrived() {
    const {replay, recording} = this;
    // A link cannot hold a recording.
    if (!recording.open) {
      this.state.phase = replay.phase;
      this.remember();
    }
    recording.arrived();
    byId("phase").value = String(replay.phase);
    const difference = replay.answer.differences[replay.phase];
    const {bound} = replay.answer;
    const end = replay.phase === replay.phases;
    const next = replay.next.length / 3;
    const what = replay.phases === 0 ? "The balancer moves nothing" : end ? `After all ${counted(replay.phases, "phase")}` : replay.phase === 0 ?
      `Before the first of ${counted(replay.phases, "phase")}` : `After phase ${replay.phase} of ${replay.phases}`;
    const goes = end ? "" : `; next ${next === 0 ? "nothing moves" : counted(next, "transfer")}`;
    const text = `${recording.words()}${what}: difference ${whole(difference)}${bound === null ? "" : `, bound ${whole(bound)} in the end`}${goes}.`;
    byId("status").textContent = text;
    byId("cube").setAttribute("aria-label", `${this.network.topology}, ${counted(this.network.nodes, "node")}. ${text} The loads are in the table below.`);
    byId("phase").setAttribute("aria-valuetext", what);
    byId("differences").setAttribute("aria-label", `Difference after each phase: ${replay.answer.differences.slice(0, 24).join(", ")}`);
    byId("profile").setAttribute("aria-label", `Loads of ${counted(this.network.nodes, "node")}, difference ${difference}`);
    byId("first").disabled = replay.phase === 0;
    byId("back").disabled = replay.phase === 0 && !recording.has(-1);
    byId("forward").disabled = end && !recording.has(1);
    byId("last").disabled = end;
    byId("play").disabled = replay.phases === 0 && !recording.has(1) && !recording.has(-1);
    this.#showTable();
    this.redraw();
  }

  #play(on) {
    if (on === this.#playing) return;
    this.#playing = on;
    const button = byId("play");
    button.querySelector("path").setAttribute("d", on ? "M3 2h4v12H3zM9 2h4v12H9z" : "M4 2l9 6-9 6z");
    button.setAttribute("aria-label", on ? "Pause" : "Play");
    if (!on) return;
    if (this.replay.phase === this.replay.phases) {
      if (this.recording.open) {
        this.#playRound(this.recording.has(1) ? this.recording.at + 1 : 0);
        return;
      }
      this.#place(0);
    }
    this.#last = performance.now();
    requestAnimationFrame((now) => this.#frame(now));
  }

  /** Goes on with a round of the recording, unless the reader stops or chooses another meanwhile. */
  async #playRound(number) {
    const shown = await this.recording.show(number);
    if (!shown || !this.#playing) return;
    this.#last = performance.now();
    requestAnimationFrame((now) => this.#frame(now));
  }

  #frame(now) {
    if (!this.#playing) return;
    const {replay} = this;
    const long = this.#reduced.matches ? 0 : 1;
    const empty = replay.next.length === 0;
    const duration = Number(byId("speed").value) * (replay.phases > 60 ? 0.2 : 1) * (empty ? 0.3 : 1);
    this.#progress += (now - this.#last) / duration;
    this.#last = now;
    // The last fifth of a phase stands still, so that its end can be seen.
    if (this.#progress >= 1.2) {
      this.#progress = 0;
      // The end of a recorded round is shown for a moment, because the next round begins with other loads.
      const ended = replay.phase === replay.phases;
      if (ended && this.recording.has(1)) {
        this.#playRound(this.recording.at + 1);
        return;
      }
      if (!ended) {
        replay.goTo(replay.phase + 1);
        this.#arrived();
      }
      if (replay.phase === replay.phases && !this.recording.has(1)) {
        this.#play(false);
        return;
      }
    }
    this.cube.draw(replay, long ? Math.min(0.999, this.#progress) : 0, this.#largest);
    requestAnimationFrame((next) => this.#frame(next));
  }

  redraw() {
    if (this.state.view === "compare") {
      this.#compare?.draw();
      return;
    }
    if (this.state.view === "time") this.time?.draw();
    if (this.state.view !== "cube" || !this.replay) return;
    this.cube.draw(this.replay, this.#progress > 0 ? Math.min(0.999, this.#progress) : 0, this.#largest);
    drawDifferences(byId("differences"), this.replay.answer, this.replay.phase);
    drawProfile(byId("profile"), this.replay.loads, this.#largest);
    this.recording.draw();
    this.#drawScale();
  }

  #showTable() {
    if (!byId("table-details").open || !this.replay) return;
    const {answer, loads, phase} = this.replay;
    const rows = Array.from(loads.slice(0, MOST_TABLE_ROWS), (load, k) => make("tr", {}, make("th", {scope: "row"}, String(k)),
      make("td", {}, whole(answer.initial[k])), make("td", {}, whole(load)), make("td", {}, whole(answer.final[k]))));
    fill(byId("table"), make("caption", {className: "hidden"}, "Loads of the nodes"), make("thead", {}, make("tr", {}, ...["Node", "Before",
      `After phase ${phase}`, "In the end"].map((title) => make("th", {scope: "col"}, title)))), make("tbody", {}, ...rows));
    if (loads.length > MOST_TABLE_ROWS) byId("table").append(make("tfoot", {}, make("tr", {}, make("td", {colSpan: 4}, `and ${loads.length - MOST_TABLE_ROWS} more nodes`))));
  }

  #onPoint(event) {
    const tip = byId("tip");
    const node = this.replay ? this.cube.nodeAt(event.offsetX, event.offsetY) : -1;
    tip.hidden = node < 0;
    if (node < 0) return;
    const {network} = this;
    const bits = network.dimensions ? ` (${node.toString(2).padStart(network.dimensions, "0")})` : "";
    tip.textContent = `node ${node}${bits}: ${counted(this.replay.loads[node], "unit")}`;
    tip.style.left = `${Math.max(70, Math.min(event.offsetX, byId("cube").clientWidth - 70))}px`;
    tip.style.top = `${event.offsetY}px`;
  }

  /** Shows an exercise in the cube view. */
  async watch(exercise, loads) {
    this.recording.close();
    Object.assign(this.state, {network: exercise.topology, balancer: exercise.balancer, options: optionsOf(exercise.option),
      initiator: exercise.initiator >= 0 ? String(exercise.initiator) : "", view: "cube", phase: 0});
    if (loads.trim()) this.state.loads = loads;
    else {
      const made = await this.planner.ask({ask: "start", topology: exercise.topology, start: "uniform", seed: 1, largest: 9});
      this.state.loads = made.loads.join(",");
    }
    this.#showState();
    await this.#update(true);
    byId("tab-cube").focus();
  }

  // ---- for measurements and pictures

  /** Shows the next phase at a part of its way. */
  pose(progress) {
    this.#progress = progress;
    this.redraw();
  }

  /** Draws `frames` frames of the phases in turn, each until it is painted, and returns their times in milliseconds. */
  measureFrames(frames) {
    this.#play(false);
    this.cube.times = [];
    for (let i = 0; i < frames; ++i) {
      this.replay.goTo(i % Math.max(1, this.replay.phases));
      this.cube.draw(this.replay, 0.5, this.#largest, true);
    }
    this.replay.goTo(0);
    this.#arrived();
    return this.cube.times.slice(0, frames);
  }
}

function bytesOf(text) {
  const raw = atob(text.trim());
  return Uint8Array.from(raw, (c) => c.charCodeAt(0));
}

async function start() {
  const app = new App(new Planner(byId("planner-worker").textContent, bytesOf(byId("planners").textContent)));
  window.evencubeLab = app;
  try {
    await app.begin();
  } catch (problem) {
    app.complain(problem.message);
    throw problem;
  }
}

start();
