import assert from "node:assert/strict";
import { test } from "node:test";
import * as urls from "../../src/playout/web/static/urls.js";

const ROOT = "/v1";

test("everything is below one root", () => {
  for (const name of ["SERVER", "GAMES", "PRESETS", "SETTINGS", "POSITIONS", "SESSIONS"])
    assert.equal(urls[name], `${ROOT}/${name.toLowerCase()}`);
});

test("a query leaves out what is not given, and escapes the rest", () => {
  assert.equal(urls.withQuery("/a", { path: "", depth: 0, width: null, more: undefined }), "/a?path=&depth=0");
  assert.equal(urls.withQuery("/a", { text: "a&b=c" }), "/a?text=a%26b%3Dc");
  assert.equal(urls.withQuery("/a"), "/a");
});

test("the parts of a session", () => {
  assert.equal(urls.sessionUrl("k7"), `${ROOT}/sessions/k7`);
  assert.equal(urls.sessionUrl("k7", "tree", { path: "3,2", depth: 1 }), `${ROOT}/sessions/k7/tree?path=3%2C2&depth=1`);
  assert.equal(urls.momentUrl("k7", 0), `${ROOT}/sessions/k7/board.svg?moment=0`);
  assert.equal(urls.nodeUrl("k7", [3, 2]), `${ROOT}/sessions/k7/board.svg?path=3%2C2`);
  assert.equal(urls.exportUrl("k7", "json"), `${ROOT}/sessions/k7/export?form=json`);
  assert.equal(urls.belowUrl("k7", "svg", [3, 2]), `${ROOT}/sessions/k7/export?form=svg&path=3%2C2`);
  assert.equal(urls.importUrl("my game"), `${ROOT}/sessions/import?name=my+game`);
});

test("the live socket is on the server that the page came from, as secure as the page", () => {
  assert.equal(
    urls.liveUrl("k7", { protocol: "http:", host: "127.0.0.1:8000" }),
    `ws://127.0.0.1:8000${ROOT}/sessions/k7/live`,
  );
  assert.equal(urls.liveUrl("k7", { protocol: "https:", host: "a.example" }), `wss://a.example${ROOT}/sessions/k7/live`);
});

test("the session that the page's address names", () => {
  assert.equal(urls.sessionNamed("/s/k7"), "k7");
  assert.equal(urls.sessionNamed("/s/k7/more"), "k7");
  assert.equal(urls.sessionNamed("/"), undefined);
});
