// Getting messages as a consumer would: from the head of the queue, put back or not. What does not come back is
// asked about first. To look without touching anything, see queue-peek.js.

import { api, post } from "../core/api.js";
import { ask, field } from "../core/dialog.js";
import { fill, h } from "../core/dom.js";
import { plural } from "../core/format.js";
import { refresh } from "../core/live.js";
import { messageCard } from "./message-card.js";

const COUNT_MOST = 200;
const BYTES_SHOWN = 50_000;

// What becomes of what was got, by RabbitMQ's word for it; with what is asked first, if it does not come back.
const MODES = {
  ack_requeue_true: { label: "They go back to the queue, marked as redelivered" },
  ack_requeue_false: { label: "They are taken off the queue", fate: "gone for good" },
  reject_requeue_false: {
    label: "They are rejected",
    fate: "dead-lettered where the queue says so, and gone for good where it does not",
  },
};

export function getting(vhost, name) {
  const number = field({
    name: "get-count",
    label: "How many",
    type: "number",
    value: "1",
    min: 1,
    max: COUNT_MOST,
  });
  const mode = field({
    name: "ackmode",
    label: "And then",
    type: "select",
    options: Object.entries(MODES).map(([key, { label }]) => [key, label]),
  });
  const found = h("div", { "aria-live": "polite" });

  async function take(event) {
    event.preventDefault();
    const count = Number(number.read());
    const { fate } = MODES[mode.read()];
    if (fate && !(await isMeant(count, fate))) return;
    const body = { count, ackmode: mode.read(), encoding: "auto", truncate: BYTES_SHOWN };
    try {
      show(await post(api("queues", vhost, name, "get"), body));
      refresh();
    } catch (error) {
      fill(found, h("p", { class: "refusal", role: "alert" }, error.message));
    }
  }

  function isMeant(count, fate) {
    return ask({
      title: `Take messages from ${name}?`,
      text: `Up to ${plural(count, "message")} at its head will be ${fate}.`,
      action: "Take",
      danger: true,
    });
  }

  function show(messages) {
    const told = messages.length ? `${plural(messages.length, "message")} got.` : "No message is ready.";
    fill(
      found,
      h("p", { class: "faint" }, told),
      messages.map((each) => messageCard(each, vhost)),
    );
  }

  const form = h(
    "form",
    { class: "panel", onsubmit: take },
    h("div", { class: "fields" }, number.row, mode.row),
    h("div", { class: "actions" }, h("button", {}, "Get")),
  );
  return h("div", {}, form, found);
}
