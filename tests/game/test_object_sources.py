"""Python objects in every front end, by the name of what makes them."""

import json
import pickle
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import playout as po
from playout import games
from playout.arena import make_match
from playout.cli import main
from playout.scores import evaluate
from tests.web.web_server import Served, serving

from . import object_files
from .objects import NamedStones, Stones

FILE = str(Path(object_files.__file__))


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> tuple[int, str, str]:
    code = main(list(arguments))
    out, err = capsys.readouterr()
    return code, out, err


@pytest.mark.parametrize(("name", "best"), [("make", "2"), ("game", "take 3"), ("start", "1"), ("Stones", "2")])
def test_analyze_takes_a_function_a_class_a_game_or_an_object(
    name: str, best: str, capsys: pytest.CaptureFixture[str]
) -> None:
    code, out, err = run(capsys, "analyze", f"{FILE}:{name}", "-n", "500", "--json")
    assert (code, err) == (0, "")
    found = json.loads(out)
    assert (found["game"], found["best"], found["proven"]) == ("Stones", best, 1.0)


def test_arguments_are_settings(capsys: pytest.CaptureFixture[str]) -> None:
    options = ("--set", "stones=9", "--set", "named=on")
    _, out, _ = run(capsys, "analyze", f"{FILE}:make", "-n", "500", "--json", *options)
    found = json.loads(out)
    assert (found["position"], found["best"]) == ("9 stones, player 0", "one")
    game = games.load(f"{FILE}:make", stones="9")
    assert (dict(game.settings), game.values) == ({"stones": 6, "named": False}, {"stones": 9, "named": False})


@pytest.mark.parametrize("given", [9.7, float("nan"), float("inf")])
def test_a_number_is_not_cut_to_a_whole_one(given: float) -> None:
    with pytest.raises(po.SettingsError, match=f"setting 'stones' is {given}, expected a whole number"):
        games.load(f"{FILE}:make", stones=given)
    assert games.load(f"{FILE}:make", stones=9.0).values["stones"] == 9


def test_an_annotation_says_more_than_a_default(tmp_path: Path) -> None:
    file = tmp_path / "made.py"
    file.write_text(
        "from tests.game.objects import Stones\ndef make(share: float = 1):\n    return Stones(int(9 * share))\n"
    )
    assert games.load(f"{file}:make", share=0.5).values == games.load(f"{file}:make", share="0.5").values


