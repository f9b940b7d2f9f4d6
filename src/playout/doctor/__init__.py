"""`check_game` finds mistakes in a game's rules by playing at random; `check_part` finds mistakes in a policy or backup
by calling it on nodes and edges.

Rules of a record are called uncompiled first, on guarded arrays, then compiled (`rules`, `ask`). For Python objects,
each method is checked (`objects`). Policies and backups are called both ways, too (`parts`, `part_ask`, `part_cases`).
What can be found is listed in `mistakes`, `object_mistakes` and `part_mistakes`.
"""

from typing import Any

import numpy as np

from playout.common.arguments import refuses_unknown_names, seed_from, whole_from
from playout.core.watch import watched
from playout.core.watchdog import Watchdog
from playout.errors import SettingsError
from playout.game import Game
from playout.games import as_game
from playout.parts.part import Part
from playout.settings import preset_for

from .findings import Finding, Report
from .objects import ObjectDoctor, looks_like_a_game, wrapped
from .parts import PartReport, examine, part_from
from .rules import RulesDoctor

__all__ = ["Finding", "PartReport", "Report", "check_game", "check_part"]

RULE_SECONDS = 10.0


@refuses_unknown_names
def check_game(
    game: Any, games: int = 100, seed: int | None = 0, max_length: int = 10_000, rule_seconds: float = RULE_SECONDS
) -> Report:
    """Play `games` random games of up to `max_length` actions, and report mistakes in the rules.

    `game` is a `Game`, the name of one as for `games.load`, or a Python object that `po.wrap` takes. Exceptions in the
    rules become findings, and so does a rule that does not return within `rule_seconds` of processor time. A class that
    is not a game raises a `GameError`. With `seed=None` the seed is random.

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
    with watched(), Watchdog(rule_seconds) as watchdog, np.errstate(all="ignore"):  # compiled, numbers wrap silently
        return doctor(game, seed, max_length, watchdog).examine(games)


@refuses_unknown_names
def check_part(
    part: Part | type[Part], game: Any = None, seed: int | None = 0, rule_seconds: float = RULE_SECONDS
) -> PartReport:
    """Call a policy or backup on nodes and edges from searches and on random ones, and report mistakes in it.

    `part` is a `po.Policy` or `po.Backup`, or the class of one. The searches are of `game`, or of some built-in games.
    Exceptions in its functions become findings.

    >>> import playout as po
    >>> check_part(po.UCT()).ok
    True
    """
    given = part_from(part)
    where = None if game is None else as_game(game, "check_part")
    return examine(given, where, seed_from(seed), _seconds(rule_seconds))


def _seconds(given: Any) -> float:
    if not isinstance(given, int | float) or not 0 < given < float("inf"):
        raise SettingsError(f"rule_seconds is {given!r}, expected a number above 0")
    return float(given)
