// Set up: a game, its settings, a position (pasted, or made on the board), and the search settings.

import { html, useEffect, useState } from "../vendor/preact-htm.js";
import { post } from "../api.js";
import { drawing } from "../format.js";
import { settingsOf, takesList, textOf, textsOf } from "../gamesettings.js";
import { t, told, who } from "../i18n.js";
import { create, startAgain } from "../session.js";
import { current, state } from "../store.js";
import { POSITIONS } from "../urls.js";
import { Board } from "./board.js";
import { Dialog, close } from "./dialog.js";
import { Options, choiceOf, given } from "./options.js";

/** @import { Action, Game, Position } from "../types.js" */

/** @typedef {{ game: string, game_settings: object, position: string | null, moves: number[] }} Wanted a position as the server is asked for it */

/** The position that is asked for, from the server. @param {Wanted} wanted */
function usePosition(wanted) {
  const [position, setPosition] = useState(/** @type {Position | null} */ (current().position));
  const [problem, setProblem] = useState(/** @type {string | null} */ (null));
  const [checking, setChecking] = useState(false); // what is shown is not what was asked for last
  useEffect(() => {
    let stale = false;
    setChecking(true);
    const timer = setTimeout(async () => {
      try {
        const answer = await post(POSITIONS, wanted);
        if (stale) return;
        setPosition(answer);
        setProblem(null);
      } catch (error) {
        if (stale) return;
        setProblem(/** @type {Error} */ (error).message);
      }
      setChecking(false);
    }, 200);
    return () => {
      stale = true;
      clearTimeout(timer);
    };
  }, [JSON.stringify(wanted)]);
  const forget = () => {
    setPosition(null);
    setProblem(null);
  };
  return { position, problem, checking, forget };
}

export function Setup() {
  const session = current();
  const [name, setName] = useState(session.game);
  const [texts, setTexts] = useState(textsOf(session.game_settings));
  const [text, setText] = useState(session.position.text);
  const [moves, setMoves] = useState(/** @type {number[]} */ ([]));
  const [making, setMaking] = useState(false);
  const [choice, setChoice] = useState(choiceOf(session));
  const game = state.games.find((g) => g.game === name) ?? state.games[0];
  const settings = settingsOf(game, texts);
  const wanted = { game: name, game_settings: settings, position: text.trim() === "" ? null : text.trim(), moves };
  const checked = usePosition(wanted);

  const pickGame = (/** @type {string} */ next) => {
    setName(next);
    checked.forget();
    setTexts({});
    setMoves([]);
    setText("");
    setChoice({ ...choice, preset: state.games.find((g) => g.game === next)?.preset ?? "default", options: {} });
  };
  // Loading a game for the first time may take seconds: no second session by a second click.
  const finish = async (/** @type {() => Promise<boolean | null>} */ action) => {
    setMaking(true);
    if (await action()) close();
    else setMaking(false);
  };
  const isSameGame =
    name === session.game && JSON.stringify(settings) === JSON.stringify(settingsOf(game, textsOf(session.game_settings)));
  return html`<${Dialog} title=${t("set_up")} wide>
    <div class="setup">
      <div class="setup-game">
        <${GameFields}
          game=${game}
          name=${name}
          texts=${texts}
          onGame=${pickGame}
          onTexts=${(/** @type {Record<string, string>} */ next) => (setTexts(next), setMoves([]))}
        />
        <${PositionFields}
          game=${game}
          name=${name}
          text=${text}
          moves=${moves}
          checked=${checked}
          onText=${(/** @type {string} */ next) => (setText(next), setMoves([]))}
          onMoves=${setMoves}
        />
      </div>
      <div class="setup-search"><${Options} choice=${choice} onChange=${setChoice} name="setup" game=${name} open /></div>
    </div>
    <footer class="row end">
      <button
        id="start-again"
        class="secondary"
        disabled=${!isSameGame || Boolean(state.run) || making}
        title=${!isSameGame ? t("why_other_game") : state.run ? t("why_running") : t("start_again_title")}
        onClick=${() => finish(() => startAgain(given(choice)))}
      >
        ${t("start_again")}
      </button>
      <button
        id="create"
        class="primary"
        disabled=${Boolean(checked.problem) || making}
        aria-busy=${making}
        onClick=${() => finish(() => create({ ...wanted, ...given(choice) }))}
      >
        ${making ? t("loading") : t("new_session")}
      </button>
    </footer>
  <//>`;
}

/**
 * The game and its settings.
 * @param {object} props
 * @param {Game} props.game
 * @param {string} props.name
 * @param {Record<string, string>} props.texts
 * @param {(name: string) => void} props.onGame
 * @param {(texts: Record<string, string>) => void} props.onTexts
 */
function GameFields({ game, name, texts, onGame, onTexts }) {
  return html`<label class="field"
      ><span>${t("game")}</span
      ><select data-field="game" value=${name} onChange=${(e) => onGame(e.target.value)}>
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
              ><span>${s.name}</span>${
                s.type === "text"
                  ? html`<textarea
                      data-setting=${s.name}
                      rows="2"
                      spellcheck="false"
                      value=${texts[s.name] ?? textOf(s.default)}
                      onInput=${(e) => onTexts({ ...texts, [s.name]: e.target.value })}
                    ></textarea>`
                  : html`<input
                      data-setting=${s.name}
                      type=${takesList(s) ? "text" : "number"}
                      step=${s.type === "integer" ? 1 : "any"}
                      value=${texts[s.name] ?? textOf(s.default)}
                      onInput=${(e) => onTexts({ ...texts, [s.name]: e.target.value })}
                    />`
              }</label
            >`,
        )}
      </fieldset>`
    }`;
}

/**
 * The position: as text, and on the board.
 * @param {object} props
 * @param {Game} props.game
 * @param {string} props.name
 * @param {string} props.text
 * @param {number[]} props.moves
 * @param {ReturnType<typeof usePosition>} props.checked
 * @param {(text: string) => void} props.onText
 * @param {(moves: number[]) => void} props.onMoves
 */
function PositionFields({ game, name, text, moves, checked, onText, onMoves }) {
  const { position, problem, checking } = checked;
  return html`<fieldset>
    <legend>${t("position")}</legend>
    <label class="field column"
      ><span>${t("position_paste")}</span
      ><textarea
        data-field="position"
        rows="2"
        spellcheck="false"
        value=${text}
        placeholder=${game.position || t("the_start")}
        onInput=${(e) => onText(e.target.value)}
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
              onMove=${(/** @type {Action} */ a) => !problem && !checking && onMoves([...moves, a.number])}
            />
            <p class="turn-line">
              <b>${position.over ? t("game_over") : t("to_move", { who: who(position.player, game.player_names) })}</b
              >${" "}<span class="position-text">${position.text}</span>
            </p>
          </div>`
        : !problem && html`<p class="dim pad" role="status">${t("loading")}</p>`
    }
    <div class="row">
      <button type="button" class="quiet" disabled=${!moves.length} onClick=${() => onMoves(moves.slice(0, -1))}>
        ↶ ${t("take_back")}
      </button>
      <button type="button" class="quiet" onClick=${() => onText("")}>${t("from_start")}</button>
    </div>
  </fieldset>`;
}
