// Overview: what flows, what waits, how long; what there is; how the nodes are.

import { api, get, rowsIn } from "../core/api.js";
import { age, badge, depth, queueLink, rateCell } from "../core/cells.js";
import { Chart } from "../core/chart.js";
import { h, say } from "../core/dom.js";
import { bytes, count, rate, rateOf, short, span } from "../core/format.js";
import { watch } from "../core/live.js";
import { content, section } from "../core/page.js";
import { growth, levels, PAST } from "../core/past.js";
import { Table } from "../core/table.js";

const TILES = [
  ["connections", "Connections", "/connections"],
  ["channels", "Channels", "/channels"],
  ["exchanges", "Proxies", "/exchanges"],
  ["queues", "Queues", "/queues"],
  ["consumers", "Consumers", "/wiring"],
];
const COLUMNS = "name,vhost,messages,messages_ready,messages_unacknowledged,message_stats,oldest_age";
const TOP = 8;
const VERBS = ["publish", "deliver_get", "ack", "redeliver", "die"];
const DEPTHS = ["messages_ready", "messages_unacknowledged"];

const rates = new Chart({
  key: "overview-rates",
  title: "Messages a second",
  format: rate,
  series: [
    { name: "Published", kind: "in" },
    { name: "Delivered", kind: "out" },
    { name: "Acked", kind: "done" },
    { name: "Redelivered", kind: "held" },
    { name: "Dead", kind: "dead" },
  ],
});
const depths = new Chart({
  key: "overview-depths",
  title: "Messages in queues",
  format: short,
  series: [
    { name: "Ready", kind: "in" },
    { name: "Unacked", kind: "held" },
  ],
});
const ages = new Chart({
  key: "overview-ages",
  title: "Longest wait of a first in line",
  format: span,
  series: [{ name: "Oldest", kind: "dead" }],
});

const numbers = new Map(TILES.map(([name]) => [name, h("b", {}, "–")]));
const tiles = h(
  "div",
  { class: "tiles" },
  TILES.map(([name, label, href]) =>
    h("a", { class: "tile", href }, numbers.get(name), h("span", {}, label)),
  ),
);

let deepest = 1;
const top = new Table({
  caption: "Deepest queues",
  key: (row) => `${row.vhost} ${row.name}`,
  empty: "There are no queues yet.",
  columns: [
    { name: "name", title: "Queue", cell: (row) => queueLink(row.vhost, row.name) },
    { name: "vhost", title: "Virtual host", cell: (row) => row.vhost },
    {
      name: "messages",
      title: "Messages",
      number: true,
      value: (row) => [row.messages_ready, row.messages_unacknowledged, deepest],
      cell: (row) => depth(row, deepest),
    },
    { name: "oldest_age", title: "Oldest", number: true, cell: (row) => age(row.oldest_age) },
    { name: "in", title: "In", number: true, cell: rateCell("publish") },
    { name: "out", title: "Out", number: true, cell: rateCell("deliver_get") },
  ],
});
const nodes = new Table({
  caption: "Nodes",
  key: (row) => row.name,
  columns: [
    { name: "name", title: "Node", cell: (row) => row.name },
    { name: "running", title: "State", cell: (row) => badge(row.running ? "running" : "down") },
    { name: "mem_used", title: "Memory", number: true, cell: (row) => bytes(row.mem_used) },
    { name: "disk_free", title: "Disk free", number: true, cell: (row) => bytes(row.disk_free) },
    { name: "fd_used", title: "Files open", number: true, cell: (row) => count(row.fd_used) },
    {
      name: "uptime",
      title: "Running for",
      number: true,
      cell: (row) => span((row.uptime ?? NaN) / 1000),
    },
    {
      name: "alarms",
      title: "Alarms",
      value: (row) => [row.mem_alarm, row.disk_free_alarm],
      cell: alarms,
    },
  ],
});
const listeners = new Table({
  caption: "Listeners",
  key: (row) => `${row.protocol} ${row.ip_address} ${row.port}`,
  columns: [
    { name: "protocol", title: "Protocol", cell: (row) => row.protocol },
    { name: "ip_address", title: "Address", cell: (row) => row.ip_address },
    { name: "port", title: "Port", number: true, cell: (row) => String(row.port) },
  ],
});
const version = h("p", { class: "faint" });

content.replaceChildren(
  tiles,
  h("div", { class: "charts" }, rates.node, depths.node, ages.node),
  section("Deepest queues", top.node),
  h("div", { class: "columns" }, section("Nodes", nodes.node), section("Listeners", listeners.node)),
  version,
);

get(api("overview", PAST)).then(begin, () => {}); // a chart without a past is one all the same
watch(api("overview"), showOverview);
watch(
  api("queues", { page: 1, page_size: TOP, sort: "messages", sort_reverse: true, columns: COLUMNS }),
  showTop,
);
watch(
  api("queues", { page: 1, page_size: 1, sort: "oldest_age", sort_reverse: true, columns: "oldest_age" }),
  showOldest,
  { every: 3 },
);
watch(api("nodes"), (found) => nodes.show(rowsIn(found)), { every: 5 });

function begin({ message_stats: stats, queue_totals: totals }) {
  rates.begin(growth(stats, VERBS));
  depths.begin(levels(totals, DEPTHS));
}

function showOverview(found) {
  for (const [name, node] of numbers) say(node, count(found.object_totals?.[name]));
  const stats = found.message_stats;
  rates.push(VERBS.map((verb) => rateOf(stats, verb)));
  depths.push(DEPTHS.map((name) => found.queue_totals?.[name] ?? 0));
  listeners.show(found.listeners ?? []);
  const name = found.product_name ?? "RabbitMQ";
  say(
    version,
    `${name} ${found.product_version ?? found.rabbitmq_version}${found.cluster_name ? `, ${found.cluster_name}` : ""}`,
  );
}

function showTop(found) {
  const rows = rowsIn(found);
  deepest = Math.max(1, ...rows.map((row) => row.messages ?? 0));
  top.show(rows);
}

// RabbitMQ does not know how long a message has waited.
function showOldest(found) {
  const [oldest] = rowsIn(found);
  ages.node.hidden = oldest?.oldest_age === undefined;
  if (!ages.node.hidden) ages.push([oldest.oldest_age ?? 0]);
}

function alarms(row) {
  const raised = [row.mem_alarm && "memory", row.disk_free_alarm && "disk"].filter(Boolean);
  return raised.length ? raised.map((each) => h("span", { class: "badge bad" }, each)) : "none";
}
