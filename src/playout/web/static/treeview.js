// What is opened, closed, looked for and looked at in the tree. Which nodes that shows is decided in shown.js.

import { get } from "./api.js";
import { key } from "./shown.js";
import { current, notify, set, state } from "./store.js";
import { sessionUrl } from "./urls.js";

/** @import { Refused } from "./api.js" */
/** @import { Details, Found, Line, Path, TreeNode } from "./types.js" */
/** @import { Query } from "./urls.js" */

const WIDTH = 6; // children of a node that is opened by hand
const MOST = 24; // opened nodes that are read again during a run
const AGAIN = 350; // milliseconds between those readings

/** @param {string} part @param {Query} query */
const ask = (part, query) => get(sessionUrl(current().id, part), query);

let epoch = 0; // an answer about another position's tree comes too late
export function forgetViews() {
  epoch += 1;
  set({ open: new Map(), closed: new Set(), views: new Map(), pins: new Map(), chosen: null, details: null, found: null });
}

/** A node with its children. @param {string} at @param {number} width @returns {Promise<TreeNode>} */
const readView = (at, width) => ask("tree", { path: at, depth: 1, width });

/** A node alone. @param {string} at @returns {Promise<TreeNode>} */
const readNode = (at) => ask("tree", { path: at, depth: 0 });

/** @param {unknown} thrown */
const isGone = (thrown) => /** @type {Refused} */ (thrown).code === "unknown_path";

/**
 * Looks into the tree. A path that is gone is not an error: the tree may have changed meanwhile.
 * @template T
 * @param {() => Promise<T>} action
 * @returns {Promise<T | null>}
 */
async function looking(action) {
  try {
    return await action();
  } catch (error) {
    if (!isGone(error)) notify(/** @type {Error} */ (error).message);
    return null;
  }
}

/**
 * Reads nodes again: null for what is gone, undefined for what could not be read.
 * @param {string[]} paths
 * @param {(at: string) => Promise<TreeNode>} read
 */
async function readAgain(paths, read) {
  const answers = await Promise.allSettled(paths.map(read));
  return new Map(
    paths.map((at, i) => {
      const answer = answers[i];
      return [at, answer.status === "fulfilled" ? answer.value : isGone(answer.reason) ? null : undefined];
    }),
  );
}

/**
 * Nodes with those that were read again in their place.
 * @param {Map<string, TreeNode>} old
 * @param {Map<string, TreeNode | null | undefined>} fresh
 */
function renewed(old, fresh) {
  /** @type {Map<string, TreeNode>} */
  const found = new Map();
  for (const [at, before] of old) {
    const now = fresh.get(at);
    if (now !== null) found.set(at, now ?? before);
  }
  return found;
}

let reading = false;
let again = 0;
export async function refreshViews() {
  refreshDetails(500);
  if (reading || performance.now() < again || (!state.views.size && !state.pins.size)) return;
  reading = true;
  const began = epoch;
  try {
    const views = await readAgain([...state.views.keys()].slice(-MOST), (at) => readView(at, state.open.get(at) ?? WIDTH));
    const pins = await readAgain([...state.pins.keys()].slice(-MOST), readNode);
    if (epoch === began) set({ views: renewed(state.views, views), pins: renewed(state.pins, pins) });
  } finally {
    reading = false;
    again = performance.now() + AGAIN;
  }
}

/** Shows the children of a node. @param {string} at @param {number} [width] how many of them */
export const expand = (at, width = WIDTH) =>
  looking(async () => {
    const began = epoch;
    const view = await readView(at, Math.min(400, width));
    if (epoch !== began) return;
    const closed = new Set(state.closed);
    closed.delete(at);
    set({ open: new Map(state.open).set(at, width), views: new Map(state.views).set(at, view), closed });
  });

/** Hides the children of a node. @param {string} at */
export function collapse(at) {
  const open = new Map(state.open),
    views = new Map(state.views);
  for (const other of state.open.keys()) {
    if (other !== at && !other.startsWith(`${at},`)) continue;
    open.delete(other);
    views.delete(other);
  }
  set({ open, views, closed: new Set(state.closed).add(at) });
}

/** Shows the details of a node. @param {Path} path */
export const choose = (path) => {
  set({
    chosen: path,
    details: state.details && key(state.details.path) === key(path) ? state.details : null,
    tab: "node",
    shown: null,
  });
  return refreshDetails();
};

let detailsAt = 0;
/** @param {number} [pause] milliseconds since the last time, at least */
export async function refreshDetails(pause = 0) {
  const { chosen } = state;
  if (!chosen || performance.now() - detailsAt < pause) return;
  detailsAt = performance.now();
  const began = epoch;
  /** @type {Details | null} */
  const details = await looking(() => ask("node", { path: key(chosen) }));
  if (epoch !== began) return;
  if (state.chosen === chosen) set(details ? { details } : { details, chosen: null });
}

/** Opens everything above a node, and shows it even if it is one of the rarest. @param {Path} path */
export const reveal = (path) =>
  looking(async () => {
    const closed = new Set(state.closed),
      pins = new Map(state.pins);
    const prefixes = path.map((_, i) => key(path.slice(0, i + 1)));
    const began = epoch;
    const nodes = await Promise.all(prefixes.map(readNode));
    if (epoch !== began) return;
    prefixes.forEach((at, i) => pins.set(at, nodes[i]));
    for (let i = 0; i < path.length; i++) closed.delete(key(path.slice(0, i)));
    set({ pins, closed });
    choose(path);
  });

/** Opens the expected play from the chosen node on. */
export const followLine = () =>
  looking(async () => {
    /** @type {Line} */
    const { path } = await ask("line", { path: key(state.chosen ?? []) });
    if (path.length) await reveal(path);
  });

/** @param {string} text */
export const find = (text) =>
  looking(async () => {
    if (!text.trim()) return set({ found: null });
    /** @type {Found} */
    const found = await ask("find", { text: text.trim(), limit: 20 });
    set({ found: { text, ...found } });
  });
