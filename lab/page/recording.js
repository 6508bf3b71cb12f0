// A recording of a real run: its rounds, one after the other, in the cube view.

import {byId, make, fill, counted, whole} from "./elements.js";
import {drawOverTime} from "./time-charts.js";

const ROUNDS_AT_ONCE = 8;
const ROUNDS_KEPT = 64;
const BEFORE_AND_AFTER = [{name: "before a round", of: ({before}) => before, colour: "warn", width: 1.4},
  {name: "after it", of: ({after}) => after, colour: "accent", width: 1.8}];

/** A time in nanoseconds, in milliseconds. */
function milliseconds(time) {
  return `${Number((time / 1e6).toPrecision(5)).toLocaleString("en", {maximumFractionDigits: 6})} ms`;
}

export class RecordingView {
  #app;
  #facts = null;
  #network = null;
  #name = "";
  #points = [];
  #rounds = new Map();
  #shown = null;
  #asked = 0;
  /** The number of the round that is shown. */
  at = 0;

  constructor(app) {
    this.#app = app;
    const file = byId("recording-file");
    byId("open-recording").addEventListener("click", () => file.click());
    file.addEventListener("change", () => {
      if (file.files.length) this.openFile(file.files[0]);
      file.value = ""; // so that the same file can be chosen again
    });
    byId("close-recording").addEventListener("click", () => {
      this.close();
      app.showPlans();
      byId("open-recording").focus();
    });
    byId("replan").addEventListener("click", () => this.#replan());
    byId("round-back").addEventListener("click", () => this.choose(this.at - 1));
    byId("round-forward").addEventListener("click", () => this.choose(this.at + 1));
    byId("round").addEventListener("input", () => this.choose(Number(byId("round").value)));
    this.#takeDrops();
  }

  get open() {
    return this.#facts !== null;
  }

  /** Whether there is a round `by` rounds further. */
  has(by) {
    return this.open && this.at + by >= 0 && this.at + by < this.#facts.rounds;
  }

  #takeDrops() {
    const dropping = (event, on) => {
      if (!event.dataTransfer?.types.includes("Files")) return;
      event.preventDefault();
      document.body.classList.toggle("dropping", on);
    };
    document.addEventListener("dragover", (event) => dropping(event, true));
    document.addEventListener("dragleave", (event) => dropping(event, event.relatedTarget !== null));
    document.addEventListener("drop", (event) => {
      dropping(event, false);
      if (event.dataTransfer?.files.length) this.openFile(event.dataTransfer.files[0]);
    });
  }

  /** Reads a file and shows its first round. What was shown before stays if the file is refused. */
  async openFile(file) {
    const {planner, catalogue} = this.#app;
    this.#app.pause();
    const asked = ++this.#asked;
    byId("recording-facts").textContent = `Reading ${file.name}.`;
    try {
      const facts = await planner.open(file, catalogue.limits);
      const network = await planner.ask({ask: "network", topology: facts.topology});
      if (asked !== this.#asked) return;
      this.#begin(file.name, facts, network);
      await this.#app.showRecording();
    } catch (refused) {
      if (asked === this.#asked) this.#app.refused(refused);
    }
    this.#showFacts();
  }

  #begin(name, facts, network) {
    const {time, before, after} = facts.differences;
    this.#name = name;
    this.#facts = facts;
    this.#network = network;
    this.#points = time.map((one, i) => ({time: one / 1e6, before: before[i], after: after[i]}));
    this.#rounds.clear();
    this.#shown = null;
    this.at = 0;
    byId("round").max = String(facts.rounds - 1);
  }

  /** Forgets the recording. */
  close() {
    ++this.#asked;
    if (this.open) this.#app.planner.ask({ask: "forget"}).catch((refused) => this.#app.refused(refused));
    this.#facts = this.#shown = null;
    this.#rounds.clear();
    this.#showFacts();
  }

  /** Shows the controls of a recording where there is one. */
  showControls() {
    const shown = this.open && this.#app.state.view === "cube";
    for (const id of ["rounds", "rounds-figure", "close-recording", "replan"]) byId(id).hidden = !shown;
  }

  #showFacts() {
    const line = byId("recording-facts");
    if (!this.open) {
      line.textContent = "Choose a file that EVENCUBE_TRACE or evencube run --trace wrote, or drop it on this page. It stays on this computer.";
      return;
    }
    const {workload, balancer, topology, workers, tasks, makespan, rounds, moved, cut, recorded_at: date, recorded_on: machine} = this.#facts;
    const parts = [`${this.#name}: ${workload || "a program"} under ${balancer}, ${counted(workers, "worker")} in ${topology}.`,
      `${counted(tasks, "task")} in ${milliseconds(makespan)}, ${counted(rounds, "round")}.`,
      `${counted(moved.rounds, "move")} of tasks by rounds, ${whole(moved.pulls)} by pulls, ${whole(moved.rescues)} by rescues.`];
    if (cut) parts.push("The recording ended before the run, because memory ran out.");
    if (date || machine) parts.push(`Recorded ${[date, machine && `on ${machine}`].filter(Boolean).join(" ")}.`);
    line.textContent = parts.join(" ");
  }

