"""One session: a search, the game so far, the run that is on, and what is needed to bring all of it back."""

import base64
import contextlib
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import TimeoutError as TookTooLong
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from playout.core import tree as core
from playout.errors import PlayoutError, PositionError
from playout.game import CHANCE, Game, Position
from playout.play.chance import draw_outcome
from playout.search import Search
from playout.search.files import save
from playout.search.result import Result
from playout.search.step import Step
from playout.settings import Settings
from playout.settings.options import flat

from . import views
from .caps import Caps
from .chart import Chart
from .moments import Moments
from .parked import Parked
from .refusals import Refusal, busy, game_may_fail, is_fault, not_now
from .runs import Run
from .store import Store
from .turns import Turns
from .twin import Log, at_root, frozen, log_of, origin_of, redo, tree_bytes

T = TypeVar("T")

PATIENCE = 10.0  # seconds that a request waits for a session
BEST = "best"  # the word for the best action, unless the game has an action of that name


class Session:
    """Everything that one id stands for. Methods may be called from any thread; those that change refuse during a run.

    `search` is None while the session is on disk. While a run is on, only its thread touches the search.
    """

    def __init__(self, name: str, store: Store, caps: Caps, turns: Turns, load_game: Callable[..., Game]) -> None:
        self.id, self.store, self.caps, self.turns, self._load_game = name, store, caps, turns, load_game
        self.title = ""
        self.search: Search | None = None
        self.moments: Moments
        self.run: Run | None = None
        self.last_run: dict[str, Any] | None = None
        self.failure: dict[str, Any] | None = None  # what the game or the evaluator failed at last
        self.temporary = False  # until it is used, it may be deleted
        self.kept: dict[str, Any] | None = None
        self.chart = Chart()
        self.last_step: Step | None = None
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
        self.used = time.monotonic()  # when somebody last looked
        self._lock = threading.Lock()
        self._still = threading.Lock()  # held while the tree must stay as it is; taken after `_lock`
        self._runs = 0
        self._log: Log = []  # of the search, when the present run began

    # Beginning and coming back.

    def begin(self, search: Search, preset: str, options: dict[str, str], title: str = "") -> None:
        """Take a new search; its position is where the game begins, with the moves that the search has played."""
        self.search, self.preset, self.options, self.title = search, preset, options, title
        start = (search.history or [search.position])[0]
        if not np.array_equal(start.buffer, origin_of(search)):
            start = Position(search.game, origin_of(search).copy())
        self.moments = Moments(start)
        for what, number in log_of(search):
            if what == "play":
                self.moments.play(number, self.moments.now.position.play(number))

    def recall(self, row: dict[str, Any]) -> None:
        """What the store knows; the search itself is loaded when it is asked for."""
        self._row, self.title = row, str(row["title"])
        self.created, self.touched = float(row["created"]), float(row["touched"])
        self.last_run, self.failure = row["last_run"], row.get("failure")
        self.temporary = bool(row.get("temporary"))
        self.row_is_old = self.file_is_old = False

    def _awake(self) -> Search:
        """The search, from disk if need be."""
        if self.search is None:
            try:
                self.search = self._restored(self._row)
            except PlayoutError as error:
                raise Refusal(400, "file", f"session {self.id} can't be brought back: {error}") from None
            except (KeyError, TypeError, ValueError, IndexError) as error:
                raise Refusal(
                    400, "file", f"session {self.id} can't be brought back: its row is damaged ({error})"
                ) from None
        return self.search

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
            with contextlib.suppress(PlayoutError):  # damaged, or of another version: the log alone will do
                search = Search.load(file, game)
        start, settings = self.moments.find(self._origin).position, Settings.from_saved(row["settings"])
        if search is not None and (search.settings, search.seed) == (settings, int(row["seed"])):
            known = log_of(search)
            if np.array_equal(origin_of(search), search.game.adopt(start).buffer) and redo(search, wanted):
                self.file_is_old = known != wanted
                return search
        search = Search(game, settings, position=start, seed=int(row["seed"]))
        redo(search, wanted)
        self.file_is_old = True
        return search

    def row(self) -> dict[str, Any] | None:
        """What the store is to know; None if somebody is changing it just now. A run goes on meanwhile."""
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
            self._row = self._row | {"title": self.title, "touched": self.touched}
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
            "log": self._log_now(search),
            "kept": self.kept,
            "last_run": self.last_run,
            "failure": self.failure,
            "temporary": self.temporary,
            "chart": [] if self.run is not None else self.chart.kept(),
            "text": self.moments.now.position.text,
            "simulations": search.simulations,
        }
        return self._row

    def _log_now(self, search: Search) -> Log:
        """A search does not log a run before its end; until then the simulations are counted."""
        return log_of(search) if self.run is None else at_root(self._log, search.simulations)

    def save_file(self) -> None:
        """Write the search's own file, of a copy: a run goes on meanwhile."""
        began = time.monotonic()
        save(self._frozen(), self.store.file(self.id), compress=False)
        if self.deleted:
            self.store.file(self.id).unlink(missing_ok=True)
        self.saved_at = time.monotonic()
        self.save_took = self.saved_at - began
        self.file_is_old = self.run is not None

    def _frozen(self) -> Search:
        """A copy for a file. Of a large tree it takes a while: others may look meanwhile, but not change anything."""
        with self._held():
            search = self._awake() if self.run is None else None
            if search is not None:
                self._still.acquire()
        if search is None:
            return self._look(self._frozen_between)
        try:
            return frozen(search, log_of(search))
        finally:
            self._still.release()

    def _frozen_between(self, search: Search) -> Search:
        began = time.monotonic()
        found = frozen(search, self._log_now(search))
        self.save_paused = time.monotonic() - began
        return found

    def export(self) -> Path:
        """A search file of its own, which nobody replaces while it is sent; whoever asked removes it."""
        self.store.check_room()
        path = self.store.new_file(self.id)
        save(self._frozen(), path)
        return path

    def sleep(self) -> bool:
        """Go to disk, unless somebody is at work; True if it did."""
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
        """Made for a visit: unless it is used, it is deleted some time after."""
        self.temporary = self.row_is_old = True

    def drop_if_unused(self, since: float) -> bool:
        """Delete a temporary session that nobody has looked at since then; True if it was."""
        if not self.temporary or self.used > since or not self._lock.acquire(blocking=False):
            return False
        try:
            self.deleted = self.temporary and not self.listeners
            return self.deleted
        finally:
            self._lock.release()

    # Looking and changing.

    @contextlib.contextmanager
    def _held(self) -> Iterator[None]:
        if not self._lock.acquire(timeout=PATIENCE):
            raise Refusal(
                409,
                "restoring",
                "this session is being brought back, or others are at work in it; try again in a moment",
                try_again=True,
            )
        try:
            if self.deleted:
                raise Refusal(404, "unknown_session", f"session {self.id} was deleted")
            yield
        finally:
            self._lock.release()

    def look(self, view: Callable[[Search], T]) -> T:
        """Call a function with the search: in the run's thread between two chunks, or here when no run is on."""
        self.used = time.monotonic()
        return self._look(view)

    def _look(self, view: Callable[[Search], T]) -> T:
        with self._held():
            run = self.run
            if run is None:
                search = self._awake()
                with game_may_fail(type(search.game)):
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
                "nobody could look in yet: the search is being compiled, which happens once, or one simulation takes "
                "very long; try again in a moment",
                try_again=True,
            ) from None

    def _change(self, what: str, work: Callable[[Search], T]) -> T:
        with self._held():
            if self.run is not None:
                raise busy(what)
            search = self._awake()
            try:
                with self._still, game_may_fail(type(search.game)):
                    found = work(search)
            except (PlayoutError, Refusal) as error:
                if is_fault(error):
                    self._failed(what, str(error))
                    self._changed()
                raise
            self.failure = None
            self._changed()
        return found

    def _failed(self, what: str, message: str) -> None:
        """Keep what the game or the evaluator failed at, for everybody who watches."""
        now = self.moments.now
        self.failure = {"what": what, "message": message, "position": now.position.text, "moment": now.id}

    def _changed(self) -> None:
        self.version += 1
        self.temporary = False
        self.touched, self.used = time.time(), time.monotonic()
        self.row_is_old = self.file_is_old = True
        self.tell()

    def tell(self) -> None:
        """Let those who listen know that something changed."""
        for listener in list(self.listeners):
            listener()

    def rename(self, title: str) -> None:
        with self._held():
            self.title, self.temporary = title, False
            self.touched, self.version, self.row_is_old = time.time(), self.version + 1, True
            self.tell()

    def start_again(self, settings: Settings, seed: int | None, preset: str, options: dict[str, str]) -> None:
        """The same position, other settings, an empty tree."""

        def work(search: Search) -> None:
            # The plain form of the game: a network takes the one it wants.
            game, seeded = search.game.in_form(""), search.seed if seed is None else seed
            new = Search(game, settings, position=self.moments.now.position, seed=seeded)
            self._take(new)
            self._parked.clear()
            self.preset, self.options, self.kept = preset, options, None

        self._change("settings", work)

    def _take(self, search: Search) -> None:
        """Another search, which began at the present moment."""
        self.search, self._origin = search, self.moments.now.id
        self.chart, self._last, self.last_step = Chart(), None, None

    # Running.

    def start_run(self, limits: dict[str, Any], kind: str = "run", from_start: bool = False) -> Run:
        with self._held():
            if self.run is not None:
                raise busy(kind)
            search = self._awake()
            self._check_can_search(search)
            if from_start:
                self.chart = Chart()
            self._runs += 1
            self.failure = None
            self._log = log_of(search)
            self.run = Run(
                search,
                limits,
                {"nodes": self.caps.nodes, "bytes": self.caps.bytes},
                self.turns,
                self._run_ended,
                number=self._runs,
                kind=kind,
                from_start=from_start,
                each=self.chart.note,
            )
            self._changed()
            with self._still:
                self.run.begin()
            return self.run

    def _check_can_search(self, search: Search) -> None:
        position = search.position
        if position.is_terminal:
            raise not_now(f"the game is over in {position.text or 'this position'}; there is nothing to search")
        if position.player == CHANCE:
            raise not_now("chance moves next; play one of its outcomes, then search on")

    def _run_ended(self, run: Run, result: Result | None) -> None:
        """In the run's own thread."""
        with self._lock:
            self.last_run = run.to_dict()
            if run.error is not None:
                self._failed(run.kind, run.error)
            self.run = None
            run.answer()
            with contextlib.suppress(Exception):  # a point of the chart is not worth a session
                self.chart.note_end(run.search)
            self._last = (run.search, run.search.simulations, result) if result is not None else None
            self._changed()

    def stop(self) -> dict[str, Any] | None:
        run = self.run
        if run is None:
            return None
        run.stop()
        with contextlib.suppress(TookTooLong):
            run.finished.result(PATIENCE)
        return run.to_dict()

    def seek(self, simulations: int) -> Run | None:
        """Go to the tree after so many simulations; None: it is there already."""
        now: int = self.look(lambda search: search.simulations)
        if simulations == 0 and now:
            self._change("seek", self._rewind)
        if simulations in (0, now):
            return None
        more = simulations - now if simulations > now else simulations
        return self.start_run({"simulations": more}, "seek", from_start=simulations < now)

    def _rewind(self, search: Search) -> None:
        search.rewind(0)
        self.chart.cut(0)

    def step(self, svg: bool) -> dict[str, Any]:
        """One simulation in full."""

        def work(search: Search) -> dict[str, Any]:
            self._check_can_search(search)
            proven = search.root.proven
            if proven is not None and search.settings.solver:
                raise not_now(f"{search.position.text or 'the start'} is proven; no simulation is left to run")
            if search.root.visits >= 2**31 - 2 or tree_bytes(search) > self.caps.bytes:
                raise Refusal(429, "memory", "the tree is as large as the server allows (--max-bytes)")
            self.last_step = search.step()
            self.chart.cut(search.simulations)
            return views.step_view(self.last_step, svg, search.simulations)

        return self._change("step", work)

    # Moving.

    def play(self, action: int | str, moment: int | None = None) -> None:
        """Play a move; with `moment`, only there: what was chosen in another position is refused."""

        def work(search: Search) -> None:
            self.moments.check_room()
            if moment is not None and moment != self.moments.now.id:
                now = self.moments.now.id
                raise not_now(f"the game is at moment {now} by now, not at {moment}; look at it, and choose again")
            if search.position.is_terminal:
                raise not_now(f"the game is over in {search.position.text or 'this position'}; no move is left")
            number, before = _chosen(search, action), search.root.visits
            views.position_view(search.position.play(number))  # a position that can't be shown can't be left again
            parked = self._parked.leave(self.moments.now.id, search, self._origin)
            try:
                after = search.play(number)
            except Exception:
                self._parked.drop(self.moments.now.id)
                self.search = parked
                raise
            self.moments.play(number, after)
            self._parked.drop(self.moments.now.id)
            self.chart, self._last, self.last_step = Chart(), None, None
            kept = search.root.visits
            self.kept = {"visits": kept, "of": before, "how": "subtree" if kept else "none"}

        self._change("play", work)

    def go_to(self, number: int) -> None:
        """Walk to another moment: its own tree if that is still in memory, otherwise an empty one."""

        def work(search: Search) -> None:
            moment = self.moments.find(number)
            if moment is self.moments.now:
                return
            before, found = search.root.visits, self._parked.find(moment.id)
            there, origin = found or (
                Search(search.game, search.settings, position=moment.position, seed=search.seed),
                moment.id,
            )
            self._parked.leave(self.moments.now.id, search, self._origin)
            self._parked.drop(moment.id)
            self.moments.now = moment
            self._take(there)
            self._origin = origin
            self.kept = {"visits": there.root.visits, "of": before, "how": "parked" if found else "none"}

        self._change("goto", work)

    # Views.

    def view(self) -> dict[str, Any]:
        return self.look(self._view)

    def _view(self, search: Search) -> dict[str, Any]:
        root, run = search.root, self.run
        game, counters = search.game, search.tree.counters

        return {
            **self.head(),
            "game_settings": views.settings_view(game),
            "players": game.players,
            "range": list(game.range) if game.range else None,
            "preset": self.preset,
            "options": flat(search.settings),
            "changed": sorted(self.options),
            "seed": search.seed,
            "position": views.position_view(search.position),
            "moment": self.moments.now.id,
            "plies": self.moments.now.ply,
            "simulations": search.simulations,
            "visits": root.visits,
            "nodes": int(counters[core.POSITIONS]),
            "edges": int(counters[core.EDGES]),
            "bytes": tree_bytes(search),
            "proven": root.proven,
            "graph": bool(search.settings.transpositions),
            "run": run.to_dict() if run is not None else None,
            "last_run": self.last_run,
            "failure": self.failure,
            "kept": self.kept,
            "version": self.version,
        }

    def head(self) -> dict[str, Any]:
        """What a list of sessions says of this one, without waking it."""
        return {
            "id": self.id,
            "permalink": f"/s/{self.id}",
            "name": self.title,
            "game": self.search.game.title if self.search is not None else self._row["game"],
            "created": self.created,
            "touched": self.touched,
            "in_memory": self.search is not None,
            "temporary": self.temporary,
        }

    def listed(self) -> dict[str, Any]:
        search = self.search
        return self.head() | {
            "position": self.moments.now.position.text if search is not None else self._row["text"],
            "simulations": search.simulations if search is not None else self._row["simulations"],
            "running": self.run is not None,
        }

    def result(self) -> Result:
        return self.look(self.result_of)

    def result_of(self, search: Search) -> Result:
        """The result of the last run if nothing has changed since; during a run, as far as it is."""
        if self._last is not None and self._last[0] is search and self._last[1] == search.simulations:
            return self._last[2]
        found, run = search.result(), self.run
        if run is not None:
            return replace(found, simulations=run.simulations, seconds=time.monotonic() - run.began)
        return found

    def game(self, svg: bool) -> dict[str, Any]:
        def view(search: Search) -> dict[str, Any]:
            visits = self._parked.visits() | {self.moments.now.id: search.root.visits}
            return {"moment": self.moments.now.id, "moments": self.moments.to_dicts(visits, svg, views.drawn)}

        return self.look(view)

    @property
    def bytes(self) -> int:
        """What it takes in memory."""
        search = self.search
        return (tree_bytes(search) if search is not None else 0) + self._parked.bytes


def _chosen(search: Search, action: int | str) -> int:
    """The number of an action that a client names; of `best`, the best one, or an outcome drawn by its probability."""
    position = search.position
    if action != BEST or any(position.action_text(a) == BEST for a in position.actions()):
        return position.action(action)
    if position.player == CHANCE:
        return draw_outcome(position, np.random.default_rng())
    best = search.result().best
    if best is None:
        raise not_now("there is no best move before the first simulation; run the search, or name a move")
    return best


def _start(game: Game, row: dict[str, Any]) -> Position:
    """Where the session's game began, in the form that it had then."""
    game, way = game.in_form(str(row.get("form", ""))), row.get("way")
    if game.keeps_objects:  # a row can't hold an object: it is reached again by its moves
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
