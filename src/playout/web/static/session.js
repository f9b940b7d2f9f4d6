// What is done with a session: open, run, stop, play, walk, start again.

import { Live, get, patch, post, remove, upload } from "./api.js";
import { count } from "./format.js";
import { t } from "./i18n.js";
import { endStep } from "./stepping.js";
import { changing, inTurn, keepInTab, keptInTab, notify, set, state, subscribe, trying } from "./store.js";
import { forgetViews, refreshDetails, refreshViews } from "./treeview.js";

let live = null;
let deleted = null; // the last session that is known to be gone
const EMPTY = {
  result: null,
  tree: null,
  map: null,
  line: null,
  explanation: null,
  chart: { points: [], names: {} },
  shown: null,
};

export const base = () => `/api/sessions/${state.session.id}`;

// Opens the session that the address names, or one of this visit's own. Where that is refused, the page says why.
export const begin = () => {
  tellOfCompiling(() => !state.session && !state.trouble);
  return entering(async () => {
    const [server, games, presets, settings] = await Promise.all([
      get("/api/server"),
      get("/api/games"),
      get("/api/presets"),
      get("/api/settings"),
    ]);
    set({ server, games: games.games, presets: presets.presets, settings: settings.settings });
    const wanted = named();
    if (!wanted || wanted === deleted || !(await trying(() => open(wanted)))) await visit();
  });
};

// While a first search waits for the compiler, nothing comes from its session: the server is asked every second.
async function tellOfCompiling(waits) {
  const aSecond = () => new Promise((resolve) => setTimeout(resolve, 1000));
  for (await aSecond(); waits(); await aSecond()) {
    const server = await get("/api/server").catch(() => null);
    if (waits()) set({ compiling: server?.compiling ?? null });
  }
  if (state.compiling) set({ compiling: null });
}

const named = () => location.pathname.match(/^\/s\/([^/]+)/)?.[1];

async function entering(action) {
  try {
    await action();
  } catch (error) {
    if (error.status === undefined) console.error(error);
    set({ session: null, dialog: null, trouble: { code: error.code, message: error.message } });
  }
}

// A session of this tab's own: others see it only by its link. Unless it is used, the server deletes it after the visit;
// coming back to `/` before that finds it again, so that they do not pile up.
async function visit() {
  const before = keptInTab("visit");
  const unused = before && before !== deleted && (await get(`/api/sessions/${before}`).catch(() => null));
  const session = unused?.temporary ? unused : await post("/api/sessions", { game: "tictactoe", temporary: true });
  keepInTab("visit", session.id);
  enter(session, true);
}

export async function open(id) {
  const session = await get(`/api/sessions/${id}`);
  enter(session);
  return session;
}

function enter(session, instead = false) {
  live?.close();
  endStep();
  forgetViews();
  set({ ...EMPTY, session, run: session.run, game: null, answers: [], found: null, connected: true, trouble: null });
  if (instead || location.pathname === "/") history.replaceState(null, "", session.permalink + location.hash);
  else if (location.pathname !== session.permalink) history.pushState(null, "", session.permalink);
  live = new Live(session.id, hear, (connected) => set({ connected }));
  watch();
  refresh();
}

// Few enough nodes to send several times a second; what is opened further down is asked for by itself.
export function watch() {
  const legal = state.session.position.actions.length;
  live?.watch({
    result: true,
    explain: state.tab === "why" ? state.language : null,
    tree: { path: [], depth: 2, width: legal <= 9 ? Math.max(legal, 4) : 8, lean: true },
    map: { depth: 9, cells: 700 },
    line: { path: [], depth: 4 },
    rate: 8,
  });
}

subscribe(() => state.session && watch());

function hear(message) {
  if (message.type === "state") hearState(message.session);
  else if (message.type === "update") hearUpdate(message);
  else if (message.type === "deleted") gone();
  else if (message.type === "error") notify(message.error.message);
}

// The session was deleted: by this page, by the server because nobody used it, or by somebody else.
function gone() {
  const { id, temporary } = state.session;
  if (id === deleted) return;
  deleted = id;
  live.close();
  if (temporary) entering(visit);
  else set({ session: null, dialog: null, trouble: { code: "deleted", message: t("session_deleted") } });
}

