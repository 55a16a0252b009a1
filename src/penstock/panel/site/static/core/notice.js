// Short sentences about what has just been done: seen in a corner, read aloud by a screen reader.

import { $, h } from "./dom.js";

const STAYS = 6_000; // ms

export function notice(text, kind = "done") {
  const line = h("p", { class: `notice ${kind}` }, text);
  const button = h("button", { class: "plain", "aria-label": "Dismiss", onclick: () => line.remove() }, "×");
  line.append(button);
  $("#notices").append(line);
  // An error stays until it has been read.
  if (kind === "done") setTimeout(() => line.remove(), STAYS);
  return line;
}

// Does something and tells how it ended. Returns what it gave, or undefined.
export async function told(work, success) {
  try {
    const result = await work();
    notice(typeof success === "function" ? success(result) : success);
    return result ?? true;
  } catch (error) {
    notice(error.message, "failed");
    return undefined;
  }
}
