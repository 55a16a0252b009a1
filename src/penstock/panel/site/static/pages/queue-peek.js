// Looking at what waits in a queue: from any position, with a filter, and without touching order or flags. Where
// the broker has no such look (RabbitMQ), messages are taken and put back, and the page says what that does.

import { api, getWith, rowsIn, own, post } from "../core/api.js";
import { field } from "../core/dialog.js";
import { fill, h } from "../core/dom.js";
import { plural } from "../core/format.js";
import { messageCard } from "./message-card.js";

export function peeking(vhost, name) {
  const position = field({ name: "position", label: "From position", type: "number", value: "0", min: 0 });
  const number = field({ name: "count", label: "How many", type: "number", value: "10", min: 1, max: 200 });
  const filter = field({
    name: "filter",
    label: "Filter",
    placeholder: "region = 'eu' AND attempts > 3",
    hint: "A selector over properties and headers.",
  });
  // Where a look has ended, so that the next one goes on there: a filter passes many over.
  let following = 0;
  const found = h("div", { "aria-live": "polite" });
  const form = h(
    "form",
    { class: "panel", onsubmit: (event) => event.preventDefault() },
    h("div", { class: "fields" }, position.row, number.row, filter.row),
    h(
      "div",
      { class: "actions" },
      h("button", { class: "primary", onclick: () => look(Number(position.read())) }, "Peek"),
      h("button", { type: "button", onclick: () => look(following) }, "Next"),
    ),
  );

  async function look(from) {
    const query = { position: from, count: number.read() };
    if (filter.read()) query.filter = filter.read();
    try {
      const where = own("queues", vhost, name, "peek", query);
      const [messages, next] = await getWith(where, "X-Next-Position");
      following = Number(next);
      position.input.value = from;
      show(rowsIn(messages), following - from);
    } catch (error) {
      if (error.isAbsent) await takeAndReturn();
      else fill(found, h("p", { class: "refusal", role: "alert" }, error.message));
    }
  }

  async function takeAndReturn() {
    const body = {
      count: Number(number.read()),
      ackmode: "ack_requeue_true",
      encoding: "auto",
      truncate: 50_000,
    };
    try {
      show(await post(api("queues", vhost, name, "get"), body));
      found.prepend(
        h(
          "p",
          { class: "faint" },
          "This broker can only take messages and put them back: they are marked as redelivered now.",
        ),
      );
    } catch (error) {
      fill(found, h("p", { class: "refusal", role: "alert" }, error.message));
    }
  }

  // passed: how many were looked at.
  function show(messages, passed = 0) {
    const none = passed ? `None of ${plural(passed, "message")} fits. Next goes on.` : "No message is there.";
    fill(
      found,
      h("p", { class: "faint" }, messages.length ? plural(messages.length, "message") : none),
      messages.map((each) => messageCard(each, vhost)),
    );
  }

  return h("div", {}, form, found);
}
