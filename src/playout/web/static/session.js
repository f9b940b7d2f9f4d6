// What is done with a session: open, run, stop, play, walk, start again.

import { Live, get, patch, post, remove, upload } from "./api.js";
import { NO_CHART, withPoint } from "./chart.js";
import { tellOfCompiling } from "./compiling.js";
import { count } from "./format.js";
import { t } from "./i18n.js";
import { follow, lead, recallLead } from "./sharing.js";
import { endStep, isTaking, noteStop } from "./stepping.js";
import { changing, current, follows, inTurn, keepInTab, keptInTab, notify, set, state, subscribe, trying } from "./store.js";
import { forgetViews, refreshDetails, refreshViews } from "./treeview.js";
import { GAMES, PRESETS, SERVER, SESSIONS, SETTINGS, importUrl, isFollowed, sessionNamed, sessionUrl } from "./urls.js";

/** @import { Refused } from "./api.js" */
/** @import { Answer, AskKind, Budget, Kept, LiveMessage, LiveUpdate, Run, Session, State } from "./types.js" */

/** @type {Live | null} */
let live = null;
/** @type {string | null} */
let deleted = null; // the last session that is known to be gone
/** @type {Partial<State>} */
const EMPTY = {
  result: null,
  tree: null,
  map: null,
  line: null,
  explanation: null,
  chart: NO_CHART,
  shown: null,
};

/** A part of the open session. @param {string} part */
const here = (part) => sessionUrl(current().id, part);

/**
 * Opens the session that the address names or describes, or one of this visit's own. Where that is refused, the page says why.
 * Who follows asks for that session alone: a link to follow needs no token.
 * @param {(link: string) => Promise<void>} [openLink] opens what a prepared link describes
 */
export const begin = (openLink) => {
  tellOfCompiling(() => !state.session && !state.trouble);
  return entering(async () => {
    const followed = sessionNamed(location.pathname);
    if (followed && isFollowed(followed)) return void (await open(followed));
    const [server, games, presets, settings] = await Promise.all([get(SERVER), get(GAMES), get(PRESETS), get(SETTINGS)]);
    set({ server, games: games.games, presets: presets.presets, settings: settings.settings, sources: settings.sources });
    if (openLink && location.pathname === "/" && location.search) return openLink(location.search);
    const wanted = sessionNamed(location.pathname),
      takesOver = new URLSearchParams(location.search).has("lead");
    if (wanted && takesOver && (await trying(() => open(wanted)))) return void (await lead());
    if (!wanted || wanted === deleted || !(await trying(() => open(wanted)))) await visit();
  });
};

/** @param {() => Promise<void>} action */
async function entering(action) {
  try {
    await action();
  } catch (thrown) {
    const error = /** @type {Refused} */ (thrown);
    if (error.status === undefined) console.error(error);
    set({ session: null, dialog: null, trouble: { code: error.code, message: error.message } });
  }
}

/**
 * A session of this tab's own: others see it only by its link. Unless it is used, the server deletes it after the visit;
 * coming back to `/` before that finds it again, so that they do not pile up.
 */
async function visit() {
  const before = keptInTab("visit");
  const unused = before && before !== deleted && (await get(sessionUrl(before)).catch(() => null));
  const session = unused?.temporary ? unused : await post(SESSIONS, { game: state.server?.game, temporary: true });
  keepInTab("visit", session.id);
  enter(session, true);
}

/** @param {string} id @returns {Promise<Session>} */
export async function open(id) {
  const session = await get(sessionUrl(id));
  enter(session);
  return session;
}

/** @param {Session} session @param {boolean} [instead] whether the address before is forgotten */
export function enter(session, instead = false) {
  live?.close();
  endStep();
  forgetViews();
  set({
    ...EMPTY,
    session,
    run: session.run,
    game: null,
    answers: [],
    found: null,
    connected: true,
    trouble: null,
    share: null,
  });
  if (instead || location.pathname === "/") history.replaceState(null, "", session.permalink + location.hash);
  else if (location.pathname !== session.permalink || location.search) history.pushState(null, "", session.permalink);
  live = new Live(session.id, hear, (connected) => set({ connected }));
  watch();
  refresh();
  recallLead();
}

