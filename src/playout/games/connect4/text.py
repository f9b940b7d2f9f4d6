"""Connect four as text: a position is the columns played, in an order that leads to it, or six rows of X, O and points.

The state does not remember the order of play, so writing a position searches for one.
"""

import re

import numpy as np

from playout.game import Game
from playout.games import _shared as shared
from playout.games import _stones as stones

from .rules import has_four


def action_to_text(game: Game, state: np.record, action: int) -> str:
    return str(action + 1)


def action_from_text(game: Game, state: np.record, text: str) -> int:
    return stones.numbered_action(game, state, text, 7, "column", "full")


def state_to_text(game: Game, state: np.record) -> str:
    board = rows(state)
    order = _order(board)
    return "/".join(board) if order is None else "".join(str(column + 1) for column in order)


def state_from_text(game: Game, state: np.record, text: str) -> None:
    if text[0].isdigit():
        moves = re.sub(r"[,\s]", "", text)
        if not re.fullmatch(r"\d*", moves):
            raise shared.unreadable(game, text, "columns 1 to 7 as in 44455", what="moves")
        shared.replay(game, state, moves, text)
        return
    board = re.split(r"[/\s]+", re.sub(r"[-_]", ".", text.upper()))
    if len(board) != 6 or not all(re.fullmatch("[XO.]{7}", row) for row in board):
        example = f"{'/'.join(['.......'] * 5)}/..XO..."
        expected = f"columns 1 to 7 as in 44455, or six rows of seven X, O and . from the top as in {example}"
        raise shared.unreadable(game, text, expected)
    order = _order(board)
    if order is None:
        raise shared.impossible(game, text, _fault(board))
    shared.replay(game, state, [str(column + 1) for column in order], text)


def rows(state: np.record) -> list[str]:
    """Six rows from the top, each cell X, O or a point."""
    mine, theirs = int(state.mine), int(state.theirs)
    own, other = "XO" if state.ply % 2 == 0 else "OX"

    def cell(bit: int) -> str:
        return own if mine >> bit & 1 else other if theirs >> bit & 1 else "."

    return ["".join(cell(7 * column + height) for column in range(7)) for height in range(5, -1, -1)]


def status(state: np.record) -> str:
    """Who has won, or who is to move."""
    if has_four(state.theirs):
        return f"{'OX'[state.ply % 2]} has won"
    return "a draw" if state.over else f"{'XO'[state.ply % 2]} to move"


def _stones(board: list[str], side: str) -> int:
    """One side's stones as a bitboard."""
    return sum(1 << 7 * c + 5 - r for r, row in enumerate(board) for c, cell in enumerate(row) if cell == side)


def _order(board: list[str]) -> list[int] | None:
    """Columns in an order that builds this board, the sides in turn and no win before the last move; None: impossible.

    Without a four any order will do, since no part of such a board has a four either. With one, the last stone must be
    part of every four.
    """
    stacks = ["".join(row[c] for row in reversed(board)).rstrip(".") for c in range(7)]
    total = sum(map(len, stacks))
    if any("." in stack for stack in stacks) or _stones(board, "X").bit_count() != (total + 1) // 2:
        return None
    sides = [np.uint64(_stones(board, side)) for side in "XO"]
    if not any(has_four(side) for side in sides):
        return _build(stacks, total)
    last = "XO"[(total + 1) % 2]
    for column, stack in enumerate(stacks):
        if stack.endswith(last):
            stone = np.uint64(1 << 7 * column + len(stack) - 1)
            if any(has_four(side & ~stone) for side in sides):
                continue
            order = _build([s[:-1] if c == column else s for c, s in enumerate(stacks)], total - 1)
            if order is not None:
                return [*order, column]
    return None


def _build(stacks: list[str], total: int) -> list[int] | None:
    """The same for stacks of X and O without a four, by backtracking; heights that failed are not tried twice."""
    heights, order = [0] * 7, list[int]()
    failed: set[tuple[int, ...]] = set()

    def extend() -> bool:
        if len(order) == total:
            return True
        if tuple(heights) in failed:
            return False
        side = "XO"[len(order) % 2]
        for column, stack in enumerate(stacks):
            if stack[heights[column] : heights[column] + 1] == side:
                heights[column] += 1
                order.append(column)
                if extend():
                    return True
                heights[column] -= 1
                order.pop()
        failed.add(tuple(heights))
        return False

    return order if extend() else None


def _fault(board: list[str]) -> str:
    """Why no game reaches this board."""
    for c in range(7):
        stack = "".join(row[c] for row in reversed(board))
        if "." in stack.rstrip("."):
            return f"a stone in column {c + 1} floats, with an empty cell below it"
    counts = [_stones(board, side).bit_count() for side in "XO"]
    won = [bool(has_four(np.uint64(_stones(board, side)))) for side in "XO"]
    return stones.stones_fault(counts, won, "four") or "no order of moves, X and O in turn, leads to it"
