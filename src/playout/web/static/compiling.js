// While a first search waits for the compiler, runs uncompiled until that is done, or is read from disk: the
// server is asked how far it is.

import { get } from "./api.js";
import { set, state } from "./store.js";
import { SERVER, sessionNamed } from "./urls.js";

/** @import { Server } from "./types.js" */

const EVERY = 500; // milliseconds

/** @type {Set<() => boolean>} */
const waiting = new Set();
let tells = false;

/** @param {() => boolean} waits whether something waits for the compiler still */
export async function tellOfCompiling(waits) {
  waiting.add(waits);
  if (tells) return;
  tells = true;
  const aWhile = () => new Promise((resolve) => setTimeout(resolve, EVERY));
  for (await aWhile(); isOn(); await aWhile()) {
    /** @type {Server | null} */
    const server = await get(SERVER, { session: sessionNamed(location.pathname) ?? undefined }).catch(() => null);
    if (server && state.server && server.uncompiled !== state.server.uncompiled) set({ server });
    const passed = Math.round(server?.compiling_for ?? 0);
    const compiling = server?.compiling ? { n: server.compiling, passed } : null;
    if (isOn()) set({ compiling, restoring: server?.restoring ?? null });
  }
  tells = false;
  if (state.compiling || state.restoring !== null) set({ compiling: null, restoring: null });
}

function isOn() {
  for (const waits of waiting) if (!waits()) waiting.delete(waits);
  return waiting.size > 0 || (state.server?.uncompiled ?? false);
}
