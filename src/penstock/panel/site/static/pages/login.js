// Logging in without leaving the page: a wrong password is told where it was typed.

import { $ } from "../core/dom.js";

const form = $("#login");
form.dataset.ready = ""; // from here on; before, it is sent as a form of old
form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const said = Object.fromEntries(new FormData(form));
  const answer = await fetch("/login", {
    method: "POST",
    headers: { "Content-Type": "application/json", Accept: "application/json" },
    body: JSON.stringify({ username: said.username, password: said.password }),
  }).catch(() => null);
  if (answer?.ok) return location.assign(within(said.next));
  const told = answer ? await answer.json().catch(() => ({})) : { reason: "The broker does not answer." };
  $(".refusal", form).textContent = told.reason || "That was refused.";
  $("#password").select();
  return undefined;
});

// Only a path of this site: an address elsewhere, dressed up as one of ours, is not followed.
function within(next) {
  const url = new URL(next || "/", location.origin);
  return url.origin === location.origin ? url.pathname + url.search : "/";
}
