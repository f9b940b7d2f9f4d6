"""Tic-tac-toe: three in a row on a board of nine cells."""

import re
from typing import Any

import numpy as np

from playout.errors import PositionError
from playout.game import TERMINAL, Game

from . import _shared as shared
from . import _symmetries as symmetries

# Cell k is bit k; people count from one.
#
#     1 | 2 | 3
#    ---+---+---
#     4 | 5 | 6
#    ---+---+---
#     7 | 8 | 9

LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
MASKS = tuple(sum(1 << cell for cell in line) for line in LINES)
WON = np.array([any(stones & mask == mask for mask in MASKS) for stones in range(512)])  # by one side's stones


class TicTacToe(Game):
    """Players: X (0) moves first, O (1). Actions: cells 0 to 8, written 1 to 9.

    Positions: three rows, `X.O/.X./...`, where the side to move follows from the counts; or the moves, `5,1,9`.

    What a network sees: the player's own stones, then the other's; row 0 is the top. It answers with the nine cells.
    """

    name = "tictactoe"
    players = 2
    max_actions = 9
    planes = (2, 3, 3)
    policy_size = 9
    state = np.dtype([("mine", np.int32), ("theirs", np.int32), ("ply", np.int32), ("over", np.int32)])

    @staticmethod
    def initial_state(state):
        pass  # an empty board is all zeros

    @staticmethod
    def current_player(state):
        return TERMINAL if state.over else state.ply & 1

    @staticmethod
    def legal_actions(state, actions):
        free = ~(state.mine | state.theirs)
        count = 0
        for cell in range(9):
            actions[count] = cell  # stays only when the cell is free: no branch to guess wrong
            count += (free >> cell) & 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        player = state.ply & 1
        stones = state.mine | (1 << action)
        state.mine = state.theirs
        state.theirs = stones
        state.ply += 1
        if WON[stones]:
            rewards[player] = 1.0
            rewards[1 - player] = -1.0
            state.over = 1
        elif state.ply == 9:
            state.over = 1

    @staticmethod
    def observe(state, player, planes):
        own = 0 if state.ply & 1 == player else 1  # `mine` is of the side to move
        for cell in range(9):
            planes[own, cell // 3, cell % 3] = (state.mine >> cell) & 1
            planes[1 - own, cell // 3, cell % 3] = (state.theirs >> cell) & 1

    def symmetries(self) -> list[tuple[Any, Any]]:
        return symmetries.permutations(symmetries.of_square(3), planes=2)

    def action_to_text(self, state: Any, action: int) -> str:
        return str(action + 1)

    def action_from_text(self, state: Any, text: str) -> int:
        if not re.fullmatch("[1-9]", text.strip()):
            raise shared.refused(self, state, text, "expected a cell, 1 to 9")
        action = int(text) - 1
        if action not in shared.legal(self, state):
            raise shared.refused(self, state, text, f"cell {action + 1} is taken")
        return action

    def state_to_text(self, state: Any) -> str:
        cells = "".join(_cells(state))
        return "/".join(cells[row : row + 3] for row in (0, 3, 6))

    def state_from_text(self, state: Any, text: str) -> None:
        if text[0].isdigit():
            moves = re.findall(r"\d+", text) if re.search(r"\D", text) else list(text)
            if not re.fullmatch(r"[\d,;\s]*", text):
                raise PositionError(f"{self.title}: can't read moves '{text}', expected cells 1 to 9 as in 5,1,9")
            shared.replay(self, state, moves, text)
            return
        expected = "expected three rows of X, O and . as in X.O/.X./..., or moves as in 5,1,9"
        cells = re.sub(r"[-_]", ".", text.upper())
        if not re.fullmatch(r"[XO.]{9}|[XO.]{3}([/\s][XO.]{3}){2}", cells):
            raise PositionError(f"{self.title}: can't read position '{text}', {expected}")
        cells = re.sub(r"[/\s]", "", cells)
        stones = [sum(1 << k for k in range(9) if cells[k] == side) for side in "XO"]
        counts, won = [board.bit_count() for board in stones], [bool(WON[board]) for board in stones]
        if reason := shared.impossible(counts, won, "three"):
            raise PositionError(f"{self.title}: position '{text}' can't be: {reason}")
        state.ply = sum(counts)
        state.mine, state.theirs = stones[state.ply & 1], stones[1 - (state.ply & 1)]
        state.over = int(won[0] or won[1] or state.ply == 9)

    def show(self, state: Any) -> str:
        cells = _cells(state)
        named = [
            str(k + 1) if cell == "." and not state.over else cell.replace(".", " ") for k, cell in enumerate(cells)
        ]
        rows = [f" {' | '.join(named[row : row + 3])} " for row in (0, 3, 6)]
        return "\n---+---+---\n".join(rows) + f"\n{_status(state)}"

    def draw(self, state: Any) -> str:
        body = []
        for at in (40, 80):
            for x1, y1, x2, y2 in ((at, 4, at, 116), (4, at, 116, at)):
                body.append(shared.element("line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=shared.GREY, stroke_width=2))
        for k, cell in enumerate(_cells(state)):
            x, y = 20 + 40 * (k % 3), 20 + 40 * (k // 3)
            if cell == "X":
                path = f"M{x - 10} {y - 10}L{x + 10} {y + 10}M{x - 10} {y + 10}L{x + 10} {y - 10}"
                body.append(shared.element("path", d=path, stroke=shared.RED, stroke_width=4, stroke_linecap="round"))
            elif cell == "O":
                body.append(shared.element("circle", cx=x, cy=y, r=11, fill="none", stroke=shared.BLUE, stroke_width=4))
        for line, mask in zip(LINES, MASKS):
            if state.theirs & mask == mask:  # only who just moved can have won
                (x1, y1), (x2, y2) = ((20 + 40 * (k % 3), 20 + 40 * (k // 3)) for k in (line[0], line[2]))
                body.append(
                    shared.element(
                        "line", x1=x1, y1=y1, x2=x2, y2=y2, stroke=shared.GOLD, stroke_width=4, stroke_linecap="round"
                    )
                )
        return shared.svg(120, 120, body, f"Tic-tac-toe, {_status(state)}")


def _cells(state: Any) -> list[str]:
    """The nine cells, each X, O or a point."""
    sides = "XO" if state.ply % 2 == 0 else "OX"
    both = ((int(state.mine), sides[0]), (int(state.theirs), sides[1]))
    return [next((side for stones, side in both if stones >> k & 1), ".") for k in range(9)]


def _status(state: Any) -> str:
    if WON[state.theirs]:
        return f"{'OX'[state.ply % 2]} has won"
    return "a draw" if state.over else f"{'XO'[state.ply % 2]} to move"
