"""Suika: drop fruit into a box; two equal ones that touch become one of the next kind."""

from typing import Any

import numpy as np

from playout.errors import SettingsError
from playout.game import CHANCE, TERMINAL, Game
from playout.games import _shared as shared

from . import drawing, notation

# Columns are numbered from the left and rows from the floor. A column is one word of sixteen nibbles, the floor first;
# nothing floats, so that gravity is a shift.
#
#      2 in hand     dropped on 2     side by side:     one above the other:
#                                     at the right      at the lower
#     3  . . . .        . . . .          . . . .            . . . .
#     2  . . 3 .        . . 3 .          . . 3 .            . . . .        +3 for the 3, +4 for the 4
#     1  4 . 2 1        4 2 2 1          4 . 3 1            4 . 4 1
#        1 2 3 4

WIDEST, HIGHEST, MOST_KINDS, MOST_DROPPED, MOST_VISIBLE = 16, 16, 15, 8, 4
ZERO, ONE, FOUR, NIBBLE = np.uint64(0), np.uint64(1), np.uint64(4), np.uint64(15)
ONES, SEVENS, EIGHTS = np.uint64(0x1111111111111111), np.uint64(0x7777777777777777), np.uint64(0x8888888888888888)
OVERFLOWING = HIGHEST  # in `by_height`, where a column is too high
STEEPEST = 600.0  # e to more than this, and weights would overflow

_keys = np.random.default_rng(1)
CELL_KEYS = _keys.integers(2**64, size=(WIDEST + 1, HIGHEST, MOST_KINDS + 1), dtype=np.uint64)
QUEUE_KEYS = _keys.integers(2**64, size=(MOST_VISIBLE + 1, MOST_KINDS + 1), dtype=np.uint64)


@shared.helper
def filled(word):
    """The top bit of each nibble that is not zero; the other bits mean nothing."""
    return ((word & SEVENS) + SEVENS) | word


@shared.helper
def settle(state, column):
    """Merge what touches, after a fruit came to a column, until nothing does; returns the points.

    The order: columns from the left, in each from the floor up; a fruit with the one above it first, then with the one
    to its right. After a merge everything above has fallen, and it begins again at the left. Only columns that changed,
    and their neighbours to the left, can have anything to merge: they are the bits of `look`.
    """
    largest = np.uint64(state.kinds) * ONES
    points = 0
    look = np.uint64(3) << np.uint64(column - 1)
    while look != ZERO:
        at = shared.lowest_bit(look)
        stack, right = state.stacks[at], state.stacks[at + 1]
        above = stack >> FOUR
        can = filled(stack) & filled(stack ^ largest) & EIGHTS
        upward = can & filled(above) & ~filled(stack ^ above)
        found = upward | (can & ~filled(stack ^ right))
        if found == ZERO:
            look &= look - ONE
            continue
        place = np.uint64(shared.lowest_bit(found) - 3)  # the first bit of the lowest nibble
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


@shared.helper
def weigh(state, weights):
    """The heuristic's weight of each column, e to its score over the temperature, out of tables; returns their sum."""
    kind = np.uint64(state.queue & np.uint32(15))
    total = 0.0
    left, stack = ZERO, state.stacks[1]
    for column in range(1, state.columns + 1):
        right = state.stacks[column + 1]
        height = np.int64(state.heights[column])
        place = np.uint64(4 * height)
        below = (stack << FOUR) >> place  # the fruit on top, 0 for the floor
        equal = np.int64(below == kind) + np.int64((left >> place) & NIBBLE == kind)
        equal += np.int64((right >> place) & NIBBLE == kind)
        if height >= state.line and below != kind:  # on an equal one it would merge, and not stay
            height = OVERFLOWING
        weights[column - 1] = state.by_equal[equal] * state.by_height[height] * state.by_column[column]
        total += weights[column - 1]
        left, stack = stack, right
    return total


