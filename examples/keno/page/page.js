// keno's page: who comes in, what is asked of the game, and what is done with what it says.
//
// The state is what the game has said last. Events tell what happened, and are the occasion to ask for the state again.

import { connect } from "/penstock.js";
import { StarMap } from "./map.js";
import { Panels } from "./panels.js";

const $ = (id) => document.getElementById(id);
const KEPT = "keno"; // the session, for as long as the tab is open
const SECTOR = 0;

// What is said of an event; each is {kind, text}.
const TOLD = {
  "/building/upgraded": ({ kind, level }) => ({ kind: "upgraded", text: `The ${kind} has reached level ${level}.` }),
  "/building/worked": ({ kind, ore }) => ({ kind: "worked", text: `The ${kind} has dug ${ore} ore.` }),
  "/fleet/constructed": ({ ships }) => ({ kind: "fleet", text: `A fleet of ${count(ships)} is ready.` }),
  "/fleet/arrived": ({ ships, body_id }) => ({ kind: "fleet", text: `${cap(count(ships))} ${ships === 1 ? "has" : "have"} arrived at ${nameOf(body_id)}.` }),
};

let gateway = null;
let state = null; // the last /empire/status
let skew = 0; // seconds that the game's clock is ahead of ours
const now = () => Date.now() / 1000 + skew;
const count = (ships) => `${ships} ship${ships === 1 ? "" : "s"}`;
const cap = (text) => text[0].toUpperCase() + text.slice(1);

const map = new StarMap($("map"), {
  now,
  load: (left, bottom) => gateway.request("/starmap/getMapChunk", { sector: SECTOR, left, bottom }),
  onChoose: (star) => panels.showStar(star, state),
  onMove: (x, y) => ($("place").textContent = `${Math.round(x)}, ${Math.round(y)}`),
});
const panels = new Panels({ now, ask, onFind: ({ x, y }) => map.goTo(x, y) });

function nameOf(bodyId) {
  const mine = state?.planets.find((planet) => planet.body_id === bodyId);
  return mine?.name ?? map.planet(bodyId)?.name ?? "a far planet";
}

// Coming in

async function post(path, body) {
  const reply = await fetch(path, { method: "POST", body: JSON.stringify(body ?? {}) });
  const content = await reply.json().catch(() => ({ reason: `the game says ${reply.status}` }));
  if (!reply.ok) throw new Error(content.reason);
  return content;
}

const form = $("enter");
const isFounding = () => form.elements.way.value === "found";
let captchaId = null;

async function newCaptcha() {
  captchaId = null;
  form.elements.answer.value = "";
  const { captcha_id, image } = await post("/captchas");
  captchaId = captcha_id;
  $("captcha-image").src = image;
}

async function showWay() {
  $("captcha").hidden = !isFounding();
  form.elements.answer.required = isFounding();
  form.elements.password.autocomplete = isFounding() ? "new-password" : "current-password";
  $("enter-button").textContent = isFounding() ? "Found the empire" : "Log in";
  $("enter-error").textContent = "";
  if (isFounding() && !captchaId) await newCaptcha().catch(complain);
}

const complain = (error) => ($("enter-error").textContent = error.message);

for (const way of form.elements.way) way.addEventListener("change", showWay);
$("captcha-again").addEventListener("click", () => newCaptcha().catch(complain));

form.addEventListener("submit", async (event) => {
  event.preventDefault();
  const name = form.elements.name.value.trim();
  const password = form.elements.password.value;
  $("enter-error").textContent = "";
  $("enter-button").disabled = true;
  try {
    const session = isFounding()
      ? await post("/empires", { name, password, captcha_id: captchaId ?? "", answer: form.elements.answer.value.trim() })
      : await post("/sessions", { name, password });
    sessionStorage.setItem(KEPT, JSON.stringify(session));
    form.reset();
    play(session);
  } catch (error) {
    complain(error);
    if (isFounding()) newCaptcha().catch(complain); // one is good for one try
  } finally {
    $("enter-button").disabled = false;
  }
});

function showLobby() {
  sessionStorage.removeItem(KEPT);
  gateway?.close();
  gateway = state = captchaId = null;
  $("game").hidden = true;
  $("lobby").hidden = false;
  showWay();
  form.elements.name.focus();
}
$("leave").addEventListener("click", showLobby);

// Playing

function play(session) {
  $("lobby").hidden = true;
  $("game").hidden = false;
  $("empire").textContent = session.name;
  panels.clear();
  map.clear(session.empire_id);
  gateway = connect(session.gateways, { token: session.token });
  gateway.on("open", refresh);
  gateway.on("open", () => showLink("open", "connected"));
  gateway.on("lost", () => showLink("lost", "connecting again …"));
  gateway.on("gap", () => map.reload());
  gateway.on("refused", showLobby);
  for (const [route, tell] of Object.entries(TOLD)) {
    gateway.on(route, (content) => {
      panels.tell(tell(content), content);
      refresh();
    });
  }
  gateway.on("/planet/statistics", (row) => panels.showStatistics([{ name: nameOf(row.body_id), ...row }]));
  gateway.join(`sector:${SECTOR}`, ({ content }) => map.changed(content.left, content.bottom)).catch(panels.complain);
  gateway.request("/planet/statistics").then(({ planets }) => panels.showStatistics(planets), () => {});
}

function showLink(value, text) {
  $("link").dataset.state = value;
  $("link").textContent = text;
}

let asking = null; // one question at a time, and one more if something happened meanwhile
function refresh() {
  asking = (asking ?? Promise.resolve()).then(async () => {
    if (!gateway) return;
    const isFirst = state === null;
    try {
      state = await gateway.request("/empire/status");
    } catch (error) {
      panels.complain(error);
      return;
    }
    skew = state.now - Date.now() / 1000;
    show();
    const home = state.planets.find((planet) => planet.body_id === state.empire.home_id);
    if (isFirst && home) map.goTo(home.x, home.y);
  });
  return asking;
}

function show() {
  panels.show(state);
  map.show(state);
}

// Has the game do something; its reply is the new state of what was asked about.
async function ask(route, content) {
  try {
    const reply = await gateway.request(route, content);
    if (reply.fleet_id !== undefined) put(state.fleets, reply, "fleet_id");
    if (reply.building_id !== undefined) {
      const planet = state.planets.find((each) => each.body_id === reply.body_id);
      put(planet.buildings, reply, "building_id");
      planet.ore = reply.ore;
    } else refresh(); // a fleet's price is not in its reply
    show();
  } catch (error) {
    panels.complain(error);
  }
}

function put(list, one, key) {
  const at = list.findIndex((each) => each[key] === one[key]);
  if (at < 0) list.push(one);
  else list[at] = one;
}

$("construct").addEventListener("submit", (event) => {
  event.preventDefault();
  ask("/fleet/construct", { body_id: state.empire.home_id, ships: Number($("ships").value) });
});
$("ships").addEventListener("input", () => panels.showPrice(state));
$("home").addEventListener("click", () => {
  const home = state?.planets.find((planet) => planet.body_id === state.empire.home_id);
  if (home) map.goTo(home.x, home.y);
});
for (const button of document.querySelectorAll("[data-zoom]")) button.addEventListener("click", () => map.zoom(Number(button.dataset.zoom)));

// What is being done moves on between two messages.
setInterval(() => state && panels.tick(), 100);

const kept = sessionStorage.getItem(KEPT);
if (kept) play(JSON.parse(kept));
else showLobby();
