// The size of an element, measured again when it changes.

import { useLayoutEffect, useState } from "../vendor/preact-htm.js";

/** @import { Size } from "../viewport.js" */

/** @param {{ current: Element }} box @param {Size} guess until it is measured */
export function useSize(box, guess) {
  const [size, setSize] = useState(guess);
  useLayoutEffect(() => {
    const measure = () => setSize({ width: box.current.clientWidth, height: box.current.clientHeight });
    const observer = new ResizeObserver(measure);
    observer.observe(box.current);
    measure();
    return () => observer.disconnect();
  }, []);
  return size;
}
