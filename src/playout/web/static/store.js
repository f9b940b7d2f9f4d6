// What the page knows, in one object. Components read it; only `set` changes it, and a change draws the page once a frame.

const kept = (name, otherwise) => {
  try {
    return localStorage.getItem(`playout.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
};

export const keep = (name, text) => {
  try {
    localStorage.setItem(`playout.${name}`, text);
  } catch {
    // a browser that keeps nothing: the choice lasts as long as the page
  }
};

// Kept by this tab alone, until it is closed.
export const keepInTab = (name, text) => {
  try {
    sessionStorage.setItem(`playout.${name}`, text);
  } catch {
    // as above
  }
};

export const keptInTab = (name) => {
  try {
    return sessionStorage.getItem(`playout.${name}`);
  } catch {
    return null;
  }
};

const language = () => kept("language", (navigator.language ?? "en").toLowerCase().startsWith("zh") ? "zh" : "en");
const dark = matchMedia("(prefers-color-scheme: dark)");

export const state = {
  // the server's
  server: null,
  games: [],
  presets: [],
  settings: [],
  compiling: null, // while a first search waits for the compiler: about how many seconds that takes
  trouble: null, // why there is no session to show: { code, message }
  // the session's
  session: null,
  run: null, // the run that is on
  result: null,
  tree: null, // the watched top of the tree
  map: null,
  line: null, // the principal line
  chart: { points: [], names: {} },
  game: null, // the game so far
  explanation: null,
  connected: true,
  updates: 0, // live updates so far
  // the view of the tree
  open: new Map(), // path -> how many children to show there
  closed: new Set(),
  views: new Map(), // path -> node with its children, beyond what is watched
  pins: new Map(), // path -> node that is shown although it is not among the most visited
  chosen: null, // the path of the node whose details are shown
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
  readFailure: null, // the failure that was closed, as JSON
  shown: null, // a position of an expected line that is looked at on the board: { src, label }
  said: "", // for screen readers
  language: language(),
  theme: kept("theme", "auto"),
  systemDark: dark.matches,
};

const listeners = new Set();
let waiting = false;

export function set(change) {
  Object.assign(state, change);
  if (waiting) return;
  waiting = true;
  requestAnimationFrame(() => {
    waiting = false;
    for (const listener of listeners) listener();
  });
}

export const subscribe = (listener) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

export const theme = () => (state.theme === "auto" ? (state.systemDark ? "dark" : "light") : state.theme);

dark.addEventListener("change", (event) => set({ systemDark: event.matches }));

export function notify(text, kind = "error") {
  const notice = { text, kind, id: Math.random() };
  set({ notices: [...state.notices.slice(-2), notice] });
  setTimeout(() => set({ notices: state.notices.filter((n) => n !== notice) }), kind === "error" ? 9000 : 5000);
}

// Runs an action; what the server refuses is told in its own words.
export async function trying(action) {
  try {
    return await action();
  } catch (error) {
    notify(error.message);
    if (error.status === undefined) console.error(error);
    return null;
  }
}

// What changes a session happens one after the other, in the order in which it was asked for.
let last = Promise.resolve();
export const inTurn = (action) => (last = last.then(() => trying(action)));

// The same for what may fail because of the game: that is told where it was asked for, and the server tells all who watch.
export const changing = (what, action) =>
  inTurn(async () => {
    try {
      return await action();
    } catch (error) {
      if (error.code !== "game" && error.code !== "evaluator") throw error;
      const { session } = state;
      const failure = { what, message: error.message, position: session.position.text, moment: session.moment };
      set({ session: { ...session, failure }, readFailure: null });
      return null;
    }
  });

// The move that is shown as the best; null: none yet.
export const shownBest = () => {
  const { result } = state;
  return result?.visits ? (result.actions.find((a) => a.number === result.best_number) ?? null) : null;
};

// Whether there is anything to search: the game goes on, and it is a player's turn.
export const searchable = () => Boolean(state.session) && !state.session.position.over && !state.session.position.chance;
