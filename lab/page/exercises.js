// Exercises after the papers' worked examples. The planners check the answers.

import {byId, make, fill} from "./elements.js";

const KEPT = "evencube-lab-solved";

function solvedBefore() {
  try {
    return new Set(JSON.parse(localStorage.getItem(KEPT) ?? "[]"));
  } catch {
    return new Set(); // a page from a file may have no storage
  }
}

export class ExercisesView {
  #app;
  #solved = solvedBefore();

  constructor(app) {
    this.#app = app;
  }

  #keep(name) {
    this.#solved.add(name);
    try {
      localStorage.setItem(KEPT, JSON.stringify([...this.#solved]));
    } catch {
      // It is kept as long as the page is open.
    }
  }

  #chosen() {
    const {exercises} = this.#app.catalogue;
    return exercises.find(({name}) => name === this.#app.state.exercise) ?? exercises[0];
  }

  showList() {
    const {exercises} = this.#app.catalogue;
    fill(byId("exercise-list"), ...exercises.map((one, index) => {
      const solved = this.#solved.has(one.name);
      const button = make("button", {type: "button"}, make("span", {className: "mark", "aria-hidden": "true"}, solved ? "\u2713" : `${index + 1}`),
        make("span", {}, one.title), ...(solved ? [make("span", {className: "hidden"}, "(solved)")] : []));
      button.setAttribute("aria-current", String(one === this.#chosen()));
      button.addEventListener("click", () => {
        this.#app.state.exercise = one.name;
        this.#app.remember();
        this.show();
        byId("answer").focus();
      });
      return make("li", {}, button);
    }));
  }

  show() {
    this.showList();
    const one = this.#chosen();
    const answer = make("input", {id: "answer", autocomplete: "off", spellcheck: false});
    const verdict = make("div", {id: "verdict", role: "status"});
    const check = make("button", {type: "submit", className: "main"}, "Check");
    const solution = make("button", {type: "button"}, "Show a solution");
    const watch = make("button", {type: "button", id: "watch"}, "Watch it on the cube");
    const form = make("form", {}, make("label", {htmlFor: "answer"}, one.asks === "number" ? "Your answer, a number" :
      one.loads ? "Your answer, the final loads in the order of the nodes" : "Your loads, one for each node"), answer,
    make("div", {className: "row"}, check, solution, watch));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.#check(one, answer.value, verdict);
    });
    solution.addEventListener("click", () => {
      answer.value = one.solution;
      this.#check(one, one.solution, verdict, false);
    });
    watch.addEventListener("click", () => this.#app.watch(one, one.loads || answer.value));
    const facts = [`Network ${one.topology}`, `balancer ${one.balancer}${one.option ? ` with ${one.option}` : ""}`];
    if (one.initiator >= 0) facts.push(`called by node ${one.initiator}`);
    const number = this.#app.catalogue.exercises.indexOf(one) + 1;
    fill(byId("exercise"), make("h2", {}, `${number}. ${one.title}`), make("p", {}, one.question),
      ...(one.loads ? [make("p", {className: "given"}, `Loads: ${one.loads.replaceAll(",", ", ")}`)] : []),
      make("p", {className: "note"}, `${facts.join(", ")}. ${one.source}.`), form, verdict);
  }

  async #check(one, given, verdict, counts = true) {
    let sentence;
    let right = false;
    try {
      const found = await this.#app.planner.ask({ask: "check", exercise: one.name, given});
      ({right, sentence} = found);
    } catch (refused) {
      sentence = refused.message;
    }
    fill(verdict, make("p", {className: right ? "verdict right" : "verdict"}, sentence));
    if (right && counts) {
      this.#keep(one.name);
      this.showList();
    }
  }
}
