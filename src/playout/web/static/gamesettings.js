// The settings of a game as texts, and back.

/** @import { Game, GameSetting } from "./types.js" */

/** @param {GameSetting["default"]} value */
export const textOf = (value) => (Array.isArray(value) ? value.join(", ") : String(value));

/** @param {Record<string, GameSetting["default"]>} settings */
export const textsOf = (settings) => Object.fromEntries(Object.entries(settings).map(([name, value]) => [name, textOf(value)]));

/** @param {GameSetting} setting */
export const takesList = (setting) => setting.type === "integers" || setting.type === "numbers";

/** The settings that differ from the game's own. @param {Pick<Game, "settings">} game @param {Record<string, string | undefined>} texts */
export function settingsOf(game, texts) {
  /** @type {Record<string, number | number[] | string>} */
  const found = {};
  for (const setting of game.settings) {
    const text = texts[setting.name];
    if (text === undefined || text === textOf(setting.default)) continue;
    if (setting.type === "text") {
      found[setting.name] = text;
      continue;
    }
    found[setting.name] = takesList(setting)
      ? text
          .split(/[\s,;]+/)
          .filter(Boolean)
          .map(Number)
      : Number(text);
  }
  return found;
}
