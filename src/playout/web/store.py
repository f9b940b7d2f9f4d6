"""What survives a restart: one SQLite file with a row for each session, and the search's own file beside it.

A row is small and written every second while a session changes; it has the log of what the search did. The search's
file is large and written less often. After a crash the file is loaded and the rest of the log is replayed, which gives
the same tree, simulation for simulation.
"""

import contextlib
import json
import secrets
import shutil
import sqlite3
import threading
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from playout.errors import FileError

from .refusals import Refusal

VERSION = 1
SPARE = 256 << 20  # bytes of the disk that search files leave free, for rows
SCHEMA = """
create table if not exists sessions (
    id text primary key,
    touched real not null,
    data text not null
) without rowid
"""


class SessionStore:
    """The data folder. One server at a time: SQLite's lock is held as long as it is open."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.searches = folder, folder / "searches"
        self._lock = threading.Lock()
        try:
            self.searches.mkdir(parents=True, exist_ok=True)
            self._database = sqlite3.connect(
                folder / "sessions.sqlite", timeout=1.0, isolation_level=None, check_same_thread=False
            )
            for line in (
                "pragma locking_mode = exclusive",
                "pragma journal_mode = wal",
                "pragma synchronous = normal",
                "begin immediate",
                SCHEMA,
                "commit",
            ):
                self._database.execute(line)
            found = self._database.execute("pragma user_version").fetchone()[0]
            if found not in (0, VERSION):
                raise FileError(
                    f"{folder}: was written by another version of Playout (its format is {found}, this one reads "
                    f"{VERSION}); give another folder with --data"
                )
            self._database.execute(f"pragma user_version = {VERSION}")
        except sqlite3.OperationalError as error:
            why = "another server uses it" if "locked" in str(error) else str(error)
            raise FileError(f"{folder}: can't be used for sessions ({why}); give another folder with --data") from None
        except (sqlite3.DatabaseError, OSError) as error:
            raise FileError(f"{folder}: can't be used for sessions ({error}); give another one with --data") from None
        # Left over from a crash.
        for leftover in self.searches.glob(".*.search.*"):
            leftover.unlink(missing_ok=True)
        for leftover in folder.glob("upload-*"):
            shutil.rmtree(leftover, ignore_errors=True)

    def rows(self) -> dict[str, dict[str, Any]]:
        """All sessions. A row that can't be read is skipped, and stays in the file."""
        found = {}
        with self._lock:
            for name, data in self._database.execute("select id, data from sessions order by touched desc"):
                with contextlib.suppress(ValueError):
                    found[str(name)] = dict(json.loads(data))
        return found

    def write(self, rows: Iterable[tuple[str, dict[str, Any]]]) -> None:
        """Insert or replace rows, all or none."""
        values = [(name, float(data["touched"]), json.dumps(data)) for name, data in rows]
        with self._lock, self._transaction():
            self._database.executemany("insert or replace into sessions values (?, ?, ?)", values)

    def delete(self, name: str) -> None:
        """Remove a session's row and file."""
        with self._lock, self._transaction():
            self._database.execute("delete from sessions where id = ?", (name,))
        self.file(name).unlink(missing_ok=True)

    def file(self, name: str) -> Path:
        """The path of a session's search file; the name is never a client's."""
        return self.searches / f"{name}.search"

    def new_file(self, name: str) -> Path:
        """A path for a copy; the next start removes what is left of it."""
        return self.searches / f".{name}.search.{secrets.token_hex(8)}"

    def has_room(self) -> bool:
        """Whether the disk has room for search files."""
        try:
            return shutil.disk_usage(self.folder).free > SPARE
        except OSError:
            return True  # writing will show

    def check_room(self) -> None:
        """Refuse if the disk has no room for search files."""
        if not self.has_room():
            raise Refusal(
                429,
                "storage",
                f"the disk that holds the data folder has less than {SPARE >> 20} MiB left; delete sessions, or start "
                f"the server with another --data",
            )

    def close(self) -> None:
        """Release the folder."""
        with self._lock:
            self._database.close()

    @contextlib.contextmanager
    def _transaction(self) -> Iterator[None]:
        """All or nothing; a folder that can't be written is a 503, so that the client tries again."""
        try:
            self._database.execute("begin immediate")
            try:
                yield
                self._database.execute("commit")
            except BaseException:
                self._database.execute("rollback")
                raise
        except sqlite3.Error as error:
            raise Refusal(503, "storage", f"the data folder can't be written at the moment ({error})") from None
