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

/**
 * A player by number, called by the name that the game has for them: -1 is chance, lower numbers are no player.
 * @param {number | null} player
 * @param {string[]} [names]
 */
export function who(player, names = state.session?.player_names ?? []) {
  if (player === -1) return t("chance");
  if (player === null || player < -1) return t("no_player");
  return names[player] ? told(`name_${names[player]}`, names[player]) : t("player_n", { n: player + 1 });
}
