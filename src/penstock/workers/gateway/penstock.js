// The browser's side of a Penstock gateway: one module, no dependencies.
//
//     import { connect } from "https://gateway.example/penstock.js";
//
//     const gateway = connect("wss://gateway.example/ws", { token: () => fetchToken() });
//     gateway.on("/building/upgraded", (content) => show(content));
//     const room = await gateway.join("planet:5", (message) => draw(message));
//     const chunk = await gateway.request("/starmap/getMapChunk", { sector: 0, left: -50, bottom: 250 });
//
// It reconnects by itself, to the next of the URLs if there are several, resumes after the last message that it has
// seen, and drops what comes twice. It asks again what no queue has taken yet, and what it may have missed the reply to:
// with the same ids, so that it is the same job. docs/reference/websocket.md has the protocol.

const FIRST_WAIT = 250; // ms before the first try to reconnect
const LONGEST_WAIT = 15_000;
const SILENCE = 35_000; // ms without a word, heartbeats included, after which the connection is taken for dead
const REMEMBERED = 5_000; // ids of messages that were seen
const REQUEST_TIMEOUT = 30_000; // ms
const AWAY = 503; // the broker cannot take a request now
const AGAIN = 500; // ms until it is sent again
const OPEN = "/session/open";
const FATAL = new Set([4401]); // a token that is not believed: trying again with it will not help

export class Refused extends Error {
  constructor(reply) {
    super(reply.message || `refused with status ${reply.status}`);
    this.name = "Refused";
    this.status = reply.status;
    this.content = reply.content;
  }
}

export function connect(urls, options) {
  return new Gateway([urls].flat(), options);
}

export class Gateway {
  #urls;
  #token;
  #code = crypto.randomUUID();
  #socket = null;
  #isOpen = false;
  #isClosed = false;
  #tries = 0;
  #timer = null;
  #watchdog = null;
  #mark = "";
  #seen = new Set();
  #nextId = 1;
  #pending = new Map(); // msgId → {request, resolve, reject, onProgress, isTaken, refused, timer}
  #rooms = new Map(); // room → Set of callbacks
  #handlers = new Map(); // route, or an event of our own → Set of callbacks

  // token: the token, or a function (async if it likes) that gives a fresh one for each connection.
  constructor(urls, { token }) {
    this.#urls = urls;
    this.#token = typeof token === "function" ? token : () => token;
    this.#dial();
  }

  get isOpen() {
    return this.#isOpen;
  }

