// DID batches, from operations that wait for one to an anchor that was observed, when their DIDs resolve with them.

import { rowsIn, own } from "../core/api.js";
import { badge } from "../core/cells.js";
import { fill, h, path } from "../core/dom.js";
import { count, moment, span } from "../core/format.js";
import { watch } from "../core/live.js";
import { absent, content, facts, section } from "../core/page.js";
import { Table } from "../core/table.js";

// How long after the cut something happened.
const after = (name) => (row) =>
  row[name] == null ? "" : `+ ${span(Math.max(0, row[name] - row.cut_at))}`;

const table = new Table({
  caption: "DID batches",
  key: (row) => row.id,
  empty: "No batch has been cut yet.",
  columns: [
    { name: "id", title: "Batch", cell: (row) => h("a", { href: path("batches", row.id) }, `${row.id}`) },
    { name: "state", title: "State", cell: (row) => badge(row.state) },
    { name: "operations", title: "Operations", number: true, cell: (row) => count(row.operations) },
    { name: "cut_at", title: "Cut", number: true, cell: (row) => moment(row.cut_at) },
    { name: "written_at", title: "Files", number: true, cell: after("written_at") },
    { name: "anchored_at", title: "Anchored", number: true, cell: after("anchored_at") },
    {
      name: "proofs",
      title: "Proofs",
      number: true,
      hint: "Of how many witnesses that were asked",
      cell: (row) => `${count(row.proofs)} of ${count(row.witnesses)}`,
    },
    { name: "published_at", title: "Published", number: true, cell: after("published_at") },
    {
      name: "observed_at",
      title: "Observed",
      number: true,
      value: (row) => [row.observed_at, row.trouble],
      cell: (row) => (row.trouble ? badge("failed") : after("observed_at")(row)),
    },
    {
      name: "stored",
      title: "Stored",
      number: true,
      hint: "Operations that their DIDs are resolved with from then on",
      cell: (row) => count(row.stored),
    },
    {
      name: "amiss",
      title: "Left out",
      number: true,
      hint: "Refused, deferred to a later batch, or never to count",
      cell: (row) => count(row.refused + row.deferred + row.unfit),
    },
  ],
});
const waiting = h("div", {});
content.replaceChildren(section("Operations in no batch yet", waiting), section("Batches", table.node));
watch(own("operations"), showWaiting, { every: 2, again: true });
watch(own("batches"), (found) => table.show(rowsIn(found)), {
  every: 2,
  fail: absent("DID batches: no DID domain is with it"),
});

function showWaiting(found) {
  fill(
    waiting,
    facts([
      ["Waiting", count(found.waiting)],
      ["For", found.oldest_at == null ? null : span(Date.now() / 1000 - found.oldest_at)],
      ["To be posted anew", found.detached ? count(found.detached) : null],
      ["Last error", found.last_error],
    ]),
  );
}
