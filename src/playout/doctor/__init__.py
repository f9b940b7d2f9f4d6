"""`check_game` plays a game at random and says what is wrong with its rules; `check_part` asks a policy or a backup
about nodes and edges and says what is wrong with it.

Rules of a record are asked uncompiled first, on guarded arrays, then compiled (`rules`, `ask`); of Python objects, each
method is looked at (`objects`); parts of a search likewise in both ways (`parts`, `part_ask`, `part_cases`). What can
be found stands in `mistakes`, `object_mistakes` and `part_mistakes`.
"""

from typing import Any

import numpy as np

from playout.common.arguments import refuses_unknown_names, seed_from, whole_from
from playout.core.watch import watched
from playout.core.watchdog import Watchdog
from playout.errors import SettingsError
from playout.game import Game
from playout.games import as_game
from playout.settings import preset_for

from .findings import Finding, Report
from .objects import ObjectDoctor, looks_like_a_game, wrapped
from .rules import RulesDoctor

__all__ = ["Finding", "Report", "check_game", "check_part"]

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
    rule_seconds = _seconds(rule_seconds)
    doctor = ObjectDoctor if game.keeps_objects else RulesDoctor
    compiled = np.errstate(all="ignore")  # its numbers wrap silently
    with watched(), Watchdog(rule_seconds) as watchdog, compiled:
        return doctor(game, seed, max_length, watchdog).examine(games)


@refuses_unknown_names
def check_part(part: Any, game: Any = None, seed: int | None = 0, rule_seconds: float = RULE_SECONDS) -> Any:
    """Ask a policy or a backup about searched and random trees and report what is wrong with it (a `PartReport`).

    `part` is a `po.Policy` or `po.Backup`, or the class of one. The trees are those of `game`, or of some built-in
    ones. What its functions raise becomes a finding.

    >>> import playout as po
    >>> check_part(po.UCT()).ok
    True
    """
    from .parts import examine, part_from

    given = part_from(part)
    where = None if game is None else as_game(game, "check_part")
    return examine(given, where, seed_from(seed), _seconds(rule_seconds))


def _seconds(given: Any) -> float:
    if not isinstance(given, int | float) or not 0 < given < float("inf"):
        raise SettingsError(f"rule_seconds is {given!r}, expected a number above 0")
    return float(given)
