import assert from "node:assert/strict";
import { test } from "node:test";
import { arrowsOf, squaresOf } from "../../src/playout/web/static/squares.js";

test("a cell of tic-tac-toe is a third of the board", () => {
  assert.deepEqual(squaresOf("tictactoe", "1"), [{ x: 0, y: 0, w: 1 / 3, h: 1 / 3 }]);
  const [last] = squaresOf("tictactoe", "9");
  assert.ok(Math.abs(last.x - 2 / 3) < 1e-12 && Math.abs(last.y - 2 / 3) < 1e-12);
});

test("a move of chess has two squares, from and to", () => {
  const [from, to] = squaresOf("chess", "e2e4");
  assert.deepEqual([from.name, to.name], ["e2", "e4"]);
  assert.equal(from.x, to.x);
  assert.ok(to.y < from.y, "the eighth rank is at the top");
  assert.equal(squaresOf("chess", "a7a8q")[1].name, "a8");
});

test("all columns of connect four lie on the board, side by side", () => {
  const columns = [1, 2, 3, 4, 5, 6, 7].map((n) => squaresOf("connect4", String(n))[0]);
  columns.forEach((c, i) => assert.ok(i === 0 || c.x >= columns[i - 1].x + columns[i - 1].w - 1e-9));
  assert.ok(columns[6].x + columns[6].w <= 1);
});

test("what has no square has none", () => {
  assert.equal(squaresOf("othello", "pass"), null);
  assert.equal(squaresOf("tictactoe", "x"), null);
  assert.equal(squaresOf("game2048", "left"), null);
});

test("the most visited moves are arrows, and moves between the same squares are one", () => {
  const moves = ["a7a8q", "a7a8n", "e2e4", "d2d4"].map((action, number) => ({
    action,
    number,
    squares: squaresOf("chess", action),
  }));
  const arrows = arrowsOf(
    moves,
    new Map([
      [0, 0.3],
      [1, 0.2],
      [2, 0.48],
      [3, 0.02],
    ]),
  );
  assert.deepEqual(
    arrows.map((a) => [a.action, a.share, a.best]),
    [
      ["a7a8q", 0.5, true],
      ["e2e4", 0.48, false],
    ],
  );
  assert.ok(arrows[0].y2 < arrows[0].y1 && arrows[0].x1 === arrows[0].x2);
  assert.ok(arrows.every((a) => !a.head.includes("NaN")));
});
