// The moves at the root, the most visited first.

import { html, useState } from "../vendor/preact-htm.js";
import { LINES, rangeOf, valueColour } from "../colour.js";
import { count, interval, percent, value, who } from "../format.js";
import { t } from "../i18n.js";
import { play } from "../session.js";
import { state, theme } from "../store.js";
import { choose } from "../treeview.js";
import { seriesOf } from "./charts.js";

const SHOWN = 10;

export function Table() {
  const [all, setAll] = useState(false);
  const { result, session } = state;
  const actions = result?.actions ?? [];
  if (!actions.length) return html`<p class="dim pad">${session.position.over ? t("game_over") : t("table_empty")}</p>`;
  const series = seriesOf(state.chart);
  const range = rangeOf(
    session,
    actions.map((a) => a.value),
  );
  const shown = all ? actions : actions.slice(0, SHOWN);
  const byPrior = session.options.policy === "puct"; // otherwise priors play no part in the score
  return html`<table class=${byPrior ? "moves narrow" : "moves"} id="moves">
    <caption class="hidden">
      ${t("moves_caption", { who: who(result.value_for) })}
    </caption>
    <thead>
      <tr>
        <th scope="col">${t("move")}</th>
        <th scope="col" class="right">${t("visits")}</th>
        <th scope="col">${t("share")}</th>
        ${byPrior && html`<th scope="col" class="right" title=${t("prior_title")}>${t("prior")}</th>`}
        <th scope="col" class="right" title=${t("value_title", { who: who(result.value_for) })}>${t("value")}</th>
        <th scope="col"><span class="hidden">${t("interval")}</span></th>
        <th><span class="hidden">${t("play")}</span></th>
      </tr>
    </thead>
    <tbody>
      ${shown.map(
        (a) =>
          html`<tr
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
            <td class="right">
              ${a.proven !== null ? html`<span class="proof" title=${t("proven")}>✓</span>` : ""}${value(a.proven ?? a.value)}
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
          </tr>`,
      )}
    </tbody>
    ${
      actions.length > SHOWN &&
      html`<tfoot>
        <tr>
          <td colspan=${byPrior ? 7 : 6}>
            <button class="link" onClick=${() => setAll(!all)}>
              ${all ? t("fewer") : t("n_more", { n: actions.length - SHOWN })}
            </button>
          </td>
        </tr>
      </tfoot>`
    }
  </table>`;
}

// The value with its interval, on the scale of the game.
// `range` gives the colour, `scale` the ends of the axis.
export function Whiskers({ action, range, scale = range, width = 40 }) {
  const x = (v) => 3 + (width - 6) * Math.max(0, Math.min(1, (v - scale[0]) / (scale[1] - scale[0])));
  const worth = action.proven ?? action.value;
  return html`<svg class="whiskers" width=${width} height="14" role="img" aria-label=${interval(action.interval)}>
    <title>${interval(action.interval)}</title>
    <line class="axis" x1="3" x2=${width - 3} y1="7" y2="7" />
    ${action.interval && html`<line class="span" x1=${x(action.interval[0])} x2=${x(action.interval[1])} y1="7" y2="7" />`}
    ${worth !== null && worth !== undefined && html`<circle cx=${x(worth)} cy="7" r="3.4" fill=${valueColour(worth, range, theme())} />`}
  </svg>`;
}
