// What happens at this beat of the step, in words and numbers.

import { html } from "../vendor/preact-htm.js";
import { formOf, termsOf } from "../beats.js";
import { count, full, plain, value } from "../format.js";
import { t, told, who } from "../i18n.js";
import { ask } from "../session.js";
import { turned, viewer } from "../side.js";
import { beat, phaseWord } from "../stepping.js";
import { current, set, state } from "../store.js";

/** @import { Beat, Place, Score, Step, StepChoice, StepEdge } from "../types.js" */

const EDGES = 12;

export function StepPanel() {
  const { step } = state;
  if (!step)
    return html`<div class="pad">
      <p>${t("step_empty")}</p>
      <p class="dim">${t("step_empty_more")}</p>
    </div>`;
  const now = beat();
  return html`<div class="step-panel" data-phase=${now.phase} data-simulation=${step.simulation}>
    <h3>${t("simulation_n", { n: full(step.simulation) })} · ${t(phaseWord(now.phase))}</h3>
    <p class="dim">${t(`${phaseWord(now.phase)}_title`)}</p>
    ${phaseOf(step, now)}
    <p class="foot"><button class="quiet" onClick=${() => (set({ tab: "why" }), ask("step"))}>${t("explain_step")}</button></p>
  </div>`;
}

/** @param {Step} step @param {Beat} now */
function phaseOf(step, now) {
  if (now.phase === "selection") return Selection(step, now.depth);
  if (now.phase === "expansion") return Expansion(step);
  return now.phase === "playout" ? Playout(step, now.which, now.moves) : Backup(step, now.place);
}

/** @param {Score} x */
const finite = (x) => (typeof x === "number" ? x : null);

/** @param {Step} step @param {number} depth */
function Selection(step, depth) {
  if (depth < 0) return html`<p>${t("selection_root")}</p>`;
  const choice = step.selection[depth];
  const chance = choice.player === -1;
  const names = choice.edges.length ? termsOf(choice.edges[0]).map(([name]) => name) : [];
  const ranked = [...choice.edges].sort((a, b) => order(b) - order(a));
  const shown = ranked.slice(0, EDGES);
  shown.push(...ranked.slice(EDGES).filter((e) => e.chosen));
  const scores = choice.edges.flatMap((e) => [e.value_term, e.score]).flatMap((x) => finite(x) ?? []);
  const least = Math.min(0, ...scores),
    most = Math.max(...scores, least + 1e-9);
  return html`<p>
      ${t(chance ? "selection_chance" : "selection_at", { who: who(choice.player), depth: depth + 1, of: step.selection.length, visits: full(choice.visits), move: choice.action })}
    </p>
    ${!chance && html`<p class="dim">${t("values_for", { who: who(choice.player) })}</p>`}
    ${!chance && Formulas(choice, ranked)}
    <table class="scores">
      <thead>
        <tr>
          <th scope="col">${t("move")}</th>
          <th scope="col" class="right">${t("visits")}</th>
          ${
            chance
              ? html`<th scope="col" class="right">${t("probability")}</th>`
              : html`${names.map((name, i) => html`<th scope="col" class="right">${i > 0 && "+ "}${named(name)}</th>`)}
                  <th scope="col" class="right">= ${t("score")}</th>`
          }
          <th></th>
        </tr>
      </thead>
      <tbody>
        ${shown.map(
          (e) =>
            html`<tr key=${e.number} class=${e.chosen ? "best" : ""} data-chosen=${e.chosen ? "true" : undefined}>
              <th scope="row">${e.action}${e.proven ? " ✓" : ""}</th>
              <td class="right">${count(e.visits)}</td>
              ${
                chance
                  ? html`<td class="right">${plain(e.score)}</td>`
                  : html`${termsOf(e).map(([, term], i) => html`<td class=${`right ${i ? "term-exploration" : "term-value"}`}>${plain(term)}</td>`)}
                      <td class="right"><b>${plain(e.score)}</b></td>`
              }
              <td>${!chance && Terms(e, least, most)}</td>
            </tr>`,
        )}
      </tbody>
    </table>
    ${ranked.length > shown.length && html`<p class="dim">${t("n_more", { n: ranked.length - shown.length })}</p>`}
    <p class="dim legend-terms">
      <i class="term-value"></i> ${named(names[0])}${" "}<i class="term-exploration"></i>
      ${names.slice(1).map(named).join(" + ")}${" · "}${t("infinite_note")}
    </p>
    ${!chance && Source(state.sources[String(current().options.policy)])}`;
}

