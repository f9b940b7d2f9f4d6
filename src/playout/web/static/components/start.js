// Where there is no session to show: the reason, and the sessions there are, to open or delete.

import { html, useEffect, useState } from "../vendor/preact-htm.js";
import { get } from "../api.js";
import { t } from "../i18n.js";
import { begin, open } from "../session.js";
import { state, trying } from "../store.js";
import { SESSIONS } from "../urls.js";
import { SessionList } from "./sessions.js";

/** @import { ListedSession } from "../types.js" */

export function Start() {
  const [sessions, setSessions] = useState(/** @type {ListedSession[]} */ ([]));
  const { code, message } = state.trouble ?? { code: undefined, message: "" };
  useEffect(() => {
    get(SESSIONS)
      .then((answer) => setSessions([...answer.sessions].reverse()))
      .catch(() => {});
  }, [state.trouble]);
  const full = code === "sessions";
  const again = () => {
    if (code === "link") history.replaceState(null, "", "/"); // it would be refused again
    return begin();
  };
  return html`<main class="start card">
    <h2>${t(full ? "full" : "no_session")}</h2>
    <p role="alert" class=${full ? "" : "problem"}>${full ? t("full_note", { n: sessions.length }) : message}</p>
    <p>
      <button id="begin" class="primary" onClick=${again}>
        ${t(code === "deleted" || code === "link" ? "new_visit" : "try_again")}
      </button>
    </p>
    ${
      sessions.length > 0 &&
      html`<h3>${t("all_sessions")} <span class="dim small">${t("oldest_first")}</span></h3>
        <${SessionList}
          sessions=${sessions}
          onOpen=${(/** @type {ListedSession} */ s) => trying(() => open(s.id))}
          onDeleted=${() => {}}
        />`
    }
  </main>`;
}
