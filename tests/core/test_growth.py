"""Adding children later: moving a block of edges or adding an edge changes nothing else."""

import numpy as np
import pytest

import playout as po
from playout.core import copying, grow
from playout.core import tree as core
from playout.core.jit import COMPILED, njit
from playout.core.pending import Batch
from playout.search.file_checks import find_fault
from tests.games.toy_games import Coins, Dice, Nim, PriorNim, TwiceNim
from tests.oracles.graph_oracle import GraphOracle, graphs_differ
from tests.oracles.oracle import compiled_tree
from tests.parts.own_policies import Remembers
from tests.search.test_batches import SeenNim, noisy, outside


@njit
def move(tree, work, batch, number, room):
    grow.move_block(tree, work, batch, number, room)


def no_leaves():
    """A batch without slots."""
    shapes = {"flights": 0, "fresh": 0, "used": 0, "depths": 0, "players": 0, "shadows": 0, "counts": 0, "known": 0}
    kinds = {"used": np.uint8, "known": np.uint8, "keys": np.uint64, "cache_keys": np.uint64}
    wide = ("nodes", "edges", "actions", "indices", "states", "rewards", "planes", "known_weights", "known_values")
    floats = {"rewards": np.float64, "known_values": np.float64, "cache_values": np.float64}
    singles = {"planes": np.float32, "known_weights": np.float32, "cache_weights": np.float32}
    made = {}
    for name in Batch._fields:
        kind = {**kinds, **floats, **singles, "states": np.uint8, "info": np.int64}.get(name, np.int32)
        flat = name in shapes or name in ("keys", "cache_keys", "info")
        made[name] = np.zeros(core.INFO if name == "info" else 0 if flat else (0, 0), kind)
    assert set(wide) <= set(made)
    return Batch(**made)


def leaves_of(search):
    return search.batches.arrays if search.runner.batches is not None else no_leaves()


def move_all(search):
    """Move the edges of every node, some of them twice."""
    numbers = range(core.ROOT, int(search.tree.counters[core.NODES]))
    for number in [*numbers, *numbers[::3]]:
        room = 2 * int(search.tree.nodes[number]["count"]) + 4
        search.runner.tree = copying.grown(search.tree, 0, int(search.tree.counters[core.EDGES]) + room + 64, 0)
        if search.runner.batches is not None:
            search.batches.fit()
        move(search.tree, search.runner.work, leaves_of(search), number, room)
        search.tree.nodes[number]["flags"] &= core.ALL_FLAGS - core.GREW  # its room is not a power of two here


def nodes_of(search):
    """Every node with its edges, wherever those lie. Both searches number their nodes in the order they were added."""
    found = []
    for node in search.tree.nodes[core.ROOT : int(search.tree.counters[core.NODES])]:
        block = search.tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]
        kept = [node[name].item() for name in ("player", "visits", "own", "value", "proof", "count")]
        found.append((kept, block.tolist()))
    return found


SETTINGS = {
    "tree": po.Settings(),
    "columns": po.Settings(policy=Remembers(), backup=po.Best()),
    "graph": po.Settings(transpositions=True),
    "graph with columns": po.Settings(policy=Remembers(), transpositions=True),
}


@pytest.mark.parametrize("kind", SETTINGS)
@pytest.mark.parametrize("game", [Nim, TwiceNim, PriorNim, Dice, Coins], ids=lambda game: game.__name__)
def test_edges_that_moved_grow_the_same_tree(game, kind):
    moved, plain = (po.Search(game(), SETTINGS[kind], seed=3) for _ in range(2))
    for simulations in (1, 40, 80) if COMPILED else (1, 10, 20):
        for search in (moved, plain):
            search.run(simulations)
        move_all(moved)
        assert find_fault(copying.copied(moved.tree), moved.game) is None
    for search in (moved, plain):
        search.run(60 if COMPILED else 15)
    assert nodes_of(moved) == nodes_of(plain)
    assert moved.tree.rng[0] == plain.tree.rng[0]
    assert moved.result().best == plain.result().best


