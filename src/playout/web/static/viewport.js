// Which part of the drawn tree is in sight: moved, zoomed, fitted.

import { HEIGHT } from "./layout.js";

/** @import { Drawn, Item } from "./types.js" */

/** @typedef {{ x: number, y: number, k: number }} View where the drawing's origin stands, and its scale */
/** @typedef {{ width: number, height: number }} Size */
/** @typedef {{ x: number, y: number, apart: number }} Grip the middle of the fingers, and how far they are apart */

const LEAST = 0.15,
  MOST = 4;
const SMALLEST = 0.4; // at which texts can still be read
const PAD = 16; // around a fitted tree
const LEGEND = 22; // its height, below the tree

/** The whole tree, as far as its texts stay readable. @param {Drawn | null} drawn @param {Size} size @returns {View} */
export function fitted(drawn, size) {
  if (!drawn) return { x: 20, y: 20, k: 1 };
  const k = clamp((size.width - 2 * PAD) / drawn.width, (size.height - 2 * PAD - LEGEND) / drawn.height);
  const spareX = size.width - drawn.width * k,
    spareY = size.height - LEGEND - drawn.height * k;
  return { k, x: spareX > 2 * PAD ? Math.min(spareX / 2, 60) : PAD, y: (spareY > 0 ? spareY / 2 : PAD) + (HEIGHT / 2) * k };
}

/** @param {number[]} scales */
const clamp = (...scales) => Math.max(0.64, Math.min(1.15, ...scales));

/** Zooms about a point, which stays where it is. @param {View} view @param {number} factor @param {number} x @param {number} y */
export const zoomed = (view, factor, x, y) => rescaled(view, view.k * factor, { x, y }, { x, y });

/**
 * The view after the fingers have moved: what was between them still is.
 * @param {View} from when they began
 * @param {Grip} began
 * @param {Grip} to
 */
export const dragged = (from, began, to) =>
  rescaled(from, began.apart > 0 && to.apart > 0 ? (from.k * to.apart) / began.apart : from.k, began, to);

/**
 * @param {View} view
 * @param {number} scale
 * @param {{ x: number, y: number }} from this point
 * @param {{ x: number, y: number }} to comes here
 * @returns {View}
 */
function rescaled(view, scale, from, to) {
  const k = Math.max(LEAST, Math.min(MOST, scale));
  return { k, x: to.x - ((from.x - view.x) / view.k) * k, y: to.y - ((from.y - view.y) / view.k) * k };
}

/** @param {View} view @param {Pick<Item, "x" | "y" | "width">} item @param {Size} size */
export function isInSight(view, item, size) {
  const left = view.x + item.x * view.k,
    y = view.y + item.y * view.k;
  return left >= 0 && left + item.width * view.k <= size.width && y >= 0 && y + HEIGHT * view.k <= size.height;
}

/**
 * The view with both the root and an item in sight; null: its texts would be too small.
 * @param {Pick<Item, "x" | "y" | "width">} root
 * @param {Pick<Item, "x" | "y" | "width">} item
 * @param {Size} size
 * @returns {View | null}
 */
export function withRoot(root, item, size) {
  const wide = Math.max(item.x + item.width, root.x + root.width),
    high = Math.abs(item.y - root.y) + HEIGHT,
    room = size.height - 2 * PAD - LEGEND;
  const k = Math.min(1.15, (size.width - 2 * PAD) / wide, room / high);
  const top = Math.min(item.y, root.y) - HEIGHT / 2;
  return k < SMALLEST ? null : { k, x: PAD, y: PAD + (room - high * k) / 2 - top * k };
}

/** The view with an item in its middle. @param {View} view @param {Pick<Item, "x" | "y" | "width">} item @param {Size} size */
export const centredOn = (view, item, size) => ({
  k: view.k,
  x: size.width / 2 - (item.x + item.width / 2) * view.k,
  y: size.height / 2 - item.y * view.k,
});
