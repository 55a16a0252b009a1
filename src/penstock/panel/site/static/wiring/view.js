// The graph, drawn. The drawing is made anew only when the wiring changes; traffic is written into what is there.

import { fill, say, svg } from "../core/dom.js";
import { count, rate, short } from "../core/format.js";
import { HEIGHT, placesOf, WIDTH } from "./layout.js";

const LETTERS = 7; // px of one, so that a name ends before its box does
const FLOW = 46; // px for what flows, behind a pattern
const WORDS = {
  proxy: "Proxy",
  registration: "Registration",
  queue: "Queue",
  group: "Queues",
  consumer: "Consumers",
};

export class View {
  node = svg("svg", {
    class: "wiring",
    tabindex: "0",
    role: "group",
    "aria-label": "The wiring: proxies, registrations, queues and consumers",
  });
  #shape = "";
  #boxes = new Map(); // id → {group, note}
  #lines = []; // {edge, path, tip}
  #marked = null;
  #onPick;

  constructor(onPick) {
    this.#onPick = onPick;
  }

  // Returns {width, height} if it was drawn anew.
  show(graph) {
    const shape = JSON.stringify([
      [...graph.nodes.values()].map(({ id, label }) => [id, label]),
      graph.edges.map(({ from, to }) => [from, to]),
    ]);
    const isNew = shape !== this.#shape;
    const size = isNew ? this.#draw(graph) : null;
    this.#shape = shape;
    this.#tell(graph);
    return size;
  }

  // Lights up some nodes and what is between them; null for all alike.
  mark(ids) {
    this.#marked = ids;
    this.node.classList.toggle("explained", ids !== null);
    for (const [id, { group }] of this.#boxes) group.classList.toggle("marked", ids?.has(id) ?? false);
    for (const { edge, path } of this.#lines)
      path.classList.toggle("marked", Boolean(ids?.has(edge.from) && ids.has(edge.to)));
  }

  #draw(graph) {
    const { places, width, height } = placesOf(graph);
    this.#boxes.clear();
    this.#lines = graph.edges.map((edge) => this.#line(graph, places, edge));
    const boxes = [...graph.nodes.values()].map((node) => this.#box(node, places.get(node.id)));
    fill(
      this.node,
      this.#lines.map(({ path }) => path),
      boxes,
    );
    if (this.#marked) this.mark(this.#marked);
    return { width, height };
  }

  // An edge; who points at it is told what flows on it.
  #line(graph, places, edge) {
    const { x1, y1, x2, y2 } = endsOf(graph, places, edge);
    const bend = Math.max(24, Math.abs(x2 - x1) / 2);
    const tip = svg("title", {});
    const d = `M${x1} ${y1}C${x1 + bend} ${y1} ${x2 - bend} ${y2} ${x2} ${y2}`;
    return { edge, path: svg("path", { class: "edge", d }, tip), tip };
  }

  #box(node, { x, y }) {
    const width = WIDTH[node.kind];
    const height = HEIGHT[node.kind];
    const isRow = node.kind === "registration"; // its note stands behind its name, else below
    const hasNote = height > 30;
    const note = isRow
      ? svg("text", { class: "note flow", x: width - 9, y: height / 2 + 4 })
      : svg("text", { class: "note", x: 10, y: height - 6 });
    const pick = () => this.#onPick(node.id);
    const group = svg(
      "g",
      {
        class: `node ${node.kind}`,
        transform: `translate(${x} ${y})`,
        tabindex: "0",
        role: "button",
        onclick: pick,
        onkeydown: (event) =>
          (event.key === "Enter" || event.key === " ") && (event.preventDefault(), pick()),
      },
      svg("rect", { width, height, rx: isRow ? 11 : 7 }, svg("title", {}, node.label)),
      svg(
        "text",
        { class: "label", x: 10, y: hasNote ? 14 : height / 2 + 4 },
        `${shownLabel(node)} `,
      ),
      hasNote || isRow ? note : null,
    );
    this.#boxes.set(node.id, { group, note });
    return group;
  }

  #tell({ nodes, edges }) {
    const flows = new Map(edges.map(({ from, to, flow }) => [`${from}\0${to}`, flow]));
    const most = Math.max(1, ...flows.values());
    for (const node of nodes.values()) {
      const { group, note } = this.#boxes.get(node.id);
      say(note, noteOf(node));
      group.classList.toggle("waiting", node.depth > 0 && node.consumers === 0);
      group.setAttribute("aria-label", nameOf(node));
    }
    for (const { edge, path, tip } of this.#lines) {
      const flow = flows.get(`${edge.from}\0${edge.to}`);
      say(tip, rate(flow));
      path.setAttribute("stroke-width", (1.2 + 5 * Math.sqrt(flow / most)).toFixed(1));
      path.classList.toggle("flowing", flow > 0);
    }
  }
}

function noteOf(node) {
  if (node.kind === "proxy") return [node.type, rate(node.rate)].join(" · ");
  if (node.kind === "queue" || node.kind === "group")
    return `${short(node.depth)} waiting · ${rate(node.rate)} in`;
  if (node.kind === "registration") return node.flow > 0 ? rate(node.flow) : "";
  return node.kind === "consumer" ? rate(node.rate) : "";
}

function nodeLabel(node) {
  return node.kind === "consumer" ? `${count(Number(node.label))} × ⇠` : node.label;
}

// What is seen, as somebody who speaks to the computer would say it; and the rest of a name that was cut.
function nameOf(node) {
  const shown = shownLabel(node);
  const rest = shown.endsWith("…") ? `, in full ${node.label}` : "";
  return `${WORDS[node.kind]} ${shown} ${noteOf(node)}${rest}`;
}

// As much of the name as its box has room for.
function shownLabel(node) {
  return cut(nodeLabel(node), WIDTH[node.kind] - (node.kind === "registration" ? FLOW : 0));
}

function cut(text, width) {
  const most = Math.floor((width - 18) / LETTERS);
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

function endsOf({ nodes }, places, { from, to }) {
  const start = places.get(from);
  const end = places.get(to);
  return {
    x1: start.x + WIDTH[nodes.get(from).kind],
    y1: start.y + HEIGHT[nodes.get(from).kind] / 2,
    x2: end.x,
    y2: end.y + HEIGHT[nodes.get(to).kind] / 2,
  };
}
