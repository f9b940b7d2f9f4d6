"""Chess for people: the board in a terminal, and as SVG with pieces of our own drawing."""

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .board import KING, LETTERS
from .text import status

SQUARE, EDGE = 45, 18
LIGHT_SQUARE, DARK_SQUARE, CHECK = "#ecdcc0", "#b08a64", "#d9534f"

# Each piece in a box of 45 by 45: its filled outlines, and the lines drawn on them.
BASE = "M10 40.5h25v-3.2c0-1.8-1.2-2.8-3-2.8H13c-1.8 0-3 1-3 2.8z"
PIECES = {
    "p": (
        "M12 40.5h21v-2.6c0-1.6-1-2.6-2.6-2.9c-3.6-2.6-4.6-6.6-4.7-10h2.8c1.2 0 1.2-2.6 0-2.6h-1.4a6.9 6.9 0 1 0-9.2 0"
        "h-1.4c-1.2 0-1.2 2.6 0 2.6h2.8c-.1 3.4-1.1 7.4-4.7 10c-1.6.3-2.6 1.3-2.6 2.9z",
        "M14.6 35h15.8",
    ),
    "r": (
        f"{BASE}M13.6 34.5l1.7-4.2v-12.1l-3-3.4V8h4.6v3h3.3V8h4.6v3h3.3V8h4.6v6.8l-3 3.4v12.1l1.7 4.2z",
        "M13.6 34.5h17.8M15.3 30.3h14.4M15.3 18.2h14.4M12.6 14.8h19.8",
    ),
    "n": (
        f"{BASE}M14 34.5c-.6-6.6 7.2-9.4 7.4-15.3c-2 2.3-4.6 2.6-6.2 4.3c-1.6 1.6-3 2.6-4.6 2.1c-2-.7-3.1-2.6-2.2-4.4"
        "c2-3.8 3.5-5.1 4.5-8c.5-1.8 1.7-3.2 3-4l.1-4.4l3.6 3.1c.5-.1 1-.1 1.5-.1l2.2-3l1.3 3.6"
        "c6.8 2.3 9.5 10.6 9.2 18.6c-.1 3-.6 5.4-1.4 7.5z",
        "M14 34.5h18.4M24.6 8.4c4.6 3 6.6 9.4 6.2 17.6M14.9 14.6l1.9-.7M10.4 22.4l1 .5",
    ),
    "b": (
        f"{BASE}M13.4 34.5c1.6-2.2 3-2.9 4.6-3.5c-3-2-4.6-5-4.6-8.3c0-5 5-8.3 7.8-12.6a3 3 0 1 1 2.6 0"
        "c2.8 4.3 7.8 7.6 7.8 12.6c0 3.3-1.6 6.3-4.6 8.3c1.6.6 3 1.3 4.6 3.5z",
        "M13.4 34.5h18.2M17.6 31h9.8M22.5 16v9M18.6 20h7.8",
    ),
    "q": (
        f"{BASE}M12.6 34.5c.3-2 .2-3.6-.6-5.3l-4.3-14.2a2.4 2.4 0 1 1 2-.6l5.2 8.2l.6-11.1a2.4 2.4 0 1 1 2.2-.2"
        "l3.5 10.6l1.2-12.3a2.4 2.4 0 1 1 .2 0l1.2 12.3l3.5-10.6a2.4 2.4 0 1 1 2.2.2l.6 11.1l5.2-8.2a2.4 2.4 0 1 1 2 .6"
        "l-4.3 14.2c-.8 1.7-.9 3.3-.6 5.3z",
        "M12.6 34.5h19.8M12 29.2c6-1.7 15-1.7 21 0",
    ),
    "k": (
        f"{BASE}M12.8 34.5c.3-2 0-3.2-.9-4.6c-3.4-3-5.4-5.6-5.4-9c0-3.8 3-6.4 6.6-6.4c3 0 5.6 1.5 7.2 4c.4-2 .8-3 1.1-4"
        "V10.4h-3V7.8h3V4.6h2.2v3.2h3v2.6h-3v4.1c.3 1 .7 2 1.1 4c1.6-2.5 4.2-4 7.2-4c3.6 0 6.6 2.6 6.6 6.4c0 3.4-2 6"
        "-5.4 9c-.9 1.4-1.2 2.6-.9 4.6z",
        "M12.8 34.5h19.4M11.9 29.9c6-1.8 15.2-1.8 21.2 0M22.5 29V20.4",
    ),
}
STYLES = (("#fdfcf7", "#23201c", "#23201c"), ("#2f2b28", "#14110f", "#e6ddcf"))  # fill, outline, lines, by colour


def show(game: Game, state: np.record) -> str:
    rows = [
        f"{rank + 1}  {' '.join(LETTERS[code] for code in state.squares[8 * rank : 8 * rank + 8])}"
        for rank in range(7, -1, -1)
    ]
    return "\n".join([*rows, "", "   a b c d e f g h", status(state)])


def draw(game: Game, state: np.record) -> str:
    """The board as SVG with White at the bottom; a king in check stands on red."""
    body = []
    for square in range(64):
        x, y = EDGE + SQUARE * (square & 7), EDGE + SQUARE * (7 - (square >> 3))
        code = int(state.squares[square])
        fill = DARK_SQUARE if (square & 7) + (square >> 3) & 1 == 0 else LIGHT_SQUARE
        if state.checkers and code == KING + 8 * int(state.turn):
            fill = CHECK
        body.append(shared.element("rect", x=x, y=y, width=SQUARE, height=SQUARE, fill=fill))
        if code:
            body.append(piece(LETTERS[code], x, y))
    for i in range(8):
        middle = EDGE + SQUARE * i + SQUARE / 2
        for down in (EDGE - 6, EDGE + 8 * SQUARE + 13):
            body.append(shared.caption("abcdefgh"[i], middle, down, 12))
        for across in (EDGE / 2, EDGE * 1.5 + 8 * SQUARE):
            body.append(shared.caption("87654321"[i], across, middle + 4, 12))
    side = 8 * SQUARE + 2 * EDGE
    body.append(shared.caption(status(state), side / 2, side + 16, 15))
    return shared.svg(side, side + 26, body, f"Chess, {status(state)}")


def piece(letter: str, x: float, y: float) -> str:
    """One piece, by its FEN letter, with the corner of its box at (x, y)."""
    outline, lines = PIECES[letter.lower()]
    fill, stroke, line = STYLES[letter.islower()]
    return (
        f'<g transform="translate({x:g} {y:g})" stroke-width="1.4" stroke-linejoin="round" stroke-linecap="round">'
        f'<path d="{outline}" fill="{fill}" stroke="{stroke}"/><path d="{lines}" fill="none" stroke="{line}"/></g>'
    )
