// The server's HTTP interface (docs/http.md) and its live socket. What comes back is as `types.d.ts` says; nothing checks it.

import { liveUrl, withQuery } from "./urls.js";

/** @import { Query } from "./urls.js" */
/** @import { LiveMessage, Problem } from "./types.js" */

/** What the server refused, and why. */
export class Refused extends Error {
  /** @param {number} status @param {string} code @param {string} message */
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** @param {Response} response @returns {Promise<any>} */
async function answer(response) {
  if (response.status === 204) return null;
  const body = await response.json().catch(() => null);
  if (response.ok) return body;
  /** @type {Partial<Problem>} */
  const problem = body ?? {};
  throw new Refused(response.status, problem.code ?? "unknown", problem.detail ?? `${response.status} ${response.statusText}`);
}

/**
 * A session that is being brought back, or a server that is compiling a game for the first time, says when to try again.
 * @param {string} path
 * @param {RequestInit} [options]
 */
async function send(path, options) {
  for (let attempt = 0; ; attempt++) {
    let response;
    try {
      response = await fetch(path, options);
    } catch {
      throw new Refused(0, "offline", "The server does not answer.");
    }
    if (!response.headers.has("Retry-After") || attempt === 12) return answer(response);
    await new Promise((done) => setTimeout(done, Math.min(2000, 300 * (attempt + 1))));
  }
}

/** Who sends what changes a session: a secret of this page, where a page leads. */
export const identity = { page: "" };

/** @returns {Record<string, string>} */
const named = () => (identity.page ? { "Playout-Page": identity.page } : {});

const withBody =
  (/** @type {string} */ method) =>
  (/** @type {string} */ path, /** @type {object} */ body = {}) =>
    send(path, { method, headers: { "Content-Type": "application/json", ...named() }, body: JSON.stringify(body) });

/** @param {string} path @param {Query} [query] */
export const get = (path, query) => send(withQuery(path, query));
export const post = withBody("POST");
export const patch = withBody("PATCH");
export const put = withBody("PUT");
/** @param {string} path */
export const remove = (path) => send(path, { method: "DELETE", headers: named() });
/** @param {string} path @param {Blob} file */
export const upload = (path, file) =>
  send(path, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });

/** The live socket of one session: it comes back by itself after a break, and says again what is watched. */
export class Live {
  /**
   * @param {string} id
   * @param {(message: LiveMessage) => void} hear called with each message
   * @param {(connected: boolean) => void} [tell] called when the connection comes or breaks
   */
  constructor(id, hear, tell) {
    this.id = id;
    this.hear = hear;
    this.tell = tell;
    /** @type {object | null} */
    this.watched = null;
    this.tries = 0;
    this.closed = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** @type {WebSocket} */
    this.socket = this.open();
  }

  /** @returns {WebSocket} */
  open() {
    this.socket = new WebSocket(liveUrl(this.id, location));
    this.socket.onopen = () => {
      this.tries = 0;
      this.tell?.(true);
      if (this.watched) this.send(this.watched);
    };
    this.socket.onmessage = (event) => this.hear(JSON.parse(event.data));
    this.socket.onclose = (event) => {
      if (this.closed) return;
      if (event.code === 4404) return this.hear({ type: "deleted" });
      this.tell?.(false);
      if (event.code >= 4400 && event.code < 4500) return; // refused for good
      this.tries += 1;
      this.timer = setTimeout(() => this.open(), Math.min(5000, 300 * this.tries));
    };
    return this.socket;
  }

  /** @param {object} message */
  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  /** Says what updates should show. @param {object} what */
  watch(what) {
    const message = { type: "watch", ...what };
    if (JSON.stringify(message) === JSON.stringify(this.watched)) return;
    this.watched = message;
    this.send(message);
  }

  /** Asks for an update at once. */
  again() {
    if (this.watched) this.send(this.watched);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket.close();
  }
}
