"""The tree: flat arrays of records, declared here and nowhere else.

A node is a position that a simulation has passed through; it owns a block of edges, one for each legal action. An edge
that was visited only once has no node yet: most positions are seen only once, and a record and a block for each would
cost too much memory.

The edges of a decision node are in this order: visited ones first, then the unvisited by falling prior. The edges of a
chance node keep the order of the rules; their prior is the outcome's probability.

Nodes 0 to 2 are fixed: no node, the end of the game (shared by all edges that end it), the root. A node's number is
larger than that of the node it was first reached from.

In a graph search (`core/graph.py`) several edges may lead to one node; its additional arrays are empty in a tree.
"""

from typing import Any, NamedTuple

import numpy as np

from .jit import inlined
from .pack import called, packed
from .plan import CANDIDATE, PLAN
from .rules import TERMINAL

NO_NODE, END, ROOT, NO_PROOF, END_PROOF = 0, 1, 2, 0, 1

NODE = np.dtype(
    [
        ("first_edge", np.int32),
        ("count", np.uint16),  # edges
        ("opened", np.uint16),  # visited edges, which come first; all edges at a chance node
        ("visits", np.int32),
        ("own", np.int32),  # visits that ended here instead of going on through an edge
        ("value", np.float64),  # mean return from here on, for the player who chooses here (player 0 at a chance node)
        ("proof", np.int32),  # row of `proofs` with the exact values; NO_PROOF
        ("player", np.int8),  # who chooses; CHANCE, TERMINAL
        ("flags", np.uint8),  # UNKNOWN, CHANGED, EXACT_EDGE, GREW
        ("parents", np.uint16),  # graph search: edges that lead here, up to MANY; with threads, the lock of a node
    ]
)
MANY = 65535
UNKNOWN = 1  # own visits are not in `value`: only the return of the player above was kept
CHANGED = 2  # graph search: the value differs from the one that the edges leading here were told
EXACT_EDGE = 4  # one player, who chooses here: an edge is proven, and visits to the others count for at least its value
GREW = 8  # the block has room for a power of two of edges (`core/grow.py`)
ALL_FLAGS = 255

EDGE = np.dtype(
    [
        ("action", np.int32),
        ("prior", np.float32),
        ("visits", np.int32),
        ("child", np.int32),  # the node below; NO_NODE: none yet; negative: proven, and -child is the node
        ("value", np.float64),  # mean return for the player who chooses at the node above; exact once proven
        ("spread", np.float64),  # sum of squared deviations from the mean (Welford)
    ]
)

NODE_LINK = np.dtype(
    [
        ("key", np.uint64),
        ("published", np.float64),  # what the edges leading here were last told, if CHANGED (with VECTORS: in `means`)
        ("first_in", np.int32),  # the edge through which the node was first reached; -1: none
        ("waiting", np.int32),  # the next node in the queue of proofs
        ("down", np.int32),  # the edge to take from here, while a node's position is replayed
        ("pad", np.int32),
    ]
)
EDGE_LINK = np.dtype(
    [
        ("owner", np.int32),  # the node that has the edge
        ("next_in", np.int32),  # the next edge that leads to the same node; -1: none
    ]
)

AMAF = np.dtype([("visits", np.int32), ("value", np.float32)])  # how many simulations took an action; their mean return

# counters: int64[COUNTERS], the sizes and statistics of the tree
NODES, EDGES, PROOFS, POSITIONS, SIMULATIONS, LEADER, LEADER_SINCE, DEPTH_SUM, DEPTH_MAX, PLAYOUT_ACTIONS = range(10)
# Graph search: how often a new edge led to a known position; how many edges were joined to a node that had one.
HITS, SAVED = 10, 11
REWARDED, COUNTERS = 12, 13  # REWARDED is 1: an action that does not end the game gave a reward
LEAST, GREATEST = 0, 1  # bounds: float64[2], the least and the greatest edge value seen, for normalising
BEST_RETURN, FOUND_BY, NO_LINE = 0, 1, (-np.inf, 0.0)  # best: float64[2], a line's return, the simulation that found it


