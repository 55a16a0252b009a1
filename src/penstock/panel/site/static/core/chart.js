// A chart of the last five minutes: one line a series, drawn by hand, with the latest values in its legend. It begins
// with what the broker remembers, if that is told.
//
//     const chart = new Chart({ key: "overview-rates", title: "Messages a second", format: rate,
//                               series: [{ name: "Published", kind: "in" }, …] });
//     chart.begin([[1700000000, 110, 100], …]);
//     chart.push([120, 118]);

import { fill, h, say, svg } from "./dom.js";
import { History } from "./history.js";
import { isFresh } from "./live.js";

const SPAN = 300; // seconds
const HEIGHT = 150;
const LEFT = 64;
const BOTTOM = 18;
const TOP = 6;
const LINES = 3; // of the grid, above the lowest

export class Chart {
  #series;
  #format;
  #history;
  #plot = svg("svg", { class: "plot", role: "img", height: HEIGHT });
  #title;
  #values = [];
  #width = 480;
  #now = 0;

  constructor({ key, title, series, format }) {
    this.#series = series;
    this.#format = format;
    this.#title = title;
    this.#history = new History(key);
    const legend = series.map(({ name, kind }) => {
      const value = h("b", {}, "–");
      this.#values.push(value);
      return h("li", {}, h("i", { class: `swatch ${kind}` }), `${name} `, value);
    });
    this.node = h(
      "figure",
      { class: "chart" },
      h("figcaption", {}, title),
      h("ul", { class: "legend" }, legend),
      this.#plot,
    );
    this.#plot.addEventListener("pointermove", (event) => this.#pointAt(event));
    this.#plot.addEventListener("pointerleave", () => this.#tell(this.#history.samples.at(-1)));
    setInterval(() => this.#goOn(), 1000);
    new ResizeObserver(([{ contentRect }]) => {
      this.#width = Math.max(240, contentRect.width);
      this.#draw();
    }).observe(this.node);
  }

  begin(rows) {
    this.#history.begin(rows);
    this.#now ||= Date.now() / 1000;
    this.#draw();
  }

  push(values, at = Date.now() / 1000) {
    this.#now = at;
    this.#history.push(at, values);
    this.#draw();
    if (!this.#plot.matches(":hover")) this.#tell(this.#history.samples.at(-1));
  }

  // What has not changed is not told again, and goes on as it was.
  #goOn() {
    const last = this.#history.samples.at(-1);
    if (last && this.#now && isFresh() && Date.now() / 1000 - this.#now > 0.9) this.push(last.slice(1));
  }

  #tell(sample) {
    if (!sample) return;
    this.#values.forEach((value, place) => say(value, this.#format(sample[place + 1])));
    const words = this.#series.map(({ name }, place) => `${name} ${this.#format(sample[place + 1])}`);
    this.#plot.setAttribute("aria-label", `${this.#title}: ${words.join(", ")}`);
  }

  #draw() {
    const { samples } = this.#history;
    if (!samples.length) return;
    const top = ceiling(
      Math.max(3, ...samples.flatMap((sample) => sample.slice(1).map((value) => value ?? 0))),
    );
    const x = (at) => LEFT + (1 - (this.#now - at) / SPAN) * (this.#width - LEFT - 4);
    const y = (value) => TOP + (1 - value / top) * (HEIGHT - TOP - BOTTOM);
    this.#plot.setAttribute("viewBox", `0 0 ${this.#width} ${HEIGHT}`);
    this.#plot.setAttribute("width", this.#width);
    fill(
      this.#plot,
      this.#grid(top, y),
      this.#series.map((one, place) => line(samples, place + 1, one.kind, x, y)),
    );
  }

  #grid(top, y) {
    const parts = [];
    for (let step = 0; step <= LINES; step++) {
      const value = (top * step) / LINES;
      parts.push(svg("line", { class: "grid", x1: LEFT, x2: this.#width, y1: y(value), y2: y(value) }));
      parts.push(
        svg(
          "text",
          { class: "tick", x: LEFT - 6, y: y(value) + 4, "text-anchor": "end" },
          this.#format(value),
        ),
      );
    }
    for (const minutes of [4, 2]) {
      const x = LEFT + (1 - (minutes * 60) / SPAN) * (this.#width - LEFT - 4);
      parts.push(
        svg("text", { class: "tick", x, y: HEIGHT - 4, "text-anchor": "middle" }, `${minutes} min ago`),
      );
    }
    parts.push(
      svg("text", { class: "tick", x: this.#width - 4, y: HEIGHT - 4, "text-anchor": "end" }, "now"),
    );
    return parts;
  }

  #pointAt(event) {
    const { left } = this.#plot.getBoundingClientRect();
    const part = (event.clientX - left - LEFT) / (this.#width - LEFT - 4);
    const at = this.#now - (1 - part) * SPAN;
    const nearest = this.#history.samples.reduce(
      (best, sample) => (!best || Math.abs(sample[0] - at) < Math.abs(best[0] - at) ? sample : best),
      null,
    );
    this.#tell(nearest);
  }
}

// Where a sample is missing the line breaks: nothing is known of that time.
function line(samples, place, kind, x, y) {
  let path = "";
  let last = null;
  for (const sample of samples) {
    const value = sample[place];
    if (value == null) {
      last = null;
      continue;
    }
    path += `${last !== null && sample[0] - last < 10 ? "L" : "M"}${x(sample[0]).toFixed(1)} ${y(value).toFixed(1)}`;
    last = sample[0];
  }
  return svg("path", { class: `line ${kind}`, d: path });
}

// The next number that people like to read at the top of an axis and that three lines divide well.
export function ceiling(value) {
  const step = 10 ** Math.floor(Math.log10(value));
  return [1.5, 3, 6, 9, 12].map((each) => each * step).find((each) => each >= value);
}
