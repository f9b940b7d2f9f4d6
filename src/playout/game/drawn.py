"""The text of drawn actions: their numbers for people, then the number that draws them again: `0.3127@k3f9zs`."""

from typing import TYPE_CHECKING

import numpy as np

from playout.core.draws import DRAWN
from playout.errors import ActionError

if TYPE_CHECKING:
    from .position import Position

MARK, BASE = "@", 36
DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


def drawn_text(position: "Position", action: int) -> str:
    """The text of a drawn action."""
    game, rest, code = position.game, action - DRAWN, ""
    while rest or not code:
        rest, digit = divmod(rest, BASE)
        code = DIGITS[digit] + code
    own: str = game.call_method("action_to_text", position.state, position.row(action))
    return f"{own}{MARK}{code}"


def row_text(row: np.ndarray) -> str:
    """The numbers of an action, rounded for people."""
    return ",".join(f"{value:.4g}" for value in row)


def drawn_action(position: "Position", text: str) -> int:
    """The number of a drawn action from its text; what stands before the mark may be left out."""
    shown, _, code = text.strip().rpartition(MARK)
    game = position.game
    if not position.draws:
        raise ActionError(f"{game.title}: '{text}' is a drawn action, and none is drawn in {position.text}")
    try:
        number = DRAWN + int(code, BASE)
        if not DRAWN <= number < 2 * DRAWN:
            raise ValueError
    except ValueError:
        example = position.action_text(position.actions()[-1])
        raise ActionError(
            f"{game.title}: '{text:.80}' is not a drawn action; expected its text, as in '{example}', or what follows "
            f"the {MARK} in it, as in '{MARK}{example.rpartition(MARK)[2]}'"
        ) from None
    known = drawn_text(position, number)
    if shown and known.rpartition(MARK)[0] != shown:
        raise ActionError(
            f"{game.title}: '{text:.80}' is '{known}' in {position.text}; its numbers are drawn from what follows the "
            f"{MARK}, and depend on the position"
        )
    return number
