// The details of one node, with its position drawn on the board at the left.

import { html } from "../vendor/preact-htm.js";
import { drawing, full, interval, percent, plain, results, value } from "../format.js";
import { t, who } from "../i18n.js";
import { key } from "../shown.js";
import { provenWords } from "../proofs.js";
import { shownFor, turned, turnedInterval, turnedResults } from "../side.js";
import { current, state } from "../store.js";
import { choose, reveal } from "../treeview.js";
import { belowUrl } from "../urls.js";

/** @import { Details } from "../types.js" */

export function NodePanel() {
  const { chosen, details } = state;
  if (!chosen) return html`<div class="pad"><p class="dim">${t("node_empty")}</p></div>`;
  if (!details) return html`<div class="pad"><p class="dim">…</p></div>`;
  const rows = rowsOf(details);
  return html`<div class="node-panel">
    <h3>${details.line.length ? details.line.join(" ") : t("root")}</h3>
    <nav class="chips" aria-label=${t("path")}>
      <button class="chip" onClick=${() => choose([])}>${t("root")}</button>
      ${details.line.map((move, i) => html`<button class=${`chip${i === details.line.length - 1 ? " here" : ""}`} onClick=${() => choose(details.path.slice(0, i + 1))}>${move}</button>`)}
    </nav>
    ${details.position.svg ? html`<img class="node-board" src=${drawing(details.position.svg)} alt=${details.position.text} />` : html`<pre class="show">${details.position.show}</pre>`}
    <dl class="facts">
      ${rows.map(
        ([name, text]) =>
          html`<div>
            <dt>${name}</dt>
            <dd>${text}</dd>
          </div>`,
      )}
    </dl>
    ${
      details.expected.length > 0 &&
      html`<p>
        <span class="dim">${t("expected_play")}</span>${" "}<span class="chips"
          >${details.expected.map(
            (move, i) =>
              html`<button class="chip" onClick=${() => reveal([...details.path, ...details.expected_numbers.slice(0, i + 1)])}>
                ${move}
              </button>`,
          )}</span
        >
      </p>`
    }
    <p class="position-text">${details.position.text}</p>
    <p class="small">
      ${t("save_below")}${" "}${["svg", "json"].map((form) => html`<a class="button quiet" href=${belowUrl(current().id, form, details.path)} download>${form.toUpperCase()}</a>`)}
    </p>
    <p class="dim small">${t("node_path", { path: key(details.path) || "–" })}</p>
  </div>`;
}

/** The numbers of a node, each with its name. @param {Details} details */
function rowsOf(details) {
  const by = details.value_for,
    proven = turned(details.proven, by);
  return [
    [t("visits"), full(details.visits)],
    [t("value"), `${value(turned(details.value, by))} (${t("for_player", { who: who(shownFor(by)) })})`],
    [t("interval"), interval(turnedInterval(details.interval, by))],
    ...(details.error === null ? [] : [[t("error"), plain(details.error)]]),
    ...(proven === null ? [] : [[t("proven"), provenWords(proven)]]),
    ...(details.prior === null ? [] : [[t("prior"), percent(details.prior)]]),
    ...(details.wdl ? [[t("wdl"), results(turnedResults(details.wdl, by))]] : []),
    [t("to_move_field"), details.position.over ? t("game_over") : who(details.player)],
    [t("children"), t("children_n", { n: details.more, visited: details.visited })],
    [t("shared_field"), details.shared ? t("shared_yes") : t("no")],
  ];
}
