// Two to four balancers side by side from the same loads.

import {byId, make, fill, whole, optionFields} from "./elements.js";
import {drawGantt, drawProfile, ganttHeight, linksOf, DIMENSIONS} from "./charts.js";

export const MOST_COMPARED = 4;

const ROWS = [
  ["Phases", (plan) => plan.phases.length],
  ["Transfers", (plan) => plan.transfers],
  ["Task-hops", (plan) => plan.task_hops],
  ["Units over the busiest link", (plan) => plan.max_link],
  ["Final difference", (plan) => plan.differences.at(-1)],
  ["Bound of the difference", (plan) => plan.bound],
  ["T_comm, phase by phase", (plan) => plan.t_comm.phased],
  ["T_comm, overlapped in rounds", (plan) => plan.t_comm.overlapped_rounds],
  ["T_comm, overlapped", (plan) => plan.t_comm.overlapped],
  ["T_comm, pipelined", (plan) => plan.t_comm.pipelined],
];

export class CompareView {
  #app;
  #plans = [];
  #drawn = [];

  constructor(app) {
    this.#app = app;
    byId("add-balancer").addEventListener("click", () => {
      const {state} = app;
      const free = app.catalogue.balancers.find(({name}) => !state.compared.some(({balancer}) => balancer === name));
      state.compared.push({balancer: free ? free.name : "oem", options: {}});
      this.#changed();
    });
    for (const field of document.querySelectorAll('input[name="transmission"]')) {
      field.addEventListener("change", () => {
        app.state.transmission = field.value;
        app.remember();
        this.#showGantts();
      });
    }
  }

  #changed() {
    this.#app.remember();
    this.showChoices();
    return this.update();
  }

  showChoices() {
    const {state, catalogue} = this.#app;
    fill(byId("compared"), ...state.compared.map((one, index) => {
      const id = `compared-${index}`;
      const select = make("select", {id}, ...catalogue.balancers.map(({name}) => make("option", {value: name}, name)));
      select.value = one.balancer;
      select.addEventListener("change", () => {
        state.compared[index] = {balancer: select.value, options: {}};
        this.#changed().then(() => byId(id)?.focus());
      });
      const known = catalogue.balancers.find(({name}) => name === one.balancer);
      const fields = known ? optionFields(known, one.options, (name, value) => {
        if (value === "") delete one.options[name]; else one.options[name] = value;
        this.#app.remember();
        this.update();
      }, `compared-${index}-option`) : [];
      const parts = [make("label", {htmlFor: id}, `Balancer ${index + 1}`, select)];
      if (fields.length) parts.push(make("details", {}, make("summary", {}, "Options"), ...fields));
      if (state.compared.length > 2) {
        const remove = make("button", {type: "button", "aria-label": `Remove balancer ${index + 1}, ${one.balancer}`}, "Remove");
        remove.addEventListener("click", () => {
          state.compared.splice(index, 1);
          this.#changed();
        });
        parts.push(remove);
      }
      return make("div", {}, ...parts);
    }));
    byId("add-balancer").disabled = state.compared.length >= MOST_COMPARED;
    for (const field of document.querySelectorAll('input[name="transmission"]')) field.checked = field.value === state.transmission;
  }

  async update() {
    const {state} = this.#app;
    const chosen = state.compared.slice();
    const loads = this.#app.loads;
    if (!loads) return;
    const plans = [];
    let problem = "";
    for (const one of chosen) {
      try {
        plans.push(await this.#app.planner.ask({ask: "plan", topology: state.network, loads, balancer: one.balancer,
          options: one.options, seed: state.seed, schedules: true}));
      } catch (refused) {
        problem = problem || refused.message;
        plans.push({error: refused.message, balancer: one.balancer});
      }
    }
    if (chosen.length !== state.compared.length || loads !== this.#app.loads) return;
    this.#plans = plans;
    this.#app.complain(problem);
    this.#showTable();
    this.#showGantts();
  }

  #label(index) {
    const {balancer, options} = this.#app.state.compared[index];
    const words = Object.entries(options).map(([name, value]) => `${name} ${value}`).join(", ");
    return words ? `${balancer} (${words})` : balancer;
  }

  #showTable() {
    const heads = this.#plans.map((_, index) => make("th", {scope: "col"}, this.#label(index)));
    const rows = ROWS.map(([title, of]) => {
      const values = this.#plans.map((plan) => (plan.error ? null : of(plan)));
      const numbers = values.filter((value) => value !== null && value !== undefined);
      const best = numbers.length > 1 && new Set(numbers).size > 1 ? Math.min(...numbers) : NaN;
      return make("tr", {}, make("th", {scope: "row"}, title), ...values.map((value, index) => {
        const none = this.#plans[index].error ? "refused" : title.startsWith("Bound") ? "none" : "not known";
        return make("td", {className: value === best ? "best" : ""}, value === null || value === undefined ? none : whole(value));
      }));
    });
    const table = byId("comparison");
    fill(table, table.caption, make("thead", {}, make("tr", {}, make("th", {scope: "col"}, "From the same loads"), ...heads)),
      make("tbody", {}, ...rows));
  }

  #showGantts() {
    const {state} = this.#app;
    const cube = ["hypercube", "cube"].includes(this.#app.network?.kind);
    let end = 1;
    let largest = 1;
    const usable = this.#plans.filter((plan) => !plan.error);
    for (const plan of usable) {
      end = Math.max(end, plan.t_comm[state.transmission] ?? 0);
      largest = Math.max(largest, ...plan.final.slice(0, 4096));
    }
    this.#drawn = [];
    const parts = this.#plans.map((plan, index) => {
      const title = make("h3", {}, this.#label(index));
      if (plan.error) return make("div", {}, title, make("p", {className: "note"}, plan.error));
      const steps = plan.schedules?.[state.transmission];
      const cost = plan.t_comm[state.transmission];
      const about = make("p", {className: "note"}, `${whole(cost)} T_comm; ends with loads from ${whole(plan.final.reduce((a, b) => Math.min(a, b)))} to ${
        whole(plan.final.reduce((a, b) => Math.max(a, b)))}`);
      if (!steps) return make("div", {}, title, about, make("p", {className: "note"}, "The schedule is too long to be drawn."));
      if (!steps.length) return make("div", {}, title, make("p", {className: "note"}, "Nothing moves."));
      const links = linksOf(steps);
      const canvas = make("canvas", {});
      canvas.setAttribute("role", "img");
      canvas.setAttribute("aria-label", `${this.#label(index)}: ${links.length} links over ${whole(cost)} units of time, ${state.transmission}`);
      canvas.style.height = `${ganttHeight(links)}px`;
      const profile = make("canvas", {});
      profile.setAttribute("role", "img");
      profile.setAttribute("aria-label", `${this.#label(index)}: the final loads, with a difference of ${plan.differences.at(-1)}`);
      profile.style.height = "90px";
      this.#drawn.push(() => drawGantt(canvas, links, end, cube), () => drawProfile(profile, plan.final, largest));
      return make("div", {}, title, about, canvas, make("p", {className: "note"}, "Final loads"), profile);
    });
    const dimensions = this.#app.network?.dimensions ?? 0;
    if (cube && dimensions > 0) {
      parts.unshift(make("p", {className: "legend"}, ...Array.from({length: Math.min(dimensions, DIMENSIONS.length)}, (_, d) => {
        const mark = make("i", {});
        mark.style.background = DIMENSIONS[d];
        return make("span", {}, mark, `dimension ${d}`);
      })));
    }
    fill(byId("gantts"), ...parts);
    this.draw();
  }

  draw() {
    for (const one of this.#drawn) one();
  }
}
