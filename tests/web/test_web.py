"""The workbench's server: what each route does. Refusals, live updates, keeping and asking have files of their own."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import playout as po
from playout.settings.options import OPTIONS
from tests.places import TESTS

from .web_server import Served, serving

NIM = f"{TESTS / 'games' / 'toy_games.py'}:Nim"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("data"), games=[NIM]) as found:
        yield found


def plain_search(simulations: int, **more: Any) -> po.Search:
    search = po.Search(po.games.load("tictactoe"), seed=7, **more)
    search.run(simulations=simulations)
    return search


def top(tree: dict[str, Any]) -> list[tuple[int, int, float | None]]:
    return [(node["number"], node["visits"], node["value"]) for node in tree["children"]]


def test_there_is_something_to_choose_from(server: Served) -> None:
    games = {game["game"]: game for game in server.get("/v1/games")["games"]}
    assert {"tictactoe", "connect4", "chess", "othello", "target_sum", "Nim"} <= set(games)
    settings = {setting["name"]: setting for setting in games["target_sum"]["settings"]}
    assert settings["target"] == {"name": "target", "default": 10, "type": "integer", "most": None}
    assert settings["numbers"]["type"] == "integers"
    assert settings["numbers"]["most"] == 16
    assert (games["Nim"]["built_in"], games["Nim"]["players"]) == (False, 2)
    assert {preset["preset"] for preset in server.get("/v1/presets")["presets"]} >= {"default", "textbook"}
    offered = [option["name"] for option in server.get("/v1/settings")["settings"]]
    assert offered == [name for name in OPTIONS if name != "roots"]  # a session shows one tree
    assert server.get("/v1/server")["ask"] is None


def test_a_new_session_searches_with_the_games_own_preset(server: Served) -> None:
    games = {game["game"]: game for game in server.get("/v1/games")["games"]}
    assert (games["chess"]["preset"], games["tictactoe"]["preset"]) == ("chess", "default")
    found = server.post("/v1/sessions", 201, game="chess")
    assert (found["preset"], found["changed"], found["options"]["evaluator"]) == ("chess", [], "network")
    changed = server.post("/v1/sessions", 201, game="chess", options={"c": 3})
    assert (changed["preset"], changed["changed"], changed["options"]["c"]) == ("chess", ["c"], "3")
    plain = server.post("/v1/sessions", 201, game="chess", preset="default")
    assert (plain["preset"], plain["options"]["policy"]) == ("default", "uct")
    again = server.post(f"/v1/sessions/{plain['id']}/settings", preset="best")
    assert (again["preset"], again["options"]) == ("chess", found["options"])


def test_a_position_is_checked_and_made_move_by_move(server: Served) -> None:
    found = server.post("/v1/positions", game="tictactoe", position="X.O/.X./...", moves=["9"])
    assert (found["text"], found["player"], found["over"]) == ("X.O/.X./..O", 0, False)
    assert found["svg"].startswith("<svg")
    assert {action["action"] for action in found["actions"]} <= set("123456789")
    error = server.post("/v1/positions", 400, game="tictactoe", position="XXX/XXX/XXX")
    assert error["code"] == "position"
    assert "X" in error["detail"]


def test_a_session_from_its_making_to_its_end(server: Served) -> None:
    session = server.create("target_sum", game_settings={"target": 10, "moves": 3, "numbers": [1, 5, 4]}, name="ten")
    found = server.get(session)
    assert found["game_settings"]["target"] == 10
    assert [action["action"] for action in found["position"]["actions"]] == ["1", "5", "4"]
    assert found["permalink"] == f"/s/{found['id']}"
    assert found["id"] in [listed["id"] for listed in server.get("/v1/sessions")["sessions"]]
    renamed = server.http.patch(session, json={"name": "zehn"}).json()
    assert renamed["name"] == "zehn"
    assert renamed["version"] > found["version"]
    assert server.http.delete(session).status_code == 204
    assert server.get(session, 404)["code"] == "unknown_session"


def test_a_run_finds_what_a_plain_search_finds(server: Served) -> None:
    session = server.create(seed=7)
    answer = server.post(f"{session}/run", simulations=200, wait=True)
    plain = plain_search(200)
    assert answer["run"]["stopped_by"] == "simulations"
    assert answer["result"]["best_number"] == plain.result().best
    assert top(server.get(f"{session}/tree?depth=1&width=9")) == [
        (node.action, node.visits, node.value) for node in plain.root.children
    ]
    result = server.get(f"{session}/result")
    assert result["simulations"] == 200
    assert result["seconds"] > 0
    assert result["value_for"] == 0
    assert sum(action["share"] for action in result["actions"]) == pytest.approx(1)


def test_the_best_line_of_one_player_is_sent_with_a_drawing_of_its_end(server: Served) -> None:
    session = server.create(game="target_sum", options={"solver": "off"}, seed=7)
    server.post(f"{session}/run", simulations=300, wait=True)
    search = po.Search("target_sum", po.Settings(solver=False), seed=7)
    expected = search.run(300).best_found
    assert expected is not None
    found = server.get(f"{session}/result")["best_found"]
    assert (found["value"], found["line"]) == (expected.value, list(expected.line))
    assert (found["line_numbers"], found["simulation"]) == (list(expected.actions), expected.simulation)
    assert (found["position"], found["svg"]) == (expected.position.text, expected.position.draw())
    assert server.get(f"{session}/chart")["points"][-1]["best_found"] == expected.value


def test_a_run_without_limits_goes_on_until_it_is_stopped(server: Served) -> None:
    session = server.create("connect4")
    assert server.post(f"{session}/run", 202)["run"]["share"] is None
    assert server.get(session)["run"]["stopped_by"] is None
    for path in ("result", "tree", "map", "chart", "explain", "game", "node", "line", "find?text=4"):
        server.get(f"{session}/{path}")
    for path, body in (("run", {}), ("play", {"number": 3}), ("step", {}), ("settings", {}), ("goto", {"moment": 0})):
        assert server.post(f"{session}/{path}", 409, **body)["code"] == "busy"
    run = server.post(f"{session}/stop")["run"]
    assert run["stopped_by"] == "stop"
    assert server.get(session)["simulations"] == run["simulations"]
    assert server.post(f"{session}/stop")["run"] is None


def test_stepping_gives_the_same_tree_as_running(server: Served) -> None:
    session = server.create(seed=7)
    steps = [server.post(f"{session}/step", svg=True) for _ in range(12)]
    assert [step["simulation"] for step in steps] == list(range(1, 13))
    first = steps[0]
    assert first["selection"][0]["edges"][0]["score"] == "infinity"
    assert first["selection"][0]["svg"].startswith("<svg")
    playout = first["playouts"][0]
    assert playout["shown"] == len(playout["actions"]) == len(playout["svgs"])
    assert playout["final_svg"] == playout["svgs"][-1]
    assert {change["what"] for change in first["backup"]} >= {"node", "edge"}
    assert all(len(change["line"]) == len(change["path"]) for change in first["backup"])
    chosen = [edge for edge in first["selection"][0]["edges"] if edge["chosen"]]
    taken = (first["selection"][0]["number"], first["selection"][0]["action"])
    assert [(edge["number"], edge["action"]) for edge in chosen] == [taken]
    assert (first["path"][0], str(first["path"][0] + 1)) == taken  # squares are numbered from 0 and written from 1
    plain = plain_search(12)
    assert top(server.get(f"{session}/tree?depth=1&width=9")) == [
        (node.action, node.visits, node.value) for node in plain.root.children
    ]
    again = server.post(f"{session}/step", at=5, svg=True)
    assert {**again, "version": 5} == steps[4]  # the search has changed, the step has not
    assert server.get(session)["simulations"] == 5
    assert {**server.post(f"{session}/step", at=12, svg=True), "version": 12} == steps[11]


def test_seeking_goes_back_and_forward(server: Served) -> None:
    session = server.create("connect4", seed=7)
    server.post(f"{session}/run", simulations=60, wait=True)
    tree = server.get(f"{session}/tree?depth=3")
    for k in (20, 0, 60):
        server.post(f"{session}/seek", simulations=k)
        assert server.get(session)["simulations"] == k
    assert server.get(f"{session}/tree?depth=3") == tree


def test_stepping_ends_where_the_position_is_proven(server: Served) -> None:
    session = server.create(position="XX./OO./...")
    server.post(f"{session}/run", simulations=1000, wait=True)
    assert server.get(session)["proven"] == 1.0
    assert server.post(f"{session}/step", 409)["code"] == "state"


def test_the_whole_of_a_graph_is_mapped_and_named(server: Served) -> None:
    """Where positions repeat, an edge can have more visits than the one above it, which then has no name itself."""
    session = server.create("connect4", preset="default", options={"transpositions": "on"}, seed=1)
    server.post(f"{session}/run", simulations=600, wait=True)
    found = server.get(f"{session}/map?depth=20&cells=2000")
    names = found["names"]
    assert any(name and not names[cell[0]] for cell, name in zip(found["cells"], names, strict=True) if cell[0] > 0)


def test_views_are_bounded_and_agree(server: Served) -> None:
    session = server.create("connect4", seed=7)
    server.post(f"{session}/run", simulations=300, wait=True)
    tree = server.get(f"{session}/tree?depth=12&width=400")
    narrow = server.get(f"{session}/tree?depth=2&width=2")
    assert narrow["more"] == 5
    assert [node["number"] for node in narrow["children"]] == [node["number"] for node in tree["children"][:2]]
    whole = server.get(f"{session}/map?depth=20&cells=100")
    assert len(whole["cells"]) == 100
    assert all(cell[0] < i for i, cell in enumerate(whole["cells"]))
    assert whole["cells"][1][1:3] == [tree["children"][0]["number"], tree["children"][0]["visits"] / 300]
    assert whole["names"][1] == tree["children"][0]["action"]
    assert whole["cells"][1][3:] == [tree["children"][0]["value"], 0]
    below = server.get(f"{session}/tree?path={tree['children'][0]['number']}&depth=1")
    assert below["visits"] == tree["children"][0]["visits"]
    assert below["value_for"] == 0
    assert below["player"] == 1
    line = server.get(f"{session}/line")
    assert line["path"][0] == tree["best_number"]
    node = server.get(f"{session}/node?path={tree['best_number']}")
    assert node["line"] == [line["nodes"][0]["action"]]
    assert node["expected_numbers"] == line["path"][1:]
    assert (node["number"], node["visits"]) == (tree["best_number"], line["nodes"][0]["visits"])
    assert (node["children"], node["more"]) == ([], 7)
    assert node["position"]["svg"].startswith("<svg")
    found = server.get(f"{session}/find?text=4&limit=3")["found"]
    assert [entry["line"][-1] for entry in found] == ["4"] * 3
    assert found == sorted(found, key=lambda entry: -entry["visits"])
    assert server.get(f"{session}/find?text=nothing")["found"] == []
    assert server.get(f"{session}/tree?path=99", 404)["code"] == "unknown_path"
    chart = server.get(f"{session}/chart")
    assert chart["points"][-1]["simulations"] == 300
    assert chart["names"][str(chart["points"][-1]["best_number"])]


def test_graph_search_shows_shared_nodes_as_shared(server: Served) -> None:
    session = server.create("tictactoe", seed=7, options={"transpositions": "on", "solver": "off"})
    assert server.get(session)["graph"]
    server.post(f"{session}/run", simulations=400, wait=True)
    tree = server.get(f"{session}/tree?depth=3&width=9")
    places: dict[int, set[tuple[int, ...]]] = {}

    def walk(node: dict[str, Any], path: tuple[int, ...]) -> None:
        if node["shared"]:
            places.setdefault(node["node"], set()).add(path)
        for child in node["children"]:
            walk(child, (*path, child["number"]))

    walk(tree, ())
    # X here, O there, X elsewhere: the same position, whichever of X's moves came first.
    assert any({path, path[::-1]} <= found for found in places.values() for path in found if len(path) == 3)


def test_results_are_sent_where_they_are_counted(server: Served) -> None:
    session = server.create("tictactoe", seed=7, options={"wdl": "on"})
    server.post(f"{session}/run", simulations=100, wait=True)
    for action in server.get(f"{session}/result")["actions"]:
        assert sum(action["wdl"]) == action["visits"]
        assert server.get(f"{session}/node?path={action['number']}")["wdl"] == action["wdl"]
    assert "wdl counts games" in server.post(f"{session}/settings", 400, options={"wdl": "on", "depth": 3})["detail"]


def test_a_drawing_can_run_nothing(server: Served) -> None:
    session = server.create()
    for path in ("board.svg", "board.svg?path=4", "board.svg?moment=0", "export?form=svg"):
        server.post(f"{session}/run", simulations=5, wait=True)
        answer = server.http.get(f"{session}/{path}")
        assert answer.headers["content-type"].startswith("image/svg+xml")
        assert answer.headers["content-security-policy"].startswith("default-src 'none'")
        assert answer.headers["x-content-type-options"] == "nosniff"


def test_playing_keeps_the_subtree_and_walking_back_finds_the_tree_again(server: Served) -> None:
    session = server.create("connect4", seed=7)
    server.post(f"{session}/run", simulations=200, wait=True)
    best = server.get(f"{session}/result")["actions"][0]
    played = server.post(f"{session}/play", action=best["action"])
    assert played["kept"] == {"visits": played["visits"], "of": 200, "how": "subtree"}
    assert 0 < played["visits"] <= best["visits"]
    assert (played["plies"], played["simulations"]) == (1, 0)
    back = server.post(f"{session}/goto", moment=0)
    assert back["kept"]["how"] == "parked"
    assert (back["visits"], back["simulations"]) == (200, 200)
    other = server.post(f"{session}/play", number=0)
    game = server.get(f"{session}/game?svg=true")
    assert [(m["moment"], m["parent"], m["current"]) for m in game["moments"]] == [
        (0, None, True),
        (1, 0, False),
        (2, 0, True),
    ]
    assert game["moments"][2]["text"] == other["position"]["text"] == "1"
    assert game["moments"][2]["svg"].startswith("<svg")
    again = server.post(f"{session}/goto", moment=1)
    assert again["position"]["text"] == played["position"]["text"]
    assert again["kept"]["how"] == "parked"
    assert again["visits"] == played["visits"]
    # A moment that was never searched begins with an empty tree.
    server.post(f"{session}/settings", seed=1)
    assert server.post(f"{session}/goto", moment=2)["kept"]["how"] == "none"
    assert server.post(f"{session}/goto", 404, moment=9)["code"] == "unknown_moment"


def test_where_chance_moves_an_outcome_is_played(server: Served) -> None:
    session = server.create("game2048", seed=7)
    server.post(f"{session}/run", simulations=20, wait=True)
    moved = server.post(f"{session}/play", action="best")
    assert moved["position"]["chance"]
    assert sum(action["probability"] for action in moved["position"]["actions"]) == pytest.approx(1)
    assert server.post(f"{session}/run", 409)["code"] == "state"
    assert server.get(f"{session}/result")["best"] is None
    drawn = server.post(f"{session}/play", action="best")  # by its probability
    assert not drawn["position"]["chance"]
    assert server.get(f"{session}/game")["moments"][2]["player"] == -1


def test_a_game_that_is_over_is_not_searched(server: Served) -> None:
    session = server.create(position="XX./OO./...")
    assert server.post(f"{session}/play", 409, action="best")["code"] == "state"  # no best move yet
    over = server.post(f"{session}/play", action="3")
    assert over["position"]["over"]
    assert over["position"]["player"] == -4
    for path, body in (("run", {}), ("step", {}), ("play", {"action": "best"})):
        assert server.post(f"{session}/{path}", 409, **body)["code"] == "state"
    assert "over" in server.get(f"{session}/explain")["text"]


def test_settings_change_and_the_position_stays(server: Served) -> None:
    session = server.create("connect4", position="44", options={"c": 2, "solver": False})
    found = server.get(session)
    assert (found["options"]["c"], found["options"]["solver"], found["changed"]) == ("2", "off", ["c", "solver"])
    server.post(f"{session}/run", simulations=20, wait=True)
    found = server.post(f"{session}/settings", options={"policy": "puct", "growth": "1"})
    assert (found["position"]["text"], found["visits"]) == ("44", 0)
    assert (found["options"]["growth"], found["options"]["c"]) == ("1", "2")
    found = server.post(f"{session}/settings", options={"policy": "uct"})
    assert found["changed"] == ["c", "policy", "solver"]
    found = server.post(f"{session}/settings", preset="textbook", seed=5)
    assert (found["preset"], found["changed"], found["seed"]) == ("textbook", [], 5)
    error = server.post(f"{session}/settings", 400, options={"growth": 1})
    assert "growth belongs to policy=puct" in error["detail"]
    assert "--" not in error["detail"].split(";")[0]


def test_two_sessions_side_by_side_from_the_same_position(server: Served) -> None:
    session = server.create("connect4", seed=7)
    server.post(f"{session}/play", action="4")
    second = server.post("/v1/sessions", 201, **{"from": session.rpartition("/")[2], "preset": "textbook", "seed": 7})
    assert second["position"]["text"] == "4"
    assert second["options"]["answer"] == "value"
    third = server.post("/v1/sessions", 201, **{"from": session.rpartition("/")[2], "options": {"c": 3}})
    assert third["options"]["c"] == "3"
    for one in (session, f"/v1/sessions/{second['id']}"):
        assert server.post(f"{one}/run", simulations=50, wait=True)["run"]["simulations"] == 50
    server.post("/v1/sessions", 422, **{"from": second["id"], "game": "connect4"})
    server.post("/v1/sessions", 422, **{"from": second["id"], "position": "4"})
    server.post("/v1/sessions", 422)


def test_what_is_exported_can_be_imported(server: Served, tmp_path: Path) -> None:
    session = server.create("connect4", seed=7, options={"c": 2})
    server.post(f"{session}/run", simulations=50, wait=True)
    server.post(f"{session}/play", action="4")
    server.post(f"{session}/run", simulations=50, wait=True)
    content = server.http.get(f"{session}/export?form=search").content
    (tmp_path / "x.search").write_bytes(content)
    assert po.Search.load(tmp_path / "x.search").simulations == 50
    binary = {"Content-Type": "application/octet-stream"}
    answer = server.http.post("/v1/sessions/import?name=again", content=content, headers=binary)
    assert answer.status_code == 201
    found = answer.json()
    copy = f"/v1/sessions/{found['id']}"
    assert (found["name"], found["simulations"], found["plies"], found["options"]["c"]) == ("again", 50, 1, "2")
    assert server.get(f"{copy}/tree?depth=3") == server.get(f"{session}/tree?depth=3")
    # Going on gives the same, too; and the game so far came with it.
    for one in (session, copy):
        server.post(f"{one}/run", simulations=30, wait=True)
    assert server.get(f"{copy}/tree?depth=3") == server.get(f"{session}/tree?depth=3")
    assert len(server.get(f"{copy}/game")["moments"]) == 2
    whole = json.loads(server.http.get(f"{session}/export?form=json").content)
    assert set(whole) == {"session", "result", "explanation", "game", "chart", "tree"}


def test_a_game_of_the_users_own(server: Served) -> None:
    session = server.create("Nim", seed=1)
    result = server.post(f"{session}/run", simulations=500, wait=True)["result"]
    assert result["game"] == "Nim"
    content = server.http.get(f"{session}/export?form=search").content
    headers = {"Content-Type": "application/octet-stream"}
    assert server.http.post("/v1/sessions/import", content=content, headers=headers).status_code == 201


def test_the_built_in_explanation_serves_where_there_is_no_model(server: Served) -> None:
    session = server.create(seed=7)
    server.post(f"{session}/run", simulations=50, wait=True)
    explained = server.get(f"{session}/explain")
    assert explained["facts"]["best"]["action"] in explained["text"]
    answer = server.post(f"{session}/ask", kind="choice")
    assert (answer["answer"], answer["source"], answer["note"]) == (explained["text"], "built-in", None)
    assert "no language model" in server.post(f"{session}/ask", kind="question", question="why?")["note"]
    assert "No step" in server.post(f"{session}/ask", kind="step")["answer"]
    server.post(f"{session}/step")
    assert "selection" in server.post(f"{session}/ask", kind="step")["answer"]
    server.post(f"{session}/ask", 422, kind="question")


def test_settings_are_told_without_the_zeros_that_fill_their_fields(server: Served) -> None:
    session = server.create("target_sum", game_settings={"target": 12, "moves": 3, "numbers": [2, 3, 7]})
    assert server.get(session)["game_settings"] == {"target": 12, "moves": 3, "numbers": [2, 3, 7]}
    again = server.create("target_sum", game_settings=server.get(session)["game_settings"])
    assert server.get(again)["position"]["show"] == server.get(session)["position"]["show"]


def test_a_move_is_played_only_in_the_position_that_it_was_chosen_in(server: Served) -> None:
    session = server.create("connect4")
    assert server.post(f"{session}/play", number=3, moment=0)["moment"] == 1
    error = server.post(f"{session}/play", 409, number=3, moment=0)  # a second click
    assert error["code"] == "state"
    assert server.get(session)["plies"] == 1


def test_the_pages_come_from_here_alone(server: Served) -> None:
    for path in ("/", "/s/anything", "/docs", "/reference/reference.js", "/reference/reference.css"):
        answer = server.http.get(path)
        assert answer.status_code == 200, path
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'self'")
        assert "script-src" not in policy  # so that inline scripts are refused
        assert "http:" not in policy + answer.text.replace("http://www.w3.org", "")
    assert server.http.get("/reference/reference.js").headers["content-type"].startswith("text/javascript")
    schema = server.get("/openapi.json")
    assert "value_for" in schema["components"]["schemas"]["NodeOut"]["properties"]
