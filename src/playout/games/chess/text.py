"""Chess positions and moves as people write them: FEN, `startpos moves …`, UCI and SAN."""

import re
from collections.abc import Callable

import numpy as np

from playout.errors import ActionError, PositionError
from playout.game import Game

from .board import CHECKMATE, ENDS, FIVEFOLD_REPETITION, GOES_ON, THREEFOLD_REPETITION
from .ends import find_end
from .fen import COLOURS, START_FEN, read_fen, write_fen, write_history
from .san import from_text, to_uci


def action_to_text(game: Game, state: np.record, action: int) -> str:
    return to_uci(action)


def action_from_text(game: Game, state: np.record, text: str) -> int:
    return from_text(game.position_of(state), text)


def state_to_text(game: Game, state: np.record) -> str:
    by_repetition = state.over in (THREEFOLD_REPETITION, FIVEFOLD_REPETITION)
    return write_history(state) if by_repetition else write_fen(state)


def state_from_text(game: Game, state: np.record, text: str, read_past: Callable[[np.record, str], None]) -> None:
    """Fill `state`; `read_past` is called after a FEN is read."""
    start, word, moves = text.partition(" moves")
    start = re.sub(r"^(position\s+)?(fen\s+)?", "", start.strip())
    if word and moves[:1].strip():
        raise PositionError(f"chess: can't read 'moves{moves.split()[0]}' in '{text}', expected moves e2e4 e7e5 …")
    if start != "startpos":
        if "/" not in start:
            raise PositionError(
                f"chess: can't read position '{text}', expected a FEN as in {START_FEN}, or startpos, and then "
                f"moves e2e4 e7e5 … if there are any"
            )
        read_fen(state, start)
        read_past(state, start)
    claims, state.claims = int(state.claims), -1  # a draw on the way may not have been claimed
    position = game.position_of(judged(state))
    for number, move in enumerate(moves.split(), start=1):
        try:
            position = position.play(position.action(move))
        except ActionError as error:
            reason = str(error).removeprefix("chess: ")
            raise PositionError(f"chess: move {number} of '{text}': {reason}") from None
    for field in game.dtype.names or ():
        state[field] = position.state[field]
    state.claims = claims
    judged(state)


def judged(state: np.record) -> np.record:
    """The state, with `over` filled in."""
    with np.errstate(over="ignore"):
        state.over = find_end(state)
    return state


def status(state: np.record) -> str:
    """Who is to move, or how the game ended."""
    mover, waiting = COLOURS[state.turn], COLOURS[1 - state.turn]
    if state.over == CHECKMATE:
        return f"checkmate, {waiting} has won"
    if state.over != GOES_ON:
        return f"a draw by {ENDS[state.over]}"
    return f"{mover} to move{', in check' if state.checkers else ''}"
