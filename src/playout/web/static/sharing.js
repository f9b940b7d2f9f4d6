// Sharing a session: this page leads it, another page does, or this one only follows.

import { get, identity, post, put, remove } from "./api.js";
import { cut } from "./beats.js";
import { endStep } from "./stepping.js";
import { current, follows, keepInTab, keptInTab, leads, set, state, subscribe, trying } from "./store.js";
import { reveal } from "./treeview.js";
import { sessionUrl } from "./urls.js";

/** @import { LeaderView, Share, Step } from "./types.js" */

/** This page's secret, which only the server learns: with it, changes come from the page that leads. */
identity.page = keptInTab("page") ?? Array.from(crypto.getRandomValues(new Uint8Array(16)), (b) => b.toString(16)).join("-");
keepInTab("page", identity.page);

/** Shares the open session, or takes the lead of one that is shared. */
export const lead = () =>
  trying(async () => {
    const { id } = current();
    /** @type {Share} */
    const share = await post(sessionUrl(id, "share"), { page: identity.page });
    keepInTab(`lead.${id}`, String(share.leads));
    set({ share, session: { ...current(), leads: share.leads } });
    said = "";
    return true;
  });

export const endSharing = () =>
  trying(async () => {
    await remove(sessionUrl(current().id, "share"));
    set({ share: null, session: { ...current(), leads: null } });
  });

/** After a session was opened: whether this page led it before a reload. */
export async function recallLead() {
  const { id, leads: now } = current();
  if (follows() || now === null || keptInTab(`lead.${id}`) !== String(now)) return;
  const share = await get(sessionUrl(id, "share")).catch(() => null);
  if (share && state.session?.id === id) set({ share });
}

let said = ""; // what was told last
let telling = false;
/** Tells the server what this page shows, if it leads; the last thing counts. */
async function tell() {
  if (telling || !leads()) return;
  const { id } = current(),
    { tab, chosen, step, beat } = state;
  const shown = { tab, path: chosen, simulation: step?.simulation ?? null, beat: step ? beat : 0 };
  const now = JSON.stringify([id, shown]);
  if (now === said) return;
  said = now;
  telling = true;
  await put(sessionUrl(id, "shown"), shown).catch(() => {});
  telling = false;
  tell();
}
subscribe(() => void tell());

/** @type {LeaderView | null} */
let wanted = null;
let showing = false;
/** Shows what the leading page shows; the last thing counts. @param {LeaderView | null} shown */
export async function follow(shown) {
  wanted = shown;
  if (showing) return;
  showing = true;
  while (wanted) {
    const next = wanted;
    wanted = null;
    await show(next).catch(() => {});
  }
  showing = false;
}

/** @param {LeaderView} shown */
async function show({ tab, path, simulation, beat }) {
  const { id } = current();
  if (simulation === null) endStep();
  else {
    let { step } = state;
    if (step?.simulation !== simulation) {
      /** @type {Step} */
      const found = cut(await get(sessionUrl(id, "step")));
      step = found.simulation === simulation ? found : null;
    }
    if (state.session?.id !== id) return;
    set({ step, beat: step ? Math.min(beat, step.beats.length - 1) : 0 });
  }
  if (path && String(path) !== String(state.chosen)) await reveal(path);
  if (state.session?.id === id) set({ tab, ...(path ? {} : { chosen: null, details: null }) });
}
