// What the panels show: the search as it is now, or, while a step is shown, as it was before that step until its backup is
// over. So all panels show the moment that the tree shows.

import { overlayAt } from "./beats.js";

/** @import { Chart, Explanation, Result, Score, State, TreeMap } from "./types.js" */

/** @typedef {Pick<State, "step" | "beat" | "result" | "map" | "explanation" | "chart" | "session">} SeenState */
/** @typedef {{ result: Result | null, map: TreeMap | null, explanation: Explanation | null, chart: Chart, simulations: number, proven: number | null }} Seen */

/** @param {SeenState} state @returns {Seen} */
export function seenIn({ step, beat, result, map, explanation, chart, session }) {
  const now = step?.beats[beat];
  if (!step?.before || !now || beat === step.beats.length - 1)
    return { result, map, explanation, chart, simulations: session?.simulations ?? 0, proven: session?.proven ?? null };
  const { before } = step,
    simulations = step.simulations - 1;
  return {
    result: before.result ? reached(before.result, overlayAt(step, now).numbers) : null,
    map: before.map ?? null,
    explanation: before.explanation ?? null,
    chart: { ...chart, points: chart.points.filter((point) => point.simulations <= simulations) },
    simulations,
    proven: before.result?.proven ?? null,
  };
}

/**
 * A result with the numbers that the backup has reached already.
 * @param {Result} result
 * @param {Map<string, Record<string, Score>>} numbers by path
 * @returns {Result}
 */
function reached(result, numbers) {
  const actions = result.actions.map((action) => {
    const changed = numbers.get(String(action.number));
    if (!changed) return action;
    const visits = Number(changed.visits ?? action.visits);
    return { ...action, visits, value: visits ? /** @type {number | null} */ (changed.value ?? action.value) : null };
  });
  const total = actions.reduce((sum, action) => sum + action.visits, 0);
  return { ...result, actions: actions.map((action) => ({ ...action, share: total ? action.visits / total : 0 })) };
}
