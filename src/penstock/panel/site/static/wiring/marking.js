// Which parts of the graph an explanation speaks of. Pure.

import { proxyId, queueId } from "./model.js";

const IDS = { queue: queueId, proxy: proxyId };

// explained: {proxy, matched: [trial], queues}; gives the ids of nodes.
export function markedIn({ nodes, edges }, { proxy, matched, queues }) {
  const shown = (id) => (nodes.has(id) ? id : groupOf(nodes, id));
  const marked = new Set([proxyId(proxy), ...queues.map((name) => shown(queueId(name)))]);
  for (const trial of matched) {
    marked.add(proxyId(trial.proxy));
    const targets = new Set(trial.targets.map((target) => shown(targetId(target))));
    for (const { from, to } of edges)
      if (targets.has(to) && isTold(nodes.get(from), trial)) marked.add(from).add(to);
  }
  return marked;
}

// "queue orders.paid" → "q orders.paid"
function targetId(target) {
  const [kind, ...name] = target.split(" ");
  return IDS[kind]?.(name.join(" ")) ?? target;
}

function groupOf(nodes, id) {
  const name = id.slice(2);
  return [...nodes.values()].find((node) => node.kind === "group" && node.names.has(name))?.id;
}

// Whether a node is the registration of a trial. A key is told in quotes; other patterns in words of the broker's own,
// which are known by where they lead alone.
function isTold(node, { proxy, pattern }) {
  if (node.kind !== "registration" || node.source !== proxy) return false;
  const key = /^(['"])(.*)\1$/.exec(pattern)?.[2];
  return key === undefined || node.size > 1 || node.binding.routing_key === key;
}
