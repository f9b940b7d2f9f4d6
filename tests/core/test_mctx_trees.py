"""Gumbel MuZero grows the trees that mctx recorded: the same visits and values, node for node.

The trees are those of mctx's own tests (github.com/google-deepmind/mctx, mctx/_src/tests/test_data), without noise.
Their values, logits and rewards are fed to our search as an outside evaluator and as the rules of a game.
"""

import gzip
import json

import numpy as np
import pytest

import playout as po
from tests.places import DATA

TREES = {
    # mctx's values are not scaled: its value_scale is ours over the width of the range of values.
    "gumbel_muzero_tree": (2, (-1.0, 1.0), po.Gumbel(16, 0.0, 50.0, 1.0), po.Improved(50.0, 1.0), 1.0),
    "gumbel_muzero_reward_tree": (1, (-50.0, 50.0), po.Gumbel(8, 0.0, 20.0, 10.0), po.Improved(20.0, 10.0), 0.997),
}


def recorded_game(nodes, players, limits):
    """A game whose positions are the nodes of a recorded tree; one that is not there ends it."""
    width = len(nodes[0]["child_stats"])
    child = np.full((len(nodes), width), -1, np.int32)
    reward = np.zeros((len(nodes), width))
    for i, node in enumerate(nodes):
        for j, below in enumerate(node["child_stats"]):
            if "visit" in below:
                child[i, j], reward[i, j] = below["evaluation_index"], below["reward"]

    class Recorded(po.Game):
        max_actions = width
        state = np.dtype([("node", np.int32), ("turn", np.int8)])
        value_range = limits

        @staticmethod
        def initial_state(state):
            pass

        @staticmethod
        def current_player(state):
            return po.TERMINAL if state.node < 0 else state.turn

        @staticmethod
        def legal_actions(state, actions):
            for i in range(width):
                actions[i] = i
            return width

        @staticmethod
        def apply(state, action, rewards):
            rewards[state.turn] = reward[state.node, action]
            state.node = child[state.node, action]
            state.turn = (state.turn + 1) % players

    Recorded.players = players
    return Recorded()


def flattened(root):
    nodes, todo = {}, [root]
    for node in todo:
        nodes[node["evaluation_index"]] = node
        todo += [below for below in node["child_stats"] if "visit" in below]
    return [nodes[i] for i in range(len(nodes))]


@pytest.mark.parametrize("name", TREES)
def test_the_recorded_trees_of_mctx_grow_again(name):
    players, limits, root, policy, discount = TREES[name]
    nodes = flattened(json.loads(gzip.decompress((DATA / "mctx_trees.json.gz").read_bytes()))[name])
    game = recorded_game(nodes, players, limits)
    settings = po.Settings(
        policy=policy, root=root, evaluator=po.Outside(batch=1, cache=0), solver=False, ties="first", discount=discount
    )
    search = po.Search(game, settings)
    search.past.aim(len(nodes))
    for _ in nodes:
        (leaf,) = search.ask(1)
        node = nodes[leaf.position.state.node]
        search.tell(leaf, node["raw_value_view"], [below["prior"] for below in node["child_stats"]])
    found, todo = 0, [(search.root, nodes[0])]
    for ours, theirs in todo:
        for below in theirs["child_stats"]:
            edge = ours.find(below["action"])
            assert edge.visits == below.get("visit", 0)
            if edge.visits:
                sign = -1.0 if players == 2 else 1.0
                assert edge.value == pytest.approx(below["reward"] + discount * sign * below["value_view"], abs=1e-5)
                todo.append((edge, below))
                found += 1
    assert found == len(nodes) - 1
