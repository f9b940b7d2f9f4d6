// The server's HTTP interface (docs/http.md) and its live socket.

export class Refused extends Error {
  constructor(status, code, message) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

async function answer(response) {
  if (response.status === 204) return null;
  const body = await response.json().catch(() => null);
  if (response.ok) return body;
  const error = body?.error ?? { code: "unknown", message: `${response.status} ${response.statusText}` };
  throw new Refused(response.status, error.code, error.message);
}

// A session that is being brought back, or a server that is compiling a game for the first time, says when to try again.
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

const withBody =
  (method) =>
  (path, body = {}) =>
    send(path, { method, headers: { "Content-Type": "application/json" }, body: JSON.stringify(body) });

export const get = (path, query = {}) => {
  const given = Object.entries(query).filter(([, value]) => value !== null && value !== undefined);
  return send(given.length ? `${path}?${new URLSearchParams(given)}` : path);
};
export const post = withBody("POST");
export const patch = withBody("PATCH");
export const remove = (path) => send(path, { method: "DELETE" });
export const upload = (path, file) =>
  send(path, { method: "POST", headers: { "Content-Type": "application/octet-stream" }, body: file });

// The live socket of one session: it comes back by itself after a break, and says again what is watched.
export class Live {
  constructor(id, hear, tell) {
    this.id = id;
    this.hear = hear; // called with each message
    this.tell = tell; // called with true (connected) or false
    this.watched = null;
    this.tries = 0;
    this.open();
  }

  open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/api/sessions/${this.id}/live`);
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
  }

  send(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }

  watch(what) {
    const message = { type: "watch", ...what };
    if (JSON.stringify(message) === JSON.stringify(this.watched)) return;
    this.watched = message;
    this.send(message);
  }

  // Asks for an update at once.
  again() {
    if (this.watched) this.send(this.watched);
  }

  close() {
    this.closed = true;
    clearTimeout(this.timer);
    this.socket.close();
  }
}
