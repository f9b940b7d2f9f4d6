"""`check_game`: play a game at random and say what is wrong with its rules.

Rules of a record are asked uncompiled first, on guarded arrays, then compiled (`rules`, `ask`); of Python objects, each
method is looked at (`objects`). What can be found stands in `mistakes`.
"""

from typing import Any

import numpy as np

from playout.arguments import refuses_unknown_names, seed_from, whole_from
from playout.core.watch import watched
from playout.core.watchdog import Watchdog
from playout.errors import SettingsError
from playout.game import Game
from playout.games import as_game
from playout.settings import preset_for

from .findings import Finding, Report
from .objects import ObjectDoctor, looks_like_a_game, wrapped
from .rules import RulesDoctor

__all__ = ["Finding", "Report", "check_game"]

RULE_SECONDS = 10.0


@refuses_unknown_names
def check_game(
    game: Any, games: int = 100, seed: int | None = 0, max_length: int = 10_000, rule_seconds: float = RULE_SECONDS
) -> Report:
    """Play `games` random games of up to `max_length` actions and report what is wrong with the rules.

    `game` is a `Game`, the name of one as in `games.load`, or a Python object that `po.wrap` takes. Errors that the
    rules raise become findings, and so does a rule that has not returned after `rule_seconds` of processor time. A
    class that can't be a game at all is a `GameError`, as ever. With `seed=None` the seed is random.

    >>> check_game("tictactoe", games=5).ok
    True
    """
    if not isinstance(game, Game) and looks_like_a_game(game):
        game = wrapped(game)
    game = as_game(game, "check_game")
    preset_for(game)
    games, max_length, seed = whole_from(games, "games"), whole_from(max_length, "max_length"), seed_from(seed)
    if not isinstance(rule_seconds, int | float) or not 0 < rule_seconds < float("inf"):
        raise SettingsError(f"rule_seconds is {rule_seconds!r}, expected a number above 0")
    doctor = ObjectDoctor if game.keeps_objects else RulesDoctor
    compiled = np.errstate(all="ignore")  # its numbers wrap silently
    with watched(), Watchdog(float(rule_seconds)) as watchdog, compiled:
        return doctor(game, seed, max_length, watchdog).examine(games)
