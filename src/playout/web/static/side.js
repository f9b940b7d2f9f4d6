// Whose values a view shows. Where one player's gain is the other's loss, all values on the page are for the player who moves
// at the root, so that no number changes its sign from node to node; elsewhere each is for the player who chose the move.

import { state } from "./store.js";

/** @import { Range, Score, Session, WinDrawLoss } from "./types.js" */

/** @typedef {Pick<Session, "zero_sum" | "position">} Sides */

/** The player whose values are shown; null: of each number its own. @param {Sides | null} [session] */
export const viewer = (session = state.session) => (session?.zero_sum ? Math.max(0, session.position.player) : null);

/** Whom a number of that player is shown for. @param {number} player */
export const shownFor = (player) => viewer() ?? player;

/** @param {number} player @param {Sides | null} session */
const isTurned = (player, session) => viewer(session) !== null && Math.max(0, player) !== viewer(session);

/**
 * A value of that player, as it is shown.
 * @template {Score | undefined} T
 * @param {T} value
 * @param {number} player
 * @param {Sides | null} [session]
 * @returns {T}
 */
export function turned(value, player, session = state.session) {
  if (!isTurned(player, session) || value === null || value === undefined) return value;
  if (typeof value === "number") return /** @type {T} */ (value === 0 ? 0 : -value);
  return /** @type {T} */ (value === "infinity" ? "-infinity" : "infinity");
}

/** @param {Range | null | undefined} interval @param {number} player @returns {Range | null} */
export const turnedInterval = (interval, player) =>
  interval && isTurned(player, state.session) ? [-interval[1], -interval[0]] : (interval ?? null);

/** @param {WinDrawLoss | null} wdl @param {number} player @returns {WinDrawLoss | null} */
export const turnedResults = (wdl, player) => (wdl && isTurned(player, state.session) ? [wdl[2], wdl[1], wdl[0]] : wdl);

/**
 * What an exact value says to the player whom it is shown for, where the game's range tells.
 * @param {number | null | undefined} proven
 * @param {Pick<Session, "range" | "players"> | null} [session]
 * @returns {"win" | "loss" | "draw" | "exact" | null}
 */
export function proofOf(proven, session = state.session) {
  if (proven === null || proven === undefined) return null;
  if (!session?.range || session.players < 2) return "exact";
  const [least, most] = session.range;
  if (proven >= most - 1e-9) return "win";
  if (proven <= least + 1e-9) return "loss";
  return session.players === 2 && Math.abs(proven - (least + most) / 2) < 1e-9 ? "draw" : "exact";
}
