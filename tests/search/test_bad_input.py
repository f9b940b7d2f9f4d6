"""Mistakes that once ended in a crash, in silence, or in somebody else's exception: each is one clear line now."""

import json
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout as po
from playout.arena import play_match
from playout.scores import evaluate
from tests.games.toy_games import Nim


class Ghost(Nim):
    """After the first move somebody moves who is not there."""

    @staticmethod
    def current_player(state):  # type: ignore[no-untyped-def]
        if state.stones == 0:
            return po.TERMINAL
        return 0 if state.stones == 21 else 5


class NoOutcomes(Nim):
    """Chance moves in the second place, but nobody said what it can do."""

    @staticmethod
    def current_player(state):  # type: ignore[no-untyped-def]
        if state.stones == 0:
            return po.TERMINAL
        return 0 if state.stones == 21 else po.CHANCE


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: po.Search(Nim(), position="stones=5 turn=7").run(10),
            "current_player returned 7 in stones=5 turn=7, expected 0 to 1",
        ),
        (lambda: po.Search(Ghost()).run(50), "current_player returned 5"),
        (lambda: po.Search(NoOutcomes()).run(50), "no chance_outcomes"),
        (lambda: po.Search(Nim(), position=po.games.load("tictactoe").position()), "a position of tictactoe"),
        (lambda: po.Search(Nim(), position=5), "position 5, expected a text"),
        (lambda: po.Search(Nim()).run(10**30), "limit simulations is 1000"),
        (lambda: po.Search(Nim()).run(seconds=1e300), "limit seconds is 1e"),
        (lambda: po.Search(Nim()).play(None), "None is not an action"),
        (lambda: po.Search(Nim()).play(2.5), "2.5 is not an action"),
        (lambda: po.Search(Nim()).result().choose(), "before the first simulation"),
        (lambda: po.Search(Nim()).result().policy("x"), "temperature is 'x'"),
        (lambda: po.preset("textbook", seed=1), r"seed: .*; 'seed' is given to Search\(seed=…\)"),
        (lambda: po.preset(5), "no preset 5 .there are: default, textbook"),
        (po.preset, "preset: missing a required argument: 'name'"),
        (lambda: po.preset("default", growth=2), "growth belongs to policy=puct, and policy is uct"),
        (lambda: po.preset("default", evaluator=po.Outside(), depth=3), "depth belongs to evaluator=rollouts or mixed"),
        (lambda: po.preset("default", c=[1]), r"policy.c is \[1\], expected a number"),
        (lambda: po.Settings(solver="no"), "solver is 'no', expected True or False"),
        (lambda: po.Settings(normalise="yes"), "normalise is 'yes', expected True or False, or None"),
        (lambda: po.Settings(evaluator=po.Rollouts(guided="no")), "evaluator.guided is 'no', expected True or False"),
        (lambda: po.Settings(evaluator=po.Rollouts(1.5)), "evaluator.n is 1.5, expected a whole number"),
        (lambda: po.Settings(answer=["value"]), r"answer is \['value'\], expected 'visits', 'value'"),
        (lambda: po.Settings.from_dict(5), "from_dict got 5, expected a dictionary"),
        (lambda: po.Settings(c=2), r'Settings has no \'c\' .*; write preset\("default", c=…\)'),
        (lambda: po.UCT(1, 2), r"UCT got 2 positional arguments, expected at most 1 \(c\)"),
        (lambda: po.Search(Nim(), {"policy": "uct"}), "got settings .*Settings.from_dict reads a dictionary"),
        (lambda: po.Search(Nim(), po.UCT(2)), r"got settings UCT.*; write Settings\(policy=UCT\(c=2\)\)"),
        (lambda: po.Search(Nim(), po.Settings), r"; write Settings\(\)"),
        (lambda: po.Search(Nim(), 5), "got settings 5, expected Settings or a preset's name"),
        (
            lambda: po.Settings(network_threads=2),
            r'Settings has no \'network_threads\' .*; write preset\("default", evaluator="network", network=…, '
            r"network_threads=…\)",
        ),
        (lambda: po.Search(Nim(), c=2), r'Search has no \'c\' .*; write preset\("default", c=…\)'),
        (lambda: po.Search(Nim(), simulations=5), r"'simulations' is given to Search.run\(simulations=…\)"),
        (lambda: po.Search(Nim(), None, "stones=5 turn=0"), "got 3 positional arguments.*as in position=…"),
        (po.Search, "Search: missing a required argument: 'game'"),
        (lambda: po.Search(Nim()).run(100, 1), "run got 2 positional arguments.*as in seconds=…"),
        (lambda: po.Search(Nim()).run(seed=1), r"'seed' is given to Search\(seed=…\)"),
        (lambda: po.Search(Nim()).run(1.5), "limit simulations is 1.5, expected a whole number"),
        (lambda: po.Search(Nim()).run("100"), "limit simulations is '100', expected a whole number"),
        (lambda: po.Search(Nim()).run(seconds=np.nan), "limit seconds is nan, expected a number above 0"),
        (lambda: po.Search(Nim()).save(5), "Search.save got 5, expected the name of a file"),
        (lambda: po.Search.load(None), "Search.load got None, expected the name of a file"),
        (lambda: po.games.load(5), "got 5, expected a game's name"),
        (lambda: po.games.load("connect4", 5), r"load got 2 positional arguments, expected at most 1 \(spec\)"),
        (lambda: Nim(7), "Nim got 7; give its settings by name, as in stones=21"),
        (lambda: Nim().position(7), "Nim: position is 7, expected its text"),
        (lambda: Nim().position().play("seven"), "Nim: 'seven' is not a legal action in stones=21"),
        (lambda: Nim().position().play(2.0), "2.0 is not an action, expected its text or its number"),
        (lambda: po.games.load("tictactoe").position().play(9), "action 9 is not legal in .*legal: 0 or '1', 1 or '2'"),
        (lambda: po.Search(Nim(), only=2.5), "only is 2.5, expected actions"),
        (lambda: po.Search("connect4", only="12"), "'12' is not legal in the empty board"),
        (lambda: po.Search("connect4", only=[]), r"only is \[\], expected legal actions of the start \(such as 1"),
        (lambda: po.Search(Nim()).rewind(1), "rewind to 1, expected a whole number from 0 to 0, the simulations since"),
        (lambda: po.Search(Nim()).run(50, progress=5), "run: progress is 5, expected a function"),
        (lambda: po.Search(Nim()).run(50, progress=lambda s: None), "expected a function of the search and a share"),
        (lambda: po.Search(Nim()).is_decided("x"), "simulations is 'x', expected a whole number of at least 0"),
        (lambda: list(po.Search(Nim()).root.walk(visits="x")), "visits is 'x', expected a whole number"),
        (lambda: po.Search(Nim()).root.svg(depth="x"), "depth is 'x', expected a whole number"),
        (lambda: po.Search(Nim()).root.to_dict(width=-1), "width is -1, expected a whole number of at least 0"),
        (lambda: po.Search(Nim()).run(9).table("x"), "most is 'x', expected a whole number of at least 1"),
        (lambda: po.games.describe(["chess"]), r"a game's name is \['chess'\], expected a text such as"),
        (lambda: po.Settings(open_loop=True, outcomes=po.Widening()), "outcomes limits the children of chance nodes"),
        (lambda: po.Search(Nim()).proven_line("seven"), "'seven' is not a legal action"),
        (lambda: po.Search(Nim()).step(3), "Search.step got 1 positional argument, expected none"),
        (lambda: po.Search(Nim()).root.walk(dept=3), "walk has no 'dept'.*did you mean 'depth'"),
        (lambda: po.Search(Nim()).run(9).choose(temp=1), "choose has no 'temp'.*did you mean 'temperature'"),
        (lambda: po.Search(Nim()).run(9).choose(1.0, seed="x"), "seed is 'x', expected a whole number"),
        (lambda: po.Search(Nim()).run(9).answer("vists"), "answer is 'vists', .*did you mean 'visits'"),
        (lambda: po.Settings("textbook"), r"; write preset\('textbook'\)"),
        (lambda: po.Settings({"solver": False}), "; Settings.from_dict reads a dictionary"),
        (lambda: pickle.dumps(po.Search(Nim())), r"a Search can't be pickled; write it with search.save\(file\)"),
        (
            lambda: po.Search(Nim()).run(9, progress=lambda s, _: s.run(1)),
            "this search is running, and `progress`",
        ),
        (lambda: evaluate("target_sum", []), "no player given, expected some as in default"),
        (lambda: evaluate("target_sum", 5), "player is 5, expected Settings or a text as in"),
        (lambda: play_match(5, ["random", "random"]), "the arena got 5, expected a Game"),
        (lambda: play_match(Nim(), ["random", "random"], gmes=2), "make_match has no 'gmes'.*did you mean 'games'"),
        (lambda: play_match(Nim(), ["random", "random"], sprt=5), "sprt is 5, expected two Elo differences"),
        (lambda: play_match(Nim(), ["random", "random"], clock="soon"), "clock is 'soon', expected seconds"),
        (lambda: play_match(Nim(), ["random", "random"], plies="x"), "plies is 'x', expected a whole number"),
        (lambda: play_match(Nim(), ["random", "random"], margin="x"), "margin is 'x' and patience 10.0, expected"),
        (lambda: po.Settings(evaluator=5), "evaluator is 5, expected Rollouts.*, or a function"),
    ],
    ids=lambda value: None if callable(value) else value.split(",")[0],
)
def test_a_mistake_is_one_clear_line(make: Any, message: str) -> None:
    with pytest.raises(po.PlayoutError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


MISSPELLED = {
    "the game of a search": (lambda: po.Search("conect4"), "'connect4'"),
    "a game": (lambda: po.games.load("conect4"), "'connect4'"),
    "a game without its first word": (lambda: po.games.load("2048"), "'game2048'"),
    "a game's setting": (lambda: po.games.load("target_sum", targt=3), "'target'"),
    "the preset of a search": (lambda: po.Search(Nim(), "defualt"), "'default'"),
    "an argument of a search": (lambda: po.Search(Nim(), positon="stones=5 turn=0"), "'position'"),
    "a limit": (lambda: po.Search(Nim()).run(sims=5), "'simulations'"),
    "a limit as others call it": (lambda: po.Search(Nim()).run(num_simulations=5), "'simulations'"),
    "an argument of a tree by hand": (lambda: po.Search.from_tree(Nim(), {}, setings=None), "'settings'"),
    "a preset": (lambda: po.preset("defualt"), "'default'"),
    "the game's own preset": (lambda: po.Search(Nim(), "bset"), "'best'"),
    "a change of a preset": (lambda: po.preset("default", polcy="uct"), "'policy'"),
    "a word of a preset": (lambda: po.preset("default", policy="pcut"), "'puct'"),
    "a setting": (lambda: po.Settings(polcy=po.UCT()), "'policy'"),
    "a setting in camel case": (lambda: po.Settings(openLoop=True), "'open_loop'"),
    "a setting replaced": (lambda: po.Settings().replace(polcy=po.UCT()), "'policy'"),
    "a setting in a dictionary": (lambda: po.Settings.from_dict({"polcy": {"kind": "UCT"}}), "'policy'"),
    "a kind in a dictionary": (lambda: po.Settings.from_dict({"policy": {"kind": "UTC"}}), "'UCT'"),
    "a field in a dictionary": (lambda: po.Settings.from_dict({"policy": {"kind": "PUCT", "grwth": 1}}), "'growth'"),
    "an answer": (lambda: po.Settings(answer="vists"), "'visits'"),
    "a class instead of a policy": (lambda: po.Settings(policy=po.PUCT), r"PUCT\(\)"),
    "a text instead of a policy": (lambda: po.Settings(policy="puct"), r"PUCT\(\)"),
    "a field of a policy": (lambda: po.UCT(cc=1), "'c'"),
    "a field of widening": (lambda: po.Widening(aplha=1), "'alpha'"),
    "an argument of wrap": (lambda: po.wrap(object(), player=2), "'players'"),
    "an argument of the doctor": (lambda: po.check_game(Nim(), gmes=5), "'games'"),
    "the game of the doctor": (lambda: po.check_game("tictacto"), "'tictactoe'"),
    "an argument of evaluate": (lambda: evaluate("target_sum", ["random"], max_move=3), "'max_moves'"),
}


@pytest.mark.parametrize("name", list(MISSPELLED))
def test_a_misspelled_name_is_one_line_that_says_what_was_meant(name: str) -> None:
    make, meant = MISSPELLED[name]
    with pytest.raises(po.PlayoutError, match=f"; did you mean {meant}[?]$") as caught:
        make()
    assert "\n" not in str(caught.value)


def test_a_type_error_inside_a_call_is_not_taken_for_a_wrong_call() -> None:
    def progress(search: po.Search, share: float) -> None:
        raise TypeError("the user's own")

    with pytest.raises(TypeError, match="the user's own"):
        po.Search(Nim()).run(10, progress=progress)


def test_settings_take_numpy_numbers_and_whole_floats_as_python_has_them() -> None:
    playouts: Any = po.Rollouts(n=1e1, depth=np.int16(7))  # type: ignore[arg-type]
    settings = po.Settings(policy=po.UCT(np.float32(0.5)), evaluator=playouts, solver=np.False_)
    assert settings == po.Settings(policy=po.UCT(0.5), evaluator=po.Rollouts(n=10, depth=7), solver=False)
    assert json.loads(json.dumps(settings.to_dict())) == settings.to_dict()
    assert isinstance(playouts.n, int)


def test_visits_left_out_of_a_tree_by_hand_are_those_of_the_children_all_the_way_down() -> None:
    search = po.Search.from_tree(Nim(), {"children": {"1": {"children": {"2": {"visits": 3}}}}})
    assert search.result().visits == 3
    assert search.result().stats("1").visits == 3


def test_infinity_may_be_a_number() -> None:
    assert po.Settings(unvisited=float("inf")) == po.Settings(unvisited="infinity")


def test_one_action_may_stand_for_a_list_of_one() -> None:
    for only in (3, "3", [3]):
        assert [s.action for s in po.Search(Nim(), only=only).result().actions] == [3]
    result = po.Search(Nim(), seed=1).run(30)
    assert result.answer(without=result.best) == result.next_best


def test_a_position_plays_an_action_by_its_number_or_its_text() -> None:
    start = po.games.load("connect4").position()
    assert start.play("4").text == start.play(3).text == "4"


class Fielded(Nim):
    """A state of all kinds of fields."""

    state = np.dtype([("stones", np.int32), ("turn", np.int8), ("odds", np.float32, (2,)), ("open", np.bool_)])


@pytest.mark.parametrize(
    ("part", "expected"),
    [
        ("stones=1.5", "a whole number from -2147483648 to 2147483647"),
        ("stones=5,6", "a whole number"),
        ("stones=99999999999", "a whole number"),
        ("stones=", "a whole number"),
        ("odds=0.5", "2 values with commas between them, each a number"),
        ("odds=0.5,x", "2 values"),
        ("open=maybe", "True or False"),
    ],
)
def test_a_field_that_does_not_fit_is_not_made_to(part: str, expected: str) -> None:
    with pytest.raises(po.PositionError, match=f"can't read '{part}' in position 'turn=1 {part}', expected {expected}"):
        Fielded().position(f"turn=1 {part}")


def test_fields_of_all_kinds_are_read_as_they_are_written() -> None:
    text = "stones=7 turn=1 odds=0.5,-1000000.0 open=True"
    assert Fielded().position(text).text == text
    assert Fielded().position("stones=1e3 odds=1,inf").text == "stones=1000 turn=0 odds=1.0,inf open=False"


class Recorded(Nim):
    """A state with records inside: an array of them, and one alone."""

    pile = np.dtype([("height", np.int32), ("marks", np.int8, (2,)), ("open", np.bool_)])
    state = np.dtype(
        [("stones", np.int32), ("turn", np.int8), ("piles", pile, (2,)), ("odds", np.dtype([("x", np.float64)]))]
    )


def test_records_inside_of_a_state_are_read_as_they_are_written() -> None:
    text = "stones=7 turn=1 piles=1,2,3,True,-4,5,6,False odds=0.25"
    position = Recorded().position(text)
    assert position.text == text
    assert position.state["piles"][1]["height"] == -4
    assert position.state["piles"][0]["marks"].tolist() == [2, 3]
    for part in ("piles=1,2", "piles=1,2,300,True,4,5,6,False", "piles=1,2,3,4,5,6,7,8"):
        with pytest.raises(
            po.PositionError, match=r"expected 8 numbers .*: height, marks, open of each record in turn"
        ):
            Recorded().position(part)
    assert po.check_game(Recorded(), games=5).ok


def test_a_name_that_numpy_has_is_refused_in_a_record_inside_of_a_state() -> None:
    taken = np.dtype([("stones", np.int32), ("piles", np.dtype([("size", np.int32)]), (2,))])
    with pytest.raises(po.GameError, match=r"has a field 'size', and NumPy records have an attribute of that name"):
        type("Taken", (Nim,), {"state": taken})()


class Mumbling(Nim):
    """Writes two actions alike, and the third almost so."""

    def action_to_text(self, state: Any, action: int) -> str:
        return {1: "take", 2: "take", 3: "TAKE"}[action]


def test_a_text_that_stands_for_two_actions_plays_none_of_them() -> None:
    start = Mumbling().position()
    with pytest.raises(po.ActionError, match=r"'take' is the text of several actions \(1, 2\) in stones=21"):
        start.play("take")
    assert start.play("TAKE").state.stones == 18
    assert start.play(2).state.stones == 19


def test_rewind_takes_a_numpy_number() -> None:
    search = po.Search(Nim(), seed=1)
    search.run(20)
    search.rewind(np.int64(5))
    assert search.simulations == 5


@pytest.mark.compiled_only
def test_a_result_can_be_sent_to_another_process(tmp_path: Path) -> None:
    result = po.Search(po.games.load("connect4"), seed=1).run(500)
    (tmp_path / "result").write_bytes(pickle.dumps(result))
    code = "import pickle, sys; print(pickle.load(open(sys.argv[1], 'rb')).explain())"
    done = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path / "result")], capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == result.explain()
