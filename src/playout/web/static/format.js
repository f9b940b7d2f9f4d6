// Numbers, players and drawings as people read them.

import { t } from "./i18n.js";
import { state } from "./store.js";

export function count(n) {
  if (n === null || n === undefined) return "–";
  if (n < 10000) return String(Math.round(n));
  if (n < 1e6) return `${(n / 1e3).toFixed(n < 1e5 ? 1 : 0)}k`;
  return `${(n / 1e6).toFixed(n < 1e8 ? 2 : 0)}M`;
}

export const full = (n) => (n ?? 0).toLocaleString("en-US");

// A value with its sign: three digits for the games from -1 to 1, fewer for points.
export function value(x) {
  if (x === null || x === undefined) return "–";
  if (x === "infinity") return "∞";
  if (x === "-infinity") return "−∞";
  const digits = Math.abs(x) >= 1000 ? 0 : Math.abs(x) >= 100 ? 1 : Math.abs(x) >= 10 ? 2 : 3;
  const text = Math.abs(x).toFixed(digits);
  return Number(text) === 0 ? text : (x < 0 ? "−" : "+") + text;
}

// A number of a formula or a record: no sign unless it is negative.
export function plain(x) {
  if (x === null || x === undefined) return "–";
  if (x === "infinity") return "∞";
  if (x === "-infinity") return "−∞";
  if (Number.isInteger(x)) return x < 0 ? `−${-x}` : String(x);
  const text = Math.abs(x) >= 1000 ? Math.abs(x).toFixed(0) : Math.abs(x).toPrecision(4);
  return (x < 0 ? "−" : "") + text;
}

export const percent = (x) =>
  x === null || x === undefined ? "–" : x > 0 && x < 0.001 ? "<0.1%" : `${(100 * x).toFixed(x >= 0.9995 ? 0 : 1)}%`;

export const seconds = (s) => (s < 1 ? `${Math.round(1000 * s)} ms` : s < 100 ? `${s.toFixed(1)} s` : `${Math.round(s)} s`);

// How long ago a time in seconds since 1970 was, in the largest unit that fits.
const UNITS = [
  ["day", 86400],
  ["hour", 3600],
  ["minute", 60],
  ["second", 1],
];
export function ago(time) {
  const passed = Math.max(0, Date.now() / 1000 - time);
  const [unit, length] = UNITS.find(([, size]) => passed >= size) ?? ["second", 1];
  return new Intl.RelativeTimeFormat(state.language, { numeric: "auto" }).format(-Math.floor(passed / length), unit);
}

export const interval = (pair) => (pair ? `${value(pair[0])} … ${value(pair[1])}` : "–");

export const who = (player) =>
  player === -1 ? t("chance") : player < -1 || player === null ? t("nobody") : t("player_n", { n: player + 1 });

// SVG from a game is only ever shown as an image, where its scripts do not run.
export const drawing = (svg) => (svg ? `data:image/svg+xml,${encodeURIComponent(svg)}` : null);
