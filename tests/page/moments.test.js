import assert from "node:assert/strict";
import { test } from "node:test";
import { momentBefore, rowsOf } from "../../src/playout/web/static/moments.js";

// 0 - 1 - 2, and from 1 also 3 - 4, where the game is now; from 0 also 5.
const MOMENTS = [
  [0, null, true],
  [1, 0, true],
  [2, 1, false],
  [3, 1, true],
  [4, 3, true],
  [5, 0, false],
].map(([moment, parent, current]) => ({ moment, parent, current }));

const ids = (rows) => rows.map((row) => [row.from?.moment ?? null, row.moments.map((m) => m.moment)]);

test("the present line is the first row, other branches have rows of their own", () => {
  assert.deepEqual(ids(rowsOf(MOMENTS)), [
    [null, [0, 1, 3, 4]],
    [1, [2]],
    [0, [5]],
  ]);
});

test("a game that has not begun is one row of one moment", () => {
  assert.deepEqual(ids(rowsOf(MOMENTS.slice(0, 1))), [[null, [0]]]);
});

test("the moment before", () => {
  assert.equal(momentBefore({ moment: 4, moments: MOMENTS }), 3);
  assert.equal(momentBefore({ moment: 0, moments: MOMENTS }), null);
});
