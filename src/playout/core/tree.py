"""The tree: flat arrays of records, declared here and nowhere else.

A node is a position that a simulation has passed through; it owns a block of edges, one for each legal action. An edge
that was visited only once has no node yet: most positions are seen once, and would cost a record and a block each.

Edges of a decision node are kept in this order: first those visited, then those not visited, by falling prior.
Edges of a chance node stay as the rules gave them; their prior is the outcome's probability.

Nodes 0 to 2 are fixed: no node, the end of the game (shared by all edges that end it), the root. A node's number is
larger than that of the node it was first reached from.

In a graph search (`core/graph.py`) several edges may lead to one node. What that needs beside nodes and edges lies in
arrays of its own, which are empty in a tree.
"""

from typing import Any, NamedTuple

import numpy as np

from .jit import inlined, njit
from .pack import packed
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
        ("flags", np.uint8),  # UNKNOWN, CHANGED, EXACT_EDGE, GREW
        ("parents", np.uint16),  # graph search: edges that lead here, counted up to MANY
    ]
)
MANY = 65535
UNKNOWN = 1  # own visits are not in `value`, since only what the player above got was kept
CHANGED = 2  # graph search: the value is no longer the one that the edges leading here have been told
EXACT_EDGE = 4  # one player, who chooses here: an edge is proven, and visits to the others count for as much at least
GREW = 8  # the block has room for a power of two of edges (`core/grow.py`)
ALL_FLAGS = 255
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

NODE_LINK = np.dtype(
    [
        ("key", np.uint64),
        ("published", np.float64),  # what the edges leading here were told last, if CHANGED (`means` has it for others)
        ("first_in", np.int32),  # the edge by which the node was first reached; -1: none
        ("waiting", np.int32),  # the next node in the queue of proofs
        ("down", np.int32),  # the edge to take from here, while a node's position is played again
        ("pad", np.int32),
    ]
)
EDGE_LINK = np.dtype(
    [
        ("owner", np.int32),  # the node that has the edge
        ("next_in", np.int32),  # the next edge that leads to the same node; -1: none
    ]
)

# counters: int64[COUNTERS], what the tree holds and has been through
NODES, EDGES, PROOFS, POSITIONS, SIMULATIONS, LEADER, LEADER_SINCE, DEPTH_SUM, DEPTH_MAX, PLAYOUT_ACTIONS = range(10)
# Graph search: how often a new edge led to a position that was known, and how many edges share a node with others.
HITS, SAVED = 10, 11
REWARDED = 12  # 1: an action that does not end the game brought something
COUNTERS = 13
# bounds: float64[2], the least and the greatest edge value seen, for normalising
LEAST, GREATEST = 0, 1


@packed
class Tree(NamedTuple):
    """All that a search remembers. `[N]` nodes, `[E]` edges, `[F]` proofs, `[P]` players, `[S]` bytes of a state,
    `[T]` places in a table."""

    nodes: Any  # [N] NODE
    edges: Any  # [E] EDGE
    proofs: Any  # [F, P] float64: exact return from the node on, for each player
    states: Any  # [N, S] uint8, or [0, S] where states are replayed from the root
    rewards: Any  # [N, P] float64: what the action into the node brought; [E, P], by edge, in a graph; [0, P] likewise
    root: Any  # [S] uint8: the root's state
    counters: Any  # [COUNTERS] int64
    bounds: Any  # [2] float64
    rng: Any  # [1] uint64
    # Of a graph; of length 0 in a tree.
    node_links: Any  # [N] NODE_LINK
    edge_links: Any  # [E] EDGE_LINK
    means: (
        Any  # [N, 2 P] float64: a node's value for each player, then as published; [0, 2 P] where one number tells all
    )
    table: Any  # [T] uint64: every position of the graph by its key, see `slot_of`; T is a power of two
    # What the parts of the search keep (`core/columns.py`).
    policy: Any  # uint8: the policy's settings and tables, a record
    backup: Any  # uint8: the backup's
    policy_columns: Any  # [E, K] int64: what the policy keeps of each edge, in words of eight bytes; [E, 0]: nothing
    backup_columns: Any  # [E, K] int64: the same for the backup


NOT_BEGUN = 2**64 - 1

# info: int64[INFO], walks under way that wait for a value
# Leaves that wait, walks under way, walks that met a waiting leaf, the first place that may be free, how many there are
# in `fresh`; answers out of the cache, and from outside; edges that stand with the visited ones and never were.
WAITING, FLYING, SHADOWS, HINT, FRESH, CACHED, EVALUATED, UNCLOSED = range(8)
INFO = 8