class Suika(Game):
    """One player. Actions: the columns, written 1, 2, … from the left; chance draws the kind that joins the queue.

    A fruit falls down its column. Two equal neighbours merge into the next kind: at the lower cell of two in a column,
    at the right one of two in a row; everything above falls, and what touches then merges, too (`settle` has the
    order). A merge brings the number of the kind made, `last` for the largest, and two of the largest don't merge. The
    game is lost when a fruit comes to rest above the warning line. `score` of the state is the sum of the points; the
    rewards are the points, and `-lost_penalty` at the end, which is for the search and in no score.

    Positions: the rows from the top, kinds 1 to 9 and a to f, with `.` where nothing is, empty rows at the top left
    out; the fruit in hand and the next ones, `-` for none, the rest being drawn; the score, if any. At the start,
    `.......... 1,1`, the queue has the smallest kind only.

    Settings: columns and rows (up to 16), line (the rows below the warning line), kinds (up to 15), visible (how many
    after the one in hand, up to 4), drops (the probability of each kind from 1 on), last. Of the heuristic, a score
    for each column: equal for each equal neighbour where the fruit would land, up to centre in the middle, down to
    -height with the column's height, -overflow where the fruit would stay above the line; temperature of the softmax
    over these. Of values: height_penalty for a box filled to the line, as much less as there is less in it;
    highest_penalty for a column as high as the line, as much less as the highest is lower; lost_penalty.
    """

    name = "suika"
    preset = "suika"
    version = 2  # 2: the setting highest_penalty
    players = 1
    max_actions = WIDEST
    value_range = None
    unkeyed = ("score",)
    settings = {  # noqa: RUF012  # as in the README
        "columns": 10,
        "rows": 16,
        "line": 14,
        "kinds": 10,
        "visible": 1,
        "drops": (0.2, 0.2, 0.2, 0.2, 0.2),
        "last": 100,
        "equal": 5.0,
        "centre": 2.0,
        "height": 3.0,
        "overflow": 10.0,
        "temperature": 1.0,
        "height_penalty": 50.0,
        "highest_penalty": 0.0,
        "lost_penalty": 100.0,
    }
    state = np.dtype(
        [
            ("stacks", np.uint64, (WIDEST + 2,)),  # a column's fruit; the first and the one after the last are walls
            ("heights", np.uint8, (WIDEST + 2,)),
            ("known", np.uint8),  # fruits in the queue; chance draws until there are enough
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
            ("by_equal", np.float64, (4,)),  # the heuristic's factors: by the number of equal neighbours,
            ("by_height", np.float64, (HIGHEST + 1,)),  # by height, at the end for overflow,
            ("by_column", np.float64, (WIDEST + 1,)),  # and by column
        ]
    )

    @staticmethod
    def initial_state(state):
        for equal in range(4):
            state.by_equal[equal] = np.exp(state.equal * equal / state.temperature)
        for height in range(HIGHEST):
            state.by_height[height] = np.exp(-state.height * min(height / state.line, 1.0) / state.temperature)
        state.by_height[OVERFLOWING] = np.exp(-(state.height + state.overflow) / state.temperature)
        middle = (state.columns + 1) / 2
        for column in range(1, state.columns + 1):
            nearness = 1.0 - abs(column - middle) / middle
            state.by_column[column] = np.exp(state.centre * nearness / state.temperature)
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
            points = settle(state, action)
            state.score += points
            rewards[0] = points
        if state.heights[action] > state.line:  # no other column can have grown
            state.over = 1
            rewards[0] -= state.lost_penalty

    @staticmethod
    def priors(state, actions, count, out):
        scale = 1.0 / weigh(state, out)
        for i in range(count):
            out[i] *= scale

    @staticmethod
    def evaluate(state, values):
        """What is still to come, less the points so far: minus the penalties for the share filled and for the highest
        column."""
        fruits, highest = 0, 0
        for column in range(1, state.columns + 1):
            height = np.int64(state.heights[column])
            fruits += height
            highest = max(highest, height)
        filled_share, highest_share = fruits / (state.columns * state.line), highest / state.line
        values[0] = -state.height_penalty * filled_share - state.highest_penalty * highest_share

    @staticmethod
    def hash(state):
        """Zobrist's key over cells, fruit in hand and next fruit; what they were scored on the way is no part of it."""
        key = ZERO
        for column in range(1, state.columns + 1):
            stack = state.stacks[column]
            for row in range(state.heights[column]):
                key ^= CELL_KEYS[column, row, np.int64(stack & NIBBLE)]
                stack >>= FOUR
        for i in range(state.known):
            key ^= QUEUE_KEYS[i, np.int64((state.queue >> np.uint32(4 * i)) & np.uint32(15))]
        return key

    def check_settings(self) -> None:
        limits = {
            "columns": (1, WIDEST),
            "rows": (2, HIGHEST),
            "line": (1, self.values["rows"] - 1),
            "kinds": (2, MOST_KINDS),
            "visible": (0, MOST_VISIBLE),
            "last": (0, 10**9),
        } | dict.fromkeys(
            ("equal", "centre", "height", "overflow", "height_penalty", "highest_penalty", "lost_penalty"), (0, 10**9)
        )
        for key, (least, most) in limits.items():
            if not least <= self.values[key] <= most:
                why = ", below the top row" if key == "line" else ""
                raise SettingsError(
                    f"{self.title}: setting '{key}' is {self.values[key]}, expected {least} to {most:g}{why}"
                )
        drops = self.values["drops"]
        kinds = self.values["kinds"]
        if wrong := [p for p in drops if not 0.0 <= p <= 1.0]:
            raise SettingsError(f"{self.title}: setting 'drops' has {wrong[0]}, expected probabilities from 0 to 1")
        if abs(sum(drops) - 1.0) > 1e-9:
            raise SettingsError(
                f"{self.title}: the probabilities of setting 'drops' sum to {sum(drops):g}, expected 1 (they are for "
                f"the kinds 1, 2, 3, …)"
            )
        if any(drops[kinds:]):
            raise SettingsError(f"{self.title}: setting 'drops' has more than {kinds} probabilities, one for each kind")
        scores = 3 * self.values["equal"] + sum(self.values[key] for key in ("centre", "height", "overflow"))
        if not scores <= STEEPEST * self.values["temperature"]:
            raise SettingsError(
                f"{self.title}: setting 'temperature' is {self.values['temperature']}, expected at least "
                f"{scores / STEEPEST:g} for the heuristic's scores"
            )

    def action_to_text(self, state: Any, action: int) -> str:
        chance = not state.over and state.known <= state.visible
        return notation.SIGNS[action] if chance else str(action)

    def action_from_text(self, state: Any, text: str) -> int:
        wanted = text.strip().lower()
        if state.over or state.known > state.visible:
            if wanted.isdigit() and int(wanted) in shared.legal(self, state):
                return int(wanted)
            raise shared.refused(self, state, text, f"expected a column, 1 to {state.columns}")
        return super().action_from_text(state, text)

    def state_to_text(self, state: Any) -> str:
        return notation.write(state)

    def state_from_text(self, state: Any, text: str) -> None:
        notation.read(self, state, text)

    def score(self, state: Any) -> float:
        return int(state.score)

    def show(self, state: Any) -> str:
        return "".join(piece for piece, _ in self.paint(state))

    def paint(self, state: Any) -> list[tuple[str, str]]:
        return drawing.paint(state)

    def draw(self, state: Any) -> str:
        return drawing.draw(state)
