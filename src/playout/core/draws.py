"""Actions that are drawn instead of listed: rows of numbers, from a range or a set that can't be written down.

An edge keeps an action as a number, here too. From DRAWN on, the number seeds the random generator with which the
game's `sample_action` draws the row again whenever the action is taken. So a tree, a file, a line of play or another
process needs nothing but the number, and rows take no memory. Numbers below DRAWN are actions from `legal_actions`; the
row of such an action begins with its number and is zero otherwise.

`core/widen.py` says when a node gets another one. A small file on its own, because rules and kernels need it alike.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from .jit import inlined, njit
from .rng import random_bits
from .rules import CHANCE

DRAWN = 1 << 30
LISTED_ONLY, OF_PLAYERS, OF_ALL = range(3)  # which actions are drawn: none; the players'; outcomes of chance as well
MOST_ROOM = 4  # times `max_actions`: the edges that one simulation may add, with those of blocks that move
SHIFT = np.uint64(34)  # leaves 30 bits


class NotFiniteError(Exception):
    """`sample_action` wrote a number that is infinite or not a number."""


@njit
def drawn_number(rng):
    """A number for a new action."""
    return np.int64(random_bits(rng) >> SHIFT) + DRAWN


@njit
def fill_row(width, action, row, rng):
    """Prepare for the row of an action: zeros and the seed of `sample_action`, or the row of a listed action."""
    for i in range(width):
        row[i] = 0.0
    rng[0] = np.uint64(action)
    if action < DRAWN:
        row[0] = action


def make_drawn_apply(
    apply: Callable[..., Any], sample_action: Callable[..., Any], width: int, checked: bool
) -> Callable[..., Any]:
    """A game's `apply` as kernels call it, with an action's number; `checked`: rows must be finite."""

    def drawn_apply(state, action, rewards):
        row, rng = np.empty(width), np.empty(1, np.uint64)
        fill_row(width, action, row, rng)
        if action >= DRAWN:
            sample_action(state, rng, row)
            if checked:
                for i in range(width):
                    if not np.isfinite(row[i]):
                        raise NotFiniteError("sample_action writes a number that is not finite")
        apply(state, row, rewards)

    return drawn_apply


def lists_nothing(state, actions):
    """The `legal_actions` of a game that draws all its actions."""
    return 0


@inlined
def draws_at(params, player):
    """Whether the actions of a player, or of chance, are drawn."""
    return params.draws == OF_ALL or (params.draws == OF_PLAYERS and player != CHANCE)
