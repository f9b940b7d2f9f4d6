// The whole tree by depth: a row for each depth, a cell as wide as its share of the visits.

import { html, useRef, useState } from "../vendor/preact-htm.js";
import { placeCells } from "../cells.js";
import { inkOn, rangeOf, valueColour } from "../colour.js";
import { percent, value } from "../format.js";
import { t, who } from "../i18n.js";
import { shorten } from "../layout.js";
import { key } from "../shown.js";
import { shownFor, turned } from "../side.js";
import { seen, state, theme } from "../store.js";
import { reveal } from "../treeview.js";
import { useSize } from "./size.js";

/** @import { Cell } from "../cells.js" */
/** @import { TreeMap } from "../types.js" */

const ROWS = 8;

export function Icicle() {
  /** @type {{ current: HTMLDivElement }} filled before effects and handlers run */
  const box = useRef(/** @type {any} */ (null));
  const { width } = useSize(box, { width: 600, height: 0 });
  const [at, setAt] = useState(/** @type {Cell | null} */ (null));
  const { map } = seen();
  const cells = map && map.visits > 0 ? cellsOf(map).filter((c) => c.wide * width >= 0.6) : [];
  const depth = Math.min(ROWS, Math.max(1, ...cells.map((c) => c.depth)));
  const high = 15;
  const range = rangeOf(
    state.session,
    cells.map((c) => c.worth),
  );
  const chosen = state.chosen ? key(state.chosen) : null;
  return html`<section class="card icicle-card" aria-label=${t("whole_tree")}>
    <div class="bar">
      <h2>${t("whole_tree")}</h2>
      <span class="dim grow" aria-live="off">${at ? words(at) : t("icicle_hint")}</span>
    </div>
    <div class="icicle" ref=${box}>
      <svg
        id="icicle"
        width=${width}
        height=${(depth + 1) * high}
        role="img"
        aria-label=${t("icicle_label")}
        onMouseLeave=${() => setAt(null)}
      >
        ${cells
          .filter((c) => c.depth <= ROWS)
          .map(
            (cell) =>
              html`<g
                key=${key(cell.path)}
                class=${`cell${key(cell.path) === chosen ? " chosen" : ""}`}
                onClick=${() => reveal(cell.path)}
                onMouseEnter=${() => setAt(cell)}
              >
                <rect
                  x=${(cell.left * width).toFixed(2)}
                  y=${cell.depth * high}
                  width=${Math.max(0.5, cell.wide * width - 0.7).toFixed(2)}
                  height=${high - 1}
                  fill=${valueColour(cell.worth, range, theme())}
                />
                ${
                  cell.wide * width > 9 + 7 * (cell.depth ? shorten(cell.name ?? "", 9).length : 4) &&
                  html`<text
                    x=${(cell.left * width + 4).toFixed(1)}
                    y=${cell.depth * high + 11}
                    fill=${inkOn(cell.worth, range, theme())}
                    >${cell.depth ? shorten(cell.name ?? "", 9) : t("root")}</text
                  >`
                }
              </g>`,
          )}
      </svg>
    </div>
  </section>`;
}

/** The cells, with values for the player whose values are shown. @param {TreeMap} map */
const cellsOf = (map) => placeCells(map).map((cell) => ({ ...cell, worth: turned(cell.worth, cell.valueFor) }));

/** @param {Cell} cell */
const words = (cell) =>
  `${cell.line.join(" ") || t("root")} · ${percent(cell.share)} · ${value(cell.worth)} (${t("for_player", { who: who(shownFor(cell.valueFor)) })})`;
