// The page's words in a language.

import { en } from "./en.js";
import * as teaching from "./teaching.js";
import { zh } from "./zh.js";

/** @import { LanguageName } from "../types.js" */

/** @type {Record<LanguageName, Record<string, string>>} */
export const dictionaries = { en: { ...en, ...teaching.en }, zh: { ...zh, ...teaching.zh } };

/**
 * The words of that name, filled in; in English where the language lacks them.
 * @param {LanguageName} language
 * @param {string} name
 * @param {Record<string, unknown>} [values]
 */
export function translate(language, name, values = {}) {
  const text = dictionaries[language][name] ?? dictionaries.en[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
}
