// Where the cells of the whole tree stand: a row for each depth, a cell as wide as its share of the visits.

/** @import { Path, TreeMap } from "./types.js" */

/**
 * @typedef {object} Cell
 * @property {number} left from 0 to 1
 * @property {number} wide
 * @property {number} share of the root's visits
 * @property {number | null} worth
 * @property {number} valueFor
 * @property {string | null} name
 * @property {number} depth
 * @property {Path} path
 * @property {string[]} line
 */

/** In a graph the children of a shared node may have more visits than came this way: they are scaled to fit. @param {TreeMap} map */
export function placeCells(map) {
  /** @type {Cell[]} */
  const placed = [];
  /** @type {number[]} */
  const filled = []; // how far the children of each cell reach already
  const sums = new Array(map.cells.length).fill(0);
  for (const [parent, , share] of map.cells) if (parent >= 0) sums[parent] += share;
  map.cells.forEach(([parent, number, share, worth, valueFor], i) => {
    const up = parent < 0 ? null : placed[parent];
    const left = up ? filled[parent] : 0;
    const wide = up ? (up.wide * share) / Math.max(up.share, sums[parent]) : share;
    if (up) filled[parent] += wide;
    filled[i] = left;
    placed.push({
      left,
      wide,
      share,
      worth,
      valueFor,
      name: map.names[i],
      depth: up ? up.depth + 1 : 0,
      path: up ? [...up.path, number] : [],
      line: up ? [...up.line, map.names[i] ?? `#${number}`] : [],
    });
  });
  return placed;
}