def test_a_graph_whose_edges_moved_is_the_oracles():
    game, settings = TwiceNim(), po.Settings(transpositions=True)
    search, oracle = po.Search(game, settings, seed=7), GraphOracle(game, settings, None, 7)
    for _ in range(6):
        search.run(25)
        oracle.run(25)
        move_all(search)
        assert graphs_differ(search, oracle) is None


def test_leaves_that_wait_follow_their_edges():
    def start():
        settings = outside(lambda o: noisy(o, SeenNim()), batch=8, policy=po.PUCT(1.5), cache=0)
        search = po.Search(SeenNim(), settings, position="stones=12 turn=1", seed=1)
        search.run(30)
        return search

    moved, plain = start(), start()
    for round in range(4):
        asked = [search.ask(5) for search in (moved, plain)]
        move_all(moved)
        for search, leaves in zip((moved, plain), asked, strict=True):
            for i, leaf in enumerate(leaves):
                search.tell(leaf, 0.1 * i - 0.2 * round)
    assert compiled_tree(moved) == compiled_tree(plain)
    assert not moved.batches.arrays.flights.any()


def add(search, action, prior, number=core.ROOT):
    """Add a child, after growing the tree if it is full."""
    arguments = (search.tree, search.runner.work, leaves_of(search), number, action, prior)
    e = grow.add_edge(*arguments)
    while e == grow.NO_ROOM:
        search.runner.tree = copying.grown(search.tree, 0, 2 * len(search.tree.edges), 0)
        if search.runner.batches is not None:
            search.batches.fit()
        e = grow.add_edge(search.tree, search.runner.work, *arguments[2:])
    return e


@pytest.mark.parametrize("kind", ["tree", "columns", "graph"])
def test_a_child_that_is_added_is_searched_like_the_others(kind):
    game = po.games.load("connect4")
    search = po.Search(game, SETTINGS[kind], only=[0, 6], seed=1)
    search.run(100)
    before = {path: record for path, record in compiled_tree(search).items() if path and path[0] in ((0,), (6,))}
    for action in (3, 1, 5, 2, 4):
        add(search, action, 0.1)
        assert find_fault(copying.copied(search.tree), game) is None
    after = compiled_tree(search)
    assert {path: after[path] for path in before} == before
    assert sorted(after[()]["order"]) == list(range(7))
    search.run(400)
    visits = {stats.action: stats.visits for stats in search.result().actions}
    assert min(visits.values()) > 0
    assert sum(visits[action] for action in (1, 2, 3, 4, 5)) > 100
    assert find_fault(copying.copied(search.tree), game) is None
    search.play(search.result().best)
    assert find_fault(copying.copied(search.tree), game) is None


def test_unvisited_children_stand_by_falling_prior():
    search = po.Search(po.games.load("connect4"), po.Settings(policy=po.PUCT()), only=[0], seed=1)
    search.run(5)
    for action, prior in ((3, 0.1), (1, 0.4), (5, 0.2), (2, 0.4), (4, 0.05)):
        add(search, action, prior)
    assert compiled_tree(search)[()]["order"] == [0, 1, 2, 5, 3, 4]


def test_a_node_grows_to_hundreds_of_children_in_few_moves():
    search = po.Search(po.games.load("connect4"), po.Settings(), only=[0], seed=1)
    used = int(search.tree.counters[core.EDGES])
    for action in range(1, 500):
        add(search, action, 1 / (1 + action))
    node = search.tree.nodes[core.ROOT]
    assert node["count"] == 500
    assert int(search.tree.counters[core.EDGES]) - used == sum(2**k for k in range(2, 10))  # 4, 8, …, 512
    block = search.tree.edges[node["first_edge"] : node["first_edge"] + 500]
    assert sorted(block["action"].tolist()) == list(range(500))


def test_a_proven_node_takes_no_more_children():
    search = po.Search(Nim(), position="stones=2 turn=0", seed=1)
    search.run(100)
    assert search.result().proven == 1.0
    assert add(search, 3, 0.1) == grow.SETTLED
