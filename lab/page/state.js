// What is shown, in the fragment of the address: a link holds the whole state.

export const MOST_FRAGMENT = 200000;

/** The settings of a simulation that are texts: their fields, their members in requests and in the catalogue, and their
 * words in links. */
export const SETTINGS = [
  {name: "load", id: "sim-load", member: "load", word: "tl", number: true},
  {name: "service", id: "sim-service", member: "service", word: "tv", number: false},
  {name: "horizon", id: "sim-horizon", member: "horizon", word: "th", number: true},
  {name: "period", id: "sim-period", member: "period", word: "tp", number: true},
  {name: "latency", id: "sim-latency", member: "latency", word: "ty", number: true},
  {name: "perQuantum", id: "sim-per-quantum", member: "per_quantum", word: "tq", number: true},
  {name: "transmission", id: "sim-transmission", member: "transmission", word: "tx", number: false},
];

const DEFAULTS = {
  view: "cube", network: "hypercube:3", loads: "15,1,1,1,1,1,1,1", balancer: "dem", options: {}, seed: 0, initiator: "",
  phase: 0, compared: [{balancer: "dem", options: {}}, {balancer: "oem", options: {}}, {balancer: "cwa", options: {}}],
  transmission: "pipelined", exercise: "dem-pair", drawSeed: 1, largest: 20,
  // Of the simulation: the speed is the decimal logarithm of the events per second, `at` the number of events so far.
  sim: {scenario: "hot-spot", balancer: "", options: {}, seed: 1, speed: 2, at: 0, ...Object.fromEntries(SETTINGS.map(({name}) => [name, ""]))},
};

export const VIEWS = ["cube", "compare", "time", "exercises"];
const FASTEST = 6;
const TRANSMISSIONS = ["phased", "overlapped", "pipelined"];

function optionsText(options) {
  return Object.entries(options).map(([name, value]) => `${name}=${value}`).join(";");
}

function optionsOf(text) {
  const options = {};
  for (const part of text.split(";")) {
    const at = part.indexOf("=");
    if (at > 0) options[part.slice(0, at)] = part.slice(at + 1);
  }
  return options;
}

function count(text, otherwise) {
  return /^\d{1,15}$/.test(text ?? "") ? Number(text) : otherwise;
}

/** The state as a fragment without its sign. */
export function fragmentOf(state) {
  const words = new URLSearchParams();
  words.set("v", state.view);
  words.set("n", state.network);
  words.set("l", state.loads);
  words.set("b", state.balancer);
  if (Object.keys(state.options).length) words.set("o", optionsText(state.options));
  if (state.seed) words.set("s", String(state.seed));
  if (state.initiator !== "") words.set("i", state.initiator);
  if (state.phase) words.set("p", String(state.phase));
  words.set("c", state.compared.map(({balancer, options}) => [balancer, optionsText(options)].join("!")).join("|"));
  words.set("t", state.transmission);
  words.set("e", state.exercise);
  const {sim} = state;
  words.set("ts", sim.scenario);
  if (sim.balancer) words.set("tb", sim.balancer);
  if (Object.keys(sim.options).length) words.set("to", optionsText(sim.options));
  for (const {name, word} of SETTINGS) if (sim[name] !== "") words.set(word, sim[name]);
  words.set("tr", String(sim.seed));
  words.set("tz", String(sim.speed));
  if (sim.at) words.set("ta", String(sim.at));
  return words.toString().replaceAll("%2C", ",").replaceAll("%3A", ":");
}

/** The state of a fragment; what is missing is as at the beginning. Throws an Error with a sentence. */
export function stateOf(fragment) {
  if (fragment.length > MOST_FRAGMENT) {
    throw new Error(`The link has ${fragment.length} characters after its #, and the lab reads at most ${MOST_FRAGMENT}.`);
  }
  const words = new URLSearchParams(fragment);
  const state = structuredClone(DEFAULTS);
  const text = (name, otherwise) => words.get(name) ?? otherwise;
  if (VIEWS.includes(words.get("v"))) state.view = words.get("v");
  if (TRANSMISSIONS.includes(words.get("t"))) state.transmission = words.get("t");
  state.network = text("n", state.network);
  state.loads = text("l", state.loads);
  state.balancer = text("b", state.balancer);
  state.options = optionsOf(text("o", ""));
  state.seed = count(words.get("s"), state.seed);
  state.initiator = /^\d{1,7}$/.test(words.get("i") ?? "") ? words.get("i") : "";
  state.phase = count(words.get("p"), state.phase);
  state.exercise = text("e", state.exercise);
  const compared = text("c", "").split("|").filter(Boolean).slice(0, 4).map((one) => {
    const [balancer, options = ""] = one.split("!");
    return {balancer, options: optionsOf(options)};
  });
  if (compared.length >= 2) state.compared = compared;
  const {sim} = state;
  sim.scenario = text("ts", sim.scenario);
  sim.balancer = text("tb", "");
  sim.options = optionsOf(text("to", ""));
  for (const {name, word} of SETTINGS) sim[name] = text(word, "");
  sim.seed = count(words.get("tr"), sim.seed);
  const speed = Number(words.get("tz") ?? sim.speed);
  if (speed >= 0 && speed <= FASTEST) sim.speed = speed;
  sim.at = count(words.get("ta"), 0);
  return state;
}

export {optionsOf, optionsText};
