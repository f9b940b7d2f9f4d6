// The bar of a step: its four phases, forward, back, to simulation k, slow motion.

import { html, useState } from "../vendor/preact-htm.js";
import { PHASES } from "../beats.js";
import { full } from "../format.js";
import { t } from "../i18n.js";
import { back, beat, beats, endStep, enterPhase, forward, phaseWord, simulation, slowMotion } from "../stepping.js";
import { whyNot } from "../reasons.js";
import { current, keep, mayChange, searchable, set, state } from "../store.js";

export function Stepper() {
  const [to, setTo] = useState("");
  const { step, slow } = state,
    session = current();
  const phase = beat()?.phase ?? null;
  const blocked = Boolean(state.run) || !searchable();
  const why = state.run ? t("why_running") : blocked ? whyNot("step") : null;
  const go = () => Number(to) >= 1 && simulation(Math.round(Number(to)));
  return html`<section class=${`card stepper${step ? " on" : ""}`} aria-label=${t("stepper")}>
    <ol class="phases">
      ${PHASES.map(
        (name, i) =>
          html`<li key=${name} class=${phase === name ? "now" : phase && PHASES.indexOf(phase) > i ? "done" : ""}>
            <button
              onClick=${() => enterPhase(name)}
              disabled=${!step || !mayChange()}
              aria-current=${phase === name ? "step" : undefined}
              data-phase=${name}
              title=${step ? t(`${phaseWord(name)}_title`) : t("why_no_step")}
            >
              <i>${i + 1}</i> ${t(phaseWord(name))}
            </button>
          </li>`,
      )}
    </ol>
    ${!mayChange() && html`<span class="which" id="simulation">${step ? t("simulation_n", { n: full(step.simulation) }) : t("no_step")}</span>`}
    <div class="group controls">
      <button
        class="quiet icon"
        id="sim-back"
        onClick=${() => step && simulation(step.simulation - 1)}
        disabled=${blocked || !step || step.simulation <= 1}
        aria-label=${t("previous_simulation")}
        title=${why ?? (step ? t("previous_simulation") : t("why_no_step"))}
      >
        |◀
      </button>
      <button
        class="quiet icon"
        id="beat-back"
        onClick=${back}
        disabled=${blocked || !step || (state.beat === 0 && step.simulation <= 1)}
        aria-label=${t("beat_back")}
        title=${why ?? (step ? t("beat_back") : t("why_no_step"))}
      >
        ◀
      </button>
      <span class="which" id="simulation" title=${step ? `${state.beat + 1}/${beats().length}` : ""}
        >${step ? t("simulation_n", { n: full(step.simulation) }) : t("no_step")}</span
      >
      <button
        class="quiet icon"
        id="beat-on"
        onClick=${forward}
        disabled=${blocked}
        aria-label=${t("beat_on")}
        title=${why ?? t("beat_on")}
      >
        ▶
      </button>
      <button
        class="quiet icon"
        id="sim-on"
        onClick=${() => simulation(step ? step.simulation + 1 : session.simulations + 1)}
        disabled=${blocked}
        aria-label=${t("next_simulation")}
        title=${why ?? t("next_simulation")}
      >
        ▶|
      </button>
      <button
        class=${`quiet${slow ? " on" : ""}`}
        id="slow"
        onClick=${slowMotion}
        disabled=${blocked}
        aria-pressed=${slow}
        title=${why ?? t("slow_title")}
      >
        ${slow ? `❚❚ ${t("hold")}` : `▷ ${t("slow")}`}
      </button>
      <select
        aria-label=${t("pace")}
        title=${t("pace")}
        value=${String(state.pace)}
        onChange=${(e) => (keep("pace", e.target.value), set({ pace: Number(e.target.value) }))}
      >
        ${[0.1, 0.25, 0.5, 1, 2, 5, 10].map((p) => html`<option value=${String(p)}>${p}×</option>`)}
      </select>
      <label class="go"
        >${t("go_to")}${" "}<input
          id="go-to"
          type="number"
          min="1"
          step="1"
          value=${to}
          placeholder="k"
          onInput=${(e) => setTo(e.target.value)}
          onKeyDown=${(e) => e.key === "Enter" && go()}
          disabled=${blocked}
          aria-label=${t("go_to_title")}
      /></label>
      ${step && html`<button class="quiet icon" onClick=${endStep} aria-label=${t("close_step")} title=${t("close_step")}>✕</button>`}
    </div>
  </section>`;
}