/** Few enough nodes to send several times a second; what is opened further down is asked for by itself. */
export function watch() {
  const legal = current().position.actions.length;
  live?.watch({
    result: true,
    explain: state.tab === "why" ? state.language : null,
    tree: { path: [], depth: 2, width: legal <= 9 ? Math.max(legal, 4) : 8, lean: true },
    map: { depth: 9, cells: 700 },
    line: { path: [], depth: 4 },
    rate: 8,
  });
}

subscribe(() => void (state.session && watch()));

/** @param {LiveMessage} message */
function hear(message) {
  if (message.type === "state") hearState(message.session);
  else if (message.type === "update") hearUpdate(message);
  else if (message.type === "shown") follow(message.leader_view);
  else if (message.type === "deleted") gone();
  else if (message.type === "error") notify(message.problem.detail);
}

/** The session was deleted: by this page, by the server because it was never used, or by someone else. */
function gone() {
  const { id, temporary } = current();
  if (id === deleted) return;
  deleted = id;
  live?.close();
  if (temporary) entering(visit);
  else set({ session: null, dialog: null, trouble: { code: "deleted", message: t("session_deleted") } });
}

/** @param {Session} session */
function hearState(session) {
  const before = state.session;
  if (!before || session.id !== before.id) return;
  const ended = before.run && !session.run;
  const overtaken = isOvertaken(session);
  set({ session, run: session.run });
  if (overtaken) {
    endStep();
    if (!follows()) notify(t("step_overtaken"), "note");
  }
  if (session.version !== before.version) {
    if (session.moment !== before.moment || session.position.text !== before.position.text) {
      forgetViews();
      set(EMPTY);
      watch();
    }
    refresh();
  }
  if (ended && !session.failure) set({ said: t("run_ended", { n: count(session.simulations) }) });
}

/** Whether the tree is no longer the one that the step that is shown belongs to. @param {Session} session */
function isOvertaken(session) {
  const { step } = state;
  if (!step || isTaking() || session.version <= step.version) return false;
  return Boolean(session.run) || session.simulations !== step.simulations || session.moment !== current().moment;
}

/** @param {LiveUpdate} message */
function hearUpdate(message) {
  if (message.version < current().version) return; // of the position before
  /** @type {Partial<State>} */
  const change = { run: message.run, result: message.result ?? state.result, updates: state.updates + 1 };
  if (message.tree) change.tree = message.tree;
  if (message.map) change.map = message.map;
  if (message.line) change.line = message.line;
  if (message.point) change.chart = withPoint(state.chart, message.point, message.result);
  if (message.explanation) change.explanation = message.explanation;
  else if (state.tab !== "why") change.explanation = null;
  set(change);
  refreshViews();
}

/** What the live socket does not send: the chart from its beginning, the game so far. */
function refresh() {
  const { id } = current();
  const still = (/** @type {Partial<State>} */ change) => state.session?.id === id && set(change);
  get(here("chart"))
    .then((chart) => still({ chart }))
    .catch(() => {});
  get(here("game"))
    .then((game) => still({ game }))
    .catch(() => {});
  refreshDetails();
}

/** @param {object} body */
export const create = (body) =>
  trying(async () => {
    enter(await post(SESSIONS, body));
    return true;
  });

/** @param {object} body */
export const startAgain = (body) =>
  changing("settings", async () => {
    const session = await post(here("settings"), body);
    endStep();
    moved(session);
    notify(t("started_again"), "note");
    return true;
  });

/** @param {Budget} budget */
export const limits = ({ kind, simulations, seconds }) =>
  kind === "simulations" ? { simulations } : kind === "seconds" ? { seconds } : {};

const MOST = { simulations: 2 ** 53, seconds: 1e9 };

