// Colours: values on a scale from orange over grey to blue, and lines that can be told apart. Both scales can be read with
// every common colour blindness; the lines are those of Okabe and Ito.

/** @import { Range, Session, Theme } from "./types.js" */

/** @type {Record<Theme, number[][]>} */
const SCALES = {
  light: [
    [186, 92, 8],
    [196, 200, 206],
    [24, 104, 176],
  ],
  dark: [
    [240, 150, 60],
    [112, 118, 128],
    [104, 176, 245],
  ],
};
/** @type {Record<Theme, string[]>} */
export const LINES = {
  light: ["#0072b2", "#d55e00", "#009e73", "#aa4499", "#8a6d00", "#444c56"],
  dark: ["#56b4e9", "#f08a3c", "#2fc79b", "#dd88c4", "#e6c84f", "#b6bec9"],
};

/** @param {number[]} a @param {number[]} b @param {number} share */
const mix = (a, b, share) => a.map((part, i) => Math.round(part + (b[i] - part) * share));

/**
 * The range that values are shown in: the game's own, or what is seen.
 * @param {Pick<Session, "range"> | null} session
 * @param {(number | null | undefined)[]} seen
 * @returns {Range}
 */
export function rangeOf(session, seen) {
  if (session?.range) return session.range;
  const known = seen.flatMap((v) => (v === null || v === undefined ? [] : [v]));
  if (!known.length) return [-1, 1];
  const least = Math.min(...known),
    most = Math.max(...known);
  return least === most ? [least - 1, most + 1] : [least, most];
}

/** @param {number} value @param {Range} range @param {Theme} theme */
const parts = (value, range, theme) => {
  const [low, middle, high] = SCALES[theme];
  const from = (2 * (value - range[0])) / (range[1] - range[0]) - 1; // -1 to 1
  const at = 0.5 + 0.5 * Math.sign(from) * Math.min(1, Math.abs(from)) ** 0.7; // small differences near the middle are the usual ones
  return at < 0.5 ? mix(low, middle, at * 2) : mix(middle, high, at * 2 - 1);
};

/** @param {number | null | undefined} value @param {Range} range @param {Theme} theme */
export function valueColour(value, range, theme) {
  if (value === null || value === undefined) return theme === "dark" ? "#3a404a" : "#e8eaee";
  return `rgb(${parts(value, range, theme).join(",")})`;
}

/** How bright a colour is, as WCAG counts it: 0 to 1. @param {number[]} colour */
const brightness = (colour) => {
  const [r, g, b] = colour.map((part) => (part <= 10 ? part / 3294 : ((part / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};

/**
 * Black or white, whichever can be read better on that colour: the contrast is never below 4.5.
 * @param {number | null | undefined} value
 * @param {Range} range
 * @param {Theme} theme
 */
export function inkOn(value, range, theme) {
  if (value === null || value === undefined) return theme === "dark" ? "#e8eaee" : "#1c2026";
  return brightness(parts(value, range, theme)) > 0.179 ? "#000000" : "#ffffff";
}
