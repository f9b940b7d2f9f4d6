// While a first search waits for the compiler, or runs uncompiled until that is done: the server is asked how far it is.

import { get } from "./api.js";
import { set, state } from "./store.js";
import { SERVER } from "./urls.js";

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
    const server = await get(SERVER).catch(() => null);
    if (server && state.server && server.uncompiled !== state.server.uncompiled) set({ server });
    const passed = Math.round(server?.compiling_for ?? 0);
    if (isOn()) set({ compiling: server?.compiling ? { n: server.compiling, passed } : null });
  }
  tells = false;
  if (state.compiling) set({ compiling: null });
}

function isOn() {
  for (const waits of waiting) if (!waits()) waiting.delete(waits);
  return waiting.size > 0 || (state.server?.uncompiled ?? false);
}
