// The tree: drawn, dragged, zoomed (wheel, or two fingers), opened and closed, walked through with the arrow keys.

import { html, useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { rangeOf, valueColour } from "../colour.js";
import { count, value } from "../format.js";
import { t, who } from "../i18n.js";
import { layout } from "../layout.js";
import { textWidth } from "../measure.js";
import { folded, key, shownTree } from "../shown.js";
import { proofOf, turned, viewer } from "../side.js";
import { overlay, tour } from "../stepping.js";
import { current, searchable, state, theme } from "../store.js";
import { choose, expand, followLine } from "../treeview.js";
import { nodeUrl } from "../urls.js";
import { Finder } from "./finder.js";
import { keysAt, useFocus } from "./focus.js";
import { Edge, Extra, Pill, sharedLinks } from "./treenodes.js";
import { useReturn, useView } from "./view.js";

/** @import { Item, Range, TreeNode } from "../types.js" */
/** @import { PageEvent } from "../vendor/preact-htm.js" */

const MORE = 20; // children that are shown at once; then as many as there are already, so that few clicks show them all

const REST = 250; // milliseconds that the mouse rests on a node before its position is drawn

export function Tree() {
  /** @type {{ current: HTMLDivElement }} filled before effects and handlers run */
  const box = useRef(/** @type {any} */ (null));
  const began = performance.now();
  const whole = shownTree(state, overlay());
  const deep = state.step?.path ?? state.chosen ?? [];
  const top = whole && folded(whole, deep, (at) => state.open.has(at));
  const names = { root: t("root"), more: (/** @type {number} */ n) => t("n_more", { n: count(n) }), worth, fold };
  const drawn = top && layout(top, names, textWidth);
  const items = drawn?.items ?? [];
  const range = rangeOf(
    current(),
    items.map((i) => i.value),
  );
  const [told, setTold] = useState("");
  const [peeked, setPeeked] = useState(/** @type {string | null} */ (null));
  const view = useView(box, drawn);
  const focus = useFocus(box, drawn, view.bring);
  useEffect(() => void (drawn && performance.measure("tree drawn", { start: began, end: performance.now() })));
  // A step that is out of sight is brought into sight.
  const stepped = items.find((i) => i.shown?.mark === "now");
  useEffect(() => void (stepped && view.bring(stepped, true)), [stepped?.at, state.beat, view.size.width, view.size.height]);
  useReturn(view);

  // What is under the mouse is told in words below the tree.
  const tell = (/** @type {PageEvent} */ event) => {
    const under = event.target.closest?.("[data-at]");
    setTold(under?.getAttribute("aria-label") ?? "");
    setPeeked(under?.getAttribute("data-at") ?? null);
  };
  const leave = () => (setTold(""), setPeeked(null));
  const peek = peeked === null ? null : items.find((i) => i.at === peeked && i.kind === "node" && !i.fold && i.visits > 0);

  const onKeyDown = (/** @type {PageEvent} */ event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const reachable = items.filter((i) => i.kind !== "sprout");
    const doing = keysAt(reachable, focus.at, { go: focus.go, press, zoom: view.zoom, fit: view.fit })[event.key];
    if (!doing) return;
    event.preventDefault();
    event.stopPropagation();
    doing();
  };

  return html`<section class="card tree-card" aria-label=${t("tree")}>
    <div class="bar">
      <h2>${t("tree")}</h2>
      <${Finder} />
      <button class="quiet" onClick=${followLine} title=${t("follow_line_title")}>${t("follow_line")}</button>
      <${Zoom} view=${view} />
    </div>
    <div
      class="tree-box"
      ref=${box}
      ...${view.handlers}
      ...${focus.handlers}
      onKeyDown=${onKeyDown}
      onMouseOver=${tell}
      onMouseLeave=${leave}
    >
      <svg class="tree" id="tree" role="tree" aria-label=${t("tree_label")} width=${view.size.width} height=${view.size.height}>
        <g transform=${`translate(${view.now.x},${view.now.y}) scale(${view.now.k})`}>
          ${top && items.map((item) => item.parent && Edge(item, item.parent, top))} ${sharedLinks(items)}
          ${top && items.map((item) => (item.shown ? Pill(item, item.shown, top, range, focus.at, press) : Extra(item, focus.at, press)))}
        </g>
      </svg>
      ${top && top.node.visits === 0 && !state.step && html`<${Begin} />`}
      ${peek && current().position.svg && html`<${Peek} key=${peek.at} item=${peek} />`}
      ${told ? html`<div class="legend" id="told">${told}</div>` : html`<${Legend} range=${range} />`}
    </div>
  </section>`;
}

/** The position of the node that the mouse rests on. @param {{ item: Item }} props */
function Peek({ item }) {
  const [src, setSrc] = useState(/** @type {string | null} */ (null));
  useEffect(() => {
    const timer = setTimeout(() => setSrc(nodeUrl(current().id, item.path)), REST);
    return () => clearTimeout(timer);
  }, []);
  return src && html`<img class="peek" id="peek" src=${src} alt=${t("position_of", { move: item.label })} />`;
}

/** Where nothing is searched yet: what this is, and a tour. */
const Begin = () =>
  html`<div class="hint" id="begin-here">
    <p>${t("what_is")}</p>
    <p>${t("tree_empty")}</p>
    ${searchable() && !state.run && html`<p><button id="tour" class="secondary" onClick=${tour}>${t("tour")}</button></p>`}
  </div>`;

/** The folded part of a deep path. @param {number} n */
const fold = (n) => t("n_folded", { n });

/** A node's value for the player whose values are shown. @param {TreeNode} node */
const worth = (node) => ({
  value: turned(node.value, node.value_for),
  proof: proofOf(turned(node.proven, node.value_for)),
});

/** Looks at a node, or shows more children. @param {Item} item */
const press = (item) =>
  item.fold
    ? expand(key(item.path))
    : item.kind === "more"
      ? expand(key(item.path), item.shownCount + Math.min(item.more, Math.max(MORE, item.shownCount)))
      : choose(item.path);

/** @param {{ view: ReturnType<typeof useView> }} props */
const Zoom = ({ view }) =>
  html`<span class="group" role="group" aria-label=${t("zoom")}>
    <button class="quiet icon" onClick=${() => view.zoom(1.25)} aria-label=${t("zoom_in")}>+</button>
    <button class="quiet icon" onClick=${() => view.zoom(0.8)} aria-label=${t("zoom_out")}>−</button>
    <button class="quiet" onClick=${view.fit} aria-pressed=${view.moved === null}>${t("fit")}</button>
  </span>`;

/** @param {{ range: Range }} props */
function Legend({ range }) {
  const side = viewer(),
    stops = [0, 0.25, 0.5, 0.75, 1];
  return html`<div class="legend" title=${side === null ? t("legend_title") : t("legend_title_for", { who: who(side) })}>
    <span>${side === null ? t("legend_value") : t("legend_value_for", { who: who(side) })}</span><span>${value(range[0])}</span>
    ${stops.map((s) => html`<i style=${{ background: valueColour(range[0] + s * (range[1] - range[0]), range, theme()) }}></i>`)}
    <span>${value(range[1])}</span><span class="sep">·</span><span>${t("legend_size")}</span>
  </div>`;
}
