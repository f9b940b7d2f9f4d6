// A list of sessions: when each was last used, to be opened or deleted.

import { html, useState } from "../vendor/preact-htm.js";
import { ago, count } from "../format.js";
import { t } from "../i18n.js";
import { discard } from "../session.js";
import { state } from "../store.js";

/** @import { ListedSession } from "../types.js" */

/** @param {{ sessions: ListedSession[], onOpen: (session: ListedSession) => void, onDeleted: () => void }} props */
export function SessionList({ sessions, onOpen, onDeleted }) {
  const [sure, setSure] = useState(/** @type {string | null} */ (null)); // the session whose deletion was asked for once
  const about = (/** @type {ListedSession} */ s) =>
    [
      s.name && s.game,
      `${count(s.simulations)} ${t("simulations")}`,
      s.running && t("running"),
      s.temporary ? t("not_used") : t("last_used", { when: ago(s.touched, state.language) }),
    ].filter(Boolean);
  return html`<ul class="sessions">
    ${sessions.map(
      (s) =>
        html`<li key=${s.id} class=${s.id === state.session?.id ? "here" : ""}>
          <a href=${s.permalink} onClick=${(e) => (e.preventDefault(), onOpen(s))}
            ><b>${s.name || s.game}</b>
            <span class="dim" title=${new Date(1000 * s.touched).toLocaleString(state.language)}>${about(s).join(" · ")}</span>
            <span class="position-text">${s.position}</span></a
          >
          <button
            class=${sure === s.id ? "stop small" : "quiet small"}
            aria-label=${t(sure === s.id ? "delete_really_session" : "delete_session", { name: s.name || s.game })}
            onBlur=${() => setSure(null)}
            onClick=${async () => (sure === s.id ? (await discard(s.id)) && onDeleted() : setSure(s.id))}
          >
            ${t(sure === s.id ? "delete_really" : "delete")}
          </button>
        </li>`,
    )}
  </ul>`;
}
