import assert from "node:assert/strict";
import { test } from "node:test";
import {
  ago,
  count,
  drawing,
  full,
  interval,
  percent,
  plain,
  results,
  seconds,
  value,
} from "../../src/playout/web/static/format.js";

test("counts are short: whole, thousands, millions", () => {
  const shown = { 0: "0", 9999: "9999", 10000: "10.0k", 99949: "99.9k", 123456: "123k", 1234567: "1.23M", 250000000: "250M" };
  for (const [n, text] of Object.entries(shown)) assert.equal(count(Number(n)), text);
  assert.equal(count(null), "–");
});

test("full numbers have all their digits", () => {
  assert.equal(full(1234567), "1,234,567");
  assert.equal(full(undefined), "0");
});

test("values have a sign, and fewer digits when they are large", () => {
  assert.equal(value(0.25), "+0.250");
  assert.equal(value(-0.25), "−0.250");
  assert.equal(value(-0.0001), "0.000"); // no sign on what rounds to nothing
  assert.equal(value(12.5), "+12.50");
  assert.equal(value(512.34), "+512.3");
  assert.equal(value(-2048), "−2048");
  assert.equal(value("infinity"), "∞");
  assert.equal(value("-infinity"), "−∞");
  assert.equal(value(null), "–");
});

test("numbers of a formula have a sign only below zero", () => {
  assert.equal(plain(3), "3");
  assert.equal(plain(-3), "−3");
  assert.equal(plain(0.123456), "0.1235");
  assert.equal(plain(-12345.6), "−12346");
  assert.equal(plain("infinity"), "∞");
  assert.equal(plain(undefined), "–");
});

test("shares", () => {
  assert.equal(percent(0.4213), "42.1%");
  assert.equal(percent(1), "100%");
  assert.equal(percent(0), "0.0%");
  assert.equal(percent(0.0004), "<0.1%");
  assert.equal(percent(null), "–");
});

test("durations", () => {
  assert.equal(seconds(0.25), "250 ms");
  assert.equal(seconds(2.34), "2.3 s");
  assert.equal(seconds(150.4), "150 s");
});

test("times ago are in the largest unit that fits, in each language", () => {
  assert.equal(ago(1000, "en", 1000 + 2 * 86400 + 5), "2 days ago");
  assert.equal(ago(1000, "en", 1000 + 3 * 3600), "3 hours ago");
  assert.equal(ago(1000, "zh", 1000 + 120), "2分钟前");
  assert.equal(ago(2000, "en", 1000), "now"); // a clock that is ahead
});

test("intervals", () => {
  assert.equal(interval([-0.5, 0.25]), "−0.500 … +0.250");
  assert.equal(interval(null), "–");
});

test("results add up to 100", () => {
  assert.equal(results([610, 120, 270]), "61/12/27%");
  assert.equal(results([1, 1, 1]), "33/34/33%");
  assert.equal(results([0, 0, 0]), "–");
  assert.equal(results(null), "–");
});

test("a drawing is an address of an image, whatever its text", () => {
  assert.equal(drawing('<svg a="#"/>'), "data:image/svg+xml,%3Csvg%20a%3D%22%23%22%2F%3E");
  assert.equal(drawing(""), null);
});