  // Calls back with (content, message) for each message of a route; and for "open", "gap", "lost", "refused", "slow".
  // "gap": something may have been missed, so ask for the whole state again. Returns what ends it.
  on(route, callback) {
    return added(this.#handlers, route, callback);
  }

  // The content of the reply. Rejects with Refused, or with a timeout; a job may be done all the same then.
  request(route, content = {}, { room = "", timeout = REQUEST_TIMEOUT, onProgress = null } = {}) {
    const msgId = String(this.#nextId++);
    const request = { room, route, msgId, clientCode: this.#code, content };
    return new Promise((resolve, reject) => {
      const asked = { request, resolve, reject, onProgress, isTaken: false, refused: null };
      asked.timer = setTimeout(() => {
        this.#pending.delete(msgId);
        reject(asked.refused ?? new Error(`no reply to ${route} within ${timeout} ms`));
      }, timeout);
      this.#pending.set(msgId, asked);
      if (this.#isOpen) this.#send(request);
    });
  }

  // Joins a room and calls back with each of its messages. Resolves to what leaves it again.
  async join(room, callback) {
    const end = added(this.#rooms, room, callback);
    try {
      await this.request("/room/join", {}, { room });
    } catch (error) {
      end();
      throw error;
    }
    return async () => {
      end();
      if (!this.#rooms.has(room)) await this.request("/room/leave", {}, { room });
    };
  }

  close() {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#watchdog);
    this.#socket?.close(1000);
    for (const each of this.#pending.values()) {
      clearTimeout(each.timer);
      each.reject(new Error("the connection was closed here"));
    }
    this.#pending.clear();
  }

  // Connecting

  async #dial() {
    let token;
    try {
      token = await this.#token();
    } catch {
      this.#wait();
      return;
    }
    if (this.#isClosed) return;
    const socket = new WebSocket(this.#urls[this.#tries % this.#urls.length]);
    this.#socket = socket;
    socket.onopen = () => {
      const content = { token, mark: this.#mark, rooms: [...this.#rooms.keys()] };
      this.#send({ route: OPEN, clientCode: this.#code, content });
    };
    socket.onmessage = (event) => this.#hear(JSON.parse(event.data));
    socket.onclose = (event) => this.#lost(socket, event);
    this.#listenFor(socket);
  }

  #lost(socket, { code, reason }) {
    if (socket !== this.#socket) return;
    this.#socket = null;
    const wasOpen = this.#isOpen;
    this.#isOpen = false;
    clearTimeout(this.#watchdog);
    if (this.#isClosed) return;
    if (wasOpen) this.#tell("lost", { code, reason });
    if (FATAL.has(code) && !wasOpen) {
      this.#tell("refused", { code, reason });
      this.close();
      return;
    }
    this.#wait();
  }

  // Twice as long each time, and never the same for all: a gateway's clients do not come back in one moment.
  #wait() {
    const longest = Math.min(LONGEST_WAIT, FIRST_WAIT * 2 ** this.#tries++);
    this.#timer = setTimeout(() => this.#dial(), longest * (0.5 + Math.random() / 2));
  }

  // A connection can be dead without a word; heartbeats come every ten seconds.
  #listenFor(socket) {
    clearTimeout(this.#watchdog);
    this.#watchdog = setTimeout(() => {
      socket.close();
      this.#lost(socket, { code: 1006, reason: "no heartbeat" });
    }, SILENCE);
  }

  #send(request) {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(request));
  }

  // Hearing

  #hear(message) {
    this.#listenFor(this.#socket);
    if (message.route === OPEN) this.#opened(message);
    else if (message.id && !this.#isNew(message.id)) return;
    else if (message.msgId != null) this.#reply(message);
    else if (message.route === "/gateway/heartbeat") this.#mark = message.content.mark || this.#mark;
    else if (message.route === "/gateway/slow") this.#tell("slow", message.content);
    else this.#push(message);
  }

  #opened({ status, content }) {
    if (status !== 200) return; // the close that follows says why
    this.#tries = 0;
    this.#isOpen = true;
    this.#mark = content.mark;
    for (const [room, joined] of Object.entries(content.rooms)) if (joined !== 200) this.#rooms.delete(room);
    const isWhole = content.resumed !== "gap";
    for (const { request, isTaken } of this.#pending.values()) if (!(isTaken && isWhole)) this.#send(request);
    if (!isWhole) this.#tell("gap", content);
    this.#tell("open", content);
  }

  #isNew(id) {
    if (this.#seen.has(id)) return false;
    this.#mark = id;
    this.#seen.add(id);
    if (this.#seen.size > REMEMBERED) this.#seen.delete(this.#seen.values().next().value);
    return true;
  }

  #reply(message) {
    const msgId = String(message.msgId);
    const asked = this.#pending.get(msgId);
    if (!asked) return;
    if (message.status === 202) {
      asked.isTaken = true;
      return;
    }
    if (message.status === 102) {
      asked.onProgress?.(message.content);
      return;
    }
    if (message.status === AWAY && !message.id) {
      // The gateway's own word, and not a worker's: nothing has been done yet.
      asked.refused = new Refused(message);
      setTimeout(() => this.#pending.has(msgId) && this.#isOpen && this.#send(asked.request), AGAIN);
      return;
    }
    this.#pending.delete(msgId);
    clearTimeout(asked.timer);
    if (message.status >= 400) asked.reject(new Refused(message));
    else asked.resolve(message.content);
  }

  #push(message) {
    if (message.room) for (const callback of this.#rooms.get(message.room) ?? []) callback(message);
    this.#tell(message.route, message.content, message);
  }

  #tell(name, ...what) {
    for (const callback of this.#handlers.get(name) ?? []) callback(...what);
  }
}

function added(map, key, callback) {
  if (!map.has(key)) map.set(key, new Set());
  map.get(key).add(callback);
  return () => {
    map.get(key)?.delete(callback);
    if (map.get(key)?.size === 0) map.delete(key);
  };
}
