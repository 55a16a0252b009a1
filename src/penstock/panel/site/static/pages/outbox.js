// Outboxes and their relays: what waits to be published, how long, and what was set aside.

import { rowsIn, own, post } from "../core/api.js";
import { age, badge } from "../core/cells.js";
import { h } from "../core/dom.js";
import { count, moment } from "../core/format.js";
import { refresh, watch } from "../core/live.js";
import { told } from "../core/notice.js";
import { absent, content, section } from "../core/page.js";
import { Table } from "../core/table.js";

const table = new Table({
  caption: "Outboxes",
  key: (row) => row.name,
  empty: "There is no outbox.",
  columns: [
    { name: "name", title: "Outbox", cell: (row) => row.name },
    { name: "waiting", title: "Waiting", number: true, cell: (row) => count(row.waiting) },
    { name: "lag", title: "Oldest", number: true, cell: (row) => age(row.waiting ? row.lag : null) },
    { name: "relayed", title: "Relayed", number: true, cell: (row) => count(row.relayed) },
    { name: "set_aside", title: "Set aside", number: true, cell: (row) => count(row.set_aside) },
    {
      name: "verbs",
      title: "",
      value: (row) => [row.name, Boolean(row.set_aside)],
      cell: (row) => h("button", { disabled: !row.set_aside, onclick: () => putBack(row) }, "Put back"),
    },
  ],
});
const failing = new Table({
  caption: "Failing rows",
  key: (row) => `${row.outbox} ${row.id}`,
  empty: "None fails.",
  columns: [
    { name: "id", title: "Row", cell: (row) => row.id },
    { name: "outbox", title: "Outbox", cell: (row) => row.outbox },
    { name: "type", title: "Type", cell: (row) => row.type },
    { name: "attempts", title: "Attempts", number: true, cell: (row) => count(row.attempts) },
    {
      name: "is_set_aside",
      title: "State",
      cell: (row) => badge(row.is_set_aside ? "set aside" : "waiting"),
    },
    { name: "error", title: "Error", wide: true, cell: (row) => row.error },
  ],
});
const relays = new Table({
  caption: "Relays",
  key: (row) => row.name,
  empty: "No relay tells of itself at this broker: what waits is not published here.",
  columns: [
    { name: "name", title: "Relay", cell: (row) => row.name },
    { name: "outbox", title: "Outbox", cell: (row) => row.outbox },
    { name: "host", title: "Host", value: (row) => [row.host, row.pid], cell: (row) => `${row.host} (${row.pid})` },
    { name: "started_at", title: "Since", number: true, cell: (row) => moment(row.started_at) },
    { name: "relayed", title: "Relayed", number: true, cell: (row) => count(row.relayed) },
    { name: "failures", title: "Failures", number: true, cell: (row) => count(row.failures) },
    { name: "state", title: "State", value: (row) => row.trouble, cell: (row) => badge(row.trouble ? "failed" : "running") },
    { name: "trouble", title: "Last error", wide: true, cell: (row) => row.trouble ?? "" },
  ],
});
content.replaceChildren(
  section("Outboxes", table.node),
  section("Relays", relays.node),
  section("Rows that fail", failing.node),
);
watch(own("relays"), (found) => relays.show(rowsIn(found)), { every: 2, again: true });
watch(own("outbox"), show, { every: 2, fail: absent("an outbox: it was given none") });

function show(found) {
  const rows = rowsIn(found);
  table.show(rows);
  failing.show(rows.flatMap((row) => (row.failing ?? []).map((each) => ({ ...each, outbox: row.name }))));
}

async function putBack({ name }) {
  if (await told(() => post(own("outbox", name, "put-back")), "They will be relayed again.")) refresh();
}
