"""The rules of suika: a fruit falls down its column, and equal neighbours merge into the next kind."""

import numpy as np

from playout.game import CHANCE, TERMINAL, Game
from playout.games._shared import helper, lowest_bit

from .settings import DEFAULTS, HIGHEST, MOST_DROPPED, MOST_KINDS, MOST_VISIBLE, WIDEST

# Columns are numbered from the left and rows from the floor. A column is one word of sixteen nibbles, the floor first;
# nothing floats, so that gravity is a shift.
#
#      2 in hand     dropped on 2     side by side:     one above the other:
#                                     at the right      at the lower
#     3  . . . .        . . . .          . . . .            . . . .
#     2  . . 3 .        . . 3 .          . . 3 .            . . . .        +3 for the 3, +4 for the 4
#     1  4 . 2 1        4 2 2 1          4 . 3 1            4 . 4 1
#        1 2 3 4

ZERO, ONE, FOUR, NIBBLE = np.uint64(0), np.uint64(1), np.uint64(4), np.uint64(15)
ONES, SEVENS, EIGHTS = np.uint64(0x1111111111111111), np.uint64(0x7777777777777777), np.uint64(0x8888888888888888)

_keys = np.random.default_rng(1)
CELL_KEYS = _keys.integers(2**64, size=(WIDEST + 1, HIGHEST, MOST_KINDS + 1), dtype=np.uint64)
QUEUE_KEYS = _keys.integers(2**64, size=(MOST_VISIBLE + 1, MOST_KINDS + 1), dtype=np.uint64)


@helper
def filled(word):
    """The top bit of each nibble that is not zero; the other bits mean nothing."""
    return ((word & SEVENS) + SEVENS) | word


@helper
def merge(state, column):
    """Merge equal neighbours after a fruit landed in a column, until there are none; returns the points.

    The order: columns from the left, each from the floor up; a fruit first with the one above it, then with the one to
    its right. After a merge the fruit above falls, and the search starts again at the left. Only columns that changed,
    and their left neighbours, can have anything to merge: these are the bits of `look`.
    """
    largest = np.uint64(state.kinds) * ONES
    points = 0
    look = np.uint64(3) << np.uint64(column - 1)
    while look != ZERO:
        at = lowest_bit(look)
        stack, right = state.stacks[at], state.stacks[at + 1]
        above = stack >> FOUR
        can = filled(stack) & filled(stack ^ largest) & EIGHTS
        upward = can & filled(above) & ~filled(stack ^ above)
        found = upward | (can & ~filled(stack ^ right))
        if found == ZERO:
            look &= look - ONE
            continue
        place = np.uint64(lowest_bit(found) - 3)  # the first bit of the lowest nibble
        kind = np.int64((stack >> place) & NIBBLE) + 1
        lower = stack & ((ONE << place) - ONE)
        if (upward >> place) & NIBBLE != ZERO:
            state.stacks[at] = lower | (np.uint64(kind) << place) | ((((above >> place) >> FOUR) << FOUR) << place)
            look |= np.uint64(3) << np.uint64(at - 1)
        else:
            state.stacks[at] = lower | ((above >> place) << place)
            state.stacks[at + 1] = right + (ONE << place)
            look |= np.uint64(7) << np.uint64(at - 1)
        state.heights[at] -= 1
        points += state.last if kind == state.kinds else kind
    return points


class SuikaRules(Game):
    """An action is a column, counted from 1; where chance moves, it is the kind of the fruit that joins the queue."""

    players = 1
    max_actions = WIDEST
    action_codes = (MOST_KINDS + 1) * (WIDEST + 1)
    value_range = None
    unkeyed = ("score",)
    settings = DEFAULTS
    state = np.dtype(
        [
            ("stacks", np.uint64, (WIDEST + 2,)),  # a column's fruit; the first and the one after the last are walls
            ("heights", np.uint8, (WIDEST + 2,)),
            ("known", np.uint8),  # fruits in the queue; chance draws until it is full
            ("over", np.uint8),
            ("queue", np.uint32),  # nibbles: the fruit in hand, then the next ones
            ("score", np.int64),
            ("columns", np.int32),
            ("rows", np.int32),
            ("line", np.int32),
            ("kinds", np.int32),
            ("visible", np.int32),
            ("last", np.int32),
            ("drops", np.float64, (MOST_DROPPED,)),
            ("equal", np.float64),
            ("centre", np.float64),
            ("height", np.float64),
            ("overflow", np.float64),
            ("temperature", np.float64),
            ("height_penalty", np.float64),
            ("highest_penalty", np.float64),
            ("lost_penalty", np.float64),
            ("by_equal", np.float64, (4,)),  # factors of the heuristic (evaluation.py): by equal neighbours,
            ("by_height", np.float64, (HIGHEST + 1,)),  # by height, the last one for overflow,
            ("by_column", np.float64, (WIDEST + 1,)),  # and by column
        ]
    )

    @staticmethod
    def initial_state(state):
        smallest = 1
        while state.drops[smallest - 1] == 0.0:
            smallest += 1
        for i in range(state.visible + 1):
            state.queue |= np.uint32(smallest << (4 * i))
        state.known = state.visible + 1

    @staticmethod
    def current_player(state):
        if state.over:
            return TERMINAL
        return CHANCE if state.known <= state.visible else 0

    @staticmethod
    def legal_actions(state, actions):
        for i in range(state.columns):
            actions[i] = i + 1
        return state.columns

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        count = 0
        for i in range(MOST_DROPPED):
            if state.drops[i] > 0.0:
                actions[count], probabilities[count] = i + 1, state.drops[i]
                count += 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        if state.known <= state.visible:
            state.queue |= np.uint32(action) << np.uint32(4 * state.known)
            state.known += 1
            return
        kind = np.uint64(state.queue & np.uint32(15))
        state.queue >>= np.uint32(4)
        state.known -= 1
        height = np.int64(state.heights[action])
        place = np.uint64(4 * height)
        stack = state.stacks[action]
        left, right = state.stacks[action - 1] >> place, state.stacks[action + 1] >> place
        state.stacks[action] = stack | (kind << place)
        state.heights[action] = height + 1
        if (stack << FOUR) >> place == kind or left & NIBBLE == kind or right & NIBBLE == kind:
            points = merge(state, action)
            state.score += points
            rewards[0] = points
        if state.heights[action] > state.line:  # no other column can have grown
            state.over = 1
            rewards[0] -= state.lost_penalty

    @staticmethod
    def action_code(state, action):
        """The kind of the fruit in hand, and the column."""
        return np.int64(state.queue & np.uint32(15)) * (WIDEST + 1) + action

    @staticmethod
    def hash(state):
        """Zobrist key of the cells and the queue; the score so far is not part of it."""
        key = ZERO
        for column in range(1, state.columns + 1):
            stack = state.stacks[column]
            for row in range(state.heights[column]):
                key ^= CELL_KEYS[column, row, np.int64(stack & NIBBLE)]
                stack >>= FOUR
        for i in range(state.known):
            key ^= QUEUE_KEYS[i, np.int64((state.queue >> np.uint32(4 * i)) & np.uint32(15))]
        return key
