"""Step 3, evaluation: what the leaf is worth to each player, by playouts, by the game's static value, or by both."""

import numpy as np

from .arrays import copy, zero
from .jit import inlined
from .params import MIXED, ROLLOUTS, STATIC
from .rules import call_current_player, call_evaluate, call_playout
from .tree import PLAYOUT_ACTIONS

RUNAWAY = -3  # a playout that did not end within RUNAWAY_LIMIT actions
RUNAWAY_LIMIT = 1_000_000


@inlined
def evaluate(rules, params, tree, work):
    """Fill `work.returns` with the leaf's value for each player; returns 0, or a code below zero from a playout."""
    players = params.players
    zero(work.returns)
    if params.evaluator != ROLLOUTS:
        zero(work.values)
        call_evaluate(rules, work.state, work.values)
        if params.evaluator == STATIC:
            copy(work.returns, work.values)
            return 0
    limit = params.depth if params.depth > 0 else RUNAWAY_LIMIT
    if params.rollouts > 1:
        copy(work.spare, work.state)
    for i in range(params.rollouts):
        if i > 0:
            copy(work.state, work.spare)
        length = call_playout(
            rules, work.state, work.actions, work.weights, work.rewards, work.returns, tree.rng, work.trace, limit, params.discount
        )
        if length < 0:
            return length
        if length >= RUNAWAY_LIMIT:
            return RUNAWAY
        tree.counters[PLAYOUT_ACTIONS] += length
    if params.rollouts > 1:
        for p in range(players):
            work.returns[p] /= params.rollouts
    if params.evaluator == MIXED:
        for p in range(players):
            work.returns[p] = params.mix * work.returns[p] + (1.0 - params.mix) * work.values[p]
    return 0
