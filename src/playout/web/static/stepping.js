// One simulation, shown phase by phase. A step from the server is cut into beats: one node of the selection, the expansion,
// one move of the playout, one place that the backup changes. Showing is going through the beats.

import { post } from "./api.js";
import { full } from "./format.js";
import { t } from "./i18n.js";
import { changing, searchable, set, state } from "./store.js";

export const PHASES = ["selection", "expansion", "playout", "backup"];
// What a phase is called: where a network evaluates, nothing is played out.
export const phaseWord = (phase) => (phase === "playout" && state.session?.options.evaluator === "network" ? "network" : phase);
const PAUSE = { selection: 450, expansion: 700, playout: 220, backup: 450 }; // milliseconds a beat
const LONGEST = 4000; // of a phase: a long playout goes faster
const calm = matchMedia("(prefers-reduced-motion: reduce)");

let timer = null;
let busy = false;

export const beats = () => (state.step ? state.step.beats : []);
export const beat = () => beats()[state.beat] ?? null;

function cut(step) {
  const found = step.selection.map((_, depth) => ({ phase: "selection", depth }));
  if (!found.length) found.push({ phase: "selection", depth: -1 });
  found.push({ phase: "expansion" });
  step.playouts.forEach((playout, which) => {
    for (let moves = 0; moves <= playout.shown; moves++) found.push({ phase: "playout", which, moves });
    if (playout.shown < playout.actions.length) found.push({ phase: "playout", which, moves: playout.actions.length });
  });
  if (!step.playouts.length) found.push({ phase: "playout", which: -1, moves: 0 });
  const places = [];
  for (const change of step.backup) {
    const key = `${change.what} ${change.numbers.join()}`;
    if (places.at(-1)?.key !== key)
      places.push({ key, what: change.what, numbers: change.numbers, path: change.path, changes: [] });
    places.at(-1).changes.push(change);
  }
  places.forEach((_, place) => found.push({ phase: "backup", place }));
  if (!places.length) found.push({ phase: "backup", place: -1 });
  return { ...step, beats: found, places };
}

// Asks for simulation `at` (null: the next) and shows its first beat.
async function take(at) {
  if (busy || state.run || !searchable()) return false;
  busy = true;
  const took = await changing("step", async () => {
    if (state.run) return false; // a run was asked for meanwhile
    const { id, moment } = state.session;
    const step = cut(await post(`/api/sessions/${id}/step`, { at, svg: true }));
    if (state.session.id !== id || state.session.moment !== moment) return false;
    const session = { ...state.session, failure: null };
    set({ session, step, beat: 0, tab: "step", chosen: null, shown: null, readFailure: null });
    return true;
  });
  busy = false;
  if (!took) hold();
  return took;
}

export function endStep() {
  hold();
  if (state.step) set({ step: null, beat: 0, tab: state.tab === "step" ? "moves" : state.tab });
}

const firstOf = (phase) => beats().findIndex((b) => b.phase === phase);
const lastOf = (phase) => beats().length - 1 - [...beats()].reverse().findIndex((b) => b.phase === phase);

const pause = (phase) => Math.min(PAUSE[phase], LONGEST / (lastOf(phase) - firstOf(phase) + 1)) / state.pace;

export function hold() {
  clearTimeout(timer);
  timer = null;
  if (state.slow) set({ slow: false });
}

function goTo(index) {
  if (!state.step) return;
  set({ beat: index });
  say();
}

// Screen readers hear each phase once.
let told = "";
function say() {
  if (!state.step) return;
  const now = `${state.step.simulation} ${beat().phase}`;
  if (now !== told) set({ said: t("said_phase", { n: full(state.step.simulation), phase: t(phaseWord(beat().phase)) }) });
  told = now;
}

// Goes into a phase and through its beats by itself.
export function enterPhase(phase) {
  hold();
  if (!state.step) return;
  goTo(calm.matches ? lastOf(phase) : firstOf(phase));
  const on = () => {
    if (!state.step || state.beat >= lastOf(phase)) return;
    goTo(state.beat + 1);
    timer = setTimeout(on, pause(phase));
  };
  if (!calm.matches) timer = setTimeout(on, pause(phase));
}

