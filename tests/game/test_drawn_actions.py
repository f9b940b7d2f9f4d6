"""Games whose actions are drawn, outside of the core: class checks, texts, files, refusals, the doctor."""

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from examples.bandit import BEST, SETTINGS, Bandit, reward

import playout as po
from playout.core.draws import DRAWN
from playout.errors import ActionError, GameError, SettingsError
from playout.game.perft import perft
from tests.games.drawn_games import Bids, Throw


class Endless(Throw):
    """Throws that are not finite."""

    @staticmethod
    def sample_action(state, rng, out):
        out[0] = math.inf


class Meddling(Throw):
    """Drawing changes the state."""

    @staticmethod
    def sample_action(state, rng, out):
        state.x += 1.0
        out[0] = po.random(rng)


def test_the_text_of_an_action_is_read_back_and_names_its_numbers() -> None:
    position = Bids().position()
    for number in position.actions():
        text = position.action_text(number)
        assert position.action(text) == number
        assert position.play(text).text == position.play(number).text
    drawn = position.action_text(position.actions()[-1])
    assert drawn.partition("@")[0] == ",".join(f"{x:.4g}" for x in position.row(position.actions()[-1]))
    assert position.action("0") == 0
    assert position.row(1).tolist() == [1.0, 0.0]


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ("0.5", "is not a drawn action; expected its text, as in"),
        ("@", "is not a drawn action"),
        ("@!", "is not a drawn action"),
        ("@zzzzzzzz", "is not a drawn action"),
        ("0.5@zz", "its numbers are drawn from what follows the @"),
        (7, "action 7 is not legal"),
        (2 * DRAWN, "is not legal"),
        (-1, "is not legal"),
    ],
)
def test_what_is_no_action_is_refused(given: Any, says: str) -> None:
    with pytest.raises(ActionError, match=says):
        Throw().position().play(given)


def test_a_search_is_saved_stepped_played_and_taken_back(tmp_path: Path) -> None:
    search = po.Search(Throw(wind=0.1), seed=2)
    search.run(simulations=60)
    search.save(tmp_path / "throw.playout")
    loaded = po.Search.load(tmp_path / "throw.playout", Throw(wind=0.1))
    assert loaded.result().to_dict()["actions"] == search.result().to_dict()["actions"]
    assert str(search.step()) == str(loaded.step())
    best = search.result().to_dict()["best"]
    search.play(best)
    outcome = search.position.action_text(search.position.actions()[0])
    search.play(outcome)
    search.run(simulations=20)
    assert search.position.state.thrown == 1
    search.rewind(5)
    assert search.simulations == 5


def test_independent_roots_are_merged() -> None:
    search = po.Search(Throw(), po.Settings(roots=2, expansion=po.Widening()), seed=1)
    result = search.run(simulations=60)
    assert sum(entry.visits for entry in result.actions) == 60
    assert len({entry.action for entry in result.actions}) == len(result.actions)


@pytest.mark.parametrize(
    ("changes", "name"),
    [
        ({"open_loop": True}, "open_loop"),
        ({"transpositions": True}, "transpositions"),
        ({"threads": 2}, "threads"),
        ({"root": po.Halving()}, "root"),
        ({"noise": po.Noise()}, "noise"),
        ({"policy": po.GRAVE()}, "GRAVE"),
        ({"evaluator": po.Rollouts(mast=True)}, "mast"),
        ({"evaluator": po.Rollouts(guided=True)}, "guide"),
    ],
)
def test_settings_that_need_a_list_are_refused(changes: dict[str, Any], name: str) -> None:
    with pytest.raises(SettingsError, match=name):
        po.Search(Throw(), po.Settings(**changes))


def test_what_needs_a_list_is_refused() -> None:
    with pytest.raises(GameError, match="can't be counted"):
        perft(Throw().position(), 2)
    with pytest.raises(SettingsError, match="draws its actions"):
        po.solve(Throw(), playouts=10)
    with pytest.raises(SettingsError, match="draws its actions"):
        po.Search.from_tree(Throw(), {"visits": 1})


@pytest.mark.parametrize(
    ("facts", "says"),
    [
        ({"action_width": 0}, "no action_width"),
        ({"action_width": -1}, "expected how many numbers"),
        ({"sample_action": None}, "there is no sample_action"),
        ({"priors": staticmethod(lambda state, actions, count, out: None)}, "remove one of them"),
        ({"sample_action": staticmethod(lambda state, rng: None)}, r"expected `sample_action\(state, rng, out\)`"),
    ],
)
def test_a_class_that_can_not_be_is_refused(facts: dict[str, Any], says: str) -> None:
    with pytest.raises(GameError, match=says):
        type("Wrong", (Throw,), facts)()


def test_the_doctor_knows_drawn_actions() -> None:
    for game in (Throw(), Throw(wind=0.1), Bids()):
        assert po.check_game(game, games=10).ok
    assert "bad-draw" in {finding.code for finding in po.check_game(Endless(), games=3).findings}
    assert "changes-state" in {finding.code for finding in po.check_game(Meddling(), games=3).findings}


def test_numbers_that_are_not_finite_end_the_search_with_one_line() -> None:
    with pytest.raises(GameError, match="not finite"):
        po.Search(Endless()).run(simulations=5)


def test_the_bandit_finds_its_peak() -> None:
    regrets = []
    for seed in range(4):
        search = po.Search(Bandit(), SETTINGS, seed=seed)
        best = search.run(simulations=2000).best
        assert best is not None
        regrets.append((BEST - reward(float(search.position.row(best)[0]))) / BEST)
    assert np.mean(regrets) <= 0.01
