// The management API, asked with the session's cookie. A change carries the session's token beside it, so that no
// other page can make one. Errors are the broker's own sentence.

import { path } from "./dom.js";

const CHANGES = new Set(["POST", "PUT", "DELETE", "PATCH"]);

export class Refused extends Error {
  constructor(status, reason) {
    super(reason);
    this.name = "Refused";
    this.status = status;
  }

  // The broker that was asked knows no such thing.
  get isAbsent() {
    return this.status === 404 || this.status === 501;
  }
}

// api("queues", "/", "orders", { columns: "name" }) → "/api/queues/%2F/orders?columns=name"
export function api(...names) {
  const last = names.at(-1);
  const query = typeof last === "object" ? new URLSearchParams(last).toString() : "";
  const parts = typeof last === "object" ? names.slice(0, -1) : names;
  return `/api${path(...parts)}${query && `?${query}`}`;
}

// Ours, where RabbitMQ has none.
export const own = (...names) => api("penstock", ...names);

export const get = (where) => asked("GET", where);
// The answer, and what one of its headers says of it.
export const getWith = async (where, header) => {
  const answer = await sent("GET", where);
  return [await read(answer), answer.headers.get(header)];
};
export const post = (where, body = {}) => asked("POST", where, body);
export const put = (where, body = {}) => asked("PUT", where, body);
export const remove = (where, headers = {}) => asked("DELETE", where, undefined, headers);

// The list in an answer, whether it came alone or as a page of a longer one.
export const rowsIn = (answer) => (Array.isArray(answer) ? answer : (answer?.items ?? []));

// What an answer's status and body mean: the body, or Refused.
export function understood(status, body) {
  if (status >= 200 && status < 300) return body;
  throw new Refused(status, body?.reason || body?.error || `the broker answered with status ${status}`);
}

export function toLogin() {
  const next = location.pathname + location.search;
  location.assign(`/login?next=${encodeURIComponent(next)}`);
}

const asked = async (...what) => read(await sent(...what));

async function sent(verb, where, body, more = {}) {
  const headers = { ...more, Accept: "application/json" };
  if (CHANGES.has(verb)) headers["X-CSRF-Token"] = token();
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const answer = await fetch(where, {
    method: verb,
    headers,
    credentials: "same-origin",
    body: body === undefined ? undefined : JSON.stringify(body),
  }).catch(() => {
    throw new Refused(0, "The broker does not answer: is it running?");
  });
  if (answer.status === 401) toLogin();
  return answer;
}

const read = async (answer) => understood(answer.status, await content(answer));

async function content(answer) {
  const text = await answer.text();
  try {
    return text ? JSON.parse(text) : null;
  } catch {
    return { reason: text.slice(0, 300) };
  }
}

function token() {
  const found = document.cookie.split("; ").find((each) => each.startsWith("penstock_csrf="));
  return found ? decodeURIComponent(found.slice("penstock_csrf=".length)) : "";
}
