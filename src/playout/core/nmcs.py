"""Nested Monte Carlo search (Cazenave 2009): the loop over its levels, without recursion, one playout at a time.

A level plays a game from its state to the end. For each step it tries every legal action, by a search of the level
below or, at level 1, by a playout; it remembers the best line that any of these found, and takes that line's action.

Playouts draw actions by the game's priors, uniformly without them: they are those of NRPA with a policy that never
learns (`core/policy_playout.py`). As there, kernels can be left after any playout.
"""

from typing import Any, NamedTuple

import numpy as np

from .arrays import copy
from .endings import BAD_PLAYOUT, BAD_VALUE, DONE, GROW
from .evaluate import NO_ACTIONS, TOO_MANY_ACTIONS
from .jit import inlined, njit
from .nest import BEST_AT, BEST_LENGTH, PLAYOUTS, RESTARTS, grown, is_possible
from .nrpa import REACHED
from .policy_playout import NO_ROOM
from .rules import TERMINAL, call_apply, call_current_player, call_legal_actions, call_policy_playout

# Counters of a run besides those of NRPA: the level that is at work, and the row of the path that the rules work on.
LEVEL, ROW = 6, 7
NMCS_COUNTERS = 8


class Plies(NamedTuple):
    """A run of nested Monte Carlo search: a row for each level, and row 0 for the playout."""

    root: Any  # uint8 [bytes of a state]
    rng: Any  # uint64 [1]
    counters: Any  # int64 [NMCS_COUNTERS]
    states: Any  # uint8 [levels + 1, bytes of a state]: where the level is
    totals: Any  # float64 [levels + 1]: the rewards on the way there
    paths: Any  # int32 [levels + 1, steps]: the actions that led there
    depths: Any  # int64 [levels + 1]: how many
    actions: Any  # int32 [levels + 1, room]: the legal actions there
    counts: Any  # int64 [levels + 1]: how many
    tried: Any  # int64 [levels + 1]: how many of them were tried
    lines: Any  # int32 [levels + 1, steps]: the best line of the level, from the root on
    lengths: Any  # int64 [levels + 1]
    values: Any  # float64 [levels + 1]: its return
    best: Any  # int32 [steps]: the best line of all
    best_value: Any  # float64 [1]
    factors: Any  # float64 [codes]: the policy, which stays 1
    taken: Any  # int32 [steps]: the playout, as are the following; see `core/policy_playout.py`
    ends: Any
    chosen: Any
    codes: Any  # int32 [entries]
    biases: Any  # float64 [entries]


def new_plies(root: Any, seed: int, levels: int, codes: int, room: int, steps: int, entries: int) -> Plies:
    """A run that has not begun."""
    rows = levels + 1
    plies = Plies(
        root=root.copy(),
        rng=np.array([seed], np.uint64),
        counters=np.zeros(NMCS_COUNTERS, np.int64),
        states=np.zeros((rows, len(root)), np.uint8),
        totals=np.zeros(rows),
        paths=np.zeros((rows, steps), np.int32),
        depths=np.zeros(rows, np.int64),
        actions=np.zeros((rows, room), np.int32),
        counts=np.zeros(rows, np.int64),
        tried=np.zeros(rows, np.int64),
        lines=np.zeros((rows, steps), np.int32),
        lengths=np.zeros(rows, np.int64),
        values=np.full(rows, -np.inf),
        best=np.zeros(steps, np.int32),
        best_value=np.full(1, -np.inf),
        factors=np.ones(codes),
        taken=np.zeros(steps, np.int32),
        ends=np.zeros(steps, np.int32),
        chosen=np.zeros(steps, np.int32),
        codes=np.zeros(entries, np.int32),
        biases=np.zeros(entries),
    )
    plies.counters[LEVEL] = levels
    plies.states[levels] = root
    return plies


def enlarged_plies(plies: Plies) -> Plies:
    """The same run with twice the room for lines and for the entries of a playout."""
    names = ("paths", "lines", "best", "taken", "ends", "chosen", "codes", "biases")
    return plies._replace(**{name: grown(getattr(plies, name)) for name in names})


