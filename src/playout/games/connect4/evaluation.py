"""Heuristics for connect four: priors, a playout policy and a static value, all from the cells that complete a four."""

import numpy as np

from playout.core.rng import random_below
from playout.games._shared import count_bits, helper, lowest_bit

from .rules import BOTTOM, DIRECTIONS, ONE, ZERO, dropped

CELLS = np.uint64(sum(63 << 7 * column for column in range(7)))
CENTRE = np.uint64(63 << 21)


@helper
def completing(stones, occupied):
    """The empty cells, reachable now or not, that would complete four of these stones."""
    found = ZERO
    for step in DIRECTIONS:
        one, two, three = np.uint64(step), np.uint64(2 * step), np.uint64(3 * step)
        before, after = stones << one, stones >> one
        found |= before & (stones << two) & ((stones << three) | after)
        found |= after & (stones >> two) & ((stones >> three) | before)
    return found & (CELLS ^ (occupied & CELLS))


def priors(state, actions, count, out):
    """The centre first; a win before everything, then a block, last what lets the opponent win on top of it."""
    occupied = state.mine | state.theirs
    wins, losses = completing(state.mine, occupied), completing(state.theirs, occupied)
    total = 0.0
    for i in range(count):
        stone = dropped(occupied, actions[i])
        weight = 4.0 - abs(3 - actions[i])
        if stone & wins != 0:
            weight = 1000.0
        elif stone & losses != 0:
            weight = 100.0
        elif (stone << ONE) & losses != 0:
            weight *= 0.05
        out[i] = weight
        total += weight
    for i in range(count):
        out[i] /= total


def playout_action(state, actions, count, rng):
    """Win if possible, else block, else avoid what lets the opponent win on top of it."""
    occupied = state.mine | state.theirs
    reachable = (occupied + BOTTOM) & CELLS
    wins = completing(state.mine, occupied) & reachable
    if wins != 0:
        return lowest_bit(wins) // 7
    losses = completing(state.theirs, occupied)
    good = reachable & losses
    if good == 0:
        good = reachable & ~(losses >> ONE)
    if good == 0:
        good = reachable
    for _ in range(random_below(rng, count_bits(good))):
        good &= good - ONE
    return lowest_bit(good) // 7


def evaluate(state, values):
    """Cells that complete a four count two, stones in the centre a half; the score s becomes s / (4 + |s|)."""
    if state.over:
        return
    occupied = state.mine | state.theirs
    reachable = (occupied + BOTTOM) & CELLS
    wins, losses = completing(state.mine, occupied), completing(state.theirs, occupied)
    score = 2.0 * (count_bits(wins) - count_bits(losses))
    score += 0.5 * (count_bits(state.mine & CENTRE) - count_bits(state.theirs & CENTRE))
    value = score / (4.0 + abs(score))
    if wins & reachable != 0:
        value = 0.95
    elif count_bits(losses & reachable) > 1:  # two cells to block
        value = -0.95
    player = state.ply & 1
    values[player] = value
    values[1 - player] = -value
