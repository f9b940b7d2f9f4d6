"""OpenSpiel's games: `from_openspiel("breakthrough")` searches OpenSpiel's own states, and a bot plays in its code."""

import contextlib
import os
from collections.abc import Iterator, Sequence
from functools import cache
from typing import Any

from playout.common.arguments import did_you_mean, refuses_unknown_names
from playout.errors import GameError, PlayoutError
from playout.game.wrap import ObjectGame, wrap
from playout.search import Search
from playout.settings import Settings

from .packages import package

MOST_ACTIONS = 65535


class SpielPosition:
    """A state of OpenSpiel's as an object for `po.wrap`."""

    __slots__ = ("_legal", "state")

    def __init__(self, state: Any) -> None:
        self.state = state
        self._legal: list[int] | None = None

    def current_player(self) -> int:
        return int(self.state.current_player())

    def legal_actions(self) -> Sequence[int]:
        if self._legal is None:
            self._legal = self.state.legal_actions()
        return self._legal

    def play(self, action: int) -> "SpielPosition":
        return SpielPosition(self.state.child(action))

    def chance_outcomes(self) -> list[tuple[int, float]]:
        return self.state.chance_outcomes()  # type: ignore[no-any-return]

    def returns(self) -> list[float]:
        return self.state.returns()  # type: ignore[no-any-return]

    def mutable_copy(self) -> "SpielCursor":
        return SpielCursor(self.state.clone())

    def action_text(self, action: int) -> str:
        return str(self.state.action_to_string(self.state.current_player(), action))

    def to_pretty_string(self) -> str:
        return str(self.state)

    def __str__(self) -> str:
        return self.state.history_str() or "start"


class SpielCursor:
    """A state that playouts change in place; its methods are the state's own."""

    def __init__(self, state: Any) -> None:
        self.state = state
        self.current_player, self.legal_actions = state.current_player, state.legal_actions
        self.chance_outcomes, self.returns, self.step = state.chance_outcomes, state.returns, state.apply_action

    def mutable_copy(self) -> SpielPosition:
        return SpielPosition(self.state.clone())

    def __str__(self) -> str:
        return str(SpielPosition(self.state))


@refuses_unknown_names
def from_openspiel(game: Any, *, preset: str | None = None) -> ObjectGame:
    """A game of OpenSpiel: its name with parameters, as in `breakthrough(rows=6,columns=6)`, a game, or a state.

    Perfect information, turns, and chance whose outcomes the game lists; others are refused by name.
    """
    spiel = package("pyspiel", "from_openspiel")
    state = game
    if isinstance(game, str):
        game = _loaded(spiel, game)
    if isinstance(game, spiel.Game):
        _check(spiel, game)
        state = game.new_initial_state()
    if not isinstance(state, spiel.State):
        raise GameError(f"from_openspiel got {game!r:.80}, expected a game's name, a pyspiel.Game or a pyspiel.State")
    facts = state.get_game()
    kind = _check(spiel, facts)
    constant = kind.utility in (spiel.GameType.Utility.ZERO_SUM, spiel.GameType.Utility.CONSTANT_SUM)
    wrapped = wrap(
        SpielPosition(state),
        players=facts.num_players(),
        max_actions=min(MOST_ACTIONS, max(facts.num_distinct_actions(), facts.max_chance_outcomes(), 1)),
        value_range=(facts.min_utility(), facts.max_utility()),
        returns_sum=float(facts.utility_sum() or 0.0) if constant else None,
        preset=preset,
    )
    cls: Any = type(wrapped)
    cls.name, cls.__doc__ = kind.short_name, kind.long_name
    wrapped.copies = "the state's own clone(); chance as the game lists it"
    return wrapped


def _loaded(spiel: Any, text: str) -> Any:
    name = text.partition("(")[0].strip()
    if name not in (names := spiel.registered_names()):
        hint = did_you_mean(name, names)
        raise GameError(f"from_openspiel can't load '{text}': OpenSpiel has no game '{name}'{hint}")
    try:
        with _without_stderr():
            game = spiel.load_game(text)
            game.new_initial_state()  # some check their parameters only here
        return game
    except Exception as error:  # noqa: BLE001  # of pyspiel's own kind, or a RuntimeError
        reason = " ".join(str(error).split())
        raise GameError(f"from_openspiel can't load '{text}': {reason:.200}") from None


@contextlib.contextmanager
def _without_stderr() -> Iterator[None]:
    """OpenSpiel writes each of its exceptions to the process's stderr as well, at length."""
    try:
        kept = os.dup(2)
    except OSError:  # there is none
        yield
        return
    with open(os.devnull, "wb") as nothing:
        os.dup2(nothing.fileno(), 2)
    try:
        yield
    finally:
        os.dup2(kept, 2)
        os.close(kept)


def _check(spiel: Any, game: Any) -> Any:
    """The game's facts, or `GameError` for one that can't be searched."""
    kind = game.get_type()
    types = spiel.GameType
    if kind.dynamics != types.Dynamics.SEQUENTIAL:
        why = (
            "its players move at the same time" if kind.dynamics == types.Dynamics.SIMULTANEOUS else "a mean-field game"
        )
        raise GameError(
            f"from_openspiel can't search {kind.short_name}: {why}; "
            f"turn_based_simultaneous_game(game={kind.short_name}()) hides moves, and is refused as well"
        )
    if kind.information != types.Information.PERFECT_INFORMATION:
        raise GameError(
            f"from_openspiel can't search {kind.short_name}: it hides information from the players, and a search of "
            f"its states would see it"
        )
    if kind.chance_mode == types.ChanceMode.SAMPLED_STOCHASTIC:
        raise GameError(f"from_openspiel can't search {kind.short_name}: it samples chance and does not list outcomes")
    return kind


@cache
def _bot_class() -> type:
    spiel = package("pyspiel", "openspiel_bot")

    class PlayoutBot(spiel.Bot):  # type: ignore[misc,name-defined]
        """A bot of OpenSpiel's that searches each state with Playout."""

        def __init__(self, simulations: int | None, seconds: float | None, settings: Any, seed: int) -> None:
            spiel.Bot.__init__(self)
            self.limits: dict[str, Any] = {"simulations": simulations, "seconds": seconds}
            self.search_settings, self.seed = settings, seed

        def restart_at(self, state: Any) -> None:
            pass

        def inform_action(self, state: Any, player: int, action: int) -> None:
            pass

        def provides_policy(self) -> bool:
            return True

        def step(self, state: Any) -> int:
            return self.step_with_policy(state)[1]

        def step_with_policy(self, state: Any) -> tuple[list[tuple[int, float]], int]:
            self.seed += 1
            search = Search(from_openspiel(state), self.search_settings, seed=self.seed)
            result = search.run(**self.limits)
            total = sum(stats.visits for stats in result.actions)
            policy = [(stats.action, stats.visits / total) for stats in result.actions] if total else []
            return policy, int(result.best_action)

    return PlayoutBot


@refuses_unknown_names
def openspiel_bot(
    *,
    simulations: int | None = None,
    seconds: float | None = None,
    settings: Settings | str | None = None,
    seed: int = 0,
) -> Any:
    """A `pyspiel.Bot` that searches each state it is asked about, for OpenSpiel's own evaluation code."""
    if simulations is None and seconds is None:
        raise PlayoutError("openspiel_bot got no limit; give simulations= or seconds=")
    return _bot_class()(simulations, seconds, settings, seed)
