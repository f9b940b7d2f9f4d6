import "./browser.js";
import assert from "node:assert/strict";
import { test } from "node:test";

const { state } = await import("../../src/playout/web/static/store.js");
const { choiceOf, given, valueOf } = await import("../../src/playout/web/static/components/options.js");

const setting = (name, rest = {}) => ({
  name,
  meaning: "",
  words: [],
  number: "number",
  default: "1",
  defaults: {},
  part: name,
  kinds: [],
  ...rest,
});
state.presets = [{ preset: "default", description: "", translations: {}, options: { policy: "uct", c: "1.4", solver: "on" } }];
state.settings = [
  setting("policy", { words: ["uct", "puct"], default: "uct" }),
  setting("c", { part: "policy", kinds: ["uct", "puct"], defaults: { uct: "1.4", puct: "2.5" } }),
  setting("base", { part: "policy", kinds: ["puct"], defaults: { puct: "19652" } }),
  setting("solver", { words: ["on", "off"], default: "on" }),
];
const choice = (options = {}, seed = null) => ({ preset: "default", options, seed });

test("a setting is what was chosen, else what its part has by default, else the preset's", () => {
  assert.equal(valueOf(choice({ c: "3" }), "c"), "3");
  assert.equal(valueOf(choice(), "c"), "1.4");
  assert.equal(valueOf(choice({ policy: "puct" }), "c"), "2.5");
});

test("only what differs and counts is sent", () => {
  assert.deepEqual(given(choice({ c: "1.4", solver: "off" })), { preset: "default", options: { solver: "off" } });
  assert.deepEqual(given(choice({ base: "5" })).options, {}, "it only counts with puct");
  assert.deepEqual(given(choice({ policy: "puct", base: "5" })).options, { policy: "puct", base: "5" });
});

test("a seed is sent as a number, or left to the server", () => {
  assert.equal(given(choice({}, "7")).seed, 7);
  assert.equal("seed" in given(choice({}, "")), false);
});

test("the choice of a session names what was changed", () => {
  const session = { preset: "default", changed: ["c"], options: { c: "2", policy: "uct" }, seed: 4 };
  assert.deepEqual(choiceOf(session), { preset: "default", options: { c: "2" }, seed: 4 });
});
