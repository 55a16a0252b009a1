// Dead letters, for triage: groups of one cause, the letters of a group, and one letter with its error beside it.

import { get, rowsIn, own, post } from "../core/api.js";
import { ask } from "../core/dialog.js";
import { fill, h } from "../core/dom.js";
import { count, moment, plural } from "../core/format.js";
import { refresh, watch } from "../core/live.js";
import { notice } from "../core/notice.js";
import { absent, content, section } from "../core/page.js";
import { Table } from "../core/table.js";
import { letterView } from "./letter.js";

const LIMIT = 100;
const why = (row) => [row.error_class?.replace(/^builtins\./, ""), row.error].filter(Boolean).join(": ");
let unwatch = () => {};

const groups = new Table({
  caption: "Groups of dead letters",
  key: (row) => row.group,
  empty: "Nothing has failed for good.",
  columns: [
    {
      name: "error",
      title: "Why",
      wide: true,
      value: (row) => [row.error_class, row.error],
      cell: (row) =>
        h("button", { class: "plain link", onclick: () => open(row) }, why(row) || "(no error told)"),
    },
    { name: "consumer", title: "Consumer", cell: (row) => row.consumer },
    { name: "type", title: "Type", cell: (row) => row.type || "" },
    { name: "count", title: "Letters", number: true, cell: (row) => count(row.count) },
    {
      name: "returned",
      title: "Came back",
      number: true,
      hint: "Redriven before, and dead again",
      cell: (row) => count(row.returned),
    },
    { name: "last_failure", title: "Last", number: true, cell: (row) => moment(row.last_failure) },
    {
      name: "redrive",
      title: "",
      value: (row) => row.group,
      cell: (row) => h("button", { onclick: () => redriveGroup(row) }, "Redrive group…"),
    },
  ],
});
const letters = new Table({
  caption: "Letters of the group",
  key: (row) => `${row.consumer} ${row.message_id}`,
  columns: [
    {
      name: "message_id",
      title: "Message",
      cell: (row) => h("button", { class: "plain link", onclick: () => look(row) }, row.message_id),
    },
    { name: "attempts", title: "Attempts", number: true, cell: (row) => count(row.attempts) },
    { name: "redriven", title: "Redriven", number: true, cell: (row) => count(row.redriven) },
    { name: "last_failure", title: "Failed", number: true, cell: (row) => moment(row.last_failure) },
    { name: "error", title: "Why", wide: true, cell: why },
    {
      name: "redrive",
      title: "",
      value: (row) => row.message_id,
      cell: (row) => h("button", { onclick: () => redriveOne(row) }, "Redrive"),
    },
  ],
});
const opened = h("div", {});
const one = h("div", {});

content.replaceChildren(
  h("div", { class: "actions" }, h("button", { onclick: redriveAll }, "Redrive all…")),
  section("Groups", groups.node),
  opened,
  one,
);
watch(own("dead-letters", "groups"), (found) => groups.show(rowsIn(found)), {
  every: 2,
  fail: absent("dead letters: it was given no store of them"),
});

function open(group) {
  unwatch();
  fill(one);
  fill(opened, section(why(group) || group.group, letters.node));
  const where = own("dead-letters", { group: group.group, state: "dead", limit: LIMIT });
  const fail = (error) => fill(opened, h("p", { class: "refusal", role: "alert" }, error.message));
  unwatch = watch(where, (found) => letters.show(rowsIn(found)), { every: 2, fail });
  opened.scrollIntoView({ block: "nearest" });
}

async function look({ message_id: id, consumer }) {
  try {
    const letter = await get(own("dead-letters", id, { consumer }));
    fill(one, letterView(letter, { redrive: () => redriveOne(letter), after: close }));
    one.scrollIntoView({ block: "nearest" });
  } catch (error) {
    fill(one, h("p", { class: "refusal", role: "alert" }, error.message));
  }
}

function close() {
  fill(one);
  refresh();
}

async function redrive(body) {
  try {
    const { redriven, failed, errors } = await post(own("dead-letters", "redrive"), body);
    notice(`${plural(redriven, "message")} sent to the consumer once more.`);
    if (failed) notice(`${plural(failed, "message")} could not be sent: ${errors?.[0] ?? ""}`, "failed");
    close();
  } catch (error) {
    notice(error.message, "failed");
  }
}

const redriveOne = ({ message_id: id, consumer }) => redrive({ message_ids: [id], consumer });

async function redriveGroup(group) {
  const said = await ask({
    title: `Redrive ${plural(group.count, "letter")}?`,
    text: `They go to ${group.consumer} once more: ${why(group)}`,
    action: "Redrive",
  });
  if (said) await redrive({ group: group.group });
}

async function redriveAll() {
  const said = await ask({
    title: "Redrive all dead letters?",
    text: "Each goes to the consumer that failed, once more. Have the causes been mended?",
    action: "Redrive all",
    danger: true,
  });
  if (said) await redrive({ all: true });
}
