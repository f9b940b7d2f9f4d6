// The tree: drawn, dragged, zoomed (wheel, or two fingers), opened and closed, walked through with the arrow keys.

import { html, useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact-htm.js";
import { rangeOf, valueColour } from "../colour.js";
import { count, value, who } from "../format.js";
import { t } from "../i18n.js";
import { HEIGHT, layout } from "../layout.js";
import { state, theme } from "../store.js";
import { choose, collapse, expand, find, followLine, key, reveal, shownTree } from "../treeview.js";

const LEAST = 0.15,
  MOST = 4;

export function Tree() {
  const box = useRef(null);
  const [view, setView] = useState(null); // { x, y, k } once it was moved; null: it fits by itself
  const [size, setSize] = useState({ width: 600, height: 400 });
  const [focused, setFocus] = useState("");
  const fingers = useRef(new Map()); // pointer -> where it is; a mouse is one of them
  const drag = useRef(null); // { x, y, apart, from, moved }: the middle of the fingers, when the last one came or went
  const wanted = useRef(null); // the path that is brought into sight next
  const inside = useRef(false); // the focus is on a node

  useLayoutEffect(() => {
    const measure = () => setSize({ width: box.current.clientWidth, height: box.current.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    measure();
    return () => observer.disconnect();
  }, []);

  const began = performance.now();
  const top = shownTree();
  const drawn = top ? layout(top, { root: t("root"), more: (n) => t("n_more", { n: count(n) }) }) : null;
  const focus = drawn?.items.some((i) => i.at === focused) ? focused : ""; // the root, where that node is gone
  const range = rangeOf(state.session, drawn ? drawn.items.map((i) => i.value) : []);
  const fitted = fit(drawn, size);
  const now = view ?? fitted;

  useEffect(() => {
    if (drawn) performance.measure("tree drawn", { start: began, end: performance.now() });
    const at = state.chosen ? key(state.chosen) : null;
    if (at !== null && wanted.current !== at && drawn?.items.some((i) => i.at === at)) {
      wanted.current = at;
      setFocus(at);
      bring(drawn.items.find((i) => i.at === at));
    }
    if (at === null) wanted.current = null;
  });
  // A node that changes places with another loses the focus on the way: it gets it back.
  useLayoutEffect(() => {
    if (inside.current && document.activeElement === document.body) node(focus)?.focus({ preventScroll: true });
  });
  useEffect(() => {
    const elsewhere = (event) => (inside.current &&= box.current.contains(event.target));
    addEventListener("pointerdown", elsewhere, true);
    return () => removeEventListener("pointerdown", elsewhere, true);
  }, []);
  // A step that is out of sight is brought into sight.
  const current = drawn?.items.find((i) => i.shown?.mark === "now");
  useEffect(() => void (current && bring(current)), [current?.at, state.beat]);
  // What a step has moved goes back at its end; another position begins as a whole.
  const before = useRef(null);
  useEffect(() => {
    if (state.step) before.current = { view };
    else if (before.current) (setView(before.current.view), (before.current = null));
  }, [Boolean(state.step)]);
  useEffect(() => setView(null), [state.session.id, state.session.moment]);

  const node = (at) => box.current.querySelector(`[data-at="${CSS.escape(at)}"]`);

  function bring(item) {
    const left = now.x + item.x * now.k,
      y = now.y + item.y * now.k;
    const inside = left >= 0 && left + item.width * now.k <= size.width && y >= 0 && y + HEIGHT * now.k <= size.height;
    if (!inside)
      setView({ k: now.k, x: size.width * 0.5 - (item.x + item.width / 2) * now.k, y: size.height * 0.5 - item.y * now.k });
  }

  function zoom(factor, x = size.width / 2, y = size.height / 2) {
    const k = Math.max(LEAST, Math.min(MOST, now.k * factor));
    setView({ k, x: x - ((x - now.x) / now.k) * k, y: y - ((y - now.y) / now.k) * k });
  }

  const onWheel = (event) => {
    event.preventDefault();
    const frame = box.current.getBoundingClientRect();
    if (event.ctrlKey || !event.shiftKey)
      zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - frame.left, event.clientY - frame.top);
    else setView({ ...now, x: now.x - event.deltaY });
  };
  const middle = () => {
    const frame = box.current.getBoundingClientRect();
    const [one, two = one] = [...fingers.current.values()];
    return {
      x: (one.x + two.x) / 2 - frame.left,
      y: (one.y + two.y) / 2 - frame.top,
      apart: Math.hypot(one.x - two.x, one.y - two.y),
    };
  };
  const hold = () => (drag.current = fingers.current.size ? { ...middle(), from: now, moved: false } : null);
  const onDown = (event) => {
    if (event.button !== 0 || fingers.current.size === 2) return;
    fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    hold();
  };
  const onMove = (event) => {
    if (!fingers.current.has(event.pointerId)) return;
    if (!event.buttons) return onUp(event); // let go outside
    fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const { from, ...began } = drag.current,
      to = middle();
    if (!began.moved && Math.hypot(to.x - began.x, to.y - began.y) < 4 && Math.abs(to.apart - began.apart) < 4) return;
    if (!began.moved) box.current.setPointerCapture?.(event.pointerId);
    drag.current.moved = true;
    const k = began.apart > 0 && to.apart > 0 ? Math.max(LEAST, Math.min(MOST, (from.k * to.apart) / began.apart)) : from.k;
    setView({ k, x: to.x - ((began.x - from.x) / from.k) * k, y: to.y - ((began.y - from.y) / from.k) * k });
  };
  const onUp = (event) => {
    fingers.current.delete(event.pointerId);
    hold();
  };

  const onKey = (event) => {
    const items = drawn?.items.filter((i) => i.kind !== "sprout") ?? [];
    const index = Math.max(
      0,
      items.findIndex((i) => i.at === focus),
    );
    const item = items[index];
    const go = (other) => {
      if (!other) return;
      setFocus(other.at);
      bring(other);
      requestAnimationFrame(() => node(other.at)?.focus());
    };
    const inOrder = [...items].sort((a, b) => a.y - b.y || a.x - b.x);
    const place = inOrder.indexOf(item);
    const doing = {
      ArrowDown: () => go(inOrder[place + 1]),
      ArrowUp: () => go(inOrder[place - 1]),
      ArrowRight: () => (item.closed ? expand(item.at) : go(item.children.find((c) => c.kind === "node"))),
      ArrowLeft: () => (item.children.length && item.parent ? collapse(item.at) : go(item.parent)),
      Enter: () => press(item),
      " ": () => press(item),
      Home: () => go(items[0]),
      "+": () => zoom(1.25),
      "-": () => zoom(0.8),
      0: () => setView(null),
    }[event.key];
    if (!doing || event.ctrlKey || event.metaKey || event.altKey || !item) return;
    event.preventDefault();
    event.stopPropagation();
    doing();
  };

  const press = (item) =>
    item.kind === "more" ? expand(key(item.path), item.shownCount + Math.min(item.more, 20)) : choose(item.path);

  return html`<section class="card tree-card" aria-label=${t("tree")}>
    <div class="bar">
      <h2>${t("tree")}</h2>
      <${Finder} />
      <button class="quiet" onClick=${followLine} title=${t("follow_line_title")}>${t("follow_line")}</button>
      <span class="group" role="group" aria-label=${t("zoom")}>
        <button class="quiet icon" onClick=${() => zoom(1.25)} aria-label=${t("zoom_in")}>+</button>
        <button class="quiet icon" onClick=${() => zoom(0.8)} aria-label=${t("zoom_out")}>−</button>
        <button class="quiet" onClick=${() => setView(null)} aria-pressed=${view === null}>${t("fit")}</button>
      </span>
    </div>
    <div
      class="tree-box"
      ref=${box}
      onWheel=${onWheel}
      onPointerDown=${onDown}
      onPointerMove=${onMove}
      onPointerUp=${onUp}
      onPointerCancel=${onUp}
      onKeyDown=${onKey}
      onFocusIn=${() => (inside.current = true)}
      onFocusOut=${(event) => event.relatedTarget && (inside.current = box.current.contains(event.relatedTarget))}
    >
      <svg class="tree" id="tree" role="tree" aria-label=${t("tree_label")} width=${size.width} height=${size.height}>
        <g transform=${`translate(${now.x},${now.y}) scale(${now.k})`}>
          ${drawn?.items.map((item) => item.parent && Edge(item, top))} ${drawn && sharedLinks(drawn.items)}
          ${drawn?.items.map((item) => (item.kind === "node" ? Pill(item, top, range, focus, press) : Extra(item, focus, press)))}
        </g>
      </svg>
      ${drawn && top.node.visits === 0 && !state.step && html`<p class="hint">${t("tree_empty")}</p>`}
      <${Legend} range=${range} />
    </div>
  </section>`;
}

function fit(drawn, size) {
  if (!drawn) return { x: 20, y: 20, k: 1 };
  const pad = 16;
  const k = Math.max(0.64, Math.min(1.15, (size.width - 2 * pad) / drawn.width, (size.height - 2 * pad - 22) / drawn.height));
  const spareX = size.width - drawn.width * k,
    spareY = size.height - 22 - drawn.height * k;
  return { k, x: spareX > 2 * pad ? Math.min(spareX / 2, 60) : pad, y: (spareY > 0 ? spareY / 2 : pad) + (HEIGHT / 2) * k };
}

function Edge(item, top) {
  const { parent } = item;
  const x1 = parent.x + parent.width,
    x2 = item.x,
    middle = (x1 + x2) / 2;
  const share = item.kind === "node" && top.node.visits ? item.visits / top.node.visits : 0;
  const lit = item.shown?.mark ? " lit" : "";
  const kind = item.kind !== "node" ? " faint" : item.shown.principal ? " principal" : "";
  return html`<path
    key=${`e${item.at}`}
    class=${`edge${kind}${lit}`}
    stroke-width=${(1 + 5 * Math.sqrt(share)).toFixed(2)}
    d=${`M${x1},${parent.y}C${middle},${parent.y} ${middle},${item.y} ${x2},${item.y}`}
  />`;
}

// Places of the tree that are one node are joined by a dotted line.
function sharedLinks(items) {
  const places = new Map(),
    links = [];
  for (const item of items) {
    if (!item.shared || item.id === null) continue;
    const first = places.get(item.id);
    if (first)
      links.push(
        html`<path
          key=${`s${item.at}`}
          class="shared-link"
          d=${`M${first.x + first.width},${first.y}Q${Math.max(first.x + first.width, item.x + item.width) + 26},${(first.y + item.y) / 2} ${item.x + item.width},${item.y}`}
        />`,
      );
    else places.set(item.id, item);
  }
  return links;
}

function Pill(item, top, range, focus, press) {
  const { shown, at } = item,
    { node } = shown;
  const share = top.node.visits ? Math.sqrt(item.visits / top.node.visits) : 0;
  const picked = state.chosen && key(state.chosen) === at;
  const classes = [
    "node",
    shown.principal && "principal",
    picked && "chosen",
    shown.mark,
    shown.fresh && "fresh",
    item.shared && "shared",
    !item.visits && item.parent && "unvisited",
    item.proven && "proven",
  ];
  const turn = item.closed ? () => expand(at) : item.children.length && item.parent ? () => collapse(at) : null;
  const label = t("node_label", {
    move: node.action ?? t("root"),
    visits: item.visits,
    value: value(item.value),
    who: who(node.value_for),
  });
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
    <title>
      ${`${label}${node.interval ? ` (${value(node.interval[0])} … ${value(node.interval[1])})` : ""}${item.shared ? ` · ${t("shared")}` : ""}`}
    </title>
    <rect class="pill" x="0" y=${-HEIGHT / 2} width=${item.width} height=${HEIGHT} rx="11" />
    <circle class="dot" cx="13" cy="0" r=${(2.6 + 6.6 * share).toFixed(2)} fill=${valueColour(item.value, range, theme())} />
    <text class="move" x="26" y="4">${item.label}</text>
    <text class="numbers" x=${item.width - (item.shared ? 26 : 12)} y="4" text-anchor="end">${item.numbers}</text>
    ${item.shared && html`<path class="shared-sign" d=${`M${item.width - 22},-4h6v6h-6zM${item.width - 19},-1h6v6h-6z`} />`}
    ${
      turn &&
      html`<g class="turn" transform=${`translate(${item.width},0)`} onClick=${(e) => (e.stopPropagation(), turn())}>
        <circle r="7" /><path d=${item.closed ? "M-3.2,0H3.2M0,-3.2V3.2" : "M-3.2,0H3.2"}
      /></g>`
    }
  </g>`;
}

function Extra(item, focus, press) {
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

function Legend({ range }) {
  const stops = [0, 0.25, 0.5, 0.75, 1];
  return html`<div class="legend" title=${t("legend_title")}>
    <span>${t("legend_value")}</span><span>${value(range[0])}</span>
    ${stops.map((s) => html`<i style=${{ background: valueColour(range[0] + s * (range[1] - range[0]), range, theme()) }}></i>`)}
    <span>${value(range[1])}</span><span class="sep">·</span><span>${t("legend_size")}</span>
  </div>`;
}

function Finder() {
  const [text, setText] = useState("");
  const { found } = state;
  useEffect(() => {
    const timer = setTimeout(() => find(text), 250);
    return () => clearTimeout(timer);
  }, [text]);
  const go = (path) => (setText(""), reveal(path));
  return html`<div class="finder">
    <input
      id="find"
      type="search"
      value=${text}
      placeholder=${t("find_move")}
      aria-label=${t("find_move")}
      autocomplete="off"
      onInput=${(e) => setText(e.target.value)}
      onKeyDown=${(e) => e.key === "Enter" && found?.found.length && go(found.found[0].path)}
    />
    ${
      found &&
      text &&
      html`<ul class="found" aria-label=${t("find_move")} aria-live="polite">
        ${found.found.map(
          (f) =>
            html`<li key=${key(f.path)}>
              <button onClick=${() => go(f.path)}>
                <b>${f.line.join(" ")}</b> <span class="dim">${count(f.visits)} · ${value(f.value)}</span>
              </button>
            </li>`,
        )}
        ${!found.found.length && html`<li class="dim">${t("find_none", { text: found.text })}</li>`}
        ${!found.complete && html`<li class="dim">${t("find_part")}</li>`}
      </ul>`
    }
  </div>`;
}
