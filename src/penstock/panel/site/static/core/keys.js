// The keyboard: "/" goes to the filter, "g" and a letter to a page, "?" tells which.

import { $, h } from "./dom.js";

const WAIT = 1_000; // ms for the second key
let first = "";
let timer = null;

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return;
  const typed = first + event.key;
  first = "";
  clearTimeout(timer);
  if (event.key === "g" && typed !== "gg") {
    first = "g";
    timer = setTimeout(() => (first = ""), WAIT);
  } else if (typed === "/") {
    event.preventDefault();
    $("input[type=search]")?.focus();
  } else if (typed === "?") {
    help();
  } else if (typed.startsWith("g") && typed.length === 2) {
    $(`nav a[data-key="${CSS.escape(typed[1])}"]`)?.click();
  }
});

function isTyping(target) {
  return target.closest("input, textarea, select, [contenteditable], dialog") !== null;
}

function help() {
  const keys = [...document.querySelectorAll("nav a[data-key]")].map((link) => [
    `g ${link.dataset.key}`,
    link.textContent,
  ]);
  const dialog = h(
    "dialog",
    { class: "keys", "aria-labelledby": "keys", onclose: () => dialog.remove() },
    h("h2", { id: "keys" }, "Keys"),
    h(
      "dl",
      {},
      [["/", "Filter"], ["?", "This help"], ...keys].map(([key, what]) => [
        h("dt", {}, h("kbd", {}, key)),
        h("dd", {}, what),
      ]),
    ),
    h("form", { method: "dialog" }, h("button", { class: "primary" }, "Close")),
  );
  document.body.append(dialog);
  dialog.showModal();
}
