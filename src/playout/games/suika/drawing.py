"""Suika for people: coloured text for a terminal, SVG for notebooks and the workbench."""

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .text import SIGNS, cells, queue

# By kind, from the cherry to the melon and beyond.
COLOURS = (
    *("", "#c9184a", "#ff6b6b", "#9d4edd", "#f79d3c", "#e85d04", "#b5171e", "#d9d04b", "#ffb3a7", "#f6cf1f", "#7fb84f"),
    *("#2b9348", "#2a9d9d", "#3d7fc4", "#5a4fcf", "#8d6e63"),
)
LIGHT = (2, 4, 7, 8, 9, 10)  # kinds that need dark letters
CELL = 26.0


def paint(game: Game, state: np.record) -> list[tuple[str, str]]:
    """The queue, the score, the box and the warning line, as pieces of text with their styles."""
    columns = cells(state)
    waiting = queue(state)
    pieces: list[tuple[str, str]] = [("hand ", "dim"), _fruit(waiting[0]) if waiting else (" ·", "dim")]
    if state.visible:
        pieces.append(("  next", "dim"))
        pieces += [_fruit(kind) for kind in waiting[1:]] or [(" ·", "dim")]
    pieces.append((f"   score {state.score}{', lost' if state.over else ''}\n", "bold"))
    for row in reversed(range(state.line + 1)):
        for column in columns:
            pieces.append(_fruit(column[row]) if row < len(column) else (" .", "dim"))
        pieces.append((" ┈ warning line\n" if row == state.line else "\n", "red" if row == state.line else ""))
    pieces.append(("".join(f"{c:2}" for c in range(1, state.columns + 1)), "dim"))
    return pieces


def show(game: Game, state: np.record) -> str:
    return "".join(piece for piece, _ in game.paint(state))


def _fruit(kind: int) -> tuple[str, str]:
    return f" {SIGNS[kind]}", f"bold {'black' if kind in LIGHT else 'white'} on {COLOURS[kind]}"


def draw(game: Game, state: np.record) -> str:
    """The box as SVG, larger kinds as larger circles; the dashed line is the warning line."""
    columns, waiting = cells(state), queue(state)
    width, height = CELL * state.columns, CELL * (state.line + 1)
    left, top = 8.0, 40.0
    body = [shared.caption("hand", left + 18, 24, 11)]
    x = left + 50.0
    for i, kind in enumerate(waiting):
        if i == 1:
            body.append(shared.caption("next", x + 14, 24, 11))
            x += 46.0
        body += _circle(state, kind, x, 20.0)
        x += CELL
    end = left + width
    body.append(
        shared.element("text", f"{state.score}", x=end, y=26, font_size=16, fill=shared.GREY, text_anchor="end")
    )
    walls = f"M{left - 2:g} {top:g}V{top + height + 2:g}H{end + 2:g}V{top:g}"
    body.append(shared.element("path", d=walls, fill="none", stroke=shared.GREY, stroke_width=3))
    line = shared.RED if state.over else shared.GOLD
    body.append(
        shared.element(
            "path", d=f"M{left:g} {top + CELL:g}H{end:g}", stroke=line, stroke_width=2, stroke_dasharray="6 5"
        )
    )
    for c, column in enumerate(columns):
        for row, kind in enumerate(column):
            body += _circle(state, kind, left + CELL * (c + 0.5), top + height - CELL * (row + 0.5))
    for c in range(state.columns):
        body.append(shared.caption(str(c + 1), left + CELL * (c + 0.5), top + height + 17, 11))
    label = f"Suika, score {state.score}{', lost' if state.over else ''}"
    return shared.svg(max(width + 16, 220.0), top + height + 24, body, label)


def _circle(state: np.record, kind: int, x: float, y: float) -> list[str]:
    radius = CELL * (0.30 + 0.19 * (kind - 1) / (state.kinds - 1))
    ink = "#222222" if kind in LIGHT else "#ffffff"
    return [
        shared.element("circle", cx=x, cy=y, r=radius, fill=COLOURS[kind]),
        shared.element("text", str(kind), x=x, y=y + 4, font_size=11, font_weight="bold", fill=ink),
    ]
