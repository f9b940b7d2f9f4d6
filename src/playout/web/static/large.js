// Full screen with large type, for a projector. Leaving the full screen makes type small again.

import { set } from "./store.js";

/** @param {boolean} large */
export async function enlarge(large) {
  set({ large });
  try {
    if (large) await document.documentElement.requestFullscreen();
    else if (document.fullscreenElement) await document.exitFullscreen();
  } catch {
    // a browser that refuses the full screen: type is large all the same
  }
}

document.addEventListener("fullscreenchange", () => document.fullscreenElement || set({ large: false }));
