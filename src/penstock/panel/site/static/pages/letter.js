// One dead letter: the error and the message side by side; the message may be mended before it is sent again.

import { own, post } from "../core/api.js";
import { ask, field } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { changedHeaders, mended } from "../core/editing.js";
import { count, moment } from "../core/format.js";
import { told } from "../core/notice.js";
import { facts, section } from "../core/page.js";

// A time of nought is none: nobody said when.
const when = (at) => (at ? moment(at) : null);

// verbs: {redrive, after}: what sends it as it is, and what is called when it has gone.
export function letterView(letter, { redrive, after }) {
  const message = letter.withheld ? null : editor(letter);

  async function retry() {
    const where = own("dead-letters", letter.message_id, "retry", { consumer: letter.consumer });
    const work = async () => post(where, message.edit());
    if (await told(work, "Sent to the consumer once more, as it stands here.")) after();
  }

  async function discard() {
    const said = await ask({
      title: "Discard this message?",
      text: "It will be gone for good.",
      action: "Discard",
      danger: true,
    });
    const where = own("dead-letters", "discard");
    if (
      said &&
      (await told(
        () => post(where, { message_ids: [letter.message_id], consumer: letter.consumer }),
        "It is gone.",
      ))
    )
      after();
  }

  return section(
    `Message ${letter.message_id}`,
    facts([
      ["Consumer", letter.consumer],
      ["Type", letter.type],
      ["Attempts", count(letter.attempts)],
      ["Redriven", count(letter.redriven)],
      ["Published", when(letter.published_at)],
      ["First failure", when(letter.first_failure)],
      ["Last failure", when(letter.last_failure)],
    ]),
    h(
      "div",
      { class: "side" },
      h(
        "div",
        {},
        h("h3", {}, "The error"),
        h("p", {}, `${letter.error_class ?? ""}: ${letter.error ?? ""}`),
        letter.trace ? h("pre", { tabindex: "0" }, letter.trace) : null,
      ),
      h(
        "div",
        {},
        h("h3", {}, "The message"),
        message?.rows ?? h("p", { class: "faint" }, `What it says is not for you: ${letter.withheld}`),
      ),
    ),
    h(
      "div",
      { class: "actions" },
      message && h("button", { class: "primary", onclick: retry }, "Retry as it stands here"),
      h("button", { onclick: redrive }, "Redrive unchanged"),
      h("button", { class: "danger", onclick: discard }, "Discard…"),
    ),
  );
}

// The message as text, which is never written anew: {rows, edit}, the edit being what was changed and nothing else.
function editor(letter) {
  const isText = letter.body !== undefined;
  const body = field({
    name: "body",
    label: "Body",
    type: "textarea",
    rows: 12,
    value: isText ? letter.body : letter.body_base64,
    readonly: !isText,
  });
  const headers = field({
    name: "headers",
    label: "Headers (JSON)",
    type: "textarea",
    rows: 5,
    value: letter.carried,
    hint: "Those of its failure stay behind.",
  });

  function edit() {
    const changes = { headers: changedHeaders(letter.carried, headers.read()) };
    const text = isText ? mended(letter.body, body.read()) : letter.body;
    return text === letter.body ? changes : { ...changes, body: text };
  }

  const note = isText ? null : h("p", { class: "faint" }, "Its bytes are no text; they stand here in base64.");
  return { rows: [note, body.row, headers.row], edit };
}
