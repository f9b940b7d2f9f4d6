// The page's words in the language that is chosen. What a game says for itself stays in the game's own words.

import { state } from "./store.js";
import { dictionaries, translate } from "./words/translate.js";

/** @param {string} name @param {Record<string, unknown>} [values] */
export const t = (name, values) => translate(state.language, name, values);

/**
 * A game's description, where the page has it in this language, else as the server sent it.
 * @param {string} name
 * @param {string} otherwise
 */
export const told = (name, otherwise) => dictionaries[state.language][name] ?? otherwise;

/** A player by number: -1 is chance, lower numbers are no player. @param {number | null} player */
export const who = (player) =>
  player === -1 ? t("chance") : player === null || player < -1 ? t("no_player") : t("player_n", { n: player + 1 });
