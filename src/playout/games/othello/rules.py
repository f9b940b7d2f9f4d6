"""The rules of othello: place a disc so that it outflanks some of the opponent's, and turn those.

A side that can't move passes, and only then; the game ends when neither side can move.
"""

import numpy as np

from playout.game import TERMINAL, Game
from playout.games._shared import count_bits, helper, lowest_bit

# Bitboards, one for each side; square 8 * row + column, a1 at the top left.
#
#        a  b  c  d  e  f  g  h
#     1  0  1  2  3  4  5  6  7
#     2  8  9 10 11 12 13 14 15
#     3 16 17 18 19 20 21 22 23
#     4 24 25 26  O  X 29 30 31      a step right is 1, down 8,
#     5 32 33 34  X  O 37 38 39      down and left 7, down and right 9
#     6 40 41 42 43 44 45 46 47
#     7 48 49 50 51 52 53 54 55
#     8 56 57 58 59 60 61 62 63

PASS = 64
START_X, START_O = np.uint64(1 << 28 | 1 << 35), np.uint64(1 << 27 | 1 << 36)
# A run of discs to be turned never touches the edge it runs towards, so sideways the discs in columns a and h are left
# out, and no run wraps round the edge into the next row.
INNER = np.uint64(0x7E7E7E7E7E7E7E7E)
ZERO, ONE = np.uint64(0), np.uint64(1)


@helper
def runs_up(start, discs, step):
    """The discs in unbroken runs of up to six, next to `start` and towards higher squares."""
    run = discs & (start << step)
    run |= discs & (run << step)
    pairs = discs & (discs << step)
    run |= pairs & (run << (step + step))
    run |= pairs & (run << (step + step))
    return run


@helper
def runs_down(start, discs, step):
    """The same towards lower squares."""
    run = discs & (start >> step)
    run |= discs & (run >> step)
    pairs = discs & (discs >> step)
    run |= pairs & (run >> (step + step))
    run |= pairs & (run >> (step + step))
    return run


@helper
def ends(own, discs, step):
    """The squares just past all runs of `discs` that begin next to an own disc, in both directions."""
    return (runs_up(own, discs, step) << step) | (runs_down(own, discs, step) >> step)


@helper
def placeable(own, other):
    """The squares where `own` may place a disc: those past a run of the opponent's, if empty."""
    inner = other & INNER
    found = ends(own, inner, np.uint64(1)) | ends(own, inner, np.uint64(7))
    found |= ends(own, inner, np.uint64(9)) | ends(own, other, np.uint64(8))
    return found & ~(own | other)


@helper
def outflanked(own, discs, disc, step):
    """The discs a new disc turns along one line: the runs next to it that end at an own disc."""
    turned = ZERO
    run = runs_up(disc, discs, step)
    if (run << step) & own != 0:
        turned |= run
    run = runs_down(disc, discs, step)
    if (run >> step) & own != 0:
        turned |= run
    return turned


@helper
def turned_by(own, other, disc):
    """All discs of `other` that a new disc of `own` turns."""
    inner = other & INNER
    turned = outflanked(own, inner, disc, np.uint64(1)) | outflanked(own, inner, disc, np.uint64(7))
    return turned | outflanked(own, inner, disc, np.uint64(9)) | outflanked(own, other, disc, np.uint64(8))


class OthelloRules(Game):
    """An action is a square, 0 to 63, or 64, a pass."""

    players = 2
    player_names = ("Black", "White")
    max_actions = 60
    action_codes = 65
    state = np.dtype(
        [
            ("mine", np.uint64),  # the discs of the side to move
            ("theirs", np.uint64),
            ("open", np.uint64),  # where the side to move may place a disc
            ("turn", np.int32),
            ("over", np.int32),
        ]
    )

    @staticmethod
    def initial_state(state):
        state.mine = START_X
        state.theirs = START_O
        state.open = placeable(START_X, START_O)

    @staticmethod
    def current_player(state):
        return TERMINAL if state.over else state.turn

    @staticmethod
    def legal_actions(state, actions):
        left = state.open
        if left == 0:
            actions[0] = PASS
            return 1
        count = 0
        while left != 0:
            actions[count] = lowest_bit(left)
            count += 1
            left &= left - ONE
        return count

    @staticmethod
    def apply(state, action, rewards):
        player = state.turn
        own, other = state.mine, state.theirs
        if action != PASS:
            disc = ONE << np.uint64(action)
            turned = turned_by(own, other, disc)
            own |= disc | turned
            other ^= turned
        state.mine = other
        state.theirs = own
        state.turn = 1 - player
        state.open = placeable(other, own)
        if state.open == 0 and placeable(own, other) == 0:
            state.over = 1
            lead = count_bits(own) - count_bits(other)
            if lead != 0:
                rewards[player] = 1.0 if lead > 0 else -1.0
                rewards[1 - player] = -rewards[player]
