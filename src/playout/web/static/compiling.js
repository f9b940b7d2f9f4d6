// While a first search waits for the compiler, nothing comes from its session: the server is asked how far it is.

import { get } from "./api.js";
import { set, state } from "./store.js";
import { SERVER } from "./urls.js";

/** @import { Server } from "./types.js" */

const EVERY = 500; // milliseconds

/** @param {() => boolean} waits */
export async function tellOfCompiling(waits) {
  const aWhile = () => new Promise((resolve) => setTimeout(resolve, EVERY));
  for (await aWhile(); waits(); await aWhile()) {
    /** @type {Server | null} */
    const server = await get(SERVER).catch(() => null);
    const passed = Math.round(server?.compiling_for ?? 0);
    if (waits()) set({ compiling: server?.compiling ? { n: server.compiling, passed } : null });
  }
  if (state.compiling) set({ compiling: null });
}
