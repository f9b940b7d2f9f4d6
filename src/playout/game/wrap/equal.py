"""Whether equal objects really are the same position: a graph search makes one node of them."""

import math
import random
from typing import TYPE_CHECKING, Any

from playout.errors import GameError

from .checks import shown

if TYPE_CHECKING:
    from .game import ObjectGame

STEPS = 1000  # the most that are played from both
ROUNDING = 1e-6


def check_equal(game: "ObjectGame", known: Any, came: Any) -> None:
    """Play the same random actions from two equal objects, and raise `GameError` where their answers differ.

    Only answers are compared: other attributes of an object, such as its history, may differ.
    """
    draw, played, one, two = random.Random(0), list[str](), known, came
    for _ in range(STEPS):
        first, second = game.answers_of(one), game.answers_of(two)
        for call in first | second:
            if not _same(first.get(call), second.get(call)):
                after = f" after {shown(', '.join(played))}" if played else ""
                raise GameError(
                    f"{type(came).__name__}.__eq__ says that {shown(came)} equals {shown(known)}, but{after} {call} "
                    f"returns {shown(second.get(call))} and {shown(first.get(call))}; compare everything that the game "
                    f"depends on"
                )
        options = game.options_of(one)
        if not options:
            return
        action = draw.choice(options)
        played.append(shown(action))
        one, two = game.after(one, action), game.after(two, action)


def _same(one: Any, two: Any) -> bool:
    if isinstance(one, list) and isinstance(two, list) and len(one) == len(two):
        return all(math.isclose(a, b, rel_tol=ROUNDING, abs_tol=ROUNDING) for a, b in zip(one, two, strict=True))
    return bool(one == two)
