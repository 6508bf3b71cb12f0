// The simulator as it runs: what the planners' worker answers is shown at the chosen speed.

import {byId, make, fill, counted, whole, optionFields} from "./elements.js";
import {CubeView} from "./cube-view.js";
import {drawProfile, drawScale} from "./charts.js";
import {drawOverTime} from "./time-charts.js";
import {SETTINGS} from "./state.js";

const SAMPLES_A_SECOND = 30;
/** How much of the run is fetched before it is shown, in seconds. */
const AHEAD = 0.3;
const MOST_POINTS = 1500;
const FIGURES_EVERY_MS = 120;
const AT_ONCE = 2000000;
const FIRST_CHUNK = 2000;
const PLAY = "M4 2l9 6-9 6z";
const PAUSE = "M3 2h4v12H3zM9 2h4v12H9z";

const RESPONSE = [{name: "mean since the last sample", of: (point) => point.response, colour: "link", width: 1.2},
  {name: "mean so far", of: (point) => point.mean_response, colour: "accent", width: 2.2}];
const IMBALANCE = [{name: "difference", of: (point) => point.difference, colour: "warn", width: 1.6},
  {name: "standard deviation", of: (point) => point.deviation, colour: "accent", width: 1.6}];

/** A number with about five digits, for figures and texts. */
function about(value) {
  if (value === null || value === undefined) return "none yet";
  if (Number.isInteger(value)) return whole(value);
  return value !== 0 && Math.abs(value) < 0.001 ? value.toExponential(2) : Number(value.toPrecision(5)).toLocaleString("en", {maximumFractionDigits: 6});
}

export class TimeView {
  #app;
  #cube;
  #network = null;
  #points = [];
  #ahead = [];
  #asking = null;
  #going = null;
  #running = false;
  #last = 0;
  #position = 0;
  #round = 0;
  #largest = 1;
  #warmUp = 0;
  #figuresAt = 0;
  #key = "";
  /** The sample that is shown, with its loads. */
  shown = null;
  /** The result of a run that is over. */
  result = null;
  over = false;

  constructor(app) {
    this.#app = app;
    this.#cube = new CubeView(byId("time-cube"));
    fill(byId("scenario"), ...app.catalogue.scenarios.map(({name}) => make("option", {value: name}, name)));
    fill(byId("sim-balancer"), ...["none", ...app.catalogue.balancers.map(({name}) => name)].map((name) => make("option", {value: name}, name)));
    this.#listen();
  }

