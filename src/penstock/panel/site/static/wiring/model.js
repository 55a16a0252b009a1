// The wiring of a virtual host as a graph: proxies → registrations → queues → consumers. Pure.
//
// A registration is one pattern at one proxy, whoever asked for it. Where there are many queues, those that are
// fed alike and whose names begin alike are drawn as one, until somebody opens them.

import { isNumber, rateOf } from "../core/format.js";
import { flowsOf } from "./flows.js";

export const MANY = 24; // queues, from which on they are folded
const FEW = 4; // that begin alike are not worth folding
const BEGINNING = /^[^._:/-]+[._:/-]/;

// found: {exchanges, bindings, queues}; seen: {filter, opened: Set of folded groups that are open}.
// Gives {nodes: Map id → node, edges: [{from, to, flow}]}; nodes are {id, kind, label, note, …}.
export function graphOf(found, seen) {
  const feeding = feedingOf(found);
  const queues = shownQueues(found, feeding, seen.filter);
  const folded = foldedBy(queues, feeding, seen.opened);
  const graph = { nodes: new Map(), edges: new Map(), flows: flowsOf(found) };
  for (const queue of queues) addQueue(graph, queue, folded.get(queue.name));
  const isShown = addRegistrations(graph, feeding, folded);
  for (const proxy of found.exchanges) if (isShown.has(proxy.name)) addProxy(graph, proxy);
  const edges = [...graph.edges.values()].filter(
    ({ from, to }) => graph.nodes.has(from) && graph.nodes.has(to),
  );
  return { nodes: graph.nodes, edges };
}

export const proxyId = (name) => `p ${name}`;
export const queueId = (name) => `q ${name}`;

// What every queue and proxy is fed by. The default proxy has every queue under its name: it is told only of
// those that nothing else feeds, or it would be all there is to see.
function feedingOf({ bindings }) {
  const named = bindings.filter(({ source }) => source !== "");
  const isFed = new Set(
    named.filter((each) => each.destination_type === "queue").map((each) => each.destination),
  );
  const direct = bindings.filter((each) => each.source === "" && !isFed.has(each.destination));
  return [...named, ...direct];
}

// A filter keeps a queue by its own name, or by that of a proxy or a pattern that feeds it.
function shownQueues({ queues }, feeding, filter) {
  const wanted = filter.toLowerCase();
  if (!wanted) return queues;
  const fits = (text) => String(text).toLowerCase().includes(wanted);
  const byFeed = new Set(
    feeding.filter((each) => fits(each.source) || fits(each.routing_key)).map((each) => each.destination),
  );
  return queues.filter(({ name }) => fits(name) || byFeed.has(name));
}

function foldedBy(queues, feeding, opened) {
  const groups = new Map();
  if (queues.length <= MANY) return groups;
  const feeds = new Map();
  for (const { source, destination } of feeding)
    feeds.set(destination, (feeds.get(destination) ?? new Set()).add(source));
  for (const { name } of queues) {
    const key = `${BEGINNING.exec(name)?.[0] ?? ""}… ${[...(feeds.get(name) ?? [])].sort().join(", ")}`;
    groups.set(key, [...(groups.get(key) ?? []), name]);
  }
  const folded = new Map();
  for (const [key, names] of groups)
    if (names.length >= FEW && !opened.has(key)) for (const name of names) folded.set(name, key);
  return folded;
}

function addQueue({ nodes, edges }, queue, group) {
  const id = group ? `g ${group}` : queueId(queue.name);
  const known = nodes.get(id) ?? {
    id,
    kind: group ? "group" : "queue",
    label: queue.name,
    group,
    size: 0,
    names: new Set(),
    depth: 0,
    rate: 0,
    out: 0,
    consumers: 0,
  };
  known.size += 1;
  known.names.add(queue.name);
  known.depth += isNumber(queue.messages) ? queue.messages : 0;
  known.rate += rateOf(queue.message_stats, "publish");
  known.out += rateOf(queue.message_stats, "deliver_get");
  known.consumers += queue.consumers ?? 0;
  if (group) known.label = `${group.split("… ")[0]}… (${known.size})`;
  nodes.set(id, known);
  if (!known.consumers) return;
  const consumer = `c ${id}`;
  join(edges, id, consumer).flow = known.out;
  nodes.set(consumer, {
    id: consumer,
    kind: "consumer",
    label: String(known.consumers),
    rate: known.out,
    queue: known,
  });
}

// Adds a node for each pattern that leads to something shown. Returns the names of the proxies on the way there.
function addRegistrations(graph, feeding, folded) {
  const { nodes } = graph;
  const shown = new Set();
  const leadsOn = (each) =>
    each.destination_type === "queue"
      ? nodes.has(
          folded.has(each.destination) ? `g ${folded.get(each.destination)}` : queueId(each.destination),
        )
      : shown.has(each.destination);
  const used = new Set();
  // A proxy is shown if it leads to another that is: from the queues backwards, until nothing more is found.
  for (let before = -1; before !== used.size;) {
    before = used.size;
    for (const each of feeding)
      if (!used.has(each) && leadsOn(each)) {
        used.add(each);
        shown.add(each.source);
      }
  }
  for (const each of used) addRegistration(graph, each, folded);
  return shown;
}

function addRegistration({ nodes, edges, flows }, each, folded) {
  const group = each.destination_type === "queue" ? folded.get(each.destination) : undefined;
  const to = group
    ? `g ${group}`
    : each.destination_type === "queue"
      ? queueId(each.destination)
      : proxyId(each.destination);
  // What leads into a folded group is folded with it, and what the default proxy asks for is the queue's name.
  const pattern = group || each.source === "" ? "" : patternOf(each);
  const id = `r ${each.source} ${pattern || to}`;
  if (!nodes.has(id)) {
    nodes.set(id, {
      id,
      kind: "registration",
      label: pattern || "by name",
      source: each.source,
      binding: each,
      size: 0,
      passed: new Map(),
    });
  }
  const node = nodes.get(id);
  node.size += 1;
  if (group) node.label = `${node.size} patterns`;
  node.flow = matched(node, patternOf(each), flows.get(each));
  join(edges, proxyId(each.source), id).flow = node.flow;
  join(edges, id, to).flow += flows.get(each);
}

// What the patterns of a node match a second: a message that goes to several queues by one of them is matched once.
function matched({ passed }, pattern, flow) {
  passed.set(pattern, Math.max(passed.get(pattern) ?? 0, flow));
  return [...passed.values()].reduce((sum, each) => sum + each, 0);
}

// An edge, the same one however often it is asked for.
function join(edges, from, to) {
  const key = `${from}\0${to}`;
  if (!edges.has(key)) edges.set(key, { from, to, flow: 0 });
  return edges.get(key);
}

function addProxy({ nodes }, proxy) {
  const stats = proxy.message_stats;
  nodes.set(proxyId(proxy.name), {
    id: proxyId(proxy.name),
    kind: "proxy",
    label: proxy.name || "(default)",
    name: proxy.name,
    type: proxy.type,
    rate: rateOf(stats, "publish_in"),
    out: rateOf(stats, "publish_out"),
  });
}

function patternOf({ routing_key: key, arguments: given = {} }) {
  const entries = Object.entries(given).map(
    ([name, value]) => `${name}=${typeof value === "object" ? JSON.stringify(value) : value}`,
  );
  return [key, ...entries].filter(Boolean).join(" ") || "everything";
}
