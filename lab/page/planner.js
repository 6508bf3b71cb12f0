// Asks the planners, which run in a worker, and stops them where they take too long.

/** A sentence for the user instead of an answer. */
export class Refusal extends Error {}

export const LIMIT_MS = 10000;
export const MOST_REQUEST = 1 << 20;

export class Planner {
  #source;
  #bytes;
  #worker = null;
  #waiting = [];
  #number = 0;
  #timer = 0;

  /** `source` is the text of the worker, `bytes` the module. */
  constructor(source, bytes) {
    this.#source = source;
    this.#bytes = bytes;
  }

  /** The answer to a request, an object. Rejects with a Refusal. */
  ask(request) {
    const text = JSON.stringify(request);
    if (text.length > MOST_REQUEST) {
      return Promise.reject(new Refusal("That is more than a million characters, more than the lab takes."));
    }
    return this.#queue({text}, "Try fewer nodes, units or repetitions.");
  }

  /** Opens a recording, a file; `limits` are those of the catalogue. Gives the facts about it, or rejects with a Refusal. */
  open(file, limits) {
    return this.#queue({file, limits}, "Try a shorter recording.");
  }

  #queue(message, advice) {
    return new Promise((resolve, reject) => {
      this.#waiting.push({number: ++this.#number, message, advice, resolve, reject});
      if (this.#waiting.length === 1) this.#send();
    });
  }

  #send() {
    const next = this.#waiting[0];
    if (!next) return;
    if (!this.#worker) this.#start();
    this.#timer = setTimeout(() => this.#stop(), LIMIT_MS);
    this.#worker.postMessage({number: next.number, ...next.message});
  }

  #start() {
    const address = URL.createObjectURL(new Blob([this.#source], {type: "text/javascript"}));
    this.#worker = new Worker(address);
    this.#worker.onmessage = ({data}) => this.#answered(data);
    this.#worker.onerror = (event) => this.#fail(`The planners cannot run here (${event.message}).`);
    this.#worker.postMessage({bytes: this.#bytes});
  }

  #answered({number, text}) {
    const first = this.#waiting[0];
    if (!first || first.number !== number) return;
    clearTimeout(this.#timer);
    this.#waiting.shift();
    const answer = JSON.parse(text);
    if (answer.error) first.reject(new Refusal(answer.error)); else first.resolve(answer);
    this.#send();
  }

  #fail(sentence) {
    clearTimeout(this.#timer);
    this.#worker?.terminate();
    this.#worker = null;
    this.#waiting.shift()?.reject(new Refusal(sentence));
    this.#send();
  }

  #stop() {
    this.#fail(`This took longer than ${LIMIT_MS / 1000} seconds and was stopped. ${this.#waiting[0]?.advice}`);
  }
}
