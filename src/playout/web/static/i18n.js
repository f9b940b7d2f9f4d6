// The page's words in the language that is chosen. What a game says for itself stays in the game's own words.

import { state } from "./store.js";
import { en } from "./words/en.js";
import { zh } from "./words/zh.js";

export const dictionaries = { en, zh };

export function t(name, values = {}) {
  const text = dictionaries[state.language][name] ?? en[name] ?? name;
  return text.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
}

// A text of the server's (a setting's meaning, a game's description) where the page has it in this language, else as it came.
export const told = (name, otherwise) => dictionaries[state.language][name] ?? otherwise;
