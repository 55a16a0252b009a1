// Questions that stop everything else: a native <dialog>, which keeps the focus inside and closes with Escape.
//
//     const values = await ask({ title, text, action: "Delete", danger: true, fields: [{ name, label, value, type }] });

import { $, h } from "./dom.js";

// Resolves to the values of the fields, or to null if the question was left.
export function ask({ title, text = "", action = "OK", danger = false, fields = [], mustType = "" }) {
  if (mustType) fields = [...fields, { name: "typed", label: `Type ${mustType} to go on`, required: true }];
  const inputs = fields.map(field);
  const form = h(
    "form",
    { method: "dialog" },
    h("h2", { id: "question" }, title),
    text && h("p", {}, text),
    inputs.map((each) => each.row),
    h("p", { class: "refusal", role: "alert" }),
    h(
      "div",
      { class: "actions" },
      h("button", { type: "button", value: "", onclick: () => dialog.close("") }, "Cancel"),
      h("button", { class: danger ? "danger" : "primary", value: "yes" }, action),
    ),
  );
  const dialog = h("dialog", { "aria-labelledby": "question" }, form);
  document.body.append(dialog);
  return new Promise((resolve) => {
    form.addEventListener("submit", (event) => {
      const typed = inputs.find((each) => each.name === "typed");
      if (!mustType || typed.input.value === mustType) return;
      event.preventDefault();
      $(".refusal", form).textContent = "That is not the name.";
    });
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes" ? values(inputs) : null);
    });
    dialog.showModal();
  });
}

// A labelled control: { row, input, name, read }.
export function field({
  name,
  label,
  value = "",
  type = "text",
  required = false,
  options = null,
  hint = "",
  rows = 6,
  ...more
}) {
  const id = `field-${name}-${(field.count = (field.count ?? 0) + 1)}`;
  const properties = { id, name, required, ...more, "aria-describedby": hint ? `${id}-hint` : null };
  const input = control(type, properties, value, options, rows);
  const words = [h("label", { for: id }, label), input, hint && h("small", { id: `${id}-hint` }, hint)];
  const row = h(
    "div",
    { class: type === "checkbox" ? "field checkbox" : "field" },
    type === "checkbox" ? [input, words[0], words[2]] : words,
  );
  return { row, input, name, read: () => (type === "checkbox" ? input.checked : input.value) };
}

export function values(fields) {
  return Object.fromEntries(fields.map(({ name, read }) => [name, read()]));
}

function control(type, properties, value, options, rows) {
  if (type === "textarea") {
    const area = h("textarea", { ...properties, rows, spellcheck: "false" });
    area.value = value;
    return area;
  }
  if (type === "select") {
    const choices = options.map((each) => (Array.isArray(each) ? each : [each, each]));
    const select = h(
      "select",
      properties,
      choices.map(([key, text]) => h("option", { value: key }, text)),
    );
    select.value = value || choices[0]?.[0];
    return select;
  }
  const input = h("input", { ...properties, type });
  if (type === "checkbox") input.checked = Boolean(value);
  else input.value = value;
  return input;
}
