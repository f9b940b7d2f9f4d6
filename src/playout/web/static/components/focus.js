// The keyboard in the tree: which node has the focus, and what the keys do there.

import { useEffect, useLayoutEffect, useRef, useState } from "../vendor/preact-htm.js";
import { key, nearestShown } from "../shown.js";
import { state } from "../store.js";
import { collapse, expand } from "../treeview.js";

/** @import { Drawn, Item } from "../types.js" */
/** @import { PageEvent } from "../vendor/preact-htm.js" */

/**
 * The node with the focus, and the handlers that keep it: a node that changes places with another, or that is chosen
 * elsewhere on the page, has it, too.
 * @param {{ current: Element }} box
 * @param {Drawn | null} drawn
 * @param {(item: Item) => void} bring
 */
export function useFocus(box, drawn, bring) {
  const [focused, setFocus] = useState("");
  const wanted = useRef(/** @type {string | null} */ (null)); // the chosen node that was brought into sight last
  const inside = useRef(false); // the focus is on a node
  const find = (/** @type {string} */ at) => drawn?.items.find((i) => i.at === at);
  const at = nearestShown(focused, (name) => Boolean(find(name)));
  const element = (/** @type {string} */ name) =>
    /** @type {SVGElement | null} */ (box.current.querySelector(`[data-at="${CSS.escape(name)}"]`));

  useEffect(() => {
    const chosen = state.chosen ? key(state.chosen) : null,
      item = chosen === null ? undefined : find(chosen);
    if (item && wanted.current !== item.at) {
      wanted.current = item.at;
      setFocus(item.at);
      bring(item);
    }
    if (chosen === null) wanted.current = null;
  });
  // A node that changes places with another loses the focus on the way: it gets it back.
  useLayoutEffect(() => {
    if (inside.current && document.activeElement === document.body) element(at)?.focus({ preventScroll: true });
  });
  useEffect(() => {
    const elsewhere = (/** @type {PointerEvent} */ event) => {
      inside.current &&= box.current.contains(/** @type {Node} */ (event.target));
    };
    addEventListener("pointerdown", elsewhere, true);
    return () => removeEventListener("pointerdown", elsewhere, true);
  }, []);

  const go = (/** @type {Item | null | undefined} */ item) => {
    if (!item) return;
    setFocus(item.at);
    bring(item);
    requestAnimationFrame(() => element(item.at)?.focus());
  };
  const onFocusIn = () => (inside.current = true);
  const onFocusOut = (/** @type {PageEvent} */ event) => {
    if (event.relatedTarget) inside.current = box.current.contains(event.relatedTarget);
  };
  // Lower case: Preact listens to names that no element has as a property ("onfocusin") as they are written.
  return { at, go, handlers: { onfocusin: onFocusIn, onfocusout: onFocusOut } };
}

/**
 * What a key does at the node with the focus; undefined: nothing.
 * @param {Item[]} items
 * @param {string} at
 * @param {{ go: (item: Item | null | undefined) => void, press: (item: Item) => void, zoom: (factor: number) => void, fit: () => void }} doing
 * @returns {Record<string, (() => unknown) | undefined>}
 */
export function keysAt(items, at, { go, press, zoom, fit }) {
  const item = items.find((i) => i.at === at) ?? items[0];
  if (!item) return {};
  const inOrder = [...items].sort((a, b) => a.y - b.y || a.x - b.x),
    place = inOrder.indexOf(item);
  return {
    ArrowDown: () => go(inOrder[place + 1]),
    ArrowUp: () => go(inOrder[place - 1]),
    ArrowRight: () => (item.closed ? expand(item.at) : go(item.children.find((c) => c.kind === "node"))),
    ArrowLeft: () => (item.children.length && item.parent ? collapse(item.at) : go(item.parent)),
    Enter: () => press(item),
    " ": () => press(item),
    Home: () => go(items[0]),
    "+": () => zoom(1.25),
    "-": () => zoom(0.8),
    0: fit,
  };
}
