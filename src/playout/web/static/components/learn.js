// The lessons there are.

import { html, useEffect } from "../vendor/preact-htm.js";
import { t } from "../i18n.js";
import { openLesson, readLessons } from "../prepared.js";
import { state, trying } from "../store.js";
import { Dialog } from "./dialog.js";

export function Learn() {
  useEffect(() => void trying(readLessons), [state.language]);
  return html`<${Dialog} title=${t("lessons")}>
    <p>${t("lessons_note")}</p>
    <ul class="learn">
      ${state.lessons.map(
        ({ name, title }) =>
          html`<li key=${name}>
            <button class="secondary" data-lesson=${name} onClick=${() => trying(() => openLesson(name))}>${title}</button>
          </li>`,
      )}
    </ul>
  <//>`;
}