@njit
def run_nmcs(rules, options, plies, work, playouts):
    """Up to `playouts` more: (status, detail). After GROW, the run goes on as soon as it has more room.

    A line that ends without a playout counts as one.
    """
    counters, tried, counts = plies.counters, plies.tried, plies.counts
    left = playouts
    while left > 0:
        level = counters[LEVEL]
        if plies.depths[level] + 1 >= plies.best.shape[0]:
            return GROW, 0
        if counts[level] == 0:
            status = list_actions(rules, plies, level, options)
            if status < 0:
                return BAD_PLAYOUT, status
            if counts[level] == 0:
                if plies.values[level] == -np.inf:  # its game was over when it began
                    left -= 1
                    if not take_path(options, plies, level):
                        return BAD_VALUE, 0
                hand_up(options, plies, level)
        elif tried[level] == counts[level]:
            take_action(rules, plies, work, level, level, plies.lines[level, plies.depths[level]])
            counts[level] = 0
        else:
            take_action(rules, plies, work, level, level - 1, plies.actions[level, tried[level]])
            if level > 1:
                plies.values[level - 1], counts[level - 1] = -np.inf, 0
                counters[LEVEL] = level - 1
            else:
                status = finish(rules, options, plies, work)
                if status == NO_ROOM:
                    return GROW, 0
                if status < 0:
                    return BAD_PLAYOUT, status
                if not is_possible(options, plies.values[0]):
                    return BAD_VALUE, 0
                left -= 1
                remember(plies, 0)
                offer(plies, 1)
            tried[level] += 1
        if plies.best_value[0] >= options.target:
            return REACHED, 0
    return DONE, 0


@inlined
def list_actions(rules, plies, level, options):
    """List the legal actions of a level's state, none at the end of the game; returns a code below zero if wrong."""
    plies.counters[ROW], plies.tried[level] = level, 0
    state = plies.states[level]
    if call_current_player(rules, state) == TERMINAL:
        plies.counts[level] = 0
        return 0
    count = call_legal_actions(rules, state, plies.actions[level])
    if count <= 0:
        return NO_ACTIONS
    if count > options.max_actions:
        return TOO_MANY_ACTIONS
    plies.counts[level] = count
    return 0


@inlined
def take_action(rules, plies, work, level, row, action):
    """Play an action at a level's state and put the position after it into a row, which may be the same."""
    depth = plies.depths[level]
    if row != level:
        for i in range(depth):
            plies.paths[row, i] = plies.paths[level, i]
        for i in range(plies.states.shape[1]):
            plies.states[row, i] = plies.states[level, i]
    plies.paths[row, depth], plies.depths[row] = action, depth + 1
    plies.counters[ROW] = row
    call_apply(rules, plies.states[row], np.int64(action), work.rewards, 0, 1)
    plies.totals[row] = plies.totals[level] + work.rewards[0]
    work.rewards[0] = 0.0


@inlined
def finish(rules, options, plies, work):
    """Play out from row 0; the whole line and its return go to row 0. Returns its length or a code below zero."""
    steps, depth, began = plies.best.shape[0], plies.depths[0], plies.rng[0]
    work.returns[0] = plies.totals[0]
    work.reached[0] = 0
    copy(work.state, plies.states[0])
    status = call_policy_playout(
        rules,
        work.state,
        work.actions,
        work.weights,
        work.rewards,
        work.returns,
        plies.rng,
        plies.factors,
        plies.taken,
        0,
        steps - depth,
        plies.ends,
        0,
        steps,
        plies.chosen,
        0,
        steps,
        plies.codes,
        0,
        plies.codes.shape[0],
        plies.biases,
        0,
        plies.biases.shape[0],
        work.reached,
    )
    if status < 0:
        plies.rng[0] = began
        return status
    for i in range(depth):
        plies.lines[0, i] = plies.paths[0, i]
    for i in range(status):
        plies.lines[0, depth + i] = plies.taken[i]
    plies.lengths[0], plies.values[0] = depth + status, work.returns[0]
    return status


@inlined
def take_path(options, plies, level):
    """Make the path of a level its line; returns whether its return is possible in the game."""
    for i in range(plies.depths[level]):
        plies.lines[level, i] = plies.paths[level, i]
    plies.lengths[level], plies.values[level] = plies.depths[level], plies.totals[level]
    if not is_possible(options, plies.values[level]):
        return False
    remember(plies, level)
    return True


@inlined
def remember(plies, row):
    """Count a line, and keep it if it is the best of all."""
    counters = plies.counters
    counters[PLAYOUTS] += 1
    if plies.values[row] > plies.best_value[0]:
        for i in range(plies.lengths[row]):
            plies.best[i] = plies.lines[row, i]
        plies.best_value[0] = plies.values[row]
        counters[BEST_LENGTH], counters[BEST_AT] = plies.lengths[row], counters[PLAYOUTS]


@inlined
def offer(plies, level):
    """Make the line of the row below the best one of a level, if it is better."""
    below = level - 1
    if plies.values[below] > plies.values[level]:
        for i in range(plies.lengths[below]):
            plies.lines[level, i] = plies.lines[below, i]
        plies.values[level], plies.lengths[level] = plies.values[below], plies.lengths[below]


@inlined
def hand_up(options, plies, level):
    """A level has come to the end of its game: hand its best line up; the top level begins again."""
    if level < options.levels:
        offer(plies, level + 1)
        plies.counters[LEVEL] = level + 1
        return
    plies.counters[RESTARTS] += 1
    plies.values[level], plies.depths[level], plies.totals[level] = -np.inf, 0, 0.0
    copy(plies.states[level], plies.root)
