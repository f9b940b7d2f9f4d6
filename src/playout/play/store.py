"""The results file: SQLite, for any number of matches. Each game is written before the next one is handed out."""

import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Generic, Protocol, TypeVar

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


class Numbered(Protocol):
    """A game that was played: a dataclass of numbers, texts and tuples of them."""

    @property
    def number(self) -> int:
        """Its place in the schedule."""


G = TypeVar("G", bound=Numbered)


class ResultsFile(Generic[G]):
    """The games of one match in a file, or in memory where there is no path; `kind` is their class."""

    def __init__(self, path: str | Path | None, description: dict[str, Any], kind: type[G]) -> None:
        self.path, self.kind = path, kind
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
        """All recorded games, in the order of the schedule."""
        with self._clear_errors():
            rows = self._base.execute("SELECT record FROM games WHERE match = ? ORDER BY number", (self._match,))
            return [self._read(text) for (text,) in rows]

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

    def _read(self, text: str) -> G:
        fields = json.loads(text)
        return self.kind(**{k: tuple(v) if isinstance(v, list) else v for k, v in fields.items()})

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
