// One message's life, from publish to ack, retries included.

import { get, own } from "../core/api.js";
import { queueLink } from "../core/cells.js";
import { field } from "../core/dialog.js";
import { fill, h, path, pathParts } from "../core/dom.js";
import { moment, span } from "../core/format.js";
import { content, title } from "../core/page.js";

const WORDS = {
  published: "Published",
  routed: "Put in line in",
  unroutable: "No queue asked for it",
  refused: "Refused: no room in",
  delivered: "Delivered from",
  acked: "Acked, and gone from",
  returned: "Back in line in",
  dead: "Dead for",
};
const [, vhost = "/", id = ""] = pathParts();
const where = field({ name: "vhost", label: "Virtual host", value: vhost });
const which = field({ name: "id", label: "The message's id", value: id, required: true });
const found = h("div", { "aria-live": "polite" });

content.replaceChildren(
  h(
    "form",
    { class: "panel", onsubmit: go },
    h("div", { class: "fields" }, where.row, which.row),
    h("div", { class: "actions" }, h("button", { class: "primary" }, "Show its life")),
  ),
  found,
);
if (id) show();

function go(event) {
  event.preventDefault();
  location.assign(path("messages", where.read(), which.read()));
}

async function show() {
  title(`Message ${id}`);
  try {
    const { steps } = await get(own("messages", vhost, id));
    const began = steps[0]?.at;
    fill(
      found,
      h(
        "ol",
        { class: "life" },
        steps.map((step) => line(step, began)),
      ),
      steps.length ? "" : "Nothing is known of it.",
    );
  } catch (error) {
    const text = error.isAbsent
      ? "This broker cannot tell the life of this message: it is not in the event log, or none is kept."
      : error.message;
    fill(found, h("p", { class: "absent" }, text));
  }
}

function line({ at, step, queue, consumer, attempt, reason }, began) {
  return h(
    "li",
    { class: step },
    h(
      "time",
      { datetime: new Date(at * 1000).toISOString() },
      `${moment(at)}${at > began ? ` (+${span(at - began)})` : ""}`,
    ),
    `${WORDS[step] ?? step} `,
    queue ? queueLink(vhost, queue) : null,
    consumer ? ` ${step === "delivered" ? "to" : "by"} ${consumer}` : null,
    attempt > 1 ? ` (delivery ${attempt})` : null,
    reason ? h("span", { class: "faint" }, ` ${reason}`) : null,
  );
}
