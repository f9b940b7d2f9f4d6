"""Mistakes that once ended in a crash, in silence, or in somebody else's exception: each is one clear line now."""

import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout as po
from tests.toy_games import Nim


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
        (lambda: po.Search(Nim(), position="stones=5 turn=7").run(10), "current_player returned 7, expected 0 to 1"),
        (lambda: po.Search(Ghost()).run(50), "current_player returned 5"),
        (lambda: po.Search(NoOutcomes()).run(50), "no chance_outcomes"),
        (lambda: po.Search(Nim(), position=po.games.load("tictactoe").position()), "a position of tictactoe"),
        (lambda: po.Search(Nim(), position=5), "position 5, expected a text"),
        (lambda: po.Search(Nim()).run(10**30), "limit simulations is 1000"),
        (lambda: po.Search(Nim()).run(seconds=1e300), "limit seconds is 1e"),
        (lambda: po.Search(Nim()).play(None), "None is no action"),
        (lambda: po.Search(Nim()).play(2.5), "2.5 is no action"),
        (lambda: po.Search(Nim()).result().choose(), "before the first simulation"),
        (lambda: po.Search(Nim()).result().policy("x"), "temperature is 'x'"),
        (lambda: po.preset("textbook", seed=1), "'seed' is no setting"),
        (lambda: po.Settings(solver="no"), "solver is 'no', expected True or False"),
    ],
    ids=lambda value: None if callable(value) else value.split(",")[0],
)
def test_a_mistake_is_one_clear_line(make: Any, message: str) -> None:
    with pytest.raises(po.PlayoutError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_visits_left_out_of_a_tree_by_hand_are_those_of_the_children_all_the_way_down() -> None:
    search = po.Search.from_tree(Nim(), {"children": {"1": {"children": {"2": {"visits": 3}}}}})
    assert search.result().visits == 3
    assert search.result().stats("1").visits == 3


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
