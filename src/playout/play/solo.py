"""Games of one player: the same luck for every player who plays the game of a number."""

import random
import time
from dataclasses import dataclass
from functools import partial

from playout.game import Position

from .chance import draw_outcome, seed_of
from .clock import Clocks
from .loop import Playthrough, play_game
from .players import Roster, named_refusals
from .source import GameSource
from .spec import Spec


@dataclass(frozen=True)
class ScoredGame:
    """One game: who played, its number (games of a number have the same luck), score, moves, seconds and end."""

    player: int
    number: int
    score: float
    moves: int
    seconds: float
    end: str  # the last position's text
    simulations: int = 0  # of all searches
    searched: float = 0.0  # the seconds that they took


@dataclass(frozen=True)
class SoloSetup:
    """All that a process needs to play; it can be sent to another one."""

    source: GameSource
    players: tuple[Spec, ...]
    seed: int
    max_moves: int
    start: str | None = None

    def soloist(self) -> "Soloist":
        """What plays the games, in the process that calls this."""
        return Soloist(self)


class Soloist:
    """Plays games of one player, and keeps the players from game to game."""

    def __init__(self, setup: SoloSetup) -> None:
        self.setup, self.game = setup, setup.source.load()
        self.players = Roster(setup.players, self.game)

    def play(self, player: int, number: int) -> ScoredGame:
        """Play one game, to its end or to the greatest number of moves."""
        setup, chooser = self.setup, self.players[player]
        game = Playthrough(self.game.position(setup.start), setup.start or "")
        luck = random.Random(seed_of(setup.seed, "chance", number))
        clocks = Clocks(None, 1)
        chooser.new_game(game.position, seed_of(setup.seed, "player", number))

        def choose(position: Position) -> int:
            with named_refusals(setup.players[player], player):
                return chooser.choose(game, clocks)

        began = time.perf_counter()
        play_game(game, choose, partial(draw_outcome, source=luck), lambda: game.moves >= setup.max_moves)
        known = self.game.call_method("score", game.position.state)
        score = game.returns[0] if known is None else float(known)
        took = time.perf_counter() - began
        work = chooser.simulations, chooser.searched
        return ScoredGame(player, number, score, game.moves, took, game.position.text, *work)

    def close(self) -> None:
        """End the players."""
        self.players.close()
