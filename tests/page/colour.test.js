import assert from "node:assert/strict";
import { test } from "node:test";
import { LINES, inkOn, rangeOf, valueColour } from "../../src/playout/web/static/colour.js";

const RANGE = [-1, 1];

test("the range is the game's own, or what is seen", () => {
  assert.deepEqual(rangeOf({ range: [0, 2048] }, [5]), [0, 2048]);
  assert.deepEqual(rangeOf({ range: null }, [3, null, -2, undefined]), [-2, 3]);
  assert.deepEqual(rangeOf({ range: null }, [3]), [2, 4]); // never empty
  assert.deepEqual(rangeOf(null, []), [-1, 1]);
});

test("the ends and the middle of the scale, and what lies beyond them", () => {
  assert.equal(valueColour(-1, RANGE, "light"), "rgb(186,92,8)");
  assert.equal(valueColour(0, RANGE, "light"), "rgb(196,200,206)");
  assert.equal(valueColour(1, RANGE, "dark"), "rgb(104,176,245)");
  assert.equal(valueColour(7, RANGE, "dark"), valueColour(1, RANGE, "dark"));
  assert.equal(valueColour(null, RANGE, "light"), "#e8eaee");
});

/** The contrast of two colours by WCAG 2, from its definition. */
function contrast(one, other) {
  const light = (colour) => {
    const [r, g, b] = colour.map((part) => part / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const [dark, bright] = [light(one), light(other)].sort((a, b) => a - b);
  return (bright + 0.05) / (dark + 0.05);
}

test("text can be read on every colour of the scale", () => {
  for (const theme of ["light", "dark"])
    for (let worth = -1; worth <= 1; worth += 0.01) {
      const ground = valueColour(worth, RANGE, theme).match(/\d+/g).map(Number);
      const ink = inkOn(worth, RANGE, theme) === "#000000" ? [0, 0, 0] : [255, 255, 255];
      assert.ok(contrast(ground, ink) >= 4.5, `${theme} ${worth}`);
    }
});

test("lines have colours of their own", () => {
  for (const colours of Object.values(LINES)) assert.equal(new Set(colours).size, 6);
});