@packed
class Tree(NamedTuple):
    """Everything a search remembers.

    `[N]` nodes, `[E]` edges, `[F]` proofs, `[P]` players, `[S]` bytes of a state, `[T]` places in the table.
    """

    nodes: Any  # [N] NODE
    edges: Any  # [E] EDGE
    proofs: Any  # [F, P] float64: the exact return from a node on, for each player
    states: Any  # [N, S] uint8, or [0, S] where states are replayed from the root
    rewards: Any  # [N, P] float64: of the action into the node; in a graph [E, P], by edge; or [0, P] likewise
    root: Any  # [S] uint8: the root's state
    counters: Any  # [COUNTERS] int64
    bounds: Any  # [2] float64
    best: Any  # [2] float64
    line: Any  # int32: the actions of the best complete line, from the root on (`core/found.py`)
    rng: Any  # [1] uint64
    # For a graph; of length 0 in a tree.
    node_links: Any  # [N] NODE_LINK
    edge_links: Any  # [E] EDGE_LINK
    means: Any  # [N, 2 P] float64: a node's value for each player, then as published; [0, 2 P] with SCALARS
    table: Any  # [T] uint64: every position of the graph by its key (`core/positions.py`); T is a power of two
    learned: Any  # float64: what playouts have learned (`core/learned.py`); of length 0 if they don't
    amaf: Any  # [R, P * codes] AMAF: tables of players' actions (`core/amaf.py`); [0, 0] if no policy asks for them
    amaf_rows: Any  # [N] int32: the row of a node in `amaf`, 0: none; of NO_NODE: the next row; [0] without `amaf`
    # What the policy and the backup keep (`core/columns.py`).
    policy: Any  # uint8: a record, the policy's settings and tables
    backup: Any  # uint8: the same for the backup
    policy_columns: Any  # [E, K] int64: what the policy keeps for each edge, in words of eight bytes; [E, 0]: nothing
    backup_columns: Any  # [E, K] int64: the same for the backup
    # For a root that halves; of length 0 otherwise.
    plan: Any  # [1] PLAN
    candidates: Any  # [A] CANDIDATE


NOT_BEGUN = 2**64 - 1
# info: int64[INFO], simulations that wait for a value (`core/pending.py`): leaves that wait, simulations in flight,
# simulations that met a waiting leaf, the first slot that may be free, the length of `fresh`, answers from the cache,
# answers from outside, edges that were opened but never visited. RULED: 1: the root's rule chose the first edge of the
# last simulation, 0: the policy did. REFERENCE: the depth whose tables of actions a policy is shown (`core/amaf.py`).
# With threads (`core/shared.py`), FLYING is the number of other threads: each has simulations under way. THREAD: this
# thread's number, from 1. Its blocks end at these nodes, edges and proofs. BASE, BATCH: the depth of the part of the
# tree that it has to itself, and the simulations made there whose returns the nodes above have not got yet. BY_RULE:
# the edge that the root's rule takes, or -1 where the policy is to choose.
WAITING, FLYING, SHADOWS, HINT, FRESH, CACHED, EVALUATED, UNCLOSED, RULED, REFERENCE = range(10)
THREAD, NODES_END, EDGES_END, PROOFS_END, BASE, BATCH, BY_RULE = range(10, 17)
INFO = 17
# shared: int64[SHARES], what threads share, each in cache lines of its own: the simulations left in the chunk; the
# next free node, edge and proof, and how many a thread takes at once; whose turn it is to prove, or to change a graph;
# whether all must stop; in a graph, leaves that wait in all threads; the visits from which on threads share a node; in
# a graph, how many simulations a thread makes in one turn; the address of a function that lets other threads run.
LEFT, NEXT_NODE, NEXT_EDGE, NEXT_PROOF, TURN, HALT, UNDER_WAY = range(0, 112, 16)
NODE_BLOCK, EDGE_BLOCK, PROOF_BLOCK, SHARED_FROM, TOGETHER, YIELD = range(112, 118)  # these don't change in a chunk
SHARES = 128


