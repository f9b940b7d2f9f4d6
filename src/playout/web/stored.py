"""The part of a session that outlives the process: its search, the game so far, and how both are saved and restored."""

import base64
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import TimeoutError as TookTooLong
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from playout.errors import PlayoutError, PositionError
from playout.game import Game, Position
from playout.search import Search
from playout.search.files import load, save
from playout.search.result import Result
from playout.search.step import Step
from playout.settings import Settings

from .caps import Caps
from .chart import Chart
from .moments import Moments
from .parked import Parked
from .refusals import Refusal, game_may_fail
from .runs import Run
from .sharing import Sharing
from .store import SessionStore
from .turns import Turns

T = TypeVar("T")
READING = 0.8  # of the time of restoring a search, about; the rest goes into checking it


class _GiveWay(Exception):
    """Writing a file ends, since a change of the session waits."""


PATIENCE = 10.0  # seconds that a request waits for a session


class StoredSession:
    """A search and what is saved with it. Methods may be called from any thread.

    `search` is None while the session is on disk. During a run, only the run's thread touches the search.
    """

    def __init__(
        self, name: str, store: SessionStore, caps: Caps, turns: Turns, load_game: Callable[..., Game]
    ) -> None:
        self.id, self.store, self.caps, self.turns, self._load_game = name, store, caps, turns, load_game
        self.title = ""
        self.search: Search | None = None
        self.moments: Moments
        self.restoring: float | None = None  # the share of its search that was read from disk
        self.run: Run | None = None
        self.last_run: dict[str, Any] | None = None
        self.failure: dict[str, Any] | None = None  # of the game or the evaluator, in the last request
        self.temporary = False  # True: it may be deleted until it is used
        self.passing = False  # True: it is deleted when nobody watches it any more
        self.kept: dict[str, Any] | None = None
        self.chart = Chart()
        self.last_step: Step | None = None
        self.stepped: dict[str, Any] = {}  # what its answer said besides the step
        self.sharing = Sharing()
        self.preset, self.options = "default", dict[str, str]()
        self.created = self.touched = time.time()
        self.version, self.deleted = 0, False
        self.row_is_old, self.file_is_old = True, True
        self.saved_at, self.save_took, self.save_paused = time.monotonic(), 0.0, 0.0
        self.listeners: set[Callable[[], None]] = set()
        self._row: dict[str, Any] = {}
        self._origin = 0  # the moment at which the search began
        self._parked = Parked()
        self._last: tuple[Search, int, Result] | None = None
        self.used = time.monotonic()  # when it was last read
        self._lock = threading.Lock()
        self._still = threading.Lock()  # held while the tree must not change; taken after `_lock`
        self._changes_wait = 0  # changes that wait for it
        self._runs = 0

    # Beginning and coming back.

    def begin(self, search: Search, preset: str, options: dict[str, str], title: str = "") -> None:
        """Take a new search; the game so far begins where the search began, with the moves that it has played."""
        self.search, self.preset, self.options, self.title = search, preset, options, title
        start = (search.history or [search.position])[0]
        if not np.array_equal(start.buffer, search.origin.buffer):
            start = search.origin
        self.moments = Moments(start)
        for what, number in search.log:
            if what == "play":
                self.moments.play(number, self.moments.now.position.play(number))

    def recall(self, row: dict[str, Any]) -> None:
        """Restore what the row says; the search itself is loaded when it is needed."""
        self._row, self.title = row, str(row["title"])
        self.created, self.touched = float(row["created"]), float(row["touched"])
        self.last_run, self.failure = row["last_run"], row.get("failure")
        self._runs = int((self.last_run or {}).get("id", 0))  # clients tell runs apart by their numbers
        self.temporary, self.passing = bool(row.get("temporary")), bool(row.get("passing"))
        self.sharing = Sharing.from_row(row.get("sharing"))
        self.row_is_old = self.file_is_old = False

    def _awake(self) -> Search:
        """The search, loaded from disk if necessary."""
        if self.search is None:
            self.restoring = 0.0
            try:
                self.search = self._restored(self._row)
            except PlayoutError as error:
                raise Refusal(400, "file", f"session {self.id} can't be restored: {error}") from None
            except (KeyError, TypeError, ValueError, IndexError) as error:
                raise Refusal(
                    400, "file", f"session {self.id} can't be restored: its row is damaged ({error})"
                ) from None
            finally:
                self.restoring = None
        return self.search

    def _note_restored(self, share: float) -> None:
        self.restoring = READING * share

    def _restored(self, row: dict[str, Any]) -> Search:
        game = self._load_game(row["game"], row["game_settings"])
        self.moments = Moments.from_rows(_start(game, row), row["moments"], int(row["moment"]))
        self.preset, self.options, self._origin = row["preset"], dict(row["options"]), int(row["origin"])
        self.kept = row["kept"]
        if not self.chart.points:
            self.chart = Chart(row.get("chart", ()))
        wanted = [(str(what), int(number)) for what, number in row["log"]]
        file, search = self.store.file(self.id), None
        if file.exists():
            with contextlib.suppress(PlayoutError):  # damaged, or of another version: the log is enough
                search = load(Search, file, game, progress=self._note_restored)
        start, settings = self.moments.find(self._origin).position, Settings.from_saved(row["settings"])
        if search is not None and (search.settings, search.seed) == (settings, int(row["seed"])):
            known = search.log
            if np.array_equal(search.origin.buffer, search.game.adopt(start).buffer) and search.replay(wanted):
                self.file_is_old = known != wanted
                return search
        search = Search(game, settings, position=start, seed=int(row["seed"]))
        search.replay(wanted)
        self.file_is_old = True
        return search

    def row(self) -> dict[str, Any] | None:
        """The row for the store; None if the session is being changed. A run is not interrupted."""
        if not self._lock.acquire(blocking=False):
            return None
        try:
            self.row_is_old = False
            return self._make_row()
        finally:
            self._lock.release()

    def _make_row(self) -> dict[str, Any]:
        search = self.search
        if search is None:
            self._row = self._row | {"title": self.title, "touched": self.touched, "sharing": self.sharing.to_row()}
            return self._row
        game, start = search.game, self.moments.all[0].position
        self._row = {
            "title": self.title,
            "created": self.created,
            "touched": self.touched,
            "game": game.title,
            "game_settings": {k: list(v) if isinstance(v, tuple) else v for k, v in game.values.items()},
            "start": base64.b64encode(start.buffer.tobytes()).decode(),
            "form": start.game.form,
            "way": start.way,
            "moments": self.moments.to_rows(),
            "moment": self.moments.now.id,
            "origin": self._origin,
            "preset": self.preset,
            "options": self.options,
            "settings": search.settings.to_dict(),
            "seed": search.seed,
            "log": search.log,
            "kept": self.kept,
            "last_run": self.last_run,
            "failure": self.failure,
            "temporary": self.temporary,
            "passing": self.passing,
            "sharing": self.sharing.to_row(),
            "chart": [] if self.run is not None else self.chart.kept(),
            "text": self.moments.now.position.text,
            "simulations": search.simulations,
        }
        return self._row

    def save_file(self) -> None:
        """Write the search's file, unless a change of the session waits."""
        began = time.monotonic()
        try:
            self._write(self.store.file(self.id), compress=False)
        except _GiveWay:
            return  # the file stays old: the next round writes it
        if self.deleted:
            self.store.file(self.id).unlink(missing_ok=True)
        self.saved_at = time.monotonic()
        self.save_took = self.saved_at - began
        self.file_is_old = self.run is not None

    def _write(self, path: Path, compress: bool, copy: bool = False) -> None:
        """Write a file. A tree that a run grows is copied; another is written in pieces, until a change waits."""
        with self._held():
            search = self._awake() if self.run is None and not copy else None
            if search is not None and not self._still.acquire(blocking=False):
                raise _GiveWay  # another file of it is being written
        if search is None:
            save(self._look(self._frozen_between), path, compress)
            return
        try:
            save(search, path, compress, self._give_way)
        finally:
            self._still.release()

    def _give_way(self) -> None:
        if self._changes_wait:
            raise _GiveWay

    @contextlib.contextmanager
    def _quiet(self) -> Iterator[None]:
        """In the block, the tree may change: a file that is being written is given up."""
        self._changes_wait += 1
        try:
            self._still.acquire()
        finally:
            self._changes_wait -= 1
        try:
            yield
        finally:
            self._still.release()

    def _frozen_between(self, search: Search) -> Search:
        began = time.monotonic()
        found = search.snapshot()
        self.save_paused = time.monotonic() - began
        return found

    def export(self) -> Path:
        """Write a new search file, which stays unchanged while it is sent; the caller removes it."""
        self.store.check_room()
        path = self.store.new_file(self.id)
        try:
            self._write(path, compress=True)
        except _GiveWay:
            self._write(path, compress=True, copy=True)
        return path

    def sleep(self) -> bool:
        """Move to disk, unless the session is in use; True if it did."""
        if self.file_is_old and self.search is not None and self.run is None:
            self.save_file()
        if not self._lock.acquire(blocking=False):
            return False
        try:
            if self.run is not None or self.listeners or self.file_is_old or self.search is None:
                return False
            self._make_row()
            self.search, self._last = None, None
            self._parked.clear()
            return True
        finally:
            self._lock.release()

    def make_temporary(self) -> None:
        """Mark as made for a visit: it is deleted later unless it is used."""
        self.temporary = self.row_is_old = True

    def make_passing(self) -> None:
        """Mark as made for a comparison: it is deleted when nobody watches it any more, unless it gets a name."""
        self.passing = self.row_is_old = True

    def drop_if_unused(self, since: float) -> bool:
        """Mark a temporary session as deleted if it was not read since then; True if it was marked."""
        if not self.temporary or self.used > since or not self._lock.acquire(blocking=False):
            return False
        try:
            self.deleted = self.temporary and not self.listeners
            return self.deleted
        finally:
            self._lock.release()

    # Access.

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        if not self._lock.acquire(timeout=PATIENCE):
            raise Refusal(
                409,
                "restoring",
                "this session is being restored, or other requests hold it; try again in a moment",
                try_again=True,
            )
        try:
            if self.deleted:
                raise Refusal(404, "unknown_session", f"session {self.id} was deleted")
            yield
        finally:
            self._lock.release()

    def look(self, view: Callable[[Search], T], still: bool = False) -> T:
        """Call a function with the search: in the run's thread between two chunks, or here if no run is on.

        `still`: nothing else may read the tree, not even to save it.
        """
        self.used = time.monotonic()
        return self._look(view, still)

    def _look(self, view: Callable[[Search], T], still: bool = False) -> T:
        with self._held():
            run = self.run
            if run is None:
                search = self._awake()
                with game_may_fail(type(search.game)), self._quiet() if still else contextlib.nullcontext():
                    return view(search)
            game, answer = type(run.search.game), run.post(view)
        try:
            with game_may_fail(game):
                found: T = answer.result(PATIENCE)
            return found
        except TookTooLong:
            answer.cancel()
            raise Refusal(
                409,
                "busy",
                "the search can't be read yet: it is being compiled, which happens once, or one simulation takes very "
                "long; try again in a moment",
                try_again=True,
            ) from None

    @property
    def bytes(self) -> int:
        """Memory used by its trees."""
        search = self.search
        return (search.tree_bytes if search is not None else 0) + self._parked.bytes


def _start(game: Game, row: dict[str, Any]) -> Position:
    """The position where the session's game began, in the form that the game had then."""
    game, way = game.in_form(str(row.get("form", ""))), row.get("way")
    if game.keeps_objects:  # a row can't hold an object: its moves are played again
        game.check_can_save()
        if way is None:
            raise PositionError(f"{game.title}: the moves that led to where it began are not known")
        position = game.position()
        for action in way[1]:
            position = position.play(int(action))
        return position
    state = np.frombuffer(base64.b64decode(row["start"]), np.uint8).copy()
    if len(state) != game.dtype.itemsize:
        raise ValueError(f"{game.title} has another state now")
    return Position(game, state, way=None if way is None else (way[0], tuple(int(a) for a in way[1])))
