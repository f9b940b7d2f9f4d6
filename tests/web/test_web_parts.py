"""Policies and backups that the server was started with: named in requests, described for the form, and no others."""

from pathlib import Path

import pytest

import playout as po
from playout.cli import main
from tests.places import EXAMPLES

from .web_server import Served, serving

PARTS = [
    f"{EXAMPLES}/policies/boltzmann.py:Boltzmann",
    f"{EXAMPLES}/policies/epsilon_greedy.py:EpsilonGreedy",
    f"{EXAMPLES}/backups/discounted_mean.py:DiscountedMean",
]
BOLTZMANN, GREEDY, DISCOUNTED = "boltzmann:Boltzmann", "epsilon_greedy:EpsilonGreedy", "discounted_mean:DiscountedMean"


def refusal(server: Served, **options: object) -> str:
    return server.post("/v1/sessions", 400, game="tictactoe", options=options)["detail"]


def test_parts_are_described_with_their_fields(tmp_path: Path) -> None:
    with serving(tmp_path, parts=PARTS) as server:
        answer = server.get("/v1/settings")
    found = {option["name"]: option for option in answer["settings"]}
    assert list(answer["sources"]) == [BOLTZMANN, GREEDY, DISCOUNTED]
    assert "class Boltzmann(po.Policy):" in answer["sources"][BOLTZMANN]
    assert found["policy"]["words"][-2:] == [BOLTZMANN, GREEDY]
    assert found["backup"]["words"][-1] == DISCOUNTED
    assert (found["policy.temperature"]["kinds"], found["policy.temperature"]["default"]) == ([BOLTZMANN], "0.3")
    assert (found["epsilon"]["part"], found["epsilon"]["number"]) == ("policy", "number")
    assert found["c"]["defaults"] == {"uct": "1.4", "ucb1tuned": "1", "puct": "1.25", "thompson": "1", "ucbv": "0.5"}


def test_a_request_names_a_part_by_its_kind(tmp_path: Path) -> None:
    with serving(tmp_path, parts=PARTS) as server:
        session = server.create(options={"policy": GREEDY, "epsilon": 0.5, "backup": DISCOUNTED})
        assert server.post(f"{session}/run", simulations=50, wait=True)["result"]["simulations"] == 50
        options = server.get(session)["options"]
        assert (options["policy"], options["epsilon"], options["keep"]) == (GREEDY, "0.5", "0.98")
        options = server.post(f"{session}/settings", options={"policy": "uct", "temperature": 1})["options"]
        assert (options["policy"], options["backup"], options["temperature"]) == ("uct", DISCOUNTED, "1")


def test_what_the_server_was_not_started_with_is_refused_and_never_imported(tmp_path: Path) -> None:
    file = tmp_path / "trap.py"
    file.write_text("raise SystemExit('imported')\n")
    with serving(tmp_path / "data", parts=PARTS[:1]) as server:
        for name in (f"{file}:Trap", "trap:Trap", "json:dumps", GREEDY, DISCOUNTED):
            message = refusal(server, policy=name)
            assert message.startswith(f"no policy '{name}' here (of users' own there are: {BOLTZMANN})"), message
        assert "no backup" in refusal(server, backup=BOLTZMANN)
        assert "write policy.temperature=… for that of the policy" in refusal(server, policy=BOLTZMANN, temperature=1)


def test_a_session_with_a_part_comes_back(tmp_path: Path) -> None:
    with serving(tmp_path / "data", parts=PARTS) as server:
        session = server.create(options={"policy": BOLTZMANN, "policy.temperature": 0.5})
        server.post(f"{session}/run", simulations=30, wait=True)
        before = server.get(f"{session}/result")["actions"]
    with serving(tmp_path / "data", parts=PARTS) as server:
        assert server.get(f"{session}/result")["actions"] == before
        assert server.post(f"{session}/run", simulations=5, wait=True)["result"]["simulations"] == 5


def test_a_part_that_is_known_but_not_named_is_refused(tmp_path: Path) -> None:
    class Hidden(po.Policy):
        @staticmethod
        def score(policy, node, edge, shared, rng):
            return edge.value

    search = po.Search("tictactoe", po.Settings(policy=Hidden()))
    search.save(tmp_path / "hidden.search")
    with serving(tmp_path / "data") as server:
        answer = server.http.post(
            "/v1/sessions/import",
            content=(tmp_path / "hidden.search").read_bytes(),
            headers={"Content-Type": "application/octet-stream"},
        )
    assert answer.status_code == 400
    assert "Hidden' here; `playout serve --part file.py:Class` adds one" in answer.json()["detail"]


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("nowhere.py:Steady", "nowhere.py does not exist"),
        ("json:dumps", "json:dumps is not a policy or backup; expected a class derived from po.Policy or po.Backup"),
        ("playout:Policy", "playout:Policy is not a policy or backup"),
    ],
)
def test_serve_refuses_what_is_no_part(tmp_path: Path, capsys: pytest.CaptureFixture[str], part, expected) -> None:
    assert main(["serve", "--no-open", "--port", "0", "--data", str(tmp_path), "--part", part]) == 2
    assert expected in capsys.readouterr().err
