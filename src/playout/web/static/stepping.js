// One simulation, shown phase by phase: showing it is going through the beats of a step.

import { get, post } from "./api.js";
import { PHASES, cut, overlayAt, sceneAt } from "./beats.js";
import { tellOfCompiling } from "./compiling.js";
import { full } from "./format.js";
import { t } from "./i18n.js";
import { changing, confirmed, current, notify, searchable, set, state } from "./store.js";
import { sessionUrl } from "./urls.js";

/** @import { Phase, Session } from "./types.js" */

/** What a phase is called: where a network evaluates, nothing is played out. @param {Phase} phase */
export const phaseWord = (phase) => (phase === "playout" && state.session?.options.evaluator === "network" ? "network" : phase);
/** @type {Record<Phase, number>} */
const PAUSE = { selection: 450, expansion: 700, playout: 220, backup: 450 }; // milliseconds a beat
const LONGEST = 4000; // of a phase: a long playout goes faster
const calm = matchMedia("(prefers-reduced-motion: reduce)");

/** @type {ReturnType<typeof setTimeout> | undefined} */
let timer;
let busy = false;
let stopped = false; // the way to a simulation, by the user
const ENOUGH = 1000; // simulations of a run that tell its speed
const USUAL_SPEED = 100000; // simulations a second, where none was long enough
const LONG = 3; // seconds that going to a simulation may take before the user is asked

/** Whether a step is on its way: the tree may go through other moments meanwhile. */
export const isTaking = () => busy;

/** Called when the user stops what is on. */
export const noteStop = () => (stopped = true);

export const beats = () => (state.step ? state.step.beats : []);
export const beat = () => beats()[state.beat] ?? null;

/** Asks for simulation `at` (null: the next) and shows its first beat. @param {number | null} at */
async function take(at) {
  if (busy || state.run || !searchable()) return false;
  busy = true;
  stopped = false;
  tellOfCompiling(isTaking);
  const took = (await isWorthIt(at)) && (await changing("step", () => taken(at)));
  busy = false;
  if (!took) {
    hold();
    if (state.step && state.session && state.session.simulations !== state.step.simulations) endStep();
  }
  return Boolean(took);
}

/** @param {number | null} at @returns {Promise<boolean>} */
async function taken(at) {
  if (state.run) return false; // a run was asked for meanwhile
  const { id, moment } = current();
  if (at !== null && !(await isAt(id, at - 1))) return false;
  const before = { explain: state.language, map: { depth: 9, cells: 700 } };
  const step = cut(await post(sessionUrl(id, "step"), { at, svg: true, before }));
  if (state.session?.id !== id || state.session.moment !== moment) return false;
  const session = { ...state.session, simulations: step.simulations, failure: null };
  set({ session, step, beat: 0, tab: "step", chosen: null, shown: null, readFailure: null });
  return true;
}

/** Goes to the tree after that number of simulations; whether it was reached. @param {string} id @param {number} simulations */
async function isAt(id, simulations) {
  if (current().simulations === simulations) return true;
  await post(sessionUrl(id, "seek"), { simulations, wait: false });
  /** @type {Session} */
  let session = await get(sessionUrl(id));
  while (session.run) {
    await new Promise((resolve) => setTimeout(resolve, 150));
    session = await get(sessionUrl(id));
  }
  if (state.session?.id !== id) return false;
  set({ session, run: null });
  if (session.simulations === simulations) return true;
  const name = stopped ? "seek_stopped" : "never_reached";
  notify(t(name, { at: full(simulations + 1), n: full(session.simulations) }), "note");
  return false;
}

