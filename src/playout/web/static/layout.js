// Where the shown nodes stand: the root at the left, a column for each depth, a row for each leaf.

import { PROOF_SIGNS, count, value } from "./format.js";

/** @import { Drawn, Item, Shown, TreeNode } from "./types.js" */

export const ROW = 25,
  HEIGHT = 21,
  GAP = 22;
const SPROUTS = 8;

/** @param {string} text @param {number} [most] */
export const shorten = (text, most = 18) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);

/**
 * @typedef {object} Names
 * @property {string} root the word for it
 * @property {(n: number) => string} more the words for what is not shown
 * @property {(n: number) => string} fold the words for the folded nodes of a deep path
 * @property {(node: TreeNode) => Worth} worth a node's value as it is shown
 */
/** @typedef {{ value: number | null, proof: "win" | "loss" | "draw" | "exact" | null }} Worth */
/** @typedef {(text: string, font: string) => number} TextWidth */

/**
 * @param {Shown} top
 * @param {Names} names
 * @param {TextWidth} textWidth
 * @returns {Drawn}
 */
export function layout(top, names, textWidth) {
  /** @type {Item[]} */
  const items = [];
  /** @type {number[]} */
  const columns = []; // the width of each depth
  let rows = 0;

  /** @param {Item} item @param {number} depth */
  function place(item, depth) {
    item.width = widthOf(item, textWidth);
    item.depth = depth;
    columns[depth] = Math.max(columns[depth] ?? 0, item.width);
    items.push(item);
    for (const child of item.children) place(child, depth + 1);
    const first = item.children[0],
      last = item.children.at(-1);
    item.row = first && last ? (first.row + last.row) / 2 : rows++;
  }

  place(itemOf(top, null, names), 0);
  const lefts = [0];
  columns.forEach((wide, depth) => (lefts[depth + 1] = lefts[depth] + wide + GAP));
  for (const item of items) {
    item.x = lefts[item.depth];
    item.y = item.row * ROW;
  }
  return { items, width: lefts[columns.length] - GAP, height: (rows - 1) * ROW + HEIGHT };
}

/** @param {Item} item @param {TextWidth} textWidth */
function widthOf(item, textWidth) {
  if (item.kind !== "node") return 16 + textWidth(item.label, "12px");
  const label = textWidth(item.label, "650 12px"),
    numbers = textWidth(item.numbers, item.proof ? "650 11px" : "11px");
  return 26 + label + 8 + numbers + 14 + (item.shared ? 14 : 0);
}

/**
 * A node with all that is drawn below it, not placed yet.
 * @param {Shown} shown
 * @param {Item | null} parent
 * @param {Names} names
 */
function itemOf(shown, parent, names) {
  const { node } = shown,
    worth = names.worth(node);
  const item = unplaced("node", shown.path.length ? (node.action ?? String(node.number)) : names.root, shown.at, {
    path: shown.path,
    parent,
    shown,
    visits: node.visits,
    value: worth.value,
    proof: worth.proof,
    shared: Boolean(node.shared),
    node: node.node,
    numbers: `${count(node.visits)} · ${worth.proof ? PROOF_SIGNS[worth.proof] : ""}${value(worth.value)}`,
    closed: !shown.open && shown.total > 0,
  });
  if (shown.fold) Object.assign(item, { label: names.fold(shown.fold), numbers: "", fold: shown.fold, closed: false });
  item.children = shown.children.map((child) => itemOf(child, item, names));
  addExtras(item, shown, names);
  return item;
}

/**
 * What stands below a node beside its children: new actions of a step, or how many children are not shown.
 * @param {Item} item
 * @param {Shown} shown
 * @param {Names} names
 */
function addExtras(item, shown, names) {
  /** @param {"sprout" | "more"} kind @param {string} label @param {Partial<Item>} [rest] */
  const add = (kind, label, rest = {}) =>
    item.children.push(
      unplaced(kind, label, `${shown.at}/${kind}${item.children.length}`, { path: shown.path, parent: item, ...rest }),
    );
  const { sprouts } = shown;
  if (sprouts) {
    for (const text of sprouts.slice(0, SPROUTS)) if (!shown.children.some((c) => c.node.action === text)) add("sprout", text);
    if (sprouts.length > SPROUTS) add("sprout", names.more(sprouts.length - SPROUTS));
  } else if (shown.more > 0) add("more", names.more(shown.more), { shownCount: shown.children.length, more: shown.more });
}

/**
 * @param {Item["kind"]} kind
 * @param {string} label
 * @param {string} at
 * @param {Partial<Item>} rest
 * @returns {Item}
 */
const unplaced = (kind, label, at, rest) => ({
  kind,
  at,
  label: shorten(label),
  path: [],
  parent: null,
  children: [],
  shown: null,
  visits: 0,
  value: null,
  proof: null,
  shared: false,
  node: null,
  closed: false,
  more: 0,
  shownCount: 0,
  numbers: "",
  width: 0,
  depth: 0,
  row: 0,
  x: 0,
  y: 0,
  ...rest,
});
