// A lesson beside the workbench: its blocks as elements with text, so that nothing in it can run.

import { html, useEffect, useState } from "../vendor/preact-htm.js";
import { t } from "../i18n.js";
import { openLesson, openLink, vary } from "../prepared.js";
import { state, trying } from "../store.js";

/** @import { Block, Slider, Span } from "../types.js" */
/** @import { PageEvent } from "../vendor/preact-htm.js" */

export function Lesson() {
  const { lesson } = state;
  useEffect(() => {
    if (lesson && lesson.language !== state.language) trying(() => openLesson(lesson.name));
  }, [state.language]);
  if (!lesson) return null;
  return html`<section class="card lesson" aria-label=${t("lesson")} lang=${lesson.language === "zh" ? "zh-Hans" : "en"}>
    <div class="bar">
      <h2>${lesson.title}</h2>
      <button
        class="quiet icon"
        id="close-lesson"
        aria-label=${t("close_lesson")}
        title=${t("close_lesson")}
        onClick=${() => openLesson(null)}
      >
        ✕
      </button>
    </div>
    <div class="lesson-text" tabindex="0" role="region" aria-label=${lesson.title}>${lesson.blocks.map(shownBlock)}</div>
  </section>`;
}

/** @param {Block} block @param {number} index */
function shownBlock(block, index) {
  if (block.kind === "heading") return html`<h3 key=${index}>${block.spans.map(shownSpan)}</h3>`;
  if (block.kind === "code") return html`<pre key=${index} tabindex="0">${block.text}</pre>`;
  if (block.kind === "slider") return html`<${Slide} key=${index} block=${block} />`;
  if (block.kind === "list" || block.kind === "steps") {
    const items = block.items.map((spans, i) => html`<li key=${i}>${spans.map(shownSpan)}</li>`);
    return block.kind === "list"
      ? html`<ul key=${index}>
          ${items}
        </ul>`
      : html`<ol key=${index}>
          ${items}
        </ol>`;
  }
  return html`<p key=${index}>${block.spans.map(shownSpan)}</p>`;
}

/** @param {Span} span @param {number} index */
function shownSpan(span, index) {
  if (span.kind === "code") return html`<code key=${index}>${span.text}</code>`;
  if (span.kind === "strong") return html`<strong key=${index}>${span.text}</strong>`;
  if (span.kind === "stress") return html`<em key=${index}>${span.text}</em>`;
  if (span.kind !== "link") return span.text;
  const { link = "?" } = span;
  const go = (/** @type {PageEvent} */ event) => {
    event.preventDefault();
    trying(() => openLink(link));
  };
  return html`<a key=${index} href=${`/${link}`} onClick=${go}>${span.text}</a>`;
}

/** @param {{ block: Slider }} props */
function Slide({ block }) {
  const [value, setValue] = useState(Number(new URLSearchParams(block.link).get(block.vary) ?? 1.4));
  const give = (/** @type {PageEvent} */ event) => {
    setValue(Number(event.target.value));
    vary(block, Number(event.target.value));
  };
  return html`<label class="slide"
    ><span><b>${block.text}</b> = <output>${value}</output></span>
    <input
      type="range"
      min=${block.least}
      max=${block.most}
      step=${(block.most - block.least) / 100}
      value=${value}
      onInput=${give}
    />
    <span class="dim small">${block.least} … ${block.most}</span></label
  >`;
}
