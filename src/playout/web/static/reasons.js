// Why something can't be done now, in words, where its button is greyed out.

import { t } from "./i18n.js";
import { state } from "./store.js";

/** Null: it can be done. @param {"run" | "step"} what */
export function whyNot(what) {
  const { session, budget } = state;
  if (!session) return null;
  if (session.position.over) return t("why_over");
  if (session.position.chance) return t("why_chance");
  if (session.proven !== null) return t("why_proven");
  return what === "run" && budget.wrong ? t(`why_${budget.kind}`) : null;
}
