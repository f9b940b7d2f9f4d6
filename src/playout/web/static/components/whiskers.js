// A value with its interval, on the scale of the game.

import { html } from "../vendor/preact-htm.js";
import { valueColour } from "../colour.js";
import { interval } from "../format.js";
import { theme } from "../store.js";

/** @import { Range, Valued } from "../types.js" */

/**
 * @param {object} props
 * @param {Valued} props.action
 * @param {Range} props.range gives the colour
 * @param {Range} [props.scale] the ends of the axis
 * @param {number} [props.width]
 */
export function Whiskers({ action, range, scale = range, width = 40 }) {
  const x = (/** @type {number} */ v) => 3 + (width - 6) * Math.max(0, Math.min(1, (v - scale[0]) / (scale[1] - scale[0])));
  const worth = action.proven ?? action.value;
  return html`<svg class="whiskers" width=${width} height="14" role="img" aria-label=${interval(action.interval)}>
    <title>${interval(action.interval)}</title>
    <line class="axis" x1="3" x2=${width - 3} y1="7" y2="7" />
    ${action.interval && html`<line class="span" x1=${x(action.interval[0])} x2=${x(action.interval[1])} y1="7" y2="7" />`}
    ${worth !== null && worth !== undefined && html`<circle cx=${x(worth)} cy="7" r="3.4" fill=${valueColour(worth, range, theme())} />`}
  </svg>`;
}
