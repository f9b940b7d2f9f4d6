// How share of visits and value of the best moves went, and the best return found, against simulations.

import { html, useRef, useState } from "../vendor/preact-htm.js";
import { foundLine, linesOf, pathOf, scaleOf, seriesOf } from "../chart.js";
import { LINES } from "../colour.js";
import { count, percent, value } from "../format.js";
import { t, who } from "../i18n.js";
import { current, seen, theme } from "../store.js";
import { useSize } from "./size.js";

/** @import { ChartPlace } from "../chart.js" */
/** @import { Chart as ChartData, ChartPoint } from "../types.js" */
/** @import { PageEvent } from "../vendor/preact-htm.js" */

const HEIGHT = 116,
  LEFT = 46,
  RIGHT = 6,
  BOTTOM = 16,
  TOP = 6;

/** @param {{ chart?: ChartData, series?: number[] }} props */
export function Charts({ chart = seen().chart, series = seriesOf(chart) }) {
  /** @type {{ current: HTMLDivElement }} filled before effects and handlers run */
  const box = useRef(/** @type {any} */ (null));
  const { width } = useSize(box, { width: 300, height: 0 });
  const few = chart.points.length < 2;
  return html`<div class="charts" ref=${box}>
    ${
      few
        ? html`<p class="dim">${t("charts_empty")}</p>`
        : html`<${Chart}
              chart=${chart}
              field="share"
              title=${t("chart_share")}
              series=${series}
              width=${width}
              show=${percent}
            />
            <${Chart}
              chart=${chart}
              field="value"
              title=${t("chart_value", { who: who(Math.max(0, current().position.player)) })}
              series=${series}
              width=${width}
              show=${value}
            />
            <${FoundChart} chart=${chart} width=${width} />
            <${Names} chart=${chart} series=${series} />`
    }
  </div>`;
}

/** @param {{ chart: ChartData, series: number[] }} props */
function Names({ chart, series }) {
  return html`<ul class="names">
    ${series.map(
      (number, i) =>
        html`<li key=${number}>
          <i class="swatch" style=${{ background: LINES[theme()][i] }}></i>${chart.names[number] ?? number}
        </li>`,
    )}
  </ul>`;
}

/**
 * @param {object} props
 * @param {ChartData} props.chart
 * @param {number[]} props.series
 * @param {"share" | "value"} props.field
 * @param {string} props.title
 * @param {number} props.width
 * @param {(x: number | null) => string} props.show
 */
function Chart({ chart, series, field, title, width, show }) {
  const tell = (/** @type {ChartPoint} */ point) =>
    point.actions
      .filter((a) => series.includes(a.number))
      .slice(0, 3)
      .map((a) => `${chart.names[a.number] ?? a.number} ${show(a[field])}`)
      .join(" · ");
  const lines = linesOf(chart, series, field);
  return html`<${Plot} points=${chart.points} lines=${lines} field=${field} title=${title} width=${width} tell=${tell} />`;
}

/** The best return found; nothing where the game has none. @param {{ chart: ChartData, width: number }} props */
function FoundChart({ chart, width }) {
  const line = foundLine(chart);
  if (!line.length) return null;
  const tell = (/** @type {ChartPoint} */ point) => value(point.best_found ?? null);
  return html`<${Plot}
    points=${chart.points}
    lines=${[line]}
    field="value"
    title=${t("chart_found")}
    width=${width}
    tell=${tell}
  />`;
}

/**
 * @param {object} props
 * @param {ChartPoint[]} props.points
 * @param {ChartPlace[][]} props.lines
 * @param {"share" | "value"} props.field
 * @param {string} props.title
 * @param {number} props.width
 * @param {(point: ChartPoint) => string} props.tell what the title says of the point under the mouse
 */
function Plot({ points, lines, field, title, width, tell }) {
  const [at, setAt] = useState(/** @type {ChartPoint | null} */ (null));
  const first = points[0].simulations,
    last = points[points.length - 1].simulations;
  const scale = scaleOf(lines, { first, last }, field);
  if (!scale) return null;
  const { least, most } = scale;
  const x = (/** @type {number} */ s) => LEFT + ((width - LEFT - RIGHT) * (s - first)) / Math.max(1, last - first);
  const y = (/** @type {number} */ v) =>
    TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.max(0, Math.min(1, (v - least) / (most - least))));
  const move = (/** @type {PageEvent} */ event) => {
    const frame = event.currentTarget.getBoundingClientRect();
    const wanted = first + ((event.clientX - frame.left - LEFT) / (width - LEFT - RIGHT)) * (last - first);
    setAt(points.reduce((a, b) => (Math.abs(b.simulations - wanted) < Math.abs(a.simulations - wanted) ? b : a)));
  };
  return html`<figure class="chart" data-points=${points.length}>
    <figcaption>${title}${at && html`<span class="dim">${` ${count(at.simulations)}: `}${tell(at)}</span>`}</figcaption>
    <svg width=${width} height=${HEIGHT} role="img" aria-label=${title} onMouseMove=${move} onMouseLeave=${() => setAt(null)}>
      ${[least, (least + most) / 2, most].map(
        (v) =>
          html`<g class="grid"
            ><line x1=${LEFT} x2=${width - RIGHT} y1=${y(v)} y2=${y(v)} />
            <text x=${LEFT - 5} y=${y(v) + 3.5} text-anchor="end"
              >${field === "share" ? `${Math.round(100 * v)}%` : value(v)}</text
            ></g
          >`,
      )}
      <text class="tick" x=${LEFT} y=${HEIGHT - 3}>${count(first)}</text>
      <text class="tick" x=${width - RIGHT} y=${HEIGHT - 3} text-anchor="end">${count(last)}</text>
      ${lines.map((line, i) => html`<path key=${i} class="line" stroke=${LINES[theme()][i]} d=${pathOf(line, x, y)} />`)}
      ${at && html`<line class="cross" x1=${x(at.simulations)} x2=${x(at.simulations)} y1=${TOP} y2=${HEIGHT - BOTTOM} />`}
    </svg>
  </figure>`;
}
