"""Where games begin: after some random plies, or at the positions of a file. Each opening is played from every seat."""

import random
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from playout.errors import FileError, PlayoutError, PositionError, SettingsError
from playout.game import Game, Position
from playout.games.chess import read_pgn

from .chance import draw_outcome, seed_of
from .loop import Playthrough, play_game

TRIES = 100  # random openings that may end the game before there is an error
NEW_TRIES = 50  # of them, for a position that has not been used yet


class NoOpeningError(SettingsError):
    """Random plies end the game every time."""


@dataclass(frozen=True)
class Opening:
    """A position's text (empty: the start) and the actions played from there before the players take over."""

    start: str
    moves: tuple[int, ...] = ()


class RandomOpenings:
    """Openings of `plies` random actions, made on demand: none that ends the game, new positions where possible.

    Each depends only on those before it, so that a match can be made longer.
    """

    def __init__(self, game: Game, plies: int, seed: int) -> None:
        self.game, self.plies, self.seed = game, plies, seed
        self.found: list[Opening] = []
        self._seen: set[str] = set()
        self._tries = NEW_TRIES if plies else 1
        self[0]  # where no opening is possible, fail now

    def __getitem__(self, number: int) -> Opening:
        while len(self.found) <= number:
            self.found.append(self._next())
        return self.found[number]

    def _next(self) -> Opening:
        source = random.Random(seed_of(self.seed, "opening", len(self.found)))
        chosen: Opening | None = None
        for trial in range(TRIES):
            game = self._draw(source)
            if game.position.is_terminal:
                continue
            chosen = Opening("", tuple(game.actions))
            if game.position.text not in self._seen:
                self._seen.add(game.position.text)
                return chosen
            if trial + 1 >= self._tries:
                break
        if chosen is None:
            raise NoOpeningError(
                f"{self.game.title}: {self.plies} random plies ended the game each of {TRIES} times; give fewer plies, "
                f"or a file of openings"
            )
        self._tries = 1  # nearly all positions have been used
        return chosen

    def _draw(self, source: random.Random) -> Playthrough:
        game = Playthrough(self.game.position())

        def choose(position: Position) -> int:
            return source.choice(position.actions())

        play_game(game, choose, partial(draw_outcome, source=source), lambda: game.moves >= self.plies)
        return game


class FileOpenings:
    """The openings of a file, in order, and then from the first one again."""

    def __init__(self, found: list[Opening]) -> None:
        self.found = found

    def __getitem__(self, number: int) -> Opening:
        return self.found[number % len(self.found)]


def read_openings(game: Game, path: Path, plies: int | None = None) -> list[Opening]:
    """The openings of a file: one position a line (for chess FEN or EPD), or, for chess, the games of a PGN file.

    Of a PGN's games, all moves are played, or the first `plies`. Empty lines and lines that begin with # are skipped.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise FileError(f"openings {path}: can't read it: {reason}") from None
    found = []
    chess = game.name == "chess"
    if chess and (path.suffix.lower() == ".pgn" or text.lstrip().startswith("[")):
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
            raise FileError(f"openings {path}, {where}: the game is over there, and can't be played on")
    if not found:
        raise FileError(f"openings {path}: the file has none, expected one position a line")
    return [opening for _, opening in found]


def replay(game: Game, opening: Opening) -> Position:
    """The position after an opening."""
    position = game.position(opening.start)
    for action in opening.moves:
        position = position.play(action)
    return position


def _fen(line: str) -> str:
    """The position of a line of FEN, or of EPD with its operations."""
    words = line.split()
    counters = len(words) >= 6 and words[4].isdigit() and words[5].isdigit()
    return " ".join(words[:6] if counters else words[:4])