  get #scenario() {
    return this.#app.catalogue.scenarios.find(({name}) => name === this.#app.state.sim.scenario);
  }

  get #speed() {
    return 10 ** this.#app.state.sim.speed;
  }

  get running() {
    return this.#running;
  }

  // ---- controls

  #listen() {
    byId("scenario").addEventListener("change", () => this.#chooseScenario(byId("scenario").value));
    byId("sim-balancer").addEventListener("change", () => {
      this.#app.state.sim.balancer = byId("sim-balancer").value;
      this.#app.state.sim.options = {};
      this.show();
      this.update(false);
    });
    for (const {id, name} of SETTINGS) {
      byId(id).addEventListener("change", () => {
        this.#app.state.sim[name] = byId(id).value.trim();
        this.update(false);
      });
    }
    byId("sim-seed").addEventListener("change", () => {
      this.#app.state.sim.seed = Math.max(0, Math.floor(Number(byId("sim-seed").value)) || 0);
      this.update(false);
    });
    byId("sim-speed").addEventListener("input", () => this.#chooseSpeed(Number(byId("sim-speed").value)));
    byId("time-reset").addEventListener("click", () => this.goTo(0));
    byId("time-run").addEventListener("click", () => (this.#running ? this.pause() : this.run()));
    byId("time-step").addEventListener("click", () => this.step());
    byId("time-end").addEventListener("click", () => this.toEnd());
    byId("loh-compare").addEventListener("click", () => this.#compareStrategies());
    byId("samples-details").addEventListener("toggle", () => this.#showSamples());
  }

  async #chooseScenario(name) {
    const {sim} = this.#app.state;
    Object.assign(sim, {scenario: name, balancer: "", options: {}, at: 0});
    for (const {name: setting} of SETTINGS) sim[setting] = "";
    this.show();
    await this.#app.showNetwork(this.#scenario.topology);
  }

  #chooseSpeed(speed) {
    const slower = speed < this.#app.state.sim.speed;
    this.#app.state.sim.speed = speed;
    this.#showSpeed();
    // What was fetched at a higher speed would be shown for a long time.
    if (slower) this.#catchUp();
    this.#app.remember();
  }

  #showSpeed() {
    const text = `${counted(Math.round(this.#speed), "event")} per second`;
    byId("speed-text").textContent = text;
    byId("sim-speed").setAttribute("aria-valuetext", text);
  }

  /** Puts the state into the controls. */
  show() {
    const {sim} = this.#app.state;
    const scenario = this.#scenario;
    byId("scenario").value = sim.scenario;
    byId("sim-seed").value = sim.seed;
    byId("sim-speed").value = sim.speed;
    this.#showSpeed();
    for (const {id, name} of SETTINGS) byId(id).value = sim[name];
    if (!scenario) return;
    const summary = scenario.summary.charAt(0).toUpperCase() + scenario.summary.slice(1);
    byId("scenario-facts").textContent = `${summary}.`;
    const balancer = sim.balancer || scenario.balancer;
    byId("sim-balancer").value = balancer;
    byId("sim-balancer").disabled = !scenario.balanced;
    for (const {id, name, member} of SETTINGS) {
      const value = scenario[member];
      const field = byId(id);
      const moves = balancer !== "none" || !["latency", "per_quantum", "transmission", "period"].includes(member);
      field.placeholder = value === null ? "none" : typeof value === "number" ? String(Number(value.toPrecision(6))) : value;
      field.disabled = sim[name] === "" && (!moves || (value === null && member !== "horizon"));
      if (field.tagName === "SELECT" && sim[name] === "") field.value = value;
    }
    const known = this.#app.catalogue.balancers.find(({name}) => name === balancer);
    fill(byId("sim-options"), ...(known ? optionFields(known, sim.options, (name, value) => {
      if (value === "") delete sim.options[name]; else sim.options[name] = value;
      this.update(false);
    }, "sim-option") : []));
  }

  onKey(event) {
    const doing = {" ": () => byId("time-run").click(), ArrowRight: () => byId("time-step").click(), Home: () => this.goTo(0),
      End: () => byId("time-end").click()}[event.key];
    if (!doing) return;
    event.preventDefault();
    doing();
  }

  // ---- what the simulator is asked

  #request() {
    const {state} = this.#app;
    const {sim} = state;
    const request = {ask: "simulate", scenario: sim.scenario, topology: state.network, seed: sim.seed};
    if (sim.balancer) request.balancer = sim.balancer;
    if (Object.keys(sim.options).length) request.options = sim.options;
    for (const {name, member, number} of SETTINGS) {
      if (sim[name] === "") continue;
      // What is no number goes as it is, so that the refusal names it.
      request[member] = number && Number.isFinite(Number(sim[name])) ? Number(sim[name]) : sim[name];
    }
    return request;
  }

  /** The samples from event `from` on, which come first. */
  async #fetch(from, stride, samples, loads) {
    const answer = await this.#app.planner.ask({...this.#request(), from, stride, samples, loads});
    this.#warmUp = answer.warm_up;
    const names = Object.keys(answer.samples);
    const found = answer.samples.events.map((_, i) => {
      const sample = Object.fromEntries(names.map((name) => [name, answer.samples[name][i]]));
      sample.loads = answer.loads?.[i] ?? null;
      return sample;
    });
    return {found, over: answer.over, result: answer.result};
  }

  /** Runs `work` with the number of this round; what refuses it is told, unless a later round has begun. */
  async #guarded(work) {
    const round = ++this.#round;
    try {
      await work(round);
      if (round === this.#round) this.#app.complain("");
    } catch (refused) {
      if (round !== this.#round) return;
      this.#halt();
      this.#app.refused(refused);
    }
  }

  /** Begins again, or goes on where a link says. */
  update(keep) {
    if (keep && this.shown && this.#key === JSON.stringify(this.#request())) {
      this.draw();
      return undefined;
    }
    return this.goTo(keep ? this.#app.state.sim.at : 0);
  }

  goTo(at) {
    this.#halt();
    this.#going = this.#guarded(async (round) => {
      if (this.#app.network !== this.#network) {
        this.#network = this.#app.network;
        this.#cube.setNetwork(this.#network);
      }
      this.#forget();
      this.#key = JSON.stringify(this.#request());
      await this.#advanceTo(at, round);
      if (round === this.#round) await this.#arrive(round);
    });
    return this.#going;
  }

  #forget() {
    this.#points = [];
    this.#ahead = [];
    this.#largest = 1;
    this.shown = null;
    this.result = null;
    this.over = false;
  }

  /** Simulates up to event `at` and keeps the samples without their loads. */
  async #advanceTo(at, round) {
    let from = this.#reached;
    while (from < at && !this.over && round === this.#round) {
      const chunk = Math.min(at - from, AT_ONCE);
      const samples = Math.min(100, chunk);
      const {found, over, result} = await this.#fetch(from, Math.floor(chunk / samples), samples, false);
      if (round !== this.#round) return;
      if (this.#points.length === 0) this.#keep(found[0]);
      for (const sample of found.slice(1)) this.#keep(sample);
      from = found.at(-1).events;
      this.over = over;
      this.result = result;
    }
  }

  /** The last event of which something is known. */
  get #reached() {
    return this.#ahead.at(-1)?.events ?? this.#points.at(-1)?.events ?? 0;
  }

  /** Shows the last event that was reached, with its loads. */
  async #arrive(round) {
    const from = this.#reached;
    const {found, over, result} = await this.#fetch(from, 1, 1, true);
    if (round !== this.#round) return;
    this.#show(found[0]);
    if (over && found.length === 1) {
      this.over = true;
      this.result = result;
    }
    this.#ahead = found.slice(1);
    this.#stopped();
  }

  #keep(sample) {
    const {loads, ...point} = sample;
    const last = this.#points.at(-1);
    if (last && last.events === point.events) return;
    this.#points.push(point);
    if (this.#points.length > MOST_POINTS) this.#points = this.#points.filter((_, i) => i % 2 === 0 || i === this.#points.length - 1);
  }

  #show(sample) {
    this.shown = sample;
    this.#keep(sample);
    if (sample.loads) this.#largest = sample.loads.reduce((a, b) => Math.max(a, b), this.#largest);
    this.#app.state.sim.at = sample.events;
  }

  // ---- running

  run() {
    if (this.#running || !this.shown) return;
    if (this.over && this.#ahead.length === 0) {
      this.goTo(0).then(() => this.run());
      return;
    }
    this.#setRunning(true);
    this.#position = this.shown.events;
    this.#last = performance.now();
    requestAnimationFrame((now) => this.#frame(now));
  }

  /** Stops, and shows what was already simulated. */
  async pause() {
    this.#setRunning(false);
    const round = this.#round;
    await this.#asking;
    if (round !== this.#round || this.#running) return;
    this.#catchUp();
    this.#stopped();
  }

  /** Stops without a word, because something else begins. */
  #halt() {
    this.#setRunning(false);
  }

  #setRunning(on) {
    this.#running = on;
    byId("time-run").querySelector("path").setAttribute("d", on ? PAUSE : PLAY);
    byId("time-run").setAttribute("aria-label", on ? "Pause" : "Run");
  }

  /** Shows the last sample that was fetched. */
  #catchUp() {
    for (const sample of this.#ahead.splice(0)) this.#show(sample);
    if (this.shown) this.#position = this.shown.events;
  }

  async step() {
    if (this.#running) return this.pause();
    await this.#going;
    if (!this.shown) return undefined;
    return this.#guarded(async (round) => {
      if (this.over && this.#ahead.length === 0) return;
      if (this.#ahead.length === 0) await this.#fetchAhead(1, 1, round);
      if (round !== this.#round) return;
      const next = this.#ahead.shift();
      if (next) this.#show(next);
      this.#stopped();
    });
  }

  /** Simulates to the end; the samples of the way are in the charts. */
  async toEnd() {
    this.#halt();
    await this.#going;
    await this.#asking;
    if (!this.shown) return;
    await this.#guarded(async (round) => {
      this.#catchUp();
      byId("time-status").textContent = "Simulating to the end.";
      while (!this.over && round === this.#round && this.#reached < this.#app.catalogue.limits.events) {
        // Short runs, too, have enough samples for the charts.
        const more = Math.min(Math.max(FIRST_CHUNK, this.#reached), AT_ONCE / 4);
        await this.#advanceTo(Math.min(this.#reached + more, this.#app.catalogue.limits.events), round);
        if (round !== this.#round) return;
        this.#drawCharts();
      }
      if (round === this.#round) await this.#arrive(round);
    });
  }

  async #fetchAhead(stride, samples, round) {
    const {found, over, result} = await this.#fetch(this.#reached, stride, samples, true);
    if (round !== this.#round) return;
    this.#ahead.push(...found.slice(1));
    this.over = over;
    this.result = result;
  }

  #feed() {
    if (this.#asking || this.over || this.#reached - this.#position > this.#speed * AHEAD) return;
    const round = this.#round;
    const stride = Math.max(1, Math.round(this.#speed / SAMPLES_A_SECOND));
    const samples = Math.max(1, Math.ceil(this.#speed / stride * AHEAD));
    this.#asking = this.#fetchAhead(stride, samples, round).catch((refused) => {
      if (round !== this.#round) return;
      this.#halt();
      this.#app.refused(refused);
    }).finally(() => { this.#asking = null; });
  }

  #frame(now) {
    if (!this.#running) return;
    this.#position = Math.min(this.#position + (now - this.#last) / 1000 * this.#speed, Math.max(this.#reached, this.shown.events + 1));
    this.#last = now;
    let moved = false;
    while (this.#ahead.length && this.#ahead[0].events <= this.#position) {
      this.#show(this.#ahead.shift());
      moved = true;
    }
    if (this.over && this.#ahead.length === 0) {
      this.#setRunning(false);
      this.#stopped();
      return;
    }
    this.#feed();
    if (moved) this.#drawFrame(now);
    requestAnimationFrame((next) => this.#frame(next));
  }

  /** What is said when the run stands still. */
  #stopped() {
    const {shown} = this;
    this.#app.remember();
    const ended = this.over && this.#ahead.length === 0;
    const response = shown.mean_response === null ? "" : `, mean response time ${about(shown.mean_response)}`;
    byId("time-status").textContent = `${ended ? "The simulation is over, after" : "After"} ${counted(shown.events, "event")}, at time ${
      about(shown.time)}: ${counted(shown.in_system, "task")} in the system, difference ${whole(shown.difference)}${response}.`;
    byId("time-cube").setAttribute("aria-label", `${this.#app.state.network}. ${byId("time-status").textContent}`);
    byId("time-profile").setAttribute("aria-label", `Loads by node at time ${about(shown.time)}, difference ${whole(shown.difference)}`);
    const ends = this.#points.filter((_, i) => i % Math.ceil(this.#points.length / 12) === 0);
    byId("response-chart").setAttribute("aria-label", `Mean response time so far: ${ends.map(({mean_response: mean}) => about(mean)).join(", ")}`);
    byId("imbalance-chart").setAttribute("aria-label", `Difference of the loads: ${ends.map(({difference}) => whole(difference)).join(", ")}`);
    byId("time-step").disabled = byId("time-end").disabled = ended;
    this.#showFigures();
    this.#showSamples();
    this.draw();
  }

  #showFigures() {
    const {shown, result} = this;
    const ended = this.over && this.#ahead.length === 0 ? result : null;
    const figures = [["Time", about(shown.time)], ["Events", whole(shown.events)], ["Tasks in the system", whole(shown.in_system)],
      ["Completed", whole(shown.completed)], ["Mean response time", about(shown.mean_response)], ["Difference", whole(shown.difference)],
      ["Rounds or activations", whole(shown.rounds)], ["Tasks moved", whole(shown.tasks_moved)]];
    if (ended) {
      figures.push(["Makespan", about(ended.makespan)], ["Utilisation", about(ended.utilisation)], ["Messages", whole(ended.messages)],
        ["Performance (Pi)", ended.performance === null ? "none" : about(ended.performance)]);
    }
    fill(byId("time-figures"), ...figures.map(([title, value]) => make("div", {}, make("dt", {}, title), make("dd", {}, value))));
  }

  #showSamples() {
    if (!byId("samples-details").open || this.#running) return;
    const every = Math.max(1, Math.ceil(this.#points.length / 24));
    const rows = this.#points.filter((_, i) => i % every === 0 || i === this.#points.length - 1).map((point) => make("tr", {},
      make("th", {scope: "row"}, about(point.time)), ...[whole(point.events), about(point.response), about(point.mean_response),
        whole(point.difference), about(point.deviation), whole(point.in_system)].map((text) => make("td", {}, text))));
    fill(byId("samples"), make("caption", {className: "hidden"}, "Samples of the simulation"), make("thead", {}, make("tr", {}, ...["Time",
      "Events", "Response time", "Mean so far", "Difference", "Deviation", "In the system"].map((title) => make("th", {scope: "col"}, title)))),
    make("tbody", {}, ...rows));
  }

  // ---- drawing

  draw() {
    if (!this.shown || this.#app.state.view !== "time") return;
    this.#drawNow();
    drawScale(byId("time-scale"), byId("time-scale-most"), this.#largest);
  }

  #drawNow() {
    this.#drawLoads(false);
    if (this.shown.loads) drawProfile(byId("time-profile"), this.shown.loads, this.#largest);
    this.#drawCharts();
  }

  #drawLoads(forced) {
    if (this.shown.loads) this.#cube.draw({loads: this.shown.loads, next: []}, 0, this.#largest, forced);
  }

  /** Of a run the loads are drawn in every frame, charts and figures several times a second, because nobody reads faster. */
  #drawFrame(now, forced = false) {
    this.#drawLoads(forced);
    if (now - this.#figuresAt < FIGURES_EVERY_MS) return;
    this.#figuresAt = now;
    if (this.shown.loads) drawProfile(byId("time-profile"), this.shown.loads, this.#largest);
    this.#drawCharts();
    this.#showFigures();
    byId("time-scale-most").textContent = whole(this.#largest);
    if (forced) for (const id of ["time-profile", "response-chart", "imbalance-chart"]) byId(id).getContext("2d").getImageData(0, 0, 1, 1);
  }

  #drawCharts() {
    drawOverTime(byId("response-chart"), this.#points, RESPONSE, this.#warmUp);
    drawOverTime(byId("imbalance-chart"), this.#points, IMBALANCE, 0);
  }

  /** Draws `frames` frames of a run, each until it is painted, and returns their times in milliseconds. */
  measureFrames(frames) {
    return Array.from({length: frames}, (_, i) => {
      const before = performance.now();
      this.#drawFrame(i * 1000 / SAMPLES_A_SECOND, true);
      return performance.now() - before;
    });
  }

  // ---- Loh's table

  async #compareStrategies() {
    const {sim} = this.#app.state;
    const scenario = sim.scenario.startsWith("loh-") ? sim.scenario : "loh-stable";
    const button = byId("loh-compare");
    button.disabled = true;
    try {
      const table = await this.#app.planner.ask({ask: "strategies", scenario, seed: sim.seed, runs: 5});
      this.#showStrategies(table);
      this.#app.complain("");
    } catch (refused) {
      this.#app.refused(refused);
    }
    button.disabled = false;
  }

  #showStrategies({scenario, runs, networks, strategies, performance, without, optimum}) {
    const rows = networks.map(({label}, row) => {
      const best = Math.max(...performance[row]);
      return make("tr", {}, make("th", {scope: "row"}, label), ...performance[row].map((value) => make("td", {className: value === best ? "best" : ""},
        value.toFixed(3))));
    });
    fill(byId("loh-table"), make("caption", {className: "hidden"}, "Performance of the strategies on the four networks"), make("thead", {}, make("tr", {},
      make("th", {scope: "col"}, "Network"), ...strategies.map(({name, label}) => make("th", {scope: "col", title: name}, label)))), make("tbody", {}, ...rows));
    byId("loh-note").textContent = `${scenario}, means of ${counted(runs, "run")}: 1 is perfect balance, 0 is no balancing. Without balancing the tasks take ${
      about(without)} s, and ${about(optimum)} s if they are always balanced. GM: gradient, SI and RI: sender- and receiver-initiated, LBC: central dispatcher, Pred: prediction.`;
  }
}
