// Where the shown nodes stand: the root at the left, a column for each depth, a row for each leaf.

import { count, value } from "./format.js";

export const ROW = 25,
  HEIGHT = 21,
  GAP = 22;
const SPROUTS = 8;

// The width of a text as the tree writes it; measured once for each text.
const brush = document.createElement("canvas").getContext("2d");
const widths = new Map();
function measured(text, font) {
  const name = `${font} ${text}`;
  if (!widths.has(name)) {
    if (widths.size > 20000) widths.clear();
    brush.font = `${font} ${getComputedStyle(document.body).fontFamily}`;
    widths.set(name, brush.measureText(text).width);
  }
  return widths.get(name);
}

export const shorten = (text, most = 18) => ([...text].length > most ? `${[...text].slice(0, most - 1).join("")}…` : text);

export function layout(top, names) {
  const placed = [],
    columns = [];
  let rows = 0;

  function put(item, depth) {
    const label = shorten(item.label);
    const numbers = item.kind === "node" ? `${count(item.visits)} · ${item.proven ? "✓" : ""}${value(item.value)}` : "";
    item.label = label;
    item.numbers = numbers;
    item.textWidth = measured(label, item.kind === "node" ? "650 12px" : "12px");
    item.width =
      item.kind === "node"
        ? 26 + item.textWidth + 8 + measured(numbers, item.proven ? "650 11px" : "11px") + 14 + (item.shared ? 14 : 0)
        : 16 + item.textWidth;
    item.depth = depth;
    columns[depth] = Math.max(columns[depth] ?? 0, item.width);
    placed.push(item);
    const first = rows;
    for (const child of item.children) put(child, depth + 1);
    item.row = item.children.length ? (item.children[0].row + item.children.at(-1).row) / 2 : rows++;
    if (rows === first) rows++;
    return item;
  }

  function itemOf(shown, parent) {
    const { node } = shown;
    const item = {
      kind: "node",
      shown,
      at: shown.at,
      path: shown.path,
      parent,
      visits: node.visits,
      value: node.value,
      proven: node.proven !== null && node.proven !== undefined,
      shared: Boolean(node.shared),
      id: node.id,
      label: shown.path.length ? (node.action ?? String(node.number)) : names.root,
      children: [],
      closed: !shown.open && shown.total > 0,
    };
    item.children = shown.children.map((child) => itemOf(child, item));
    const extra = (kind, label, more = {}) =>
      item.children.push({
        kind,
        label,
        at: `${shown.at}/${kind}${item.children.length}`,
        parent: item,
        path: shown.path,
        children: [],
        ...more,
      });
    if (shown.sprouts) {
      shown.sprouts.slice(0, SPROUTS).forEach((text) => {
        if (!shown.children.some((c) => c.node.action === text)) extra("sprout", text);
      });
      if (shown.sprouts.length > SPROUTS) extra("sprout", names.more(shown.sprouts.length - SPROUTS));
    } else if (shown.more > 0) extra("more", names.more(shown.more), { shownCount: shown.children.length, more: shown.more });
    return item;
  }

  put(itemOf(top, null), 0);
  const lefts = [0];
  columns.forEach((wide, depth) => (lefts[depth + 1] = lefts[depth] + wide + GAP));
  for (const item of placed) {
    item.x = lefts[item.depth];
    item.y = item.row * ROW;
  }
  return { items: placed, width: lefts.at(-1) - GAP, height: (Math.max(rows, 1) - 1) * ROW + HEIGHT };
}
