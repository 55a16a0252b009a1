// Workers and what they do right now, with the progress that each job tells of itself.

import { rowsIn, own } from "../core/api.js";
import { badge } from "../core/cells.js";
import { h } from "../core/dom.js";
import { count, moment, percent, span } from "../core/format.js";
import { watch } from "../core/live.js";
import { absent, content, section } from "../core/page.js";
import { Table } from "../core/table.js";

const SILENT = 30; // seconds after which a worker is taken for gone

const workers = new Table({
  caption: "Workers",
  key: (row) => row.name,
  empty: "No worker has told of itself.",
  columns: [
    { name: "name", title: "Worker", cell: (row) => row.name },
    {
      name: "host",
      title: "Host",
      cell: (row) => [row.host, row.pid && `pid ${row.pid}`].filter(Boolean).join(", "),
    },
    {
      name: "state",
      title: "State",
      value: isSilent,
      cell: (row) => badge(isSilent(row) ? "silent" : "live"),
    },
    { name: "queues", title: "Queues", wide: true, cell: (row) => (row.queues ?? []).join(", ") },
    { name: "busy", title: "Busy", number: true, cell: (row) => count(row.jobs?.length ?? 0) },
    { name: "done", title: "Done", number: true, cell: (row) => count(row.done) },
    { name: "failed", title: "Failed", number: true, cell: (row) => count(row.failed) },
    { name: "started_at", title: "Since", number: true, cell: (row) => moment(row.started_at) },
  ],
});
const jobs = new Table({
  caption: "Jobs",
  key: (row) => `${row.worker} ${row.id}`,
  empty: "Nobody works on anything.",
  columns: [
    { name: "id", title: "Job", cell: (row) => row.id },
    { name: "route", title: "Route", cell: (row) => row.route ?? "" },
    { name: "queue", title: "Queue", cell: (row) => row.queue ?? "" },
    { name: "worker", title: "Worker", cell: (row) => row.worker },
    { name: "attempt", title: "Attempt", number: true, cell: (row) => count(row.attempt) },
    {
      name: "running",
      title: "For",
      number: true,
      cell: (row) => span(Date.now() / 1000 - row.started_at),
    },
    { name: "progress", title: "Progress", cell: progress },
    {
      name: "note",
      title: "Says",
      wide: true,
      cell: (row) =>
        typeof row.note === "string" ? row.note : row.note == null ? "" : JSON.stringify(row.note),
    },
  ],
});
content.replaceChildren(section("Jobs under way", jobs.node), section("Workers", workers.node));
watch(own("workers"), show, { again: true, fail: absent("workers") });

function show(found) {
  const rows = rowsIn(found);
  workers.show(rows);
  jobs.show(rows.flatMap((row) => (row.jobs ?? []).map((job) => ({ ...job, worker: row.name }))));
}

function isSilent({ seen_at: at }) {
  return Date.now() / 1000 - at > SILENT;
}

function progress({ progress: part, id }) {
  if (part == null) return "";
  return h(
    "span",
    {},
    h("progress", { max: 1, value: part, "aria-label": `Progress of ${id}` }),
    ` ${percent(part)}`,
  );
}
