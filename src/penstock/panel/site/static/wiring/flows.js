// How many messages a second pass each registration. Pure.
//
// Brokers count what is published to a proxy, how often one of these went into a queue, and what comes to a queue;
// not which registration led it there, since that would cost something for every message. It is found from these
// counts: shares of each proxy in each queue that add up to what the proxy has sent, and to no more than what came
// to the queue. Rows and columns are scaled in turns (Deming and Stephan, 1940). Where the counts allow one answer
// this is it: a proxy that is idle, or the only one that leads to a queue, or a fan-out. Otherwise it is the
// likeliest one.

import { rateOf } from "../core/format.js";

const ROUNDS = 40;
const ENOUGH = 0.999; // of what a proxy has sent, if it is found again at the queues

// found: {exchanges, bindings, queues}, as the API has them. Gives Map binding → messages a second.
export function flowsOf({ exchanges, bindings, queues }) {
  const waysOf = waysIn(Map.groupBy(bindings, ({ source }) => source));
  const arrivals = new Map(queues.map((queue) => [queue.name, rateOf(queue.message_stats, "publish")]));
  const rows = exchanges
    .filter(({ message_stats: stats }) => rateOf(stats, "publish_out") > 0)
    .map((exchange) => rowOf(exchange, waysOf(exchange.name), arrivals));
  for (let round = 0; round < ROUNDS; round++) {
    for (const row of rows) fit(row);
    bound(rows, arrivals);
    if (rows.every(({ sent, shares }) => sum(shares.values()) > ENOUGH * sent)) break;
  }
  const flows = new Map(bindings.map((binding) => [binding, 0]));
  for (const { name, shares } of rows)
    for (const [queue, share] of shares) lay(flows, waysOf, name, queue, share, [name]);
  return flows;
}

// Gives, by a proxy's name, Map queue that can be reached from it → its own registrations that lead there.
function waysIn(next) {
  const known = new Map();
  return (name) => {
    if (!known.has(name)) {
      const ways = new Map();
      for (const each of next.get(name) ?? [])
        for (const queue of endsOf(next, each)) ways.set(queue, [...(ways.get(queue) ?? []), each]);
      known.set(name, ways);
    }
    return known.get(name);
  };
}

// The queues that a registration leads to, by way of any proxies; a ring of them is gone round once.
function endsOf(next, first) {
  const ends = new Set();
  const seen = new Set();
  for (const ahead = [first]; ahead.length; ) {
    const { destination, destination_type: kind } = ahead.pop();
    if (kind === "queue") ends.add(destination);
    else if (!seen.has(destination)) {
      seen.add(destination);
      ahead.push(...(next.get(destination) ?? []));
    }
  }
  return ends;
}

// What a proxy was given and has sent, and a first guess of how much of it went to each queue behind it.
function rowOf({ name, message_stats: stats }, ways, arrivals) {
  return {
    name,
    given: rateOf(stats, "publish_in"),
    sent: rateOf(stats, "publish_out"),
    shares: new Map([...ways.keys()].map((queue) => [queue, arrivals.get(queue) ?? 0]).filter(([, came]) => came)),
  };
}

// All shares of a proxy together are what it has sent. No queue gets more of it than it was given: each once.
function fit({ given, sent, shares }) {
  const all = sum(shares.values());
  if (!all) return;
  for (const [queue, share] of shares) shares.set(queue, Math.min((share * sent) / all, given));
}

// No more has come from all proxies than has come; there may be less, since not all comes from proxies.
function bound(rows, arrivals) {
  const came = new Map();
  for (const { shares } of rows)
    for (const [queue, share] of shares) came.set(queue, (came.get(queue) ?? 0) + share);
  for (const { shares } of rows)
    for (const [queue, share] of shares)
      shares.set(queue, share * Math.min(1, arrivals.get(queue) / came.get(queue)));
}

// Lays a share on all registrations that lead from a proxy to a queue, on several in equal parts; `passed` are the
// proxies that it has come by.
function lay(flows, waysOf, name, queue, share, passed) {
  const ways = (waysOf(name).get(queue) ?? []).filter(({ destination, destination_type: kind }) =>
    kind === "queue" || !passed.includes(destination),
  );
  for (const way of ways) {
    flows.set(way, flows.get(way) + share / ways.length);
    if (way.destination_type !== "queue")
      lay(flows, waysOf, way.destination, queue, share / ways.length, [...passed, way.destination]);
  }
}

function sum(values) {
  let all = 0;
  for (const value of values) all += value;
  return all;
}
