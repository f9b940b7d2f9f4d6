"""The results file: SQLite, for any number of matches. Each game is written before the next one is handed out."""

import json
import math
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar, get_args, get_origin, get_type_hints

from playout.errors import FileError

FORMAT = 1
TABLES = """
CREATE TABLE IF NOT EXISTS matches (
    id INTEGER PRIMARY KEY,
    description TEXT NOT NULL UNIQUE,  -- JSON: game, players, seed, openings and clock; the same match again is resumed
    begun TEXT NOT NULL DEFAULT CURRENT_TIMESTAMP
);
CREATE TABLE IF NOT EXISTS games (
    match INTEGER NOT NULL REFERENCES matches (id),
    number INTEGER NOT NULL,  -- in the order of the schedule
    record TEXT NOT NULL,  -- JSON, the fields of a Record or a ScoredGame
    PRIMARY KEY (match, number)
) WITHOUT ROWID;
"""


def _is_a(value: Any, hint: Any) -> bool:
    """Whether a value has the type of a field: a number, a text, or a tuple of these.

    >>> _is_a((1, 0.5), tuple[float, ...]), _is_a(True, int), _is_a(float("nan"), float)
    (True, False, False)
    """
    if get_origin(hint) is tuple:
        return isinstance(value, tuple) and all(_is_a(item, get_args(hint)[0]) for item in value)
    if isinstance(value, bool) or not isinstance(value, int | float if hint is float else hint):
        return False
    return hint is not float or math.isfinite(value)


class Numbered(Protocol):
    """A game that was played: a dataclass of numbers, texts and tuples of them."""

    @property
    def number(self) -> int:
        """Its place in the schedule."""


G = TypeVar("G", bound=Numbered)


class ResultsFile(Generic[G]):
    """The games of one match in a file, or in memory where there is no path; `kind` is their class.

    `fault` says what is impossible about a game of the match, or nothing.
    """

    def __init__(
        self,
        path: str | Path | None,
        description: dict[str, Any],
        kind: type[G],
        fault: Callable[[G], str] = lambda record: "",
    ) -> None:
        self.path, self.kind, self.fault = path, kind, fault
        key = json.dumps({"format": FORMAT, **description}, sort_keys=True)
        with self._clear_errors():
            self._base = sqlite3.connect(":memory:" if path is None else path, timeout=30.0)
            try:
                self._base.execute("PRAGMA journal_mode = WAL")
                self._base.execute("PRAGMA synchronous = FULL")  # a recorded game survives a power cut
                with self._base:
                    self._base.executescript(TABLES)
                    self._base.execute("INSERT OR IGNORE INTO matches (description) VALUES (?)", (key,))
                found = self._base.execute("SELECT id FROM matches WHERE description = ?", (key,)).fetchone()
            except BaseException:
                self._base.close()
                raise
        self._match = int(found[0])

    def records(self) -> list[G]:
        """All recorded games, in the order of the schedule; `FileError` names one that is damaged."""
        with self._clear_errors():
            wanted = "SELECT number, record FROM games WHERE match = ? ORDER BY number"
            rows = self._base.execute(wanted, (self._match,)).fetchall()
        try:
            return [self._read(number, text) for number, text in rows]
        except FileError:
            self.close()
            raise

    def add(self, record: G) -> None:
        """Write a game; it is on disk when this returns. A game that is already there is kept."""
        with self._clear_errors(), self._base:
            self._base.execute(
                "INSERT OR IGNORE INTO games VALUES (?, ?, ?)",
                (self._match, record.number, json.dumps(vars(record))),
            )

    def close(self) -> None:
        """Close the file."""
        self._base.close()

    def _read(self, number: int, text: str) -> G:
        try:
            fields = json.loads(text)
            record = self.kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()})
            hints = get_type_hints(self.kind)
            wrong = next((key for key, value in vars(record).items() if not _is_a(value, hints[key])), None)
            why = f"{wrong} is {getattr(record, wrong)!r:.80}" if wrong else self.fault(record)
            if not why and record.number != number:
                why = f"it has the number {record.number}"
        except (ValueError, TypeError, AttributeError):
            why = "it is not a record of a game"
        if why:
            raise FileError(
                f"results file {self.path}: game {number} of match {self._match} is damaged: {why}; choose another file"
            )
        return record

    @contextmanager
    def _clear_errors(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            kept = "the games recorded so far are kept, and the same command resumes the match"
            if isinstance(error, sqlite3.DatabaseError) and "not a database" in str(error):
                kept = "it is not a results file; choose another file"
            elif "unable to open" in str(error) or "readonly" in str(error):
                kept = "choose a file in a folder that you may write to"
            raise FileError(f"results file {self.path}: {error}; {kept}") from None
