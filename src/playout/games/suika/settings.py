"""The settings of suika: defaults, limits, and checks."""

from collections.abc import Mapping
from typing import Any

from playout.errors import SettingsError
from playout.game import Game
from playout.games._shared import check_range

WIDEST, HIGHEST, MOST_KINDS, MOST_DROPPED, MOST_VISIBLE = 16, 16, 15, 8, 4
STEEPEST = 600.0  # e to the power of more than this would overflow the weights

DEFAULTS: Mapping[str, Any] = {  # described in the class and in docs/suika.md
    "columns": 10,
    "rows": 16,
    "line": 14,
    "kinds": 10,
    "visible": 1,
    "drops": (0.2, 0.2, 0.2, 0.2, 0.2),
    "last": 100,
    "equal": 5.0,
    "centre": 2.0,
    "height": 3.0,
    "overflow": 10.0,
    "temperature": 1.0,
    "height_penalty": 50.0,
    "highest_penalty": 0.0,
    "lost_penalty": 100.0,
}


def check_settings(game: Game) -> None:
    """Raise `SettingsError` where the settings can't be played."""
    values = game.values
    check_range(game, "columns", 1, WIDEST)
    check_range(game, "rows", 2, HIGHEST)
    check_range(game, "line", 1, values["rows"] - 1, ", below the top row")
    check_range(game, "kinds", 2, MOST_KINDS)
    check_range(game, "visible", 0, MOST_VISIBLE)
    for key in ("last", "equal", "centre", "height", "overflow", "height_penalty", "highest_penalty", "lost_penalty"):
        check_range(game, key, 0, 10**9)
    drops = values["drops"]
    kinds = values["kinds"]
    if wrong := [p for p in drops if not 0.0 <= p <= 1.0]:
        raise SettingsError(f"{game.title}: setting 'drops' has {wrong[0]}, expected probabilities from 0 to 1")
    if abs(sum(drops) - 1.0) > 1e-9:
        raise SettingsError(
            f"{game.title}: the probabilities of setting 'drops' sum to {sum(drops):g}, expected 1 (they are for "
            f"the kinds 1, 2, 3, …)"
        )
    if any(drops[kinds:]):
        raise SettingsError(f"{game.title}: setting 'drops' has more than {kinds} probabilities, one for each kind")
    scores = 3 * values["equal"] + sum(values[key] for key in ("centre", "height", "overflow"))
    if not scores <= STEEPEST * values["temperature"]:
        raise SettingsError(
            f"{game.title}: setting 'temperature' is {values['temperature']}, expected at least "
            f"{scores / STEEPEST:g} for the heuristic's scores"
        )
