// One proxy: what is registered at it, publishing to it, registering and deleting.

import { api, rowsIn, post, remove } from "../core/api.js";
import { argumentsText, proxyLink, proxyName, queueLink } from "../core/cells.js";
import { Chart } from "../core/chart.js";
import { ask } from "../core/dialog.js";
import { fill, h, pathParts } from "../core/dom.js";
import { rate, rateOf } from "../core/format.js";
import { refresh, watch } from "../core/live.js";
import { told } from "../core/notice.js";
import { absent, content, facts, section, title } from "../core/page.js";
import { Table } from "../core/table.js";
import { publishing } from "./publishing.js";

const [, vhost, name] = pathParts();
const isDefault = name === "amq.default";
title(isDefault ? proxyName("") : name);

const rates = new Chart({
  key: `proxy-rates ${vhost} ${name}`,
  title: "Messages a second",
  format: rate,
  series: [
    { name: "In", kind: "in" },
    { name: "Out to queues", kind: "out" },
  ],
});
const table = new Table({
  caption: "Registrations",
  key: (row) => `${row.destination_type} ${row.destination} ${row.properties_key}`,
  empty: "Nothing is registered here: what is published to it goes nowhere.",
  columns: [
    {
      name: "destination",
      title: "To",
      value: (row) => [row.destination_type, row.destination],
      cell: target,
    },
    {
      name: "destination_type",
      title: "Which is a",
      cell: (row) => (row.destination_type === "queue" ? "queue" : "proxy"),
    },
    { name: "routing_key", title: "Routing key", cell: (row) => row.routing_key },
    { name: "arguments", title: "Arguments", wide: true, cell: (row) => argumentsText(row.arguments) },
    {
      name: "unbind",
      title: "",
      value: (row) => row.properties_key,
      cell: (row) => h("button", { onclick: () => unbind(row), disabled: isDefault }, "Unregister"),
    },
  ],
});
const summary = h("div", {});
const verbs = [
  h("button", { onclick: bind }, "Register…"),
  h("button", { class: "danger", onclick: erase }, "Delete…"),
];

content.replaceChildren(
  summary,
  h("div", { class: "charts" }, rates.node),
  isDefault ? "" : h("div", { class: "actions" }, verbs),
  section("Registrations", table.node),
  section("Publish a message to it", publishing({ vhost, exchange: isDefault ? "amq.default" : name })),
);
watch(api("exchanges", vhost, name), show, { fail: absent(`the proxy ${name}`) });
watch(api("exchanges", vhost, name, "bindings", "source"), (found) => table.show(rowsIn(found)), {
  every: 5,
});

function show(proxy) {
  fill(
    summary,
    facts([
      ["Type", proxy.type],
      ["Virtual host", vhost],
      ["Durable", proxy.durable ? "yes" : "no"],
      ["Internal", proxy.internal ? "yes" : "no"],
      ["Policy", proxy.policy],
      ["Arguments", argumentsText(proxy.arguments)],
    ]),
  );
  rates.push(["publish_in", "publish_out"].map((verb) => rateOf(proxy.message_stats, verb)));
}

function target(row) {
  return row.destination_type === "queue"
    ? queueLink(vhost, row.destination)
    : proxyLink(vhost, row.destination);
}

async function bind() {
  const said = await ask({
    title: `Register at ${name}`,
    action: "Register",
    fields: [
      {
        name: "kind",
        label: "What is registered",
        type: "select",
        options: [
          ["q", "A queue"],
          ["e", "A proxy"],
        ],
        value: "q",
      },
      { name: "to", label: "Its name", required: true },
      { name: "key", label: "Routing key" },
      { name: "arguments", label: "Arguments (JSON)", type: "textarea", rows: 3, value: "{}" },
    ],
  });
  if (!said) return;
  const body = () => ({ routing_key: said.key, arguments: JSON.parse(said.arguments || "{}") });
  if (
    await told(
      async () => post(api("bindings", vhost, "e", name, said.kind, said.to), body()),
      `${said.to} is registered.`,
    )
  )
    refresh();
}

async function unbind(row) {
  const kind = row.destination_type === "queue" ? "q" : "e";
  const said = await ask({
    title: `Unregister ${row.destination}?`,
    text: `It gets nothing more from ${name} with this key.`,
    action: "Unregister",
    danger: true,
  });
  if (!said) return;
  const where = api("bindings", vhost, "e", name, kind, row.destination, row.properties_key);
  if (await told(() => remove(where), `${row.destination} is not registered any more.`)) refresh();
}

async function erase() {
  const said = await ask({
    title: `Delete ${name}?`,
    text: "The proxy and all its registrations will be gone.",
    action: "Delete",
    danger: true,
    mustType: name,
  });
  if (said && (await told(() => remove(api("exchanges", vhost, name)), `${name} is deleted.`)))
    location.assign("/exchanges");
}
