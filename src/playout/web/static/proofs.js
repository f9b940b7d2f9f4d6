// Exact values and the ends of games in words.

import { value } from "./format.js";
import { t, who } from "./i18n.js";
import { proofOf } from "./side.js";

/** @import { Session } from "./types.js" */

/** How a game that is over ended, as far as its rewards tell. @param {Pick<Session, "players" | "returns">} session */
export function ending({ players, returns }) {
  if (!returns) return t("game_over");
  if (players === 1) return t("over_alone", { value: value(returns[0]) });
  const most = Math.max(...returns),
    winners = returns.flatMap((got, player) => (most - got < 1e-9 ? [player] : []));
  return winners.length === 1 ? t("over_won", { who: who(winners[0]) }) : t("over_draw");
}

/** An exact value of the player whom it is shown for: as a win, a loss or a draw where it is one. @param {number} proven */
export function provenWords(proven) {
  const proof = proofOf(proven);
  return proof === null || proof === "exact" ? value(proven) : `${t(`proof_${proof}`)} (${value(proven)})`;
}
