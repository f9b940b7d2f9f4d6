// The keys, and what to do first.

import { html } from "../vendor/preact-htm.js";
import { t } from "../i18n.js";
import { KEYS } from "../keys.js";
import { tour } from "../stepping.js";
import { current, keep, searchable, set, state } from "../store.js";
import { Dialog } from "./dialog.js";

export function Help() {
  return html`<${Dialog} title=${t("help")}>
    <p>${t("what_is")}</p>
    ${searchable() && current().proven === null && !state.run && html`<p><button class="secondary" onClick=${tour}>${t("tour")}</button></p>`}
    <ol class="first">
      ${["first_run", "first_step", "first_look", "first_play"].map((name) => html`<li>${t(name)}</li>`)}
    </ol>
    <h3>${t("keys")}</h3>
    <label
      ><input
        id="keys-on"
        type="checkbox"
        checked=${state.keys}
        onChange=${(e) => (keep("keys", e.target.checked ? "on" : "off"), set({ keys: e.target.checked }))}
      />
      ${t("keys_on")}</label
    >
    <dl class="keys">
      ${KEYS.map(
        ({ shown, name }) =>
          html`<div>
            <dt><kbd>${shown}</kbd></dt>
            <dd>${t(name)}</dd>
          </div>`,
      )}
      ${[
        ["↑ ↓ ← →", "key_tree"],
        ["Enter", "key_node"],
        ["+ − 0", "key_zoom"],
        ["Esc", "key_escape"],
      ].map(
        ([shown, name]) =>
          html`<div>
            <dt><kbd>${shown}</kbd></dt>
            <dd>${t(name)}</dd>
          </div>`,
      )}
    </dl>
    <p class="dim small"><a href="/docs">${t("for_programs")}</a></p>
  <//>`;
}
