"""Actions that are drawn: the compiled search and the oracle agree, and nodes widen as they should."""

import numpy as np
import pytest

import playout as po
from playout.core.jit import COMPILED
from playout.core.tree import ROOT
from tests.core.test_oracle import compare
from tests.games.drawn_games import Bids, KeptThrow, Throw
from tests.oracles.drawn_oracle import FIRST, DrawnOracle
from tests.oracles.oracle import compiled_tree

WIDE = po.Settings(expansion=po.Widening(), outcomes=po.Widening(k=0.7), normalise=True)
SIMULATIONS = 300 if COMPILED else 120
CASES = {
    "widening": (Throw(), WIDE),
    "a discount and one playout cut off": (
        Throw(),
        WIDE.replace(discount=0.9, evaluator=po.Rollouts(depth=1), expansion=po.Widening(k=2.0, alpha=0.4)),
    ),
    "wind": (Throw(wind=0.2), WIDE),
    "wind, every outcome new": (Throw(wind=0.2), WIDE.replace(outcomes=None, evaluator=po.Static())),
    "kept states": (KeptThrow(wind=0.2), WIDE),
    "as many as there may be": (Throw(), po.Settings(expansion=po.All(first_visit=True))),
    "PUCT": (Throw(), WIDE.replace(policy=po.PUCT(1.0), backup=po.Best())),
    "beside a list": (Bids(), WIDE.replace(normalise=None)),
    "beside a list, PUCT": (Bids(), WIDE.replace(policy=po.PUCT(1.0), normalise=None, ties="first")),
}


@pytest.mark.parametrize("case", CASES)
def test_the_oracle_agrees(case: str) -> None:
    game, settings = CASES[case]
    compare(game, settings, SIMULATIONS, seed=5, then=(SIMULATIONS // 2,), kind=DrawnOracle)


def test_a_node_has_as_many_actions_as_its_visits_allow() -> None:
    search = po.Search(Throw(), po.Settings(expansion=po.Widening(initial=2, k=1, alpha=0.5)), seed=1)
    for _ in range(4):
        search.run(simulations=30)
        root = search.tree.nodes[ROOT]
        assert root["count"] == int(2 + (root["visits"] - 1) ** 0.5)
    search = po.Search(Throw(), po.Settings(), seed=1)
    search.run(simulations=100)
    assert search.tree.nodes[ROOT]["count"] == Throw.max_actions


def test_the_same_seed_gives_the_same_actions_and_another_seed_others() -> None:
    def numbers(seed: int) -> set[int]:
        search = po.Search(Throw(), WIDE, seed=seed)
        return {entry.action for entry in search.run(simulations=50).actions}

    assert numbers(1) == numbers(1)
    assert not numbers(1) & numbers(2)
    assert min(numbers(1)) >= FIRST


def test_a_search_in_pieces_and_through_memory_that_grows_is_the_same() -> None:
    game = Throw(wind=0.1)
    whole, pieces = po.Search(game, WIDE, seed=3), po.Search(game, WIDE, seed=3)
    whole.run(simulations=2 * SIMULATIONS)
    for _ in range(SIMULATIONS // 10):
        pieces.run(simulations=5)
        for _ in range(15):
            pieces.step()
    assert compiled_tree(whole) == compiled_tree(pieces)


def test_compiled_rows_are_those_of_the_rules() -> None:
    position = Throw().position()
    number = position.actions()[0]
    row = np.zeros(1)
    with np.errstate(over="ignore"):
        Throw.sample_action(position.state, np.array([number], np.uint64), row)
    assert position.row(number).tolist() == row.tolist()
    assert position.play(number).state.x == row[0]