@packed
class Work(NamedTuple):
    """What one simulation writes down on its way. `[D]` depth, `[A]` actions."""

    state: Any  # [S] uint8: the position the simulation has come to
    spare: Any  # [S] uint8: a second one, for replaying
    actions: Any  # [A] int32
    weights: Any  # [A] float64: priors or probabilities
    path_nodes: Any  # [D] int32
    path_edges: Any  # [D] int32
    path_links: Any  # [D] int32: graph search: the node that an edge without one was found to lead to; NO_NODE
    path_rewards: Any  # [D * P] float64, flat
    rewards: Any  # [P] float64, zero between uses
    returns: Any  # [P] float64: from the leaf on
    values: Any  # [P] float64: scratch
    trace: Any  # int32: the playout's actions; of length 0 while nobody looks
    keyed: Any  # [S] uint8: 255 where a byte of the state belongs to its key, else 0
    path_scales: Any  # [D] float64: open loop: what the return after the step is discounted by
    draws: Any  # int32: open loop: the next free place, then depth and outcome of each draw of chance
    indices: Any  # [A] int32: where a policy from outside has each action
    leaf: Any  # [2] uint64: graph search: the leaf's key and its place in the table
    scores: Any  # [R, A] float64: of the edges of the last node that a policy chose at; a row for each depth in a step
    terms: Any  # [R, A, K] float64: what the scores were made of, where a step shows them
    candidates: Any  # [R, A, 2] int32: open loop: the edge of each legal action, or -1 - its place if it was never
    # taken; and the action
    pending: Any  # [E] int32: walks under way through each edge; [0] where none ever is
    info: Any  # [INFO] int64: leaves that wait for a value, walks under way, …
    began: Any  # [1] uint64: the random generator's state when the last evaluation began, or NOT_BEGUN


NO_GRAPH, SCALARS, VECTORS = range(3)  # what a tree is: no graph; one whose nodes have one value, or one a player


class Kept(NamedTuple):
    """What a part keeps in a tree: a record to begin with, and how many words of each edge."""

    record: Any
    words: int


NOTHING = Kept(np.zeros(0, np.uint8), 0)


def new_tree(
    state: Any,
    players: int,
    keep: bool,
    seed: int,
    graph: int = NO_GRAPH,
    nodes: int = 1024,
    edges: int = 4096,
    policy: Kept = NOTHING,
    backup: Kept = NOTHING,
) -> Tree:
    """An empty tree over a root state. Untouched memory costs nothing until it is used."""
    tree = Tree(
        nodes=np.zeros(nodes, NODE),
        edges=np.zeros(edges, EDGE),
        proofs=np.zeros((1024, players)),
        states=np.zeros((nodes if keep else 0, len(state)), np.uint8),
        rewards=np.zeros(((edges if graph else nodes) if keep else 0, players)),
        root=state.copy(),
        counters=np.zeros(COUNTERS, np.int64),
        bounds=np.array([np.inf, -np.inf]),
        rng=np.array([seed], np.uint64),
        node_links=np.zeros(nodes if graph else 0, NODE_LINK),
        edge_links=np.zeros(edges if graph else 0, EDGE_LINK),
        means=np.zeros((nodes if graph == VECTORS else 0, 2 * players)),
        table=np.zeros(table_size(2 * nodes) if graph else 0, np.uint64),
        policy=policy.record.copy(),
        backup=backup.record.copy(),
        policy_columns=np.zeros((edges, policy.words), np.int64),
        backup_columns=np.zeros((edges, backup.words), np.int64),
    )
    tree.nodes[END]["player"], tree.nodes[END]["proof"] = TERMINAL, END_PROOF
    tree.counters[NODES], tree.counters[PROOFS], tree.counters[LEADER] = ROOT, END_PROOF + 1, -1
    return tree


def table_size(positions: int) -> int:
    """A power of two, such that the table is at most half full."""
    return 1 << max(4, int(2 * positions - 1).bit_length())


def is_graph(tree: Tree) -> bool:
    return len(tree.node_links) > 0


def rows(tree: Tree, name: str) -> int:
    """How many records of an array are in use; the whole of those that don't grow."""
    used = tree.counters
    if name == "rewards" and is_graph(tree):
        return min(len(tree.rewards), int(used[EDGES]))
    counted = {
        **dict.fromkeys(("nodes", "states", "rewards", "node_links", "means"), NODES),
        **dict.fromkeys(("edges", "edge_links", "policy_columns", "backup_columns"), EDGES),
        "proofs": PROOFS,
    }
    array = getattr(tree, name)
    return min(len(array), int(used[counted[name]])) if name in counted else len(array)


