// Proxies (AMQP's exchanges): all of them.

import { api, get, put } from "../core/api.js";
import { argumentsText, proxyLink, rateCell } from "../core/cells.js";
import { ask } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { Listing } from "../core/listing.js";
import { refresh } from "../core/live.js";
import { told } from "../core/notice.js";
import { absent, content } from "../core/page.js";

const KINDS = ["direct", "fanout", "topic", "headers"];

const listing = new Listing({
  noun: "Proxy",
  nouns: "Proxies",
  path: (query) => api("exchanges", query),
  key: (row) => `${row.vhost} ${row.name}`,
  sort: "name",
  fail: absent("proxies"),
  tools: [h("button", { onclick: declare }, "New proxy…")],
  columns: [
    { name: "name", title: "Name", sort: "name", cell: (row) => proxyLink(row.vhost, row.name) },
    { name: "vhost", title: "Virtual host", sort: "vhost", cell: (row) => row.vhost },
    { name: "type", title: "Type", sort: "type", cell: (row) => row.type },
    { name: "durable", title: "Durable", sort: "durable", cell: (row) => (row.durable ? "yes" : "no") },
    { name: "internal", title: "Internal", cell: (row) => (row.internal ? "yes" : "no") },
    { name: "arguments", title: "Arguments", wide: true, cell: (row) => argumentsText(row.arguments) },
    { name: "in", title: "In", number: true, cell: rateCell("publish_in") },
    { name: "out", title: "Out", number: true, cell: rateCell("publish_out") },
  ],
});
content.replaceChildren(listing.node);

async function declare() {
  const vhosts = (await get(api("vhosts", { columns: "name" }))).map(({ name }) => name);
  const said = await ask({
    title: "New proxy",
    action: "Declare",
    fields: [
      { name: "vhost", label: "Virtual host", type: "select", options: vhosts, value: "/" },
      { name: "name", label: "Name", required: true },
      {
        name: "type",
        label: "Type",
        value: "topic",
        required: true,
        hint: `${KINDS.join(", ")}, or another that this broker knows.`,
      },
      {
        name: "durable",
        label: "Durable",
        type: "checkbox",
        value: true,
        hint: "There after a restart.",
      },
      { name: "arguments", label: "Arguments (JSON)", type: "textarea", rows: 3, value: "{}" },
    ],
  });
  if (!said) return;
  const work = async () => {
    const given = JSON.parse(said.arguments || "{}");
    await put(api("exchanges", said.vhost, said.name), {
      type: said.type,
      durable: said.durable,
      arguments: given,
    });
  };
  if (await told(work, `Proxy ${said.name} is there.`)) refresh();
}
