"""2048 for people: coloured text for a terminal, SVG for notebooks and the workbench."""

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .board import TILES
from .text import ending, tiles

COLOURS = (
    *("#e6dfd3", "#e3d3ad", "#f0ae73", "#f0915a", "#ef7455", "#e9532f", "#ead06a", "#e8c84f", "#e7c136", "#e5b91e"),
    *("#e0ad00", "#5cb85c", "#2b9348", "#3d7fc4", "#5a4fcf"),
)


def paint(game: Game, state: np.record) -> list[tuple[str, str]]:
    """The score and the tiles, as pieces of text with their styles."""
    pieces = [(f"score {state.score}{ending(game, state)}\n\n", "bold")]
    for row in tiles(state):
        for tile in row:
            name, style = (str(tile), f"bold {_ink(tile)} on {_colour(tile)}") if tile else ("·", "dim")
            pieces.append((f"{name:^7}", style))
        pieces.append(("\n", ""))
    return pieces[:-1]


def show(game: Game, state: np.record) -> str:
    return "".join(piece for piece, _ in game.paint(state))


def draw(game: Game, state: np.record) -> str:
    cell, gap, top = 60.0, 6.0, 30.0
    side = float(state.side * (cell + gap) + gap)
    words = f"score {state.score}{ending(game, state)}"
    body = [
        shared.caption(words, side / 2, 20, 15),
        shared.element("rect", x=0, y=top, width=side, height=side, rx=6, fill=shared.GREY, fill_opacity=0.35),
    ]
    for r, row in enumerate(tiles(state)):
        for c, tile in enumerate(row):
            x, y = gap + c * (cell + gap), top + gap + r * (cell + gap)
            look = {"fill": _colour(tile)} if tile else {"fill": shared.GREY, "fill_opacity": 0.25}
            body.append(shared.element("rect", x=x, y=y, width=cell, height=cell, rx=5, **look))
            if tile:
                size = 26 - 4 * max(0, len(str(tile)) - 2)
                ink = {"black": "#222222", "white": "#ffffff"}[_ink(tile)]
                middle = {"x": x + cell / 2, "y": y + cell / 2 + size / 3}
                body.append(shared.element("text", str(tile), font_size=size, font_weight="bold", fill=ink, **middle))
    return shared.svg(side, top + side, body, f"2048, {words}")


def _colour(tile: int) -> str:
    return COLOURS[TILES.index(tile) - 1]


def _ink(tile: int) -> str:
    return "white" if tile in (32, 64) or tile > 2048 else "black"
