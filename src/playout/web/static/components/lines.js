// The lines of play that the search expects after each of the most visited moves, side by side.

import { html } from "../vendor/preact-htm.js";
import { value } from "../format.js";
import { t, who } from "../i18n.js";
import { seen } from "../store.js";
import { choose } from "../treeview.js";

const LINES = 3,
  MOVES = 12;

export function Lines() {
  const { result } = seen();
  const shown = (result?.actions ?? []).filter((a) => a.line.length > 1).slice(0, LINES);
  if (!result || shown.length < 2) return null;
  return html`<section class="lines">
    <h3>${t("lines_expected", { who: who(result.value_for) })}</h3>
    <ol>
      ${shown.map(
        (a) =>
          html`<li key=${a.number} data-move=${a.action}>
            <b>${value(a.proven ?? a.value)}</b>
            ${a.line
              .slice(0, MOVES)
              .map(
                (move, i) =>
                  html`<button class="link" title=${t("show_node")} onClick=${() => choose(a.line_numbers.slice(0, i + 1))}>
                    ${move}
                  </button>`,
              )}
            ${a.line.length > MOVES && "…"}
          </li>`,
      )}
    </ol>
  </section>`;
}
