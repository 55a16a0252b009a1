// One queue: how it does, who takes from it, what feeds it, what waits in it, and what may be done to it.

import { api, get, rowsIn } from "../core/api.js";
import { age, argumentsText, badge, connectionLink, proxyLink, stateOf } from "../core/cells.js";
import { Chart } from "../core/chart.js";
import { fill, h, pathParts } from "../core/dom.js";
import { count, rate, rateOf, short } from "../core/format.js";
import { watch } from "../core/live.js";
import { absent, content, facts, section, title } from "../core/page.js";
import { growth, levels, PAST } from "../core/past.js";
import { Table } from "../core/table.js";
import { actions } from "./queue-actions.js";
import { getting } from "./queue-get.js";
import { peeking } from "./queue-peek.js";
import { publishing } from "./publishing.js";

const VERBS = ["publish", "deliver_get", "ack", "redeliver"];
const DEPTHS = ["messages_ready", "messages_unacknowledged"];
const [, vhost, name] = pathParts();
title(name);

const rates = new Chart({
  key: `queue-rates ${vhost} ${name}`,
  title: "Messages a second",
  format: rate,
  series: [
    { name: "Published", kind: "in" },
    { name: "Delivered", kind: "out" },
    { name: "Acked", kind: "done" },
    { name: "Redelivered", kind: "held" },
  ],
});
const depths = new Chart({
  key: `queue-depth ${vhost} ${name}`,
  title: "Messages in it",
  format: short,
  series: [
    { name: "Ready", kind: "in" },
    { name: "Unacked", kind: "held" },
  ],
});
const consumers = new Table({
  caption: "Consumers",
  key: (row) => `${row.channel_details?.name} ${row.consumer_tag}`,
  empty: "Nobody takes from it.",
  columns: [
    { name: "consumer_tag", title: "Tag", cell: (row) => row.consumer_tag },
    {
      name: "connection",
      title: "Connection",
      value: (row) => row.channel_details?.connection_name,
      cell: (row) => connectionLink(row.channel_details?.connection_name),
    },
    { name: "ack_required", title: "Acks", cell: (row) => (row.ack_required ? "yes" : "no") },
    {
      name: "prefetch_count",
      title: "Window",
      number: true,
      cell: (row) => (row.prefetch_count ? count(row.prefetch_count) : "no bound"),
    },
    { name: "active", title: "Active", cell: (row) => (row.active === false ? "no" : "yes") },
  ],
});
const bindings = new Table({
  caption: "Registrations",
  key: (row) => `${row.source} ${row.properties_key}`,
  empty: "No proxy sends here.",
  columns: [
    { name: "source", title: "From proxy", cell: (row) => proxyLink(vhost, row.source) },
    { name: "routing_key", title: "Routing key", cell: (row) => row.routing_key },
    { name: "arguments", title: "Arguments", wide: true, cell: (row) => argumentsText(row.arguments) },
  ],
});
const summary = h("div", {});

content.replaceChildren(
  summary,
  h("div", { class: "charts" }, depths.node, rates.node),
  actions(vhost, name),
  section("Messages", peeking(vhost, name)),
  section("Get messages", getting(vhost, name)),
  section("Publish a message to it", publishing({ vhost, exchange: "amq.default", key: name })),
  h(
    "div",
    { class: "columns" },
    section("Consumers", consumers.node),
    section("Registrations", bindings.node),
  ),
);

get(api("queues", vhost, name, PAST)).then(begin, () => {}); // a queue that is not there is told of below
watch(api("queues", vhost, name), show, { fail: absent(`the queue ${name}`) });
watch(api("queues", vhost, name, "bindings"), (found) => bindings.show(rowsIn(found)), { every: 5 });

function begin(queue) {
  rates.begin(growth(queue.message_stats, VERBS));
  depths.begin(levels(queue, DEPTHS));
}

function show(queue) {
  fill(
    summary,
    facts([
      ["State", badge(stateOf(queue))],
      ["Ready", count(queue.messages_ready)],
      ["Unacked", count(queue.messages_unacknowledged)],
      ["Total", count(queue.messages)],
      ["Oldest", queue.oldest_age == null ? null : age(queue.oldest_age)],
      ["Consumers", count(queue.consumers)],
      ["Virtual host", vhost],
      ["Type", queue.type],
      ["Durable", queue.durable ? "yes" : "no"],
      ["Policy", queue.policy],
      ["Arguments", argumentsText(queue.arguments)],
    ]),
  );
  const stats = queue.message_stats;
  rates.push(VERBS.map((verb) => rateOf(stats, verb)));
  depths.push(DEPTHS.map((each) => queue[each] ?? 0));
  if (queue.consumer_details) consumers.show(queue.consumer_details);
}
