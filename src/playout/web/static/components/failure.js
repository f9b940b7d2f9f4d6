// What the game, or the network, failed at: which rule, how, and where.

import { html } from "../vendor/preact-htm.js";
import { t } from "../i18n.js";
import { set } from "../store.js";

/** @import { Failure as FailureData } from "../types.js" */

/** @param {{ failure: FailureData | null | undefined }} props */
export function Failure({ failure }) {
  if (!failure) return null;
  const searching = ["run", "seek", "step"].includes(failure.what);
  return html`<div class="failure" role="alert" data-what=${failure.what}>
    <p><b>${t(`failed_${failure.what}`)}</b>${" "}<span>${failure.message}</span></p>
    <p class="dim small">
      ${t(searching ? "failed_from" : "failed_in")}${" "}<span class="position-text">${failure.position}</span
      >${" · "}${t(searching ? "failed_tree" : "failed_nothing")}
    </p>
    <button
      class="quiet icon"
      aria-label=${t("close")}
      title=${t("close")}
      onClick=${() => set({ readFailure: JSON.stringify(failure) })}
    >
      ✕
    </button>
  </div>`;
}
