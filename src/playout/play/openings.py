"""Where games begin: after some random plies, or at the positions of a file. Each opening is played from every seat."""

import hashlib
import random
from dataclasses import dataclass
from pathlib import Path

from playout.errors import FileError, PlayoutError, PositionError, SettingsError
from playout.game import CHANCE, Game, Position

TRIES = 100  # random openings before we say that there is none
NEW_TRIES = 50  # of them, for one that was not there before


@dataclass(frozen=True)
class Opening:
    """A position's text (empty: the start) and the actions played from there before the players take over."""

    start: str
    moves: tuple[int, ...] = ()


def seed_of(*parts: object) -> int:
    """A seed for one purpose out of the match's own, the same in every process."""
    return int.from_bytes(hashlib.sha256(repr(parts).encode()).digest()[:7], "big")


def draw_outcome(position: Position, source: random.Random) -> int:
    """An outcome of chance, by its probability."""
    outcomes = position.outcomes()
    return source.choices([a for a, _ in outcomes], [p for _, p in outcomes])[0]


class RandomOpenings:
    """Openings of `plies` random actions, made when asked for: none that ended the game, new ones where possible.

    Each depends on those before it alone, so that a match can be made longer.
    """

    def __init__(self, game: Game, plies: int, seed: int) -> None:
        self.game, self.plies, self.seed = game, plies, seed
        self.found: list[Opening] = []
        self._seen: set[str] = set()
        self._tries = NEW_TRIES if plies else 1
        self[0]  # where there is none at all, say so now

    def __getitem__(self, number: int) -> Opening:
        while len(self.found) <= number:
            self.found.append(self._next())
        return self.found[number]

    def _next(self) -> Opening:
        source = random.Random(seed_of(self.seed, "opening", len(self.found)))
        chosen: Opening | None = None
        for trial in range(TRIES):
            position, moves = self._draw(source)
            if position.is_terminal:
                continue
            chosen = Opening("", tuple(moves))
            if position.text not in self._seen:
                self._seen.add(position.text)
                return chosen
            if trial + 1 >= self._tries:
                break
        if chosen is None:
            raise SettingsError(
                f"{self.game.title}: {self.plies} random plies ended the game each of {TRIES} times; give fewer plies, "
                f"or a file of openings"
            )
        self._tries = 1  # all have been there, or nearly
        return chosen

    def _draw(self, source: random.Random) -> tuple[Position, list[int]]:
        position, moves, left = self.game.position(), list[int](), self.plies
        while left > 0 and not position.is_terminal:
            if position.player == CHANCE:
                action = draw_outcome(position, source)
            else:
                action = source.choice(position.actions())
                left -= 1
            moves.append(action)
            position = position.play(action)
        return position, moves


class FileOpenings:
    """The openings of a file, from the beginning again when there are no more."""

    def __init__(self, found: list[Opening]) -> None:
        self.found = found

    def __getitem__(self, number: int) -> Opening:
        return self.found[number % len(self.found)]


def read_openings(game: Game, path: Path, plies: int | None = None) -> list[Opening]:
    """The openings of a file: a position a line (for chess FEN or EPD), or, for chess, the games of a PGN file.

    Of a PGN's games, all moves are played, or the first `plies`. Empty lines and lines that begin with # are left out.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise FileError(f"openings {path}: can't read it: {reason}") from None
    found = []
    chess = game.name == "chess"
    if chess and (path.suffix.lower() == ".pgn" or text.lstrip().startswith("[")):
        from playout.games.chess import read_pgn

        try:
            games = read_pgn(text)
        except PositionError as error:
            raise FileError(f"openings {path}: {error}") from None
        found = [(f"game {i + 1}", Opening(g.start, g.moves[:plies])) for i, g in enumerate(games)]
    else:
        for number, line in enumerate(text.splitlines(), start=1):
            line = line.strip()
            if line and not line.startswith("#"):
                found.append((f"line {number}", Opening(_fen(line) if chess else line)))
    for where, opening in found:
        try:
            over = replay(game, opening).is_terminal
        except PlayoutError as error:
            raise FileError(f"openings {path}, {where}: {error}") from None
        if over:
            raise FileError(f"openings {path}, {where}: the game is over there, so that nobody can play it")
    if not found:
        raise FileError(f"openings {path}: there are none in it, expected one position a line")
    return [opening for _, opening in found]


def replay(game: Game, opening: Opening) -> Position:
    position = game.position(opening.start)
    for action in opening.moves:
        position = position.play(action)
    return position


def _fen(line: str) -> str:
    """The position of a line of FEN, or of EPD with its operations."""
    words = line.split()
    counters = len(words) >= 6 and words[4].isdigit() and words[5].isdigit()
    return " ".join(words[:6] if counters else words[:4])
