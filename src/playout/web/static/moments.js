// The game so far as rows of moments.

/** @import { GameSoFar, Moment } from "./types.js" */

/** @typedef {{ from: Moment | null, moments: Moment[] }} Row a branch, and the moment that it begins at */

/** Each branch is a row: the first child goes on in its parent's row, the others begin rows of their own. @param {Moment[]} moments */
export function rowsOf(moments) {
  /** @type {Map<number | null, Moment[]>} */
  const children = new Map();
  for (const m of moments) children.set(m.parent, [...(children.get(m.parent) ?? []), m]);
  /** @type {Row[]} */
  const rows = [{ from: null, moments: [] }];
  /** @param {Moment} moment @param {Moment[]} row */
  const follow = (moment, row) => {
    row.push(moment);
    const [first, ...others] = [...(children.get(moment.moment) ?? [])].sort((a, b) => Number(b.current) - Number(a.current));
    if (first) follow(first, row);
    for (const other of others) {
      /** @type {Moment[]} */
      const branch = [];
      rows.push({ from: moment, moments: branch });
      follow(other, branch);
    }
  };
  for (const start of children.get(null) ?? []) follow(start, rows[0].moments);
  return rows;
}

/** The moment before the present one; null: this is the start. @param {GameSoFar} game */
export const momentBefore = (game) => game.moments.find((m) => m.moment === game.moment)?.parent ?? null;
