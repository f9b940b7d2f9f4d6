import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { state } = await import("../../src/playout/web/static/store.js");
const { t, told, who } = await import("../../src/playout/web/static/i18n.js");

test("texts are in the language that is chosen", () => {
  state.language = "en";
  assert.equal(t("run"), "Run");
  assert.deepEqual([who(0), who(-1), who(-4), who(null)], ["player 1", "chance", "no player", "no player"]);
  state.language = "zh";
  assert.equal(t("run"), "运行");
  assert.deepEqual([who(1), who(-1)], ["玩家 2", "随机"]);
});

test("what the server tells stays as it came where the page has no words for it", () => {
  state.language = "en";
  assert.equal(told("game_chess", "Chess."), "Chess.");
  state.language = "zh";
  assert.match(told("game_chess", "Chess."), /国际象棋/);
  assert.equal(told("game_of_your_own", "Mine."), "Mine.");
});
