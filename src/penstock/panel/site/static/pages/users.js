// Users: who may come in, and in which role.

import { api, rowsIn, put } from "../core/api.js";
import { ask } from "../core/dialog.js";
import { h, path } from "../core/dom.js";
import { refresh, watch } from "../core/live.js";
import { told } from "../core/notice.js";
import { absent, content } from "../core/page.js";
import { Table } from "../core/table.js";
import { ROLES, tagsOf } from "./roles.js";

// Penstock says whether there is one, RabbitMQ what its hash is.
const hasPassword = (row) => row.has_password ?? row.password_hash !== "";

const table = new Table({
  caption: "Users",
  key: (row) => row.name,
  columns: [
    { name: "name", title: "Name", cell: (row) => h("a", { href: path("users", row.name) }, row.name) },
    {
      name: "tags",
      title: "Roles",
      cell: (row) => tagsOf(row).map((tag) => [h("span", { class: "badge" }, tag), " "]),
    },
    {
      name: "password",
      title: "Password",
      value: hasPassword,
      cell: (row) => (hasPassword(row) ? "set" : "none: cannot log in with one"),
    },
  ],
});

content.replaceChildren(
  h("div", { class: "actions" }, h("button", { onclick: add }, "New user…")),
  table.node,
);
watch(api("users"), (found) => table.show(rowsIn(found)), { every: 2, fail: absent("users") });

async function add() {
  const said = await ask({
    title: "New user",
    action: "Add",
    fields: [
      { name: "name", label: "Name", required: true, autocomplete: "off" },
      {
        name: "password",
        label: "Password",
        type: "password",
        required: true,
        autocomplete: "new-password",
      },
      { name: "tags", label: "Role", type: "select", options: ROLES },
    ],
  });
  if (!said) return;
  const work = () => put(api("users", said.name), { password: said.password, tags: said.tags });
  if (await told(work, `${said.name} is there, and needs permissions in a virtual host.`)) refresh();
}
