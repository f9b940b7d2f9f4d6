"""Step 1, selection: the way down to a leaf, in a tree, a graph or an open loop, also with other simulations in flight.

The loop over the nodes is made around the policy's choice (`core/choose.py`), and kernels call it by address.
`topology` and `waiting` are constants wherever a kernel calls these functions, so the branches for other values are not
even compiled (`core/jit.py`).
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .amaf import show_amaf
from .arrays import copy, load_row
from .choose import NO_NUMBER
from .draws import OF_ALL
from .edges import to_the_front
from .endings import BAD_SCORE, CYCLE, DEEPER, DONE, FINISHED, GROW, IN_FLIGHT, NEW, PROVEN, ROOT_ITSELF, UNEXPANDED
from .expand import add_node, find_edges
from .graph import find_known, flying_through, is_on_path, waits_for_value
from .jit import inlined
from .openloop import arrive_open
from .params import BATCHED, GRAPH, OPEN, PLAIN, SHARED
from .part_calls import call_descend
from .played import begin_record, record_edge
from .rng import random_float
from .root import edge_at_root
from .rules import CHANCE, TERMINAL, call_apply, call_current_player
from .tree import BY_RULE, EDGES, END, FLYING, NO_NODE, NODES, REFERENCE, ROOT, WAITING
from .widen import allowed_outcomes, drawn_outcome, widen


@inlined
def sample_outcome(params, tree, node):
    """Draw an outcome of a chance node by its probability.

    If outcomes are limited, at most min(cap, initial + k N^alpha) different ones are admitted, in the order in which
    they are drawn. While the node is full, one of the admitted is drawn, by their probabilities.
    """
    first, count = np.int64(node["first_edge"]), np.int64(node["count"])
    if not params.few_outcomes:
        return draw_outcome(tree, first, count, 1.0)
    opened = np.int64(node["opened"])
    if opened >= allowed_outcomes(params, node, count):
        total = 0.0
        for e in range(first, first + opened):
            total += tree.edges[e]["prior"]
        return draw_outcome(tree, first, opened, total)
    e = draw_outcome(tree, first, count, 1.0)
    return e if e < first + opened else to_the_front(tree, node, e)


@inlined
def draw_outcome(tree, first, count, total):
    """Draw one of `count` edges by their probabilities, which sum to `total`."""
    rest = random_float(tree.rng) * total
    last = first
    for e in range(first, first + count):
        prior = tree.edges[e]["prior"]
        if prior > 0.0:
            last = e
            rest -= prior
            if rest < 0.0:
                return e
    return last


@inlined
def take_edge(rules, params, tree, work, topology, number, e, depth):
    """Take one edge: add it to the path, with the rewards of the step, and update the state."""
    players = params.players
    work.path_nodes[depth] = number
    work.path_edges[depth] = e
    row = depth * players
    if params.codes > 0:
        record_edge(rules, params, tree, work, number, e, depth)
    child = np.int64(tree.edges[e]["child"])
    if params.keep_states:
        if child > END:  # its state is stored
            at = e if topology == GRAPH else child
            for p in range(players):
                work.path_rewards[row + p] = tree.rewards[at, p]
            return
        load_row(work.state, tree.states, number)
    # The first two by hand: LLVM would make a vector loop, for rows of two a fifth of the simulation's time.
    work.path_rewards[row] = 0.0
    if players > 1:
        work.path_rewards[row + 1] = 0.0
    for p in range(2, players):
        work.path_rewards[row + p] = 0.0
    call_apply(rules, work.state, tree.edges[e]["action"], work.path_rewards, row, players)


@inlined
def arrive(rules, params, tree, work, topology, waiting, e, depth):
    """Where the edge just taken leads: (DONE, the next node, …), or (an ending, NO_NODE, the player to move)."""
    if topology == OPEN:
        return arrive_open(rules, params, tree, work, e, depth)
    child = np.int64(tree.edges[e]["child"])
    if topology == GRAPH:
        work.path_links[depth - 1] = NO_NODE
    if child > END:
        return DONE, child, np.int64(0)
    if child < 0:
        return PROVEN, NO_NODE, TERMINAL
    if child == END:
        return FINISHED, NO_NODE, TERMINAL
    player = call_current_player(rules, work.state)
    if player == TERMINAL:
        return FINISHED, NO_NODE, player
    if topology == GRAPH:
        return find_known(rules, params, tree, work, waiting, e, depth, player)
    if waiting == BATCHED:
        if player == CHANCE:
            return add_chance_node(rules, params, tree, work, e, depth)
        return NEW, NO_NODE, player
    return (UNEXPANDED if tree.edges[e]["visits"] > 0 or params.expand_first else NEW), NO_NODE, player


@inlined
def add_chance_node(rules, params, tree, work, e, depth):
    """Make a node of a chance position, which needs no value from outside; the simulation goes on."""
    ahead = work.info[WAITING] + 2
    if (
        tree.counters[EDGES] + ahead * params.most_added > tree.edges.shape[0]
        or tree.counters[NODES] + ahead > tree.nodes.shape[0]
    ):
        return GROW, NO_NODE, np.int64(0)
    status, count = find_edges(rules, params, work, CHANCE)
    if status != DONE:
        return status, NO_NODE, np.int64(count)
    child = add_node(params, tree, work, CHANCE, count)
    keep_rewards(params, tree, work, child, depth)
    tree.edges[e]["child"] = child
    return DONE, np.int64(child), np.int64(CHANCE)


@inlined
def keep_rewards(params, tree, work, number, depth):
    """Store the rewards of the step into a new node, if states are kept."""
    if params.keep_states:
        for p in range(params.players):
            tree.rewards[number, p] = work.path_rewards[(depth - 1) * params.players + p]


def make_descend(
    choose: Callable[..., Any], topology: int, waiting: int, amaf: bool, draws: bool = False
) -> Callable[..., Any]:
    """Make the way down around a policy's choice; `amaf`: the policy reads statistics of actions; `draws`: the game's
    actions are drawn.

    Where threads share a node, the way goes on with the next one only under their rules (`core/shared.py`): there it is
    the choice alone.
    """

    @inlined
    def select_edge(rules, params, tree, work, number, depth, extra):
        """The edge that a simulation takes from a node: the policy's choice, or a draw at a chance node.

        `extra` is the number of simulations in flight through the node; in an open loop, of actions that are legal now.
        NO_NUMBER if the policy gave a score that is not a number.
        """
        if topology != OPEN:
            node = tree.nodes[number]
            if draws and node["player"] == CHANCE and params.draws == OF_ALL:
                return np.int64(drawn_outcome(params, tree, work, number))
            if node["player"] == CHANCE:
                return np.int64(sample_outcome(params, tree, node))
            if draws:
                widen(params, tree, work, number)
            if amaf:
                show_amaf(rules, params, tree, work, number, depth)
        return choose(params, tree, work, number, depth, extra)

    def choose_shared(rules, params, tree, work, number, depth, extra):
        """`select_edge` at a node that threads share."""
        return select_edge(rules, params, tree, work, number, depth, extra)

    def descend(rules, params, tree, work, number, depth, player, flying):
        """From a node on, choose and take edges until one leads to no node; the result is that of `select`.

        The root's rule may have chosen the root's edge (`core/root.py`).
        """
        highest = number
        while True:
            extra, e = flying, np.int64(-1)
            if topology == OPEN:
                status, extra = find_edges(rules, params, work, player)
                if status != DONE:
                    return status, depth + 1, np.int64(extra)
            if params.root != PLAIN and number == ROOT:
                e = np.int64(work.info[BY_RULE])
            if e < 0:
                e = select_edge(rules, params, tree, work, number, depth, extra)
                if e == NO_NUMBER:
                    return np.int64(BAD_SCORE), depth + 1, depth
            take_edge(rules, params, tree, work, topology, number, e, depth)
            depth += 1
            ending, child, player = arrive(rules, params, tree, work, topology, waiting, e, depth)
            if child == NO_NODE:
                return np.int64(ending), depth, np.int64(player)
            if topology == GRAPH:
                if child > highest:  # newer than all nodes on the path, so not one of them
                    highest = child
                elif is_on_path(work, child, depth):
                    if waiting and waits_for_value(tree, work, child):
                        return np.int64(IN_FLIGHT), depth, np.int64(0)
                    return np.int64(CYCLE), depth, np.int64(TERMINAL)
            if waiting and topology == GRAPH:  # also those that came through other edges
                flying = flying_through(tree, work, child)
            elif waiting:  # with none in flight through the node above, there is none here
                flying = np.int64(work.pending[work.path_edges[depth - 1]]) if flying > 0 else np.int64(0)
            if depth + 2 >= work.path_nodes.shape[0]:
                return np.int64(DEEPER), depth, np.int64(0)
            number = child

    return choose_shared if waiting == SHARED else descend


@inlined
def select(rules, params, tree, work, topology, waiting, top, base):
    """Go from a node to a leaf: (an ending, its depth, the player to move), or (a status, the depth, its detail).

    The node `top` is the root, or the one at depth `base` of the path, whose position is `work.part`.
    """
    player, flying = np.int64(tree.nodes[top]["player"]), np.int64(0)
    if waiting and topology == GRAPH:
        flying = flying_through(tree, work, top)
    elif waiting:
        flying = np.int64(work.info[FLYING])
    if not params.keep_states:
        if base > 0:
            copy(work.state, work.part)
        else:
            copy(work.state, tree.root)
    if topology == OPEN:
        work.draws[0] = 1
    begin_record(params, work, base)
    work.info[REFERENCE] = 0
    if base == 0 and params.evaluate_root and tree.nodes[ROOT]["visits"] == 0:
        if params.keep_states:
            copy(work.state, tree.root)
        return np.int64(ROOT_ITSELF), np.int64(0), player
    if base == 0 and params.root != PLAIN:
        work.info[BY_RULE] = edge_at_root(params, tree, work)
    if base + 2 >= work.path_nodes.shape[0]:
        return np.int64(DEEPER), np.int64(base), np.int64(0)
    return call_descend(rules, params, tree, work, top, base, player, flying)
