"""A tour for people: a line of text, and a map as SVG."""

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .text import state_to_text

WIDTH, HEIGHT, MARGIN = 320.0, 300.0, 18.0


def score(game: Game, state: np.record) -> float:
    """Minus the length: the return so far."""
    return -float(state.length)


def show(game: Game, state: np.record) -> str:
    return f"{state_to_text(game, state)}\n{_words(state)}"


def _words(state: np.record) -> str:
    if state.count == state.cities:
        return f"tour of {state.cities} cities, length {state.length:.10g}"
    return f"{state.count} of {state.cities} cities, length {state.length:.10g} so far"


def draw(game: Game, state: np.record) -> str:
    spots = _spots(state)
    tour = [spots[int(city)] for city in state.order[: state.count]]
    if state.count == state.cities:
        tour.append(tour[0])
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in tour)
    body = [shared.element("polyline", points=points, fill="none", stroke=shared.BLUE, stroke_width=2)]
    radius = 7 if state.cities <= 30 else 4
    for city, (x, y) in enumerate(spots):
        fill = (
            shared.RED
            if city == state.here
            else shared.GOLD
            if city == 0
            else shared.BLUE
            if _seen(state, city)
            else shared.GREY
        )
        body.append(shared.element("circle", cx=x, cy=y, r=radius, fill=fill))
        if radius == 7:
            body.append(shared.element("text", str(city + 1), x=x, y=y + 3.5, font_size=9, fill="#fff"))
    words = _words(state)
    body.append(shared.caption(words, WIDTH / 2, HEIGHT + 14))
    return shared.svg(WIDTH, HEIGHT + 22, body, f"Travelling salesman, {words}")


def _seen(state: np.record, city: int) -> bool:
    return bool(int(state.visited[city >> 6]) >> (city & 63) & 1)


def _spots(state: np.record) -> list[tuple[float, float]]:
    """The cities in the picture, north at the top."""
    places = state.places[: state.cities]
    low, size = places.min(axis=0), np.ptp(places, axis=0)
    scale = min(
        (WIDTH - 2 * MARGIN) / size[0] if size[0] > 0 else np.inf,
        (HEIGHT - 2 * MARGIN) / size[1] if size[1] > 0 else np.inf,
    )
    scale = scale if np.isfinite(scale) else 1.0
    middle = low + size / 2
    return [
        (float(WIDTH / 2 + scale * (x - middle[0])), float(HEIGHT / 2 - scale * (y - middle[1]))) for x, y in places
    ]
