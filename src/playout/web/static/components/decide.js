// The best move and why: numbers, intervals, the two lines compared, and the reason in words.

import { html } from "../vendor/preact-htm.js";
import { rangeOf } from "../colour.js";
import { count, interval, percent, value } from "../format.js";
import { t, who } from "../i18n.js";
import { ending } from "../proofs.js";
import { play } from "../session.js";
import { current, seen, set, state } from "../store.js";
import { nodeUrl } from "../urls.js";
import { Whiskers } from "./whiskers.js";

/** @import { FactsOfAction } from "../types.js" */

export function Decide() {
  const { explanation, result } = seen(),
    session = current();
  const facts = explanation?.facts;
  if (!explanation || !facts?.best || !result?.visits)
    return html`<p class="dim pad">
      ${session.position.over ? ending(session) : result?.visits && !facts ? "…" : t("why_empty")}
    </p>`;
  const { best } = facts,
    both = facts.next ? [best, facts.next] : [best];
  const range = rangeOf(
    session,
    both.flatMap((a) => [a.value, ...(a.interval ?? [])]),
  );
  const ends = both
    .flatMap((a) => [a.proven ?? a.value, ...(a.proven === null ? (a.interval ?? []) : [])])
    .flatMap((v) => (v === null ? [] : [v]));
  const least = Math.min(...ends),
    most = Math.max(...ends),
    pad = Math.max(0.15 * (most - least), 0.01 * (range[1] - range[0]));
  return html`<div class="decide">
    <div class="verdict">
      <span class="big" id="best-move">${best.action}</span>
      <span
        >${t("best_for", { who: who(facts.player) })}<br /><b
          >${best.proven === null ? value(best.value) : `${value(best.proven)} ${t("proven")}`}</b
        >${" · "}${percent(best.share)} ${t("of_visits")}</span
      >
      <button class="primary" id="play-why" onClick=${() => play(best.number)}>${t("play_move", { move: best.action })}</button>
    </div>
    <table class="scores versus">
      <thead>
        <tr>
          <th></th>
          <th scope="col">${t("move")}</th>
          <th scope="col" class="right">${t("visits")}</th>
          <th scope="col" class="right">${t("value")}</th>
          <th scope="col">${t("interval")}</th>
        </tr>
      </thead>
      <tbody>
        ${both.map(
          (a, i) =>
            html`<tr class=${i === 0 ? "best" : ""}>
              <td class="dim">${t(i === 0 ? "best" : "next_best")}</td>
              <th scope="row">${a.action}</th>
              <td class="right">${count(a.visits)}</td>
              <td class="right">${value(a.proven ?? a.value)}</td>
              <td>
                <${Whiskers} action=${a} range=${range} scale=${[least - pad, most + pad]} width=${110} /><span
                  class="dim small interval"
                  >${interval(a.interval)}</span
                >
              </td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${both.map((a, i) => html`<${Line} key=${a.number} action=${a} name=${t(i === 0 ? "line_best" : "line_next")} />`)}
    <div class="words" id="reason" aria-live=${state.run ? "off" : "polite"}>
      ${explanation.text.split(/\n\s*\n/).map((text) => html`<p>${text}</p>`)}
    </div>
  </div>`;
}

/** An expected line; each of its moves shows the position after it on the board. @param {{ action: FactsOfAction, name: string }} props */
function Line({ action, name }) {
  const row = seen().result?.actions.find((a) => a.number === action.number);
  const numbers = row?.line_numbers ?? [];
  const look = (/** @type {number} */ i) =>
    set({
      shown: {
        src: nodeUrl(current().id, numbers.slice(0, i + 1)),
        label: t("after_line", { line: action.line.slice(0, i + 1).join(" ") }),
      },
      chosen: null,
    });
  return html`<div class="line-row">
    <span class="dim">${name}</span>${" "}<span class="chips">
      ${action.line.map((move, i) => (i < numbers.length ? html`<button class="chip" onClick=${() => look(i)} title=${t("look_title")}>${move}</button>` : html`<span class="chip static">${move}</span>`))}
      ${action.line_length > action.line.length && html`<span class="dim">…</span>`}</span
    >
  </div>`;
}