/** Going far back or forward runs many simulations: the user is asked first. @param {number | null} at */
async function isWorthIt(at) {
  const session = current(),
    there = (at ?? session.simulations + 1) - 1;
  if (there === session.simulations) return true;
  const isBack = there < session.simulations;
  const needed = isBack ? there : there - session.simulations;
  const { simulations = 0, simulations_per_second: speed = 0 } = session.last_run ?? {};
  const seconds = needed / (simulations > ENOUGH ? speed : USUAL_SPEED);
  if (seconds < LONG) return true;
  const name = isBack ? "long_way_back" : "long_way_on";
  return confirmed(t(name, { at: full(there + 1), n: full(needed), seconds: Math.round(seconds) }));
}

export function endStep() {
  hold();
  if (state.step) set({ step: null, beat: 0, tab: state.tab === "step" ? "moves" : state.tab });
}

/** @param {Phase} phase */
const firstOf = (phase) => beats().findIndex((b) => b.phase === phase);
/** @param {Phase} phase */
const lastOf = (phase) => beats().findLastIndex((b) => b.phase === phase);

/** @param {Phase} phase */
const pause = (phase) => Math.min(PAUSE[phase], LONGEST / (lastOf(phase) - firstOf(phase) + 1)) / state.pace;

/** Stops going on by itself. */
export function hold() {
  clearTimeout(timer);
  timer = undefined;
  if (state.slow) set({ slow: false });
}

/** @param {number} index */
function goTo(index) {
  if (!state.step) return;
  set({ beat: index });
  say();
}

// Screen readers hear each phase once.
let told = "";
function say() {
  if (!state.step) return;
  const { phase } = beat(),
    now = `${state.step.simulation} ${phase}`;
  if (now !== told) set({ said: t("said_phase", { n: full(state.step.simulation), phase: t(phaseWord(phase)) }) });
  told = now;
}

/** Goes into a phase and through its beats by itself. @param {Phase} phase */
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

/** The button "Step": the next phase; after the last, the next simulation. */
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
  if (state.step && state.beat < beats().length - 1) goTo(state.beat + 1);
  else if (await take(state.step ? state.step.simulation + 1 : null)) say();
}

export async function back() {
  hold();
  if (!state.step) return;
  if (state.beat > 0) goTo(state.beat - 1);
  else if (state.step.simulation > 1 && (await take(state.step.simulation - 1))) goTo(beats().length - 1);
}

/** Shows simulation `at` from its beginning. @param {number} at */
export async function simulation(at) {
  hold();
  if (at >= 1 && (await take(at))) enterPhase("selection");
}

/** Shows simulation `at` from a phase on. @param {number} at @param {Phase | null} phase */
export async function showStep(at, phase) {
  hold();
  if (await take(at)) enterPhase(phase ?? "selection");
}

/** Slow motion: beat after beat, simulation after simulation, until it is held. */
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

const TOUR_PAUSE = 3; // times as long as in slow motion, to read

/**
 * The tour for newcomers: a few simulations, so that there is something to see, then one of them phase by phase. Pausing it, or
 * closing the step, leaves it.
 */
export async function tour() {
  set({ dialog: null });
  const { id, simulations, position } = current();
  const enough = Math.max(20, 3 * position.actions.length);
  if (simulations < enough)
    await changing("run", () => post(sessionUrl(id, "run"), { simulations: enough - simulations, wait: true }));
  hold();
  if (!(await take(null))) return;
  set({ slow: true });
  const on = () => {
    if (!state.slow || !state.step) return;
    if (state.beat >= beats().length - 1) {
      hold();
      return notify(t("tour_end"), "note");
    }
    goTo(state.beat + 1);
    timer = setTimeout(on, TOUR_PAUSE * pause(beat().phase));
  };
  say();
  timer = setTimeout(on, TOUR_PAUSE * pause(beat().phase));
}

/** What the tree shows at this beat; null: no step is shown. */
export const overlay = () => (state.step ? overlayAt(state.step, beat()) : null);

/** The drawing for the board at this beat, with what it shows; null: no step is shown. */
export function scene() {
  if (!state.step) return null;
  const { svg, text, caption, values } = sceneAt(state.step, beat());
  return { svg, text, label: t(caption, values) };
}
