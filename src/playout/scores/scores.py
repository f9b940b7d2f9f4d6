"""How well players do at a game of one player: many games, the same luck for each, and what their scores say."""

import math
import random
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, lru_cache
from typing import Any

import numpy as np

from playout.common.arguments import refuses_unknown_names, seed_from, whole_from
from playout.errors import PositionError, SettingsError
from playout.game import CHANCE, Game
from playout.games import as_game
from playout.play.openings import draw_outcome, seed_of
from playout.play.players import Player, Seat, Spec, check_players, complete, make_player, read_specs
from playout.play.workers import Workers, can_be_sent, cores
from playout.settings import Settings

CONFIDENCE = 0.99
MOST_BINS = 16
ENDLESS = 1_000_000  # moves after which a game counts as it stands


@dataclass(frozen=True)
class Record:
    """One game: whose, which one (games of one number have the same luck), its score, its moves, and the time."""

    player: int
    number: int
    score: float
    moves: int
    seconds: float
    end: str  # the last position's text


@dataclass(frozen=True)
class Scores:
    """What one player scored, and what can be said of it."""

    player: str
    records: tuple[Record, ...]

    @cached_property
    def values(self) -> Any:
        return np.array([record.score for record in self.records])

    @property
    def mean(self) -> float:
        return float(self.values.mean()) if len(self.values) else math.nan

    @property
    def deviation(self) -> float:
        return float(self.values.std(ddof=1)) if len(self.values) > 1 else math.nan

    @property
    def error(self) -> float:
        """Half the width of the mean's interval."""
        return half_width(self.values)

    @property
    def quartiles(self) -> tuple[float, float, float]:
        """A quarter, half and three quarters of the games scored at most this; the second one is the median."""
        found = np.quantile(self.values, (0.25, 0.5, 0.75)) if len(self.values) else (math.nan,) * 3
        return float(found[0]), float(found[1]), float(found[2])

    @property
    def moves(self) -> float:
        """Of a game, on average."""
        return sum(r.moves for r in self.records) / len(self.records) if self.records else math.nan

    @property
    def seconds(self) -> float:
        """Of a move, on average."""
        moves = sum(r.moves for r in self.records)
        return sum(r.seconds for r in self.records) / moves if moves else math.nan

    def lead(self, other: "Scores") -> tuple[float, float]:
        """How much more than another player, game by game with the same luck, and half the interval's width."""
        theirs = {record.number: record.score for record in other.records}
        found = np.array([r.score - theirs[r.number] for r in self.records if r.number in theirs])
        return (float(found.mean()) if len(found) else math.nan), half_width(found)

    def histogram(self, edges: Sequence[float]) -> list[int]:
        return [int(n) for n in np.histogram(self.values, edges)[0]]

    def to_dict(self) -> dict[str, Any]:
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
    """What several players scored in the same games; the first is whom the others are compared with."""

    game: str
    wanted: int
    seed: int
    scores: tuple[Scores, ...]

    @property
    def edges(self) -> list[float]:
        """Round bounds for a histogram of all scores together."""
        return bin_edges([float(value) for scores in self.scores for value in scores.values])

    def _repr_svg_(self) -> str:
        from playout.report.svg import scores_svg

        return scores_svg(self)

    def to_dict(self) -> dict[str, Any]:
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
            "edges": edges,
            "players": players,
        }


def half_width(values: Any) -> float:
    """Half of the interval for the mean of independent numbers: t times deviation / sqrt(n).

    >>> round(half_width([1.0, 2.0, 3.0, 4.0]), 3)
    3.77
    """
    if len(values) < 2:
        return math.nan
    return student(len(values) - 1) * float(np.std(values, ddof=1)) / math.sqrt(len(values))


@lru_cache
def student(freedom: int) -> float:
    """Student's t: CONFIDENCE of its distribution lie between minus and plus this.

    With t = sqrt(freedom) tan(angle), the density is cos(angle)^(freedom - 1), which is added up.

    >>> round(student(4), 3), round(student(23), 3), round(student(10_000), 3)
    (4.604, 2.807, 2.576)
    """
    angle = np.linspace(0.0, math.pi / 2, 200_001)
    density = np.cos(angle) ** (freedom - 1)
    below = np.concatenate([[0.0], np.cumsum(density[1:] + density[:-1])])
    return math.sqrt(freedom) * math.tan(float(np.interp(CONFIDENCE, below / below[-1], angle)))


