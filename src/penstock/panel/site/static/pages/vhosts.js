// Virtual hosts: separate houses within one broker.

import { api, rowsIn, put, remove } from "../core/api.js";
import { ask } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { count } from "../core/format.js";
import { refresh, watch } from "../core/live.js";
import { told } from "../core/notice.js";
import { absent, content } from "../core/page.js";
import { Table } from "../core/table.js";

const table = new Table({
  caption: "Virtual hosts",
  key: (row) => row.name,
  columns: [
    { name: "name", title: "Name", cell: (row) => row.name },
    { name: "description", title: "Description", wide: true, cell: (row) => row.description ?? "" },
    { name: "messages_ready", title: "Ready", number: true, cell: (row) => count(row.messages_ready) },
    {
      name: "messages_unacknowledged",
      title: "Unacked",
      number: true,
      cell: (row) => count(row.messages_unacknowledged),
    },
    { name: "messages", title: "Total", number: true, cell: (row) => count(row.messages) },
    {
      name: "delete",
      title: "",
      value: (row) => row.name,
      cell: (row) => h("button", { class: "danger", onclick: () => erase(row.name) }, "Delete…"),
    },
  ],
});
content.replaceChildren(
  h("div", { class: "actions" }, h("button", { onclick: add }, "New virtual host…")),
  table.node,
);
watch(api("vhosts"), (found) => table.show(rowsIn(found)), { every: 2, fail: absent("virtual hosts") });

async function add() {
  const said = await ask({
    title: "New virtual host",
    action: "Add",
    fields: [
      { name: "name", label: "Name", required: true },
      { name: "description", label: "Description" },
    ],
  });
  if (
    said &&
    (await told(
      () => put(api("vhosts", said.name), { description: said.description }),
      `${said.name} is there. Give users permissions in it.`,
    ))
  )
    refresh();
}

async function erase(name) {
  const said = await ask({
    title: `Delete the virtual host ${name}?`,
    text: "All its queues, proxies, registrations and messages will be gone for good, and its connections closed.",
    action: "Delete",
    danger: true,
    mustType: name,
  });
  if (said && (await told(() => remove(api("vhosts", name)), `${name} is deleted.`))) refresh();
}
