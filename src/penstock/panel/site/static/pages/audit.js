// The audit log: who changed what, and how it ended.

import { rowsIn, own } from "../core/api.js";
import { moment } from "../core/format.js";
import { watch } from "../core/live.js";
import { absent, content } from "../core/page.js";
import { Table } from "../core/table.js";

const table = new Table({
  caption: "Audit log",
  key: (row) => `${row.at} ${row.who} ${row.what}`,
  empty: "Nobody has changed anything.",
  columns: [
    { name: "at", title: "When", cell: (row) => moment(row.at) },
    { name: "who", title: "Who", cell: (row) => row.who || "somebody" },
    { name: "address", title: "From", cell: (row) => row.address ?? "" },
    { name: "what", title: "What", wide: true, cell: (row) => row.what },
    { name: "about", title: "About", wide: true, cell: aboutText },
    { name: "outcome", title: "Outcome", cell: (row) => row.outcome },
  ],
});
content.replaceChildren(table.node);
watch(own("audit", { limit: 200 }), (found) => table.show(rowsIn(found)), {
  every: 2,
  fail: absent("changes"),
});

// Which things, and how many: "to eu, count 5, moved 5".
function aboutText({ about = {} }) {
  const words = Object.entries(about).map(([name, value]) => `${name} ${[value].flat().join(" ")}`);
  return words.join(", ");
}
