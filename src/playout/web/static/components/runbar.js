// The main things to do: run, step, play the best move.

import { html } from "../vendor/preact-htm.js";
import { count, percent, seconds, value } from "../format.js";
import { t } from "../i18n.js";
import { isBudget, play, run } from "../session.js";
import { stepOn } from "../stepping.js";
import { current, keep, mayChange, searchable, seen, set, shownBest, state } from "../store.js";
import { whyNot } from "../reasons.js";
import { Failure } from "./failure.js";

/** @import { Budget, Run } from "../types.js" */
/** @import { PageEvent } from "../vendor/preact-htm.js" */

const KINDS = ["simulations", "seconds", "endless"];

/** @type {Record<string, number | undefined>} */
const STEPS = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 };

/** The arrow keys go through the kinds, as through any group of radio buttons. @param {PageEvent} event */
function onKey(event) {
  const step = STEPS[event.key];
  if (!step) return;
  event.preventDefault();
  const next = (KINDS.indexOf(state.budget.kind) + step + KINDS.length) % KINDS.length;
  choose(KINDS[next]);
  /** @type {HTMLElement} */ (event.currentTarget.children[next]).focus();
}

/** For the kind that is chosen now: a quick hand types before the page is drawn again. @param {string} text */
function give(text) {
  const { budget } = state;
  const amount = budget.kind === "simulations" ? Math.round(Number(text)) : Number(text);
  set({ budget: { ...budget, [budget.kind]: amount, wrong: !isBudget(budget.kind, amount) } });
}

/** What is not a number stays as it was typed. @param {Budget} budget */
function shownAmount(budget) {
  const amount = budget.kind === "seconds" ? budget.seconds : budget.simulations;
  return Number.isNaN(amount) ? "" : amount;
}

/** @param {string} kind */
function choose(kind) {
  keep("budget", kind);
  const amount = kind === "seconds" ? state.budget.seconds : state.budget.simulations;
  set({ budget: { ...state.budget, kind, wrong: kind !== "endless" && !isBudget(kind, amount) } });
}

export function Runbar() {
  const { budget } = state,
    session = current();
  const running = state.run;
  const over = session.position.over,
    proven = session.proven !== null;
  const best = shownBest(),
    why = whyNot("run");
  if (!mayChange()) return html`<div class="runbar" id="looking-on"><${Progress} running=${running} /></div>`;
  return html`<div class="runbar" role="toolbar" aria-label=${t("actions")}>
    <div class="group run-group">
      <span class="switch" role="radiogroup" aria-label=${t("budget")} onKeyDown=${onKey}>
        ${KINDS.map(
          (kind) =>
            html`<button
              role="radio"
              tabindex=${budget.kind === kind ? 0 : -1}
              aria-checked=${budget.kind === kind}
              class=${budget.kind === kind ? "on" : ""}
              title=${t(`budget_${kind}_title`)}
              onClick=${() => choose(kind)}
            >
              ${t(`budget_${kind}`)}
            </button>`,
        )}
      </span>
      ${
        budget.kind !== "endless" &&
        html`<input
          id="budget"
          type="number"
          min=${budget.kind === "seconds" ? 0.1 : 1}
          step="any"
          value=${shownAmount(budget)}
          aria-label=${t(`budget_${budget.kind}_title`)}
          disabled=${Boolean(running)}
          aria-invalid=${budget.wrong ? "true" : undefined}
          onInput=${(e) => give(e.target.value)}
          onKeyDown=${(e) => e.key === "Enter" && (e.target.blur(), setTimeout(run))}
        />`
      }
      <button
        id="run"
        class=${running ? "stop" : "primary"}
        onClick=${run}
        disabled=${!running && why !== null}
        title=${running ? t("stop_title") : (why ?? t("run_title"))}
      >
        ${running ? `■ ${t("stop")}` : `▶ ${t("run")}`}
      </button>
    </div>
    <button
      id="step"
      class="secondary"
      onClick=${stepOn}
      disabled=${Boolean(running) || !searchable() || (proven && !state.step)}
      title=${running ? t("why_running") : proven && state.step ? t("step_title") : (whyNot("step") ?? t("step_title"))}
    >
      ⇥ ${t("step")}
    </button>
    <div class="group">
      <button
        id="play-best"
        class="secondary"
        onClick=${() => play(session.position.chance || !best ? "best" : best.number)}
        disabled=${over || (!best && !session.position.chance)}
        title=${over ? t("game_over") : best || session.position.chance ? t("play_best_title") : t("why_no_best")}
      >
        ${session.position.chance ? t("draw_outcome") : best ? t("play_move", { move: best.action }) : t("play_best")} →
      </button>
      ${best && html`<span class="best-numbers"><b>${percent(best.share)}</b> ${t("of_visits")}<span class="dim"> · </span><b>${value(best.proven ?? best.value)}</b>${best.proven !== null ? ` ${t("proven")}` : ""}</span>`}
    </div>
    ${!running && why !== null && html`<span class=${budget.wrong ? "problem" : "dim"} id="why-not" role="status">${why}</span>`}
    <${Progress} running=${running} />
    ${!running && JSON.stringify(session.failure) !== state.readFailure && html`<${Failure} failure=${session.failure} />`}
  </div>`;
}

/** @param {{ running: Run | null }} props */
function Progress({ running }) {
  const { result, simulations: now } = seen(),
    session = current();
  const simulations = running ? Math.max(now, result?.total ?? 0) : now;
  return html`<div class="progress-box">
    <div class="numbers" id="status">
      <span><b id="simulations">${count(simulations)}</b> ${t("simulations")}</span>
      ${session.kept && session.visits > session.simulations && html`<span><b>${count(session.kept.visits)}</b> ${t("kept")}</span>`}
      <span><b>${count(result?.nodes ?? session.nodes)}</b> ${t("nodes")}</span>
      ${state.compiling && html`<span class="dim" id="compiling">${t(state.server?.uncompiled ? "compiling_slow" : "compiling", state.compiling)}</span>`}
      ${running?.kind === "seek" && html`<span class="dim" id="seeking">${t("seeking")}</span>`}
      ${running && html`<span><b>${count(running.simulations_per_second)}</b>/s</span>`}
      ${!running && session.last_run && (session.simulations > 0 || session.last_run.message) && html`<span class="dim">${seconds(session.last_run.seconds ?? 0)} · ${t(`stopped_${session.last_run.stopped_by}`)}</span>`}
    </div>
    <div
      class=${`progress${running ? (running.share === null ? " endless" : " on") : ""}`}
      role="progressbar"
      aria-label=${t("progress")}
      aria-valuemin="0"
      aria-valuemax="100"
      aria-valuenow=${running && running.share !== null ? Math.round(100 * running.share) : undefined}
    >
      <i style=${{ width: running ? `${running.share === null ? 100 : 100 * running.share}%` : "0%" }}></i>
    </div>
  </div>`;
}
