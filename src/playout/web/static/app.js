// The page: its frame, and the parts that are put into it.

import { html, render, useEffect, useReducer } from "./vendor/preact-htm.js";
import { Ask } from "./components/ask.js";
import { Charts } from "./components/charts.js";
import { Compare } from "./components/compare.js";
import { Decide } from "./components/decide.js";
import { Found } from "./components/found.js";
import { Help } from "./components/help.js";
import { Icicle } from "./components/icicle.js";
import { Keep } from "./components/keep.js";
import { Learn } from "./components/learn.js";
import { Lesson } from "./components/lesson.js";
import { Lines } from "./components/lines.js";
import { NodePanel } from "./components/node.js";
import { Path } from "./components/path.js";
import { Position } from "./components/position.js";
import { Runbar } from "./components/runbar.js";
import { Setup } from "./components/setup.js";
import { Share, ShareBar } from "./components/share.js";
import { Start } from "./components/start.js";
import { StepPanel } from "./components/step.js";
import { Stepper } from "./components/stepper.js";
import { Table } from "./components/table.js";
import { Tree } from "./components/tree.js";
import { t, told } from "./i18n.js";
import { listen } from "./keys.js";
import { enlarge } from "./large.js";
import { openLesson, openLink, readLessons } from "./prepared.js";
import { begin } from "./session.js";
import { current, follows, keep, keptInTab, mayChange, set, state, subscribe, theme, trying } from "./store.js";
import { isFollowed, sessionNamed } from "./urls.js";

const TABS = ["moves", "step", "node", "why"];
const DIALOGS = { setup: Setup, compare: Compare, keep: Keep, help: Help, share: Share, learn: Learn };

function App() {
  const [, draw] = useReducer((/** @type {number} */ n) => n + 1, 0);
  useEffect(() => subscribe(draw), []);
  document.documentElement.lang = state.language === "zh" ? "zh-Hans" : "en";
  document.documentElement.dataset.theme = theme();
  document.documentElement.toggleAttribute("data-large", state.large);
  if (!state.session)
    return html`${
        state.trouble
          ? html`<header class="top">
                <${Brand} />
                <nav class="grow end row"><${Looks} /></nav>
              </header>
              <${Start} />`
          : html`<${Loading} />`
      } <${Notices} />`;
  document.title = `${state.session.name || state.session.game} · Playout`;
  const Shown = state.dialog && DIALOGS[state.dialog];
  return html`<${Header} />
    <${Runbar} />
    <${ShareBar} />
    <main
      class=${`columns${state.lesson ? " with-lesson" : ""}${mayChange() ? "" : " looks-on"}`}
      data-session=${state.session.id}
      data-updates=${state.updates}
      data-version=${state.session.version}
    >
      ${state.lesson && html`<div class="column-lesson"><${Lesson} /></div>`}
      <div class="column-left"><${Position} /><${Path} /></div>
      <div class="column-centre"><${Stepper} /><${Tree} /><${Icicle} /></div>
      <div class="column-right"><${Panel} /></div>
    </main>
    ${Shown && html`<${Shown} key=${state.dialog} />`}
    <${Notices} />
    <div class="hidden" role="status" aria-live="polite">${state.said}</div>`;
}

/** While there is nothing to show yet: why, and how far it is. */
function Loading() {
  const { compiling, restoring } = state;
  return html`<main class="loading" role="status">
    <h1>Playout</h1>
    <p>${compiling ? t("compiling", compiling) : restoring !== null ? t("restoring") : t("loading")}</p>
    ${!compiling && restoring !== null && html`<progress max="1" value=${restoring} aria-label=${t("restoring")}></progress>`}
    ${
      compiling &&
      html`<progress max=${compiling.n} value=${compiling.passed} aria-label=${t("compiling_progress")}></progress>
        <p class="small">${t("compiling_why")}</p>`
    }
  </main>`;
}

const Brand = () =>
  html`<h1>
    <a class="brand" href="/" title="Playout"><img src="/static/icon.svg" alt="" width="22" height="22" /> Playout</a>
  </h1>`;

