"""One game by the rules: clocks, chance, forfeits, the end."""

import random
import time
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from playout.game import CHANCE, Game, Position
from playout.play.openings import Opening, draw_outcome, seed_of
from playout.play.players import Clock, Forfeit, Player, Seat, Spec, make_player

from .store import Record


@dataclass(frozen=True)
class Job:
    """A game to be played: the players by seat, as numbers in the list of players."""

    number: int
    opening: int
    players: tuple[int, ...]


@dataclass(frozen=True)
class Setup:
    """All that a process needs to play the games of a match; can be sent to another one."""

    game: str | Game  # a text for `games.load` has its settings beside it
    settings: dict[str, Any]
    players: list[Spec]
    seed: int
    clock: Clock | None
    max_moves: int
    margin: float
    patience: float

    def load(self) -> Game:
        from playout import games

        if isinstance(self.game, str):
            return games.load(self.game, **self.settings)
        return self.game

    def referee(self) -> "Referee":
        return Referee(self.load(), self)


class Referee:
    """Plays the games of a match, one after the other, with players that stay."""

    def __init__(self, game: Game, setup: Setup) -> None:
        self.game, self.setup = game, setup
        self.players: dict[int, Player] = {}

    def play(self, job: Job, opening: Opening) -> Record:
        """One game by the rules. A player who fails loses it; a fault of the game itself is raised."""
        began = time.perf_counter()
        game, setup = self.game, self.setup
        position = game.position(opening.start)
        returns, texts = [0.0] * game.players, list[str]()

        def make(action: int) -> None:
            nonlocal position
            texts.append(position.action_text(action))
            position = position.play(action)
            for seat in range(game.players):
                returns[seat] += float(position.rewards[seat])

        for action in opening.moves:
            make(action)
        moves, start = list(opening.moves), position
        # Both games of an opening see the same luck.
        luck = random.Random(seed_of(setup.seed, "chance", job.opening))
        seats = [Seat(i, setup.clock, [], setup.margin) for i in range(game.players)]
        remaining = [setup.clock.base if setup.clock else 0.0] * game.players
        termination, reason, made = "normal", "", 0
        seat = 0
        try:
            players: list[Player] = []
            for number in job.players:
                seat = len(players)
                players.append(self._player(number))
                players[-1].new_game(start, seed_of(setup.seed, "player", job.number, number))
            while not position.is_terminal:
                if position.player == CHANCE:
                    action = draw_outcome(position, luck)
                else:
                    if made >= setup.max_moves:
                        termination, reason = "adjudication", f"a draw after {made} moves"
                        returns = self._drawn()
                        break
                    seat = position.player
                    seats[seat].remaining = list(remaining)
                    asked = time.perf_counter()
                    action = players[seat].choose(position, seats[seat], opening.start, moves, len(opening.moves))
                    took = time.perf_counter() - asked
                    self._check_time(job.players[seat], took, remaining[seat])
                    if setup.clock:
                        remaining[seat] = max(0.0, remaining[seat] - took) + setup.clock.increment
                    made += 1
                moves.append(action)
                make(action)
            else:
                reason = _end(game, position)
        except Forfeit as error:
            termination = error.termination
            reason = f"{setup.players[job.players[seat]].name} {error}"
            returns = self._forfeited(seat)
        return Record(
            job.number,
            job.opening,
            job.players,
            opening.start,
            tuple(texts),
            len(opening.moves),
            tuple(returns),
            termination,
            reason,
            round(time.perf_counter() - began, 3),
            datetime.now(UTC).isoformat(timespec="seconds"),
        )

    def close(self) -> None:
        for player in list(self.players.values()):  # from another thread, one may just be added
            player.close()

    def _player(self, number: int) -> Player:
        if number not in self.players:
            self.players[number] = make_player(self.setup.players[number], self.game, self.setup.patience)
        return self.players[number]

    def _check_time(self, number: int, took: float, remaining: float) -> None:
        spec, margin = self.setup.players[number], self.setup.margin
        if self.setup.clock and took > remaining + margin:
            raise Forfeit("time forfeit", f"took {took:.2f} s and had {remaining:.2f} s left")
        if spec.seconds is not None and took > spec.seconds + margin:
            raise Forfeit("time forfeit", f"took {took:.2f} s for a move, and had {spec.seconds:g} s")

    def _drawn(self) -> list[float]:
        game = self.game
        return [(game.sums_to or 0.0) / game.players] * game.players

    def _forfeited(self, loser: int) -> list[float]:
        """The least for whom it was, and what is left for the others, alike."""
        low, high = self.game.range or (-1.0, 1.0)
        others = self.game.players - 1
        share = high if self.game.sums_to is None else (self.game.sums_to - low) / others
        return [low if seat == loser else share for seat in range(self.game.players)]


def _end(game: Game, position: Position) -> str:
    if game.name == "chess":
        from playout.games.chess.board import ENDS

        return ENDS[int(position.state.over)]
    return "the game ended"
