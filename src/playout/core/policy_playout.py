"""A playout by a policy that nested search learns: softmax over the codes of the legal actions, biased by priors.

The policy has a factor for each code, e^w for the weight w of the literature, so that a playout needs no exponential
(`core/nrpa.py` updates it). An action is drawn with probability

    factor[code] * prior / sum of the same over the legal actions

where the prior is 1 for a game without `priors`; its logarithm is the bias of GNRPA (Cazenave 2020).

The playout records what the policy is later adapted by, in rows of flat arrays:

    taken[step]     the action
    ends[step]      the end of the step's entries, one for each legal action; a step with one legal action has none
    chosen[step]    the entry of the action taken; -1 without entries
    codes[entry]    the code of a legal action
    biases[entry]   its prior
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .evaluate import NO_ACTIONS, TOO_MANY_ACTIONS
from .rng import random_below, random_float
from .rules import TERMINAL

NO_ROOM = -5  # the record does not fit into its rows; what was played so far is in `taken`


def make_policy_playout(
    max_actions: int,
    current_player: Callable[..., Any],
    legal_actions: Callable[..., Any],
    apply: Callable[..., Any],
    priors: Callable[..., Any] | None,
    action_code: Callable[..., Any],
) -> Callable[..., Any]:
    """Make a game's playout by a learned policy, with its rules inlined. Without `priors`, `biases` is not written."""
    has_priors = priors is not None

    def policy_playout(
        state, actions, weights, rewards, returns, rng, factors, taken, ends, chosen, codes, biases, reached
    ):
        """Play to the end and add the rewards to `returns`; returns the number of actions, or a code below zero.

        `weights` and `rewards` are scratch, `rewards` zeroed. `reached[0]` is the number of actions played, however it
        ends.
        """
        length, entries = 0, 0
        while current_player(state) != TERMINAL:
            reached[0] = length
            count = legal_actions(state, actions)
            if count <= 0:
                return NO_ACTIONS
            if count > max_actions:
                return TOO_MANY_ACTIONS
            if length >= taken.shape[0] or entries + count > codes.shape[0]:
                return NO_ROOM
            at, entry = 0, -1
            if count > 1:
                if has_priors:
                    priors(state, actions, count, weights)
                total = 0.0
                for i in range(count):
                    code = action_code(state, np.int64(actions[i]))
                    weight = factors[code]
                    codes[entries + i] = code
                    if has_priors:
                        biases[entries + i] = weights[i]
                        weight *= weights[i]
                    total += weight
                    weights[i] = total
                if total > 0.0:
                    drawn = random_float(rng) * total
                    while at < count - 1 and weights[at] <= drawn:
                        at += 1
                else:
                    at = random_below(rng, count)
                entry = entries + at
                entries += count
            taken[length] = actions[at]
            chosen[length] = entry
            ends[length] = entries
            length += 1
            reached[0] = length
            apply(state, np.int64(taken[length - 1]), rewards)
            returns[0] += rewards[0]
            rewards[0] = 0.0
        reached[0] = length
        return length

    return policy_playout
