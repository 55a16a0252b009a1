// Topology: what the application declares, against what is there.

import { own } from "../core/api.js";
import { badge } from "../core/cells.js";
import { fill, h } from "../core/dom.js";
import { watch } from "../core/live.js";
import { absent, content } from "../core/page.js";
import { Table } from "../core/table.js";

const table = new Table({
  caption: "Changes to be made",
  key: (row) => `${row.verb} ${row.noun} ${row.name}`,
  empty: "Everything that is declared is there.",
  columns: [
    { name: "name", title: "Name", cell: (row) => row.name },
    { name: "verb", title: "To do", cell: (row) => h("span", { class: "badge" }, row.verb) },
    { name: "noun", title: "Which is a", cell: (row) => row.noun },
    { name: "reason", title: "Why", wide: true, cell: (row) => row.reason ?? "" },
  ],
});
const state = h("p", { role: "status" });
content.replaceChildren(state, table.node);
watch(own("topology"), show, { every: 5, fail: absent("a declared topology: it was given none") });

function show(found) {
  fill(
    state,
    badge(found.in_step ? "in step" : "to do"),
    found.in_step
      ? " The broker has what is declared."
      : " The broker differs from what is declared; `penstock topology apply` makes it so.",
  );
  table.show(found.changes ?? []);
}
