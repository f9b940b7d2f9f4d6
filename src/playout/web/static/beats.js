// A step cut into beats: one node of the selection, the expansion, one move of the playout, one place that the backup
// changes; and what the tree and the board show at each.

/** @import { Beat, Overlay, Phase, Place, Score, ServerStep, Step, StepEdge } from "./types.js" */

/** @type {Phase[]} */
export const PHASES = ["selection", "expansion", "playout", "backup"];

/** @param {ServerStep} step @returns {Step} */
export function cut(step) {
  const places = placesOf(step);
  return {
    ...step,
    places,
    beats: [...selectionBeats(step), { phase: "expansion" }, ...playoutBeats(step), ...backupBeats(places)],
  };
}

/** @param {ServerStep} step @returns {Beat[]} */
const selectionBeats = (step) =>
  step.selection.length
    ? step.selection.map((_, depth) => ({ phase: "selection", depth }))
    : [{ phase: "selection", depth: -1 }];

/** @param {ServerStep} step @returns {Beat[]} */
function playoutBeats(step) {
  if (!step.playouts.length) return [{ phase: "playout", which: -1, moves: 0 }];
  return step.playouts.flatMap((playout, which) => {
    /** @type {Beat[]} */
    const found = Array.from({ length: playout.shown + 1 }, (_, moves) => ({ phase: "playout", which, moves }));
    // A long playout is only shown to some move; then comes its end.
    if (playout.shown < playout.actions.length) found.push({ phase: "playout", which, moves: playout.actions.length });
    return found;
  });
}

/** @param {Place[]} places @returns {Beat[]} */
const backupBeats = (places) =>
  places.length ? places.map((_, place) => ({ phase: "backup", place })) : [{ phase: "backup", place: -1 }];

/** The changes of the backup, those of one node or edge together. @param {ServerStep} step */
function placesOf(step) {
  /** @type {Place[]} */
  const places = [];
  for (const change of step.backup) {
    const key = `${change.what} ${change.path.join()}`;
    let place = places.at(-1);
    if (place?.key !== key) {
      place = { key, what: change.what, line: change.line, path: change.path, changes: [] };
      places.push(place);
    }
    place.changes.push(change);
  }
  return places;
}

/**
 * What the tree shows at a beat: numbers that the backup has not reached yet are the old ones.
 * @param {Step} step
 * @param {Beat} now
 * @returns {Overlay}
 */
export function overlayAt(step, now) {
  /** @type {Overlay["numbers"]} */
  const numbers = new Map();
  /** @type {Overlay["marks"]} */
  const marks = new Map();
  const reached = now.phase === "selection" ? now.depth + 1 : step.path.length;
  for (let d = 0; d <= reached; d++) marks.set(step.path.slice(0, d).join(), "path");
  step.places.forEach((place, index) => {
    const key = place.path.join();
    const done = now.phase === "backup" && index <= now.place;
    if (done) marks.set(key, index === now.place ? "now" : "changed");
    if (place.what !== "edge" && key !== "") return;
    /** @type {Record<string, Score>} */
    const seen = numbers.get(key) ?? {};
    for (const change of place.changes) seen[change.field] = done ? change.after : change.before;
    numbers.set(key, seen);
  });
  if (now.phase === "selection") marks.set(step.path.slice(0, Math.max(0, now.depth)).join(), "now");
  const leaf = step.path.join();
  const fresh = isFirstVisit(step, leaf);
  if (now.phase === "playout" || (now.phase === "expansion" && fresh)) marks.set(leaf, "now");
  return {
    numbers,
    marks,
    fresh: fresh ? leaf : null,
    grown: now.phase !== "selection", // the new leaf appears with the expansion
    sprouts:
      step.expansion && now.phase === "expansion"
        ? { at: step.path.slice(0, step.expansion.depth).join(), texts: step.expansion.actions }
        : null,
  };
}

/** Whether the leaf is visited for the first time. @param {Step} step @param {string} leaf */
const isFirstVisit = (step, leaf) =>
  step.path.length > 0 &&
  step.backup.some((c) => c.what === "edge" && c.field === "visits" && c.path.join() === leaf && c.before === 0);

/**
 * The drawing for the board at a beat: its SVG, its position, and the name of its caption with what fills that in.
 * @param {Step} step
 * @param {Beat} now
 * @returns {{ svg: string | null, text: string, caption: string, values: Record<string, unknown> }}
 */
export function sceneAt(step, now) {
  if (now.phase === "selection" && now.depth >= 0) {
    const choice = step.selection[now.depth];
    return { svg: choice.svg, text: choice.position, caption: "scene_selection", values: { move: choice.action } };
  }
  if (now.phase === "expansion" && step.expansion)
    return { svg: step.expansion.svg, text: step.expansion.position, caption: "scene_expansion", values: {} };
  if (now.phase === "playout" && now.which >= 0) {
    const playout = step.playouts[now.which],
      { moves } = now;
    const about = { caption: "scene_playout", values: { k: moves, n: playout.actions.length } };
    if (moves === 0) return { svg: step.leaf_svg, text: step.leaf, ...about };
    if (moves >= playout.actions.length) return { svg: playout.final_svg, text: playout.final_position, ...about };
    return { svg: playout.svgs[moves - 1], text: playout.positions[moves - 1], ...about };
  }
  return { svg: step.leaf_svg, text: step.leaf, caption: "scene_leaf", values: {} };
}

const USUAL = ["value", "exploration"];

/**
 * The terms of an edge's score by name, in the policy's order. The usual two are those of the step, which also hold for edges
 * that the policy did not score.
 * @param {StepEdge} edge
 * @returns {[string, Score][]}
 */
export function termsOf(edge) {
  const named = Object.entries(edge.terms);
  return named.length === USUAL.length && named.every(([name], i) => name === USUAL[i])
    ? [
        ["value", edge.value_term],
        ["exploration", edge.exploration_term],
      ]
    : named;
}

/**
 * Which formula gives the exploration of a score: found by its number, so that nothing is shown that does not hold.
 * @param {[string, Score][]} terms
 * @param {{ c: number, visits: number, through: number, edgeVisits: number, prior: number }} numbers of the node (`through`: the
 *   visits of all its moves) and of the move
 * @returns {"uct" | "puct" | null}
 */
export function formOf(terms, { c, visits, through, edgeVisits, prior }) {
  const exploration = terms[1]?.[1];
  if (terms.length !== 2 || typeof exploration !== "number") return null;
  const is = (/** @type {number} */ x) => Math.abs(x - exploration) <= 1e-5 * Math.max(1, Math.abs(exploration));
  if (edgeVisits > 0 && is(c * Math.sqrt(Math.log(visits) / edgeVisits))) return "uct";
  return is((c * prior * Math.sqrt(Math.max(1, through))) / (1 + edgeVisits)) ? "puct" : null;
}
