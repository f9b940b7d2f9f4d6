// A position drawn, with its moves: to be clicked on the drawing, or chosen from the list.

import { html, useState } from "../vendor/preact-htm.js";
import { percent } from "../format.js";
import { t } from "../i18n.js";
import { arrowsOf, isNumbered, squaresOf } from "../squares.js";

const LISTED = 80;

/** @import { Action } from "../types.js" */
/** @import { Square } from "../squares.js" */

/** @param {Square} square */
const place = (square) => ({
  left: `${100 * square.x}%`,
  top: `${100 * square.y}%`,
  width: `${100 * square.w}%`,
  height: `${100 * square.h}%`,
});

/**
 * @param {object} props
 * @param {string} props.game
 * @param {string | null} props.src the drawing; null: the game has none
 * @param {string} props.alt
 * @param {Action[]} [props.actions]
 * @param {Map<number, number> | null} [props.shares] action number -> share of the visits, shown on the squares
 * @param {((action: Action) => void) | null} [props.onMove] null where nothing can be played
 * @param {boolean} [props.listed]
 * @param {string} [props.id]
 */
export function Board({ game, src, alt, actions = [], shares = null, onMove = null, listed = true, id = undefined }) {
  const [from, setFrom] = useState(/** @type {string | null | undefined} */ (null));
  const withSquares = actions.flatMap((a) => {
    const squares = (onMove || shares) && squaresOf(game, a.action);
    return squares ? [{ ...a, squares }] : [];
  });
  const single = withSquares.filter((a) => a.squares.length === 1);
  const pairs = withSquares.filter((a) => a.squares.length === 2);
  const arrows = shares && src ? arrowsOf(pairs, shares) : [];
  const starts = !onMove ? [] : [...new Map(pairs.map((a) => [a.squares[0].name, a.squares[0]])).values()];
  const targets = from ? pairs.filter((a) => a.squares[0].name === from) : [];
  const ends = [...new Map(targets.map((a) => [a.squares[1].name, a])).values()];
  const go = (/** @type {Action} */ action) => {
    setFrom(null);
    onMove?.(action);
  };
  const best = shares ? Math.max(0, ...shares.values()) : 0;
  return html`<div class="board-box">
    <div class="board">
      ${src ? html`<img id=${id} src=${src} alt=${alt} draggable="false" />` : html`<pre class="show">${alt}</pre>`}
      ${
        src &&
        single.map(
          (a) =>
            html`<${onMove ? "button" : "span"}
              key=${a.number}
              class=${`square${a.squares[0].h > 2 * a.squares[0].w ? " tall" : ""}`}
              tabindex=${onMove ? "-1" : undefined}
              style=${place(a.squares[0])}
              title=${onMove ? t("play_move", { move: a.action }) : a.action}
              aria-label=${onMove ? `${t("play_move", { move: a.action })} ${heatOf(shares?.get(a.number) ?? 0)}`.trim() : undefined}
              onClick=${onMove ? () => go(a) : undefined}
            >
              ${isNumbered(game) && html`<span class="spot">${a.action}</span> `}${Heat(shares?.get(a.number) ?? 0, best)}
            <//>`,
        )
      }
      ${arrows.length > 0 && html`<${Arrows} arrows=${arrows} />`}
      ${
        src &&
        starts.map(
          (s) =>
            html`<button
              key=${`f${s.name}`}
              class=${`square${from === s.name ? " picked" : ""}`}
              tabindex="-1"
              style=${place(s)}
              aria-label=${s.name}
              onClick=${() => setFrom(from === s.name ? null : s.name)}
            ></button>`,
        )
      }
      ${
        src &&
        ends.map(
          (a) =>
            html`<button
              key=${`t${a.squares[1].name}`}
              class="square target"
              tabindex="-1"
              style=${place(a.squares[1])}
              aria-label=${t("play_move", { move: a.action })}
              onClick=${() => go(targets.find((x) => x.squares[1].name === a.squares[1].name && /q$/.test(x.action)) ?? a)}
            ></button>`,
        )
      }
    </div>
    ${
      listed &&
      onMove &&
      actions.length > 0 &&
      html`<div class="move-list" role="group" aria-label=${t("legal_moves")}>
        ${actions.slice(0, LISTED).map((a) => html`<button key=${a.number} class="chip" onClick=${() => go(a)} title=${a.probability !== undefined && a.probability !== null ? percent(a.probability) : t("play_move", { move: a.action })}>${a.action}</button>`)}
        ${actions.length > LISTED && html`<span class="dim">${t("n_more", { n: actions.length - LISTED })}</span>`}
      </div>`
    }
  </div>`;
}

/**
 * The most visited moves as arrows from square to square, each as wide as its share of the visits.
 * @param {{ arrows: import("../squares.js").Arrow[] }} props
 */
const Arrows = ({ arrows }) =>
  html`<svg
      class="arrows"
      viewBox="0 0 100 100"
      preserveAspectRatio="none"
      role="img"
      aria-label=${t("arrows", { moves: arrows.map((a) => `${a.action} ${heatOf(a.share)}`).join(", ") })}
    >
      ${arrows.map((a) => html`<g key=${a.action} class=${a.best ? "best" : ""}><line x1=${a.x1} y1=${a.y1} x2=${a.x2} y2=${a.y2} stroke-width=${a.width} /><polygon points=${a.head} /></g>`)}
    </svg>
    ${arrows.map((a) => html`<span key=${a.action} class=${`heat arrow-share${a.best ? " best" : ""}`} style=${{ left: `${a.left}%`, top: `${a.top}%` }} aria-hidden="true">${heatOf(a.share)}</span>`)}`;

/** @param {number} share */
const heatOf = (share) => (share > 0 ? `${Math.round(100 * share)}%` : "");

/** The share of the visits on a square. @param {number} share @param {number} best */
const Heat = (share, best) => share > 0 && html`<span class=${share === best ? "heat best" : "heat"}>${heatOf(share)}</span>`;