function hearState(session) {
  const before = state.session;
  if (!before || session.id !== before.id) return;
  const ended = before.run && !session.run;
  set({ session, run: session.run });
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

function hearUpdate(message) {
  if (message.version < state.session.version) return; // of the position before
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

function withPoint(chart, point, result) {
  const points = chart.points.filter((p) => p.simulations < point.simulations);
  points.push(point);
  const thinned = points.length > 500 ? points.filter((_, i) => i % 2 === 0 || i === points.length - 1) : points;
  const names = { ...chart.names };
  for (const action of result?.actions ?? []) names[action.number] = action.action;
  return { points: thinned, names };
}

// What the live socket does not send: the chart from its beginning, the game so far.
export function refresh() {
  const id = state.session.id;
  const still = (change) => state.session?.id === id && set(change);
  get(`${base()}/chart`)
    .then((chart) => still({ chart }))
    .catch(() => {});
  get(`${base()}/game`)
    .then((game) => still({ game }))
    .catch(() => {});
  refreshDetails();
}

export const create = (body) => trying(async () => enter(await post("/api/sessions", body)) ?? true);

export const startAgain = (body) =>
  changing("settings", async () => {
    const session = await post(`${base()}/settings`, body);
    endStep();
    moved(session);
    notify(t("started_again"), "note");
    return true;
  });

export const limits = ({ kind, simulations, seconds }) =>
  kind === "simulations" ? { simulations } : kind === "seconds" ? { seconds } : {};

// Shown from the click on, until the server tells of the run itself.
const starting = (kind) => ({ id: 0, share: kind === "endless" ? null : 0, simulations: 0, simulations_per_second: 0 });

export function run() {
  if (state.run) return stop();
  set({ run: starting(state.budget.kind), shown: null, session: { ...state.session, failure: null }, readFailure: null });
  tellOfCompiling(() => state.run && !state.run.simulations);
  return changing("run", async () => {
    endStep();
    try {
      const { run } = await post(`${base()}/run`, limits(state.budget));
      const over = (state.session.last_run?.id ?? 0) >= run.id; // a short run may have ended before this answer came
      set({ run: over ? null : run, said: over ? state.said : t("running") });
    } catch (error) {
      set({ run: null });
      throw error;
    }
  });
}

export const stop = () => inTurn(stopped);

async function stopped() {
  if (!state.run) return;
  await post(`${base()}/stop`);
  set({ run: null });
}

// Plays an action by its number, in the position that is shown now: if that has changed meanwhile, the server refuses.
export const play = (action) => {
  const { moment } = state.session;
  return changing("play", async () => {
    await stopped();
    endStep();
    moved(await post(`${base()}/play`, { action, moment }));
  });
};

export const walk = (moment) =>
  changing("goto", async () => {
    await stopped();
    endStep();
    moved(await post(`${base()}/goto`, { moment }));
  });

function moved(session) {
  forgetViews();
  // What belongs to the position before must not be clicked by mistake: it goes until the new one's comes.
  set({ ...EMPTY, session, said: session.kept ? keptWords(session.kept) : "" });
  watch();
  live.again();
  refresh();
}

export function keptWords(kept) {
  const share = kept.of ? Math.round((100 * kept.visits) / kept.of) : 0;
  if (!kept.visits) return t("kept_none");
  return t(kept.how === "parked" ? "kept_parked" : "kept_subtree", { visits: count(kept.visits), of: count(kept.of), share });
}

export const rename = (id, name) =>
  trying(async () => {
    const session = await patch(`/api/sessions/${id}`, { name });
    if (state.session?.id === id) set({ session });
  });

export const discard = (id) =>
  trying(async () => {
    deleted = id;
    await remove(`/api/sessions/${id}`);
    if (!state.session) await begin();
    else if (state.session.id === id) await entering(visit);
    return true;
  });

export const importFile = (file) =>
  trying(async () => {
    const name = encodeURIComponent(file.name.replace(/\.[^.]*$/, "").slice(0, 80));
    enter(await upload(`/api/sessions/import?name=${name}`, file));
    notify(t("imported", { name: file.name }), "note");
    return true;
  });

export const ask = (kind, question = null) =>
  trying(async () => {
    set({ asking: true });
    try {
      const answer = await post(`${base()}/ask`, { kind, question, language: state.language });
      set({ answers: [{ kind, question, ...answer }, ...state.answers], said: answer.answer });
    } finally {
      set({ asking: false });
    }
  });

addEventListener("popstate", () => {
  if (named() && named() !== state.session?.id) begin();
});
