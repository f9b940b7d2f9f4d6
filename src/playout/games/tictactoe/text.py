"""Tic-tac-toe as text: cells 1 to 9, and positions as three rows or as the moves played."""

import re

import numpy as np

from playout.game import Game
from playout.games import _shared as shared
from playout.games import _stones as stones

from .rules import WON


def action_to_text(game: Game, state: np.record, action: int) -> str:
    return str(action + 1)


def action_from_text(game: Game, state: np.record, text: str) -> int:
    return stones.numbered_action(game, state, text, 9, "cell", "taken")


def state_to_text(game: Game, state: np.record) -> str:
    board = "".join(cells(state))
    return "/".join(board[row : row + 3] for row in (0, 3, 6))


def state_from_text(game: Game, state: np.record, text: str) -> None:
    if text[0].isdigit():
        moves = re.findall(r"\d+", text) if re.search(r"\D", text) else list(text)
        if not re.fullmatch(r"[\d,;\s]*", text):
            raise shared.unreadable(game, text, "cells 1 to 9 as in 5,1,9", what="moves")
        shared.replay(game, state, moves, text)
        return
    board = re.sub(r"[-_]", ".", text.upper())
    if not re.fullmatch(r"[XO.]{9}|[XO.]{3}([/\s][XO.]{3}){2}", board):
        expected = "three rows of X, O and . as in X.O/.X./..., or moves as in 5,1,9"
        raise shared.unreadable(game, text, expected)
    board = re.sub(r"[/\s]", "", board)
    sides = [sum(1 << k for k in range(9) if board[k] == side) for side in "XO"]
    counts, won = [side.bit_count() for side in sides], [bool(WON[side]) for side in sides]
    if reason := stones.stones_fault(counts, won, "three"):
        raise shared.impossible(game, text, reason)
    state.ply = sum(counts)
    state.mine, state.theirs = sides[state.ply & 1], sides[1 - (state.ply & 1)]
    state.over = int(won[0] or won[1] or state.ply == 9)


def cells(state: np.record) -> list[str]:
    """The nine cells, each X, O or a point."""
    sides = "XO" if state.ply % 2 == 0 else "OX"
    both = ((int(state.mine), sides[0]), (int(state.theirs), sides[1]))
    return [next((side for bits, side in both if bits >> k & 1), ".") for k in range(9)]


def status(state: np.record) -> str:
    """Who has won, or who is to move."""
    if WON[state.theirs]:
        return f"{'OX'[state.ply % 2]} has won"
    return "a draw" if state.over else f"{'XO'[state.ply % 2]} to move"
