import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { test } from "node:test";
import { dictionaries, translate } from "../../src/playout/web/static/words/translate.js";

const { en, zh } = dictionaries;
// What games are about: in English the server tells that.
const isTold = (name) => name.startsWith("game_") && !(name in en);
const placeholders = (text) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort();

const STATIC = new URL("../../src/playout/web/static/", import.meta.url);
const sources = readdirSync(STATIC, { recursive: true })
  .filter((name) => name.endsWith(".js") && !/^(vendor|words)/.test(name))
  .map((name) => readFileSync(new URL(name, STATIC), "utf8"))
  .join("\n");

test("both languages have the same names", () => {
  const named = Object.keys(zh).filter((name) => !isTold(name));
  assert.deepEqual(named.sort(), Object.keys(en).sort());
});

test("both languages fill in the same values", () => {
  for (const [name, text] of Object.entries(en)) assert.deepEqual(placeholders(zh[name]), placeholders(text), name);
});

test("no text is empty, and no Chinese one is left in English", () => {
  for (const [name, text] of Object.entries(en)) assert.ok(text.trim() && zh[name].trim(), name);
  for (const [name, text] of Object.entries(zh)) assert.match(text, /[\u4e00-\u9fff]/, name);
});

test("every name that the page asks for by itself is there", () => {
  const asked = [...sources.matchAll(/\bt\("(\w+)"/g)].map(([, name]) => name);
  assert.ok(asked.length > 100);
  assert.deepEqual(
    asked.filter((name) => !(name in en)),
    [],
  );
});

test("every text is used", () => {
  const prefixes = [...sources.matchAll(/`(\w+)_\$\{/g)].map(([, prefix]) => `${prefix}_`);
  const isUsed = (name) => sources.includes(`"${name}"`) || prefixes.some((p) => name.startsWith(p)) || /_title$/.test(name);
  assert.deepEqual(
    Object.keys(en).filter((name) => !isUsed(name)),
    [],
  );
});

test("values are filled in, unknown ones stay, unknown names are shown as they are", () => {
  assert.equal(translate("en", "player_n", { n: 2 }), "player 2");
  assert.equal(translate("zh", "player_n", { n: 2 }), "玩家 2");
  assert.equal(translate("en", "player_n"), "player {n}");
  assert.equal(translate("zh", "no such name"), "no such name");
  assert.equal(translate("en", "compare_note", { game: "{game}" }).includes("{game}"), true);
});
