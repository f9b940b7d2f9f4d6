import assert from "node:assert/strict";
import { test } from "node:test";
import { PHASES, cut, formOf, overlayAt, sceneAt, termsOf } from "../../src/playout/web/static/beats.js";
import { STEP } from "./steps.js";

const step = cut(STEP);
const at = (phase, rest = {}) =>
  step.beats.find((b) => b.phase === phase && Object.entries(rest).every(([k, v]) => b[k] === v));

test("a step is cut into beats, phase after phase", () => {
  assert.deepEqual(step.beats, [
    { phase: "selection", depth: 0 },
    { phase: "expansion" },
    { phase: "playout", which: 0, moves: 0 },
    { phase: "playout", which: 0, moves: 1 },
    { phase: "playout", which: 0, moves: 2 }, // beyond what is drawn: the end
    { phase: "backup", place: 0 },
    { phase: "backup", place: 1 },
  ]);
  assert.deepEqual([...new Set(step.beats.map((b) => b.phase))], PHASES);
});

test("every phase has a beat where nothing happens in it", () => {
  const empty = cut({ ...STEP, selection: [], expansion: null, playouts: [], backup: [], path: [] });
  assert.deepEqual(empty.beats, [
    { phase: "selection", depth: -1 },
    { phase: "expansion" },
    { phase: "playout", which: -1, moves: 0 },
    { phase: "backup", place: -1 },
  ]);
});

test("changes of one edge are one place", () => {
  assert.deepEqual(
    step.places.map((p) => [p.key, p.changes.length]),
    [
      ["edge 1", 2],
      ["node ", 1],
    ],
  );
});

test("before the backup the tree shows the old numbers, then the new ones, from the leaf up", () => {
  const visits = (beat) => ["1", ""].map((place) => overlayAt(step, beat).numbers.get(place).visits);
  assert.deepEqual(visits(at("selection")), [0, 2]);
  assert.deepEqual(visits(at("backup", { place: 0 })), [1, 2]);
  assert.deepEqual(visits(at("backup", { place: 1 })), [1, 3]);
});

test("the place that is looked at is marked", () => {
  const now = (beat) => [...overlayAt(step, beat).marks].filter(([, mark]) => mark === "now").map(([place]) => place);
  assert.deepEqual(now(at("selection")), [""]);
  assert.deepEqual(now(at("expansion")), ["1"]);
  assert.deepEqual(now(at("playout")), ["1"]);
  assert.deepEqual(now(at("backup", { place: 1 })), [""]);
});

test("a leaf that is visited for the first time appears with the expansion, with its new actions", () => {
  const before = overlayAt(step, at("selection")),
    then = overlayAt(step, at("expansion"));
  assert.deepEqual([before.fresh, before.grown, before.sprouts], ["1", false, null]);
  assert.deepEqual([then.grown, then.sprouts], [true, { at: "1", texts: ["c", "d"] }]);
});

test("the board follows the step", () => {
  const drawn = (beat) => [sceneAt(step, beat).svg, sceneAt(step, beat).text];
  assert.deepEqual(drawn(at("selection")), ["<svg id='start'/>", "start"]);
  assert.deepEqual(drawn(at("expansion")), ["<svg id='b'/>", "b"]);
  assert.deepEqual(drawn(at("playout", { moves: 0 })), ["<svg id='leaf'/>", "b"]);
  assert.deepEqual(drawn(at("playout", { moves: 1 })), ["<svg id='bc'/>", "bc"]);
  assert.deepEqual(drawn(at("playout", { moves: 2 })), ["<svg id='end'/>", "bcd"]);
  assert.deepEqual(drawn(at("backup")), ["<svg id='leaf'/>", "b"]);
});

test("the terms of a score have the policy's names and order", () => {
  const edge = STEP.selection[0].edges[0];
  assert.deepEqual(termsOf(edge), [
    ["value", 0.5],
    ["exploration", 0.1],
  ]);
  const terms = { value: 0.1, memory: 0.02, exploration: 1.38 };
  assert.deepEqual(termsOf({ ...edge, terms, score: 1.5 }), [
    ["value", 0.1],
    ["memory", 0.02],
    ["exploration", 1.38],
  ]);
});

test("the formula of a score is only named where its number holds", () => {
  const numbers = { c: 1.4, visits: 27, through: 26, edgeVisits: 2, prior: 0.25 };
  const terms = (exploration) => [
    ["value", 0.5],
    ["exploration", exploration],
  ];
  assert.equal(formOf(terms(1.4 * Math.sqrt(Math.log(27) / 2)), numbers), "uct");
  assert.equal(formOf(terms((1.4 * 0.25 * Math.sqrt(26)) / 3), numbers), "puct");
  assert.equal(formOf(terms(1), numbers), null);
  assert.equal(formOf([["value", 0.5]], numbers), null);
});
