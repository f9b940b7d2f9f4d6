"""The tree: flat arrays of records, declared here and nowhere else.

A node is a position that a simulation has passed through; it owns a block of edges, one for each legal action. An edge
that was visited only once has no node yet: most positions are seen once, and would cost a record and a block each.

Edges of a decision node are kept in this order: first those visited, then those not visited, by falling prior.
Edges of a chance node stay as the rules gave them; their prior is the outcome's probability.

Nodes 0 to 2 are fixed: no node, the end of the game (shared by all edges that end it), the root. A child's number is
larger than its parent's, except for the shared end.
"""

from typing import Any, NamedTuple

import numpy as np

from .jit import inlined, njit
from .rules import TERMINAL

NO_NODE, END, ROOT = 0, 1, 2
NO_PROOF, END_PROOF = 0, 1

NODE = np.dtype(
    [
        ("first_edge", np.int32),
        ("count", np.uint16),  # edges
        ("opened", np.uint16),  # edges visited; they come first. All of them at a chance node
        ("visits", np.int32),
        ("own", np.int32),  # visits that ended here and did not go on through an edge
        ("value", np.float64),  # mean return from here on, for the player who chooses here (player 0 at a chance node)
        ("proof", np.int32),  # row of `proofs` with the exact values; NO_PROOF
        ("player", np.int8),  # who chooses; CHANCE, TERMINAL
        ("unknown", np.uint8),  # 1: own visits are not in `value`, since only what the player above got was kept
        ("pad", np.uint16),
    ]
)
EDGE = np.dtype(
    [
        ("action", np.int32),
        ("prior", np.float32),
        ("visits", np.int32),
        ("child", np.int32),  # node below; NO_NODE: none yet; negative: proven, and -child is the node
        ("value", np.float64),  # mean return for the player who chooses at the node above; exact once proven
        ("spread", np.float64),  # sum of squared deviations from the mean (Welford)
    ]
)

# counters: int64[COUNTERS], what the tree holds and has been through
NODES, EDGES, PROOFS, POSITIONS, SIMULATIONS, LEADER, LEADER_SINCE, DEPTH_SUM, DEPTH_MAX, PLAYOUT_ACTIONS = range(10)
COUNTERS = 10
# bounds: float64[2], the least and the greatest edge value seen, for normalising
LEAST, GREATEST = 0, 1


class Tree(NamedTuple):
    """All that a search remembers. `[N]` nodes, `[E]` edges, `[F]` proofs, `[P]` players, `[S]` bytes of a state."""

    nodes: Any  # [N] NODE
    edges: Any  # [E] EDGE
    proofs: Any  # [F, P] float64: exact return from the node on, for each player
    states: Any  # [N, S] uint8, or [0, S] where states are replayed from the root
    rewards: Any  # [N, P] float64: what the action into the node brought; [0, P] likewise
    root: Any  # [S] uint8: the root's state
    counters: Any  # [COUNTERS] int64
    bounds: Any  # [2] float64
    rng: Any  # [1] uint64


class Work(NamedTuple):
    """What one simulation writes down on its way. `[D]` depth, `[A]` actions."""

    state: Any  # [S] uint8: the position the simulation has come to
    spare: Any  # [S] uint8: a second one, for replaying
    actions: Any  # [A] int32
    weights: Any  # [A] float64: priors or probabilities
    path_nodes: Any  # [D] int32
    path_edges: Any  # [D] int32
    path_rewards: Any  # [D * P] float64, flat
    rewards: Any  # [P] float64, zero between uses
    returns: Any  # [P] float64: from the leaf on
    values: Any  # [P] float64: scratch
    trace: Any  # int32: the playout's actions; of length 0 while nobody looks


def new_tree(state: Any, players: int, keep: bool, seed: int, nodes: int = 1024, edges: int = 4096) -> Tree:
    """An empty tree over a root state. Untouched memory costs nothing until it is used."""
    kept = nodes if keep else 0
    tree = Tree(
        nodes=np.zeros(nodes, NODE),
        edges=np.zeros(edges, EDGE),
        proofs=np.zeros((1024, players)),
        states=np.zeros((kept, len(state)), np.uint8),
        rewards=np.zeros((kept, players)),
        root=state.copy(),
        counters=np.zeros(COUNTERS, np.int64),
        bounds=np.array([np.inf, -np.inf]),
        rng=np.array([seed], np.uint64),
    )
    tree.nodes[END]["player"], tree.nodes[END]["proof"] = TERMINAL, END_PROOF
    tree.counters[NODES], tree.counters[PROOFS], tree.counters[LEADER] = ROOT, END_PROOF + 1, -1
    return tree


def grown(tree: Tree, nodes: int, edges: int, proofs: int) -> Tree:
    """The same tree with room for at least so many records."""

    def more(array: Any, used: int, size: int) -> Any:
        if len(array) >= size:
            return array
        larger = np.empty((size, *array.shape[1:]), array.dtype)
        larger[:used] = array[:used]
        return larger

    used = tree.counters
    kept = nodes if len(tree.states) else 0
    return tree._replace(
        nodes=more(tree.nodes, used[NODES], nodes),
        edges=more(tree.edges, used[EDGES], edges),
        proofs=more(tree.proofs, used[PROOFS], proofs),
        states=more(tree.states, used[NODES], kept),
        rewards=more(tree.rewards, used[NODES], kept),
    )


def record_bytes(tree: Tree, nodes: int, edges: int, proofs: int) -> int:
    """How many bytes so many records take."""
    kept = tree.root.nbytes + 8 * tree.proofs.shape[1] if len(tree.states) else 0
    return int(nodes * (NODE.itemsize + kept) + edges * EDGE.itemsize + proofs * 8 * tree.proofs.shape[1])


def used_bytes(tree: Tree) -> int:
    return record_bytes(tree, *(int(tree.counters[i]) for i in (NODES, EDGES, PROOFS)))


@inlined
def child_node(child):
    """The node that an edge's `child` names, proven or not."""
    return -child if child < 0 else child


@njit
def copy_subtree(source, target, start, old):
    """Copy the subtree below node `start` into the fresh tree `target`, with `start` as its root; nothing is recursive.

    Nodes are numbered in the order in which they are met, breadth first, so a child still comes after its parent.
    `target` must have room for as many records as `source` uses; `old` (scratch) takes the old numbers by new number.
    """
    old[ROOT] = start
    nodes, edges, proofs, positions = ROOT + 1, 0, END_PROOF + 1, 1
    at = ROOT
    while at < nodes:
        node = source.nodes[old[at]]
        target.nodes[at] = node
        if len(source.states) > 0:
            for i in range(source.states.shape[1]):
                target.states[at, i] = source.states[old[at], i]
            for p in range(source.rewards.shape[1]):
                target.rewards[at, p] = source.rewards[old[at], p]
        if node["proof"] > NO_PROOF:
            for p in range(source.proofs.shape[1]):
                target.proofs[proofs, p] = source.proofs[node["proof"], p]
            target.nodes[at]["proof"] = proofs
            proofs += 1
        target.nodes[at]["first_edge"] = edges
        for i in range(node["count"]):
            edge = source.edges[node["first_edge"] + i]
            target.edges[edges] = edge
            positions += edge["visits"] > 0
            child = child_node(edge["child"])
            if child > END:
                old[nodes] = child
                target.edges[edges]["child"] = nodes if edge["child"] > 0 else -nodes
                nodes += 1
            edges += 1
        at += 1
    target.counters[NODES], target.counters[EDGES], target.counters[PROOFS] = nodes, edges, proofs
    target.counters[POSITIONS] = positions
