// One message for reading. Its payload, properties and headers are whatever their sender wrote: text, all of it.

import { proxyName } from "../core/cells.js";
import { h, path } from "../core/dom.js";
import { bytes, readable } from "../core/format.js";

export function messageCard(message, vhost) {
  const { headers = {}, ...properties } = message.properties ?? {};
  const id = properties.message_id;
  return h(
    "article",
    { class: "message", "aria-label": `Message ${message.position ?? id ?? ""}` },
    h(
      "header",
      {},
      message.position === undefined ? null : h("b", {}, `#${message.position}`),
      h("span", {}, `${proxyName(message.exchange)} → ${message.routing_key}`),
      h("span", {}, bytes(message.payload_bytes)),
      message.redelivered ? h("span", { class: "badge slow" }, "redelivered") : null,
      id ? h("a", { href: path("messages", vhost, id) }, id) : null,
    ),
    payload(message),
    table("Headers", headers),
    table("Properties", properties),
  );
}

function payload({ payload: text, payload_encoding: encoding }) {
  if (encoding === "base64")
    return [
      h("p", { class: "faint" }, "Bytes that are no text, in base64:"),
      h("pre", { tabindex: "0" }, text),
    ];
  return h("pre", { tabindex: "0" }, readable(text ?? ""));
}

function table(caption, values) {
  const entries = Object.entries(values ?? {});
  if (!entries.length) return null;
  const rows = entries.map(([name, value]) =>
    h(
      "tr",
      {},
      h("th", { scope: "row" }, name),
      h("td", { class: "wide mono" }, typeof value === "object" ? JSON.stringify(value) : String(value)),
    ),
  );
  return h(
    "details",
    {},
    h("summary", {}, `${caption} (${entries.length})`),
    h("table", {}, h("caption", { class: "unseen" }, caption), h("tbody", {}, rows)),
  );
}
