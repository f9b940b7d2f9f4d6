"""Positions as the protocol gives them, and as the search plays them."""

import numpy as np

from playout.errors import PositionError
from playout.game import Game, Position
from playout.games.chess.board import CHECKMATE, GOES_ON, STALEMATE
from playout.games.chess.ends import find_end


def parse_position(words: list[str]) -> tuple[str, list[str]]:
    """The words after `position`: where the game starts (`startpos` or a FEN), and the moves since.

    >>> parse_position("startpos moves e2e4 e7e5".split())
    ('startpos', ['e2e4', 'e7e5'])
    """
    at = words.index("moves") if "moves" in words else len(words)
    start, moves = " ".join(words[:at]), words[at + 1 :]
    if words[:1] == ["fen"] and "/" in start:
        return start.removeprefix("fen").strip(), moves
    if start != "startpos":
        raise PositionError(f"can't read 'position {start}', expected position startpos, or position fen …")
    return start, moves


def starting_position(game: Game, start: str) -> Position:
    """A position in which no draw rule has ended the game: a chess program may go on where a draw could be claimed."""
    position = type(game)(claims=-1).position(start)
    return Position(game, position.buffer)


def played(position: Position, moves: list[str]) -> Position:
    """The position after these moves."""
    for move in moves:
        position = position.play(position.action(move))
    return position


def to_search(replayed: Position) -> Position:
    """A position as the search plays it: draws are claimed from here on, but the root itself goes on if it has a move.

    If a draw could have been claimed already, only draws without a claim end the game; if even one of those has passed,
    draws count from the next move on.
    """
    for claims in (1, 0):
        position = Position(replayed.game, replayed.buffer.copy())
        state = position.state
        state.claims = claims
        with np.errstate(over="ignore"):
            state.over = find_end(state)
        if state.over in (GOES_ON, CHECKMATE, STALEMATE):
            return position
    state.over = GOES_ON
    return position


def is_mate(position: Position) -> bool:
    """Whether the side to move is checkmated."""
    return bool(position.state.over == CHECKMATE)