/** Whether the server takes that much. @param {string} kind @param {number} amount */
export const isBudget = (kind, amount) => amount > 0 && amount <= (kind === "seconds" ? MOST.seconds : MOST.simulations);

/** Shown from the click on, until the server tells of the run itself. @param {string} kind @returns {Run} */
const starting = (kind) => ({ id: 0, share: kind === "endless" ? null : 0, simulations: 0, simulations_per_second: 0 });

export function run() {
  if (state.run) return stop();
  if (state.budget.wrong) return;
  set({ run: starting(state.budget.kind), shown: null, session: { ...current(), failure: null }, readFailure: null });
  tellOfCompiling(() => state.run !== null && !state.run.simulations);
  return changing("run", async () => {
    endStep();
    try {
      /** @type {{ run: Run }} */
      const begun = await post(here("run"), limits(state.budget));
      const over = (current().last_run?.id ?? 0) >= begun.run.id; // a short run may have ended before this answer came
      set({ run: over ? null : begun.run, said: over ? state.said : t("running") });
    } catch (error) {
      set({ run: null });
      throw error;
    }
  });
}

/** At once: what is stopped may be what others wait for. A run that the server has not begun yet is stopped after it has. */
export const stop = () => {
  noteStop();
  return state.run && state.run.id === 0 ? inTurn(stopped) : trying(stopped);
};

async function stopped() {
  if (!state.run) return;
  await post(here("stop"));
  set({ run: null });
}

/**
 * Plays an action by its number, or the best, in the position that is shown now: if that has changed meanwhile, the server
 * refuses.
 * @param {number | "best"} which
 */
export const play = (which) => {
  const { moment } = current();
  return changing("play", async () => {
    await stopped();
    endStep();
    moved(await post(here("play"), { ...(which === "best" ? { action: which } : { number: which }), moment }));
  });
};

/** Goes to a moment of the game so far. @param {number} moment */
export const walk = (moment) =>
  changing("goto", async () => {
    await stopped();
    endStep();
    moved(await post(here("goto"), { moment }));
  });

/** @param {Session} session */
function moved(session) {
  forgetViews();
  // What belongs to the position before must not be clicked by mistake: it goes until the new one's comes.
  set({ ...EMPTY, session, said: session.kept ? keptWords(session.kept) : "" });
  watch();
  live?.again();
  refresh();
}

/** @param {Kept} kept */
export function keptWords(kept) {
  const share = kept.of ? Math.round((100 * kept.visits) / kept.of) : 0;
  if (!kept.visits) return t("kept_none");
  return t(kept.how === "parked" ? "kept_parked" : "kept_subtree", { visits: count(kept.visits), of: count(kept.of), share });
}

/** @param {string} id @param {string} name */
export const rename = (id, name) =>
  trying(async () => {
    const session = await patch(sessionUrl(id), { name });
    if (state.session?.id === id) set({ session });
  });

/** @param {string} id */
export const discard = (id) =>
  trying(async () => {
    deleted = id;
    await remove(sessionUrl(id));
    if (!state.session) await begin();
    else if (state.session.id === id) await entering(visit);
    return true;
  });

/** @param {File} file */
export const importFile = (file) =>
  trying(async () => {
    const name = file.name.replace(/\.[^.]*$/, "").slice(0, 80);
    enter(await upload(importUrl(name), file));
    notify(t("imported", { name: file.name }), "note");
    return true;
  });

/** @param {AskKind} kind @param {string | null} [question] */
export const ask = (kind, question = null) =>
  trying(async () => {
    set({ asking: true });
    try {
      /** @type {Answer} */
      const answer = await post(here("ask"), { kind, question, language: state.language });
      set({ answers: [{ kind, question, ...answer }, ...state.answers], said: answer.answer });
    } finally {
      set({ asking: false });
    }
  });

addEventListener("popstate", () => {
  const wanted = sessionNamed(location.pathname);
  if (wanted && wanted !== state.session?.id) begin();
});
