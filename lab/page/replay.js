// Carries out the phases of a plan on a copy of the loads, forwards and backwards. What moves is the plan's decision alone.

export class Replay {
  /** `answer` is the planners' answer to a request for a plan. */
  constructor(answer) {
    this.answer = answer;
    this.loads = Float64Array.from(answer.initial);
    this.phase = 0;
  }

  get phases() {
    return this.answer.phases.length;
  }

  /** The transfers of the phase that comes next: from, to, quanta, from, to, quanta, ... */
  get next() {
    return this.answer.phases[this.phase] ?? [];
  }

  #carryOut(transfers, sign) {
    for (let i = 0; i < transfers.length; i += 3) {
      this.loads[transfers[i]] -= sign * transfers[i + 2];
      this.loads[transfers[i + 1]] += sign * transfers[i + 2];
    }
  }

  goTo(phase) {
    const wanted = Math.max(0, Math.min(phase, this.phases));
    while (this.phase < wanted) this.#carryOut(this.answer.phases[this.phase++], 1);
    while (this.phase > wanted) this.#carryOut(this.answer.phases[--this.phase], -1);
  }
}
