"""What the server refuses: hostile input, hostile pages, too much of anything. Always 4xx, always with the reason."""

import io
import json
import socket
import threading
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis.errors import Unsatisfiable
from hypothesis.strategies import booleans, fixed_dictionaries, floats, integers, just, lists, sampled_from, sets, text
from websockets.exceptions import ConnectionClosed

import playout as po
from playout.web.caps import Caps

from .web_server import Served, serving

BINARY = {"Content-Type": "application/octet-stream"}
HOSTILE = '<img src=x onerror="alert(1)">'


class Rude(po.games.find("tictactoe")):  # type: ignore[misc]
    """A game of a user's own whose words fail, and whose drawing is a script."""

    name = "rude"

    def draw(self, state: Any) -> str:
        return f"<svg xmlns='http://www.w3.org/2000/svg'><script>alert(1)</script>{HOSTILE}</svg>"

    def action_to_text(self, state: Any, action: int) -> str:
        if action == 8:
            raise RuntimeError("no words for that")
        return str(super().action_to_text(state, action))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    caps = Caps(sessions=1000, bytes=1 << 26, upload=1 << 16)
    with serving(tmp_path_factory.mktemp("data"), caps=caps, games=[f"{__name__}:Rude"]) as found:
        yield found


@pytest.fixture(scope="module")
def session(server: Served) -> str:
    session = server.create(seed=1)
    server.post(f"{session}/run", simulations=20, wait=True)
    return session


@pytest.mark.parametrize(
    ("path", "body", "status", "message"),
    [
        ("", {"game": "chess960"}, 404, "no game 'chess960'"),
        ("", {"game": "../../etc/passwd:X"}, 404, "no game"),
        ("", {"game": "os:system"}, 404, "no game"),
        ("", {"game": 5}, 422, "game"),
        ("", {"game": "tictactoe", "seed": "one"}, 422, "seed"),
        ("", {"game": "tictactoe", "seed": -1}, 422, "seed"),
        ("", {"game": "tictactoe", "seed": 10**30}, 422, "seed"),
        ("", {"game": "tictactoe", "sead": 1}, 422, "sead"),
        ("", {"game": "tictactoe", "position": "x" * 5000}, 422, "position"),
        ("", {"game": "tictactoe", "position": HOSTILE}, 400, "can't"),
        ("", {"game": "tictactoe", "moves": ["5", "5"]}, 400, "5"),
        ("", {"game": "tictactoe", "moves": [10**12]}, 422, "moves"),
        ("", {"game": "tictactoe", "preset": "strongest"}, 400, "no preset 'strongest'"),
        ("", {"game": "tictactoe", "options": {"c": "much"}}, 400, "expected a number"),
        ("", {"game": "tictactoe", "options": {"c": -1}}, 400, "at least 0"),
        ("", {"game": "tictactoe", "options": {"evaluator": "static"}}, 400, "no static value"),
        ("", {"game": "tictactoe", "options": {"rollouts": 10**9}}, 400, "evaluator.n"),
        ("", {"game": "tictactoe", "options": {"rollouts": 10**5}}, 400, "rollouts is 100,000"),
        ("", {"game": "tictactoe", "options": {"roots": 2}}, 400, "roots is 2, and a session steps and shows one tree"),
        ("", {"game": "tictactoe", "options": {"evaluator": "network", "network": "/etc/passwd"}}, 400, "no network"),
        ("", {"game": "tictactoe", "options": {"evaluator": "network", "cache": 1 << 20}}, 400, "a cache of"),
        ("", {"game": "target_sum", "game_settings": {"target": 10**12}}, 400, "target"),
        ("", {"game": "target_sum", "game_settings": {"size": 3}}, 400, "no setting 'size'"),
        ("", {"game": "target_sum", "game_settings": {"numbers": list(range(100))}}, 400, "numbers"),
        ("", {"from": "nobody"}, 404, "no session"),
        ("/{id}/run", {"simulations": 0}, 422, "simulations"),
        ("/{id}/run", {"simulations": "many"}, 422, "simulations"),
        ("/{id}/run", {"simulations": 1.5}, 422, "simulations"),
        ("/{id}/run", {"simulations": 10**40}, 422, "simulations"),
        ("/{id}/run", {"seconds": -1}, 422, "seconds"),
        ("/{id}/run", {"seconds": True}, 422, "seconds"),
        ("/{id}/play", {"action": "10"}, 400, "10"),
        ("/{id}/play", {"number": 99}, 400, "99"),
        ("/{id}/play", {"action": 4}, 422, "action is 4, expected a text"),
        ("/{id}/play", {"action": "5", "number": 4}, 422, "action and number are both given"),
        ("/{id}/play", {"action": [1]}, 422, "action"),
        ("/{id}/play", {}, 422, "action is missing, expected a move's text, or best"),
        ("/{id}/play", {"action": None}, 422, "action is missing"),
        ("/{id}/play", {"action": "5", "moment": 7}, 409, "the game is at moment 0 by now, not at 7"),
        ("/{id}/goto", {"moment": 5}, 404, "no moment 5"),
        ("/{id}/seek", {"simulations": -3}, 422, "simulations"),
        ("/{id}/step", {"at": 0}, 422, "at"),
        ("/{id}/ask", {"kind": "poem"}, 422, "kind"),
        ("/{id}/ask", {"kind": "question", "question": "?" * 3000}, 422, "question"),
        ("/{id}/nothing", {}, 404, "there is no"),
        ("/nobody/run", {}, 404, "no session"),
    ],
    ids=lambda value: json.dumps(value)[:40] if isinstance(value, dict) else None,
)
def test_what_is_wrong_is_refused_with_the_reason(
    server: Served, session: str, path: str, body: Any, status: int, message: str
) -> None:
    where = "/v1/sessions" + path.replace("{id}", session.rpartition("/")[2])
    error = server.post(where, status, **body)
    assert message in error["detail"]
    assert "\n" not in error["detail"]


