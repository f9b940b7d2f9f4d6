// Two settings side by side, on the same position with the same budget.

import { html, useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { Live, get, patch, post, remove } from "../api.js";
import { NO_CHART, seriesOf, withPoint } from "../chart.js";
import { rangeOf } from "../colour.js";
import { count, percent, value } from "../format.js";
import { t } from "../i18n.js";
import { isBudget, limits, open } from "../session.js";
import { current, trying } from "../store.js";
import { SESSIONS, sessionUrl } from "../urls.js";
import { Charts } from "./charts.js";
import { Dialog, close } from "./dialog.js";
import { Failure } from "./failure.js";
import { Options, choiceOf, given } from "./options.js";
import { Whiskers } from "./whiskers.js";

/** @import { Budget, Chart, Choice, LiveMessage, Result, Run, Session } from "../types.js" */

/** @typedef {{ session: Session, run: Pick<Run, "share"> | null, result: Result | null, chart: Chart }} Side */

const SIDES = ["A", "B"];

/** Two sessions of one position, which are only for this comparison unless one is opened. */
function useSides() {
  const [sides, setSides] = useState(/** @type {Side[]} */ ([]));
  const lives = useRef(/** @type {Live[]} */ ([])),
    made = useRef(/** @type {string[]} */ ([])),
    asked = useRef(/** @type {Promise<void>[]} */ ([])), // requests for charts under way
    kept = useRef(/** @type {string | null} */ (null)); // the session that is opened

  const tidy = () => {
    for (const live of lives.current) live.close();
    const unused = made.current.filter((id) => id !== kept.current);
    // After the last answer: a chart of a session that is already deleted is an error.
    Promise.all(asked.current).then(() => unused.forEach((id) => remove(sessionUrl(id)).catch(() => {})));
    lives.current = [];
    made.current = [];
    asked.current = [];
  };
  useEffect(() => tidy, []);

  const update = (/** @type {number} */ i, /** @type {(side: Side) => Partial<Side>} */ change) =>
    setSides((old) => old.map((side, j) => (j === i ? { ...side, ...change(side) } : side)));

  const hear = (/** @type {number} */ i, /** @type {string} */ id, /** @type {LiveMessage} */ message) => {
    if (!made.current.includes(id)) return; // closed meanwhile
    if (message.type === "state") update(i, () => ({ session: message.session, run: message.session.run }));
    if (message.type !== "update") return;
    const { run, result, point } = message;
    update(i, (side) => ({ run, result: result ?? side.result, chart: withPoint(side.chart, point, result) }));
    // A short run is over before a few updates have come; the server noted more of it.
    if (!run && result?.visits)
      asked.current.push(
        get(sessionUrl(id, "chart"))
          .then((chart) => update(i, () => ({ chart })))
          .catch(() => {}),
      );
  };

  const start = (/** @type {Choice[]} */ choices, /** @type {Budget} */ budget) =>
    trying(async () => {
      tidy();
      /** @type {Session[]} */
      const sessions = [];
      for (const [i, choice] of choices.entries()) {
        const name = `${t("comparison")} ${SIDES[i]}`;
        const session = await post(SESSIONS, { from: current().id, name, passing: true, ...given(choice) });
        made.current.push(session.id);
        sessions.push(session);
      }
      setSides(sessions.map((session) => ({ session, run: { share: 0 }, result: null, chart: NO_CHART })));
      sessions.forEach((session, i) => {
        const live = new Live(session.id, (message) => hear(i, session.id, message));
        live.watch({ result: true, rate: 6 });
        lives.current.push(live);
      });
      for (const session of sessions) await post(sessionUrl(session.id, "run"), limits(budget));
    });
  const stop = () => sides.forEach((side) => post(sessionUrl(side.session.id, "stop")).catch(() => {}));
  const openSide = (/** @type {Side} */ side) => {
    kept.current = side.session.id;
    close();
    trying(async () => {
      await patch(sessionUrl(side.session.id), { name: side.session.name }); // from now on it is kept
      await open(side.session.id);
    });
  };
  return { sides, start, stop, openSide };
}

export function Compare() {
  const session = current();
  const [choices, setChoices] = useState(() => [
    choiceOf(session),
    /** @type {Choice} */ ({ preset: session.preset === "textbook" ? "default" : "textbook", options: {}, seed: session.seed }),
  ]);
  const { sides, start, stop, openSide } = useSides();
  const running = sides.some((s) => s.run);
  // A move has the same colour on both sides.
  const series = [...new Set(sides.flatMap((s) => seriesOf(s.chart).slice(0, 4)))].sort((a, b) => a - b).slice(0, 6);
  return html`<${Dialog} title=${t("compare")} wide>
    <p class="dim">${t("compare_note", { game: session.game })} <span class="position-text">${session.position.text}</span></p>
    <${Budgets}
      running=${running}
      onStart=${(/** @type {Budget} */ budget) => start(choices, budget)}
      onStop=${stop}
      sides=${sides}
    />
    <div class="versus-columns">
      ${SIDES.map(
        (side, i) =>
          html`<section key=${side} class="side" data-side=${side} aria-label=${side}>
            <h3>${side} · ${choices[i].preset}</h3>
            <${Options}
              choice=${choices[i]}
              name=${`compare-${side}`}
              game=${session.game}
              onChange=${(/** @type {Choice} */ choice) => setChoices(choices.map((c, j) => (j === i ? choice : c)))}
            />
            <${Failure} failure=${sides[i]?.session.failure} />
            ${sides[i]?.result && html`<${SideResult} side=${sides[i]} result=${sides[i].result} series=${series} onOpen=${() => openSide(sides[i])} />`}
          </section>`,
      )}
    </div>
  <//>`;
}

/**
 * How much each side may search, start and stop, and whether both chose the same.
 * @param {object} props
 * @param {Side[]} props.sides
 * @param {boolean} props.running
 * @param {(budget: Budget) => void} props.onStart
 * @param {() => void} props.onStop
 */
function Budgets({ sides, running, onStart, onStop }) {
  const [budget, setBudget] = useState(/** @type {Budget} */ ({ kind: "simulations", simulations: 20000, seconds: 3 }));
  const give = (/** @type {number} */ typed) => {
    const amount = budget.kind === "simulations" ? Math.round(typed) : typed;
    setBudget({ ...budget, [budget.kind]: amount, wrong: !isBudget(budget.kind, amount) });
  };
  const both = sides.length > 0 && !running && sides.every((s) => s.result) ? sides.map((s) => s.result?.best) : null;
  return html`<div class="row wrap">
    <label
      >${t("budget")}${" "}<select
        data-field="compare-kind"
        value=${budget.kind}
        onChange=${(e) => setBudget({ ...budget, kind: e.target.value })}
      >
        <option value="simulations">${t("budget_simulations_title")}</option>
        <option value="seconds">${t("budget_seconds_title")}</option>
      </select></label
    >
    <input
      id="compare-budget"
      type="number"
      min="0.1"
      step="any"
      aria-label=${t("budget")}
      value=${budget.kind === "seconds" ? budget.seconds : budget.simulations}
      aria-invalid=${budget.wrong ? "true" : undefined}
      onInput=${(e) => give(Number(e.target.value))}
    />
    ${budget.wrong && html`<span class="problem" role="status">${t(`why_${budget.kind}`)}</span>`}
    ${running ? html`<button class="stop" onClick=${onStop}>■ ${t("stop")}</button>` : html`<button id="run-both" class="primary" disabled=${budget.wrong} onClick=${() => onStart(budget)}>▶ ${t("run_both")}</button>`}
    ${both && html`<b id="agreement">${t(both[0] === both[1] ? "agree" : "disagree", { a: both[0] ?? "–", b: both[1] ?? "–" })}</b>`}
  </div>`;
}

/**
 * @param {object} props
 * @param {Side} props.side
 * @param {Result} props.result
 * @param {number[]} props.series
 * @param {() => void} props.onOpen
 */
function SideResult({ side, result, series, onOpen }) {
  const { session } = side;
  const range = rangeOf(
    session,
    result.actions.map((a) => a.value),
  );
  return html`<div class=${`progress${side.run ? " on" : ""}`}>
      <i style=${{ width: `${100 * (side.run?.share ?? 1)}%` }}></i>
    </div>
    <dl class="facts wide">
      <div>
        <dt>${t("best")}</dt>
        <dd><b class="side-best">${result.best ?? "–"}</b></dd>
      </div>
      <div>
        <dt>${t("simulations")}</dt>
        <dd class="side-simulations">${count(result.total)}</dd>
      </div>
      <div>
        <dt>${t("speed")}</dt>
        <dd>${count(result.simulations_per_second)}/s</dd>
      </div>
      <div>
        <dt>${t("nodes")}</dt>
        <dd>${count(result.nodes)}</dd>
      </div>
      <div>
        <dt>${t("value")}</dt>
        <dd>${value(result.proven ?? result.value)}${result.proven !== null ? ` ${t("proven")}` : ""}</dd>
      </div>
      <div>
        <dt>${t("depth")}</dt>
        <dd>${result.mean_depth.toFixed(1)} / ${result.max_depth}</dd>
      </div>
    </dl>
    <table class="scores">
      <thead>
        <tr>
          <th scope="col">${t("move")}</th>
          <th scope="col" class="right">${t("visits")}</th>
          <th scope="col" class="right">${t("share")}</th>
          <th scope="col" class="right">${t("value")}</th>
          <th></th>
        </tr>
      </thead>
      <tbody>
        ${result.actions.slice(0, 8).map(
          (a) =>
            html`<tr key=${a.number} class=${a.number === result.best_number ? "best" : ""}>
              <th scope="row">${a.action}</th>
              <td class="right">${count(a.visits)}</td>
              <td class="right">${percent(a.share)}</td>
              <td class="right">${value(a.proven ?? a.value)}</td>
              <td><${Whiskers} action=${a} range=${range} /></td>
            </tr>`,
        )}
      </tbody>
    </table>
    <${Charts} chart=${side.chart} series=${series} />
    <button class="quiet" onClick=${onOpen} disabled=${Boolean(side.run)}>${t("open_side")}</button>`;
}
