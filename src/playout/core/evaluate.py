"""Step 3, evaluation: what the leaf is worth to each player, by playouts, by the game's static value, or by both."""

from .arrays import copy, zero
from .jit import inlined
from .params import MIXED, ROLLOUTS, STATIC
from .rules import call_evaluate, call_playout
from .tree import PLAYOUT_ACTIONS

RUNAWAY = -3  # a playout that did not end within RUNAWAY_LIMIT actions
RUNAWAY_LIMIT = 1_000_000
END_OF_PLAYOUT = -(2**31)  # in a trace, which begins with the index of its first free place


@inlined
def end_trace(trace, length):
    """Close a playout in the trace with a mark; what did not fit is lost."""
    if trace.shape[0] > 0 and trace[0] + length < trace.shape[0]:
        trace[trace[0] + length] = END_OF_PLAYOUT
        trace[0] += length + 1


@inlined
def evaluate(rules, params, tree, work):
    """Fill `work.returns` with the leaf's value for each player; returns 0, or a code below zero from a playout."""
    players = params.players
    work.began[0] = tree.rng[0]
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
            rules,
            work.state,
            work.actions,
            work.weights,
            work.rewards,
            work.returns,
            tree.rng,
            work.trace,
            limit,
            params.discount,
        )
        if length < 0:
            return length
        if length >= RUNAWAY_LIMIT:
            return RUNAWAY
        tree.counters[PLAYOUT_ACTIONS] += length
        end_trace(work.trace, length)
    if params.rollouts > 1:
        for p in range(players):
            work.returns[p] /= params.rollouts
    if params.evaluator == MIXED:
        for p in range(players):
            work.returns[p] = params.mix * work.returns[p] + (1.0 - params.mix) * work.values[p]
    return 0
