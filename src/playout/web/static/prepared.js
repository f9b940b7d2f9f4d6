// Prepared links (`?game=…`), and the lessons that have them.

import { get, post } from "./api.js";
import { enter } from "./session.js";
import { showStep } from "./stepping.js";
import { changing, current, keepInTab, set, state } from "./store.js";
import { LESSONS, LINKS, sessionUrl } from "./urls.js";

/** @import { LessonHead, Opened, Slider } from "./types.js" */

/** Opens what a link describes, in a session of its own. @param {string} link */
export async function openLink(link) {
  /** @type {Opened} */
  const opened = await post(LINKS, { link });
  enter(opened.session);
  if (opened.lesson && opened.lesson !== state.lesson?.name) await openLesson(opened.lesson);
  if (opened.tab) set({ tab: opened.tab });
  const { id } = opened.session;
  if (opened.simulations)
    await changing("run", () => post(sessionUrl(id, "run"), { simulations: opened.simulations, wait: opened.step !== null }));
  if (opened.step !== null && state.session?.id === id) await showStep(opened.step, opened.phase);
}

/** What there is to learn: the list, and the lesson to begin with. */
export async function readLessons() {
  /** @type {{ first: string | null, lessons: LessonHead[] }} */
  const { first, lessons } = await get(LESSONS, { language: state.language });
  set({ lessons });
  return first;
}

/** Shows a lesson beside the workbench; null: none. @param {string | null} name */
export async function openLesson(name) {
  const lesson = name ? await get(`${LESSONS}/${encodeURIComponent(name)}`, { language: state.language }) : null;
  keepInTab("lesson", name ?? "");
  set({ lesson, dialog: null });
}

let slid = ""; // the session that the slider made
/** @type {{ block: Slider, value: number } | null} */
let wanted = null;
let sliding = false;
/**
 * Searches again with another value of an option; while that goes on, only the last value counts.
 * @param {Slider} block
 * @param {number} value
 */
export async function vary(block, value) {
  wanted = { block, value };
  if (sliding) return;
  sliding = true;
  while (wanted) {
    const next = wanted;
    wanted = null;
    await changing("settings", () => varied(next.block, next.value));
  }
  sliding = false;
}

/** @param {Slider} block @param {number} value */
async function varied({ link, vary: name }, value) {
  const query = new URLSearchParams(link);
  if (!state.session || state.session.id !== slid) {
    /** @type {Opened} */
    const { session } = await post(LINKS, { link });
    slid = session.id;
    enter(session);
  }
  const { id } = current();
  if (state.run) await post(sessionUrl(id, "stop"));
  const session = await post(sessionUrl(id, "settings"), { options: { [name]: value } });
  set({ session });
  await post(sessionUrl(id, "run"), { simulations: Number(query.get("run") ?? 1000), wait: true });
}
