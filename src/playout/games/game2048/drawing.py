"""2048 for people: coloured text for a terminal, SVG for notebooks and the workbench."""

from typing import Any

from playout.games import _shared as shared

from .board import TILES

COLOURS = (
    *("#e6dfd3", "#e3d3ad", "#f0ae73", "#f0915a", "#ef7455", "#e9532f", "#ead06a", "#e8c84f", "#e7c136", "#e5b91e"),
    *("#e0ad00", "#5cb85c", "#2b9348", "#3d7fc4", "#5a4fcf"),
)


def tiles(state: Any) -> list[list[int]]:
    side = range(state.side)
    return [[TILES[int(state.board) >> (16 * r + 4 * c) & 15] for c in side] for r in side]


def paint(state: Any, end: str) -> list[tuple[str, str]]:
    pieces = [(f"score {state.score}{end}\n\n", "bold")]
    for row in tiles(state):
        for tile in row:
            name, style = (str(tile), f"bold {_ink(tile)} on {_colour(tile)}") if tile else ("·", "dim")
            pieces.append((f"{name:^7}", style))
        pieces.append(("\n", ""))
    return pieces[:-1]


def draw(state: Any, end: str) -> str:
    cell, gap, top = 60.0, 6.0, 30.0
    side = float(state.side * (cell + gap) + gap)
    words = f"score {state.score}{end}"
    body = [
        shared.element("text", words, x=side / 2, y=20, font_size=15, fill=shared.GREY),
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
