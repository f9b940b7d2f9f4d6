// The moves at the root, the most visited first.

import { html, useState } from "../vendor/preact-htm.js";
import { seriesOf } from "../chart.js";
import { LINES, rangeOf } from "../colour.js";
import { PROOF_SIGNS, count, percent, results, value } from "../format.js";
import { t, who } from "../i18n.js";
import { ending, provenWords } from "../proofs.js";
import { play } from "../session.js";
import { proofOf } from "../side.js";
import { current, seen, state, theme } from "../store.js";
import { choose } from "../treeview.js";
import { Whiskers } from "./whiskers.js";

const SHOWN = 10;

/** @param {number | null} proven */
const provenTitle = (proven) => `${t("proven")}: ${proven === null ? "" : provenWords(proven)}`;

export function Table() {
  const [all, setAll] = useState(false);
  const { result, chart } = seen(),
    session = current();
  const actions = result?.actions ?? [];
  if (!result || !actions.length)
    return html`<p class="dim pad">${session.position.over ? ending(session) : t("table_empty")}</p>`;
  const series = seriesOf(chart);
  const range = rangeOf(
    session,
    actions.map((a) => a.value),
  );
  const shown = all ? actions : actions.slice(0, SHOWN);
  const byPrior = session.options.policy === "puct"; // otherwise priors play no part in the score
  const counted = actions[0].wdl !== null; // the setting `wdl`
  return html`<table class=${byPrior || counted ? "moves narrow" : "moves"} id="moves">
    <caption class="hidden">
      ${t("moves_caption", { who: who(result.value_for) })}
    </caption>
    <thead>
      <tr>
        <th scope="col">${t("move")}</th>
        <th scope="col" class="right">${t("visits")}</th>
        <th scope="col">${t("share")}</th>
        ${byPrior && html`<th scope="col" class="right" title=${t("prior_title")}>${t("prior")}</th>`}
        ${counted && html`<th scope="col" class="right" title=${t("wdl_title")}>${t("wdl")}</th>`}
        <th scope="col" class="right" title=${t("value_title", { who: who(result.value_for) })}>
          ${t("value_of", { who: who(result.value_for) })}
        </th>
        <th scope="col"><span class="hidden">${t("interval")}</span></th>
        <th><span class="hidden">${t("play")}</span></th>
      </tr>
    </thead>
    <tbody>
      ${shown.map((a) => {
        const proof = proofOf(a.proven);
        return html`<tr
          key=${a.number}
          class=${`${a.number === result.best_number ? "best" : ""}${state.chosen?.length === 1 && state.chosen[0] === a.number ? " chosen" : ""}`}
          data-move=${a.action}
          onClick=${() => choose([a.number])}
        >
          <th scope="row">
            <i
              class="swatch"
              style=${{ background: series.includes(a.number) ? LINES[theme()][series.indexOf(a.number)] : "transparent" }}
            ></i>
            <button class="link" title=${t("show_node")}>${a.action}</button>
          </th>
          <td class="right">${count(a.visits)}</td>
          <td class="share">
            <span class="meter"><i style=${{ width: `${100 * a.share}%` }}></i></span
            ><span class="right">${percent(a.share)}</span>
          </td>
          ${byPrior && html`<td class="right dim">${percent(a.prior)}</td>`}
          ${counted && html`<td class="right dim">${results(a.wdl)}</td>`}
          <td class="right">
            ${proof !== null && html`<span class=${`proof ${proof}`} title=${provenTitle(a.proven)}>${PROOF_SIGNS[proof]}</span>`}${value(a.proven ?? a.value)}
          </td>
          <td><${Whiskers} action=${a} range=${range} /></td>
          <td>
            <button
              class="play"
              onClick=${(e) => (e.stopPropagation(), play(a.number))}
              aria-label=${t("play_move", { move: a.action })}
              title=${t("play_move", { move: a.action })}
            >
              →
            </button>
          </td>
        </tr>`;
      })}
    </tbody>
    ${
      actions.length > SHOWN &&
      html`<tfoot>
        <tr>
          <td colspan=${6 + Number(byPrior) + Number(counted)}>
            <button class="link" onClick=${() => setAll(!all)}>
              ${all ? t("fewer") : t("n_more", { n: actions.length - SHOWN })}
            </button>
          </td>
        </tr>
      </tfoot>`
    }
  </table>`;
}
