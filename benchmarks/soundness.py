"""Do the libraries play right? A fast search that answers wrongly should be read as such."""

from __future__ import annotations

import random
from functools import cache

from .libraries import Search
from .objects import TicTacToe

SIMULATIONS = 2000  # enough for any right search: these positions have at most seven empty squares


@cache
def value(position: TicTacToe) -> int:
    """What the player to move gets with best play: 1, 0 or -1."""
    if position.terminal:
        return -1 if position.winner else 0
    return max(-value(child) for child in position.find_children())


@cache
def tests(count: int) -> tuple[TicTacToe, ...]:
    """Positions, with either player to move, where only one move keeps the value."""
    found = set()
    frontier = {TicTacToe()}
    while frontier:
        frontier = {child for position in frontier for child in position.find_children() if not child.terminal}
        for position in frontier:
            keeping = [child for child in position.find_children() if -value(child) == value(position)]
            if len(keeping) == 1 and len(position.squares()) > 2:
                found.add(position)
    return tuple(random.Random(1).sample(sorted(found), count))


def kept(search: Search, count: int) -> int:
    """In how many of `count` positions the answer keeps the value."""
    random.seed(1)
    right = 0
    for position in tests(count):
        answer = search(position, SIMULATIONS)
        right += -value(position.place(answer.square)) == value(position)
    return right
