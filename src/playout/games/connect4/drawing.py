"""Connect four for people: the board in a terminal, and as SVG."""

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .rules import DIRECTIONS
from .text import rows, status


def show(game: Game, state: np.record) -> str:
    lines = ["  ".join(row) for row in rows(state)]
    return "\n".join([*lines, "  ".join("1234567"), status(state)])


def draw(game: Game, state: np.record) -> str:
    """The board as SVG; the stones of a four have a ring."""
    body = [shared.element("rect", width=288, height=248, rx=12, fill="#2f62a3")]
    winners = _winning_cells(state)
    for r, row in enumerate(rows(state)):
        for c, cell in enumerate(row):
            fill = {"X": shared.RED, "O": shared.GOLD}.get(cell, "#dfe6ee")
            x, y, ring = 24 + 40 * c, 24 + 40 * r, 4 if 7 * c + 5 - r in winners else 0
            body.append(shared.element("circle", cx=x, cy=y, r=16, fill=fill, stroke="#fff", stroke_width=ring))
    body += [shared.caption(str(c + 1), 24 + 40 * c, 264, 14) for c in range(7)]
    return shared.svg(288, 270, body, f"Connect four, {status(state)}")


def _winning_cells(state: np.record) -> set[int]:
    stones, found = int(state.theirs), set[int]()  # only the side that just moved can have four
    for bit in range(49):
        for step in DIRECTIONS:
            line = [bit + step * i for i in range(4)]
            if all(stones >> b & 1 for b in line):
                found.update(line)
    return found
