"""Rewards on the way, discount and cut-off playouts of Python objects, against compiled games and numbers by hand."""

from typing import Any

import numpy as np
import pytest

import playout as po
from playout.core import tree as core
from tests.games.toy_games import Coins

from .objects import Board, RewardedTumble, Shelf, Stones, Tumble


class ValuedShelf(Shelf):
    def evaluate(self) -> float:
        return 2.0 * self.shelf


class ValuedCoins(Coins):
    @staticmethod
    def evaluate(state, values):  # type: ignore[no-untyped-def]
        values[0] = 2.0 * state.shelf


@pytest.mark.parametrize("transpositions", [False, True], ids=["tree", "graph"])
@pytest.mark.parametrize("discount", [1.0, 0.5])
def test_rewards_of_an_object_give_the_tree_of_the_compiled_game(transpositions: bool, discount: float) -> None:
    settings = po.Settings(evaluator=po.Static(), discount=discount, transpositions=transpositions)
    compiled, wrapped = (po.Search(game, settings, seed=3) for game in (ValuedCoins(), po.wrap(ValuedShelf())))
    for search in (compiled, wrapped):
        search.run(60)
    for name, used in (("nodes", core.NODES), ("edges", core.EDGES), ("proofs", core.PROOFS)):
        n = int(compiled.tree.counters[used])
        assert n == wrapped.tree.counters[used]
        assert np.array_equal(getattr(compiled.tree, name)[:n], getattr(wrapped.tree, name)[:n])


def test_rewards_are_summed_and_the_best_way_is_proven() -> None:
    result = po.Search(po.wrap(Shelf()), seed=1).run(3000)
    assert result.proven == 5 + 7.25 + 2 + 30
    assert result.line[:2] == (1, 2)


class Chain:
    """One action; step i brings i."""

    def __init__(self, at: int = 0) -> None:
        self.at = at

    def current_player(self) -> int | None:
        return 0 if self.at < 6 else None

    def legal_actions(self) -> list[int]:
        return [7]

    def play(self, action: int) -> "Chain":
        return type(self)(self.at + 1)

    def rewards(self) -> list[float]:
        return [float(self.at)]


class ValuedChain(Chain):
    def evaluate(self) -> list[float]:
        return [100.0]


@pytest.mark.parametrize(
    ("obj", "depth", "returns"),
    [
        (Chain(), None, 2 + 3 / 2 + 4 / 4 + 5 / 8 + 6 / 16),  # the leaf is after the first step
        (Chain(), 2, 2 + 3 / 2),  # cut off: the rewards so far
        (ValuedChain(), 2, 2 + 3 / 2 + 100 / 4),  # and the static value of where it was cut off
        (ValuedChain(), 5, 2 + 3 / 2 + 4 / 4 + 5 / 8 + 6 / 16),  # not cut off: it ended there
    ],
    ids=["whole", "cut off", "static value", "just at the end"],
)
def test_a_playout_discounts_rewards_by_their_step(obj: Any, depth: int | None, returns: float) -> None:
    settings = po.Settings(evaluator=po.Rollouts(depth=depth), discount=0.5, solver=False)
    step = po.Search(po.wrap(obj), settings).step()
    assert step.returns == step.playouts[0].returns == (pytest.approx(returns),)
    assert step.selection[0].rewards == (1.0,)


class Late(Chain):
    """All of the return at the end."""

    rewards = None  # type: ignore[assignment]

    def returns(self) -> list[float]:
        return [64.0]


class LateNode:
    """The same as a node with children."""

    def __init__(self, at: int = 0) -> None:
        self.at = at

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LateNode) and self.at == other.at

    def __hash__(self) -> int:
        return self.at

    def is_terminal(self) -> bool:
        return self.at == 6

    def find_children(self) -> set["LateNode"]:
        return {LateNode(self.at + 1)}

    def find_random_child(self) -> "LateNode":
        return LateNode(self.at + 1)

    def reward(self) -> float:
        return 64.0


@pytest.mark.parametrize("obj", [Late(), LateNode()], ids=["play", "node"])
def test_a_playout_discounts_returns_as_the_reward_of_its_last_step(obj: Any) -> None:
    search = po.Search(po.wrap(obj, players=1), po.Settings(discount=0.5, solver=False))
    assert search.step().returns == (4.0,)  # the fifth step after the leaf: 64 / 16
    first = search.run(1)
    assert first.best_found is not None
    assert first.best_found.value == first.value == search.run(20).value == 2.0  # in playouts and in the tree alike


def test_who_balances_longer_is_not_worse_off_when_playouts_are_cut_off() -> None:
    settings = po.Settings(evaluator=po.Rollouts(depth=2), solver=False)
    result = po.Search(po.wrap(RewardedTumble(), players=1), settings, seed=1).run(400)
    assert result.best_action == "stand"


@pytest.mark.parametrize(
    ("obj", "needed"),
    [(Tumble(), r"evaluate\(\).*or rewards\(\)"), (Stones(), r"evaluate\(\)"), (Board(), r"evaluate\(\)")],
    ids=["one player", "two players", "Node kind"],
)
def test_cutting_playouts_off_without_a_value_is_refused_when_the_search_is_made(obj: Any, needed: str) -> None:
    with pytest.raises(po.SettingsError, match=needed) as caught:
        po.Search(po.wrap(obj), po.Settings(evaluator=po.Rollouts(depth=3)))
    assert "\n" not in str(caught.value)


def test_the_node_kind_is_cut_off_with_its_static_value() -> None:
    class Valued(Board):
        def after(self, i: int) -> "Valued":
            return Valued(*super().after(i))

        def evaluate(self) -> list[float]:
            return [0.75, 0.25]

    step = po.Search(po.wrap(Valued()), po.Settings(evaluator=po.Rollouts(depth=3))).step()
    assert step.returns == (0.75, 0.25)


def test_guided_playouts_of_an_object_are_refused() -> None:
    class Guided(Stones):
        def priors(self) -> list[float]:
            return [1.0] * min(3, self.stones)

    with pytest.raises(po.SettingsError, match="guided"):
        po.Search(po.wrap(Guided()), po.Settings(evaluator=po.Rollouts(guided=True)))


def test_positions_tell_what_their_step_brought() -> None:
    position = po.wrap(Shelf()).position().play(1)
    assert position.rewards.tolist() == [5.0]
    assert position.play(2).rewards.tolist() == [7.25]


def test_rewards_of_a_node_are_refused() -> None:
    class Both(Board):
        def rewards(self) -> list[float]:
            return [0.0, 0.0]

    with pytest.raises(po.GameError, match="rewards"):
        po.wrap(Both())
