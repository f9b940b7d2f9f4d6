"""AB-MCTS-A against treequest, whose posteriors and choices it shares."""

import os
import random
from typing import Any

import numpy as np
import pytest

import playout as po
from playout.generate.policies import Budget, GeneratingNode, Scale
from playout.generate.tree import GeneratedNode, back_up

if not os.environ.get("CI"):
    pytest.importorskip("treequest")
from treequest import ABMCTSA

SCALE, NO_BUDGET = Scale(0.0, 1.0), Budget(0, None)


def same_tree(kind: str, nodes: int) -> tuple[Any, Any, list[GeneratedNode], list[Any]]:
    """The same random tree in both libraries: ours, treequest's state, and the nodes of either in the same order."""
    draw = random.Random(4)
    algorithm: Any = ABMCTSA(dist_type=kind)  # type: ignore[arg-type]
    state = algorithm.init_tree()
    root = GeneratedNode(0, None, None, None, "", 0.0)
    ours, theirs = [root], [state.tree.root]
    for number in range(1, nodes + 1):
        place, score = min(draw.randrange(len(ours)), draw.randrange(len(ours))), draw.random()
        node = GeneratedNode(number, ours[place], number, score, "a", 0.0)
        ours[place].add(node)
        back_up(ours[place], score)
        ours.append(node)
        state.thompson_states.get_or_create(theirs[place], ["a"])
        state.all_rewards_store["a"] = state.all_rewards_store.get("a", [])
        trial = state.trial_store.create_trial(theirs[place], "a")
        algorithm.tell(state, trial.trial_id, (number, score))
        theirs.append(theirs[place].children[-1])
    return algorithm, state, ours, theirs


@pytest.mark.parametrize("kind", ["gaussian", "beta"])
def test_posteriors_are_those_of_treequest(kind: str) -> None:
    _, state, ours, theirs = same_tree(kind, 60)
    policy = po.ABMCTS(kind=kind)
    compared = 0
    for mine, other in zip(ours, theirs, strict=True):
        if not mine.children:
            continue
        view, known = GeneratingNode(mine, SCALE, NO_BUDGET, 0), state.thompson_states.get(other)
        shared = known.gen_vs_cont_probas["shared"]
        assert tuple(policy.of_generating(view)) == pytest.approx(tuple(shared["GEN"].params.values()))
        assert tuple(policy.of_going_deeper(view)) == pytest.approx(tuple(shared["CONT"].params.values()))
        children = np.array(np.broadcast_arrays(*policy.of_children(view))).T
        for place, row in enumerate(children):
            assert tuple(row) == pytest.approx(tuple(known.node_probas["shared"][place].params.values()))
            compared += 1
    assert compared == 60


@pytest.mark.parametrize("kind", ["gaussian", "beta"])
def test_choices_are_distributed_as_those_of_treequest(kind: str) -> None:
    _, state, ours, _ = same_tree(kind, 12)
    policy, rng, count = po.ABMCTS(kind=kind), np.random.default_rng(1), 2000
    np.random.seed(1)  # noqa: NPY002  # treequest draws from the global generator
    known = state.thompson_states.get(state.tree.root)
    mine, theirs = np.zeros(ours[0].used), np.zeros(ours[0].used)
    view = GeneratingNode(ours[0], SCALE, NO_BUDGET, 0)
    for _ in range(count):
        mine[int(np.argmax(policy.weigh(view, rng)))] += 1
        choice = known.select_next(state.all_rewards_store)
        theirs[0 if isinstance(choice, str) else choice + 1] += 1
    assert np.abs(mine - theirs).max() < 4.5 * np.sqrt(count / 2)  # of the difference of two counts, at most
    assert mine[0] > 0
    assert mine[1:].sum() > 0
