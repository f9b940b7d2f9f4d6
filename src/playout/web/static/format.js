// Numbers, times and drawings as people read them.

/** @import { LanguageName, Range, Score } from "./types.js" */

/** @param {number | null | undefined} n */
export function count(n) {
  if (n === null || n === undefined) return "–";
  if (n < 10000) return String(Math.round(n));
  if (n < 1e6) return `${(n / 1e3).toFixed(n < 1e5 ? 1 : 0)}k`;
  return `${(n / 1e6).toFixed(n < 1e8 ? 2 : 0)}M`;
}

/** All digits, in groups of three. @param {number | null | undefined} n */
export const full = (n) => (n ?? 0).toLocaleString("en-US");

/** A value with its sign: three digits for the games from -1 to 1, fewer for points. @param {Score | undefined} x */
export function value(x) {
  if (x === null || x === undefined) return "–";
  if (x === "infinity") return "∞";
  if (x === "-infinity") return "−∞";
  const digits = Math.abs(x) >= 1000 ? 0 : Math.abs(x) >= 100 ? 1 : Math.abs(x) >= 10 ? 2 : 3;
  const text = Math.abs(x).toFixed(digits);
  return Number(text) === 0 ? text : (x < 0 ? "−" : "+") + text;
}

/** A number of a formula or a record: no sign unless it is negative. @param {Score | undefined} x */
export function plain(x) {
  if (x === null || x === undefined) return "–";
  if (x === "infinity") return "∞";
  if (x === "-infinity") return "−∞";
  if (Math.abs(x) < 1e-9) return "0"; // what is left of a sum that is zero
  if (Number.isInteger(x)) return x < 0 ? `−${-x}` : String(x);
  const text = Math.abs(x) >= 1000 ? Math.abs(x).toFixed(0) : Math.abs(x).toPrecision(4);
  return (x < 0 ? "−" : "") + text;
}

/** What an exact value says, as a sign that needs no colour. */
export const PROOF_SIGNS = { win: "✓", loss: "✗", draw: "=", exact: "✓" };

/** A share of one. @param {number | null | undefined} x */
export const percent = (x) =>
  x === null || x === undefined ? "–" : x > 0 && x < 0.001 ? "<0.1%" : `${(100 * x).toFixed(x >= 0.9995 ? 0 : 1)}%`;

/** @param {number} s */
export const seconds = (s) => (s < 1 ? `${Math.round(1000 * s)} ms` : s < 100 ? `${s.toFixed(1)} s` : `${Math.round(s)} s`);

/** @type {[Intl.RelativeTimeFormatUnit, number][]} */
const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];
/**
 * How long ago a time was, in the largest unit that fits; times are in seconds since 1970.
 * @param {number} time
 * @param {LanguageName} language
 * @param {number} [now]
 */
export function ago(time, language, now = Date.now() / 1000) {
  const passed = Math.max(0, now - time);
  const [unit, length] = UNITS.find(([, size]) => passed >= size) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(language, { numeric: "auto" }).format(-Math.floor(passed / length), unit);
}

/** @param {Range | null | undefined} pair */
export const interval = (pair) => (pair ? `${value(pair[0])} … ${value(pair[1])}` : "–");

/**
 * Wins, draws and losses as percentages, which add up to 100.
 * @param {[number, number, number] | null | undefined} wdl
 */
export function results(wdl) {
  const games = wdl ? wdl[0] + wdl[1] + wdl[2] : 0;
  if (!wdl || !games) return "–";
  const [wins, losses] = [wdl[0], wdl[2]].map((n) => Math.round((100 * n) / games));
  return `${wins}/${100 - wins - losses}/${losses}%`;
}

/** SVG from a game as the address of an image: it is only ever shown as one, where its scripts do not run. @param {string | null} svg */
export const drawing = (svg) => (svg ? `data:image/svg+xml,${encodeURIComponent(svg)}` : null);
