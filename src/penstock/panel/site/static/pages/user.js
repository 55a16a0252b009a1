// One user: permissions by virtual host, password and role, deletion.

import { api, get, rowsIn, put, remove } from "../core/api.js";
import { ask } from "../core/dialog.js";
import { fill, h, pathParts } from "../core/dom.js";
import { refresh, watch } from "../core/live.js";
import { told } from "../core/notice.js";
import { absent, content, facts, section, title } from "../core/page.js";
import { Table } from "../core/table.js";
import { ROLES, roleOf, tagsOf, withRole } from "./roles.js";

const [, name] = pathParts();
title(name);
let user = {};

const permissions = new Table({
  caption: "Permissions",
  key: (row) => row.vhost,
  empty: "No permission anywhere: this user can log in, and do nothing.",
  columns: [
    { name: "vhost", title: "Virtual host", cell: (row) => row.vhost },
    ...["configure", "write", "read"].map((verb) => ({
      name: verb,
      title: verb[0].toUpperCase() + verb.slice(1),
      cell: (row) => h("code", {}, row[verb] || "nothing"),
    })),
    {
      name: "verbs",
      title: "",
      value: (row) => row,
      cell: (row) =>
        h(
          "span",
          { class: "actions" },
          h("button", { onclick: () => permit(row) }, "Change…"),
          h("button", { onclick: () => forbid(row) }, "Clear"),
        ),
    },
  ],
});
const summary = h("div", {});
content.replaceChildren(
  summary,
  h(
    "div",
    { class: "actions" },
    h("button", { onclick: change }, "Password and role…"),
    h("button", { class: "danger", onclick: erase }, "Delete…"),
  ),
  section(
    "Permissions",
    permissions.node,
    h("div", { class: "actions" }, h("button", { onclick: () => permit() }, "Permit…")),
  ),
);
watch(api("users", name), show, { every: 2, fail: absent(`the user ${name}`) });
watch(api("users", name, "permissions"), (found) => permissions.show(rowsIn(found)), { every: 2 });

function show(found) {
  user = found;
  fill(
    summary,
    facts([
      ["Roles", tagsOf(found).join(", ") || "none"],
      ["Password", (found.has_password ?? found.password_hash !== "") ? "set" : "none"],
    ]),
  );
}

async function change() {
  const said = await ask({
    title: `Password and role of ${name}`,
    action: "Change",
    fields: [
      {
        name: "password",
        label: "New password",
        type: "password",
        autocomplete: "new-password",
        hint: "Left empty, it stays as it is.",
      },
      { name: "tags", label: "Role", type: "select", options: ROLES, value: roleOf(tagsOf(user)) },
    ],
  });
  if (!said) return;
  const secret = said.password
    ? { password: said.password }
    : { password_hash: user.password_hash, hashing_algorithm: user.hashing_algorithm };
  const tags = withRole(tagsOf(user), said.tags).join(",");
  if (await told(() => put(api("users", name), { ...secret, tags }), `${name} is changed.`)) refresh();
}

async function permit(row = { vhost: "/", configure: ".*", write: ".*", read: ".*" }) {
  const vhosts = (await get(api("vhosts", { columns: "name" }))).map((each) => each.name);
  const hint = "A regular expression over names; empty is nothing, .* is everything.";
  const said = await ask({
    title: `Permissions of ${name}`,
    action: "Set",
    fields: [
      { name: "vhost", label: "Virtual host", type: "select", options: vhosts, value: row.vhost },
      { name: "configure", label: "Configure", value: row.configure, hint },
      { name: "write", label: "Write", value: row.write },
      { name: "read", label: "Read", value: row.read },
    ],
  });
  if (!said) return;
  const { vhost, ...patterns } = said;
  if (await told(() => put(api("permissions", vhost, name), patterns), `Permissions in ${vhost} are set.`))
    refresh();
}

async function forbid({ vhost }) {
  const said = await ask({
    title: `Clear the permissions in ${vhost}?`,
    text: `${name} can do nothing there any more.`,
    action: "Clear",
    danger: true,
  });
  if (
    said &&
    (await told(() => remove(api("permissions", vhost, name)), `Permissions in ${vhost} are cleared.`))
  )
    refresh();
}

async function erase() {
  const said = await ask({
    title: `Delete ${name}?`,
    text: "Connections of this user are refused from then on.",
    action: "Delete",
    danger: true,
    mustType: name,
  });
  if (said && (await told(() => remove(api("users", name)), `${name} is deleted.`)))
    location.assign("/users");
}
