import assert from "node:assert/strict";
import { test } from "node:test";
import { folded } from "../../src/playout/web/static/shown.js";

/** A chain of shown nodes, one child each. */
const chain = (path, depth = 0) => ({
  path: path.slice(0, depth),
  at: path.slice(0, depth).join(),
  children: depth < path.length ? [chain(path, depth + 1)] : [],
});

const depths = (top) => (top ? [top.fold ? `fold ${top.fold}` : top.path.length, ...depths(top.children[0])] : []);

test("the middle of a deep path is folded, its beginning and its end are shown", () => {
  const path = Array.from({ length: 20 }, (_, i) => i);
  assert.deepEqual(depths(folded(chain(path), path, () => false)), [0, 1, 2, "fold 15", 18, 19, 20]);
});

test("a short path is not folded, nor one whose middle was opened by hand", () => {
  const short = [0, 1, 2, 3, 4, 5],
    path = Array.from({ length: 20 }, (_, i) => i);
  assert.deepEqual(depths(folded(chain(short), short, () => false)), [0, 1, 2, 3, 4, 5, 6]);
  assert.equal(depths(folded(chain(path), path, (at) => at === "0,1,2,3")).length, 21);
});