  /** The round with that number, with what the figures say about it. */
  async #fetch(number) {
    if (!this.#rounds.has(number)) {
      if (this.#rounds.size >= ROUNDS_KEPT) this.#rounds.clear();
      const found = await this.#app.planner.ask({ask: "recording", from: number, count: ROUNDS_AT_ONCE});
      found.rounds.forEach((round, i) => this.#rounds.set(found.from + i, round));
      return found.rounds[0];
    }
    return this.#rounds.get(number);
  }

  #figures(round) {
    const {differences} = round;
    return [["Round", `${whole(this.at + 1)} of ${whole(this.#facts.rounds)}`], ["Time", milliseconds(round.time)], ["Phases", round.phases.length],
      ["Difference before", differences[0]], ["Difference after", differences.at(-1)], ["Bound", round.bound ?? "none"],
      ["Task-hops", round.task_hops], ["Moves made", round.moved]];
  }

  /** Shows a round, at the beginning or at a phase. Returns whether it is shown; it is not if it was refused, or overtaken. */
  async show(number = this.at, phase = 0) {
    const asked = ++this.#asked;
    let round;
    try {
      round = await this.#fetch(number);
    } catch (refused) {
      if (asked !== this.#asked) return false;
      this.#app.pause();
      this.#app.refused(refused);
      return false;
    }
    if (asked !== this.#asked || this.#app.state.view !== "cube") return false;
    this.at = number;
    this.#shown = round;
    this.showControls();
    this.#app.network = this.#network;
    this.#app.showPlan({...round, figures: this.#figures(round)}, phase, Math.max(1, this.#facts.largest));
    this.#app.complain("");
    return true;
  }

  /** Stops the player and shows a round that the reader chose. */
  choose(number, phase = 0) {
    if (!this.open) return Promise.resolve(false);
    this.#app.pause();
    return this.show(Math.max(0, Math.min(number, this.#facts.rounds - 1)), phase);
  }

  /** What is said of the round that is shown, before what is said of its phases. */
  words() {
    if (!this.#shown) return "";
    const {initiator} = this.#shown;
    return `Round ${this.at + 1} of ${this.#facts.rounds}, at ${milliseconds(this.#shown.time)}${
      initiator === undefined ? "" : `, of worker ${initiator} alone`}. `;
  }

  /** Puts the number of the round into the controls. */
  arrived() {
    if (!this.open) return;
    const text = `Round ${this.at + 1} of ${this.#facts.rounds}`;
    byId("round").value = String(this.at);
    byId("round").setAttribute("aria-valuetext", text);
    byId("round-text").textContent = text;
    byId("round-back").disabled = !this.has(-1);
    byId("round-forward").disabled = !this.has(1);
    const every = Math.ceil(this.#points.length / 12);
    byId("round-differences").setAttribute("aria-label", `Difference before and after the rounds: ${this.#points.filter((_, i) => i % every === 0)
      .map(({before, after}) => `${before} and ${after}`).join(", ")}`);
  }

  draw() {
    if (!this.#shown) return;
    const {time, differences} = this.#shown;
    drawOverTime(byId("round-differences"), this.#points, BEFORE_AND_AFTER, 0, {time: time / 1e6, before: differences[0], after: differences.at(-1)});
  }

  onKey(event) {
    const to = {PageUp: this.at - 1, PageDown: this.at + 1}[event.key];
    if (to === undefined || !this.open) return;
    event.preventDefault();
    this.choose(to);
  }

  /** Plans the loads of the round that is shown, under any balancer. */
  #replan() {
    const {state, catalogue} = this.#app;
    const {balancer, topology} = this.#facts;
    Object.assign(state, {network: topology, loads: this.#shown.initial.join(","), phase: 0, options: {}, initiator: ""});
    if (catalogue.balancers.some(({name}) => name === balancer)) state.balancer = balancer;
    this.close();
    this.#app.showPlans();
    byId("balancer").focus();
  }
}
