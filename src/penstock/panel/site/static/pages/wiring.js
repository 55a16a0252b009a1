// The wiring as a graph, with its traffic; a click tells about a part of it, and starts an explanation there.

import { api, get, rowsIn } from "../core/api.js";
import { fill, h, path } from "../core/dom.js";
import { count, plural, rate } from "../core/format.js";
import { watch } from "../core/live.js";
import { absent, content } from "../core/page.js";
import { Camera } from "../wiring/camera.js";
import { Explaining } from "../wiring/explaining.js";
import { markedIn } from "../wiring/marking.js";
import { graphOf } from "../wiring/model.js";
import { View } from "../wiring/view.js";

const QUEUES = "name,messages,consumers,message_stats,state";
const found = { exchanges: [], bindings: [], queues: [] };
const seen = { filter: new URLSearchParams(location.search).get("filter") ?? "", opened: new Set() };
let graph = { nodes: new Map(), edges: [] };
let ends = [];
let drawing = 0;

const select = h("select", { id: "vhost", onchange: () => go(select.value) });
const filter = h("input", {
  type: "search",
  id: "filter",
  placeholder: "Filter by name or pattern",
  value: seen.filter,
  oninput: () => ((seen.filter = filter.value), soon()),
});
const told = h("p", { class: "picked", role: "status" }, "Pick a part of the drawing to read about it.");
const view = new View(pick);
const camera = new Camera(view.node);
const explaining = new Explaining(() => select.value, mark);
const folded = h("button", { hidden: true, onclick: () => (seen.opened.clear(), draw()) }, "Fold again");
const proxies = h("datalist", { id: "proxies" });
const number = h("span", { class: "count", role: "status" });

content.replaceChildren(
  h(
    "div",
    { class: "bar" },
    h("label", { for: "vhost" }, "Virtual host"),
    select,
    h("label", { class: "unseen", for: "filter" }, "Filter by name or pattern"),
    filter,
    number,
    h("span", { class: "space" }),
    folded,
    camera.buttons(),
  ),
  view.node,
  told,
  proxies,
  explaining.node,
);
start();

async function start() {
  const names = rowsIn(await get(api("vhosts", { columns: "name" }))).map(({ name }) => name);
  fill(
    select,
    names.map((name) => h("option", { value: name }, name)),
  );
  const said = new URLSearchParams(location.search).get("vhost");
  go(names.includes(said) ? said : names.includes("/") ? "/" : names[0]);
}

function go(vhost) {
  for (const end of ends) end();
  select.value = vhost;
  seen.opened.clear();
  history.replaceState(null, "", `?${new URLSearchParams({ vhost, filter: seen.filter })}`);
  const take = (noun) => (answer) => ((found[noun] = rowsIn(answer)), soon());
  ends = [
    watch(api("exchanges", vhost), take("exchanges"), { fail: absent("its wiring") }),
    watch(api("bindings", vhost), take("bindings"), { every: 3 }),
    watch(api("queues", vhost, { columns: QUEUES }), take("queues")),
  ];
}

// Three answers come in one round: one drawing is enough.
function soon() {
  cancelAnimationFrame(drawing);
  drawing = requestAnimationFrame(draw);
}

function draw() {
  graph = graphOf(found, seen);
  const size = view.show(graph);
  if (size) camera.cover(size.width, size.height);
  fill(
    proxies,
    found.exchanges.map(({ name }) => h("option", { value: name })),
  );
  folded.hidden = seen.opened.size === 0;
  fill(
    number,
    `${plural(found.exchanges.length, "proxy", "proxies")}, ${plural(found.queues.length, "queue")}`,
  );
}

function mark(explained) {
  view.mark(explained && markedIn(graph, explained));
}

function pick(id) {
  const node = graph.nodes.get(id);
  const about = ABOUT[node.kind];
  if (about) fill(told, about(node));
}

const ABOUT = {
  proxy: (node) => {
    explaining.start(node.name);
    return [
      h("b", {}, node.label),
      `: ${node.type}, ${rate(node.rate)} in, ${rate(node.out)} out to queues. `,
      h("a", { href: path("exchanges", select.value, node.name || "amq.default") }, "Open it"),
    ];
  },
  registration: (node) => {
    explaining.start(node.source, node.binding.routing_key);
    const flow = node.flow > 0 ? `, and matches ${rate(node.flow)}` : "";
    return [h("b", {}, node.label), ` is asked for at ${node.source || "(default)"}${flow}.`];
  },
  queue: (node) => [
    h("b", {}, node.label),
    `: ${count(node.depth)} waiting, ${rate(node.rate)} in, ${rate(node.out)} out, ${plural(node.consumers, "consumer")}. `,
    h("a", { href: path("queues", select.value, node.label) }, "Open it"),
  ],
  group: (node) => {
    seen.opened.add(node.group);
    draw();
    return [h("b", {}, node.label), ": opened."];
  },
  consumer: (node) => [
    `${plural(node.queue.consumers, "consumer")} of `,
    h("b", {}, node.queue.label),
    `, ${rate(node.rate)}.`,
  ],
};
