// What may be done to a queue as a whole: purge, move, delete. Each asks first, and says what it will do.

import { api, get, own, post, remove } from "../core/api.js";
import { ask } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { plural } from "../core/format.js";
import { refresh } from "../core/live.js";
import { told } from "../core/notice.js";

export function actions(vhost, name) {
  const verbs = [
    ["Move messages…", "", () => move(vhost, name)],
    ["Purge…", "danger", () => purge(vhost, name)],
    ["Delete…", "danger", () => erase(vhost, name)],
  ];
  return h(
    "div",
    { class: "actions" },
    verbs.map(([text, kind, onclick]) => h("button", { class: kind, onclick }, text)),
  );
}

async function move(vhost, name) {
  const said = await ask({
    title: `Move messages from ${name}`,
    text: "They keep their order and go to the end of the other queue.",
    action: "Move",
    fields: [
      { name: "to", label: "To queue", required: true },
      { name: "count", label: "How many", type: "number", min: 1, hint: "All, if this is empty." },
      {
        name: "filter",
        label: "Only those for which this is true",
        hint: "A selector, for example region = 'eu' AND attempts > 3",
      },
    ],
  });
  if (!said) return;
  const body = { to: said.to };
  if (said.count) body.count = Number(said.count);
  if (said.filter) body.filter = said.filter;
  const done = (result) => `${plural(result?.moved ?? 0, "message")} moved to ${said.to}.`;
  if (await told(() => post(own("queues", vhost, name, "move"), body), done)) refresh();
}

async function purge(vhost, name) {
  const { messages_ready: ready } = await get(api("queues", vhost, name));
  const said = await ask({
    title: `Purge ${name}?`,
    text: `${plural(ready ?? 0, "message")} ready in it will be gone for good. What consumers hold stays with them.`,
    action: "Purge",
    danger: true,
  });
  if (said && (await told(() => remove(api("queues", vhost, name, "contents")), `${name} is empty.`)))
    refresh();
}

async function erase(vhost, name) {
  const said = await ask({
    title: `Delete ${name}?`,
    text: "The queue, its registrations and all messages in it will be gone for good.",
    action: "Delete",
    danger: true,
    mustType: name,
  });
  if (said && (await told(() => remove(api("queues", vhost, name)), `${name} is deleted.`)))
    location.assign("/queues");
}
