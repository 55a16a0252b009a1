// Queues: all of them, filtered, sorted and paged by the broker.

import { api, get, put } from "../core/api.js";
import { age, argumentsText, badge, depth, queueLink, rateCell, stateOf } from "../core/cells.js";
import { ask } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { count } from "../core/format.js";
import { Listing } from "../core/listing.js";
import { refresh } from "../core/live.js";
import { told } from "../core/notice.js";
import { absent, content } from "../core/page.js";

const COLUMNS = [
  "name",
  "vhost",
  "type",
  "state",
  "idle_since",
  "durable",
  "auto_delete",
  "exclusive",
  "arguments",
  "policy",
  "consumers",
  "messages",
  "messages_ready",
  "messages_unacknowledged",
  "message_stats",
  "oldest_age",
].join(",");
// A bar is full at a round number, so that bars do not jump with every message.
const full = (row) => 10 ** Math.ceil(Math.log10(Math.max(10, row.messages ?? 0)));

const listing = new Listing({
  noun: "Queue",
  path: (query) => api("queues", query),
  more: { columns: COLUMNS },
  key: (row) => `${row.vhost} ${row.name}`,
  sort: "name",
  empty: "No queue fits. A client declares one, or you do.",
  fail: absent("queues"),
  tools: [h("button", { onclick: declare }, "New queue…")],
  columns: [
    { name: "name", title: "Name", sort: "name", cell: (row) => queueLink(row.vhost, row.name) },
    { name: "vhost", title: "Virtual host", sort: "vhost", cell: (row) => row.vhost },
    {
      name: "features",
      title: "Features",
      value: features,
      cell: (row) =>
        features(row).map(([text, hint]) => [h("span", { class: "badge", title: hint }, text), " "]),
    },
    { name: "state", title: "State", sort: "state", value: stateOf, cell: (row) => badge(stateOf(row)) },
    {
      name: "messages_ready",
      title: "Ready",
      sort: "messages_ready",
      number: true,
      cell: (row) => count(row.messages_ready),
    },
    {
      name: "messages_unacknowledged",
      title: "Unacked",
      sort: "messages_unacknowledged",
      number: true,
      cell: (row) => count(row.messages_unacknowledged),
    },
    {
      name: "messages",
      title: "Total",
      sort: "messages",
      number: true,
      value: (row) => [row.messages_ready, row.messages_unacknowledged],
      cell: (row) => depth(row, full(row)),
    },
    {
      name: "oldest_age",
      title: "Oldest",
      sort: "oldest_age",
      number: true,
      hint: "How long the first in line has waited",
      cell: (row) => age(row.oldest_age),
    },
    {
      name: "consumers",
      title: "Consumers",
      sort: "consumers",
      number: true,
      cell: (row) => count(row.consumers),
    },
    {
      name: "in",
      title: "In",
      sort: "message_stats.publish_details.rate",
      number: true,
      cell: rateCell("publish"),
    },
    {
      name: "out",
      title: "Out",
      sort: "message_stats.deliver_get_details.rate",
      number: true,
      cell: rateCell("deliver_get"),
    },
    {
      name: "ack",
      title: "Acked",
      sort: "message_stats.ack_details.rate",
      number: true,
      cell: rateCell("ack"),
    },
  ],
});
content.replaceChildren(listing.node);

function features(row) {
  const told = [];
  if (row.type && row.type !== "classic") told.push([row.type, "The queue's type"]);
  if (row.durable) told.push(["D", "Durable: it is there after a restart"]);
  if (row.auto_delete) told.push(["AD", "Deleted when its last consumer goes"]);
  if (row.exclusive) told.push(["Excl", "One connection's alone"]);
  if (row.policy) told.push([row.policy, "The policy that applies"]);
  if (Object.keys(row.arguments ?? {}).length) told.push(["Args", argumentsText(row.arguments)]);
  return told;
}

async function declare() {
  const vhosts = (await get(api("vhosts", { columns: "name" }))).map(({ name }) => name);
  const said = await ask({
    title: "New queue",
    action: "Declare",
    fields: [
      { name: "vhost", label: "Virtual host", type: "select", options: vhosts, value: "/" },
      { name: "name", label: "Name", required: true },
      {
        name: "durable",
        label: "Durable",
        type: "checkbox",
        value: true,
        hint: "There after a restart.",
      },
      {
        name: "arguments",
        label: "Arguments (JSON)",
        type: "textarea",
        rows: 3,
        value: "{}",
        hint: 'For example {"x-max-length": 1000}',
      },
    ],
  });
  if (!said) return;
  const work = async () => {
    const given = JSON.parse(said.arguments || "{}");
    await put(api("queues", said.vhost, said.name), {
      durable: said.durable,
      auto_delete: false,
      arguments: given,
    });
  };
  if (await told(work, `Queue ${said.name} is there.`)) refresh();
}
