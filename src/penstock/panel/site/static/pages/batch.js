// One DID batch: its stages with their times and counts, and what became of each of its operations.

import { own } from "../core/api.js";
import { badge } from "../core/cells.js";
import { fill, h, outsideLink, path, pathParts, say } from "../core/dom.js";
import { count, moment, plural, span } from "../core/format.js";
import { watch } from "../core/live.js";
import { absent, content, facts, section, title } from "../core/page.js";
import { Table } from "../core/table.js";

const PAGE = 100; // operations shown at once
const [, number] = pathParts();
title(`DID batch ${number}`);

// What is told of each stage: its name, when it was reached, and a sentence about it.
const STAGES = [
  ["Queued", "queued_at", (batch) => batch.queued_at && "its first operation came"],
  ["Cut", "cut_at", (batch) => plural(batch.operations, "operation")],
  ["Files written", "written_at", written],
  ["Anchored", "anchored_at", (batch) => batch.anchor],
  ["Witnessed", "proved_at", proved],
  ["Published", "published_at", (batch) => batch.linkset],
  ["Observed", "observed_at", observed],
  ["Resolvable", "observed_at", resolvable],
];

const operations = new Table({
  caption: "Operations of the batch",
  key: (row) => row.id,
  empty: "No operation is here.",
  columns: [
    {
      name: "suffix",
      title: "DID",
      value: (row) => [row.suffix, row.did],
      cell: didLink,
    },
    { name: "type", title: "Operation", cell: (row) => row.type ?? "–" },
    { name: "outcome", title: "What became of it", cell: (row) => badge(row.outcome) },
    { name: "reason", title: "Why", wide: true, cell: (row) => row.reason },
  ],
});
const summary = h("div", {});
const stages = h("ol", { class: "life" });
const range = h("span", { class: "count", role: "status" });
const [before, next] = [
  ["Earlier operations", "‹", -PAGE],
  ["Further operations", "›", PAGE],
].map(([label, text, by]) => h("button", { "aria-label": label, onclick: () => turn(by) }, text));
let start = 0;
let unwatch = () => {};

content.replaceChildren(
  summary,
  section("Stages", stages),
  section(
    "Operations",
    h(
      "div",
      { class: "bar" },
      range,
      h("span", { class: "space" }),
      h("span", { class: "pager" }, before, next),
    ),
    operations.node,
  ),
);
look();

function look() {
  unwatch();
  const where = own("batches", number, { start, limit: PAGE });
  unwatch = watch(where, show, { every: 2, fail: absent(`the DID batch ${number}`) });
}

function turn(by) {
  start = Math.max(0, start + by);
  look();
}

function show({ batch, operations: rows }) {
  fill(
    summary,
    facts([
      ["State", badge(batch.state)],
      ["Operations", count(batch.operations)],
      ["Linkset", batch.url ? outsideLink(batch.url, "as the domain has it") : null],
    ]),
  );
  fill(
    stages,
    STAGES.map(([name, at, told]) => stage(name, batch[at], batch, told(batch, rows))),
  );
  operations.show(rows);
  const last = start + rows.length;
  say(range, rows.length ? `${count(start + 1)} to ${count(last)} of ${count(batch.operations)}` : "None");
  before.disabled = start === 0;
  next.disabled = last >= batch.operations;
}

function didLink({ suffix, did, id }) {
  return suffix ? h("a", { href: path("dids", suffix), title: did }, suffix) : id;
}

function stage(name, at, { cut_at: cutAt, trouble }, told) {
  const since = at > cutAt ? `, ${span(at - cutAt)} after the cut` : "";
  const kind = at != null ? "acked" : told && told === trouble ? "refused" : "open";
  return h(
    "li",
    { class: kind },
    h("b", {}, name),
    at == null ? h("span", { class: "faint" }, " not yet") : ` ${moment(at)}${since}`,
    h("div", { class: "faint" }, told ?? ""),
  );
}

function written(batch) {
  if (batch.written_at == null) return "";
  const { operations: all, deferred, refused } = batch;
  const out = [deferred && `${count(deferred)} deferred`, refused && `${count(refused)} refused`];
  return [`${count(all - deferred - refused)} in them`, ...out].filter(Boolean).join(", ");
}

function proved(batch) {
  if (batch.anchored_at == null) return "";
  return `${plural(batch.witnesses, "witness", "witnesses")} asked, ${plural(batch.proofs, "proof")} had`;
}

function observed(batch) {
  if (batch.observed_at == null) return batch.trouble;
  const unfit = batch.unfit ? `, ${count(batch.unfit)} can never count` : "";
  return `${count(batch.stored)} stored${unfit}`;
}

function resolvable(batch, rows) {
  if (batch.observed_at == null) return "";
  const good = rows.filter(({ outcome }) => outcome === "resolvable").length;
  return `DIDs resolve with ${count(good)} of the ${plural(rows.length, "operation")} below`;
}
