"""Nested rollout policy adaptation (Rosin 2011): the loop over its levels, without recursion, one playout at a time.

Level 0 is a playout by the current policy (`core/policy_playout.py`). A level above it repeats: run the level below,
keep its line if it is at least as good as the best one of this level, and adapt the policy to that best line. When a
level begins it takes over the policy of the level above, and when it ends its changes are dropped.

So there is one policy, and a journal of what each level changed first: to leave a level costs as much as it changed,
whatever the size of the policy. A line is handed up by exchanging two slots, without copying it.

Kernels can be left after any playout: all that a run knows is in the arrays of a `Nest`.
"""

import math

import numpy as np

from .arrays import copy
from .endings import BAD_PLAYOUT, BAD_VALUE, DONE, GROW
from .jit import inlined, njit
from .nest import (
    BEST_AT,
    BEST_LENGTH,
    ENTRIES,
    EPOCH,
    LEAST_FACTOR,
    MOST_FACTOR,
    PLAYOUTS,
    RESTARTS,
    is_possible,
)
from .policy_playout import NO_ROOM
from .rules import call_policy_playout

REACHED = 32  # a run returned because a line is worth the target
FOR_JOURNAL = 1  # the detail of GROW: the journal is too short, not the lines


@njit
def run_nrpa(rules, options, nest, work, playouts):
    """Up to `playouts` more: (status, detail). After GROW, the run goes on as soon as it has more room."""
    levels, slots = options.levels, nest.slots.shape[0]
    steps, entries = nest.taken.shape[0] // slots, nest.codes.shape[0] // slots
    counters = nest.counters
    for _ in range(playouts):
        if counters[ENTRIES] + entries > nest.noted.shape[0]:
            return GROW, FOR_JOURNAL
        status = play(rules, options, nest, work, steps, entries)
        if status == NO_ROOM:
            return GROW, 0
        if status < 0:
            return BAD_PLAYOUT, status
        value = work.returns[0]
        if not is_possible(options, value):
            return BAD_VALUE, 0
        counters[PLAYOUTS] += 1
        if value > nest.best_value[0]:
            keep_best(nest, steps, status, value)
        level = climb(options, nest, steps, entries)
        for below in range(1, level):
            enter(nest, below)
        if value >= options.target:
            return REACHED, 0
    return DONE, levels


@inlined
def play(rules, options, nest, work, steps, entries):
    """Level 0: a playout from the root into its slot. If it is cut short, its random numbers are drawn again."""
    slot, began = nest.slots[0], nest.rng[0]
    line, listed = slot * steps, slot * entries
    copy(work.state, nest.root)
    work.returns[0] = 0.0
    status = call_policy_playout(
        rules,
        work.state,
        work.actions,
        work.weights,
        work.rewards,
        work.returns,
        nest.rng,
        nest.factors,
        nest.taken,
        line,
        steps,
        nest.ends,
        line,
        steps,
        nest.chosen,
        line,
        steps,
        nest.codes,
        listed,
        entries,
        nest.biases,
        listed if options.has_priors else 0,
        entries if options.has_priors else 1,
        work.reached,
    )
    if status < 0:
        nest.rng[0] = began
        return status
    nest.values[slot], nest.lengths[slot] = work.returns[0], status
    return status


@inlined
def keep_best(nest, steps, length, value):
    """Keep the last playout as the best line of all."""
    first = nest.slots[0] * steps
    for i in range(length):
        nest.best[i] = nest.taken[first + i]
    nest.best_value[0] = value
    nest.counters[BEST_LENGTH], nest.counters[BEST_AT] = length, nest.counters[PLAYOUTS]


@inlined
def climb(options, nest, steps, entries):
    """Hand the last line up, level by level, as far as levels end with it; returns the one that goes on."""
    level = 1
    while level <= options.levels:
        take_line(nest, level, steps)
        nest.done[level] += 1
        rounds = options.playouts if level == 1 else 1
        is_over = nest.done[level] >= options.iterations * rounds
        if options.repetitions > 0 and nest.repeats[level] >= options.repetitions:
            is_over = True
        if not is_over:
            if nest.done[level] % rounds == 0:
                adapt(nest, level, options.alpha, options.has_priors, steps, entries)
            return level
        leave(nest, level)
        level += 1
    nest.counters[RESTARTS] += 1
    enter(nest, options.levels)
    return options.levels


@inlined
def take_line(nest, level, steps):
    """Make the line of the level below the best one of this level, unless that is better."""
    ours, theirs = nest.slots[level], nest.slots[level - 1]
    if nest.values[theirs] < nest.values[ours]:
        return
    same = nest.values[theirs] == nest.values[ours] and nest.lengths[theirs] == nest.lengths[ours]
    i = 0
    while same and i < nest.lengths[ours]:
        same = nest.taken[ours * steps + i] == nest.taken[theirs * steps + i]
        i += 1
    if same:
        nest.repeats[level] += 1
        return
    nest.repeats[level] = 0
    nest.slots[level], nest.slots[level - 1] = theirs, ours


@inlined
def enter(nest, level):
    """Begin a level: no iterations, no line, no changes to the policy."""
    nest.done[level], nest.repeats[level] = 0, 0
    nest.values[nest.slots[level]], nest.lengths[nest.slots[level]] = -np.inf, 0
    nest.counters[EPOCH] += 1
    nest.epochs[level] = nest.counters[EPOCH]
    nest.marks[level] = nest.counters[ENTRIES]


@inlined
def leave(nest, level):
    """End a level: undo its changes to the policy."""
    at, first = nest.counters[ENTRIES], nest.marks[level]
    while at > first:
        at -= 1
        code = nest.noted[at]
        nest.factors[code], nest.changed[code] = nest.before[at], nest.epoch_before[at]
    nest.counters[ENTRIES] = first


@inlined
def adapt(nest, level, alpha, has_priors, steps, entries):
    """Raise the weights of the actions of a level's best line, and lower those of the legal actions beside them.

    For each step, the weight of the action taken gets alpha, and that of each legal action loses alpha times its
    probability, all of these by the policy before the change. The factor of a code is multiplied by e to the sum.
    """
    slot = nest.slots[level]
    codes, biases, factors, deltas = nest.codes, nest.biases, nest.factors, nest.deltas
    base, first, touched = slot * entries, 0, 0
    for step in range(nest.lengths[slot]):
        end = np.int64(nest.ends[slot * steps + step])
        total = 0.0
        for i in range(base + first, base + end):
            weight = factors[codes[i]]
            if has_priors:
                weight *= biases[i]
            total += weight
        if total > 0.0:
            taken, share = base + nest.chosen[slot * steps + step], -alpha / total
            for i in range(base + first, base + end):
                code = codes[i]
                change = factors[code] * share
                if has_priors:
                    change *= biases[i]
                if i == taken:
                    change += alpha
                if deltas[code] == 0.0:
                    nest.touched[touched] = code
                    touched += 1
                deltas[code] += change
        first = end
    for i in range(touched):
        code = nest.touched[i]
        change_factor(nest, level, code, deltas[code])
        deltas[code] = 0.0


@inlined
def change_factor(nest, level, code, change):
    """Add to the weight of a code, and note its factor if this level has not changed it before."""
    if nest.changed[code] != nest.epochs[level]:
        at = nest.counters[ENTRIES]
        nest.noted[at], nest.before[at], nest.epoch_before[at] = code, nest.factors[code], nest.changed[code]
        nest.counters[ENTRIES] = at + 1
        nest.changed[code] = nest.epochs[level]
    nest.factors[code] = min(MOST_FACTOR, max(LEAST_FACTOR, nest.factors[code] * math.exp(change)))
