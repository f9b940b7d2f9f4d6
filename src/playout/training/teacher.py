"""Teachers: players that say what they think of a position, a search of ours or a UCI engine.

The value is for the player who moves, from -1 (lost) to 1 (won).
"""

import math
import re
from abc import ABC, abstractmethod
from dataclasses import dataclass

from playout.errors import GameError, SettingsError
from playout.game import Game, Position
from playout.play.engine import EngineError, EngineProcess
from playout.play.players import NO_TIME_LIMIT, PATIENCE, check_player, forfeit
from playout.play.spec import SEARCH, UCI, Spec
from playout.search import Search
from playout.search.result import Result

SCALE = 300.0  # centipawns worth tanh(1) = 0.76 of a win, as in chess's own static value
MARGIN = 1.0  # seconds that an engine may take longer than it was given
MULTIPV = re.compile(r"\bmultipv (\d+)")  # the place of a line, where an engine gives several
SCORE = re.compile(r"\bscore (cp|mate) (-?\d+)( lowerbound| upperbound)?")


@dataclass(frozen=True)
class Label:
    """What a teacher thinks of a position: its value for the player who moves, and shares of some legal actions."""

    value: float
    actions: tuple[int, ...]
    weights: tuple[float, ...]  # they sum to one

    @property
    def best(self) -> int:
        """The action that the teacher would play."""
        return self.actions[max(range(len(self.actions)), key=lambda i: self.weights[i])]


class Teacher(ABC):
    """Labels the positions of one game after the other."""

    @abstractmethod
    def new_game(self, start: Position, seed: int) -> None:
        """Prepare for a game that begins at `start`."""

    @abstractmethod
    def label(self, position: Position) -> Label:
        """What the teacher thinks of a position, which is the start or the one after the last `played`."""

    def played(self, action: int) -> None:  # noqa: B027 - most need not know
        """Follow the game: this action was played."""

    def close(self) -> None:  # noqa: B027 - most have nothing to close
        """End what the teacher has started."""


class SearchTeacher(Teacher):
    """Our own search, which keeps its tree: its policy is the visits, or what is proven to be best."""

    def __init__(self, spec: Spec, game: Game) -> None:
        self.spec, self.game = spec, game

    def new_game(self, start: Position, seed: int) -> None:
        self.search = Search(self.game, self.spec.settings, position=start, seed=seed)

    def label(self, position: Position) -> Label:
        result = self.search.run(self.spec.simulations, seconds=self.spec.seconds)
        if result.best is None:  # there was no time for a single simulation
            result = self.search.run(nodes=self.search.nodes + 1)
        assert result.best is not None
        best = result.stats(result.best).value
        value = result.proven if result.proven is not None else result.value if best is None else best
        actions, shares = _shares(result)
        total = sum(shares)
        return Label(_scaled(self.game, value), actions, tuple(share / total for share in shares))

    def played(self, action: int) -> None:
        self.search.play(action)


class UciTeacher(Teacher):
    """A chess engine: the last score of its best line is the value, its move the policy."""

    def __init__(self, spec: Spec, patience: float = PATIENCE) -> None:
        self.spec = spec
        self.engine = EngineProcess(spec.command, dict(spec.options), patience)

    def new_game(self, start: Position, seed: int) -> None:
        try:
            self.engine.new_game()
        except EngineError as error:
            raise self._refusal(f"the engine {forfeit(error)}") from None

    def label(self, position: Position) -> Label:
        """Asked without the moves before: a network does not see them either."""
        scores: dict[bool, float] = {}

        def look(line: str) -> None:
            place = MULTIPV.search(line)
            found = SCORE.search(line)
            if found and (place is None or int(place[1]) == 1):
                scores[found[3] is None] = value_of_score(found[1], int(found[2]))

        words, deadline = ["go"], NO_TIME_LIMIT
        if self.spec.seconds is not None:
            words += ["movetime", str(max(1, int(1000 * self.spec.seconds)))]
            deadline = self.spec.seconds + MARGIN
        if self.spec.simulations is not None:
            words += ["nodes", str(self.spec.simulations)]
        try:
            text = self.engine.choose(f"position fen {position.text}", " ".join(words), deadline, look).lower()
        except EngineError as error:
            raise self._refusal(f"the engine {forfeit(error)}, in {position.text}") from None
        action = next((action for action in position.actions() if position.action_text(action) == text), None)
        if action is None:
            raise self._refusal(f"the engine played the illegal move '{text}' in {position.text}")
        if not scores:
            raise self._refusal(f"the engine gave no score in {position.text}, expected `info score cp` or `mate`")
        return Label(scores.get(True, scores.get(False, 0.0)), (action,), (1.0,))  # a bound only where it is all

    def _refusal(self, text: str) -> GameError:
        return GameError(f"teacher '{self.spec.name}': {text}; what it labelled is kept, the same command resumes")

    def close(self) -> None:
        self.engine.close()


def make_teacher(spec: Spec, game: Game, patience: float = PATIENCE) -> Teacher:
    """The teacher that a spec names."""
    return UciTeacher(spec, patience) if spec.kind == UCI else SearchTeacher(spec, game)


def check_teacher(spec: Spec, game: Game, patience: float = PATIENCE) -> None:
    """Refuse a teacher that can't label the positions of a game."""
    if spec.kind not in (SEARCH, UCI):
        raise SettingsError(
            f"teacher '{spec.name}': it has no opinion of a position; expected a search, as in default,n=1000, or an "
            f"engine, as in uci:stockfish,n=1000"
        )
    if game.range is None or not game.one_value_tells_all:
        raise SettingsError(
            f"{game.title} has values that one number from -1 to 1 can't say: a taught network needs a `value_range`, "
            f"and `returns_sum` where there are two players"
        )
    try:
        check_player(spec, game, patience)
    except SettingsError as error:
        raise SettingsError(f"teacher '{spec.name}': {error}") from None


def value_of_score(kind: str, number: int) -> float:
    """The value of a UCI score: tanh(centipawns / 300), or 1 and -1 for mates.

    It is a logistic: an expected score of 1 / (1 + exp(-centipawns / 150)), from 0 to 1, stretched to -1 to 1. `mate 0`
    is said of a side that is mated already.

    >>> round(value_of_score("cp", 100), 3), value_of_score("mate", 3), value_of_score("mate", -2)
    (0.322, 1.0, -1.0)
    """
    if kind == "mate":
        return 1.0 if number > 0 else -1.0
    return math.tanh(number / SCALE)


def _shares(result: Result) -> tuple[tuple[int, ...], tuple[float, ...]]:
    """Actions with what counts for them: visits, or one each where they are proven to be as good as the position."""
    if result.proven is not None:
        good = [s.action for s in result.actions if s.proven is not None and abs(s.proven - result.proven) < 1e-9]
        if good:
            return tuple(good), (1.0,) * len(good)
    seen = [(s.action, float(s.visits)) for s in result.actions if s.visits > 0]
    if not seen:
        assert result.best is not None
        return (result.best,), (1.0,)
    return tuple(action for action, _ in seen), tuple(visits for _, visits in seen)


def _scaled(game: Game, value: float) -> float:
    """A value of the game, moved from its range to -1 to 1."""
    assert game.range is not None
    low, high = game.range
    return min(1.0, max(-1.0, 2.0 * (value - low) / (high - low) - 1.0))
