"""Target sum: add numbers and hit the target exactly, within a number of moves; one player."""

import re
from typing import Any

import numpy as np

from playout.errors import PositionError, SettingsError
from playout.game import TERMINAL, Game

from . import _shared as shared

# target = 10, moves = 7, numbers = 1, 2, 3:
#
#    0 ──+3──▶ 3 ──+3──▶ 6 ──+3──▶ 9 ──+1──▶ 10   hit: 1
#                                  └──+3──▶ 12   too far: -1
# and after the seventh move, short of the target: -0.5

LARGEST = 10**9  # two of them fit into an int32
PATIENCE = 10**9  # up to this size (sum times moves) a position's sum is checked exactly


class TargetSum(Game):
    """Actions: the numbers themselves, each as often as one likes. Settings: target, moves, numbers (up to 16).

    Positions: `sum/moves`, the sum so far and the moves made so far (not those left): the start is `0/0`.
    """

    name = "target_sum"
    players = 1
    max_actions = 16
    settings = {"target": 10, "moves": 7, "numbers": (1, 2, 3)}  # noqa: RUF012  # small enough to see the whole tree
    value_range = (-1.0, 1.0)
    state = np.dtype(
        [
            ("total", np.int32),
            ("made", np.int32),
            ("target", np.int32),
            ("moves", np.int32),
            ("numbers", np.int32, (16,)),  # zeros after the last
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
    def apply(state, action, rewards):
        state.total += action
        state.made += 1
        if state.total == state.target:
            rewards[0] = 1.0
        elif state.total > state.target:
            rewards[0] = -1.0
        elif state.made == state.moves:
            rewards[0] = -0.5

    @staticmethod
    def priors(state, actions, count, out):
        """A hit first; then numbers that leave the target within reach; last those that go too far."""
        smallest, largest = actions[0], actions[0]
        for i in range(count):
            smallest, largest = min(smallest, actions[i]), max(largest, actions[i])
        moves_after = np.int64(state.moves - state.made - 1)
        total = 0.0
        for i in range(count):
            rest = state.target - state.total - actions[i]
            if rest == 0:
                weight = 100.0
            elif rest < 0:
                weight = 0.01
            elif rest < smallest or rest > moves_after * largest:
                weight = 0.1
            else:
                weight = 1.0
            out[i] = weight
            total += weight
        for i in range(count):
            out[i] /= total

    @staticmethod
    def evaluate(state, values):
        """1 when one number hits, -1 when each goes too far, -0.5 when the target is out of reach, otherwise 0."""
        values[0] = 0.0
        rest = state.target - state.total
        if rest <= 0 or state.made >= state.moves:
            return  # the end: nothing more to get
        smallest, largest = state.numbers[0], state.numbers[0]
        hit = False
        for i in range(16):
            number = state.numbers[i]
            if number > 0:
                smallest, largest = min(smallest, number), max(largest, number)
                hit = hit or number == rest
        if hit:
            values[0] = 1.0
        elif rest < smallest:
            values[0] = -1.0
        elif rest > np.int64(state.moves - state.made) * largest:
            values[0] = -0.5

    def check_settings(self) -> None:
        numbers = _numbers(self.values["numbers"])
        for key in ("target", "moves"):
            if not 1 <= self.values[key] <= LARGEST:
                raise SettingsError(f"{self.title}: setting '{key}' is {self.values[key]}, expected 1 to {LARGEST}")
        wrong = [n for n in numbers if not 1 <= n <= LARGEST]
        if wrong or not numbers:
            what = f"has {wrong[0]}" if wrong else "has no number above 0"
            raise SettingsError(f"{self.title}: setting 'numbers' {what}, expected numbers from 1 to {LARGEST}")
        twice = [n for n in numbers if numbers.count(n) > 1]
        if twice:
            raise SettingsError(f"{self.title}: setting 'numbers' has {twice[0]} twice, expected different numbers")

    def action_from_text(self, state: Any, text: str) -> int:
        wanted = text.strip()
        if not re.fullmatch(r"\+?\d+", wanted):
            raise shared.refused(self, state, text, "expected one of the numbers")
        if int(wanted) not in shared.legal(self, state):
            raise shared.refused(self, state, text, "it is none of the numbers")
        return int(wanted)

    def state_to_text(self, state: Any) -> str:
        return f"{state.total}/{state.made}"

    def state_from_text(self, state: Any, text: str) -> None:
        found = re.fullmatch(r"(\d+)\s*/\s*(\d+)", text)
        if not found:
            raise PositionError(
                f"{self.title}: can't read position '{text}', expected sum/moves, the moves made so far, as in 5/2"
            )
        total, made = int(found[1]), int(found[2])
        reason = ""
        if made > state.moves:
            reason = f"{made} moves made, but there are only {state.moves}"
        elif not _reachable(total, made, int(state.target), _numbers(state.numbers)):
            reason = f"{made} numbers out of {', '.join(map(str, _numbers(state.numbers)))} don't add up to {total}"
            if total > state.target:
                reason += f" with all but the last below the target, {state.target}"
        if reason:
            raise PositionError(f"{self.title}: position '{text}' can't be: {reason}")
        state.total, state.made = total, made

    def show(self, state: Any) -> str:
        numbers = " ".join(map(str, _numbers(state.numbers)))
        return f"{state.total} of {state.target} after {state.made} moves, {_status(state)}\nnumbers: {numbers}"

    def draw(self, state: Any) -> str:
        length = 240 * min(1.0, state.total / state.target)
        fill = shared.RED if state.total > state.target else shared.GOLD if state.total == state.target else shared.BLUE
        body = [
            shared.element("rect", x=10, y=24, width=240, height=20, rx=4, fill="none", stroke=shared.GREY),
            shared.element("rect", x=10, y=24, width=float(length), height=20, rx=4, fill=fill),
            shared.element(
                "text",
                f"{state.total} of {state.target}, {_status(state)}",
                x=130,
                y=16,
                font_size=13,
                fill=shared.GREY,
            ),
            shared.element("text", f"{state.made} of {state.moves} moves", x=130, y=62, font_size=13, fill=shared.GREY),
        ]
        return shared.svg(260, 70, body, f"Target sum, {state.total} of {state.target}, {_status(state)}")


def _numbers(padded: Any) -> list[int]:
    """The numbers without the zeros that fill their field."""
    numbers = [int(n) for n in padded]
    while numbers and numbers[-1] == 0:
        numbers.pop()
    return numbers


def _reachable(total: int, made: int, target: int, numbers: list[int]) -> bool:
    """Can `made` numbers add up to `total`, with every sum before the last below the target?"""
    if not made * min(numbers) <= total <= made * max(numbers):
        return False
    if made == 0 or total * made > PATIENCE:
        return True
    sums = 1  # bit s: the sum s can be reached
    for _ in range(made - 1):
        sums = _added(sums, numbers) & ((1 << target) - 1)
    return bool(_added(sums, numbers) >> total & 1)


def _added(sums: int, numbers: list[int]) -> int:
    result = 0
    for number in numbers:
        result |= sums << number
    return result


def _status(state: Any) -> str:
    if state.total == state.target:
        return "hit"
    if state.total > state.target:
        return "too far"
    left = state.moves - state.made
    return "out of moves" if left == 0 else f"{left} move{'s' if left != 1 else ''} left"
