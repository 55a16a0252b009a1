// One connection: what its client says of itself, its channels, and closing it.

import { api, get, rowsIn, remove } from "../core/api.js";
import { badge } from "../core/cells.js";
import { Chart } from "../core/chart.js";
import { ask } from "../core/dialog.js";
import { fill, h, pathParts } from "../core/dom.js";
import { bytes, count, moment } from "../core/format.js";
import { watch } from "../core/live.js";
import { told } from "../core/notice.js";
import { absent, content, facts, section, title } from "../core/page.js";
import { growth, PAST_BYTES } from "../core/past.js";
import { Table } from "../core/table.js";

const [, name] = pathParts();
title(name);

const traffic = new Chart({
  key: `connection ${name}`,
  title: "Bytes a second",
  format: (value) => `${bytes(value)}/s`,
  series: [
    { name: "From the client", kind: "in" },
    { name: "To the client", kind: "out" },
  ],
});
const channels = new Table({
  caption: "Channels",
  key: (row) => row.name,
  empty: "It has no channel open.",
  columns: [
    { name: "number", title: "Number", cell: (row) => String(row.number) },
    { name: "state", title: "State", cell: (row) => badge(row.state) },
    {
      name: "consumer_count",
      title: "Consumers",
      number: true,
      cell: (row) => count(row.consumer_count),
    },
    {
      name: "messages_unacknowledged",
      title: "Unacked",
      number: true,
      cell: (row) => count(row.messages_unacknowledged),
    },
    {
      name: "messages_unconfirmed",
      title: "Unconfirmed",
      number: true,
      cell: (row) => count(row.messages_unconfirmed),
    },
    { name: "prefetch_count", title: "Window", number: true, cell: (row) => count(row.prefetch_count) },
  ],
});
const summary = h("div", {});
content.replaceChildren(
  summary,
  h("div", { class: "charts" }, traffic.node),
  h("div", { class: "actions" }, h("button", { class: "danger", onclick: close }, "Close it…")),
  section("Channels", channels.node),
);
const begin = (found) => traffic.begin(growth(found, ["recv_oct", "send_oct"]));
get(api("connections", name, PAST_BYTES)).then(begin, () => {}); // one that is closed is told of below
watch(api("connections", name), show, { fail: absent("this connection: it may be closed by now") });
watch(api("connections", name, "channels"), (found) => channels.show(rowsIn(found)));

function show(found) {
  const client = found.client_properties ?? {};
  fill(
    summary,
    facts([
      ["State", badge(found.state)],
      ["User", found.user],
      ["Virtual host", found.vhost],
      ["Protocol", found.protocol],
      ["From", `${found.peer_host}:${found.peer_port}`],
      ["TLS", found.ssl ? "yes" : "no"],
      ["Client", [client.product, client.version].filter(Boolean).join(" ")],
      ["Platform", client.platform],
      ["Name", client.connection_name],
      ["Heartbeat", found.timeout ? `${found.timeout} s` : "none"],
      ["Largest frame", bytes(found.frame_max)],
      ["Since", moment(found.connected_at / 1000)],
    ]),
  );
  traffic.push([found.recv_oct_details?.rate ?? 0, found.send_oct_details?.rate ?? 0]);
}

async function close() {
  const said = await ask({
    title: "Close this connection?",
    text: "Its client is told why. What it holds goes back to the queues; most clients connect again.",
    action: "Close it",
    danger: true,
    fields: [{ name: "reason", label: "Reason", value: "closed by an operator" }],
  });
  if (!said) return;
  // A header is ASCII, and a reason is whatever was typed.
  const headers = { "X-Reason": said.reason.replaceAll(/[^ -~]+/g, "?") };
  if (await told(() => remove(api("connections", name), headers), "The connection is closed."))
    location.assign("/connections");
}