function Header() {
  const session = current();
  const changed = session.changed?.length
    ? ` + ${session.changed.map((name) => `${name}=${session.options[name]}`).join(", ")}`
    : "";
  if (follows())
    return html`<header class="top">
      <h1 class="brand"><img src="/static/icon.svg" alt="" width="22" height="22" /> Playout</h1>
      <span class="session-name"><b>${session.name || session.game}</b></span>
      <nav class="grow end row"><${Large} /><${Looks} /></nav>
    </header>`;
  return html`<header class="top">
    <${Brand} />
    <button class="session-name" onClick=${() => set({ dialog: "setup" })} title=${told(`game_${session.game}`, "")}>
      <b>${session.name || session.game}</b
      ><span class="dim"
        >${" "}${session.name ? `${session.game} · ` : ""}${session.preset ?? ""}${changed} · ${t("seed")} ${session.seed}</span
      >${" "}<span aria-hidden="true">▾</span>
    </button>
    ${!state.connected && html`<span class="problem" role="status">${t("disconnected")}</span>`}
    <nav class="grow end row">
      <button class="quiet" id="open-setup" onClick=${() => set({ dialog: "setup" })}>${t("set_up")}</button>
      <button
        class="quiet"
        id="open-compare"
        onClick=${() => set({ dialog: "compare" })}
        disabled=${session.position.over}
        title=${session.position.over ? t("why_over") : ""}
      >
        ${t("compare")}
      </button>
      <button class="quiet" id="open-keep" onClick=${() => set({ dialog: "keep" })}>${t("sessions")}</button>
      <button class="quiet" id="open-share" onClick=${() => set({ dialog: "share" })}>${t("share_session")}</button>
      <button class="quiet" id="open-learn" onClick=${() => set({ dialog: "learn" })}>${t("lessons")}</button>
      <${Large} />
      <${Looks} />
      <button class="quiet icon" id="help" aria-label=${t("help")} title=${t("help")} onClick=${() => set({ dialog: "help" })}>
        ?
      </button>
    </nav>
  </header>`;
}

const Large = () =>
  html`<button
    class=${`quiet icon${state.large ? " on" : ""}`}
    id="large"
    aria-pressed=${state.large}
    aria-label=${t("large")}
    title=${t("large_title")}
    onClick=${() => enlarge(!state.large)}
  >
    Aa
  </button>`;

/** The language and the colours. */
const Looks = () =>
  html`<button class="quiet" id="language" lang=${state.language === "zh" ? "en" : "zh-Hans"} onClick=${() => pickLanguage()}>
      ${state.language === "zh" ? "English" : "中文"}
    </button>
    <button
      class="quiet icon"
      id="theme"
      aria-label=${t(theme() === "dark" ? "light" : "dark")}
      title=${t(theme() === "dark" ? "light" : "dark")}
      onClick=${pickTheme}
    >
      ${theme() === "dark" ? "☀" : "☾"}
    </button>`;

function pickLanguage() {
  const language = state.language === "zh" ? "en" : "zh";
  keep("language", language);
  set({ language });
}

function pickTheme() {
  const next = theme() === "dark" ? "light" : "dark";
  keep("theme", next);
  set({ theme: next });
}

function Panel() {
  const pick = (/** @type {string} */ tab) => set({ tab });
  const onKey = (/** @type {KeyboardEvent} */ event) => {
    const step = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!step) return;
    const next = TABS[(TABS.indexOf(state.tab) + step + TABS.length) % TABS.length];
    pick(next);
    document.getElementById(`tab-${next}`)?.focus();
  };
  return html`<section class="card panel">
    <div class="tabs" role="tablist" aria-label=${t("panels")} onKeyDown=${onKey}>
      ${TABS.map(
        (tab) =>
          html`<button
            key=${tab}
            role="tab"
            id=${`tab-${tab}`}
            aria-selected=${state.tab === tab}
            aria-controls="panel"
            tabindex=${state.tab === tab ? 0 : -1}
            class=${state.tab === tab ? "on" : ""}
            onClick=${() => pick(tab)}
          >
            ${t(`tab_${tab}`)}
          </button>`,
      )}
    </div>
    <div id="panel" role="tabpanel" aria-labelledby=${`tab-${state.tab}`} tabindex="0">
      ${state.tab === "moves" && html`<${Table} /><${Lines} /><${Found} /><${Charts} />`}
      ${state.tab === "step" && html`<${StepPanel} />`} ${state.tab === "node" && html`<${NodePanel} />`}
      ${state.tab === "why" && html`<${Decide} /><${Ask} />`}
    </div>
  </section>`;
}

function Notices() {
  const { question } = state;
  return html`<div class="notices">
    ${
      question &&
      html`<div class="question" role="alertdialog" aria-label=${question.text}>
        <p>${question.text}</p>
        <button id="yes" class="primary" onClick=${() => question.answer(true)}>${t("yes_go")}</button>
        <button id="no" class="quiet" onClick=${() => question.answer(false)}>${t("cancel")}</button>
      </div>`
    }
    ${state.notices.map(
      (n) =>
        html`<p key=${n.id} class=${n.kind} role=${n.kind === "error" ? "alert" : "status"}>
          ${n.text}
          <button
            class="quiet icon"
            aria-label=${t("close")}
            onClick=${() => set({ notices: state.notices.filter((o) => o !== n) })}
          >
            ✕
          </button>
        </p>`,
    )}
  </div>`;
}

const root = /** @type {HTMLElement} */ (document.getElementById("app"));
root.replaceChildren(); // what stands there until the page is loaded
render(html`<${App} />`, root);
listen();
begin(openLink).then(() => {
  if (isFollowed(sessionNamed(location.pathname))) return;
  return trying(async () => {
    const first = await readLessons();
    const wanted = state.lesson ? null : (keptInTab("lesson") ?? first);
    if (wanted) await openLesson(wanted).catch(() => openLesson(null)); // of another start of the server
  });
});
