// Cells that several tables share: names that lead somewhere, states, depths, ages, rates.

import { h, path, svg } from "./dom.js";
import { ageKind, count, rate, span } from "./format.js";

// RabbitMQ calls the proxy that every queue is registered at by its own name "".
export const proxyName = (name) => name || "(default)";

export const queueLink = (vhost, name) => h("a", { href: path("queues", vhost, name) }, name);
export const proxyLink = (vhost, name) =>
  h("a", { href: path("exchanges", vhost, name || "amq.default") }, proxyName(name));
export const connectionLink = (name, text = name) =>
  name ? h("a", { href: path("connections", name) }, text) : (text ?? "");

const GOOD = new Set(["running", "live", "done", "observed", "resolvable", "resolves", "in step"]);
const BAD = new Set([
  ...["down", "crashed", "stopped", "failed", "minority", "terminated", "dead"],
  ...["refused", "unfit", "unresolved"],
]);

export function badge(word) {
  if (!word) return "";
  const kind = GOOD.has(word) ? "good" : BAD.has(word) ? "bad" : "";
  return h("span", { class: `badge ${kind}` }, word);
}

// The state of a queue. RabbitMQ's say that they run, and since when they are idle, if they are.
export const stateOf = ({ state, idle_since: since }) => (state === "running" && since ? "idle" : state);

// How deep a queue is, against the deepest in sight: ready and held beside one another.
export function depth(row, deepest) {
  const part = (value) => (100 * Math.max(0, value ?? 0)) / Math.max(1, deepest);
  const ready = part(row.messages_ready);
  const bars = svg(
    "svg",
    { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" },
    svg("rect", { class: "ready", width: ready, height: 10 }),
    svg("rect", { class: "held", x: ready, width: part(row.messages_unacknowledged), height: 10 }),
  );
  return h("span", { class: "depth" }, bars, h("span", {}, count(row.messages)));
}

// How long the first in line has waited; slow and late are told in words, too.
export function age(seconds) {
  const kind = ageKind(seconds);
  return h("span", { class: `age ${kind}`, title: kind === "calm" ? null : kind }, span(seconds));
}

// A rate that the broker does not tell is not nought.
export const rateCell = (verb) => (row) => rate(row.message_stats?.[`${verb}_details`]?.rate);

// What the arguments of a queue, proxy or registration say, in a line.
export function argumentsText(given) {
  return Object.entries(given ?? {})
    .map(([name, value]) => `${name}: ${typeof value === "object" ? JSON.stringify(value) : value}`)
    .join(", ");
}
