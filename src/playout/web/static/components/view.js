// The view of the tree: dragged, and zoomed by wheel, by two fingers or by buttons.

import { useEffect, useRef, useState } from "../vendor/preact-htm.js";
import { current, state } from "../store.js";
import { centredOn, dragged, fitted, isInSight, withRoot, zoomed } from "../viewport.js";
import { useSize } from "./size.js";

/** @import { Drawn, Item } from "../types.js" */
/** @import { PageEvent } from "../vendor/preact-htm.js" */
/** @import { Grip, View } from "../viewport.js" */

/** The view of what is drawn in a box, and the handlers that change it. @param {{ current: Element }} box @param {Drawn | null} drawn */
export function useView(box, drawn) {
  const [moved, setMoved] = useState(/** @type {View | null} */ (null)); // null: it fits by itself
  const size = useSize(box, { width: 600, height: 400 });
  const now = moved ?? fitted(drawn, size);
  const zoom = (/** @type {number} */ factor, x = size.width / 2, y = size.height / 2) => setMoved(zoomed(now, factor, x, y));
  const fit = () => setMoved(null);
  const bring = (/** @type {Item} */ item, rootToo = false) => {
    const root = rootToo ? drawn?.items[0] : undefined;
    if (isInSight(now, item, size) && (!root || isInSight(now, root, size))) return;
    setMoved((root && withRoot(root, item, size)) ?? centredOn(now, item, size));
  };
  const drag = useDrag(box, now, setMoved);

  const onWheel = (/** @type {WheelEvent} */ event) => {
    event.preventDefault();
    const frame = box.current.getBoundingClientRect();
    if (event.shiftKey && !event.ctrlKey) setMoved({ ...now, x: now.x - event.deltaY });
    else zoom(Math.exp(-event.deltaY * 0.0015), event.clientX - frame.left, event.clientY - frame.top);
  };
  return { now, size, moved, setMoved, zoom, fit, bring, handlers: { onWheel, ...drag } };
}

/** What a step has moved goes back at its end; another position begins as a whole. @param {ReturnType<typeof useView>} view */
export function useReturn({ moved, setMoved, fit }) {
  const before = useRef(/** @type {{ view: View | null } | null} */ (null));
  useEffect(() => {
    if (state.step) before.current = { view: moved };
    else if (before.current) {
      setMoved(before.current.view);
      before.current = null;
    }
  }, [Boolean(state.step)]);
  useEffect(fit, [current().id, current().moment]);
}

/**
 * The handlers of dragging with a mouse or with up to two fingers.
 * @param {{ current: Element }} box
 * @param {View} now
 * @param {(view: View) => void} setView
 */
function useDrag(box, now, setView) {
  const fingers = useRef(/** @type {Map<number, { x: number, y: number }>} */ (new Map())); // by pointer; a mouse is one of them
  // Where the fingers were when the last one came or went, and the view then.
  const held = useRef(/** @type {{ grip: Grip, from: View, moved: boolean } | null} */ (null));

  /** @returns {Grip} */
  const grip = () => {
    const frame = box.current.getBoundingClientRect();
    const [one, two = one] = [...fingers.current.values()];
    return {
      x: (one.x + two.x) / 2 - frame.left,
      y: (one.y + two.y) / 2 - frame.top,
      apart: Math.hypot(one.x - two.x, one.y - two.y),
    };
  };
  const hold = () => {
    held.current = fingers.current.size ? { grip: grip(), from: now, moved: false } : null;
  };
  const onPointerDown = (/** @type {PageEvent} */ event) => {
    if (event.button !== 0 || fingers.current.size === 2) return;
    fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    hold();
  };
  const onPointerUp = (/** @type {PageEvent} */ event) => {
    fingers.current.delete(event.pointerId);
    hold();
  };
  const onPointerMove = (/** @type {PageEvent} */ event) => {
    if (!fingers.current.has(event.pointerId) || !held.current) return;
    if (!event.buttons) return onPointerUp(event); // let go outside
    fingers.current.set(event.pointerId, { x: event.clientX, y: event.clientY });
    const { grip: began, from, moved } = held.current,
      to = grip();
    if (!moved && Math.hypot(to.x - began.x, to.y - began.y) < 4 && Math.abs(to.apart - began.apart) < 4) return;
    if (!moved) box.current.setPointerCapture?.(event.pointerId);
    held.current.moved = true;
    setView(dragged(from, began, to));
  };
  return { onPointerDown, onPointerMove, onPointerUp, onPointerCancel: onPointerUp };
}
