"""Games made of Python objects: the same tree, the same search, and errors that come back as they were."""

import gc
import random
import signal
from typing import Any

import numpy as np
import pytest

import playout as po
from playout.core import tree as core
from playout.core.jit import COMPILED
from tests.games.toy_games import Nim
from tests.processes import hearing_ctrl_c

from .objects import Board, NamedStones, Roulette, SetBoard, Stones

BUDGET = 3000 if COMPILED else 300


def test_an_object_gives_the_tree_of_the_compiled_game_where_no_playout_is_random() -> None:
    """With a static value that is always zero both searches see the same numbers: the trees agree visit for visit."""

    class ZeroStones(Stones):
        def evaluate(self) -> list[float]:
            return [0.0, 0.0]

    class ZeroNim(Nim):
        @staticmethod
        def evaluate(state, values):  # type: ignore[no-untyped-def]
            values[0], values[1] = 0.0, 0.0

    settings = po.Settings(evaluator=po.Static())
    compiled = po.Search(ZeroNim(), settings, position="stones=12 turn=0", seed=3)
    wrapped = po.Search(po.wrap(ZeroStones(12)), settings, seed=3)
    for search in (compiled, wrapped):
        search.run(200)
    for name, used in (("nodes", core.NODES), ("edges", core.EDGES), ("proofs", core.PROOFS)):
        n = int(compiled.tree.counters[used])
        assert n == wrapped.tree.counters[used]
        assert np.array_equal(getattr(compiled.tree, name)[:n], getattr(wrapped.tree, name)[:n])


@pytest.mark.parametrize(("stones", "best"), [(10, 2), (7, 3), (5, 1)])
def test_the_play_kind_finds_the_winning_move_and_proves_it(stones: int, best: int) -> None:
    result = po.Search(po.wrap(Stones(stones)), seed=1).run(BUDGET)
    assert (result.best, result.proven) == (best, 1.0)


def test_the_second_player_gets_the_right_sign() -> None:
    result = po.Search(po.wrap(Stones(6, turn=1)), seed=1).run(BUDGET)
    assert (result.best, result.proven) == (2, 1.0)


@pytest.mark.parametrize("kind", [Board, SetBoard])
def test_the_node_kind_finds_the_only_move_that_does_not_lose(kind: type[Board]) -> None:
    #  X . .
    #  . O .     noughts have just moved to the centre; crosses must not lose
    #  . . X     and O must answer at an edge: a corner loses
    board = kind((1, 0, 0, 0, -1, 0, 0, 0, 1), -1)
    game = po.wrap(board)
    search = po.Search(game, seed=2)
    result = search.run(BUDGET)
    assert result.best is not None
    after = search.position.play(result.best)
    moved = next(i for i in range(9) if game.object_at(after).cells[i] != board.cells[i])
    assert moved in (1, 3, 5, 7)
    assert result.value == pytest.approx(0.5, abs=0.1)  # rewards of this kind run from 0 to 1


def test_words_are_actions_too() -> None:
    search = po.Search(po.wrap(NamedStones(6)), seed=1)
    result = search.run(BUDGET)
    assert result.best_text == "two"
    search.play("two")
    assert search.position.text == "4 stones, player 1"


def test_chance_values_and_priors_of_an_object_are_used() -> None:
    # A bet of b brings 0.4 * 2b - 0.6 b = 0.2 b on average: bet 2 twice, 4 + 0.4 + 0.4 = 4.8
    game = po.wrap(Roulette())
    result = po.Search(game, po.Settings(normalise=True), seed=1).run(BUDGET)
    assert result.best == 2
    assert result.proven == pytest.approx(4.8)
    guided = po.Search(game, po.Settings(policy=po.PUCT(), evaluator=po.Static()), seed=1).run(50)
    assert guided.stats(1).prior == pytest.approx(0.9)


def test_the_same_seed_gives_the_same_tree_and_leaves_pythons_random_alone() -> None:
    random.seed(11)
    expected = random.random()
    random.seed(11)
    results = [po.Search(po.wrap(Board()), po.Settings(solver=False), seed=5).run(200) for _ in range(2)]
    assert random.random() == expected
    assert [(s.action, s.visits, s.value) for s in results[0].actions] == [
        (s.action, s.visits, s.value) for s in results[1].actions
    ]


