// Spark pipelines: how fast each query reads, how far it is behind, and what went wrong last.

import { rowsIn, own } from "../core/api.js";
import { badge } from "../core/cells.js";
import { h, outsideLink } from "../core/dom.js";
import { count, moment, rate } from "../core/format.js";
import { watch } from "../core/live.js";
import { absent, content } from "../core/page.js";
import { Table } from "../core/table.js";

const table = new Table({
  caption: "Pipelines",
  key: (row) => row.name,
  empty: "No pipeline has told of itself.",
  columns: [
    { name: "name", title: "Pipeline", cell: (row) => row.name },
    { name: "state", title: "State", cell: (row) => badge(row.state) },
    { name: "rate", title: "Rows", number: true, cell: (row) => rate(row.rate) },
    { name: "batch", title: "Batch", number: true, cell: (row) => count(row.batch) },
    {
      name: "lag",
      title: "Behind by",
      number: true,
      hint: "Messages that wait for it",
      cell: (row) => count(row.lag),
    },
    { name: "updated_at", title: "Told", number: true, cell: (row) => moment(row.updated_at) },
    { name: "last_error", title: "Last error", wide: true, cell: (row) => row.last_error ?? "" },
    {
      name: "ui",
      title: "Spark",
      cell: (row) =>
        row.ui ? outsideLink(row.ui, "Spark's page") : h("span", { class: "faint" }, "no page"),
    },
  ],
});
content.replaceChildren(table.node);
watch(own("pipelines"), (found) => table.show(rowsIn(found)), { fail: absent("Spark pipelines") });