/** The source of a user's own policy. @param {string | undefined} text */
const Source = (text) =>
  text &&
  html`<details class="source">
    <summary>${t("policy_source")}</summary>
    <pre tabindex="0">${text}</pre>
  </details>`;

/**
 * The scores of the chosen move and of the next one, with the numbers that they are made of.
 * @param {StepChoice} choice
 * @param {StepEdge[]} ranked
 */
function Formulas(choice, ranked) {
  const chosen = ranked.filter((e) => e.chosen),
    known = [...new Set([...chosen, ...ranked])].filter((e) => finite(e.score) !== null);
  return html`${chosen[0]?.score === "infinity" && html`<p>${t("formula_unvisited", { move: chosen[0].action })}</p>`}
  ${known.slice(0, 2).map((edge) => html`<p class="formula" data-move=${edge.action}>${Formula(choice, edge)}</p>`)}`;
}

/** @param {string} text @param {string} title where the number comes from @param {string} [kind] */
const part = (text, title, kind = "") => html`<span class=${`part ${kind}`} title=${title}>${text}</span>`;

/**
 * A score as a sum: of UCT and PUCT with what the exploration is made of, of other policies by the names of its terms.
 * @param {StepChoice} choice
 * @param {StepEdge} edge
 */
function Formula(choice, edge) {
  const c = Number(current().options.c),
    terms = termsOf(edge),
    about = { move: edge.action, who: who(choice.player) };
  const sum = html` = <b>${plain(edge.score)}</b>`,
    first = html`<b>${edge.action}</b>:
      ${part(plain(terms[0]?.[1]), t(edge.visits ? "part_value" : "part_assumed", about), "term-value")}`,
    weight = part(String(c), t("part_c")),
    ofNode = part(full(choice.visits), t("part_node_visits")),
    ofMove = part(full(edge.visits), t("part_move_visits", about));
  const through = Math.max(
    1,
    choice.edges.reduce((all, e) => all + e.visits, 0),
  );
  const form = formOf(terms, { c, visits: choice.visits, through, edgeVisits: edge.visits, prior: edge.prior });
  if (form === "uct") return html`${first} + ${weight}·√(ln ${ofNode} / ${ofMove})${sum}`;
  if (form === "puct")
    return html`${first} +
    ${weight}·${part(plain(edge.prior), t("part_prior", about))}·√${part(full(through), t("part_through"))} / (1 +
    ${ofMove})${sum}`;
  const rest = terms.slice(1).map(([name, x]) => html` + ${part(plain(x), named(name), "term-exploration")}`);
  return html`${first}${rest}${sum}`;
}

/** What edges are sorted by. @param {StepEdge} e */
const order = (e) => (e.score === "infinity" ? 1e300 : (finite(e.score) ?? -1e300)) + (e.chosen ? 1e-9 : 0);

/** A term in this language; one of the user's own keeps its name. @param {string} name */
const named = (name) => told(`term_${name}`, name);

/** The first term of a score and the rest as one bar. @param {StepEdge} edge @param {number} least @param {number} most */
function Terms(edge, least, most) {
  const wide = 46,
    x = (/** @type {number} */ v) => (wide * (v - least)) / (most - least);
  if (edge.score === "infinity")
    return html`<svg width=${wide} height="10"><rect class="term-infinite" width=${wide} height="10" /></svg>`;
  const score = finite(edge.score),
    term = finite(edge.value_term);
  if (score === null || term === null) return null;
  const zero = x(0),
    end = x(term),
    sum = x(score);
  return html`<svg width=${wide} height="10">
    <rect class="term-value" x=${Math.min(zero, end)} width=${Math.abs(end - zero)} height="10" />
    <rect class="term-exploration" x=${Math.min(end, sum)} width=${Math.abs(sum - end)} height="10" y="3" />
    <line class="zero" x1=${zero} x2=${zero} y1="0" y2="10" />
  </svg>`;
}

/** @param {Step} step */
function Expansion(step) {
  const { expansion } = step;
  const leaf = step.selection.at(-1);
  return html`${
    expansion
      ? html`<p>${t("expansion_node", { n: expansion.actions.length, who: who(expansion.player) })}</p>
          <p class="chips">
            ${expansion.actions.slice(0, 40).map((a, i) => html`<span class="chip static" title=${t("prior_n", { p: plain(expansion.priors[i]) })}>${a}</span>`)}
            ${expansion.actions.length > 40 && html`<span class="dim">${t("n_more", { n: expansion.actions.length - 40 })}</span>`}
          </p>`
      : html`<p>${t(`expansion_${step.leaf_added ? "leaf" : "none"}`)}</p>`
  }
  ${leaf && html`<p>${t("expansion_path")} ${step.selection.map((c) => c.action).join(" → ")}</p>`}`;
}

