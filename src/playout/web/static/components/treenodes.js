// The parts of the drawn tree: edges, nodes, and what stands beside them.

import { html } from "../vendor/preact-htm.js";
import { valueColour } from "../colour.js";
import { interval, value } from "../format.js";
import { t, who } from "../i18n.js";
import { HEIGHT } from "../layout.js";
import { key } from "../shown.js";
import { shownFor, turnedInterval } from "../side.js";
import { state, theme } from "../store.js";
import { collapse, expand } from "../treeview.js";

/** @import { Item, Range, Shown } from "../types.js" */

/** An item's share of the root's visits; never above 1, whatever is read at different moments. @param {Item} item @param {Shown} top */
const shareOf = (item, top) => (top.node.visits ? Math.min(1, item.visits / top.node.visits) : 0);

/** The line from a parent to an item, as wide as its share of the visits. @param {Item} item @param {Item} parent @param {Shown} top */
export function Edge(item, parent, top) {
  const x1 = parent.x + parent.width,
    x2 = item.x,
    middle = (x1 + x2) / 2;
  const share = item.kind === "node" ? shareOf(item, top) : 0;
  const lit = item.shown?.mark ? " lit" : "";
  const kind = !item.shown ? " faint" : item.shown.principal ? " principal" : "";
  return html`<path
    key=${`e${item.at}`}
    class=${`edge${kind}${lit}`}
    stroke-width=${(1 + 5 * Math.sqrt(share)).toFixed(2)}
    d=${`M${x1},${parent.y}C${middle},${parent.y} ${middle},${item.y} ${x2},${item.y}`}
  />`;
}

/** Places of the tree that are one node are joined by a dotted line. @param {Item[]} items */
export function sharedLinks(items) {
  /** @type {Map<number, Item>} */
  const places = new Map();
  const links = [];
  for (const item of items) {
    if (!item.shared || item.node === null) continue;
    const first = places.get(item.node);
    if (first)
      links.push(
        html`<path
          key=${`s${item.at}`}
          class="shared-link"
          d=${`M${first.x + first.width},${first.y}Q${Math.max(first.x + first.width, item.x + item.width) + 26},${(first.y + item.y) / 2} ${item.x + item.width},${item.y}`}
        />`,
      );
    else places.set(item.node, item);
  }
  return links;
}

/**
 * A node.
 * @param {Item} item
 * @param {Shown} shown
 * @param {Shown} top
 * @param {Range} range
 * @param {string} focus
 * @param {(item: Item) => void} press
 */
export function Pill(item, shown, top, range, focus, press) {
  const { at } = item,
    { node } = shown;
  const share = Math.sqrt(shareOf(item, top));
  const picked = state.chosen && key(state.chosen) === at;
  const classes = [
    "node",
    shown.principal && "principal",
    picked && "chosen",
    shown.mark,
    shown.fresh && "fresh",
    item.shared && "shared",
    !item.visits && item.parent && "unvisited",
    item.fold && "fold",
    item.proof && `proven ${item.proof}`,
  ];
  const turn = item.fold
    ? null
    : item.closed
      ? () => expand(at)
      : item.children.length && item.parent
        ? () => collapse(at)
        : null;
  const words = t("node_label", {
    move: node.action ?? t("root"),
    visits: item.visits,
    value: value(item.value),
    who: who(shownFor(node.value_for)),
  });
  // What is seen comes first, so that people who speak to the page can say it.
  const spread = node.interval ? ` (${interval(turnedInterval(node.interval, node.value_for))})` : "";
  const label = item.fold
    ? item.label
    : `${item.label} ${item.numbers}, ${words}${spread}${item.shared ? ` · ${t("shared")}` : ""}`;
  return html`<g
    key=${at}
    data-at=${at}
    class=${classes.filter(Boolean).join(" ")}
    transform=${`translate(${item.x},${item.y})`}
    role="treeitem"
    tabindex=${focus === at ? 0 : -1}
    aria-level=${shown.path.length + 1}
    aria-selected=${picked ? "true" : "false"}
    aria-label=${label}
    aria-expanded=${shown.total ? String(!item.closed) : undefined}
    onClick=${() => press(item)}
  >
    <rect class="pill" x="0" y=${-HEIGHT / 2} width=${item.width} height=${HEIGHT} rx="11" />
    ${!item.fold && html`<circle class="dot" cx="13" cy="0" r=${(2.6 + 6.6 * share).toFixed(2)} fill=${valueColour(item.value, range, theme())} />`}
    <text class="move" x="26" y="4">${item.label}</text>${" "}
    <text class="numbers" x=${item.width - (item.shared ? 26 : 12)} y="4" text-anchor="end">${item.numbers}</text>
    ${item.shared && html`<path class="shared-sign" d=${`M${item.width - 22},-4h6v6h-6zM${item.width - 19},-1h6v6h-6z`} />`}
    ${
      turn &&
      html`<g class="turn" transform=${`translate(${item.width},0)`} onClick=${(e) => (e.stopPropagation(), turn())}>
        <circle class="target" r="12" /><circle r="7" /><path d=${item.closed ? "M-3.2,0H3.2M0,-3.2V3.2" : "M-3.2,0H3.2"}
      /></g>`
    }
  </g>`;
}

/** What stands beside the children of a node. @param {Item} item @param {string} focus @param {(item: Item) => void} press */
export function Extra(item, focus, press) {
  const more = item.kind === "more";
  return html`<g
    key=${item.at}
    data-at=${item.at}
    class=${item.kind}
    transform=${`translate(${item.x},${item.y})`}
    role=${more ? "treeitem" : "img"}
    tabindex=${more && focus === item.at ? 0 : -1}
    aria-label=${more ? item.label : t("sprout_label", { move: item.label })}
    onClick=${() => more && press(item)}
  >
    <rect class="pill" x="0" y=${-HEIGHT / 2} width=${item.width} height=${HEIGHT} rx="11" />
    <text x="8" y="4">${item.label}</text>
  </g>`;
}
