// The search settings: a preset, and every option with its meaning. Used to set up, to start again, and to compare.

import { html, useState } from "../vendor/preact-htm.js";
import { t } from "../i18n.js";
import { state } from "../store.js";

/** @import { Choice, Session, Setting, Translated } from "../types.js" */

/** The settings of a session. @param {Session} session @returns {Choice} */
export const choiceOf = (session) => ({
  preset: session.preset ?? "default",
  options: Object.fromEntries((session.changed ?? []).map((name) => [name, session.options[name]])),
  seed: session.seed,
});

/**
 * A text of the server's in the language that is chosen, where it has one.
 * @param {Translated | undefined} thing
 * @param {string} english
 * @param {string} field
 */
const said = (thing, english, field) => thing?.translations[state.language]?.[field] || english;

/** @param {string} name */
const presetOf = (name) => state.presets.find((p) => p.preset === name);
/**
 * What a setting is when nothing is said: the preset's, but for a field of a choice that the preset does not make.
 * @param {Choice} choice
 * @param {string} name
 * @returns {string | undefined}
 */
export function valueOf(choice, name) {
  const setting = state.settings.find((s) => s.name === name);
  const preset = presetOf(choice.preset)?.options;
  const part = setting?.kinds.length && name !== setting.part ? setting.part : undefined;
  const kind = part === undefined ? undefined : valueOf(choice, part);
  const usual = part !== undefined && kind !== undefined && kind !== preset?.[part] ? setting?.defaults[kind] : undefined;
  return choice.options[name] ?? usual ?? preset?.[name] ?? setting?.default;
}

/**
 * What is sent: only options that count with the others may be given. A name of two settings is given for both:
 * `policy.temperature`.
 * @param {Choice} choice
 */
export function given(choice) {
  /** @type {Record<string, string>} */
  const options = {};
  for (const setting of state.settings) {
    const full = setting.name.includes(".");
    const wanted = full ? valueOf(choice, setting.name) : choice.options[setting.name];
    const usual = full
      ? undefined
      : valueOf({ ...choice, options: { ...choice.options, [setting.name]: undefined } }, setting.name);
    if (wanted !== undefined && counts(choice, setting) && wanted !== usual) options[setting.name] = wanted;
  }
  return {
    preset: choice.preset,
    options,
    ...(choice.seed === null || choice.seed === undefined || choice.seed === "" ? {} : { seed: Number(choice.seed) }),
  };
}

/** @param {Choice} choice @param {Setting} setting */
const counts = (choice, setting) => !setting.kinds.length || setting.kinds.includes(valueOf(choice, setting.part) ?? "");

const MAIN = ["policy", "c", "evaluator", "rollouts", "solver", "transpositions"]; // what most people change

/** Whether a setting is shown at once: the few that matter, and those of the chosen policy. @param {Setting} setting */
const isMain = (setting) => MAIN.includes(setting.name) || setting.part === "policy";

/**
 * @param {object} props
 * @param {Choice} props.choice
 * @param {(choice: Choice) => void} props.onChange
 * @param {string} props.name
 * @param {string} props.game only its presets are offered
 * @param {boolean} [props.open] whether the main settings are shown
 */
export function Options({ choice, onChange, name, game, open = false }) {
  const [shown, setShown] = useState(false);
  const usable = state.games.find((g) => g.game === game)?.presets;
  const fits = (/** @type {string} */ other) => !usable || usable.includes(other);
  const counting = state.settings.filter((setting) => counts(choice, setting));
  const listed = counting.filter((setting) => shown || (open && isMain(setting)));
  const preset = presetOf(choice.preset);
  const change = (/** @type {Setting} */ setting, /** @type {string} */ text) => {
    const options = { ...choice.options };
    delete options[setting.name];
    if (text !== valueOf({ ...choice, options }, setting.name)) options[setting.name] = text;
    onChange({ ...choice, options });
  };
  const changed = Object.keys(given(choice).options).length;
  return html`<fieldset class="options">
    <legend>${t("search_settings")}</legend>
    <label class="field"
      ><span>${t("preset")}</span>
      <select
        data-field="preset"
        value=${choice.preset}
        onChange=${(e) => onChange({ ...choice, preset: e.target.value, options: {} })}
      >
        ${state.presets.filter((p) => fits(p.preset) || p.preset === choice.preset).map((p) => html`<option value=${p.preset}>${p.preset}</option>`)}
      </select></label
    >
    <p class="dim small">${said(preset, preset?.description ?? "", "description")}</p>
    <label class="field"
      ><span>${t("seed")}</span
      ><input
        type="number"
        min="0"
        step="1"
        data-field="seed"
        value=${choice.seed ?? ""}
        placeholder=${t("seed_any")}
        onInput=${(e) => onChange({ ...choice, seed: e.target.value === "" ? null : e.target.value })}
    /></label>
    <button type="button" class="link" aria-expanded=${shown} onClick=${() => setShown(!shown)}>
      ${shown ? "▾ " : "▸ "}${t(shown ? "fewer_settings" : "every_setting", { n: counting.length })}${changed ? ` · ${t("changed_n", { n: changed })}` : ""}
    </button>
    ${
      listed.length > 0 &&
      html`<div class="option-list">
        ${listed.map(
          (setting) =>
            html`<${Option}
              key=${setting.name}
              setting=${setting}
              choice=${choice}
              change=${change}
              name=${name}
              differs=${setting.name in given(choice).options}
            />`,
        )}
      </div>`
    }
  </fieldset>`;
}

/**
 * @param {object} props
 * @param {Setting} props.setting
 * @param {Choice} props.choice
 * @param {(setting: Setting, text: string) => void} props.change
 * @param {boolean} props.differs
 * @param {string} props.name
 */
function Option({ setting, choice, change, differs, name }) {
  const now = valueOf(choice, setting.name),
    off = !counts(choice, setting);
  const id = `${name}-${setting.name}`,
    isWord = setting.words.includes(now ?? "");
  const number = setting.number && (!isWord || !setting.words.length);
  const pick = (/** @type {string} */ word) =>
    change(setting, word === "#" ? (setting.number === "integer" ? "10" : "1") : word);
  return html`<div class=${`option${off ? " off" : ""}${differs ? " changed" : ""}${setting.kinds.length ? " sub" : ""}`}>
    <label for=${id}>${setting.name}</label>
    <span class="input"
      >${
        setting.words.length > 0 &&
        html`<select
          id=${id}
          data-option=${setting.name}
          value=${isWord ? now : "#"}
          disabled=${off}
          onChange=${(e) => pick(e.target.value)}
        >
          ${setting.words.map((w) => html`<option value=${w}>${w || t("games_own")}</option>`)}${setting.number && html`<option value="#">${t("a_number")}</option>`}
        </select>`
      }
      ${number && html`<input id=${setting.words.length ? `${id}-n` : id} data-option=${setting.words.length ? undefined : setting.name} type="number" step=${setting.number === "integer" ? 1 : "any"} min=${setting.least} max=${setting.most} value=${now} disabled=${off} aria-label=${setting.name} onInput=${(e) => e.target.value !== "" && change(setting, e.target.value)} /> ${said(setting, setting.unit ?? "", "unit")}`}</span
    >
    <small
      >${said(setting, setting.meaning, "meaning")}${off ? ` (${t("only_with", { part: setting.part, kinds: setting.kinds.join(", ") })})` : ""}</small
    >
  </div>`;
}
