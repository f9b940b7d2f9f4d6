// Set up: a game, its settings, a position (pasted, or made on the board), and the search settings.

import { html, useEffect, useState } from "../vendor/preact-htm.js";
import { post } from "../api.js";
import { drawing, who } from "../format.js";
import { t, told } from "../i18n.js";
import { create, startAgain } from "../session.js";
import { state } from "../store.js";
import { Board } from "./board.js";
import { Dialog, close } from "./dialog.js";
import { Options, choiceOf, given } from "./options.js";

const textOf = (value) => (Array.isArray(value) ? value.join(", ") : String(value));
const listed = (type) => type === "integers" || type === "numbers";

function settingsOf(game, texts) {
  const found = {};
  for (const s of game.settings) {
    const text = texts[s.name];
    if (text === undefined || text === textOf(s.default)) continue;
    found[s.name] = listed(s.type)
      ? text
          .split(/[\s,;]+/)
          .filter(Boolean)
          .map(Number)
      : Number(text);
  }
  return found;
}

export function Setup() {
  const { session } = state;
  const [name, setName] = useState(session.game);
  const [texts, setTexts] = useState(
    Object.fromEntries(Object.entries(session.game_settings ?? {}).map(([k, v]) => [k, textOf(v)])),
  );
  const [text, setText] = useState(session.position.text);
  const [moves, setMoves] = useState([]);
  const [position, setPosition] = useState(session.position);
  const [problem, setProblem] = useState(null);
  const [checking, setChecking] = useState(false); // what is shown is not what was asked for last
  const [making, setMaking] = useState(false);
  const [choice, setChoice] = useState(choiceOf(session));
  const game = state.games.find((g) => g.game === name) ?? state.games[0];
  const settings = settingsOf(game, texts);

  useEffect(() => {
    let stale = false;
    setChecking(true);
    const timer = setTimeout(async () => {
      try {
        const answer = await post("/api/positions", {
          game: name,
          game_settings: settings,
          position: text.trim() === "" ? null : text.trim(),
          moves,
        });
        if (!stale) (setPosition(answer), setProblem(null), setChecking(false));
      } catch (error) {
        if (!stale) (setProblem(error.message), setChecking(false));
      }
    }, 200);
    return () => ((stale = true), clearTimeout(timer));
  }, [name, JSON.stringify(settings), text, JSON.stringify(moves)]);

  const pickGame = (next) => {
    setName(next);
    setPosition(null);
    setTexts({});
    setMoves([]);
    setText("");
    setProblem(null);
    setChoice({ ...choice, preset: state.games.find((g) => g.game === next)?.preset ?? "default", options: {} });
  };
  const body = () => ({
    game: name,
    game_settings: settings,
    position: text.trim() === "" ? null : text.trim(),
    moves,
    ...given(choice),
  });
  // Loading a game for the first time may take seconds: no second session by a second click.
  const finish = async (action) => {
    setMaking(true);
    if (await action()) close();
    else setMaking(false);
  };
  const same =
    name === session.game &&
    JSON.stringify(settings) ===
      JSON.stringify(
        settingsOf(game, Object.fromEntries(Object.entries(session.game_settings ?? {}).map(([k, v]) => [k, textOf(v)]))),
      );
  return html`<${Dialog} title=${t("set_up")} wide>
    <div class="setup">
      <div class="setup-game">
        <label class="field"
          ><span>${t("game")}</span
          ><select data-field="game" value=${name} onChange=${(e) => pickGame(e.target.value)}>
            ${state.games.map((g) => html`<option value=${g.game}>${g.game}${g.built_in ? "" : ` (${t("your_game")})`}</option>`)}
          </select></label
        >
        <p class="dim small">${told(`game_${name}`, game.description)}</p>
        ${
          game.settings.length > 0 &&
          html`<fieldset>
            <legend>${t("game_settings")}</legend>
            ${game.settings.map(
              (s) =>
                html`<label class="field" key=${s.name}
                  ><span>${s.name}</span
                  ><input
                    data-setting=${s.name}
                    type=${listed(s.type) ? "text" : "number"}
                    step=${s.type === "integer" ? 1 : "any"}
                    value=${texts[s.name] ?? textOf(s.default)}
                    onInput=${(e) => (setTexts({ ...texts, [s.name]: e.target.value }), setMoves([]))}
                /></label>`,
            )}
          </fieldset>`
        }
        <fieldset>
          <legend>${t("position")}</legend>
          <label class="field column"
            ><span>${t("position_paste")}</span
            ><textarea
              data-field="position"
              rows="2"
              spellcheck="false"
              value=${text}
              placeholder=${game.position || t("the_start")}
              onInput=${(e) => (setText(e.target.value), setMoves([]))}
            ></textarea>
          </label>
          <details>
            <summary>${t("how_written")}</summary>
            <p class="dim small pre">${game.about}</p>
          </details>
          ${problem && html`<p class="problem" role="alert">${problem}</p>`}
          <p class="dim small">${t("position_make")}</p>
          ${
            position
              ? html`<div class=${checking ? "checking" : ""} aria-busy=${checking}>
                  <${Board}
                    game=${name}
                    id="setup-board"
                    src=${drawing(position.svg)}
                    alt=${position.show}
                    actions=${position.actions}
                    onMove=${(a) => !problem && !checking && setMoves([...moves, a.number])}
                  />
                  <p class="turn-line">
                    <b>${position.over ? t("game_over") : t("to_move", { who: who(position.player) })}</b>${" "}<span
                      class="position-text"
                      >${position.text}</span
                    >
                  </p>
                </div>`
              : !problem && html`<p class="dim pad" role="status">${t("loading")}</p>`
          }
          <div class="row">
            <button type="button" class="quiet" disabled=${!moves.length} onClick=${() => setMoves(moves.slice(0, -1))}>
              ↶ ${t("take_back")}
            </button>
            <button type="button" class="quiet" onClick=${() => (setMoves([]), setText(""))}>${t("from_start")}</button>
          </div>
        </fieldset>
      </div>
      <div class="setup-search"><${Options} choice=${choice} onChange=${setChoice} name="setup" open /></div>
    </div>
    <footer class="row end">
      <button
        id="start-again"
        class="secondary"
        disabled=${!same || Boolean(state.run) || making}
        title=${t("start_again_title")}
        onClick=${() => finish(() => startAgain(given(choice)))}
      >
        ${t("start_again")}
      </button>
      <button
        id="create"
        class="primary"
        disabled=${Boolean(problem) || making}
        aria-busy=${making}
        onClick=${() => finish(() => create(body()))}
      >
        ${making ? t("loading") : t("new_session")}
      </button>
    </footer>
  <//>`;
}
