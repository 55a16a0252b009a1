// DID anchors: what the domain anchors itself, and what it was told of and has observed, whoever anchored it.

import { own, rowsIn } from "../core/api.js";
import { badge } from "../core/cells.js";
import { h, outsideLink, path } from "../core/dom.js";
import { count, moment } from "../core/format.js";
import { watch } from "../core/live.js";
import { absent, content, section } from "../core/page.js";
import { Table } from "../core/table.js";

const table = new Table({
  caption: "DID anchors",
  key: (row) => row.linkset ?? row.anchor,
  empty: "Nothing has been anchored or observed yet.",
  columns: [
    {
      name: "linkset",
      title: "Linkset",
      wide: true,
      value: (row) => [row.linkset, row.url, row.anchor],
      cell: (row) => (row.url ? outsideLink(row.url, row.linkset) : (row.linkset ?? row.anchor)),
    },
    { name: "state", title: "State", cell: (row) => badge(row.state) },
    { name: "updated_at", title: "Since", number: true, cell: (row) => moment(row.updated_at) },
    {
      name: "batch",
      title: "Batch",
      hint: "Of this domain, if it is its own",
      cell: (row) => (row.batch == null ? "" : h("a", { href: path("batches", row.batch) }, `${row.batch}`)),
    },
    {
      name: "stored",
      title: "Stored",
      number: true,
      hint: "Operations that their DIDs are resolved with from then on",
      cell: (row) => count(row.stored),
    },
    {
      name: "unfit",
      title: "Unfit",
      number: true,
      hint: "Operations that can never count",
      cell: (row) => count(row.unfit),
    },
    { name: "copies", title: "Copies", number: true, cell: (row) => count(row.copies) },
    { name: "reason", title: "Why", wide: true, cell: (row) => row.reason },
  ],
});
content.replaceChildren(section("Anchors", table.node));
watch(own("anchors"), (found) => table.show(rowsIn(found)), {
  every: 2,
  fail: absent("DID anchors: no DID domain is with it"),
});
