"""Colours and escaping for HTML and SVG."""

import html
import math
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .words import clean

if TYPE_CHECKING:
    from playout.game import Game

# Colours that can be seen on white and on black: bad, neutral, good.
BAD, MIDDLE, GOOD = (0xD9, 0x7B, 0x29), (0x8E, 0x94, 0x9C), (0x2F, 0x7F, 0xD6)
GREY = "#80868e"


def range_of(game: "Game", values: Iterable[float | None]) -> tuple[float, float] | None:
    """The range that colours span: the game's own, or else that of the values at hand."""
    found = [value for value in values if value is not None]
    return game.range or ((min(found), max(found)) if found else None)


def shade(value: float | None, limits: tuple[float, float] | None) -> str:
    """Orange for the lowest value, grey for the middle, blue for the highest.

    The strength grows with the square root of the distance from the middle, so that small differences can be seen.
    """
    if value is None or limits is None or not limits[1] > limits[0]:
        return as_hex(MIDDLE)
    at = 2 * min(1.0, max(0.0, (value - limits[0]) / (limits[1] - limits[0]))) - 1
    end, strength = GOOD if at > 0 else BAD, math.sqrt(abs(at))
    return as_hex(tuple(round(m + strength * (e - m)) for m, e in zip(MIDDLE, end, strict=True)))


def as_hex(colour: tuple[int, ...]) -> str:
    """A colour as HTML writes it.

    >>> as_hex((255, 0, 16))
    '#ff0010'
    """
    return "#" + "".join(f"{part:02x}" for part in colour)


def escape(text: str) -> str:
    """Text that is safe inside HTML and SVG, attributes included."""
    return html.escape(clean(text))
