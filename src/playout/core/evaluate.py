"""Step 3, evaluation: what the leaf is worth to each player, by playouts, by the game's static value, or by both."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .arrays import copy, zero
from .draws import drawn_number
from .found import note_playout
from .jit import inlined, njit
from .learned import mean_of, share_from
from .params import MIXED, ROLLOUTS, STATIC
from .played import NOTHING, end_record, last_code
from .rng import index_from, random_below, random_bits, sample
from .rules import CHANCE, TERMINAL, call_evaluate, call_playout, call_recorded_playout
from .tree import PLAYOUT_ACTIONS

# What a playout returns when the rules break the contract; otherwise the number of actions played.
NO_ACTIONS = -1  # the game is not over, but there is no legal action
TOO_MANY_ACTIONS = -2  # more than `max_actions`
RUNAWAY = -3  # the playout did not end within RUNAWAY_LIMIT actions
BAD_ACTION = -4  # `playout_action` or `chance_action` gave an illegal action, the last one in the trace

RUNAWAY_LIMIT = 1_000_000
ROOM_FOR_ALL = RUNAWAY_LIMIT + 2  # of a trace that any playout fits into
END_OF_PLAYOUT = -(2**31)  # marks the end of a playout in a trace
OUTCOMES_SHIFT = np.uint64(60)  # so that one in 16 outcomes of `chance_action` is checked against `chance_outcomes`


@inlined
def evaluate(rules, params, tree, work, depth):
    """Fill `work.returns` with the leaf's value for each player. Returns 0, or a playout's code below zero.

    `depth` is that of the leaf. If the static value is part of it or needed beside it, `work.values` has that.
    """
    players = params.players
    work.began[0] = tree.rng[0]
    zero(work.returns)
    if params.evaluator != ROLLOUTS or params.static_too:
        zero(work.values)
        call_evaluate(rules, work.state, work.values)
        if params.evaluator == STATIC:
            copy(work.returns, work.values)
            return 0
    limit = params.depth if params.depth > 0 else RUNAWAY_LIMIT
    before = last_code(params, work) if params.learns > 0 else np.int64(NOTHING)
    begin_trace(work.trace)
    if params.rollouts > 1:
        copy(work.spare, work.state)
    for i in range(params.rollouts):
        if i > 0:
            copy(work.state, work.spare)
            if work.trace.shape[0] > ROOM_FOR_ALL and work.trace[0] + RUNAWAY_LIMIT > work.trace.shape[0]:
                begin_trace(work.trace)
        before_it = work.returns[0]
        length = play_out(rules, params, tree, work, limit, before)
        if length < 0:
            return length
        if length >= RUNAWAY_LIMIT:
            return RUNAWAY
        tree.counters[PLAYOUT_ACTIONS] += length
        note_playout(rules, params, tree, work, depth, work.returns[0] - before_it, length, limit)
        end_trace(work.trace, length)
    if params.rollouts > 1:
        for p in range(players):
            work.returns[p] /= params.rollouts
    if params.evaluator == MIXED:
        for p in range(players):
            work.returns[p] = params.mix * work.returns[p] + (1.0 - params.mix) * work.values[p]
    return 0


@inlined
def play_out(rules, params, tree, work, limit, before):
    """Play from `work.state` on, at most `limit` actions: their number, or a code below zero.

    `before` is the code of the action that led there, for playouts that learn.
    """
    state, actions, weights, rewards, returns = work.state, work.actions, work.weights, work.rewards, work.returns
    rng, trace, discount = tree.rng, work.trace, params.discount
    if params.codes == 0:
        return call_playout(rules, state, actions, weights, rewards, returns, rng, trace, limit, discount)
    length = call_recorded_playout(
        rules,
        state,
        actions,
        weights,
        rewards,
        returns,
        rng,
        trace,
        limit,
        discount,
        work.played,
        tree.learned,
        before,
        params.led,
        params.epsilon,
    )
    end_record(work.played)
    return length


@inlined
def begin_trace(trace):
    """Write the next playout to the beginning of the trace."""
    if trace.shape[0] > 0:
        trace[0] = 1


@inlined
def end_trace(trace, length):
    """Mark the end of a playout in the trace, whose first entry is its next free index. What did not fit is lost."""
    if trace.shape[0] > 0 and trace[0] + length < trace.shape[0]:
        trace[trace[0] + length] = END_OF_PLAYOUT
        trace[0] += length + 1


def make_playout(
    players: int,
    max_actions: int,
    codes: int,
    learns: bool,
    pair_bits: int,
    checked: bool,
    current_player: Callable[..., Any],
    legal_actions: Callable[..., Any],
    apply: Callable[..., Any],
    chance_outcomes: Callable[..., Any] | None,
    chance_action: Callable[..., Any] | None,
    playout_action: Callable[..., Any] | None,
    priors: Callable[..., Any] | None,
    evaluate: Callable[..., Any] | None,
    action_code: Callable[..., Any] | None,
    draws: bool = False,
    lists: bool = True,
) -> Callable[..., Any]:
    """Make a game's playout, with its rules inlined. Optional rules that the game lacks add no machine code.

    With `action_code` it records what the players do (`core/played.py`), otherwise the last argument is left out. With
    `checked`, every action from `playout_action` and one in 16 outcomes from `chance_action` are verified. With
    `draws`, actions are drawn (`core/draws.py`); if the game `lists` some as well, a drawn one is as likely as each.
    """
    has_chance, has_evaluate = chance_outcomes is not None, evaluate is not None
    draws_itself = chance_action is not None
    checks_outcomes = checked and has_chance
    records = action_code is not None
    own_policy, by_priors = playout_action is not None, playout_action is None and priors is not None

    single = players * codes

    def playout(
        state,
        actions,
        weights,
        rewards,
        returns,
        rng,
        trace,
        limit,
        discount,
        played=None,
        learned=None,
        before=NOTHING,
        led=0,
        epsilon=0.0,
    ):
        """Play to the end or for `limit` actions and add the discounted rewards to `returns`.

        `weights` and `rewards` are scratch, `rewards` zeroed. If `trace` has room, the actions are written from index
        `trace[0]` on. When the limit cuts a playout off, the game's static value stands for the rest, if it has one.
        Returns the number of actions, or a code below zero.
        """
        scale = 1.0
        length = 0
        fits = True
        room = trace.shape[0] - trace[0] if trace.shape[0] > 0 else 0
        recorded = played[0] if records else 0
        entry = np.int64(0)
        player = current_player(state)
        while player != TERMINAL:
            if length >= limit:
                if has_evaluate:
                    evaluate(state, rewards)
                    for p in range(players):
                        returns[p] += scale * rewards[p]
                        rewards[p] = 0.0
                break
            if draws_itself and player == CHANCE:
                action = np.int64(chance_action(state, rng))
                if checks_outcomes and rng[0] >> OUTCOMES_SHIFT == 0:
                    fits = is_possible(actions, weights, chance_outcomes(state, actions, weights), action)
            elif has_chance and player == CHANCE:
                count = chance_outcomes(state, actions, weights)
                if count <= 0:
                    return NO_ACTIONS
                if count > max_actions:
                    return TOO_MANY_ACTIONS
                action = np.int64(actions[sample(rng, weights, count)])
            elif draws:
                count, at = 0, 0
                if lists and player != CHANCE:
                    count = legal_actions(state, actions)
                    if count < 0:
                        return NO_ACTIONS
                    if count > max_actions:
                        return TOO_MANY_ACTIONS
                    at = random_below(rng, count + 1)
                action = np.int64(actions[at]) if at < count else np.int64(drawn_number(rng))
            else:
                count = legal_actions(state, actions)
                if count <= 0:
                    return NO_ACTIONS
                if count > max_actions:
                    return TOO_MANY_ACTIONS
                if own_policy:
                    action = np.int64(playout_action(state, actions, count, rng))
                    if checked:
                        fits = is_listed(actions, count, action)
                elif by_priors:
                    priors(state, actions, count, weights)
                    action = np.int64(actions[sample(rng, weights, count)])
                elif learns:
                    bits = random_bits(rng)
                    action = np.int64(actions[index_from(bits, count)])
                    first = np.int64(player) * codes  # of the player's entries
                    entry = first + action_code(state, action)
                    if length < led and share_from(bits) >= epsilon:
                        best = mean_of(learned, entry, before, single, pair_bits)
                        for i in range(count):
                            other = np.int64(actions[i])
                            its_entry = first + action_code(state, other)
                            mean = mean_of(learned, its_entry, before, single, pair_bits)
                            if mean > best:
                                best, entry, action = mean, its_entry, other
                    before = entry - first
                else:
                    action = np.int64(actions[random_below(rng, count)])
            if length < room:
                trace[trace[0] + length] = action
            if not fits:
                return BAD_ACTION
            if records and player >= 0 and recorded < played.shape[0]:
                played[recorded] = entry if learns else np.int64(player) * codes + action_code(state, action)
                recorded += 1
            apply(state, action, rewards)
            for p in range(players):
                if rewards[p] != 0.0:
                    returns[p] += scale * rewards[p]
                    rewards[p] = 0.0
            scale *= discount
            length += 1
            player = current_player(state)
        if records:
            played[0] = recorded
        return length

    return playout


@njit
def is_listed(actions, count, action):
    for i in range(count):
        if actions[i] == action:
            return True
    return False


@njit
def is_possible(actions, weights, count, outcome):
    for i in range(min(count, weights.shape[0])):
        if actions[i] == outcome and weights[i] > 0.0:
            return True
    return False
