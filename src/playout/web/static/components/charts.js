// How share of visits and value of the best moves went, against simulations.

import { html, useLayoutEffect, useRef, useState } from "../vendor/preact-htm.js";
import { LINES } from "../colour.js";
import { count, percent, value } from "../format.js";
import { t } from "../i18n.js";
import { state, theme } from "../store.js";

const LINES_SHOWN = 5,
  HEIGHT = 116,
  LEFT = 46,
  BOTTOM = 16,
  TOP = 6;

// The moves that get a line: the most visited at the last point, in a lasting order so that colours stay.
export function seriesOf(chart) {
  const last = chart.points.at(-1);
  return last
    ? last.actions
        .slice(0, LINES_SHOWN)
        .map((a) => a.number)
        .sort((a, b) => a - b)
    : [];
}

export function Charts({ chart = state.chart, series = seriesOf(chart) }) {
  const box = useRef(null);
  const [width, setWidth] = useState(300);
  useLayoutEffect(() => {
    const observer = new ResizeObserver(() => setWidth(box.current.clientWidth));
    observer.observe(box.current);
    setWidth(box.current.clientWidth);
    return () => observer.disconnect();
  }, []);
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
            <${Chart} chart=${chart} field="value" title=${t("chart_value")} series=${series} width=${width} show=${value} />
            <${Names} chart=${chart} series=${series} />`
    }
  </div>`;
}

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

function Chart({ chart, series, field, title, width, show }) {
  const [at, setAt] = useState(null);
  const { points } = chart;
  const lines = series.map((number) =>
    points.flatMap((p) => {
      const found = p.actions.find((a) => a.number === number);
      return found && found[field] !== null ? [[p.simulations, found[field]]] : [];
    }),
  );
  // The first points swing from end to end; the scale is that of what follows, and they are cut off at its ends.
  const settled = points[0].simulations + 0.05 * (points.at(-1).simulations - points[0].simulations);
  const all = lines.flat().flatMap(([x, y]) => (x >= settled ? [y] : []));
  if (!all.length) return null;
  let least = field === "share" ? 0 : Math.min(...all),
    most = Math.max(...all);
  const spare = Math.max(0.08 * (most - least), 1e-3);
  most += spare;
  if (field === "share") most = Math.min(1, most);
  else least -= spare;
  const first = points[0].simulations,
    last = points.at(-1).simulations;
  const x = (s) => LEFT + ((width - LEFT - 6) * (s - first)) / Math.max(1, last - first);
  const y = (v) => TOP + (HEIGHT - TOP - BOTTOM) * (1 - Math.max(0, Math.min(1, (v - least) / (most - least))));
  const move = (event) => {
    const frame = event.currentTarget.getBoundingClientRect();
    const wanted = first + ((event.clientX - frame.left - LEFT) / (width - LEFT - 6)) * (last - first);
    setAt(points.reduce((a, b) => (Math.abs(b.simulations - wanted) < Math.abs(a.simulations - wanted) ? b : a)));
  };
  return html`<figure class="chart" data-points=${points.length}>
    <figcaption>
      ${title}${
        at &&
        html`<span class="dim"
          >${` ${count(at.simulations)}: `}${at.actions
            .filter((a) => series.includes(a.number))
            .slice(0, 3)
            .map((a) => `${chart.names[a.number] ?? a.number} ${show(a[field])}`)
            .join(" · ")}</span
        >`
      }
    </figcaption>
    <svg width=${width} height=${HEIGHT} role="img" aria-label=${title} onMouseMove=${move} onMouseLeave=${() => setAt(null)}>
      ${[least, (least + most) / 2, most].map(
        (v) =>
          html`<g class="grid"
            ><line x1=${LEFT} x2=${width - 6} y1=${y(v)} y2=${y(v)} />
            <text x=${LEFT - 5} y=${y(v) + 3.5} text-anchor="end"
              >${field === "share" ? `${Math.round(100 * v)}%` : value(v)}</text
            ></g
          >`,
      )}
      <text class="tick" x=${LEFT} y=${HEIGHT - 3}>${count(first)}</text>
      <text class="tick" x=${width - 6} y=${HEIGHT - 3} text-anchor="end">${count(last)}</text>
      ${lines.map(
        (line, i) =>
          html`<polyline
            key=${series[i]}
            class="line"
            stroke=${LINES[theme()][i]}
            points=${line.map(([s, v]) => `${x(s).toFixed(1)},${y(v).toFixed(1)}`).join(" ")}
          />`,
      )}
      ${at && html`<line class="cross" x1=${x(at.simulations)} x2=${x(at.simulations)} y1=${TOP} y2=${HEIGHT - BOTTOM} />`}
    </svg>
  </figure>`;
}
