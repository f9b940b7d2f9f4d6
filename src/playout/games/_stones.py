"""What tic-tac-toe and connect four share: X and O place stones in turn, until one has a row or the board is full."""

import re
from collections.abc import Sequence

import numpy as np

from playout.game import TERMINAL, Game

from ._shared import legal, refused


class StonesRules(Game):
    """Whose turn it is, for a state with these fields.

    `mine` and `theirs`: the stones of the side to move and of the other side, as bits; `ply`: the number of stones on
    the board; `over`: whether the game has ended.
    """

    players = 2

    @staticmethod
    def initial_state(state):
        pass  # an empty board is all zeros

    @staticmethod
    def current_player(state):
        return TERMINAL if state.over else state.ply & 1


def numbered_action(game: Game, state: np.record, text: str, most: int, noun: str, taken: str) -> int:
    """The action written as a digit from 1 to `most`; actions count from 0. Messages call it a `noun` ("column")."""
    wanted = text.strip()
    if not re.fullmatch(f"[1-{most}]", wanted):
        raise refused(game, state, text, f"expected a {noun}, 1 to {most}")
    if int(wanted) - 1 not in legal(game, state):
        raise refused(game, state, text, f"{noun} {wanted} is {taken}")
    return int(wanted) - 1


def stones_fault(counts: Sequence[int], won: Sequence[bool], row: str) -> str:
    """Why no game reaches a board on which X and O place stones in turn until one has a row; "" where one may.

    `counts` are the stones of X and O, `won` says who has a row, and `row` is its length in words.
    """
    if counts[0] - counts[1] not in (0, 1):
        return f"{counts[0]} X and {counts[1]} O; X begins, so X has as many as O or one more"
    if won[0] and won[1]:
        return f"both sides have {row} in a row"
    if won[0] and counts[0] == counts[1]:
        return "O moved after X had won"
    if won[1] and counts[0] > counts[1]:
        return "X moved after O had won"
    return ""
