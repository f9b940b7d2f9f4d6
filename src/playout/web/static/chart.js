// The lines of the charts: which moves get one, and on which scale.

/** @import { Chart, ChartPoint, Result } from "./types.js" */

const LINES_SHOWN = 5;
const MOST_POINTS = 500;

/** @type {Chart} */
export const NO_CHART = { points: [], names: {} };

/**
 * A chart with one more point, which replaces those from its simulation on; every second is dropped when there are too many.
 * @param {Chart} chart
 * @param {ChartPoint | undefined} point
 * @param {Pick<Result, "actions"> | undefined} result names the actions
 * @returns {Chart}
 */
export function withPoint(chart, point, result) {
  const names = { ...chart.names };
  for (const action of result?.actions ?? []) names[action.number] = action.action;
  if (!point) return { points: chart.points, names };
  const points = [...chart.points.filter((p) => p.simulations < point.simulations), point];
  if (points.length <= MOST_POINTS) return { points, names };
  return { points: points.filter((_, i) => i % 2 === 0 || i === points.length - 1), names };
}

/** The moves that get a line: the most visited at the last point, in a lasting order so that colours stay. @param {Chart} chart */
export function seriesOf(chart) {
  const last = chart.points.at(-1);
  return (last?.actions ?? [])
    .slice(0, LINES_SHOWN)
    .map((a) => a.number)
    .sort((a, b) => a - b);
}

/** @typedef {[number, number | null]} ChartPlace simulations, and a share or a value; null: none is known there */

/**
 * The line of each move.
 * @param {Chart} chart
 * @param {number[]} series
 * @param {"share" | "value"} field
 * @returns {ChartPlace[][]}
 */
export const linesOf = (chart, series, field) =>
  series.map((number) =>
    chart.points.map((point) => [point.simulations, point.actions.find((a) => a.number === number)?.[field] ?? null]),
  );

/**
 * A line as the data of an SVG path: it is broken where nothing is known.
 * @param {ChartPlace[]} line
 * @param {(s: number) => number} x
 * @param {(v: number) => number} y
 */
export const pathOf = (line, x, y) =>
  line
    .flatMap(([s, v], i) =>
      v === null ? [] : [`${(line[i - 1]?.[1] ?? null) === null ? "M" : "L"}${x(s).toFixed(1)},${y(v).toFixed(1)}`],
    )
    .join("");

/** The return of the best complete line against simulations; empty where the game has none. @param {Chart} chart */
export const foundLine = (chart) =>
  chart.points.flatMap((point) =>
    typeof point.best_found === "number" ? [/** @type {[number, number]} */ ([point.simulations, point.best_found])] : [],
  );

/**
 * The ends of the vertical axis; null: nothing to show. The first points swing from end to end: the scale is that of what
 * follows, and they are cut off at its ends.
 * @param {ChartPlace[][]} lines
 * @param {{ first: number, last: number }} span simulations
 * @param {"share" | "value"} field
 * @returns {{ least: number, most: number } | null}
 */
export function scaleOf(lines, { first, last }, field) {
  const settled = first + 0.05 * (last - first);
  const all = lines.flat().flatMap(([x, y]) => (x >= settled && y !== null ? [y] : []));
  if (!all.length) return null;
  const least = field === "share" ? 0 : Math.min(...all),
    most = Math.max(...all);
  const spare = Math.max(0.08 * (most - least), 1e-3);
  return field === "share" ? { least, most: Math.min(1, most + spare) } : { least: least - spare, most: most + spare };
}
