import assert from "node:assert/strict";
import { test } from "node:test";
import { NO_CHART, foundLine, linesOf, pathOf, scaleOf, seriesOf, withPoint } from "../../src/playout/web/static/chart.js";

const point = (simulations, ...actions) => ({
  simulations,
  actions: actions.map(([number, share, value]) => ({ number, share, value })),
});
const CHART = {
  points: [point(0, [2, 1, 0.9]), point(100, [7, 0.6, 0.1], [2, 0.4, null])],
  names: { 2: "b", 7: "g" },
};

test("a new point comes last, and replaces what is not before it", () => {
  const one = withPoint(NO_CHART, point(10), { actions: [{ number: 3, action: "d" }] });
  const two = withPoint(one, point(20), undefined),
    again = withPoint(two, point(20), undefined);
  assert.deepEqual(
    again.points.map((p) => p.simulations),
    [10, 20],
  );
  assert.deepEqual(
    withPoint(two, point(5), undefined).points.map((p) => p.simulations),
    [5],
  );
  assert.deepEqual(again.names, { 3: "d" });
  assert.equal(withPoint(two, undefined, undefined).points, two.points);
  assert.deepEqual(NO_CHART, { points: [], names: {} });
});

test("too many points are thinned, the last one stays", () => {
  let chart = NO_CHART;
  for (let n = 1; n <= 501; n++) chart = withPoint(chart, point(n), undefined);
  assert.equal(chart.points.length, 251);
  assert.equal(chart.points.at(-1).simulations, 501);
});

test("the most visited moves get a line, in the order of their numbers", () => {
  assert.deepEqual(seriesOf(CHART), [2, 7]);
  assert.deepEqual(seriesOf({ points: [point(1, ...[9, 8, 7, 6, 5, 4].map((n) => [n, 0.1, 0]))], names: {} }), [5, 6, 7, 8, 9]);
  assert.deepEqual(seriesOf(NO_CHART), []);
});

test("a line is broken where nothing is known of its move", () => {
  assert.deepEqual(linesOf(CHART, [2, 7], "share"), [
    [
      [0, 1],
      [100, 0.4],
    ],
    [
      [0, null],
      [100, 0.6],
    ],
  ]);
  const same = (n) => n;
  assert.equal(pathOf([[0, 1], [1, 2], [2, null], [3, 4], [4, 5]], same, same), "M0.0,1.0L1.0,2.0M3.0,4.0L4.0,5.0"); // prettier-ignore
});

test("the scale leaves the first swings out, and never leaves the shares that there are", () => {
  const lines = [
    [
      [0, 50],
      [100, 1],
      [1000, 2],
    ],
  ];
  const { least, most } = scaleOf(lines, { first: 0, last: 1000 }, "value");
  assert.ok(least < 1 && least > 0.8 && most > 2 && most < 2.2);
  assert.deepEqual(scaleOf([[[10, 1]]], { first: 0, last: 10 }, "share"), { least: 0, most: 1 });
  assert.equal(scaleOf([[]], { first: 0, last: 10 }, "share"), null);
});

test("a flat line has a scale too", () => {
  const { least, most } = scaleOf([[[5, 0.5]]], { first: 0, last: 5 }, "value");
  assert.ok(least < 0.5 && most > 0.5);
});

test("the best return found is a line of the points that know it", () => {
  const points = [
    point(1),
    { ...point(5), best_found: null },
    { ...point(9), best_found: 0 },
    { ...point(20), best_found: 7.5 },
  ];
  assert.deepEqual(foundLine({ points, names: {} }), [
    [9, 0],
    [20, 7.5],
  ]);
  assert.deepEqual(foundLine(CHART), []);
});