@pytest.mark.parametrize(
    ("path", "body", "message"),
    [
        ("", {"game": 5}, "game is 5, expected a text"),
        ("", {"game": "tictactoe", "seed": "one"}, 'seed is "one", expected a whole number'),
        ("", {"game": "tictactoe", "seed": -1}, "seed is -1, expected at least 0"),
        ("", {"game": "tictactoe", "sead": 1}, "no field 'sead' (there are: game, from, game_settings, position, "),
        ("", {"game": "tictactoe", "sead": 1}, "; did you mean 'seed'?"),
        ("", {"game": "tictactoe", "moves": [4, [1]]}, "moves.1 is [1], expected a whole number or a text"),
        ("", {"game": "tictactoe", "position": "x" * 5000}, "…, expected at most 4000 characters"),
        (
            "",
            {"game": "tictactoe", "options": {"c": [1]}},
            "options.c is [1], expected true or false, a number or a text",
        ),
        ("/{id}/run", {"simulations": 1.5}, "simulations is 1.5, expected a whole number"),
        ("/{id}/run", {"seconds": 1e300}, "seconds is 1e+300, expected at most 1e+09"),
        ("/{id}/run", {"wait": "perhaps"}, 'wait is "perhaps", expected true or false'),
        ("/{id}/seek", {}, "simulations is missing"),
        ("/{id}/ask", {"kind": "poem"}, "kind is \"poem\", expected 'choice', 'step' or 'question'"),
    ],
)
def test_a_wrong_field_is_named_with_what_came_and_what_was_expected(
    server: Served, session: str, path: str, body: Any, message: str
) -> None:
    where = "/v1/sessions" + path.replace("{id}", session.rpartition("/")[2])
    assert message in server.post(where, 422, **body)["detail"]


