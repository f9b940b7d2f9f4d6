// Keyboard shortcuts: single keys, except in a field that takes text.

import { enlarge } from "./large.js";
import { play, run } from "./session.js";
import { back, endStep, forward, simulation, slowMotion, stepOn } from "./stepping.js";
import { current, follows, mayChange, searchable, set, shownBest, state } from "./store.js";
import { followLine } from "./treeview.js";

const canStep = () => !state.run && searchable() && mayChange();

function playBest() {
  const best = shownBest();
  if (best) play(best.number);
}

const focusTree = () => /** @type {SVGElement | null} */ (document.querySelector('#tree [role="treeitem"]'))?.focus();

/** @type {{ key: string, shown: string, name: string, do: () => unknown }[]} */
export const KEYS = [
  { key: "r", shown: "R", name: "key_run", do: () => (state.run || (searchable() && current().proven === null)) && run() },
  { key: "s", shown: "S", name: "key_step", do: () => canStep() && stepOn() },
  { key: ".", shown: ".", name: "key_forward", do: () => canStep() && forward() },
  { key: ",", shown: ",", name: "key_back", do: () => canStep() && back() },
  {
    key: "]",
    shown: "]",
    name: "key_next",
    do: () => canStep() && simulation((state.step?.simulation ?? current().simulations) + 1),
  },
  { key: "[", shown: "[", name: "key_previous", do: () => canStep() && state.step && simulation(state.step.simulation - 1) },
  { key: "m", shown: "M", name: "key_slow", do: () => canStep() && slowMotion() },
  { key: "p", shown: "P", name: "key_play", do: playBest },
  { key: "l", shown: "L", name: "key_line", do: followLine },
  { key: "t", shown: "T", name: "key_tree_focus", do: focusTree },
  { key: "/", shown: "/", name: "key_find", do: () => document.getElementById("find")?.focus() },
  { key: "n", shown: "N", name: "key_new", do: () => set({ dialog: "setup" }) },
  { key: "c", shown: "C", name: "key_compare", do: () => set({ dialog: "compare" }) },
  { key: "o", shown: "O", name: "key_sessions", do: () => set({ dialog: "keep" }) },
  { key: "?", shown: "?", name: "key_help", do: () => set({ dialog: "help" }) },
  { key: "f", shown: "F", name: "key_large", do: () => enlarge(!state.large) },
];
const OF_FOLLOWERS = ["l", "t", "/", "?", "f"];

export function listen() {
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || !state.session || state.dialog) return;
    const target = /** @type {HTMLElement} */ (event.target);
    if (target.matches?.("input, textarea, select")) {
      if (event.key === "Escape") target.blur();
      return;
    }
    if (event.key === "Escape" && state.step) return endStep();
    if (!state.keys) return;
    const found = KEYS.find((k) => k.key === event.key.toLowerCase() || k.key === event.key);
    if (!found || (follows() && !OF_FOLLOWERS.includes(found.key))) return;
    event.preventDefault();
    found.do();
  });
}
