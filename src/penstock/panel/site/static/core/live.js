// What the page watches: one socket on which the server sends the paths whose answers have changed. The page says
// when it has shown a round, and gets no other before: a slow page skips, it never falls behind. Where no socket
// opens, the page asks by itself. While one is open it never does: answers come in one order there, and the server,
// which sends what is news to the page, must know all that the page was told.
//
//     watch(api("overview"), (answer) => show(answer), { every: 1, absent: () => sayThatItIsMissing() });

import { get, Refused, toLogin, understood } from "./api.js";

const FIRST_WAIT = 500; // ms before the first try to reconnect
const LONGEST_WAIT = 15_000;
const UNAUTHORISED = 4401;

const watched = new Map(); // path → {every, askedAt, asked, shown, show, fail}
const listeners = new Set();
let socket = null;
let tries = 0;
let poller = null;
let state = "connecting";
let pending = false;

// Calls `show` with each new answer, `fail` with each Refused; `again` shows the last answer each second, where the
// page says how long ago something was, or how long it still takes. Returns what ends it.
export function watch(where, show, { every = 1, fail = () => {}, again = false } = {}) {
  let last;
  const remember = (answer) => show((last = answer));
  const entry = { every, askedAt: -Infinity, asked: 0, shown: 0, show: remember, fail };
  const timer = again ? setInterval(() => last !== undefined && show(last), 1000) : null;
  watched.set(where, entry);
  tellSoon();
  return () => {
    clearInterval(timer);
    if (watched.get(where) !== entry) return;
    watched.delete(where);
    tellSoon();
  };
}

// Has everything looked at now instead of in the next round: after a change that the page itself has made.
export function refresh() {
  if (socket?.readyState === WebSocket.OPEN) socket.send(JSON.stringify({ again: true }));
  else for (const where of watched.keys()) ask(where);
}

// Whether what was told last still holds: an answer that does not change is not sent again.
export const isFresh = () => !document.hidden && (state === "live" || state === "polling");

// Calls back with "live", "polling" or "lost" whenever that changes.
export function onState(callback) {
  listeners.add(callback);
  callback(state);
}

function become(next) {
  if (next === state) return;
  state = next;
  for (const callback of listeners) callback(next);
}

// The socket

function dial() {
  const scheme = location.protocol === "https:" ? "wss" : "ws";
  socket = new WebSocket(`${scheme}://${location.host}/live`);
  socket.onopen = () => {
    tries = 0;
    clearInterval(poller);
    poller = null;
    become("live");
    tell();
  };
  socket.onmessage = (event) => hear(JSON.parse(event.data));
  socket.onclose = (event) => lost(event.code);
}

function lost(code) {
  socket = null;
  if (code === UNAUTHORISED) return toLogin();
  const wait = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** tries++) * (0.5 + Math.random() / 2);
  if (!poller) {
    become("lost");
    poller = setInterval(poll, 1000);
    poll();
  }
  setTimeout(dial, wait);
}

// Many watches are made in one go; the server hears of them once.
function tellSoon() {
  if (pending) return;
  pending = true;
  queueMicrotask(() => {
    pending = false;
    tell();
  });
}

// A page that nobody sees watches nothing.
function tell() {
  if (socket?.readyState !== WebSocket.OPEN) return;
  const entries = document.hidden ? [] : [...watched];
  socket.send(
    JSON.stringify({ watch: Object.fromEntries(entries.map(([where, { every }]) => [where, every])) }),
  );
}

function hear({ round, answers }) {
  for (const [where, { status, body }] of Object.entries(answers)) give(where, status, body);
  requestAnimationFrame(
    () => socket?.readyState === WebSocket.OPEN && socket.send(JSON.stringify({ seen: round })),
  );
}

function give(where, status, body) {
  const entry = watched.get(where);
  if (!entry) return;
  if (status === 401) return toLogin();
  entry.shown = ++entry.asked; // what is asked for otherwise, and still on its way, is older
  try {
    entry.show(understood(status, body));
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    entry.fail(error);
  }
}

// Without a socket

function poll() {
  if (document.hidden) return;
  const now = performance.now();
  for (const [where, entry] of watched) if (now - entry.askedAt >= entry.every * 1000) ask(where);
}

async function ask(where) {
  const entry = watched.get(where);
  const turn = ++entry.asked;
  entry.askedAt = performance.now();
  try {
    const answer = await get(where);
    if (watched.get(where) === entry && turn > entry.shown) {
      entry.shown = turn;
      entry.show(answer);
    }
    if (state !== "live") become("polling");
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    if (error.status === 0) become("lost");
    else entry.fail(error);
  }
}

document.addEventListener("visibilitychange", tell);
dial();
