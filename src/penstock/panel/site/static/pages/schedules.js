// Schedules: what is to be done later, and what is done again and again.

import { rowsIn, own, post, remove } from "../core/api.js";
import { ask } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { moment, span } from "../core/format.js";
import { refresh, watch } from "../core/live.js";
import { told } from "../core/notice.js";
import { absent, content } from "../core/page.js";
import { Table } from "../core/table.js";

const table = new Table({
  caption: "Schedules",
  key: (row) => row.key,
  empty: "Nothing is scheduled.",
  columns: [
    { name: "key", title: "Key", cell: (row) => row.key },
    { name: "kind", title: "Kind", cell: (row) => h("span", { class: "badge" }, row.kind ?? "job") },
    { name: "cron", title: "When", cell: (row) => row.cron ?? "once" },
    { name: "queue", title: "Queue", cell: (row) => row.queue ?? "" },
    { name: "due_at", title: "Due", number: true, cell: (row) => moment(row.due_at) },
    { name: "in", title: "In", number: true, cell: due },
    {
      name: "verbs",
      title: "",
      value: (row) => row.key,
      cell: verbs,
    },
  ],
});
content.replaceChildren(table.node);
watch(own("schedules"), (found) => table.show(rowsIn(found)), {
  again: true,
  fail: absent("schedules: it was given no store of them"),
});

// A cron is a program's own, which would have it again at its next start.
function verbs(row) {
  if (row.kind === "cron") return "";
  return h(
    "span",
    { class: "actions" },
    h("button", { onclick: () => run(row) }, "Run now"),
    h("button", { class: "danger", onclick: () => cancel(row) }, "Cancel…"),
  );
}

function due({ due_at: at }) {
  const left = at - Date.now() / 1000;
  return left > 0 ? span(left) : "now";
}

async function run({ key }) {
  if (await told(() => post(own("schedules", key, "run")), `${key} is due now.`)) refresh();
}

async function cancel({ key }) {
  const said = await ask({
    title: `Cancel ${key}?`,
    text: "It will not be done.",
    action: "Cancel it",
    danger: true,
  });
  if (said && (await told(() => remove(own("schedules", key)), `${key} is cancelled.`))) refresh();
}
