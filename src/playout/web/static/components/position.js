// The left column's board: the present position, or the one that a step, a node or an expected line is at.

import { html } from "../vendor/preact-htm.js";
import { drawing } from "../format.js";
import { t, who } from "../i18n.js";
import { play } from "../session.js";
import { ending, provenWords } from "../proofs.js";
import { proofOf } from "../side.js";
import { scene } from "../stepping.js";
import { current, mayChange, seen, set, state } from "../store.js";
import { Board } from "./board.js";

/** @import { Action } from "../types.js" */

export function Position() {
  const { result, proven } = seen(),
    session = current();
  const step = scene();
  const looked = state.shown;
  const { position } = session;
  const shares = result?.visits ? new Map(result.actions.map((a) => /** @type {const} */ ([a.number, a.share]))) : null;
  const title = step ? step.label : looked ? looked.label : t("board_now");
  let board;
  if (step) board = html`<${Board} game=${session.game} id="board" src=${drawing(step.svg)} alt=${step.text} />`;
  else if (looked) board = html`<${Board} game=${session.game} id="board" src=${looked.src} alt=${looked.label} />`;
  else
    board = html`<${Board}
      game=${session.game}
      id="board"
      src=${drawing(position.svg)}
      alt=${position.show}
      actions=${position.actions}
      shares=${shares}
      onMove=${mayChange() ? (/** @type {Action} */ a) => play(a.number) : null}
    />`;
  return html`<section class="card position-card" aria-label=${t("board")}>
    <div class="bar">
      <h2>${title}</h2>
      ${looked && html`<button class="quiet" onClick=${() => set({ shown: null })}>${t("back_to_now")}</button>`}
    </div>
    ${board}
    ${
      !step &&
      !looked &&
      html`<p class="turn-line">
        <b id="turn">${position.over ? ending(session) : t("to_move", { who: who(position.player) })}</b>
        ${proven !== null && html`<span class=${`proof ${proofOf(proven)}`}> · ${t("proven_for", { who: who(position.player), value: provenWords(proven) })}</span>`}
      </p>`
    }
    <p class="position-text" title=${t("position_text")}>${step ? step.text : looked ? "" : position.text}</p>
  </section>`;
}