def test_a_refusal_is_a_problem_with_a_title_that_the_server_lists(server: Served) -> None:
    answer = server.http.get("/v1/sessions/nobody")
    assert answer.headers["content-type"] == "application/problem+json"
    found = answer.json()
    assert set(found) == {"type", "title", "status", "detail", "code"}
    assert (found["type"], found["status"], found["code"]) == ("/v1/problems#unknown_session", 404, "unknown_session")
    assert {"code": found["code"], "title": found["title"]} in server.get("/v1/problems")["problems"]
    assert server.http.get("/api/server").status_code == 404
    described = server.get("/openapi.json")["paths"]["/v1/server"]["get"]["responses"]["400"]["content"]
    assert described == {"application/problem+json": {"schema": {"$ref": "#/components/schemas/ProblemOut"}}}


def test_a_wrong_query_is_named_likewise(server: Served, session: str) -> None:
    said = server.get(f"{session}/tree?depth=many&path=x", 422)["detail"]
    assert 'path is "x", expected numbers as in 3,4,0' in said
    assert 'depth is "many", expected a whole number' in said


def test_numbers_are_taken_as_in_python(server: Served) -> None:
    session = server.create(seed=None)
    assert server.get(session)["seed"] >= 0
    assert server.get(server.create(seed=1e3))["seed"] == 1000
    assert server.post(f"{session}/run", simulations=1e2, wait=True)["run"]["simulations"] == 100
    server.post(f"{session}/seek", simulations=5e1)
    assert server.post(f"{session}/step", at=10.0)["simulations"] == 10


@pytest.mark.parametrize(
    ("content", "kind", "status"),
    [
        (b"", "application/json", 422),
        (b"{", "application/json", 422),
        (b"[1, 2]", "application/json", 422),
        (b"null", "application/json", 422),
        (b'"text"', "application/json", 422),
        (b'{"game": "tictactoe"}', "text/plain", 415),
        (b"game=tictactoe", "application/x-www-form-urlencoded", 415),
        (b'{"game": "' + b"x" * (1 << 20) + b'"}', "application/json", 413),
        (b"[" * 100_000, "application/json", 400),
        (b'{"game": "\xff"}', "application/json", 400),
        (b'{"game": "\\ud800"}', "application/json", 422),
        (b'{"game": "tictactoe", "name": "\\ud800"}', "application/json", 422),
        (b'{"game": "tictactoe", "name": "\\u0000"}', "application/json", 201),
        (b'{"game": "tictactoe", "seed": ' + b"9" * 5000 + b"}", "application/json", 400),
        (b'{"game": "tictactoe", "seed": NaN}', "application/json", 422),
        (b'{"game": "tictactoe", "options": {"c": Infinity}}', "application/json", 422),
    ],
    ids=lambda value: repr(value[:30]) if isinstance(value, bytes) else None,
)
def test_bodies_that_are_no_request(server: Served, content: bytes, kind: str, status: int) -> None:
    answer = server.http.post("/v1/sessions", content=content, headers={"Content-Type": kind})
    assert answer.status_code in (status, 422 if status == 400 else status)
    if status != 201:
        assert answer.json()["detail"]


def test_a_body_without_a_length_is_counted_as_it_comes(server: Served) -> None:
    def parts() -> Iterator[bytes]:
        for _ in range(40):
            yield b" " * 50_000

    answer = server.http.post("/v1/sessions", content=parts(), headers={"Content-Type": "application/json"})
    assert answer.status_code == 413


@pytest.mark.parametrize(
    "query",
    [
        "tree?path=x",
        "tree?path=1,,2",
        "tree?path=99999999999",
        "tree?depth=-1",
        "tree?depth=1000",
        "tree?width=0",
        "tree?width=1e9",
        "map?cells=100000",
        "find?text=",
        "find",
        "node?path=0,0,0,0,0,0,0,0,0,0",
        "board.svg?moment=77",
        "board.svg?path=2147483648",
        "export?form=pickle",
        "tree?path=" + "1," * 9000 + "1",
    ],
)
def test_queries_that_lead_nowhere(server: Served, session: str, query: str) -> None:
    answer = server.http.get(f"{session}/{query}")
    assert answer.status_code in (404, 422)
    assert answer.json()["detail"]


