// What every page has: the theme's switch, the way out, whether it is live, and where its content goes.

import { post } from "./api.js";
import { $, fill, h, say } from "./dom.js";
import { onState } from "./live.js";
import "./keys.js";

const STATES = {
  connecting: "Connecting…",
  live: "Live",
  polling: "Live, asked every second",
  lost: "Not connected",
};

export const content = $("#content");

export function title(text) {
  say($("h1"), text);
  document.title = `${text} · Penstock`;
}

// Where a resource is not there, the page says so in one sentence, and nothing else.
export function absent(what) {
  return (error) => {
    const sentence = error.isAbsent ? `This broker cannot tell about ${what}.` : error.message;
    fill(content, h("p", { class: "absent", role: "status" }, sentence));
  };
}

// A part of a page under a heading.
export function section(heading, ...children) {
  const id = `part-${heading.toLowerCase().replaceAll(/[^a-z]+/g, "-")}`;
  return h("section", { "aria-labelledby": id }, h("h2", { id }, heading), children);
}

// Names and values, as a list of terms.
export function facts(pairs) {
  const told = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return h(
    "dl",
    { class: "facts" },
    told.map(([name, value]) => h("div", {}, h("dt", {}, name), h("dd", {}, value))),
  );
}

function startTheme() {
  const select = $("#theme");
  select.value = document.documentElement.dataset.theme;
  select.addEventListener("change", () => {
    document.documentElement.dataset.theme = select.value;
    localStorage.setItem("theme", select.value);
  });
}

function startState() {
  const place = $("#state");
  onState((state) => {
    place.dataset.state = state;
    say(place, STATES[state]);
  });
}

function startLogout() {
  $("#logout").addEventListener("click", async () => {
    await post("/logout").catch(() => {}); // whoever is out already is out
    location.assign("/login");
  });
}

startTheme();
startState();
startLogout();
