import assert from "node:assert/strict";
import { test } from "node:test";
import { settingsOf, textsOf } from "../../src/playout/web/static/gamesettings.js";

const GAME = {
  settings: [
    { name: "target", type: "integer", default: 21 },
    { name: "numbers", type: "integers", default: [1, 5, 9] },
  ],
};

test("only what differs from the game's own settings is given", () => {
  assert.deepEqual(settingsOf(GAME, {}), {});
  assert.deepEqual(settingsOf(GAME, { target: "21", numbers: "1, 5, 9" }), {});
  assert.deepEqual(settingsOf(GAME, { target: "30", numbers: "2 4;6" }), { target: 30, numbers: [2, 4, 6] });
});

test("settings go to texts and back", () => {
  const settings = { target: 30, numbers: [2, 4] };
  assert.deepEqual(settingsOf(GAME, textsOf(settings)), settings);
  assert.deepEqual(textsOf(settings), { target: "30", numbers: "2, 4" });
});

test("a text is given as it was written", () => {
  const game = { settings: [{ name: "cities", type: "text", default: "" }] };
  assert.deepEqual(settingsOf(game, { cities: "0 0; 3 4" }), { cities: "0 0; 3 4" });
  assert.deepEqual(settingsOf(game, textsOf({ cities: "" })), {});
});