def damaged_files() -> Iterator[tuple[str, bytes]]:
    def archive(**entries: bytes) -> bytes:
        made = io.BytesIO()
        with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as file:
            for name, content in entries.items():
                file.writestr(name.replace("__", "/").replace("_json", ".json"), content)
        return made.getvalue()

    yield "nothing", b""
    yield "text", b"hello"
    yield "an empty archive", archive()
    yield "a header that is no JSON", archive(header_json=b"{")
    yield "a header of another shape", archive(header_json=b"[]")
    yield "a game that is not here", archive(header_json=b'{"game": {"name": "os", "settings": {}}}')
    yield "settings of no game", archive(header_json=b'{"game": {"name": "tictactoe", "settings": {"x": 1}}}')
    yield "half a header", archive(header_json=b'{"game": {"name": "tictactoe", "settings": {}}}')
    yield (
        "a file that names another",
        archive(
            header_json=b'{"game": {"name": "tictactoe", "settings": {}}, "settings": {"kind": "Settings", '
            b'"evaluator": {"kind": "Network", "file": "/etc/passwd"}}}'
        ),
    )
    yield "a bomb", archive(header_json=b"{}", tree__nodes=bytes(1 << 27))
    yield "a long file", bytes(1 << 17)


@pytest.mark.parametrize(
    ("what", "content"), list(damaged_files()), ids=lambda value: value if isinstance(value, str) else ""
)
def test_files_that_are_no_searches(server: Served, what: str, content: bytes) -> None:
    answer = server.http.post("/v1/sessions/import", content=content, headers=BINARY)
    assert answer.status_code in (400, 404, 413), answer.text
    assert answer.json()["detail"]
    assert str(Path.cwd()) not in answer.text
    assert "upload" not in answer.json()["detail"].replace("--max-upload", "")


def test_an_import_says_what_it_is(server: Served) -> None:
    assert (
        server.http.post("/v1/sessions/import", content=b"x", headers={"Content-Type": "text/plain"}).status_code == 415
    )


def test_a_session_deleted_while_it_runs(server: Served) -> None:
    session = server.create("connect4")
    server.post(f"{session}/run", 202)
    run = server.bench.sessions.find(session.rpartition("/")[2]).run
    assert server.http.delete(session).status_code == 204
    assert run is not None
    run.finished.result(20)
    for path in ("", "/result", "/tree"):
        assert server.get(session + path, 404)["code"] == "unknown_session"
    assert server.http.delete(session).status_code == 404


def test_a_users_game_that_fails_is_not_the_servers_fault(server: Served) -> None:
    error = server.post("/v1/positions", 400, game="rude")
    assert error["code"] == "game"
    assert "no words for that" in error["detail"]
    session = server.post("/v1/sessions", 400, game="rude")
    assert "playout doctor" in session["detail"]
    found = server.post("/v1/positions", game="rude", moves=[8])
    assert "<script>" in found["svg"]  # untrusted, and served as a drawing that can run nothing


def test_caps_are_refused_by_name(tmp_path: Path) -> None:
    with serving(tmp_path, caps=Caps(sessions=2, nodes=50, memory=1 << 40)) as server:
        first, _ = server.create("connect4"), server.create("connect4")
        error = server.post("/v1/sessions", 429, game="connect4")
        assert "--max-sessions" in error["detail"]
        assert server.post(f"{first}/run", simulations=500, wait=True)["run"]["stopped_by"] == "nodes"
    with serving(tmp_path, caps=Caps(memory=10_000, bytes=30_000)) as server:
        assert server.post(f"{first}/run", simulations=5000, wait=True)["run"]["stopped_by"] in ("bytes", "memory")
        server.bench.sessions.find(first.rpartition("/")[2]).listeners.add(lambda: None)  # somebody watches: it stays
        error = server.post(f"{first}/run", 429, simulations=10)
        assert "--max-memory" in error["detail"]


