// Two settings side by side, on the same position with the same budget.

import { html, useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { Live, get, post, remove } from "../api.js";
import { rangeOf } from "../colour.js";
import { count, percent, value } from "../format.js";
import { t } from "../i18n.js";
import { limits, open } from "../session.js";
import { state, trying } from "../store.js";
import { Charts, seriesOf } from "./charts.js";
import { Dialog, close } from "./dialog.js";
import { Failure } from "./failure.js";
import { Options, choiceOf, given } from "./options.js";
import { Whiskers } from "./table.js";

const SIDES = ["A", "B"];

export function Compare() {
  const [choices, setChoices] = useState(() => [
    choiceOf(state.session),
    { preset: state.session.preset === "textbook" ? "default" : "textbook", options: {}, seed: state.session.seed },
  ]);
  const [budget, setBudget] = useState({ kind: "simulations", simulations: 20000, seconds: 3 });
  const [sides, setSides] = useState([null, null]); // { session, run, result, chart }
  const lives = useRef([]),
    made = useRef([]),
    asked = useRef([]), // requests for charts under way
    kept = useRef(null); // the id of the one that is opened

  const closeLives = () => (lives.current.forEach((l) => l?.close()), (lives.current = []));
  // The two sessions are only for this comparison, unless one is opened.
  const tidy = () => {
    closeLives();
    const unused = made.current.filter((id) => id !== kept.current);
    // After the last answer: a chart of a session that is already deleted is an error.
    Promise.all(asked.current).then(() => unused.forEach((id) => remove(`/api/sessions/${id}`).catch(() => {})));
    made.current = [];
    asked.current = [];
  };
  useEffect(() => tidy, []);

  const update = (i, change) => setSides((old) => old.map((side, j) => (j === i ? { ...side, ...change } : side)));

  const start = () =>
    trying(async () => {
      tidy();
      const sessions = [];
      for (const [i, choice] of choices.entries()) {
        const session = await post("/api/sessions", {
          from: state.session.id,
          name: `${t("comparison")} ${SIDES[i]}`,
          ...given(choice),
        });
        made.current.push(session.id);
        sessions.push(session);
      }
      setSides(sessions.map((session) => ({ session, run: { share: 0 }, result: null, chart: { points: [], names: {} } })));
      sessions.forEach((session, i) => {
        const live = new Live(session.id, (message) => hear(i, session.id, message));
        live.watch({ result: true, rate: 6 });
        lives.current.push(live);
      });
      for (const session of sessions) await post(`/api/sessions/${session.id}/run`, limits(budget));
    });

  function hear(i, id, message) {
    if (!made.current.includes(id)) return; // closed meanwhile
    if (message.type === "state") update(i, { session: message.session, run: message.session.run });
    if (message.type !== "update") return;
    setSides((old) =>
      old.map((side, j) => {
        if (j !== i) return side;
        const points = [
          ...side.chart.points.filter((p) => p.simulations < (message.point?.simulations ?? 0)),
          ...(message.point ? [message.point] : []),
        ];
        const names = { ...side.chart.names };
        for (const a of message.result?.actions ?? []) names[a.number] = a.action;
        return { ...side, run: message.run, result: message.result ?? side.result, chart: { points, names } };
      }),
    );
    // A short run is over before a few updates have come; the server noted more of it.
    if (!message.run && message.result?.visits)
      asked.current.push(
        get(`/api/sessions/${id}/chart`)
          .then((chart) => update(i, { chart }))
          .catch(() => {}),
      );
  }

  const running = sides.some((s) => s?.run);
  const stop = () => sides.forEach((s) => s?.session && post(`/api/sessions/${s.session.id}/stop`).catch(() => {}));
  const openSide = (side) => ((kept.current = side.session.id), close(), trying(() => open(side.session.id)));
  // A move has the same colour on both sides.
  const series = [...new Set(sides.flatMap((s) => (s ? seriesOf(s.chart).slice(0, 4) : [])))].sort((a, b) => a - b).slice(0, 6);
  const done = sides.every((s) => s?.result) && !running;
  return html`<${Dialog} title=${t("compare")} wide>
    <p class="dim">
      ${t("compare_note", { game: state.session.game })} <span class="position-text">${state.session.position.text}</span>
    </p>
    <div class="row wrap">
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
        value=${budget[budget.kind]}
        onInput=${(e) => e.target.value > 0 && setBudget({ ...budget, [budget.kind]: budget.kind === "simulations" ? Math.round(e.target.value) : Number(e.target.value) })}
      />
      ${running ? html`<button class="stop" onClick=${stop}>■ ${t("stop")}</button>` : html`<button id="run-both" class="primary" onClick=${start}>▶ ${t("run_both")}</button>`}
      ${done && html`<b id="agreement">${t(sides[0].result.best === sides[1].result.best ? "agree" : "disagree", { a: sides[0].result.best ?? "–", b: sides[1].result.best ?? "–" })}</b>`}
    </div>
    <div class="versus-columns">
      ${SIDES.map(
        (side, i) =>
          html`<section key=${side} class="side" data-side=${side} aria-label=${side}>
            <h3>${side} · ${choices[i].preset}</h3>
            <${Options}
              choice=${choices[i]}
              name=${`compare-${side}`}
              onChange=${(choice) => setChoices(choices.map((c, j) => (j === i ? choice : c)))}
            />
            <${Failure} failure=${sides[i]?.session.failure} />
            ${sides[i]?.result && html`<${Side} side=${sides[i]} series=${series} onOpen=${() => openSide(sides[i])} />`}
          </section>`,
      )}
    </div>
  <//>`;
}

function Side({ side, series, onOpen }) {
  const { result, session } = side;
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
