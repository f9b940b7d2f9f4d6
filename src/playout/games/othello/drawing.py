"""Othello for people: the board in a terminal, and as SVG; both mark where the side to move may place a disc."""

import numpy as np

from playout.game import Game
from playout.games import _shared as shared

from .text import FILES, squares, status

BLACK, WHITE = "#14181d", "#f4f4ef"


def show(game: Game, state: np.record) -> str:
    board, open_ = squares(state).replace("-", "."), 0 if state.over else int(state.open)
    marked = ["*" if open_ >> k & 1 else square for k, square in enumerate(board)]
    rows = [f"{row + 1} {' '.join(marked[8 * row : 8 * row + 8])}" for row in range(8)]
    return "\n".join(["  a b c d e f g h", *rows, status(state)])


def draw(game: Game, state: np.record) -> str:
    body = [shared.element("rect", x=16, y=16, width=256, height=256, rx=4, fill="#2e7d4f")]
    for i in range(1, 8):
        at = 16 + 32 * i
        body.append(shared.element("path", d=f"M{at} 16V272M16 {at}H272", stroke="#1d5636"))
    for i, name in enumerate(FILES):
        at = 32 + 32 * i
        body += [shared.caption(name, at, 12, 11), shared.caption(str(i + 1), 8, at + 4, 11)]
    for k, square in enumerate(squares(state)):
        x, y = 32 + 32 * (k % 8), 32 + 32 * (k // 8)
        if square != "-":
            body.append(shared.element("circle", cx=x, cy=y, r=13, fill=BLACK if square == "X" else WHITE))
        elif int(state.open) >> k & 1:
            body.append(shared.element("circle", cx=x, cy=y, r=3, fill=BLACK if state.turn == 0 else WHITE))
    body.append(shared.caption(status(state), 144, 290))
    return shared.svg(288, 298, body, f"Othello, {status(state)}")
