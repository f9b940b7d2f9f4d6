// Which part of the tree is shown: what is watched live, what was opened by hand, and what is pinned because somebody
// looked for it.

import { get } from "./api.js";
import { overlay } from "./stepping.js";
import { notify, set, state } from "./store.js";

const WIDTH = 6; // children of a node that is opened by hand
const LINE = 4; // how far the principal line is open by itself
const MOST = 24; // opened nodes that are read again during a run
const AGAIN = 350; // milliseconds between those readings

export const key = (path) => path.join();
const pathOf = (text) => (text === "" ? [] : text.split(",").map(Number));
const root = () => `/api/sessions/${state.session.id}`;

let epoch = 0; // an answer about another position's tree comes too late
export function forgetViews() {
  epoch += 1;
  set({ open: new Map(), closed: new Set(), views: new Map(), pins: new Map(), chosen: null, details: null, found: null });
}

const readView = (at, width) => get(`${root()}/tree`, { path: at, depth: 1, width });

// Looks into the tree; a path that is not there any more is no mistake of anybody's.
async function looking(action) {
  try {
    return await action();
  } catch (error) {
    if (error.code !== "unknown_path") notify(error.message);
    return null;
  }
}

let reading = false;
let again = 0;
export async function refreshViews() {
  refreshDetails(500);
  if (reading || performance.now() < again || (!state.views.size && !state.pins.size)) return;
  reading = true;
  const began = epoch;
  // What is read again, and null for what is gone.
  const read = async (paths, ask) => {
    const answers = await Promise.allSettled(paths.map(ask));
    return new Map(
      paths.map((at, i) => [at, answers[i].value ?? (answers[i].reason.code === "unknown_path" ? null : undefined)]),
    );
  };
  const renewed = (old, fresh) =>
    new Map([...old].map(([at, node]) => [at, fresh.get(at) === undefined ? node : fresh.get(at)]).filter(([, node]) => node));
  try {
    const views = await read([...state.views.keys()].slice(-MOST), (at) => readView(at, state.open.get(at) ?? WIDTH));
    const pins = await read([...state.pins.keys()].slice(-MOST), (at) => get(`${root()}/tree`, { path: at, depth: 0 }));
    if (epoch === began) set({ views: renewed(state.views, views), pins: renewed(state.pins, pins) });
  } finally {
    reading = false;
    again = performance.now() + AGAIN;
  }
}

export const expand = (at, width = WIDTH) =>
  looking(async () => {
    const began = epoch;
    const view = await readView(at, Math.min(400, width));
    if (epoch !== began) return;
    const closed = new Set(state.closed);
    closed.delete(at);
    set({ open: new Map(state.open).set(at, width), views: new Map(state.views).set(at, view), closed });
  });

export function collapse(at) {
  const open = new Map(state.open),
    views = new Map(state.views);
  for (const other of [...open.keys()])
    if (other === at || other.startsWith(`${at},`)) (open.delete(other), views.delete(other));
  set({ open, views, closed: new Set(state.closed).add(at) });
}

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
export async function refreshDetails(pause = 0) {
  const { chosen } = state;
  if (!chosen || performance.now() - detailsAt < pause) return;
  detailsAt = performance.now();
  const began = epoch;
  const details = await looking(() => get(`${root()}/node`, { path: key(chosen) }));
  if (epoch !== began) return;
  if (state.chosen === chosen) set(details ? { details } : { details, chosen: null });
}

// Opens everything above a node, and shows it even if it is one of the rarest.
export const reveal = (path, andChoose = true) =>
  looking(async () => {
    const closed = new Set(state.closed),
      pins = new Map(state.pins);
    const prefixes = path.map((_, i) => path.slice(0, i + 1));
    const began = epoch;
    const nodes = await Promise.all(prefixes.map((p) => get(`${root()}/tree`, { path: key(p), depth: 0 })));
    if (epoch !== began) return;
    prefixes.forEach((p, i) => pins.set(key(p), nodes[i]));
    for (let i = 0; i < path.length; i++) closed.delete(key(path.slice(0, i)));
    set({ pins, closed });
    if (andChoose) choose(path);
  });

export const followLine = () =>
  looking(async () => {
    const { path } = await get(`${root()}/line`, { path: key(state.chosen ?? []) });
    if (path.length) await reveal(path);
    return path;
  });

export const find = (text) =>
  looking(async () => {
    const found = text.trim() ? { text, ...(await get(`${root()}/find`, { text: text.trim(), limit: 20 })) } : null;
    set({ found });
  });

// The shown tree: { node, path, at, children, more, open, mark… }, most visited children first.
export function shownTree() {
  if (!state.tree) return null;
  const over = overlay();
  const line = (state.line?.path ?? []).slice(0, LINE);
  const lineNodes = state.line?.nodes ?? [];
  return grow(state.tree, [], true);

  function grow(node, path, principal) {
    const at = key(path),
      view = state.views.get(at);
    const source = view ?? node;
    let children = [...(source.children ?? [])];
    const total = children.length + (source.more ?? 0);
    const here = new Set(children.map((c) => c.number));
    const add = (child) => {
      if (child && !here.has(child.number)) (here.add(child.number), children.push(child));
    };
    const onLine = principal && path.length < line.length;
    if (onLine) add(lineNodes.find((n, i) => i === path.length && n.number === line[path.length]));
    for (const [pinned, pin] of state.pins) if (pinned && key(pathOf(pinned).slice(0, -1)) === at) add(pin);
    const stepped = over && state.step.path.length > path.length && key(state.step.path.slice(0, path.length)) === at;
    if (stepped) add(fromStep(path.length));
    const asked = view || (state.pins.size && [...state.pins.keys()].some((p) => p && key(pathOf(p).slice(0, -1)) === at));
    const open =
      !state.closed.has(at) && children.length > 0 && (path.length === 0 || Boolean(asked) || stepped || (onLine && !over));
    if (stepped)
      children = children.filter(
        (c) => visitsAt(c, key([...path, c.number])) > 0 || (over.grown && over.fresh === key([...path, c.number])),
      );
    const shared = {
      node: { ...node, ...(over?.numbers.get(at) ?? {}) },
      path,
      at,
      total,
      open,
      principal,
      mark: over?.marks.get(at) ?? null,
    };
    if (over) shared.node.value = shared.node.visits === 0 ? null : shared.node.value;
    shared.fresh = over?.fresh === at;
    shared.children = open
      ? children.map((child) => grow(child, [...path, child.number], principal && node.best === child.number))
      : [];
    shared.more = open ? Math.max(0, total - children.length) : 0;
    shared.sprouts = over?.sprouts?.at === at ? over.sprouts.texts : null;
    return shared;
  }

  // What no simulation has passed yet is not in the tree: at the step's path it appears with the expansion.
  function visitsAt(child, at) {
    return over.numbers.get(at)?.visits ?? child.visits;
  }

  function fromStep(depth) {
    const choice = state.step.selection[depth];
    const edge = choice?.edges.find((e) => e.chosen);
    return (
      edge && {
        action: edge.text,
        number: edge.action,
        visits: edge.visits,
        value: edge.value,
        value_for: choice.player,
        proven: null,
        player: null,
        expanded: false,
        id: null,
        shared: false,
        best: null,
        children: [],
        more: 0,
      }
    );
  }
}
