"""Target sum for people: two lines for a terminal, and a bar as SVG."""

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .rules import without_padding
from .text import status


def show(game: Game, state: np.record) -> str:
    numbers = " ".join(map(str, without_padding(state.numbers)))
    return f"{state.total} of {state.target} after {state.made} moves, {status(state)}\nnumbers: {numbers}"


def draw(game: Game, state: np.record) -> str:
    length = 240 * min(1.0, state.total / state.target)
    fill = shared.RED if state.total > state.target else shared.GOLD if state.total == state.target else shared.BLUE
    words = f"{state.total} of {state.target}, {status(state)}"
    body = [
        shared.element("rect", x=10, y=24, width=240, height=20, rx=4, fill="none", stroke=shared.GREY),
        shared.element("rect", x=10, y=24, width=float(length), height=20, rx=4, fill=fill),
        shared.caption(words, 130, 16),
        shared.caption(f"{state.made} of {state.moves} moves", 130, 62),
    ]
    return shared.svg(260, 70, body, f"Target sum, {words}")
