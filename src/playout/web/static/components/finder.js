// The search field of the tree: nodes whose last move has that text.

import { html, useEffect, useState } from "../vendor/preact-htm.js";
import { count, value } from "../format.js";
import { t } from "../i18n.js";
import { key } from "../shown.js";
import { turned } from "../side.js";
import { state } from "../store.js";
import { find, reveal } from "../treeview.js";

/** @import { Path } from "../types.js" */

export function Finder() {
  const [text, setText] = useState("");
  const { found } = state;
  useEffect(() => {
    const timer = setTimeout(() => find(text), 250);
    return () => clearTimeout(timer);
  }, [text]);
  const go = (/** @type {Path} */ path) => {
    setText("");
    reveal(path);
  };
  return html`<div class="finder">
    <input
      id="find"
      type="search"
      value=${text}
      placeholder=${t("find_move")}
      aria-label=${t("find_move")}
      autocomplete="off"
      onInput=${(e) => setText(e.target.value)}
      onKeyDown=${(e) => e.key === "Enter" && found?.found.length && go(found.found[0].path)}
    />
    ${
      found &&
      text &&
      html`<ul class="found" aria-label=${t("find_move")} aria-live="polite">
        ${found.found.map(
          (f) =>
            html`<li key=${key(f.path)}>
              <button onClick=${() => go(f.path)}>
                <b>${f.line.join(" ")}</b> <span class="dim">${count(f.visits)} · ${value(turned(f.value, f.value_for))}</span>
              </button>
            </li>`,
        )}
        ${!found.found.length && html`<li class="dim">${t("find_none", { text: found.text })}</li>`}
        ${!found.complete && html`<li class="dim">${t("find_part")}</li>`}
      </ul>`
    }
  </div>`;
}
