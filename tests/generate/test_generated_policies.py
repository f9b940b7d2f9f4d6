"""The plans of the policies: halving, Gumbel, the budget-aware rule, widening."""

from typing import Any

import numpy as np
import pytest

import playout as po
from playout.generate.policies import Budget, GeneratingNode, Scale
from playout.generate.policies.halving import considered, survivors
from playout.generate.tree import GeneratedNode, back_up

SCALE = Scale(0.0, 1.0)


def test_halving_leaves_half_in_each_round() -> None:
    assert [survivors(16, 512, used) for used in (16, 139, 140, 264, 388, 511)] == [16, 16, 8, 4, 2, 2]
    assert considered(None, 8) == 2


@pytest.mark.parametrize("calls", [8, 64, 512])
@pytest.mark.parametrize("policy", [po.Halving(), po.Gumbel()], ids=["halving", "gumbel"])
def test_most_calls_go_to_the_last_survivors(policy: Any, calls: int) -> None:
    def generate(parent: Any, call: po.Call) -> tuple[int, float]:
        first = call.number if parent is None else parent % 1000
        return first + 1000 * call.number, 0.9 if first == 2 else 0.1

    search = po.GeneratedSearch(generate, policy=policy, seed=1)
    search.run(calls)
    visits = sorted((child.visits for child in search.root.children), reverse=True)
    assert search.root.children[1].visits in visits[:2]  # the second child is the good one
    assert len(visits) == considered(None, calls)


def test_the_budget_aware_rule_turns_to_what_is_good_at_the_end() -> None:
    root = GeneratedNode(0, None, None, None, "", 0.0)
    for number, score in enumerate((0.5, 0.0, 0.9), 1):
        root.add(GeneratedNode(number, root, number, score, "a", 0.0))
        back_up(root, score)
    steady, varied = root.children[0], root.children[1]
    for _ in range(6):
        back_up(steady, 0.5)
    for score in (0.0, 0.9, 0.0, 0.9, 0.0, 0.6):
        back_up(varied, score)
    rng, policy = np.random.default_rng(0), po.Spend()
    many, one = (policy.weigh(GeneratingNode(root, SCALE, Budget(0, left), 0), rng) for left in (100, 1))
    assert many[2] > many[1]
    assert one[1] > one[2]


def test_widening_follows_its_formula() -> None:
    search = po.GeneratedSearch(lambda parent, call: (call.number, 0.5), policy=po.Widening(k=1.0, alpha=0.5), seed=1)
    search.run(100)
    assert len(search.root.children) == 11  # the most that is below 1 + sqrt(100), and one more
