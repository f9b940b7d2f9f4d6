"""Games made of Python objects: `po.wrap(obj)` gives a `Game` that every search accepts (docs/objects.md).

There are two kinds of object. Each holds one position, and no call may change it:

- `current_player()`, `legal_actions()`, `play(action)` (returns the next object), and `returns()` (one number for each
  player, called at the end) or `rewards()` (one number for each player: what the last step brought). The game is over
  when `current_player()` is None or `po.TERMINAL`.
  Optional: `evaluate()` (a value for each player), `priors()` (a weight for each legal action),
  `chance_outcomes()` (pairs of outcome and probability) where `current_player()` is `po.CHANCE`, `action_text(action)`
  (how an action reads here), and `mutable_copy()` with `step(action)`, which changes that copy in place, for faster
  playouts.
- the `Node` of many tutorials: `find_children()`, `find_random_child()`, `is_terminal()`, `reward()`. Two players take
  turns, and `reward()` is for the one to move at the end, from 0 to 1; or one player, with `players=1`.
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from playout.common.arguments import refuses_unknown_names
from playout.core.compile_rules import Rules
from playout.errors import GameError

from . import checks, kernel
from .game import ObjectGame
from .kinds import NODE_KIND, PLAY_KIND, NodeGame, PlayGame
from .position import ObjectPosition

__all__ = ["ObjectGame", "ObjectPosition", "can_wrap", "wrap"]

OPTIONAL: dict[str, Any] = {
    "evaluate": kernel.evaluate,
    "priors": kernel.priors,
    "chance_outcomes": kernel.chance_outcomes,
}

_rules: dict[tuple[int, int, tuple[str, ...]], Rules] = {}  # by players, most actions and optional rules


def can_wrap(obj: Any) -> bool:
    """Whether `wrap` accepts an object."""
    return not isinstance(obj, type) and not missing_methods(obj)


def missing_methods(obj: Any) -> str:
    """The methods that an object, or a class, lacks of the kind it is nearest to; empty: none."""
    ending = "rewards" if _has(obj, "rewards") else "returns"
    kinds: tuple[tuple[str, ...], ...] = ((*PLAY_KIND, ending), NODE_KIND)
    nearest = max(kinds, key=lambda kind: sum(_has(obj, n) for n in kind) / len(kind))
    return ", ".join(f"{n}()" for n in nearest if not _has(obj, n))


@refuses_unknown_names
def wrap(
    obj: Any,
    *,
    players: int | None = None,
    max_actions: int = 1024,
    value_range: tuple[float, float] | str | None = "default",
    returns_sum: float | str | None = "default",
    describe: Callable[[Any], str] | None = None,
    preset: str | None = None,
) -> ObjectGame:
    """Make a game of a Python object that holds a position, of either kind; searches begin at this object.

    `players` defaults to the object's `players`, or to the length of `returns()` or `rewards()` (the `Node` kind: two).
    `max_actions` is the most legal actions of any position. `value_range` and `returns_sum` are as in `Game`.
    `describe` turns an action (the `Node` kind: a child) into text. `preset` names the settings it is best searched
    with; it defaults to the object's own `preset`.
    """
    if isinstance(obj, type):
        raise GameError(f"wrap got the class {obj.__name__}, expected an object of it: po.wrap({obj.__name__}(…))")
    if missing := missing_methods(obj):
        raise GameError(f"wrap can't use a {type(obj).__name__}: it has no {missing}; docs/objects.md has both kinds")
    plays, rewarded = _has(obj, *PLAY_KIND), _has(obj, "rewards")
    if rewarded and not plays:
        raise GameError(
            f"wrap got a {type(obj).__name__} with find_children() and rewards(), but rewards on the way are for "
            f"objects with play(); leave rewards() off, or define {', '.join(f'{n}()' for n in PLAY_KIND)}"
        )
    if players is None:
        players = _players_of(obj) if plays else 2
    if not isinstance(players, int) or isinstance(players, bool) or players < 1 or (not plays and players > 2):
        raise GameError(
            f"wrap got players={players!r}, expected {'a whole number of at least 1' if plays else '1 or 2'}"
        )
    if not isinstance(max_actions, int) or not 1 <= max_actions < 2**16:
        raise GameError(f"wrap got max_actions={max_actions!r}, expected a whole number from 1 to 65535")
    if describe is not None and not callable(describe):
        raise GameError(f"wrap got describe={checks.got(describe)}, expected a function of an action that gives a text")
    if not plays and players == 2:
        value_range = (0.0, 1.0) if value_range == "default" else value_range
        returns_sum = 1.0 if returns_sum == "default" else returns_sum
    in_place = plays and _has(obj, "mutable_copy")
    changes = obj.mutable_copy() if in_place else None
    if in_place and not _has(changes, "step"):
        raise GameError(
            f"{type(obj).__name__}.mutable_copy() returned {checks.got(changes)}, expected an object whose "
            f"step(action) changes it in place"
        )
    optional = {name: rule for name, rule in OPTIONAL.items() if _has(obj, name)}
    needed: tuple[str, ...] = ("rewards",) if rewarded else ("returns",) if plays else ()
    needed += ("mutable_copy",) if in_place else ()
    parts: dict[str, Any] = {
        "__module__": type(obj).__module__,
        "__doc__": type(obj).__doc__,
        "name": type(obj).__name__,
        "players": players,
        "max_actions": max_actions,
        "value_range": value_range,
        "returns_sum": returns_sum,
        "preset": getattr(obj, "preset", "") if preset is None else preset,
        "rewarded": rewarded,
        "in_place": in_place,
        "finishes": in_place and rewarded and "evaluate" not in optional and _has(changes, "finish"),
        "describes_actions": plays and _has(obj, "action_text"),
        # An object that comes later may be of another class, but must have the same methods.
        "methods": (*(PLAY_KIND if plays else NODE_KIND), *needed, *(n for n in optional if n != "chance_outcomes")),
        **{name: staticmethod(rule) for name, rule in optional.items()},
    }
    kind = PlayGame if plays else NodeGame
    # Games of objects differ in few rules, and loading these again takes longer than a short search.
    same = (players, max_actions, tuple(optional))
    if same in _rules:
        parts["_rules"] = _rules[same]
    game: ObjectGame = type(f"Wrapped{type(obj).__name__}", (kind,), parts)(obj, describe)
    _rules[same] = game.rules
    return game


def _has(obj: Any, *methods: str) -> bool:
    return all(callable(getattr(obj, name, None)) for name in methods)


def _players_of(obj: Any) -> int:
    given = getattr(obj, "players", None)
    if isinstance(given, int):
        return given
    call = "returns" if _has(obj, "returns") else "rewards"
    try:
        found = getattr(obj, call)()
        return 1 if np.ndim(found) == 0 else len(found)
    except Exception as error:  # noqa: BLE001  # many objects raise before the end
        raise GameError(
            f"wrap can't tell the number of players ({call}() raised {type(error).__name__}: {error}); write "
            f"po.wrap(obj, players=2)"
        ) from None
