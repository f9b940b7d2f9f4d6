"""A game between players by the rules: clocks, chance, forfeits, the end."""

import random
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial

from playout.game import CHANCE, Game, Position
from playout.games.chess.board import ENDS

from .chance import draw_outcome, seed_of
from .clock import Clock, Clocks
from .loop import Playthrough, play_game
from .openings import Opening
from .players import PATIENCE, Forfeit, Roster, named_refusals
from .record import Record
from .source import GameSource
from .spec import Spec

MAX_MOVES = 1000  # of all players together, after which a game is a draw
MARGIN = 0.2  # seconds by which a move may be late


@dataclass(frozen=True)
class ScheduledGame:
    """A game to be played: the players by seat, as numbers in the list of players."""

    number: int
    opening: int
    players: tuple[int, ...]


def schedule(seatings: Sequence[tuple[int, ...]], openings: int) -> list[ScheduledGame]:
    """The games of a match: each seating plays each opening once from every seat.

    >>> [game.players for game in schedule([(0, 1)], 2)]
    [(0, 1), (1, 0), (0, 1), (1, 0)]
    """
    found: list[ScheduledGame] = []
    for opening in range(openings):
        for seating in seatings:
            for turn in range(len(seating)):
                found.append(ScheduledGame(len(found), opening, seating[turn:] + seating[:turn]))
    return found


@dataclass(frozen=True)
class MatchSetup:
    """All that a process needs to play the games of a match; it can be sent to another one."""

    source: GameSource
    players: Sequence[Spec]
    seed: int = 0
    clock: Clock | None = None
    max_moves: int = MAX_MOVES
    margin: float = MARGIN
    patience: float = PATIENCE

    def referee(self) -> "Referee":
        """What plays the games, in the process that calls this."""
        return Referee(self.source.load(), self)


class Referee:
    """Plays the games of a match, one after the other, and keeps the players from game to game."""

    def __init__(self, game: Game, setup: MatchSetup) -> None:
        self.game, self.setup = game, setup
        self.players = Roster(setup.players, game, setup.patience)

    def play(self, scheduled: ScheduledGame, opening: Opening) -> Record:
        """Play one game. A player who fails loses it; a fault of the game itself is raised."""
        began, setup = time.perf_counter(), self.setup
        game = Playthrough(self.game.position(opening.start), opening.start)
        game.play_opening(opening.moves)
        before = game.moves
        # All games of an opening see the same luck.
        luck = random.Random(seed_of(setup.seed, "chance", scheduled.opening))
        clocks = Clocks(setup.clock, self.game.players, setup.margin)
        seat = 0

        def choose(position: Position) -> int:
            nonlocal seat
            seat = position.player
            return self._ask(game, clocks, scheduled.players[seat])

        def is_too_long() -> bool:
            return game.position.player != CHANCE and game.moves - before >= setup.max_moves

        returns = game.returns
        try:
            for seat, number in enumerate(scheduled.players):  # noqa: B007  # who forfeits if `new_game` fails
                self.players[number].new_game(game.position, seed_of(setup.seed, "player", scheduled.number, number))
            play_game(game, choose, partial(draw_outcome, source=luck), is_too_long)
            if game.position.is_terminal:
                termination, reason = "normal", _end(self.game, game.position)
            else:
                termination, reason = "adjudication", f"a draw after {game.moves - before} moves"
                returns = self._drawn()
        except Forfeit as error:
            termination = error.termination
            reason = f"{setup.players[scheduled.players[seat]].name} {error}"
            returns = self._forfeited(seat)
        return Record(
            scheduled.number,
            scheduled.opening,
            scheduled.players,
            opening.start,
            tuple(game.action_texts),
            game.opening,
            tuple(returns),
            termination,
            reason,
            round(time.perf_counter() - began, 3),
            datetime.now(UTC).isoformat(timespec="seconds"),
            tuple(self.players[number].simulations for number in scheduled.players),
            tuple(self.players[number].searched for number in scheduled.players),
        )

    def close(self) -> None:
        """End the players, from any thread."""
        self.players.close()

    def _ask(self, game: Playthrough, clocks: Clocks, number: int) -> int:
        """The action of a player, taken off its clock; `Forfeit` where it comes too late."""
        seat, asked = game.position.player, time.perf_counter()
        with named_refusals(self.setup.players[number], number):
            action = self.players[number].choose(game, clocks)
        took = time.perf_counter() - asked
        if clocks.control and took > clocks.remaining[seat] + clocks.margin:
            raise Forfeit("time forfeit", f"took {took:.2f} s and had {clocks.remaining[seat]:.2f} s left")
        seconds = self.setup.players[number].seconds
        if seconds is not None and took > seconds + clocks.margin:
            raise Forfeit("time forfeit", f"took {took:.2f} s for a move, and had {seconds:g} s")
        clocks.spend(seat, took)
        return action

    def _drawn(self) -> list[float]:
        return [(self.game.sums_to or 0.0) / self.game.players] * self.game.players

    def _forfeited(self, loser: int) -> list[float]:
        """The least for the loser, and equal shares of the rest for the others."""
        low, high = self.game.range or (-1.0, 1.0)
        others = self.game.players - 1
        share = high if self.game.sums_to is None else (self.game.sums_to - low) / others
        return [low if seat == loser else share for seat in range(self.game.players)]


def _end(game: Game, position: Position) -> str:
    return ENDS[int(position.state.over)] if game.name == "chess" else "the game ended"
