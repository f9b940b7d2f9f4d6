import assert from "node:assert/strict";
import { test } from "node:test";
import { placeCells } from "../../src/playout/web/static/cells.js";

test("children stand side by side below their parent, as wide as their shares", () => {
  const cells = placeCells({
    visits: 8,
    cells: [
      [-1, -1, 1, 0, 0],
      [0, 3, 0.5, 0.1, 0],
      [0, 4, 0.25, 0.2, 0],
      [1, 6, 0.25, 0.3, 1],
    ],
    names: [null, "d", null, "g"],
  });
  assert.deepEqual(
    cells.map((c) => [c.left, c.wide, c.depth, c.path, c.line]),
    [
      [0, 1, 0, [], []],
      [0, 0.5, 1, [3], ["d"]],
      [0.5, 0.25, 1, [4], ["#4"]],
      [0, 0.25, 2, [3, 6], ["d", "g"]],
    ],
  );
});

test("children with more visits than came this way are scaled to fit", () => {
  const cells = placeCells({
    visits: 8,
    cells: [
      [-1, -1, 1, 0, 0],
      [0, 0, 0.5, 0, 0],
      [1, 0, 0.6, 0, 0],
      [1, 1, 0.4, 0, 0],
    ],
    names: [null, "a", "b", "c"],
  });
  const [, parent, one, two] = cells;
  assert.ok(Math.abs(one.wide - 0.3) < 1e-12 && Math.abs(two.wide - 0.2) < 1e-12);
  assert.ok(two.left + two.wide <= parent.left + parent.wide + 1e-12);
});
