"""The ledger of a generated search: every call in an SQLite file, on disk before it counts.

`calls` has one row for each call of a generator (phase `generate`) and of the judge (phase `evaluate`). A row is
written before the call is made and completed when the answer is there, each with a commit that waits for the disk. What
has an answer is never asked again; what has none was in flight when the process ended, and is asked again under the
same key.
"""

import contextlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

from playout.common.disk import locked
from playout.errors import FileError

FORMAT = 1
APPLICATION = 0x504C4147  # "PLAG": whose file it is
FACTS = "CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL)"
CALLS = """CREATE TABLE calls (
    number INTEGER NOT NULL,   -- of the call, from 1; also of the node that it makes
    phase TEXT NOT NULL,       -- generate or evaluate
    key TEXT NOT NULL UNIQUE,  -- the same when a call is made again
    parent INTEGER NOT NULL,   -- the number of the node it starts from, 0 for the root
    generator TEXT NOT NULL,
    status TEXT NOT NULL,      -- asked, answered or failed
    attempts INTEGER NOT NULL,
    asked REAL NOT NULL,       -- seconds since 1970
    seconds REAL,              -- how long it took
    cost REAL,
    tokens INTEGER,
    state TEXT,                -- null: nothing was proposed
    score REAL,
    told INTEGER,              -- in which order the answers counted
    error TEXT,
    PRIMARY KEY (number, phase)
)"""
COLUMNS = (
    "number, phase, key, parent, generator, status, attempts, asked, seconds, cost, tokens, state, score, told, error"
)


class Row(NamedTuple):
    """A call in the ledger."""

    number: int
    phase: str
    key: str
    parent: int
    generator: str
    status: str
    attempts: int
    asked: float
    seconds: float | None
    cost: float | None
    tokens: int | None
    state: str | None
    score: float | None
    told: int | None
    error: str | None


class Ledger:
    """An open ledger. With `reading`, another process may be writing to it."""

    def __init__(self, path: Path, facts: dict[str, Any], *, reading: bool = False) -> None:
        self.path, self._stack = path, ExitStack()
        if reading and not path.is_file():
            raise FileError(f"{path}: there is no such ledger")
        if not path.parent.is_dir():
            raise FileError(f"{path}: there is no folder {path.parent}; make it first")
        if path.exists() and not path.is_file():
            raise FileError(f"{path}: not a regular file; choose another for the ledger")
        try:
            if not reading:
                taken = f"{path}: another search is using this ledger; wait for it, or choose another file"
                self._stack.enter_context(locked(path.with_name(path.name + ".lock"), taken))
            with self._wrong("opened"):
                self._open(reading)
            known = self.facts
            if not known and not reading:
                self._begin(facts)
            self._check(known, facts)
        except BaseException:
            self.close()
            raise

    def _open(self, reading: bool) -> None:
        where = f"{self.path.resolve().as_uri()}?mode=ro" if reading else str(self.path)
        self._db = sqlite3.connect(where, uri=reading, isolation_level=None, check_same_thread=False, timeout=10.0)
        self._stack.callback(self._db.close)
        found = self._db.execute("PRAGMA application_id").fetchone()[0]
        tables = self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if found != APPLICATION and (tables or reading):
            raise FileError(f"{self.path}: not a ledger of a generated search")
        if not reading:
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=FULL")  # a commit returns when the disk has it

    def _begin(self, facts: dict[str, Any]) -> None:
        with self._wrong("written"):
            self._db.execute("BEGIN IMMEDIATE")
            try:
                self._db.execute(f"PRAGMA application_id={APPLICATION}")
                self._db.execute(FACTS)
                self._db.execute(CALLS)
                rows = [(name, json.dumps(value)) for name, value in {"format": FORMAT, **facts}.items()]
                self._db.executemany("INSERT INTO facts VALUES (?, ?)", rows)
                self._db.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):
                    self._db.execute("ROLLBACK")
                raise

    def _check(self, known: dict[str, Any], facts: dict[str, Any]) -> None:
        if known and known.get("format") != FORMAT:
            raise FileError(f"{self.path}: a ledger of format {known.get('format')!r}; this version reads {FORMAT}")
        for name in ("root", "scores"):
            if known and name in facts and known.get(name) != facts[name]:
                raise FileError(
                    f"{self.path}: this ledger is of a search with {name} {known.get(name)!r:.60}, not "
                    f"{facts[name]!r:.60}; use another file for another search"
                )

    @contextlib.contextmanager
    def _wrong(self, what: str) -> Iterator[None]:
        """SQLite's errors in one line."""
        try:
            yield
        except sqlite3.Error as error:
            raise FileError(f"{self.path}: the ledger can't be {what} ({error}); no answer in it is lost") from None

    @property
    def facts(self) -> dict[str, Any]:
        """What the ledger says of its search; empty if it is new."""
        with self._wrong("read"):
            if not self._db.execute("SELECT count(*) FROM sqlite_master WHERE name = 'facts'").fetchone()[0]:
                return {}
            return {name: json.loads(value) for name, value in self._db.execute("SELECT name, value FROM facts")}

    def rows(self, after: int = 0) -> list[Row]:
        """The calls with a number above `after`, in the order in which they were asked."""
        with self._wrong("read"):
            found = self._db.execute(
                f"SELECT {COLUMNS} FROM calls WHERE number > ? ORDER BY number, phase DESC", (after,)
            )
            return [Row(*row) for row in found]

    def asked(self, number: int, phase: str, key: str, parent: int, generator: str, when: float) -> None:
        """A call is about to be made, for the first time or again."""
        with self._wrong("written"):
            self._db.execute(
                "INSERT INTO calls (number, phase, key, parent, generator, status, attempts, asked) "
                "VALUES (?, ?, ?, ?, ?, 'asked', 1, ?) "
                "ON CONFLICT (number, phase) DO UPDATE SET attempts = attempts + 1",
                (number, phase, key, parent, generator, when),
            )

    def answered(
        self,
        number: int,
        phase: str,
        state: str | None,
        score: float | None,
        cost: float,
        tokens: int | None,
        seconds: float,
        told: int | None,
    ) -> None:
        """A call got its answer."""
        with self._wrong("written"):
            self._db.execute(
                "UPDATE calls SET status = 'answered', state = ?, score = ?, cost = ?, tokens = ?, seconds = ?, "
                "told = ? WHERE number = ? AND phase = ?",
                (state, score, cost, tokens, seconds, told, number, phase),
            )

    def told(self, number: int, score: float | None, order: int) -> None:
        """An answer whose state another call is being scored for counts now."""
        with self._wrong("written"):
            self._db.execute(
                "UPDATE calls SET score = ?, told = ? WHERE number = ? AND phase = 'generate'", (score, order, number)
            )

    def failed(self, number: int, phase: str, error: str, cost: float, tokens: int | None, seconds: float) -> None:
        """A call failed for good."""
        with self._wrong("written"):
            self._db.execute(
                "UPDATE calls SET status = 'failed', error = ?, cost = ?, tokens = ?, seconds = ? "
                "WHERE number = ? AND phase = ?",
                (error, cost, tokens, seconds, number, phase),
            )

    def close(self) -> None:
        """Close the file."""
        self._stack.close()
