// A dialog of the browser's own: Escape closes it, the focus stays inside and comes back afterwards.

import { html, useLayoutEffect, useRef } from "../vendor/preact-htm.js";
import { t } from "../i18n.js";
import { set } from "../store.js";

/** @import { Child } from "../vendor/preact-htm.js" */

export const close = () => set({ dialog: null });

/** @param {{ title: string, wide?: boolean, children?: Child }} props */
export function Dialog({ title, wide = false, children }) {
  /** @type {{ current: HTMLDialogElement }} */
  const box = useRef(/** @type {any} */ (null));
  useLayoutEffect(() => {
    const dialog = box.current;
    dialog.showModal();
    return () => void (dialog.open && dialog.close());
  }, []);
  return html`<dialog
    ref=${box}
    class=${wide ? "wide" : ""}
    aria-label=${title}
    onClose=${close}
    onClick=${(/** @type {Event} */ e) => e.target === box.current && close()}
  >
    <div class="dialog-body">
      <header class="bar">
        <h2>${title}</h2>
        <button class="quiet icon" onClick=${close} aria-label=${t("close")}>✕</button>
      </header>
      ${children}
    </div>
  </dialog>`;
}
