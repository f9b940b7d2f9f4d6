"""A knapsack for people: two lines for a terminal, and bars as SVG."""

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .text import is_taken, number_at

WIDTH, BAR, HEIGHT = 320.0, 16, 120.0


def score(game: Game, state: np.record) -> float:
    return float(state.total)


def show(game: Game, state: np.record) -> str:
    taken = " ".join(str(number_at(state, place)) for place in range(int(state.at)) if is_taken(state, place))
    return f"{_words(state)}\nitems: {taken or 'none'}"


def _words(state: np.record) -> str:
    left = int(state.items) - int(state.at)
    rest = f", {left} items to decide" if left else ""
    return (
        f"value {state.total:.10g}, weight {max(0.0, state.capacity - state.room):.10g} of {state.capacity:.10g}{rest}"
    )


def draw(game: Game, state: np.record) -> str:
    """The load as one bar, and below it each item: as wide as its weight, as high as its value for its weight."""
    count, scale = int(state.items), WIDTH / float(state.loads[: state.items].sum())
    best = max(float(state.gains[i] / state.loads[i]) for i in range(count))
    used = max(0.0, float(state.capacity - state.room)) / float(state.capacity) * WIDTH
    body = [
        shared.element("rect", x=10, y=22, width=WIDTH, height=BAR, fill="none", stroke=shared.GREY),
        shared.element("rect", x=10, y=22, width=used, height=BAR, fill=shared.GOLD),
    ]
    x = 10.0
    for place in range(count):
        width = float(state.loads[place]) * scale
        height = float(state.gains[place] / state.loads[place]) / best * (HEIGHT - 20)
        fill = shared.GOLD if is_taken(state, place) else shared.GREY if place < state.at else shared.BLUE
        opacity = 0.35 if place < state.at and not is_taken(state, place) else 1.0
        body.append(
            shared.element(
                "rect", x=x, y=50 + HEIGHT - height, width=width * 0.9, height=height, fill=fill, opacity=opacity
            )
        )
        if width > 10:
            body.append(shared.caption(str(number_at(state, place)), x + width * 0.45, 62 + HEIGHT, 9))
        x += width
    body.append(shared.caption(_words(state), 10 + WIDTH / 2, 14))
    return shared.svg(WIDTH + 20, HEIGHT + 72, body, f"Knapsack, {_words(state)}")
