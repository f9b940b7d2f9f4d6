// The game so far: a path of drawn positions to walk back along and branch from.

import { html, useState } from "../vendor/preact-htm.js";
import { count } from "../format.js";
import { t } from "../i18n.js";
import { momentBefore, rowsOf } from "../moments.js";
import { keptWords, walk } from "../session.js";
import { current, state } from "../store.js";
import { momentUrl } from "../urls.js";

export function Path() {
  const [drawn, setDrawn] = useState(true);
  const { game } = state,
    session = current();
  if (!game) return null;
  const rows = rowsOf(game.moments);
  const only = game.moments.length === 1,
    before = momentBefore(game);
  return html`<section class="card path-card" aria-label=${t("game_so_far")}>
    <div class="bar">
      <h2>${t("game_so_far")}</h2>
      <button
        class="quiet icon"
        onClick=${() => before !== null && walk(before)}
        disabled=${before === null}
        aria-label=${t("walk_back")}
        title=${t("walk_back")}
      >
        ↶
      </button>
      <button class="quiet" onClick=${() => setDrawn(!drawn)} aria-pressed=${drawn}>${t("drawn")}</button>
    </div>
    ${session.kept && !only && html`<p class="kept" id="kept">${keptWords(session.kept)}</p>`}
    ${only && html`<p class="dim">${t("path_empty")}</p>`}
    ${
      !only &&
      rows.map(
        (row) =>
          html`<ol key=${row.from?.moment ?? "main"} class=${`moments${row.from ? " branch" : ""}`}>
            ${row.from && html`<li class="dim from">${t("branch_at", { ply: row.from.ply })}</li>`}
            ${row.moments.map(
              (m) =>
                html`<li key=${m.moment}>
                  <button
                    class=${`moment${m.moment === game.moment ? " here" : ""}${m.current ? " current" : ""}`}
                    data-moment=${m.moment}
                    aria-current=${m.moment === game.moment ? "step" : undefined}
                    onClick=${() => m.moment !== game.moment && walk(m.moment)}
                    title=${m.parked ? t("parked", { n: count(m.parked) }) : m.text}
                  >
                    ${drawn && html`<img src=${momentUrl(session.id, m.moment)} alt=${m.text} loading="lazy" />`}
                    <span>${m.action === null ? t("start") : `${m.ply}. ${m.action}`}</span>
                  </button>
                </li>`,
            )}
          </ol>`,
      )
    }
  </section>`;
}
