import assert from "node:assert/strict";
import { test } from "node:test";
import { cut, overlayAt } from "../../src/playout/web/static/beats.js";
import { key, nearestShown, shownTree } from "../../src/playout/web/static/shown.js";
import { STEP } from "./steps.js";

/** A node as the server sends it; its children are numbered as they are given. */
function node(number, visits, children = [], rest = {}) {
  const action = number === null ? null : "abcdefgh"[number];
  return {
    action,
    number,
    visits,
    value: 0.5,
    value_for: 0,
    proven: null,
    player: 1,
    best_number: children[0]?.number ?? null,
    children,
    more: 0,
    ...rest,
  };
}

const TREE = node(null, 10, [node(0, 6, [node(0, 4), node(1, 2)]), node(1, 4, [node(0, 3)])], { more: 2 });
const NOTHING = { tree: TREE, line: null, views: new Map(), pins: new Map(), closed: new Set(), step: null };

/** The paths of all nodes that are drawn. */
const paths = (shown) => [shown.at, ...shown.children.flatMap(paths)];
const find = (shown, at) => (shown.at === at ? shown : shown.children.map((c) => find(c, at)).find(Boolean));

test("without anything opened, the root and its children are drawn", () => {
  const shown = shownTree(NOTHING, null);
  assert.deepEqual(paths(shown), ["", "0", "1"]);
  assert.deepEqual([shown.total, shown.more], [4, 2]);
  assert.equal(find(shown, "0").total, 2);
  assert.equal(shownTree({ ...NOTHING, tree: null }, null), null);
});

test("the principal line is open by itself, and is marked", () => {
  const line = { path: [0, 1], nodes: [node(0, 6), node(1, 2)] };
  const shown = shownTree({ ...NOTHING, line }, null);
  assert.deepEqual(paths(shown), ["", "0", "0,0", "0,1", "1"]);
  assert.deepEqual([find(shown, "0").principal, find(shown, "1").principal], [true, false]);
});

test("a node of the line that is not among the most visited is drawn too", () => {
  const line = { path: [5], nodes: [node(5, 1)] };
  assert.deepEqual(paths(shownTree({ ...NOTHING, line }, null)), ["", "0", "1", "5"]);
});

test("what was opened by hand shows what was read, what was closed nothing", () => {
  const views = new Map([["1", node(1, 4, [node(0, 3), node(2, 1)], { more: 5 })]]);
  const open = shownTree({ ...NOTHING, views }, null);
  assert.deepEqual(paths(open), ["", "0", "1", "1,0", "1,2"]);
  assert.equal(find(open, "1").more, 5);
  assert.deepEqual(paths(shownTree({ ...NOTHING, views, closed: new Set(["1"]) }, null)), ["", "0", "1"]);
  assert.deepEqual(paths(shownTree({ ...NOTHING, closed: new Set([""]) }, null)), [""]);
});

test("a pinned node is drawn with everything above it", () => {
  const pins = new Map([
    ["1", node(1, 4)],
    ["1,7", node(7, 1)],
  ]);
  assert.deepEqual(paths(shownTree({ ...NOTHING, pins }, null)), ["", "0", "1", "1,0", "1,7"]);
});

test("numbers that a step has not reached yet are the old ones, and its new leaf appears with the expansion", () => {
  const step = cut(STEP);
  const tree = node(null, 3, [node(0, 2), node(1, 1)]);
  const drawn = (beat) => shownTree({ ...NOTHING, tree, step }, overlayAt(step, beat));
  const [selection, expansion] = step.beats,
    last = step.beats.at(-1);
  assert.deepEqual(paths(drawn(selection)), ["", "0"]);
  assert.deepEqual(paths(drawn(expansion)), ["", "0", "1"]);
  assert.equal(drawn(expansion).node.visits, 2);
  assert.equal(find(drawn(expansion), "1").node.value, null);
  assert.equal(find(drawn(expansion), "1").fresh, true);
  assert.deepEqual(find(drawn(expansion), "1").sprouts, ["c", "d"]);
  assert.equal(drawn(last).node.visits, 3);
  assert.equal(find(drawn(last), "1").node.value, 1);
});

test("a step's child that the watched tree lacks is drawn from the step", () => {
  const step = cut(STEP),
    tree = node(null, 3, [node(0, 2)]);
  const shown = shownTree({ ...NOTHING, tree, step }, overlayAt(step, step.beats.at(-1)));
  assert.equal(find(shown, "1").node.action, "b");
});

test("paths as texts", () => assert.equal(key([3, 2, 1]), "3,2,1"));

test("what is gone from the tree is looked for at the nearest node above it", () => {
  const drawn = new Set(["", "3", "3,1", "30"]);
  const nearest = (at) => nearestShown(at, (name) => drawn.has(name));
  assert.deepEqual(["3,1", "3,1,4,2", "3,2", "30,1", "4,1", "4", ""].map(nearest), ["3,1", "3,1", "3", "30", "", "", ""]);
});
