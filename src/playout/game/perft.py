"""Perft: count the sequences of actions from a position, the classic check of a game's rules."""

import numpy as np

from playout.core import rules
from playout.errors import GameError

from .faults import rules_may_raise
from .position import Position

AT_ONCE = 1_000_000  # sequences, roughly, that one call of the kernel may count; Ctrl-C is noticed between calls


def perft(position: Position, depth: int) -> int:
    """The number of sequences of `depth` actions from a position. Outcomes of chance count as actions."""
    if position.game.draws:
        raise GameError(
            f"{position.game.title} draws its actions, so that sequences of them can't be counted; perft is for games "
            f"that list all actions"
        )
    if depth == 0:
        return 1
    if position.is_terminal:
        return 0
    actions = position.actions()
    if depth > 1 and max(4, len(actions)) ** depth > AT_ONCE:
        return sum(perft(position.play(action), depth - 1) for action in actions)
    return _counted(position, depth)


def _counted(position: Position, depth: int) -> int:
    game = position.game
    room = game.rules.room
    states = np.zeros((depth + 1, len(position.buffer)), np.uint8)
    states[0] = position.buffer
    scratch = (np.zeros((depth + 1, room), np.int32), np.zeros(room), np.zeros(game.players))
    levels = (np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64))
    with rules_may_raise(game):
        found = int(rules.perft(game.rules_table(), states, *scratch, *levels, depth))
    if found < 0:
        Position(game, states[-1 - found].copy()).actions()  # raises, with what is wrong with their number
    return found
