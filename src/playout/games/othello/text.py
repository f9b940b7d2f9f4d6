"""Othello as text: moves a1 to h8, and positions as 64 squares and the side to move, or as the moves played."""

import re

import numpy as np

from playout.errors import PositionError
from playout.game import Game
from playout.games import _shared as shared

from .rules import PASS, START_O, START_X, placeable

CENTRE = int(START_X | START_O)
FILES = "abcdefgh"


def action_to_text(game: Game, state: np.record, action: int) -> str:
    return "pass" if action == PASS else f"{FILES[action % 8]}{action // 8 + 1}"


def action_from_text(game: Game, state: np.record, text: str) -> int:
    wanted = text.strip().lower()
    legal = shared.legal(game, state)
    if wanted in ("pass", "--"):
        action, reason = PASS, "there are other moves"
    elif re.fullmatch("[a-h][1-8]", wanted):
        action, reason = 8 * (int(wanted[1]) - 1) + FILES.index(wanted[0]), "it turns no disc"
        if int(state.mine | state.theirs) >> action & 1:
            reason = "the square is taken"
    else:
        raise shared.refused(game, state, text, "expected a square, a1 to h8, or pass")
    if action not in legal:
        raise shared.refused(game, state, text, reason)
    return action


def state_to_text(game: Game, state: np.record) -> str:
    return f"{squares(state)} {'XO'[state.turn]}"


def state_from_text(game: Game, state: np.record, text: str) -> None:
    if text[0] not in "-.xXoO":
        _play_moves(game, state, text)
        return
    board = re.sub(r"[/\s]", "", text.partition(";")[0].upper().replace(".", "-"))
    if not re.fullmatch("[-XO]{64}[XO]", board):
        bad = re.search("[^-XO]", board)
        why = f"'{bad[0]}' at {bad.start() + 1}" if bad else f"{len(board)} characters"
        example = state_to_text(game, state)
        expected = f"64 squares of X, O and -, a space and the side to move, as in '{example}'; or moves as in f5d6c3"
        raise shared.unreadable(game, text, expected, why=why)
    discs = [sum(1 << k for k in range(64) if board[k] == side) for side in "XO"]
    if (discs[0] | discs[1]) & CENTRE != CENTRE:
        raise shared.impossible(game, text, "d4, e4, d5 and e5 hold discs from the start on, and always will")
    state.turn = "XO".index(board[64])
    state.mine, state.theirs = np.uint64(discs[state.turn]), np.uint64(discs[1 - state.turn])
    state.open = placeable(state.mine, state.theirs)
    state.over = int(state.open == 0 and placeable(state.theirs, state.mine) == 0)


def _play_moves(game: Game, state: np.record, text: str) -> None:
    """Play moves from the start; a pass that the text leaves out is made where it is forced."""
    moves = re.findall("[a-h][1-8]|--|pass", text.lower())
    if "".join(moves) != re.sub(r"[,;\s]", "", text.lower()):
        example = state_to_text(game, state)
        expected = f"squares a1 to h8 and passes as in f5d6c3, or 64 squares and the side to move as in '{example}'"
        raise shared.unreadable(game, text, expected, what="moves")
    for number, move in enumerate(moves):
        if move not in ("pass", "--") and shared.legal(game, state) == [PASS]:
            shared.play(game, state, PASS)
        try:
            shared.replay(game, state, [move], text)
        except PositionError as error:
            raise PositionError(str(error).replace(", move 1:", f", move {number + 1}:", 1)) from None


def squares(state: np.record) -> str:
    """The 64 squares, row by row from the top, each X, O or -."""
    own, other = "XO" if state.turn == 0 else "OX"
    mine, theirs = int(state.mine), int(state.theirs)
    return "".join(own if mine >> k & 1 else other if theirs >> k & 1 else "-" for k in range(64))


def status(state: np.record) -> str:
    """The count of discs, and who has won or is to move."""
    board = squares(state)
    x, o = board.count("X"), board.count("O")
    if not state.over:
        end = f"{'XO'[state.turn]} to move" + ("" if state.open else " (must pass)")
    else:
        end = "a draw" if x == o else f"{'X' if x > o else 'O'} has won"
    return f"X {x}, O {o}; {end}"
