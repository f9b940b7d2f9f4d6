// The game so far: a path of drawn positions to walk back along and branch from.

import { html, useState } from "../vendor/preact-htm.js";
import { count } from "../format.js";
import { t } from "../i18n.js";
import { base, keptWords, walk } from "../session.js";
import { state } from "../store.js";

// Each branch is a row: the first child goes on in its parent's row, the others begin rows of their own.
export function rowsOf(moments) {
  const children = new Map();
  for (const m of moments) children.set(m.parent, [...(children.get(m.parent) ?? []), m]);
  const rows = [];
  const follow = (moment, row) => {
    row.push(moment);
    const [first, ...others] = [...(children.get(moment.id) ?? [])].sort((a, b) => Number(b.current) - Number(a.current));
    if (first) follow(first, row);
    for (const other of others) {
      const branch = [];
      rows.push({ from: moment, moments: branch });
      follow(other, branch);
    }
  };
  const main = { from: null, moments: [] };
  rows.push(main);
  for (const start of children.get(null) ?? []) follow(start, main.moments);
  return rows;
}

export function Path() {
  const [drawn, setDrawn] = useState(true);
  const { game, session } = state;
  if (!game) return null;
  const rows = rowsOf(game.moments);
  const only = game.moments.length === 1;
  return html`<section class="card path-card" aria-label=${t("game_so_far")}>
    <div class="bar">
      <h2>${t("game_so_far")}</h2>
      <button
        class="quiet icon"
        onClick=${() => stepBack(game)}
        disabled=${only || game.moments.find((m) => m.id === game.moment)?.parent === null}
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
          html`<ol key=${row.from?.id ?? "main"} class=${`moments${row.from ? " branch" : ""}`}>
            ${row.from && html`<li class="dim from">${t("branch_at", { ply: row.from.ply })}</li>`}
            ${row.moments.map(
              (m) =>
                html`<li key=${m.id}>
                  <button
                    class=${`moment${m.id === game.moment ? " here" : ""}${m.current ? " current" : ""}`}
                    data-moment=${m.id}
                    aria-current=${m.id === game.moment ? "step" : undefined}
                    onClick=${() => m.id !== game.moment && walk(m.id)}
                    title=${m.parked ? t("parked", { n: count(m.parked) }) : m.text}
                  >
                    ${drawn && html`<img src=${`${base()}/board.svg?moment=${m.id}`} alt=${m.text} loading="lazy" />`}
                    <span>${m.action === null ? t("start") : `${m.ply}. ${m.action}`}</span>
                  </button>
                </li>`,
            )}
          </ol>`,
      )
    }
  </section>`;
}

function stepBack(game) {
  const parent = game.moments.find((m) => m.id === game.moment)?.parent;
  if (parent !== null && parent !== undefined) walk(parent);
}
