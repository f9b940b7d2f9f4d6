// What the page knows, in one object. Components read it; only `set` changes it, and a change draws the page once a frame.

import { NO_CHART } from "./chart.js";
import { seenIn } from "./seen.js";
import { isFollowed } from "./urls.js";

/** @import { LanguageName, Session, State, Theme } from "./types.js" */
/** @import { Refused } from "./api.js" */

/** @param {string} name @param {string} otherwise */
const kept = (name, otherwise) => {
  try {
    return localStorage.getItem(`playout.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
};

/** @param {string} name @param {string} text */
export const keep = (name, text) => {
  try {
    localStorage.setItem(`playout.${name}`, text);
  } catch {
    // a browser that keeps nothing: the choice lasts as long as the page
  }
};

/** Kept by this tab alone, until it is closed. @param {string} name @param {string} text */
export const keepInTab = (name, text) => {
  try {
    sessionStorage.setItem(`playout.${name}`, text);
  } catch {
    // as above
  }
};

/** @param {string} name */
export const keptInTab = (name) => {
  try {
    return sessionStorage.getItem(`playout.${name}`);
  } catch {
    return null;
  }
};

/** @returns {LanguageName} */
const language = () =>
  kept("language", navigator.language ?? "en")
    .toLowerCase()
    .startsWith("zh")
    ? "zh"
    : "en";
const dark = matchMedia("(prefers-color-scheme: dark)");

/** @type {State} */
export const state = {
  // the server's
  server: null,
  games: [],
  presets: [],
  settings: [],
  sources: {},
  compiling: null,
  restoring: null,
  trouble: null,
  // the session's
  session: null,
  run: null,
  result: null,
  tree: null,
  map: null,
  line: null,
  chart: NO_CHART,
  game: null,
  explanation: null,
  connected: true,
  updates: 0,
  share: null,
  lessons: [],
  lesson: null,
  // the view of the tree
  open: new Map(),
  closed: new Set(),
  views: new Map(),
  pins: new Map(),
  chosen: null,
  details: null,
  found: null,
  // the step
  step: null,
  beat: 0,
  slow: false,
  pace: Number(kept("pace", "1")),
  // the page
  tab: "moves",
  dialog: null,
  budget: { kind: kept("budget", "simulations"), simulations: 10000, seconds: 5 },
  answers: [],
  asking: false,
  notices: [],
  question: null,
  readFailure: null,
  shown: null,
  large: false,
  said: "",
  keys: kept("keys", "on") === "on",
  language: language(),
  theme: /** @type {Theme | "auto"} */ (kept("theme", "auto")),
  systemDark: dark.matches,
};

/** @type {Set<() => void>} */
const listeners = new Set();
let waiting = false;

/** @param {Partial<State>} change */
export function set(change) {
  Object.assign(state, change);
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    for (const listener of listeners) listener();
  });
}

/** @param {() => void} listener */
export const subscribe = (listener) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The session that is open. Parts of the page that need one are only drawn, and only act, while there is one. @returns {Session} */
export function current() {
  if (!state.session) throw new Error("no session is open");
  return state.session;
}

/** Whether this page only follows. */
export const follows = () => isFollowed(state.session?.id);

/** Whether this page leads the session that is shared. */
export const leads = () => state.share !== null && state.session !== null && state.session.leads === state.share.leads;

/** Whether this page may change the session: it leads, or none does. */
export const mayChange = () => !follows() && ((state.session?.leads ?? null) === null || leads());

/** @returns {Theme} */
export const theme = () => (state.theme === "auto" ? (state.systemDark ? "dark" : "light") : state.theme);

dark.addEventListener("change", (event) => set({ systemDark: event.matches }));

/** @param {string} text @param {"error" | "note"} [kind] */
export function notify(text, kind = "error") {
  const notice = { text, kind, id: Math.random() };
  set({ notices: [...state.notices.slice(-2), notice] });
  setTimeout(() => set({ notices: state.notices.filter((n) => n !== notice) }), kind === "error" ? 9000 : 5000);
}

/** Asks the user, in a bar at the bottom; the last question counts. @param {string} text @returns {Promise<boolean>} */
export const confirmed = (text) =>
  new Promise((resolve) => {
    state.question?.answer(false);
    const answer = (/** @type {boolean} */ yes) => {
      set({ question: null });
      resolve(yes);
    };
    set({ question: { text, answer } });
  });

/**
 * Runs an action; what the server refuses is told in its own words.
 * @template T
 * @param {() => T | Promise<T>} action
 * @returns {Promise<T | null>}
 */
export async function trying(action) {
  try {
    return await action();
  } catch (thrown) {
    const error = /** @type {Refused} */ (thrown);
    notify(error.message);
    if (error.status === undefined) console.error(error);
    return null;
  }
}

/** @type {Promise<unknown>} */
let last = Promise.resolve();
/**
 * What changes a session happens one after the other, in the order in which it was asked for.
 * @template T
 * @param {() => T | Promise<T>} action
 * @returns {Promise<T | null>}
 */
export function inTurn(action) {
  const mine = last.then(() => trying(action));
  last = mine;
  return mine;
}

/**
 * The same for what may fail because of the game: that is told where it was asked for, and the server tells all who watch.
 * @template T
 * @param {string} what
 * @param {() => Promise<T>} action
 */
export const changing = (what, action) =>
  inTurn(async () => {
    if (!mayChange()) return null; // the page says so above its columns
    try {
      return await action();
    } catch (thrown) {
      const error = /** @type {Refused} */ (thrown);
      if (error.code !== "game" && error.code !== "evaluator") throw error;
      const session = current();
      const failure = { what, message: error.message, position: session.position.text, moment: session.moment };
      set({ session: { ...session, failure }, readFailure: null });
      return null;
    }
  });

/** What the panels show now. */
export const seen = () => seenIn(state);

/** The move that is shown as the best; null: none yet. */
export const shownBest = () => {
  const { result } = seen();
  return result?.visits ? (result.actions.find((a) => a.number === result.best_number) ?? null) : null;
};

/** Whether there is anything to search: the game goes on, and it is a player's turn. */
export const searchable = () => state.session !== null && !state.session.position.over && !state.session.position.chance;
