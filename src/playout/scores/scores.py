"""How well players do at a game of one player: many games, the same luck for each player, and their statistics."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from playout.common.arguments import refuses_unknown_names, seed_from, whole_from
from playout.common.runtime import cores
from playout.errors import PositionError, SettingsError
from playout.game import Game
from playout.games import as_game
from playout.play.players import check_players
from playout.play.solo import ScoredGame, SoloSetup
from playout.play.source import GameSource
from playout.play.spec import Spec, complete, read_specs
from playout.play.tally import finite
from playout.report.svg import scores_svg
from playout.settings import Settings
from playout.workers.site import can_be_sent, check_can_travel
from playout.workers.workers import Workers

CONFIDENCE = 0.99
MOST_BINS = 16
ENDLESS = 1_000_000  # moves after which a game counts as it stands


@dataclass(frozen=True)
class Scores:
    """The games of one player, and the statistics of their scores."""

    player: str
    records: tuple[ScoredGame, ...]

    @cached_property
    def values(self) -> Any:
        """The scores as an array."""
        return np.array([record.score for record in self.records])

    @property
    def mean(self) -> float:
        """The mean score; NaN before the first game."""
        return float(self.values.mean()) if len(self.values) else math.nan

    @property
    def deviation(self) -> float:
        """The standard deviation of the scores; NaN before the second game."""
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else math.nan

    @property
    def error(self) -> float:
        """Half the width of the confidence interval of the mean."""
        return self.error_at(CONFIDENCE)

    def error_at(self, confidence: float) -> float:
        """The same at another confidence."""
        return half_width(self.values, confidence)

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """A quarter, half and three quarters of the games scored at most this; the second one is the median."""
        found = np.quantile(self.values, (0.25, 0.5, 0.75)) if len(self.values) else (math.nan,) * 3
        return float(found[0]), float(found[1]), float(found[2])

    @property
    def moves(self) -> float:
        """Moves of a game, on average."""
        return sum(r.moves for r in self.records) / len(self.records) if self.records else math.nan

    @property
    def seconds(self) -> float:
        """Seconds of a move, on average."""
        moves = sum(r.moves for r in self.records)
        return sum(r.seconds for r in self.records) / moves if moves else math.nan

    def lead(self, other: "Scores", confidence: float = CONFIDENCE) -> tuple[float, float]:
        """The mean lead over another player, game by game with the same luck, and half the width of its interval."""
        theirs = {record.number: record.score for record in other.records}
        found = np.array([r.score - theirs[r.number] for r in self.records if r.number in theirs])
        return (float(found.mean()) if len(found) else math.nan), half_width(found, confidence)

    def histogram(self, edges: Sequence[float]) -> list[int]:
        """How many scores lie between each two edges."""
        return [int(n) for n in np.histogram(self.values, edges)[0]]

    def to_dict(self) -> dict[str, Any]:
        """The statistics and the games, for JSON."""
        low, median, high = self.quartiles
        figures = {
            "mean": self.mean,
            "error": self.error,
            "median": median,
            "deviation": self.deviation,
            "quartiles": [low, high],
            "least": float(self.values.min()) if len(self.values) else math.nan,
            "most": float(self.values.max()) if len(self.values) else math.nan,
            "moves": self.moves,
            "seconds_per_move": self.seconds,
        }
        plain = {key: _plain(value) for key, value in figures.items()}
        games = [
            {"number": r.number, "score": r.score, "moves": r.moves, "seconds": r.seconds, "end": r.end}
            for r in self.records
        ]
        return {"player": self.player, "games": len(self.records), **plain, "records": games}


@dataclass(frozen=True)
class Evaluation:
    """The scores of several players in the same games; the others are compared with the first."""

    game: str
    wanted: int
    seed: int
    scores: tuple[Scores, ...]

    @property
    def edges(self) -> list[float]:
        """Round bounds for a histogram of all scores together."""
        return bin_edges([float(value) for scores in self.scores for value in scores.values])

    def _repr_svg_(self) -> str:
        return scores_svg(self)

    def to_dict(self) -> dict[str, Any]:
        """The evaluation as one JSON object."""
        edges = self.edges
        players = []
        for scores in self.scores:
            lead, error = scores.lead(self.scores[0])
            players.append(
                {
                    **scores.to_dict(),
                    "lead": {"mean": _plain(lead), "error": _plain(error)},
                    "histogram": scores.histogram(edges) if edges else [],
                }
            )
        return {
            "game": self.game,
            "seed": self.seed,
            "wanted": self.wanted,
            "confidence": CONFIDENCE,
            "bins": edges,
            "players": players,
        }


def half_width(values: Any, confidence: float = CONFIDENCE) -> float:
    """Half the width of the interval for the mean of independent numbers: t times deviation / sqrt(n).

    >>> round(half_width([1.0, 2.0, 3.0, 4.0]), 3), round(half_width([1.0, 2.0, 3.0, 4.0], 0.95), 3)
    (3.77, 2.054)
    """
    if len(values) < 2:
        return math.nan
    return student(len(values) - 1, confidence) * float(np.std(values, ddof=1)) / math.sqrt(len(values))


@lru_cache
def student(freedom: int, confidence: float) -> float:
    """Student's t: a share `confidence` of its distribution lies between minus and plus this.

    With t = sqrt(freedom) tan(angle), the density is cos(angle)^(freedom - 1), which is summed here.

    >>> round(student(4, 0.99), 3), round(student(23, 0.99), 3), round(student(4, 0.95), 3)
    (4.604, 2.807, 2.776)
    """
    angle = np.linspace(0.0, math.pi / 2, 200_001)
    density = np.cos(angle) ** (freedom - 1)
    below = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    return math.sqrt(freedom) * math.tan(float(np.interp(confidence, below / below[-1], angle)))


def bin_edges(values: Sequence[float], most: int = MOST_BINS) -> list[float]:
    """Edges of at most `most` bins of equal, round width that hold all values.

    >>> bin_edges([3, 18, 41], 5)
    [0.0, 10.0, 20.0, 30.0, 40.0, 50.0]
    """
    if not values:
        return []
    least, greatest = min(values), max(values)
    rough = max((greatest - least) / max(most - 1, 1), 1e-9 * max(abs(least), abs(greatest), 1.0))
    power = 10.0 ** math.floor(math.log10(rough))
    if greatest == least:
        power = rough = 1.0
    width = next(power * step for step in (1, 2, 5, 10) if power * step >= rough * (1 - 1e-9))
    first = math.floor(least / width)
    last = math.floor(greatest / width) + 1
    return [width * i for i in range(first, last + 1)]


def _plain(value: Any) -> Any:
    """Numbers for JSON: NaN becomes null."""
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return finite(value)


@refuses_unknown_names
def evaluate(
    game: Game | str,
    players: str | Settings | Sequence[str | Settings | Spec],
    *,
    games: int = 100,
    position: str | None = None,
    simulations: int | None = None,
    seconds: float | None = None,
    workers: int | None = None,
    max_moves: int = ENDLESS,
    seed: int | None = 0,
    ray: str | None = None,
    progress: Callable[[Evaluation], None] | None = None,
    interrupted: Callable[[], None] | None = None,
) -> Evaluation:
    """Play the same games with each player, several at once in processes or on a Ray cluster, and return their scores.

    Players are written as for the arena: `suika,n=1000`, `greedy`, `random`; `simulations` or `seconds` a move are for
    players without a limit. Game i has the same luck for all players. Ctrl-C calls `interrupted`, and the finished
    games are returned; without `interrupted`, it is raised.

    >>> found = evaluate("target_sum", ["default,n=200", "random"], games=3, workers=1)
    >>> found.scores[0].mean
    1.0
    """
    game, seed = as_game(game, "evaluate"), seed_from(seed)
    if game.players != 1:
        raise SettingsError(
            f"{game.title} has {game.players} players, and scores are for one; `playout arena {game.title} …` plays "
            f"matches between players"
        )
    games, max_moves = whole_from(games, "games"), whole_from(max_moves, "max_moves")
    workers = None if workers is None else whole_from(workers, "workers")
    specs = complete(read_specs(players, game), simulations, seconds, None)
    check_players(specs, game)
    setup = SoloSetup(GameSource(game), tuple(specs), seed, max_moves, position)
    first = game.position(position)  # an error comes here, not from every process
    if first.is_terminal:
        raise PositionError(f"{game.title}: the game is over in {first.text}; there is nothing to play")
    jobs = [(player, number) for number in range(games) for player in range(len(specs))]
    done: list[ScoredGame] = []

    def so_far() -> Evaluation:
        found = [tuple(sorted((r for r in done if r.player == p), key=lambda r: r.number)) for p in range(len(specs))]
        return Evaluation(game.title, games, seed, tuple(Scores(s.name, r) for s, r in zip(specs, found, strict=True)))

    def finished(record: ScoredGame) -> bool:
        done.append(record)
        if progress is not None:
            progress(so_far())
        return False

    count = min(workers or cores(), len(jobs))
    if ray is not None:
        check_can_travel(setup, game.title)
    try:
        if ray is not None:
            Workers(setup.soloist, workers, "the evaluation", ray=ray, most=len(jobs)).play(jobs, finished)
        elif count == 1 or (game.keeps_objects and not can_be_sent(game)):
            soloist = setup.soloist()
            for job in jobs:
                finished(soloist.play(*job))
        else:
            Workers(setup.soloist, count, "the evaluation").play(jobs, finished)
    except KeyboardInterrupt:
        if interrupted is None:
            raise
        interrupted()
    return so_far()
