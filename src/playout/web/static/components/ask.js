// Questions: about this choice, this step, or anything.

import { html, useState } from "../vendor/preact-htm.js";
import { t } from "../i18n.js";
import { ask } from "../session.js";
import { state } from "../store.js";

export function Ask() {
  const [question, setQuestion] = useState("");
  const { server, asking, answers } = state;
  const send = () => {
    if (!question.trim()) return;
    ask("question", question.trim().slice(0, 2000));
    setQuestion("");
  };
  return html`<div class="ask">
    <h3>${t("ask")}</h3>
    <p class="dim small">${server?.ask ? t("ask_model", { model: server.ask.model }) : t("ask_built_in")}</p>
    <div class="row">
      <button class="quiet" id="ask-choice" onClick=${() => ask("choice")} disabled=${asking}>${t("explain_choice")}</button>
      <button class="quiet" id="ask-step" onClick=${() => ask("step")} disabled=${asking}>${t("explain_step")}</button>
    </div>
    <div class="row">
      <textarea
        id="question"
        rows="2"
        maxlength="2000"
        value=${question}
        placeholder=${t("question_example")}
        aria-label=${t("question")}
        onInput=${(e) => setQuestion(e.target.value)}
        onKeyDown=${(e) => e.key === "Enter" && !e.shiftKey && (e.preventDefault(), send())}
      ></textarea>
      <button class="secondary" id="ask-send" onClick=${send} disabled=${asking || !question.trim()}>${t("send")}</button>
    </div>
    ${asking && html`<p class="dim" role="status">${t("thinking")}</p>`}
    ${answers.map(
      (a, i) =>
        html`<article key=${answers.length - i} class="answer">
          <h4>${a.kind === "choice" ? t("explain_choice") : a.kind === "step" ? t("explain_step") : a.question}</h4>
          <p class="words">${a.answer}</p>
          <p class="dim small">
            ${a.source === "model" ? t("by_model", { model: a.model }) : t("by_built_in")}${a.note ? ` · ${a.note}` : ""}
          </p>
        </article>`,
    )}
  </div>`;
}