/** @param {Step} step @param {number} which @param {number} moves how many of them are played */
function Playout(step, which, moves) {
  const playout = step.playouts[which];
  const statics =
    step.static_values &&
    html`<p>
      ${t(phaseWord("playout") === "network" ? "network_values" : "static_values")} <${Returns} returns=${step.static_values} />
    </p>`;
  if (!playout)
    return html`<p>
        ${t(step.ending === "new" && phaseWord("playout") === "network" ? "ending_network" : `ending_${step.ending}`)}
      </p>
      ${statics}
      <p>${t("result")} <${Returns} returns=${step.returns} /></p>`;
  const done = moves >= playout.actions.length;
  return html`${step.playouts.length > 1 && html`<p class="dim">${t("playout_n", { k: which + 1, n: step.played })}</p>`}
    ${playout.actions.length ? html`<p>${t("playout_moves", { n: playout.actions.length })}</p>` : html`<p>${t("ending_finished")}</p>`}
    <p class="chips">
      ${playout.actions.slice(0, 120).map((a, i) => html`<span class=${`chip static${i < moves ? " done" : ""}${i === moves - 1 ? " here" : ""}`}>${a}</span>`)}
      ${playout.actions.length > 120 && html`<span class="dim">${t("n_more", { n: playout.actions.length - 120 })}</span>`}
    </p>
    ${done && html`<p class="outcome" id="outcome">${t("result")} <${Returns} returns=${playout.returns} /></p>`}
    ${done && statics}`;
}

/** @param {{ returns: number[] }} props */
const Returns = ({ returns }) =>
  html`${returns.map((r, i) => html`<span class="return">${who(i)}: <b>${value(r)}</b></span> `)}`;

/** @param {Step} step @param {number} reached the place that is changed now */
function Backup(step, reached) {
  if (reached < 0) return html`<p>${t("backup_none")}</p>`;
  const side = viewer();
  return html`<p>${t("backup_words")} <${Returns} returns=${step.returns} /></p>
    ${side !== null && html`<p class="dim" id="backup-side">${t("values_for", { who: who(side) })}</p>`}
    <table class="scores backup">
      <thead>
        <tr>
          <th scope="col">${t("where")}</th>
          <th scope="col">${t("what")}</th>
          <th scope="col" class="right">${t("before")}</th>
          <th></th>
          <th scope="col" class="right">${t("after")}</th>
        </tr>
      </thead>
      <tbody>
        ${step.places.map((place, index) =>
          place.changes.map(
            (change, i) =>
              html`<tr
                key=${`${place.key}${change.field}`}
                class=${index === reached ? "best" : index > reached ? "later" : ""}
              >
                <th scope="row" title=${where(place)}>${i === 0 ? where(place, 2) : ""}</th>
                <td>
                  ${told(`field_${change.field}`, change.field)}${side === null && isValue(change.field) && place.what !== "tree" ? ` (${who(playerAt(step, place))})` : ""}
                </td>
                <td class="right">${plain(shownAs(step, place, change.field, change.before))}</td>
                <td>→</td>
                <td class="right">
                  <b>${index <= reached ? plain(shownAs(step, place, change.field, change.after)) : "…"}</b>
                </td>
              </tr>`,
          ),
        )}
      </tbody>
    </table>
    ${reached < step.places.length - 1 ? null : html`<p class="dim">${t("backup_done")}</p>`}`;
}

/** @param {string} field */
const isValue = (field) => field === "value" || field === "own" || field === "proven";

/** Whose value stands at a place: at a node, of who moves there; at an edge, of who chose it. @param {Step} step @param {Place} place */
function playerAt(step, place) {
  const depth = place.path.length - (place.what === "edge" ? 1 : 0);
  const player = step.selection[depth]?.player ?? (step.expansion?.depth === depth ? step.expansion.player : 0);
  return Math.max(0, player);
}

/** A number of the backup, for the player whose values are shown. @param {Step} step @param {Place} place @param {string} field @param {Score} x */
const shownAs = (step, place, field, x) => (isValue(field) && place.what !== "tree" ? turned(x, playerAt(step, place)) : x);

/** A place of the tree in words. @param {Place} place @param {number} [most] how many of its last moves are named */
function where(place, most = Infinity) {
  const move = (place.line.length > most ? ["…", ...place.line.slice(-most)] : place.line).join(" ");
  if (place.what === "tree") return t("the_tree");
  return place.what === "edge" ? t("edge_to", { move }) : place.line.length ? t("node_at", { move }) : t("root");
}
