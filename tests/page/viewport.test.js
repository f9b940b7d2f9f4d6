import assert from "node:assert/strict";
import { test } from "node:test";
import { centredOn, dragged, fitted, isInSight, zoomed } from "../../src/playout/web/static/viewport.js";

const SIZE = { width: 600, height: 400 };
/** Where a point of the drawing is seen. */
const seen = (view, x, y) => [view.x + x * view.k, view.y + y * view.k];
const close = (a, b) => a.forEach((n, i) => assert.ok(Math.abs(n - b[i]) < 1e-9, `${a} is not ${b}`));

test("zooming keeps the point below the pointer where it is", () => {
  const view = { x: 30, y: -20, k: 0.8 },
    next = zoomed(view, 1.5, 200, 100);
  close([next.k], [1.2]);
  const point = [(200 - view.x) / view.k, (100 - view.y) / view.k];
  close(seen(next, ...point), [200, 100]);
});

test("zooming ends at a most and at a least", () => {
  assert.equal(zoomed({ x: 0, y: 0, k: 3.9 }, 10, 0, 0).k, 4);
  assert.equal(zoomed({ x: 0, y: 0, k: 0.2 }, 0.01, 0, 0).k, 0.15);
});

test("one finger moves, two fingers zoom about their middle", () => {
  const from = { x: 0, y: 0, k: 1 };
  assert.deepEqual(dragged(from, { x: 10, y: 10, apart: 0 }, { x: 40, y: 5, apart: 0 }), { x: 30, y: -5, k: 1 });
  const pinched = dragged(from, { x: 100, y: 100, apart: 50 }, { x: 100, y: 100, apart: 100 });
  assert.equal(pinched.k, 2);
  close(seen(pinched, 100, 100), [100, 100]);
});

test("a fitted tree is in sight as a whole, unless its texts would be too small", () => {
  const small = { items: [], width: 300, height: 200 },
    view = fitted(small, SIZE);
  assert.ok(view.k <= 1.15 && view.x >= 0 && view.x + small.width * view.k <= SIZE.width);
  assert.equal(fitted({ items: [], width: 9000, height: 9000 }, SIZE).k, 0.64);
  assert.equal(fitted(null, SIZE).k, 1);
});

test("an item that is brought into sight stands in the middle", () => {
  const item = { x: 5000, y: 70, width: 100 },
    view = { x: 0, y: 0, k: 1 };
  assert.equal(isInSight(view, item, SIZE), false);
  const next = centredOn(view, item, SIZE);
  assert.equal(isInSight(next, item, SIZE), true);
  close(seen(next, item.x + 50, item.y), [300, 200]);
});
