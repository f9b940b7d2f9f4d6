"""The rules of target sum: add numbers and hit the target exactly, within a number of moves."""

from collections.abc import Iterable

import numpy as np

from playout.errors import SettingsError
from playout.game import TERMINAL, Game
from playout.games._shared import check_range

# target = 10, moves = 7, numbers = 1, 2, 3:
#
#    0 ──+3──▶ 3 ──+3──▶ 6 ──+3──▶ 9 ──+1──▶ 10   hit: 1
#                                  └──+3──▶ 12   too far: -1
# and after the seventh move, short of the target: -0.5

LARGEST = 10**9  # the sum of two fits into an int32


class TargetSumRules(Game):
    """An action is one of the numbers; each may be added any number of times."""

    players = 1
    max_actions = 16
    action_codes = 16
    settings = {"target": 10, "moves": 7, "numbers": (1, 2, 3)}  # noqa: RUF012  # small enough to see the whole tree
    value_range = (-1.0, 1.0)
    state = np.dtype(
        [
            ("total", np.int32),
            ("made", np.int32),  # moves made so far
            ("target", np.int32),
            ("moves", np.int32),
            ("numbers", np.int32, (16,)),  # padded with zeros
        ]
    )

    @staticmethod
    def initial_state(state):
        pass  # nothing added yet; the settings are in place

    @staticmethod
    def current_player(state):
        return TERMINAL if state.total >= state.target or state.made >= state.moves else 0

    @staticmethod
    def legal_actions(state, actions):
        count = 0
        while count < 16 and state.numbers[count] > 0:
            actions[count] = state.numbers[count]
            count += 1
        return count

    @staticmethod
    def action_code(state, action):
        """The place of the number among the numbers."""
        place = 0
        while place < 15 and state.numbers[place] != action:
            place += 1
        return place

    @staticmethod
    def apply(state, action, rewards):
        state.total += action
        state.made += 1
        if state.total == state.target:
            rewards[0] = 1.0
        elif state.total > state.target:
            rewards[0] = -1.0
        elif state.made == state.moves:
            rewards[0] = -0.5

    def check_settings(self) -> None:
        """Numbers, target and moves must be positive, and the numbers different."""
        for key in ("target", "moves"):
            check_range(self, key, 1, LARGEST)
        numbers = without_padding(self.values["numbers"])
        wrong = [n for n in numbers if not 1 <= n <= LARGEST]
        if wrong or not numbers:
            what = f"has {wrong[0]}" if wrong else "has no number above 0"
            raise SettingsError(f"{self.title}: setting 'numbers' {what}, expected numbers from 1 to {LARGEST}")
        twice = [n for n in numbers if numbers.count(n) > 1]
        if twice:
            raise SettingsError(f"{self.title}: setting 'numbers' has {twice[0]} twice, expected different numbers")


def without_padding(numbers: Iterable[int]) -> list[int]:
    """The numbers without the zeros that fill up their field."""
    found = [int(n) for n in numbers]
    while found and found[-1] == 0:
        found.pop()
    return found
