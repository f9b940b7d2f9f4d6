"""Rules as kernels call them: with their answers checked where the rule is a user's own, and arguments that fit."""

from collections.abc import Callable
from typing import Any

import numpy as np

from .evaluate import is_listed
from .jit import njit

UNDECLARED_CODES = 4096  # entries in tables by action code where a game does not say how many codes it has
MOST_COMPARED = 64  # actions that are not in rising order: longer lists are not searched for duplicates


class WrongAnswerError(Exception):
    """A rule gave an answer that no search can use; the text names the rule and says what is wrong."""


def make_checked_actions(legal_actions: Callable[..., Any], max_actions: int) -> Callable[..., Any]:
    """`legal_actions`, checked to list no action twice. Its callers check the number of actions."""

    def checked_actions(state, actions):
        count = legal_actions(state, actions)
        if count <= max_actions and lists_twice(actions, count):
            raise WrongAnswerError("legal_actions lists an action more than once")
        return count

    return checked_actions


def make_checked_outcomes(chance_outcomes: Callable[..., Any], max_actions: int) -> Callable[..., Any]:
    """`chance_outcomes`, checked to list no outcome twice. A probability that it does not write is not a number.

    Its callers check the number of outcomes and the probabilities.
    """

    def checked_outcomes(state, actions, probabilities):
        for i in range(min(max_actions, probabilities.shape[0])):
            probabilities[i] = np.nan
        count = chance_outcomes(state, actions, probabilities)
        if count <= max_actions and lists_twice(actions, count):
            raise WrongAnswerError("chance_outcomes lists an outcome more than once")
        return count

    return checked_outcomes


@njit
def lists_twice(actions, count):
    """Whether an action is listed more than once; long lists that are not in rising order are not searched."""
    rising = True
    for i in range(1, count):
        rising &= actions[i] > actions[i - 1]
    if not rising and count <= MOST_COMPARED:
        for i in range(1, count):
            if is_listed(actions, i, actions[i]):
                return True
    return False


def make_checked_priors(priors: Callable[..., Any], max_actions: int) -> Callable[..., Any]:
    """`priors`, checked to write a valid weight for every action, and not to change the actions."""

    def checked_priors(state, actions, count, out):
        for i in range(count):
            out[i] = np.nan
        before = checksum(actions, count)
        priors(state, actions, count, out)
        if checksum(actions, count) != before:
            raise WrongAnswerError("priors changes `actions`")
        total, fit = 0.0, True
        for i in range(count):
            fit &= out[i] >= 0.0
            total += out[i]
        if not (fit and total < np.inf):
            raise WrongAnswerError("priors gives weights that are below zero or not finite")

    return checked_priors


def make_checked_playout_action(playout_action: Callable[..., Any], max_actions: int) -> Callable[..., Any]:
    """`playout_action`, checked not to change the actions. Playouts check that it returns one of them."""

    def checked_playout_action(state, actions, count, rng):
        before = checksum(actions, count)
        action = playout_action(state, actions, count, rng)
        if checksum(actions, count) != before:
            raise WrongAnswerError("playout_action changes `actions`")
        return action

    return checked_playout_action


@njit
def checksum(actions, count):
    """A number that changes with any single action, and with their order."""
    total = np.int64(count)
    for i in range(count):
        total = total * 31 + actions[i]
    return total


CHECKS = {
    "legal_actions": make_checked_actions,
    "chance_outcomes": make_checked_outcomes,
    "priors": make_checked_priors,
    "playout_action": make_checked_playout_action,
}


def make_code(action_code: Callable[..., Any] | None, declared: int, checked: bool) -> Callable[..., Any]:
    """A game's `action_code` as kernels call it; without one, the code is the action's number.

    Codes are 0 to `declared` - 1, which is checked; if their number is not `declared`, they are the lowest bits.
    """
    has_rule, checked = action_code is not None, checked and declared > 0

    def code_of(state, action):
        code = np.int64(action_code(state, action)) if has_rule else np.int64(action)
        if checked and (code < 0 or code >= declared):
            raise WrongAnswerError("action_code gives a code that is not below action_codes")
        return code if declared > 0 else code & np.int64(UNDECLARED_CODES - 1)

    return code_of


def make_observe(observe: Callable[..., Any], shape: tuple[int, ...]) -> Callable[..., Any]:
    """A game's `observe` as kernels call it: they store observations flat."""

    def observe_flat(state, player, flat):
        observe(state, player, flat.reshape(shape))

    return observe_flat


def make_hash(hash: Callable[..., Any]) -> Callable[..., Any]:
    """A game's `hash`, uncompiled: any Python integer becomes one of 64 bits."""

    def hash_of(state: Any) -> Any:
        return np.uint64(int(hash(state)) % 2**64)

    return hash_of
