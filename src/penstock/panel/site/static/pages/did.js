// One DID: what it resolves to, and the operations that have made it so, each with the batch it came in.

import { own } from "../core/api.js";
import { badge } from "../core/cells.js";
import { fill, h, path, pathParts, say } from "../core/dom.js";
import { moment } from "../core/format.js";
import { watch } from "../core/live.js";
import { absent, content, facts, section, title } from "../core/page.js";
import { Table } from "../core/table.js";

const [, suffix] = pathParts();
title(`DID ${suffix}`);

const steps = new Table({
  caption: "Operations",
  key: (row) => `${row.reference} ${row.type}`,
  columns: [
    { name: "type", title: "Operation", cell: (row) => row.type },
    { name: "at", title: "Anchored", number: true, cell: (row) => moment(row.at) },
    {
      name: "batch",
      title: "Batch",
      cell: (row) => (row.batch == null ? "" : h("a", { href: path("batches", row.batch) }, `${row.batch}`)),
    },
    {
      name: "reason",
      title: "Counts",
      wide: true,
      cell: (row) => (row.reason ? `no: ${row.reason}` : "yes"),
    },
    { name: "reference", title: "Linkset", wide: true, cell: (row) => row.reference },
  ],
});
const summary = h("div", {});
const result = h("pre", { tabindex: "0" });

content.replaceChildren(summary, section("Operations", steps.node), section("What it resolves to", result));
watch(own("dids", suffix), show, { every: 5, fail: absent(`the DID ${suffix}`) });

function show(found) {
  fill(
    summary,
    facts([
      ["State", badge(found.did ? (found.is_deactivated ? "deactivated" : "resolves") : "unresolved")],
      ["DID", found.did],
      ["Why not", found.reason],
    ]),
  );
  steps.show(found.steps);
  say(result, found.result ? JSON.stringify(found.result, null, 2) : "Nothing.");
}
