// The best complete line of one player: its return, its actions, and the position at its end.

import { html } from "../vendor/preact-htm.js";
import { count, drawing, value } from "../format.js";
import { t } from "../i18n.js";
import { seen } from "../store.js";

const SHOWN = 60;

export function Found() {
  const found = seen().result?.best_found;
  if (!found) return null;
  return html`<section class="best-found" id="found" aria-label=${t("found")}>
    <h3>
      ${`${t("found")}: `}
      <b id="found-value">${value(found.value)}</b
      >${found.simulation !== null && html`<span class="dim small">${` ${t("found_by", { n: count(found.simulation) })}`}</span>`}
    </h3>
    <img id="found-end" src=${drawing(found.svg)} alt=${found.position} />
    <div class="chips">
      ${found.line.slice(0, SHOWN).map((move) => html`<span class="chip static">${move}</span>`)}
      ${found.line_length > SHOWN && html`<span class="dim">… ${t("found_actions", { n: count(found.line_length) })}</span>`}
    </div>
  </section>`;
}
