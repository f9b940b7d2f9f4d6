"""Sessions that search with a network: what it says is shown, and steps and a restart come to the same tree."""

from pathlib import Path

import pytest

import playout as po
from playout.cli import main
from playout.web.catalogue import Catalogue
from playout.web.sessions import check_work
from tests.evaluators.test_leela_files import Tiny
from tests.evaluators.test_networks import model

from .web_server import serving


@pytest.fixture
def network(tmp_path: Path) -> str:
    path = tmp_path / "tictactoe.onnx"
    path.write_bytes(model(3, softmax=True, game="tictactoe"))
    return str(path)


def options(file: str) -> dict[str, str]:
    return {"network": file}


def test_the_name_of_a_shipped_network_is_never_a_file_of_the_folder() -> None:
    settings = po.preset("chess").replace(evaluator=po.Network("chess.fast"))
    assert check_work(settings, Catalogue().networks) == po.preset("chess")


def test_priors_and_values_of_the_network_are_shown(tmp_path: Path, network: str) -> None:
    with serving(tmp_path / "data", networks=[network]) as server:
        found = server.get("/v1/settings")["settings"]
        assert network in next(option for option in found if option["name"] == "network")["words"]
        session = server.create(preset="network", options=options(network), position="X../.../...")
        first = server.post(f"{session}/step")
        assert first["static_values"] == first["returns"]
        assert len(set(first["expansion"]["priors"])) == 8
        second = server.post(f"{session}/step")
        assert [edge["prior"] for edge in second["selection"][0]["edges"]] == first["expansion"]["priors"]
        assert second["static_values"][0] == -second["static_values"][1]


def test_steps_and_a_restart_come_to_the_tree_of_a_run(tmp_path: Path, network: str) -> None:
    def actions(server, session):
        return [(a["action"], a["visits"], a["value"], a["prior"]) for a in server.get(f"{session}/result")["actions"]]

    with serving(tmp_path / "data", networks=[network]) as server:
        run, stepped = (server.create(preset="network", options=options(network), seed=3) for _ in "ab")
        server.post(f"{run}/run", simulations=40, wait=True)
        for _ in range(25):
            server.post(f"{stepped}/step")
        server.post(f"{stepped}/run", simulations=15, wait=True)
        assert actions(server, run) == actions(server, stepped)
        before = actions(server, run)
    with serving(tmp_path / "data", networks=[network]) as server:
        assert actions(server, run) == before
        server.post(f"{run}/run", simulations=20, wait=True)
        assert sum(visits for _, visits, _, _ in actions(server, run)) == 59  # the first one was the root's own


def test_a_server_without_the_network_says_so_and_keeps_the_session(tmp_path: Path, network: str) -> None:
    with serving(tmp_path / "data", networks=[network]) as server:
        session = server.create(preset="network", options=options(network))
        server.post(f"{session}/run", simulations=10, wait=True)
    Path(network).unlink()
    with serving(tmp_path / "data") as server:
        assert len(server.get("/v1/sessions")["sessions"]) == 1
        answer = server.http.post(f"{session}/run", json={"simulations": 10, "wait": True})
        assert 400 <= answer.status_code < 500
        assert "network" in answer.text


def test_a_network_of_leelas_sees_the_game_so_far_also_after_a_restart(tmp_path: Path) -> None:
    file, moves = str(Tiny().save(tmp_path)), "startpos moves e2e4 e7e5 g1f3 b8c6 d2d4 e5d4"

    def priors(server, session):
        return {a["action"]: a["prior"] for a in server.get(f"{session}/result")["actions"]}

    settings = po.preset("network", evaluator=po.Network(file))
    search = po.Search(po.games.load("chess"), settings, position=f"{moves} f3d4")
    expected = {a.text: a.prior for a in search.run(2).actions}
    with serving(tmp_path / "data", networks=[file]) as server:
        session = server.create(game="chess", preset="network", options=options(file), position=moves)
        plain = server.create(game="chess", position=moves)
        for one in (session, plain):
            server.post(f"{one}/play", action="f3d4")
        server.post(f"{session}/run", simulations=2, wait=True)
        assert priors(server, session) == expected
    with serving(tmp_path / "data", networks=[file]) as server:
        assert priors(server, session) == expected
        server.post(f"{plain}/settings", preset="network", options=options(file))
        server.post(f"{plain}/run", simulations=2, wait=True)
        assert priors(server, plain) == expected
        server.post(f"{session}/settings", preset="default", options={})
        server.post(f"{session}/run", simulations=20, wait=True)


def test_a_network_that_is_none_is_refused_before_the_server_starts(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "bad.onnx").write_bytes(b"no network")
    assert main(["serve", "--port", "0", "--no-open", "--network", str(tmp_path / "bad.onnx")]) == 2
    said = capsys.readouterr()
    assert "not a network that ONNX Runtime can run" in said.err
    assert said.out == ""
