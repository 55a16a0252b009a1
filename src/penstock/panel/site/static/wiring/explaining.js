// Where would a message go, and why not elsewhere? The broker is asked; nothing is published.

import { own, post } from "../core/api.js";
import { queueLink } from "../core/cells.js";
import { field } from "../core/dialog.js";
import { fill, h } from "../core/dom.js";
import { plural } from "../core/format.js";

const FEW = 10; // that do not match are read at once

export class Explaining {
  #vhost;
  #onMark;
  #proxy = field({ name: "proxy", label: "Published to proxy", list: "proxies" });
  #key = field({ name: "key", label: "With routing key" });
  #headers = field({ name: "headers", label: "Headers (JSON)", value: "{}" });
  #told = h("div", { "aria-live": "polite" });

  constructor(vhost, onMark) {
    this.#vhost = vhost;
    this.#onMark = onMark;
    const clear = h("button", { type: "button", onclick: () => this.clear() }, "Clear");
    this.node = h(
      "form",
      { class: "panel explaining", "aria-label": "Explain", onsubmit: (event) => this.#explain(event) },
      h("h2", {}, "Where would a message go?"),
      h("div", { class: "fields" }, this.#proxy.row, this.#key.row, this.#headers.row),
      h("div", { class: "actions" }, h("button", { class: "primary" }, "Explain"), clear),
      this.#told,
    );
  }

  // Fills in what somebody has picked in the drawing: a proxy, or a registration with its own key.
  start(proxy, key = this.#key.read()) {
    this.#proxy.input.value = proxy;
    this.#key.input.value = key;
    this.#key.input.focus();
  }

  clear() {
    fill(this.#told);
    this.#onMark(null);
  }

  async #explain(event) {
    event.preventDefault();
    const proxy = this.#proxy.read();
    try {
      const body = {
        proxy,
        routing_key: this.#key.read(),
        headers: JSON.parse(this.#headers.read() || "{}"),
      };
      const found = await post(own("explain", this.#vhost()), body);
      this.#show(proxy, found);
    } catch (error) {
      fill(
        this.#told,
        h(
          "p",
          { class: "refusal", role: "alert" },
          error.isAbsent ? `This broker cannot explain that: ${error.message}` : error.message,
        ),
      );
    }
  }

  #show(proxy, { trials, queues }) {
    const matched = trials.filter((trial) => trial.why_not == null);
    const others = trials.filter((trial) => trial.why_not != null);
    this.#onMark({ proxy, matched, queues });
    fill(
      this.#told,
      h(
        "p",
        {},
        queues.length ? "It reaches " : "It reaches no queue.",
        queues.map((name, at) => [at ? ", " : "", queueLink(this.#vhost(), name)]),
      ),
      h(
        "ul",
        {},
        matched.map((trial) => h("li", { class: "yes" }, verdict(trial))),
      ),
      others.length
        ? h(
            "details",
            { open: others.length <= FEW },
            h(
              "summary",
              {},
              `${plural(others.length, "registration")} that ${others.length === 1 ? "does" : "do"} not match`,
            ),
            h(
              "ul",
              {},
              others.map((trial) => h("li", { class: "no" }, verdict(trial))),
            ),
          )
        : null,
    );
  }
}

function verdict({ proxy, pattern, targets, why_not: why }) {
  return `${proxy || "(default)"}: ${pattern} → ${targets.join(", ")}: ${why == null ? "matches" : `no, ${why}`}`;
}
