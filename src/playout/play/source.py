"""Where a game comes from, in a form that can be sent to another process."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from playout import games
from playout.common.sources import absolute
from playout.game import Game

from .fingerprints import fingerprint_of_game


@dataclass(frozen=True)
class GameSource:
    """A game, or its name for `games.load` with its settings."""

    game: str | Game
    settings: Mapping[str, Any] = field(default_factory=dict)

    @classmethod
    def of(cls, game: Game | str, settings: Mapping[str, Any] | None, caller: str) -> "GameSource":
        """The source of what a caller was given; `GameError` where that is not a game."""
        if not isinstance(game, str):
            return cls(games.as_game(game, caller))
        given = dict(settings or {})
        if given.keys() & getattr(games.find(game), "files", {}).keys():
            return cls(games.load(game, **given))  # with the content of its files, which other machines don't have
        return cls(absolute(game), given)

    def load(self) -> Game:
        """The game; one that is named is loaded again each time."""
        return games.load(self.game, **self.settings) if isinstance(self.game, str) else self.game


def identity(game: Game) -> dict[str, Any]:
    """All that identifies a game, for results files: only games of the same are continued."""
    values = {k: list(v) if isinstance(v, tuple) else v for k, v in game.values.items()}
    source = fingerprint_of_game(game)
    found = {"game": game.title, "version": game.version, "settings": values}
    return found if source is None else {**found, "source": source}
