"""The playout side of every comparison: the settings that the C programs and the peers have too."""

from __future__ import annotations

import playout as po

from .measure import EXPLORATION
from .objects import TicTacToe

NAME = "playout"


def settings() -> po.Settings:
    """Plain UCT: proofs and early stopping would save work that the others do."""
    return po.Settings(policy=po.UCT(c=EXPLORATION), solver=False, early_stop=False)


def builtin(game: str, seed: int = 1) -> po.Search:
    return po.Search(po.games.load(game), settings(), seed=seed)


def wrapped(position: TicTacToe, seed: int = 1) -> po.Search:
    return po.Search(po.wrap(position), settings(), seed=seed)


def warm_up(search: po.Search) -> None:
    """Compile, or load what was compiled, outside the time that is taken; startup.py is where that is measured."""
    search.run(simulations=100)
