import assert from "node:assert/strict";
import { test } from "node:test";
import { GAP, HEIGHT, ROW, layout, shorten } from "../../src/playout/web/static/layout.js";

const worth = (node) => ({ value: node.value, proof: node.proven === null ? null : "win" });
const NAMES = { root: "root", more: (n) => `${n} more`, fold: (n) => `… ${n} …`, worth };
const width = (text) => 10 * text.length; // every letter is as wide as the next

/** A shown node, as shown.js makes it. */
function shown(path, children = [], rest = {}) {
  const node = {
    action: path.length ? `a${path.at(-1)}` : null,
    number: path.at(-1) ?? null,
    visits: 5,
    value: 0.5,
    proven: null,
  };
  return {
    node: { ...node, node: 0, shared: false, ...rest.node },
    path,
    at: path.join(),
    total: rest.total ?? children.length,
    open: rest.open ?? children.length > 0,
    principal: false,
    mark: null,
    fresh: false,
    children,
    more: rest.more ?? 0,
    sprouts: rest.sprouts ?? null,
  };
}

const placed = (top) => Object.fromEntries(layout(top, NAMES, width).items.map((item) => [item.at, item]));

test("a leaf has a row, a parent stands in the middle of its children, a depth has a column", () => {
  const top = shown([], [shown([0], [shown([0, 0]), shown([0, 1])]), shown([1])]);
  const at = placed(top);
  assert.deepEqual([at["0,0"].y, at["0,1"].y, at["1"].y], [0, ROW, 2 * ROW]);
  assert.equal(at["0"].y, ROW / 2);
  assert.equal(at[""].y, (ROW / 2 + 2 * ROW) / 2);
  assert.equal(at[""].x, 0);
  assert.equal(at["0"].x, at[""].width + GAP);
  assert.equal(at["0"].x, at["1"].x);
  assert.equal(at["0,0"].x, at["0"].x + Math.max(at["0"].width, at["1"].width) + GAP);
});

test("the size is that of all columns and rows", () => {
  const { items, width: wide, height } = layout(shown([], [shown([0]), shown([1])]), NAMES, width);
  assert.equal(wide, Math.max(...items.map((i) => i.x + i.width)));
  assert.equal(height, ROW + HEIGHT);
  assert.equal(layout(shown([]), NAMES, width).height, HEIGHT);
});

test("a node says its move, visits and value; a proven one that it is; the root that it is the root", () => {
  const at = placed(shown([], [shown([3], [], { node: { visits: 12000, value: -1, proven: -1 } })]));
  assert.equal(at["3"].label, "a3");
  assert.equal(at["3"].numbers, "12.0k · ✓−1.000");
  assert.equal(at[""].label, "root");
});

test("children that are not shown are counted, and a closed node says that it has some", () => {
  const at = placed(shown([], [shown([0], [], { open: false, total: 4 })], { more: 3, total: 4 }));
  assert.equal(at["/more1"].label, "3 more");
  assert.deepEqual([at["/more1"].more, at["/more1"].shownCount], [3, 1]);
  assert.equal(at["0"].closed, true);
  assert.equal(at[""].closed, false);
});

test("new actions of a step stand below their node, but for those that are there already", () => {
  const sprouts = ["a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "a8", "a9"];
  const labels = layout(shown([], [shown([0])], { sprouts }), NAMES, width).items.map((item) => item.label);
  assert.deepEqual(labels, ["root", "a0", "a1", "a2", "a3", "a4", "a5", "a6", "a7", "2 more"]);
});

test("long texts are shortened by letters, not by halves of them", () => {
  assert.equal(shorten("abc", 3), "abc");
  assert.equal(shorten("abcd", 3), "ab…");
  assert.equal(shorten("🍉🍉🍉🍉", 3), "🍉🍉…");
});
