"""`act(env)`: plan one step in an environment, and return its action."""

import inspect
import sys
import weakref
from typing import Any

from playout.common.arguments import did_you_mean, refuses_unknown_names
from playout.errors import GameError, SettingsError
from playout.search import Search
from playout.settings import Settings

from .chess import from_chess
from .gymnasium import GymAdapter
from .openspiel import from_openspiel
from .pettingzoo import AecAdapter

_adapters: "weakref.WeakKeyDictionary[Any, tuple[Any, Any]]" = weakref.WeakKeyDictionary()


@refuses_unknown_names
def act(
    env: Any,
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    settings: Settings | str | None = None,
    seed: int = 0,
    info: Any = None,
    **options: Any,
) -> Any:
    """Plan one step where an environment stands, and return the action to give to `env.step`.

    `env` is an environment of Gymnasium or PettingZoo, a state of OpenSpiel or a board of python-chess; it is not
    changed. `info` is what the last reset or step returned, for its action mask. Other options are those of
    `from_gymnasium` and `from_pettingzoo`; what these find out about an environment is remembered for the next call.
    """
    if simulations is None and seconds is None:
        raise GameError("act got no limit; give simulations= or seconds=")
    game = _game(env, info, options)
    search = Search(game, settings if settings is not None else game.preset or None, seed=seed)
    if search.position.is_terminal:
        raise GameError(f"{search.game.title}: the episode is over, so there is no step to plan; call env.reset()")
    action = search.run(simulations=simulations, seconds=seconds).best_action
    sim = _adapters[env][1].sim if _is(env, "gymnasium", "Env") else None
    return action if sim is None else sim.by_number[action]


def _game(env: Any, info: Any, options: dict[str, Any]) -> Any:
    if _is(env, "pyspiel", "State"):
        return from_openspiel(env, **options)
    if _is(env, "chess", "Board"):
        return from_chess(env, **options)
    if not (is_zoo := _is(env, "pettingzoo", "AECEnv")) and not _is(env, "gymnasium", "Env"):
        raise GameError(
            f"act got {env!r:.80}, expected an environment of Gymnasium or PettingZoo (AEC), a pyspiel.State or a "
            f"chess.Board"
        )
    _check_options(AecAdapter if is_zoo else GymAdapter, options)
    known = _adapters.get(env)
    again = "history" in options  # a replayed environment is another one at each step
    if known is None or known[0] != options or again:
        adapter = AecAdapter(env, **options) if is_zoo else GymAdapter(env, info=info, **options)
        known = _adapters[env] = (options, adapter)
    return known[1].game(env, info)


def _check_options(adapter: type, options: dict[str, Any]) -> None:
    """Refuse an option that the adapter of the environment does not take."""
    names = [name for name in inspect.signature(adapter).parameters if name not in ("env", "info", "seed")]
    for name in options:
        if name not in names:
            raise SettingsError(
                f"act has no '{name}' (options for this environment: {', '.join(names)}){did_you_mean(name, names)}"
            )


def _is(thing: Any, module: str, name: str) -> bool:
    """Whether a thing is of a class of a package, which need not be installed."""
    found = getattr(sys.modules.get(module), name, None)
    return isinstance(found, type) and isinstance(thing, found)
