// The last minutes of a series of numbers: what the broker remembers, and since then what this tab has seen. That
// outlives a change of page, so that a chart does not begin anew each time its page is opened.

const KEPT = 300; // samples, one a second
const APART = 10; // seconds between two samples of the tab's own that leave room for what the broker remembers

export class History {
  #key;
  samples = []; // [seconds since the epoch, …values]

  constructor(key) {
    this.#key = `history:${key}`;
    this.samples = this.#restored();
    addEventListener("pagehide", () => this.#keep());
  }

  // rows: [seconds since the epoch, …values], the oldest first.
  begin(rows) {
    this.samples = joined(this.samples, rows);
  }

  push(at, values) {
    const last = this.samples.at(-1);
    // The same second told twice: the later word counts.
    if (last && at - last[0] < 0.5) this.samples.pop();
    this.samples.push([at, ...values]);
    if (this.samples.length > KEPT) this.samples.splice(0, this.samples.length - KEPT);
  }

  #restored() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(this.#key)) ?? [];
      return kept.filter(([at]) => Date.now() / 1000 - at < KEPT);
    } catch {
      return [];
    }
  }

  #keep() {
    try {
      sessionStorage.setItem(this.#key, JSON.stringify(this.samples));
    } catch {
      // Storage that is full or forbidden costs a chart its past, nothing else.
    }
  }
}

// The tab's own samples, and others where it has none.
export function joined(own, others) {
  const isFree = ([at]) => !own.some(([mine]) => Math.abs(mine - at) < APART / 2);
  return [...own, ...others.filter(isFree)].sort(([one], [other]) => one - other);
}
