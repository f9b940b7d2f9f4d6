// Which nodes are drawn: what is watched live, what was opened by hand, what is pinned, and the path of a step.

/** @import { Overlay, Path, Shown, State, Step, TreeNode } from "./types.js" */

const LINE = 4; // how far the principal line is open by itself

/** A path as text. @param {Path} path */
export const key = (path) => path.join();
/** @param {string} text */
const parentOf = (text) => (text.includes(",") ? text.slice(0, text.lastIndexOf(",")) : "");

/** A node, or the nearest one above it that is shown: another line may have become the best one. @param {string} at @param {(at: string) => boolean} isShown @returns {string} */
export const nearestShown = (at, isShown) => (!at || isShown(at) ? at : nearestShown(parentOf(at), isShown));

/** @typedef {Pick<State, "tree" | "line" | "views" | "pins" | "closed" | "step">} TreeState */

/**
 * The tree to draw, most visited children first; null: there is none yet.
 * @param {TreeState} from
 * @param {Overlay | null} over what a step shows
 */
export function shownTree(from, over) {
  return from.tree ? grow(from.tree, [], true, from, over) : null;
}

const HEAD = 2, // nodes of a deep path that are shown at its beginning, the root apart
  TAIL = 3; // and at its end

/**
 * Folds the middle of a deep path, so that the root and its end are seen together. What was opened by hand there stays.
 * @param {Shown} top
 * @param {Path} path
 * @param {(at: string) => boolean} isOpened
 * @returns {Shown}
 */
export function folded(top, path, isOpened) {
  if (path.length <= HEAD + TAIL + 1) return top;
  /** @type {Shown[]} */
  const chain = [top];
  for (const number of path) {
    const next = chain.at(-1)?.children.find((child) => child.path.at(-1) === number);
    if (!next) break;
    chain.push(next);
  }
  const inner = chain.slice(HEAD + 1, chain.length - TAIL);
  if (inner.length < 2 || inner.some((shown) => isOpened(shown.at))) return top;
  const fold = { ...inner[0], fold: inner.length, children: [chain[chain.length - TAIL]], more: 0, sprouts: null };
  /** @param {Shown} shown @param {number} depth @returns {Shown} */
  const copied = (shown, depth) =>
    depth > HEAD
      ? fold
      : { ...shown, children: shown.children.map((child) => (child === chain[depth + 1] ? copied(child, depth + 1) : child)) };
  return copied(top, 0);
}

/**
 * @param {TreeNode} node
 * @param {Path} path
 * @param {boolean} principal whether the node is on the principal line
 * @param {TreeState} from
 * @param {Overlay | null} over
 * @returns {Shown}
 */
function grow(node, path, principal, from, over) {
  const at = key(path),
    view = from.views.get(at);
  const source = view ?? node,
    total = source.children.length + source.more;
  const onLine = principal && path.length < lineOf(from).length;
  const stepped = over !== null && from.step !== null && isOnPath(from.step, path);
  const pinned = [...from.pins].flatMap(([name, pin]) => (name && parentOf(name) === at ? [pin] : []));
  let children = joined(source.children, [
    onLine ? nextOnLine(from, path.length) : null,
    ...pinned,
    stepped ? steppedNode(from.step, path.length) : null,
  ]);
  const asked = view !== undefined || pinned.length > 0;
  const open = !from.closed.has(at) && children.length > 0 && (path.length === 0 || asked || stepped || (onLine && !over));
  if (stepped) children = children.filter((child) => isThere(child, key([...path, numberOf(child)]), over));
  const numbers = { ...node, ...over?.numbers.get(at) };
  if (over && numbers.visits === 0) numbers.value = null;
  return {
    node: numbers,
    path,
    at,
    total,
    open,
    principal,
    mark: over?.marks.get(at) ?? null,
    fresh: over?.fresh === at,
    children: open
      ? children.map((child) =>
          grow(child, [...path, numberOf(child)], principal && node.best_number === child.number, from, over),
        )
      : [],
    more: open ? Math.max(0, total - children.length) : 0,
    sprouts: over?.sprouts?.at === at ? over.sprouts.texts : null,
  };
}

/** The number of a child's action: only the root has none. @param {TreeNode} child */
const numberOf = (child) => /** @type {number} */ (child.number);

/** @param {TreeState} from */
const lineOf = (from) => (from.line?.path ?? []).slice(0, LINE);

/** @param {TreeState} from @param {number} depth */
function nextOnLine(from, depth) {
  const node = from.line?.nodes[depth];
  return node && node.number === lineOf(from)[depth] ? node : null;
}

/** Whether a step goes on below that node. @param {Step} step @param {Path} path */
const isOnPath = (step, path) => step.path.length > path.length && key(step.path.slice(0, path.length)) === key(path);

/** Children with others that are not among them. @param {TreeNode[]} children @param {(TreeNode | null | undefined)[]} others */
function joined(children, others) {
  const all = [...children],
    here = new Set(children.map((c) => c.number));
  for (const child of others)
    if (child && !here.has(child.number)) {
      here.add(child.number);
      all.push(child);
    }
  return all;
}

/**
 * What no simulation has passed yet is not in the tree: on the step's path it appears with the expansion.
 * @param {TreeNode} child
 * @param {string} at
 * @param {Overlay} over
 */
function isThere(child, at, over) {
  const visits = over.numbers.get(at)?.visits ?? child.visits;
  return Number(visits) > 0 || (over.grown && over.fresh === at);
}

/**
 * The child that a step took at a depth, from what the step says of it.
 * @param {Step | null} step
 * @param {number} depth
 * @returns {TreeNode | null}
 */
function steppedNode(step, depth) {
  const choice = step?.selection[depth],
    edge = choice?.edges.find((e) => e.chosen);
  if (!choice || !edge) return null;
  return {
    action: edge.action,
    number: edge.number,
    visits: edge.visits,
    value: edge.value,
    value_for: choice.player,
    proven: null,
    player: null,
    expanded: false,
    node: null,
    shared: false,
    best_number: null,
    children: [],
    more: 0,
  };
}
