"""What /openapi.json says, and numbers and fields as it says them."""

from collections.abc import Iterator

import pytest

from .web_server import Served, serving


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("data")) as found:
        yield found


def test_every_field_and_parameter_has_a_description(server: Served) -> None:
    schema = server.get("/openapi.json")
    fields = {
        f"{name}.{key}": field
        for name, model in schema["components"]["schemas"].items()
        for key, field in model.get("properties", {}).items()
    }
    fields |= {
        f"{path} {parameter['name']}": parameter
        for path, operations in schema["paths"].items()
        for operation in operations.values()
        for parameter in operation.get("parameters", ())
    }
    assert len(fields) > 300
    assert [name for name, field in fields.items() if not field.get("description")] == []


def test_the_token_the_socket_and_all_refusals_are_described(server: Served) -> None:
    schema = server.get("/openapi.json")
    for operations in schema["paths"].values():
        for operation in operations.values():
            assert {"401", "403", "405", "408", "431"} <= set(operation["responses"])
    assert schema["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert "/v1/sessions/{session}/live" in schema["x-websocket"]


@pytest.mark.parametrize("method", ["TRACE", "PUT"])
def test_a_method_that_an_address_does_not_take_is_told_what_it_takes(server: Served, method: str) -> None:
    for address, allowed in {"/v1/server": "GET", "/v1/sessions": "GET, POST", "/v1/nothing": None}.items():
        answer = server.http.request(method, address)
        assert (answer.status_code, answer.headers.get("allow")) == (405 if allowed else 404, allowed)


def test_whole_numbers_may_be_written_with_a_fraction_of_zero(server: Served) -> None:
    session = server.create("target_sum", game_settings={"target": 580.0}, options={"rollouts": 2.0}, seed=3.0)
    state = server.get(session)
    assert (state["game_settings"]["target"], state["options"]["rollouts"], state["seed"]) == (580, "2", 3)
    session = server.create("connect4")
    assert server.post(f"{session}/play", number=3.0)["position"]["text"] == "4"
    assert server.post(f"{session}/goto", moment=0.0)["moment"] == 0
    assert "expected" in server.post(f"{session}/play", 422, number=3.5)["detail"]


def test_nodes_of_the_tree_have_their_position_on_request(server: Served) -> None:
    session = server.create("tictactoe", seed=1)
    server.post(f"{session}/run", simulations=30, wait=True)
    top = server.get(f"{session}/tree?depth=2&position=true")
    child = top["children"][0]
    assert top["position"] == ".../.../..."
    assert child["position"] == server.get(f"{session}/node?path={child['number']}")["position"]["text"]
    assert child["children"][0]["position"].count("O") == 1
    assert "position" not in server.get(f"{session}/tree?depth=1")["children"][0]


@pytest.mark.parametrize("policy", ["uct", "puct"])
def test_nodes_of_the_tree_have_the_score_that_their_parent_gives_them(server: Served, policy: str) -> None:
    session = server.create("tictactoe", seed=1, options={"policy": policy})
    server.post(f"{session}/run", simulations=30, wait=True)
    plain = server.get(f"{session}/tree?depth=3&width=9")
    scored = server.get(f"{session}/tree?depth=3&width=9&score=true")
    chosen = server.post(f"{session}/step")["selection"]
    node = scored
    for choice in chosen:
        compared = {edge["number"]: edge["score"] for edge in choice["edges"]}
        for child in node["children"]:
            assert child["score"] == compared[child["number"]] or child["score"] is None
        nodes = [child for child in node["children"] if child["number"] == choice["number"]]
        scores = [float(child["score"] or 0.0) for child in node["children"]]
        assert float(nodes[0]["score"]) == max(scores)
        if not nodes[0]["expanded"]:
            break
        (node,) = nodes
    again = server.create("tictactoe", seed=1, options={"policy": policy})
    server.post(f"{again}/run", simulations=31, wait=True)
    assert server.get(f"{again}/tree?depth=3&width=9") == server.get(f"{session}/tree?depth=3&width=9") != plain