def bin_edges(values: Sequence[float], most: int = MOST_BINS) -> list[float]:
    """Bounds of equal, round width around all values, at most so many.

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


def significant(value: float, digits: int = 4) -> str:
    """A number with so many digits that count, and all that stand before the point; whole where it is.

    >>> significant(1234567.8), significant(12.0), significant(0.012345), significant(-1 / 3), significant(math.nan)
    ('1,234,568', '12', '0.01235', '-0.3333', '—')
    """
    if not math.isfinite(value):
        return "—"
    if value == 0 or 1e-6 <= abs(value) < 1e12:
        text = f"{value:,.{_places(value, digits)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:.{digits - 1}e}"


def with_error(value: float, error: float, sign: str = "") -> tuple[str, str]:
    """A number and half of its interval's width, both to the second digit of the latter.

    >>> with_error(0.98765, 0.0123), with_error(12345.6, 78.9), with_error(0.5, 0.25, "+")
    (('0.988', '0.012'), ('12,346', '79'), ('+0.50', '0.25'))
    >>> with_error(1 / 3, math.nan)
    ('0.3333', '—')
    """
    if not math.isfinite(error) or not 1e-6 <= error < 1e12:
        text = significant(value)
        return (f"+{text}" if sign and value > 0 else text), significant(error, 2)
    places = _places(error, 2)
    return f"{round(value, places) + 0.0:{sign},.{places}f}", f"{error:,.{places}f}"


def bounds_text(edges: Sequence[float]) -> list[str]:
    """The bounds of a histogram, with the digits that tell them apart.

    >>> bounds_text([0.0, 0.05, 0.1]), bounds_text([-1000.0, 0.0, 1000.0])
    (['0.00', '0.05', '0.10'], ['-1,000', '0', '1,000'])
    """
    places = _places(edges[1] - edges[0], 1) if len(edges) > 1 else 0
    return [f"{edge:,.{places}f}" for edge in edges]


def _places(value: float, digits: int) -> int:
    """Decimals that show so many digits of a number. What rounding carries over (0.0996 to 0.100) is counted."""
    if value == 0:
        return 0
    return max(0, digits - 1 - int(f"{abs(value):.{digits - 1}e}".partition("e")[2]))


def _plain(value: Any) -> Any:
    """Numbers as JSON has them: what is not known is null."""
    if isinstance(value, list):
        return [_plain(v) for v in value]
    return value if math.isfinite(value) else None


@dataclass(frozen=True)
class Setup:
    """All that a process needs to play; can be sent to another one."""

    game: Game
    start: str | None
    players: tuple[Spec, ...]
    seed: int
    max_moves: int

    def soloist(self) -> "Soloist":
        return Soloist(self)


@dataclass
class Soloist:
    """Plays games of one player, with players that stay."""

    setup: Setup
    players: dict[int, Player] = field(default_factory=dict)

    def play(self, player: int, number: int) -> Record:
        setup, game = self.setup, self.setup.game
        if player not in self.players:
            self.players[player] = make_player(setup.players[player], game, 10.0)
        chooser = self.players[player]
        position = game.position(setup.start)
        luck = random.Random(seed_of(setup.seed, "chance", number))  # the same for every player
        chooser.new_game(position, seed_of(setup.seed, "player", number))
        moves: list[int] = []
        total, made, began = 0.0, 0, time.perf_counter()
        while not position.is_terminal and made < setup.max_moves:
            if position.player == CHANCE:
                action = draw_outcome(position, luck)
            else:
                action = chooser.choose(position, Seat(0), setup.start or "", moves, 0)
                made += 1
            moves.append(action)
            position = position.play(action)
            total += float(position.rewards[0])
        known = game.score(position.state)
        score = total if known is None else float(known)
        return Record(player, number, score, made, time.perf_counter() - began, position.text)

    def close(self) -> None:
        for player in list(self.players.values()):
            player.close()


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
    progress: Callable[[Evaluation], None] | None = None,
    interrupted: Callable[[], None] | None = None,
) -> Evaluation:
    """Let each player play the same games, several at once in processes, and return their scores.

    Players are written as for the arena: `suika,n=1000`, `greedy`, `random`; `simulations` or `seconds` a move are for
    those that have no limit. Game i has the same luck for all of them. Ctrl-C ends it with the games that are finished,
    if `interrupted` is there to be told; without it, it is raised.

    >>> found = evaluate("target_sum", ["default,n=200", "random"], games=3, workers=1)
    >>> found.scores[0].mean
    1.0
    """
    game, seed = as_game(game, "evaluate"), seed_from(seed)
    if game.players != 1:
        raise SettingsError(
            f"{game.title} has {game.players} players, and scores are for one; `playout arena {game.title} …` lets "
            f"players play against each other"
        )
    games, max_moves = whole_from(games, "games"), whole_from(max_moves, "max_moves")
    workers = None if workers is None else whole_from(workers, "workers")
    specs = complete(read_specs(players, game), simulations, seconds, None)
    check_players(specs, game, 10.0)
    setup = Setup(game, position, tuple(specs), seed, max_moves)
    first = game.position(position)  # what is wrong with it is said here, not by every process
    if first.is_terminal:
        raise PositionError(f"{game.title}: the game is over in {first.text}; there is nothing to play")
    jobs = [(player, number) for number in range(games) for player in range(len(specs))]
    done: list[Record] = []

    def so_far() -> Evaluation:
        found = [tuple(sorted((r for r in done if r.player == p), key=lambda r: r.number)) for p in range(len(specs))]
        return Evaluation(game.title, games, seed, tuple(Scores(s.name, r) for s, r in zip(specs, found, strict=True)))

    def finished(record: Record) -> bool:
        done.append(record)
        if progress is not None:
            progress(so_far())
        return False

    count = min(workers or cores(), len(jobs))
    try:
        if count == 1 or (game.keeps_objects and not can_be_sent(game)):
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
