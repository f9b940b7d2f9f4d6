// Sessions: open, name, delete, link to, export, import.

import { html, useEffect, useState } from "../vendor/preact-htm.js";
import { get } from "../api.js";
import { t } from "../i18n.js";
import { savePng, saveSvg } from "../picture.js";
import { base, importFile, open, rename } from "../session.js";
import { notify, state, trying } from "../store.js";
import { Dialog, close } from "./dialog.js";
import { SessionList } from "./sessions.js";

export function Keep() {
  const [sessions, setSessions] = useState(null);
  const [name, setName] = useState(state.session.name ?? "");
  // Those that others have only looked at are of no use to anybody else.
  const shown = (s) => !s.temporary || s.id === state.session.id;
  const read = () => trying(async () => setSessions((await get("/api/sessions")).sessions.filter(shown)));
  useEffect(() => void read(), []);
  const link = location.origin + state.session.permalink;
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(link);
      notify(t("copied"), "note");
    } catch {
      document.getElementById("permalink").select();
    }
  };
  const file = (form) => `${base()}/export?form=${form}`;
  return html`<${Dialog} title=${t("sessions")} wide>
    <div class="keep">
      <section>
        <h3>${t("this_session")}</h3>
        <form class="row" onSubmit=${(e) => (e.preventDefault(), rename(state.session.id, name).then(read))}>
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
          <a class="button quiet" href=${file("search")} download>${t("export_search")}</a
          ><a class="button quiet" href=${file("json")} download>JSON</a>
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
            onChange=${async (e) => e.target.files[0] && (await importFile(e.target.files[0])) && close()}
        /></label>
      </section>
      <section>
        <h3>${t("all_sessions")}</h3>
        ${
          sessions === null
            ? html`<p class="dim">…</p>`
            : html`<${SessionList}
                sessions=${sessions}
                onOpen=${(s) => (trying(() => open(s.id)), close())}
                onDeleted=${read}
              />`
        }
      </section>
    </div>
  <//>`;
}
