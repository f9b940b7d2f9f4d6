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
