// While a first search waits for the compiler, nothing comes from its session: the server is asked every second.

import { get } from "./api.js";
import { set, state } from "./store.js";
import { SERVER } from "./urls.js";

/** @import { Server } from "./types.js" */

/** @param {() => boolean} waits */
export async function tellOfCompiling(waits) {
  const aSecond = () => new Promise((resolve) => setTimeout(resolve, 1000));
  for (await aSecond(); waits(); await aSecond()) {
    /** @type {Server | null} */
    const server = await get(SERVER).catch(() => null);
    if (waits()) set({ compiling: server?.compiling ?? null });
  }
  if (state.compiling) set({ compiling: null });
}