def test_walking_back_and_on_gives_the_same_again() -> None:
    search = po.Search(po.wrap(Board()), po.Settings(solver=False), seed=5)
    search.run(120)
    search.play(search.result().best or 0)
    search.run(80)
    before = search.tree.edges[: search.tree.counters[core.EDGES]].copy()
    search.rewind(30)
    search.run(50)
    assert np.array_equal(before, search.tree.edges[: search.tree.counters[core.EDGES]])


def test_playing_on_lets_go_of_the_objects_left_behind() -> None:
    search = po.Search(po.wrap(Board()), seed=5)
    search.run(BUDGET)
    search.play(search.result().best or 0)
    game = search.game
    alive = sum(obj is not None for obj in game.objects)  # type: ignore[attr-defined]
    positions = int(search.tree.counters[core.POSITIONS])
    assert alive <= positions + 12  # the start and its children are kept for walking back
    search.run(50)
    gc.collect()


def test_two_searches_of_one_object_do_not_take_each_others_positions() -> None:
    game = po.wrap(Board())
    one, other = (po.Search(game, po.Settings(solver=False), seed=s) for s in (1, 2))
    for search in (one, other):
        search.run(200)
    for _ in range(3):
        one.play(one.result().best or 0)
        one.run(100)
    assert other.run(200).simulations == 200
    other.play(other.result().best or 0)
    assert other.run(100).simulations == 100


@pytest.mark.parametrize("method", ["current_player", "legal_actions", "play", "returns"])
def test_an_exception_comes_back_as_it_was_and_the_search_goes_on(method: str) -> None:
    fail = {"at": 0}

    class Broken(Stones):
        def __getattribute__(self, name: str) -> Any:
            if name == method:
                fail["at"] += 1
                if fail["at"] == 60:
                    raise KeyError("the sixtieth")
            return super().__getattribute__(name)

    search = po.Search(po.wrap(Broken(15), players=2), po.Settings(solver=False), seed=1)
    with pytest.raises(KeyError, match="the sixtieth"):
        search.run(500)
    done = search.simulations
    assert search.run(100).simulations == 100
    assert search.simulations == done + 100
    root = search.tree.nodes[core.ROOT]
    block = search.tree.edges[root["first_edge"] : root["first_edge"] + root["count"]]
    assert int(block["visits"].sum()) == int(root["visits"]) == search.simulations


def test_ctrl_c_inside_an_object_stops_the_run_and_nothing_is_lost() -> None:
    class Interrupted(Stones):
        calls = 0

        def legal_actions(self) -> list[int]:
            Interrupted.calls += 1
            if Interrupted.calls == 100:
                signal.raise_signal(signal.SIGINT)
            return super().legal_actions()

    search = po.Search(po.wrap(Interrupted(15)), po.Settings(solver=False), seed=1)
    with hearing_ctrl_c(), pytest.raises(KeyboardInterrupt):
        search.run(500)
    assert search.run(10).simulations == 10


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: po.wrap(3), "it has no current_player"),
        (lambda: po.wrap(Stones), "expected an object of it"),
        (lambda: po.wrap(Board(), players=3), "expected 1 or 2"),
        (lambda: po.wrap(Stones(), players=0), "players=0"),
        (lambda: po.wrap(Stones(), max_actions=0), "max_actions=0"),
        (lambda: po.Search(po.wrap(Stones(), max_actions=2)).run(10), "more than max_actions"),
        (lambda: po.wrap(Stones()).position("5"), "can't be read from text"),
        (lambda: po.Search(po.wrap(Stones(0))).run(10), "the game is over"),
        (lambda: po.Search(po.wrap(Stones())).play(7), "not legal"),
    ],
    ids=["number", "class", "players", "no player", "no actions", "too many", "text", "over", "illegal"],
)
def test_a_mistake_is_one_clear_line(make: Any, message: str) -> None:
    with pytest.raises(po.PlayoutError, match=message) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_an_object_that_says_a_player_who_is_not_there_is_refused() -> None:
    class Third(Stones):
        def current_player(self) -> int:
            return 2

    with pytest.raises(po.GameError, match="current_player\\(\\) returned 2"):
        po.wrap(Third())


def test_a_play_that_returns_nothing_is_named() -> None:
    class Mutating(Stones):
        def play(self, action: int) -> Any:
            self.stones -= action

    with pytest.raises(po.GameError, match="returned None"):
        po.Search(po.wrap(Mutating())).run(5)