def copied(tree: Tree) -> Tree:
    """A tree of its own, with no more room than it uses."""
    return Tree(*(array[: rows(tree, name)].copy() for name, array in zip(Tree._fields, tree, strict=True)))


def grown(tree: Tree, nodes: int, edges: int, proofs: int, positions: int = 0) -> Tree:
    """The same tree with room for at least so many records, and in a graph for the present positions and one more."""

    def more(name: str, size: int) -> Any:
        array = getattr(tree, name)
        if len(array) >= size or not (len(array) or name in ("nodes", "edges", "proofs")):
            return array
        larger = np.empty((size, *array.shape[1:]), array.dtype)
        used = rows(tree, name)
        larger[:used] = array[:used]
        return larger

    wanted = dict.fromkeys(("nodes", "states", "node_links", "means"), nodes)
    wanted |= dict.fromkeys(("edges", "edge_links", "policy_columns", "backup_columns"), edges)
    wanted |= {"proofs": proofs, "rewards": edges if is_graph(tree) else nodes}
    larger = tree._replace(**{name: more(name, size) for name, size in wanted.items()})
    places = table_size(max(positions, int(tree.counters[POSITIONS]) + 2))
    if is_graph(tree) and len(tree.table) < places:
        larger = larger._replace(table=np.zeros(places, np.uint64))
        copy_table(tree.table, larger.table)
    return larger


def record_bytes(tree: Tree, nodes: int, edges: int, proofs: int) -> int:
    """The bytes of so many records, of the table of positions and of the parts' own records."""
    node, edge = record_sizes(tree)
    beside = tree.table.nbytes + tree.policy.nbytes + tree.backup.nbytes
    return int(nodes * node + edges * edge + proofs * 8 * tree.proofs.shape[1] + beside)


def used_bytes(tree: Tree) -> int:
    return record_bytes(tree, *(int(tree.counters[i]) for i in (NODES, EDGES, PROOFS)))


NODE_BYTES, EDGE_BYTES, SLOT_BYTES = NODE.itemsize, EDGE.itemsize, 8
NODE_LINK_BYTES, EDGE_LINK_BYTES = NODE_LINK.itemsize, EDGE_LINK.itemsize


@njit
def record_sizes(tree):
    """The bytes that one node and one edge take, with all that is kept beside them."""
    players = tree.proofs.shape[1]
    graph, keep = tree.node_links.shape[0] > 0, tree.states.shape[0] > 0
    node, edge = np.int64(NODE_BYTES), np.int64(EDGE_BYTES)
    if graph:
        node, edge = node + NODE_LINK_BYTES, edge + EDGE_LINK_BYTES
    edge += 8 * (tree.policy_columns.shape[1] + tree.backup_columns.shape[1])
    if tree.means.shape[0] > 0:
        node += 16 * players
    if keep:
        node += tree.root.shape[0]
        if graph:
            edge += 8 * players
        else:
            node += 8 * players
    return node, edge


# Where positions are found by key: open addressing, the next place after a full one.

GOLDEN, HALF, LOW, ONE = np.uint64(0x9E3779B97F4A7C15), np.uint64(32), np.uint64(0xFFFFFFFF), np.uint64(1)


@inlined
def slot_of(key, entry):
    """What a place in the table holds: half of the key, mixed since keys may be poor, and an entry of 32 bits.

    An entry is a node's number, or -1 - e for a position that was seen through edge e and has no node. Whether a node
    is the right one, its own key tells. A position without a node that is taken for another is evaluated and not noted,
    which does no harm.
    """
    mixed = key * GOLDEN
    mixed ^= mixed >> HALF
    return ((mixed * GOLDEN) & ~LOW) | (np.uint64(entry) & LOW)


@inlined
def entry_of(slot):
    return np.int64(np.int32(np.uint32(slot & LOW)))


@inlined
def first_place(table, slot):
    return (slot >> HALF) & np.uint64(table.shape[0] - 1)


@inlined
def find_place(tree, key):
    """The place in the table that has a key, or the free one where it belongs."""
    table = tree.table
    slot, last = slot_of(key, 0), np.uint64(table.shape[0] - 1)
    at = first_place(table, slot)
    while table[at] != 0:
        if table[at] & ~LOW == slot:
            entry = entry_of(table[at])
            if entry < 0 or tree.node_links[np.uint32(entry)]["key"] == key:
                break
        at = (at + ONE) & last
    return at


@njit
def put_slot(table, slot):
    """Enter a slot that is not there."""
    at = first_place(table, slot)
    while table[at] != 0:
        at = (at + ONE) & np.uint64(table.shape[0] - 1)
    table[at] = slot


@njit
def copy_table(source, target):
    for i in range(source.shape[0]):
        if source[i] != 0:
            put_slot(target, source[i])