@packed
class Work(NamedTuple):
    """The scratch of one simulation. `[D]` depth, `[A]` actions, `[R]` rows: 1, or `[D]` in a step."""

    state: Any  # [S] uint8: the current position of the simulation
    spare: Any  # [S] uint8: a second position, for replaying
    actions: Any  # [A] int32
    weights: Any  # [A] float64: priors or probabilities
    path_nodes: Any  # [D] int32
    path_edges: Any  # [D] int32
    path_links: Any  # [D] int32: graph search: the known node that an edge turned out to lead to; NO_NODE
    path_rewards: Any  # [D * P] float64, flat
    rewards: Any  # [P] float64: scratch, zero between uses
    returns: Any  # [P] float64: the returns from the leaf on
    values: Any  # [P] float64: scratch
    trace: Any  # int32: the playouts' actions; of length 0 if they are not recorded
    line: Any  # int32: a best complete line that was just found; of length 0 if lines are not remembered
    played: Any  # int32: the players and codes of all actions (`core/played.py`); of length 0 if nothing reads them
    distinct: Any  # [2, P * codes] int32: the actions of a simulation, marked and listed; [2, 0] without `amaf`
    amaf: Any  # [A, 2] float64: for each edge of a node, the visits and the mean shown to the policy; or [0, 2]
    keyed: Any  # [S] uint8: 255 for each byte of the state that belongs to its key, else 0
    path_scales: Any  # [D] float64: open loop: the discount of the return after the step
    draws: Any  # int32: open loop: the next free index, then depth and outcome of each draw of chance
    indices: Any  # [A] int32: the index of each action in a policy from outside
    leaf: Any  # [2] uint64: graph search: the leaf's key and its place in the table
    scores: Any  # [R, A] float64: the scores of the edges at the last node; in a step, at each depth
    terms: Any  # [R, A, K] float64: the terms of the scores, in a step
    candidates: (
        Any  # [R, A, 2] int32: open loop: each legal action's edge, or -1 - its index if never taken; the action
    )
    pending: Any  # [E] int32: simulations in flight through each edge; [0] if there are never any
    # With threads; of length 0 otherwise.
    shared: Any  # [SHARES] int64
    part: Any  # [S] uint8: the position at the top of the part that this thread has to itself
    batch: Any  # [B, P] float64: the returns from there on, of the simulations made there
    info: Any  # [INFO] int64
    began: Any  # [1] uint64: the random generator's state at the start of the last evaluation, or NOT_BEGUN


NO_GRAPH, SCALARS, VECTORS = range(3)  # not a graph; a graph whose nodes have one value; one value per player


class PartData(NamedTuple):
    record: Any  # uint8: what a policy or backup keeps in a tree: its record at the start
    words: int  # for each edge


NOTHING = PartData(np.zeros(0, np.uint8), 0)
NO_TABLES, NO_AMAF = np.zeros(0), np.zeros((0, 0), AMAF)