# Other pages, other machines.


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Host": "evil.example"}, 400),
        ({"Host": "evil.example:80"}, 400),
        ({"Host": "127.0.0.1.evil.example"}, 400),
        ({"Host": "localhost@evil.example"}, 400),
        ({"Host": ""}, 400),
        ({"Origin": "http://evil.example"}, 403),
        ({"Origin": "null"}, 403),
        ({"Origin": "http://localhost:1"}, 403),
        ({"Origin": "https://127.0.0.1"}, 403),
        ({"Sec-Fetch-Site": "cross-site"}, 403),
        ({"Sec-Fetch-Site": "same-site"}, 403),
    ],
    ids=str,
)
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_another_page_can_do_nothing(
    server: Served, session: str, headers: dict[str, str], status: int, method: str
) -> None:
    answer = server.http.request(method, session if method != "POST" else f"{session}/stop", headers=headers)
    assert answer.status_code == status
    assert not [name for name in answer.headers if name.startswith("access-control")]
    server.get(session)


def test_our_own_page_and_programs_can(server: Served, session: str) -> None:
    own = {"Origin": server.address, "Sec-Fetch-Site": "same-origin"}
    assert server.http.post(f"{session}/stop", headers=own).status_code == 200
    assert server.http.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200  # a link to it
    assert server.http.options(session, headers=own | {"Access-Control-Request-Method": "PUT"}).status_code == 405


def test_a_websocket_of_another_page_is_refused(server: Served, session: str) -> None:
    with pytest.raises(Exception, match=r"403|4403"), server.live(session, origin="http://evil.example") as live:
        live.recv()
    with server.live(session, origin=server.address) as live:
        assert json.loads(live.recv())["type"] == "state"
    with server.live("/v1/sessions/nobody") as live, pytest.raises(ConnectionClosed) as closed:
        live.recv()
    assert closed.value.rcvd is not None
    assert closed.value.rcvd.code == 4404


def test_another_address_than_loopback_asks_for_the_token(tmp_path: Path) -> None:
    with serving(tmp_path, host="0.0.0.0", token="secret") as server:
        for path in ("/", "/docs", "/v1/sessions", "/openapi.json", "/?token=wrong"):
            assert server.get(path, 401)["code"] == "token"
        with pytest.raises(Exception, match=r"403|4401"), server.live("/v1/sessions/x") as live:
            live.recv()
        bearer = {"Authorization": "Bearer secret"}
        assert server.http.get("/v1/sessions", headers=bearer).status_code == 200
        welcome = server.http.get("/?token=secret")
        assert (welcome.status_code, welcome.headers["location"]) == (303, "/")
        assert "HttpOnly" in welcome.headers["set-cookie"]
        assert "SameSite=Strict" in welcome.headers["set-cookie"]
        assert server.http.get("/v1/sessions").status_code == 200  # the client keeps the cookie
        assert server.http.get("/v1/sessions", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (b"GET /v1/sessions/x/tree?path=" + b"1" * 300_000 + b" HTTP/1.1\r\nHost: localhost\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + b"x" * 300_000 + b"\r\n\r\n", 431),
        (b"\x16\x03\x01\x02\x00 hello\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n", 400),
    ],
    ids=["a long address", "a long header", "no HTTP", "two hosts"],
)
def test_what_is_no_request_gets_an_answer(server: Served, request_: bytes, status: int) -> None:
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=60) as wire:
        wire.sendall(request_)
        head, _, body = wire.recv(1 << 16).partition(b"\r\n\r\n")
    assert int(head.split()[1]) == status
    assert json.loads(body)["detail"]


