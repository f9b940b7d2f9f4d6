"""Target sum as text: a number for an action, `sum/moves` for a position."""

import re

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .rules import without_padding

MOST_WORK = 10**9  # up to this size (sum times moves) a position's sum is checked exactly


def action_from_text(game: Game, state: np.record, text: str) -> int:
    wanted = text.strip()
    if not re.fullmatch(r"\+?\d+", wanted):
        raise shared.refused(game, state, text, "expected one of the numbers")
    if int(wanted) not in shared.legal(game, state):
        raise shared.refused(game, state, text, "it is not one of the numbers")
    return int(wanted)


def state_to_text(game: Game, state: np.record) -> str:
    return f"{state.total}/{state.made}"


def state_from_text(game: Game, state: np.record, text: str) -> None:
    found = re.fullmatch(r"(\d+)\s*/\s*(\d+)", text)
    if not found:
        raise shared.unreadable(game, text, "sum/moves, the moves made so far, as in 5/2")
    total, made = int(found[1]), int(found[2])
    numbers = without_padding(state.numbers)
    reason = ""
    if made > state.moves:
        reason = f"{made} moves made, but there are only {state.moves}"
    elif not _reachable(total, made, int(state.target), numbers):
        reason = f"{made} numbers out of {', '.join(map(str, numbers))} don't add up to {total}"
        if total > state.target:
            reason += f" with all but the last below the target, {state.target}"
    if reason:
        raise shared.impossible(game, text, reason)
    state.total, state.made = total, made


def status(state: np.record) -> str:
    """How the game stands or ended."""
    if state.total == state.target:
        return "hit"
    if state.total > state.target:
        return "too far"
    left = state.moves - state.made
    return "out of moves" if left == 0 else f"{left} move{'s' if left != 1 else ''} left"


def _reachable(total: int, made: int, target: int, numbers: list[int]) -> bool:
    """Whether `made` numbers can add up to `total`, with every sum before the last below the target."""
    if not made * min(numbers) <= total <= made * max(numbers):
        return False
    if made == 0 or total * made > MOST_WORK:
        return True
    sums = 1  # bit s: the sum s can be reached
    for _ in range(made - 1):
        sums = _added(sums, numbers) & ((1 << target) - 1)
    return bool(_added(sums, numbers) >> total & 1)


def _added(sums: int, numbers: list[int]) -> int:
    """The sums that one more number reaches."""
    result = 0
    for number in numbers:
        result |= sums << number
    return result
