// Where a move can be clicked on the drawing, for the games whose drawings have squares: in shares of the drawing's width and
// height. A move is one square, or from one to another.

/** @typedef {{ x: number, y: number, w: number, h: number, name?: string }} Square */

/**
 * @param {number} wide of the drawing
 * @param {number} high
 * @param {number} left of the first square
 * @param {number} top
 * @param {number} cell the side of a square
 * @param {number} column
 * @param {number} row
 */
const grid = (wide, high, left, top, cell, column, row) => ({
  x: (left + column * cell) / wide,
  y: (top + row * cell) / high,
  w: cell / wide,
  h: cell / high,
});

/** @type {Record<string, (text: string) => Square[] | null>} */
const GAMES = {
  tictactoe: (text) => {
    const cell = Number(text) - 1;
    return [grid(120, 120, 0, 0, 40, cell % 3, Math.floor(cell / 3))];
  },
  connect4: (text) => [{ x: (4 + 40 * (Number(text) - 1)) / 288, y: 0, w: 40 / 288, h: 248 / 270 }],
  othello: (text) =>
    /^[a-h][1-8]$/.test(text) ? [grid(288, 298, 16, 16, 32, text.charCodeAt(0) - 97, Number(text[1]) - 1)] : null,
  chess: (text) => {
    const square = (/** @type {string} */ name) => ({
      name,
      ...grid(396, 422, 18, 18, 45, name.charCodeAt(0) - 97, 8 - Number(name[1])),
    });
    return /^[a-h][1-8][a-h][1-8]/.test(text) ? [square(text.slice(0, 2)), square(text.slice(2, 4))] : null;
  },
};

/** Whether squares show their moves: the drawing itself has no coordinates. @param {string} game */
export const isNumbered = (game) => game === "tictactoe";

/** The squares of a move: one, two (from, to), or null where the drawing has none. @param {string} game @param {string} text */
export function squaresOf(game, text) {
  const squares = GAMES[game]?.(text) ?? null;
  return squares && squares.every((s) => Number.isFinite(s.x)) ? squares : null;
}

/** @typedef {{ action: string, share: number, best: boolean, x1: number, y1: number, x2: number, y2: number, left: number, top: number, width: number, head: string }} Arrow */

const ARROWS = 4; // on one board
const LEAST = 0.03; // share of the visits that gets an arrow

/**
 * Arrows for the most visited moves from one square to another, in percent of the drawing. Of moves between the same squares,
 * as promotions are, the shares are added.
 * @param {{ action: string, number: number, squares: Square[] }[]} moves
 * @param {Map<number, number>} shares
 * @returns {Arrow[]}
 */
export function arrowsOf(moves, shares) {
  /** @type {Map<string, { action: string, share: number, squares: Square[] }>} */
  const found = new Map();
  for (const { action, number, squares } of moves) {
    const name = `${squares[0].name}${squares[1].name}`,
      share = shares.get(number) ?? 0;
    const before = found.get(name);
    if (before) before.share += share;
    else found.set(name, { action, share, squares });
  }
  const ranked = [...found.values()].filter((m) => m.share >= LEAST).sort((a, b) => b.share - a.share);
  return ranked.slice(0, ARROWS).map(({ action, share, squares: [from, to] }, i) => {
    const [x1, y1, x, y] = [from.x + from.w / 2, from.y + from.h / 2, to.x + to.w / 2, to.y + to.h / 2].map((v) => 100 * v);
    const long = Math.hypot(x - x1, y - y1) || 1,
      width = 0.8 + 2.2 * share,
      [dx, dy] = [(x - x1) / long, (y - y1) / long],
      tip = 2.2 + 1.6 * width;
    const [x2, y2] = [x - dx * tip, y - dy * tip];
    const corners = [
      [x, y],
      [x2 - dy * tip * 0.6, y2 + dx * tip * 0.6],
      [x2 + dy * tip * 0.6, y2 - dx * tip * 0.6],
    ];
    const head = corners.map((corner) => corner.map((v) => v.toFixed(2)).join()).join(" ");
    const [left, top] = [x + dx * 5, y + dy * 5].map((v) => Math.min(95, Math.max(5, v))); // the share stands past the tip
    return { action, share, best: i === 0, x1, y1, x2, y2, left, top, width, head };
  });
}
