// A form that publishes one message to a proxy.

import { api, post } from "../core/api.js";
import { field, values } from "../core/dialog.js";
import { h } from "../core/dom.js";
import { refresh } from "../core/live.js";
import { notice } from "../core/notice.js";

export function publishing({ vhost, exchange, key = "" }) {
  const isQueue = exchange === "amq.default";
  const fields = [
    field({ name: "key", label: "Routing key", value: key, readonly: isQueue }),
    field({ name: "headers", label: "Headers (JSON)", value: "{}" }),
    field({
      name: "properties",
      label: "Properties (JSON)",
      value: '{"content_type": "application/json"}',
    }),
    field({ name: "persistent", label: "Persistent", type: "checkbox", value: true }),
  ];
  const payload = field({ name: "payload", label: "Payload", type: "textarea", rows: 4 });

  async function publish(event) {
    event.preventDefault();
    const said = values([...fields, payload]);
    try {
      const given = {
        delivery_mode: said.persistent ? 2 : 1,
        ...JSON.parse(said.properties || "{}"),
        headers: JSON.parse(said.headers || "{}"),
      };
      const body = {
        routing_key: said.key,
        payload: said.payload,
        payload_encoding: "string",
        properties: given,
      };
      const { routed } = await post(api("exchanges", vhost, exchange, "publish"), body);
      notice(routed ? "Published." : "Published, but no queue asked for it.", routed ? "done" : "failed");
      refresh();
    } catch (error) {
      notice(error.message, "failed");
    }
  }

  return h(
    "form",
    { class: "panel", onsubmit: publish },
    h(
      "div",
      { class: "fields" },
      fields.map((each) => each.row),
    ),
    payload.row,
    h("div", { class: "actions" }, h("button", { class: "primary" }, "Publish")),
  );
}