@pytest.mark.parametrize(
    ("name", "options", "line"),
    [
        ("nothing", (), "nothing() returned None, expected an object for po.wrap, or a Game"),
        ("needs", (), "needs() needs 'stones'; give it a default there, or --set stones=…"),
        ("fails", (), "fails() raised KeyError: 'no stones', at "),
        ("number", (), "number() is not a game: wrap can't use a int: it has no "),
        ("mak", (), "no 'mak' in "),
        ("make:make", (), "is not a game; expected a built-in name"),
        ("make", ("--set", "stone=3"), "no setting 'stone' (there are: stones, named); did you mean 'stones'?"),
        ("make", ("--set", "stones=few"), "setting 'stones' is 'few', expected a whole number"),
        ("make", ("--set", "stones=9.7"), "setting 'stones' is '9.7', expected a whole number"),
        ("make", ("--set", "named=maybe"), "setting 'named' is 'maybe', expected on or off"),
        ("Path", (), "Path is not derived from playout.Game"),
    ],
)
def test_what_makes_no_game_is_one_line(
    name: str, options: tuple[str, ...], line: str, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    file = FILE
    if name == "Path":
        file = str(tmp_path / "other.py")
        Path(file).write_text("from pathlib import Path\n")
    code, out, err = run(capsys, "analyze", f"{file}:{name}", "-n", "10", *options)
    assert (code, out, err.count("\n")) == (2, "", 1)
    assert line in err


def test_what_an_object_raises_is_one_line_with_its_position(capsys: pytest.CaptureFixture[str]) -> None:
    code = main(["analyze", f"{FILE}:Unlucky", "-n", "50"])
    error = capsys.readouterr().err
    assert code == 2
    assert "ValueError: 13 stones bring bad luck in 14 stones, player 0, raised at" in error
    assert error.count("\n") == 1


def test_play_goes_on_after_undo_and_undo(capsys: pytest.CaptureFixture[str], monkeypatch: Any) -> None:
    lines = iter(["1", "2", "undo", "undo", "3", "resign", "quit"])
    monkeypatch.setattr("builtins.input", lambda _: next(lines))
    code, out, err = run(capsys, "play", f"{FILE}:make", "--set", "stones=13", "-n", "60", "--seed", "1")
    assert (code, err) == (0, "")
    assert out.count("13 stones, player 0") == 2  # the start, and after the second undo
    assert "10 stones, player 1" in out


def test_perft_counts_objects(capsys: pytest.CaptureFixture[str]) -> None:
    code, out, _ = run(capsys, "perft", f"{FILE}:make", "-d", "3", "--json")
    # 6 stones: 1, 2 or 3, then as many as there are, three times: 9 + 9 + 9 less those that would take more than 6.
    assert code == 0
    assert json.loads(out)["nodes"] == sum(
        a + b + c <= 6 for a in (1, 2, 3) for b in (1, 2, 3) for c in (1, 2, 3) if a + b < 6
    )


def test_perft_names_what_an_object_raises(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    file = tmp_path / "odd.py"
    file.write_text(
        "from tests.game.objects import Stones\n"
        "class Odd(Stones):\n"
        "    def legal_actions(self):\n"
        "        return [1, None] if self.stones == 8 else [1]\n"
    )
    code, _, err = run(capsys, "perft", f"{file}:Odd", "-d", "4")
    assert (code, err.count("\n")) == (2, 1)
    assert "Odd.legal_actions() returned [1, None]" in err


@pytest.mark.parametrize("concurrency", [1, 2])
def test_the_arena_plays_objects_in_processes_too(concurrency: int) -> None:
    players = ["default,n=60", "random"]
    match = make_match(f"{FILE}:make", players, settings={"stones": 9}, games=4, plies=1, concurrency=concurrency)
    result = match.run()
    match.close()
    assert match.concurrency == concurrency
    assert len(result.records) == 4
    assert not result.forfeits
    assert all(record.moves[0] in ("1", "2", "3") for record in result.records)


def test_a_loaded_object_goes_to_another_process_by_its_name() -> None:
    game = games.load(f"{FILE}:make", stones=8, named=True)
    again = pickle.loads(pickle.dumps(game))
    assert isinstance(again.object, NamedStones)
    assert (again.object.stones, again.values) == (8, {"stones": 8, "named": True})


@pytest.mark.parametrize(
    "make",
    [lambda: po.wrap(Stones()), lambda: games.load(f"{FILE}:sets"), lambda: po.wrap(Stones()).position()],
    ids=["not named", "children in a set", "a position"],
)
def test_what_another_process_could_not_have_the_same_is_not_sent(make: Any) -> None:
    with pytest.raises((TypeError, po.FileError)):
        pickle.dumps(make())


def test_evaluate_plays_objects_in_processes_too() -> None:
    one, several = (
        evaluate(games.load(f"{FILE}:shelf"), ["default,n=60"], games=2, workers=workers) for workers in (1, 2)
    )
    assert [record.score for record in one.scores[0].records] == [record.score for record in several.scores[0].records]
    assert all(record.score <= 44.25 for record in one.scores[0].records)


def test_a_result_gives_the_objects_own_action_back() -> None:
    search = po.Search(po.wrap(NamedStones(6), describe=str.upper), seed=1)
    result = search.run(500)
    assert (result.best_action, result.best_text) == ("two", "TWO")
    assert search.play(result.best_action).text == "4 stones, player 1"
    node = po.Search(games.load(f"{FILE}:board"), seed=1)
    child = node.run(200).best_action
    assert node.game.object_at(node.play(child)) is child
    compiled = po.Search(games.load("tictactoe"), seed=1).run(200)
    assert compiled.best_action == compiled.best
    assert po.Search(po.wrap(Stones(6))).result().best_action is None


# The workbench.


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("data"), games=[f"{FILE}:make", f"{FILE}:board"]) as found:
        yield found


def test_the_workbench_runs_steps_and_plays_objects(server: Served) -> None:
    known = {game["game"]: game for game in server.get("/v1/games")["games"]}
    assert [setting["name"] for setting in known["Stones"]["settings"]] == ["stones"]
    session = server.create("Stones", game_settings={"stones": 11}, options={"solver": "off"})
    assert server.get(session)["position"]["text"] == "11 stones, player 0"
    server.post(f"{session}/run", simulations=100, wait=True)
    for _ in range(5):
        step = server.post(f"{session}/step", svg=True)
        for playout in step["playouts"]:
            assert len(playout["positions"]) == len(playout["svgs"]) == len(playout["actions"])
            assert playout["returns"] == step["returns"]
            assert playout["final_position"].startswith("0 stones")
    server.post(f"{session}/play", action="3")
    server.post(f"{session}/play", action="1")
    assert server.get(session)["position"]["text"] == "7 stones, player 0"
    server.post(f"{session}/goto", moment=0)
    server.post(f"{session}/goto", moment=1)
    assert server.get(session)["position"]["text"] == "8 stones, player 1"
    assert server.post(f"{session}/run", simulations=50, wait=True)["run"]["stopped_by"] == "simulations"


def test_the_workbench_keeps_objects_over_a_restart(tmp_path: Path) -> None:
    with serving(tmp_path, games=[f"{FILE}:make"]) as server:
        session = server.create("Stones", game_settings={"stones": 11}, moves=["2"], options={"solver": "off"})
        server.post(f"{session}/run", simulations=80, wait=True)
        server.post(f"{session}/play", action="1")
        before = server.get(f"{session}/tree?depth=1&width=9")
    with serving(tmp_path, games=[f"{FILE}:make"]) as server:
        assert server.get(session)["position"]["text"] == "8 stones, player 0"
        assert server.get(f"{session}/tree?depth=1&width=9") == before


@pytest.mark.parametrize("seed", range(4))
def test_the_workbench_steps_through_an_open_loop(server: Served, seed: int) -> None:
    session = server.create("game2048", options={"open_loop": "on"}, seed=seed)
    for number in range(1, 9):
        step = server.post(f"{session}/step", svg=True)
        assert step["simulation"] == number
        assert step["leaf_svg"].startswith("<svg")
        assert all(choice["svg"].startswith("<svg") for choice in step["selection"])
