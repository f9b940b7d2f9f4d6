// Sessions: open, name, delete, link to, export, import.

import { html, useEffect, useState } from "../vendor/preact-htm.js";
import { get } from "../api.js";
import { t } from "../i18n.js";
import { savePng, saveSvg } from "../picture.js";
import { importFile, open, rename } from "../session.js";
import { current, notify, trying } from "../store.js";
import { SESSIONS, exportUrl } from "../urls.js";
import { Dialog, close } from "./dialog.js";
import { SessionList } from "./sessions.js";

/** @import { ListedSession } from "../types.js" */

export function Keep() {
  const session = current();
  const [sessions, setSessions] = useState(/** @type {ListedSession[] | null} */ (null));
  const [name, setName] = useState(session.name ?? "");
  // Others' sessions that were only looked at are left out.
  const shown = (/** @type {ListedSession} */ s) => !s.temporary || s.id === session.id;
  const read = () => trying(async () => setSessions((await get(SESSIONS)).sessions.filter(shown)));
  useEffect(() => void read(), []);
  const link = location.origin + session.permalink;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      notify(t("copied"), "note");
    } catch {
      /** @type {HTMLInputElement} */ (document.getElementById("permalink")).select();
    }
  };
  return html`<${Dialog} title=${t("sessions")} wide>
    <div class="keep">
      <section>
        <h3>${t("this_session")}</h3>
        <form class="row" onSubmit=${(e) => (e.preventDefault(), rename(session.id, name).then(read))}>
          <input
            id="session-name"
            value=${name}
            maxlength="200"
            placeholder=${t("name")}
            aria-label=${t("name")}
            onInput=${(e) => setName(e.target.value)}
          /><button class="quiet">${t("rename")}</button>
        </form>
        <div class="row">
          <input
            id="permalink"
            readonly
            value=${link}
            aria-label=${t("permalink")}
            onFocus=${(e) => e.target.select()}
          /><button class="quiet" onClick=${copy}>${t("copy_link")}</button>
        </div>
        <p class="dim small">${t("permalink_note")}</p>
        <h3>${t("export")}</h3>
        <div class="row wrap">
          <a class="button quiet" href=${exportUrl(session.id, "search")} download>${t("export_search")}</a
          ><a class="button quiet" href=${exportUrl(session.id, "json")} download>JSON</a>
          <button class="quiet" id="save-svg" onClick=${saveSvg}>SVG</button
          ><button class="quiet" id="save-png" onClick=${() => trying(savePng)}>PNG</button>
        </div>
        <p class="dim small">${t("export_note")}</p>
        <h3>${t("import")}</h3>
        <label class="field column"
          ><span>${t("import_note")}</span
          ><input
            id="import"
            type="file"
            onChange=${async (e) => e.target.files?.[0] && (await importFile(e.target.files[0])) && close()}
        /></label>
      </section>
      <section>
        <h3>${t("all_sessions")}</h3>
        ${
          sessions === null
            ? html`<p class="dim">…</p>`
            : html`<${SessionList}
                sessions=${sessions}
                onOpen=${(/** @type {ListedSession} */ s) => (trying(() => open(s.id)), close())}
                onDeleted=${read}
              />`
        }
      </section>
    </div>
  <//>`;
}