// The button "Step": the next phase; after the last, the next simulation.
export async function stepOn() {
  if (!state.step) {
    if (await take(null)) enterPhase("selection");
    return;
  }
  const next = PHASES[PHASES.indexOf(beat().phase) + 1];
  if (next) enterPhase(next);
  else if (await take(state.step.simulation + 1)) enterPhase("selection");
}

export async function forward() {
  hold();
  if (!state.step) return (await take(null)) && say();
  if (state.beat < beats().length - 1) return goTo(state.beat + 1);
  return (await take(state.step.simulation + 1)) && say();
}

export async function back() {
  hold();
  if (!state.step) return;
  if (state.beat > 0) return goTo(state.beat - 1);
  if (state.step.simulation > 1 && (await take(state.step.simulation - 1))) goTo(beats().length - 1);
}

export async function simulation(at) {
  hold();
  if (at >= 1 && (await take(at))) enterPhase("selection");
}

// Slow motion: beat after beat, simulation after simulation, until it is held.
export async function slowMotion() {
  if (state.slow) return hold();
  clearTimeout(timer);
  if (!state.step && !(await take(null))) return;
  set({ slow: true });
  const on = async () => {
    if (!state.slow || !state.step) return;
    if (state.beat < beats().length - 1) goTo(state.beat + 1);
    else if (!(await take(state.step.simulation + 1)) || !state.slow) return;
    timer = setTimeout(on, pause(beat().phase));
  };
  timer = setTimeout(on, pause(beat().phase));
}

// What the tree shows at this beat: numbers that the backup has not reached yet are the old ones.
export function overlay() {
  const { step } = state;
  if (!step) return null;
  const now = beat(),
    phase = PHASES.indexOf(now.phase);
  const reached = now.phase === "selection" ? now.depth + 1 : step.path.length;
  const numbers = new Map(),
    marks = new Map();
  for (let d = 0; d <= reached; d++) marks.set(step.path.slice(0, d).join(), "path");
  step.places.forEach((place, index) => {
    const key = place.numbers.join();
    const done = now.phase === "backup" && index <= now.place;
    if (done) marks.set(key, index === now.place ? "now" : "changed");
    if (place.what === "edge" || key === "") {
      const seen = numbers.get(key) ?? {};
      for (const change of place.changes) seen[change.field] = done ? change.after : change.before;
      numbers.set(key, seen);
    }
  });
  if (now.phase === "selection") marks.set(step.path.slice(0, Math.max(0, now.depth)).join(), "now");
  const leaf = step.path.join();
  const fresh =
    step.path.length > 0 &&
    numbers.get(leaf) !== undefined &&
    step.backup.some((c) => c.what === "edge" && c.field === "visits" && c.numbers.join() === leaf && c.before === 0);
  if (now.phase === "playout" || (now.phase === "expansion" && fresh)) marks.set(leaf, "now");
  return {
    numbers,
    marks,
    leaf,
    fresh: fresh ? leaf : null,
    grown: phase >= 1, // the new leaf appears with the expansion
    sprouts:
      step.expansion && now.phase === "expansion"
        ? { at: step.path.slice(0, step.expansion.depth).join(), texts: step.expansion.actions }
        : null,
  };
}

// The drawing for the board at this beat, with what it shows.
export function scene() {
  const { step } = state;
  if (!step) return null;
  const now = beat();
  if (now.phase === "selection" && now.depth >= 0) {
    const choice = step.selection[now.depth];
    return { svg: choice.svg, text: choice.position, label: t("scene_selection", { move: choice.text }) };
  }
  if (now.phase === "expansion" && step.expansion)
    return { svg: step.expansion.svg, text: step.expansion.position, label: t("scene_expansion") };
  if (now.phase === "playout" && now.which >= 0) {
    const playout = step.playouts[now.which];
    const last = now.moves >= playout.actions.length;
    const label = t("scene_playout", { k: now.moves, n: playout.actions.length });
    if (now.moves === 0) return { svg: step.leaf_svg, text: step.leaf, label };
    return {
      svg: last ? playout.final_svg : playout.svgs[now.moves - 1],
      text: last ? playout.final_position : playout.positions[now.moves - 1],
      label,
    };
  }
  return { svg: step.leaf_svg, text: step.leaf, label: t("scene_leaf") };
}