def new_tree(
    state: Any,
    players: int,
    keep: bool,
    seed: int,
    graph: int = NO_GRAPH,
    nodes: int = 1024,
    edges: int = 4096,
    policy: PartData = NOTHING,
    backup: PartData = NOTHING,
    candidates: int = 0,
    learned: Any = NO_TABLES,
    amaf: Any = NO_AMAF,
) -> Tree:
    """An empty tree for a root state, with room for `candidates` if that halves. Untouched memory costs nothing."""
    tree = Tree(
        nodes=np.zeros(nodes, NODE),
        edges=np.zeros(edges, EDGE),
        proofs=np.zeros((1024, players)),
        states=np.zeros((nodes if keep else 0, len(state)), np.uint8),
        rewards=np.zeros(((edges if graph else nodes) if keep else 0, players)),
        root=state.copy(),
        counters=np.zeros(COUNTERS, np.int64),
        bounds=np.array([np.inf, -np.inf]),
        best=np.array(NO_LINE),
        line=np.zeros(0, np.int32),
        rng=np.array([seed], np.uint64),
        node_links=np.zeros(nodes if graph else 0, NODE_LINK),
        edge_links=np.zeros(edges if graph else 0, EDGE_LINK),
        means=np.zeros((nodes if graph == VECTORS else 0, 2 * players)),
        table=np.zeros(table_size(2 * nodes) if graph else 0, np.uint64),
        learned=learned,
        amaf=amaf,
        amaf_rows=np.zeros(nodes if len(amaf) else 0, np.int32),
        policy=policy.record.copy(),
        backup=backup.record.copy(),
        policy_columns=np.zeros((edges, policy.words), np.int64),
        backup_columns=np.zeros((edges, backup.words), np.int64),
        plan=np.zeros(min(1, candidates), PLAN),
        candidates=np.zeros(candidates, CANDIDATE),
    )
    tree.nodes[END]["player"], tree.nodes[END]["proof"] = TERMINAL, END_PROOF
    tree.counters[NODES], tree.counters[PROOFS], tree.counters[LEADER] = ROOT, END_PROOF + 1, -1
    tree.amaf_rows[: ROOT + 1] = (2, 0, 1) if len(amaf) else ()  # row 1 is the root's
    return tree


def table_size(positions: int) -> int:
    """The size of a table that holds `positions`: a power of two that leaves it at most half full."""
    return 1 << max(4, int(2 * positions - 1).bit_length())


def is_graph(tree: Tree) -> bool:
    """Whether several edges may lead to one node."""
    return len(tree.node_links) > 0


@inlined
def child_node(child):
    return -child if child < 0 else child  # negative: proven


def record_bytes(tree: Tree, nodes: int, edges: int, proofs: int) -> int:
    """The bytes of a tree with this many records, its tables and its parts' records included."""
    node, edge = record_sizes(tree)
    beside = tree.table.nbytes + tree.learned.nbytes + tree.policy.nbytes + tree.backup.nbytes
    beside += int(tree.amaf_rows[NO_NODE]) * tree.amaf[0].nbytes if len(tree.amaf) else 0
    return int(nodes * node + edges * edge + proofs * 8 * tree.proofs.shape[1] + beside)


def used_bytes(tree: Tree) -> int:
    """The bytes of the records that a tree uses."""
    return record_bytes(tree, *(int(tree.counters[i]) for i in (NODES, EDGES, PROOFS)))


NODE_BYTES, EDGE_BYTES, AMAF_BYTES, SLOT_BYTES = NODE.itemsize, EDGE.itemsize, AMAF.itemsize, 8
NODE_LINK_BYTES, EDGE_LINK_BYTES = NODE_LINK.itemsize, EDGE_LINK.itemsize


@called
def record_sizes(tree):
    """The bytes of one node and of one edge, with everything stored beside them."""
    players = tree.proofs.shape[1]
    graph, keep = tree.node_links.shape[0] > 0, tree.states.shape[0] > 0
    node, edge = np.int64(NODE_BYTES), np.int64(EDGE_BYTES)
    if graph:
        node, edge = node + NODE_LINK_BYTES, edge + EDGE_LINK_BYTES
    edge += 8 * (tree.policy_columns.shape[1] + tree.backup_columns.shape[1])
    if tree.means.shape[0] > 0:
        node += 16 * players
    node += 4 if tree.amaf_rows.shape[0] > 0 else 0
    if keep:
        node += tree.root.shape[0]
        if graph:
            edge += 8 * players
        else:
            node += 8 * players
    return node, edge
