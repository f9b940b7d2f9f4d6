// Every address of the server that the page uses (docs/http.md).

/** @import { Path } from "./types.js" */

const ROOT = "/v1";

/** @typedef {Record<string, string | number | null | undefined>} Query */

/**
 * An address with its query; what is null or undefined is left out.
 * @param {string} address
 * @param {Query} [query]
 */
export function withQuery(address, query = {}) {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === null || value === undefined ? [] : [[name, String(value)]],
  );
  return given.length ? `${address}?${new URLSearchParams(given)}` : address;
}

export const SERVER = `${ROOT}/server`;
export const GAMES = `${ROOT}/games`;
export const PRESETS = `${ROOT}/presets`;
export const SETTINGS = `${ROOT}/settings`;
export const POSITIONS = `${ROOT}/positions`;
export const SESSIONS = `${ROOT}/sessions`;
export const LESSONS = `${ROOT}/lessons`;
export const LINKS = `${ROOT}/links`;

/**
 * A session, or a part of it, such as "tree".
 * @param {string} id
 * @param {string} [part]
 * @param {Query} [query]
 */
export const sessionUrl = (id, part = "", query = {}) => withQuery(`${SESSIONS}/${id}${part && `/${part}`}`, query);

/** @param {string} name */
export const importUrl = (name) => withQuery(`${SESSIONS}/import`, { name });

/** @param {string} id @param {"search" | "json"} form */
export const exportUrl = (id, form) => sessionUrl(id, "export", { form });

/** What is below a node, as a file. @param {string} id @param {string} form @param {number[]} path */
export const belowUrl = (id, form, path) => sessionUrl(id, "export", { form, path: path.join(",") });

/** The drawing of a moment of the game. @param {string} id @param {number} moment */
export const momentUrl = (id, moment) => sessionUrl(id, "board.svg", { moment });

/** The drawing of a node's position. @param {string} id @param {Path} path */
export const nodeUrl = (id, path) => sessionUrl(id, "board.svg", { path: path.join() });

/**
 * The live socket of a session, on the server that the page came from.
 * @param {string} id
 * @param {{ protocol: string, host: string }} from
 */
export const liveUrl = (id, { protocol, host }) => `${protocol === "https:" ? "wss" : "ws"}://${host}${sessionUrl(id, "live")}`;

/** Whether that is the id of a session for those who only follow. @param {string | undefined} id */
export const isFollowed = (id) => Boolean(id?.startsWith("follow-"));

/** The session that the page's own address names. @param {string} pathname */
export const sessionNamed = (pathname) => pathname.match(/^\/s\/([^/]+)/)?.[1];
