// Sharing: the two links, and what a page is told that follows or that another page leads.

import { html } from "../vendor/preact-htm.js";
import { t } from "../i18n.js";
import { endSharing, lead } from "../sharing.js";
import { follows, leads, mayChange, notify, state } from "../store.js";
import { Dialog } from "./dialog.js";

/** @param {{ id: string, link: string, name: string, note: string }} props */
function Link({ id, link, name, note }) {
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      notify(t("copied"), "note");
    } catch {
      /** @type {HTMLInputElement} */ (document.getElementById(id)).select();
    }
  };
  return html`<label class="field column" for=${id}><b>${name}</b></label>
    <div class="row">
      <input id=${id} class="grow" readonly value=${link} onFocus=${(e) => e.target.select()} /><button
        class="quiet"
        onClick=${copy}
      >
        ${t("copy_link")}
      </button>
    </div>
    <p class="dim small">${note}</p>`;
}

export function Share() {
  const { share } = state;
  return html`<${Dialog} title=${t("share_session")}>
    ${
      leads() && share
        ? html`<${Link}
              id="follow-link"
              link=${location.origin + share.follow}
              name=${t("follow_me")}
              note=${t("follow_note")}
            />
            <${Link}
              id="take-over-link"
              link=${location.origin + share.take_over}
              name=${t("take_over")}
              note=${t("take_over_note")}
            />
            <p><button class="quiet" id="end-sharing" onClick=${endSharing}>${t("end_sharing")}</button></p>`
        : html`<p>${t("share_words")}</p>
            <p><button class="primary" id="begin-sharing" onClick=${lead}>${t("begin_sharing")}</button></p>`
    }
  <//>`;
}

/** Above the columns, where this page is not alone. */
export function ShareBar() {
  if (follows()) return html`<p class="share-bar" role="status" id="following">${t("following")}</p>`;
  if (leads()) return html`<p class="share-bar" role="status" id="leading">${t("leading")}</p>`;
  if (mayChange()) return null;
  return html`<p class="share-bar" role="status" id="led">
    ${t("led")} <button class="quiet" id="take-over" onClick=${lead}>${t("take_over")}</button>
  </p>`;
}