def test_a_session_that_others_hold_is_asked_for_again_in_a_moment(
    server: Served, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("playout.web.stored.PATIENCE", 0.05)
    session = server.create("connect4")
    with server.bench.sessions.find(session.rpartition("/")[2])._lock:
        answer = server.http.get(session)
    assert (answer.status_code, answer.json()["code"]) == (409, "restoring")
    assert answer.headers["retry-after"] == "1"


def test_a_full_disk_is_refused_before_it_is_full(server: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    session = server.create("connect4")
    monkeypatch.setattr("playout.web.store.SPARE", 1 << 60)
    for path, body in (("/v1/sessions", {"game": "connect4"}), (f"{session}/run", {})):
        assert server.post(path, 429, **body)["code"] == "storage"
    assert server.get(f"{session}/export?form=search", 429)["code"] == "storage"
    server.get(session)


def test_a_step_of_many_playouts_is_bounded(server: Served) -> None:
    session = server.create("connect4", options={"rollouts": 300})
    step = server.post(f"{session}/step", svg=True)
    assert (step["played"], len(step["playouts"])) == (300, 100)
    assert [playout["shown"] > 0 for playout in step["playouts"][:6]] == [True] * 4 + [False] * 2
    error = server.post(f"{session}/settings", 400, options={"rollouts": 5000})
    assert "rollouts is 5,000" in error["detail"]


def test_half_a_request_holds_nobody_up(server: Served, session: str) -> None:
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port))) as slow:
        slow.sendall(b"POST /v1/sessions HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
        server.get(session)


# Everything at once.


OPTIONS = {
    "c": floats(0, 5),
    "policy": sampled_from(["uct", "puct", "ucb1tuned", "thompson", "ucbv"]),
    "rollouts": integers(1, 5),
    "solver": booleans(),
    "expansion": sampled_from(["all", "one"]),
    "transpositions": sampled_from(["off", "no"]),
}
# What a client that means it would send; each is put in the place of what was generated, or not.
LIKELY = {
    "game": sampled_from(["tictactoe", "target_sum", "connect4", "othello", "rude"]),
    "game_settings": just({}) | fixed_dictionaries({}, optional={"target": integers(1, 99), "moves": integers(1, 9)}),
    "position": sampled_from([None, "", "44", "X.O/.X./...", "0/0"]),
    "moves": lists(sampled_from(["4", 0, 3]), max_size=2),
    "preset": sampled_from([None, "default", "textbook", "guided"]),
    "options": fixed_dictionaries({}, optional=OPTIONS),
    "seed": integers(0, 2**64 - 1),
    "action": sampled_from(["best", "1", "5"]),
    "number": integers(0, 6),
    "moment": integers(0, 3),
    "name": text(max_size=9),
    "kind": sampled_from(["choice", "step", "question"]),
}


@pytest.mark.slow
def test_schemathesis_finds_no_server_error(server: Served) -> None:
    """Requests made from the schema, as it allows and as it forbids; each operation must have been served, too."""
    import schemathesis
    from schemathesis.checks import CHECKS, load_all_checks

    session = server.create("connect4", seed=3)
    name = session.rpartition("/")[2]
    server.post(f"{session}/run", simulations=50, wait=True)
    schema = schemathesis.openapi.from_url(f"{server.address}/openapi.json", wait_for_schema=10)
    load_all_checks()
    # Not this one: a schema can't say which games, positions, moves and moments there are, and others are refused.
    checks = [check for check in CHECKS.get_all() if check.__name__ != "positive_data_acceptance"]
    statuses: dict[str, set[int]] = {}
    for operation in schema.get_all_operations():
        found = operation.ok()
        seen = statuses.setdefault(found.label, set())
        modes = schemathesis.GenerationMode
        for mode, some in ((modes.POSITIVE, 20), (modes.NEGATIVE, 7)):
            try:
                # A session that is shared is changed by the page that leads alone.
                fresh = found.method == "delete" or found.path.endswith("/share")
                real = server.create().rpartition("/")[2] if fresh else name
                _attack(
                    found.as_strategy(generation_mode=mode), some, real, checks, seen, likely=mode is modes.POSITIVE
                )
            except Unsatisfiable:
                assert mode is modes.NEGATIVE  # there is nothing that could be wrong with it
    assert len(statuses) > 25
    never = {label for label, seen in statuses.items() if not any(status < 300 for status in seen)}
    # No search file and no lesson's name is made by chance, no page leads, and other requests take the last step away.
    assert never == {
        "POST /v1/sessions/import",
        "GET /v1/lessons/{name}",
        "GET /v1/sessions/{session}/step",
        "PUT /v1/sessions/{session}/shown",
    }


def _attack(cases: Any, requests: int, session: str, checks: list[Any], seen: set[int], likely: bool) -> None:
    """Send requests. With `likely`, words that mean something are put into them; otherwise they stay wrong."""
    likelier = likely

    @seed(1)
    @settings(
        max_examples=requests,
        deadline=None,
        database=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(case=cases, likely=fixed_dictionaries(LIKELY), keep=sets(sampled_from(sorted(LIKELY))), real=integers(0, 9))
    def attack(case: Any, likely: dict[str, Any], keep: set[str], real: int) -> None:
        if "session" in (case.path_parameters or {}) and real:
            case.path_parameters["session"] = session  # a real one: further than 404
        if isinstance(case.body, dict) and likelier:
            for key in set(case.body) & set(likely) - (keep if real % 2 else set()):
                case.body[key] = likely[key]
            if real % 2 == 0:
                case.body.pop("from", None)
            if case.path.endswith("/sessions") and real % 3 == 0:  # the least that is needed, so that some are made
                case.body = {key: likely[key] for key in ("game", "seed")}
            if case.path.endswith("/play") and real % 4:
                case.body.pop("number" if real % 2 else "action", None)  # one of them
            for key, most in (("simulations", 200), ("at", 200), ("seconds", 0.01)):  # legal, but not what this is for
                if isinstance(case.body.get(key), int | float) and not isinstance(case.body[key], bool):
                    case.body[key] = min(case.body[key], most)
            if case.path.endswith("/run") and not any(case.body.get(k) for k in ("simulations", "seconds")):
                case.body["simulations"] = 10
        response, wanted = case.call(), checks
        seen.add(response.status_code)
        if response.status_code == 413:  # a refusal, too, which Schemathesis does not count as one
            wanted = [check for check in checks if check.__name__ != "negative_data_rejection"]
        case.validate_response(response, checks=wanted)

    attack()


def test_many_hands_at_once(server: Served) -> None:
    """Threads that run, stop, step, play, look and delete the same session: refusals, but no fault."""
    session = server.create("connect4")
    faults: list[str] = []

    def hand(number: int) -> None:
        calls = [
            ("POST", "/run", {"simulations": 200}),
            ("GET", "/tree", None),
            ("POST", "/step", {}),
            ("POST", "/stop", {}),
            ("GET", "/result", None),
            ("POST", "/play", {"action": "best"}),
            ("POST", "/goto", {"moment": 0}),
            ("GET", "/map", None),
            ("POST", "/seek", {"simulations": 5}),
            ("GET", "/export?form=search", None),
        ]
        for i in range(20):
            method, path, body = calls[(i * 7 + number * 3) % len(calls)]
            answer = server.http.request(method, session + path, json=body)
            if answer.status_code >= 500:
                faults.append(f"{method} {path}: {answer.text[:200]}")

    hands = [threading.Thread(target=hand, args=(i,)) for i in range(6)]
    for thread in hands:
        thread.start()
    for thread in hands:
        thread.join()
    assert not faults
    server.get(session)