@inlined
def join(tree, e, number):
    """Note that an edge leads to a node. The edge by which a node was first reached stays the first."""
    link, node = tree.node_links[number], tree.nodes[number]
    if link["first_in"] < 0:
        link["first_in"], tree.edge_links[e]["next_in"] = e, -1
    else:
        tree.edge_links[e]["next_in"] = tree.edge_links[link["first_in"]]["next_in"]
        tree.edge_links[link["first_in"]]["next_in"] = e
    node["parents"] = min(MANY, np.int64(node["parents"]) + 1)


@njit
def join_all(tree):
    """Find out anew, from the edges alone, which edges lead where."""
    for number in range(ROOT, tree.counters[NODES]):
        tree.node_links[number]["first_in"] = -1
        tree.nodes[number]["parents"] = 0
    for number in range(ROOT, tree.counters[NODES]):
        node = tree.nodes[number]
        for e in range(node["first_edge"], node["first_edge"] + np.int64(node["count"])):
            tree.edge_links[e]["owner"] = number
            child = child_node(tree.edges[e]["child"])
            if child > END:
                join(tree, e, child)


@inlined
def child_node(child):
    """The node that an edge's `child` names, proven or not."""
    return -child if child < 0 else child


@njit
def copy_subtree(source, target, start, old, new):
    """Copy what lies below node `start` into the fresh tree `target`, with `start` as its root; nothing is recursive.

    Nodes are numbered in the order in which they are met, breadth first, so each comes after the one it was first
    reached from. `target` must have room for as many records as `source` uses; `old` (scratch) takes the old numbers by
    new number and `new` (zeros) the new ones by old number.
    """
    graph = source.node_links.shape[0] > 0
    old[ROOT], new[start] = start, ROOT
    nodes, edges, proofs, positions = ROOT + 1, 0, END_PROOF + 1, 1
    at = ROOT
    while at < nodes:
        node = source.nodes[old[at]]
        target.nodes[at] = node
        if source.states.shape[0] > 0:
            for i in range(source.states.shape[1]):
                target.states[at, i] = source.states[old[at], i]
            if not graph:
                for p in range(source.rewards.shape[1]):
                    target.rewards[at, p] = source.rewards[old[at], p]
        if graph:
            target.node_links[at] = source.node_links[old[at]]
            for i in range(source.means.shape[1] if source.means.shape[0] > 0 else 0):
                target.means[at, i] = source.means[old[at], i]
        if node["proof"] > NO_PROOF:
            for p in range(source.proofs.shape[1]):
                target.proofs[proofs, p] = source.proofs[node["proof"], p]
            target.nodes[at]["proof"] = proofs
            proofs += 1
        target.nodes[at]["first_edge"], target.nodes[at]["flags"] = edges, node["flags"] & (ALL_FLAGS - GREW)
        for i in range(node["count"]):
            e = node["first_edge"] + i
            edge = source.edges[e]
            target.edges[edges] = edge
            for k in range(source.policy_columns.shape[1]):
                target.policy_columns[edges, k] = source.policy_columns[e, k]
            for k in range(source.backup_columns.shape[1]):
                target.backup_columns[edges, k] = source.backup_columns[e, k]
            if graph and source.rewards.shape[0] > 0:
                for p in range(source.rewards.shape[1]):
                    target.rewards[edges, p] = source.rewards[e, p]
            child = child_node(edge["child"])
            positions += edge["visits"] > 0 and (child == END or (child == NO_NODE and not graph))
            if child > END:
                if new[child] == 0:
                    old[nodes], new[child] = child, nodes
                    nodes += 1
                    positions += 1
                else:
                    target.counters[SAVED] += 1
                target.edges[edges]["child"] = new[child] if edge["child"] > 0 else -new[child]
            edges += 1
        at += 1
    target.counters[NODES], target.counters[EDGES], target.counters[PROOFS] = nodes, edges, proofs
    target.counters[POSITIONS] = positions  # in a graph, those seen once follow with the table
    if graph:
        join_all(target)
        for i in range(source.table.shape[0]):
            slot = source.table[i]
            if slot == 0:
                continue
            entry = entry_of(slot)
            e = -1 - entry
            number = entry if entry > 0 else np.int64(source.edge_links[e]["owner"])
            if new[number] > 0:
                here = e - source.nodes[number]["first_edge"] + target.nodes[new[number]]["first_edge"]
                kept = np.int64(new[number]) if entry > 0 else -1 - here
                put_slot(target.table, (slot & ~LOW) | (np.uint64(kept) & LOW))
                target.counters[POSITIONS] += entry < 0
