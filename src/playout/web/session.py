"""One session: runs and steps its search, plays moves, and shows itself."""

import contextlib
import time
from collections.abc import Callable
from concurrent.futures import TimeoutError as TookTooLong
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from playout.errors import PlayoutError, SettingsError
from playout.game import CHANCE
from playout.play.chance import draw_outcome
from playout.search import Search
from playout.search.result import Result
from playout.settings import Settings
from playout.settings.options import flat

from . import stored, views
from .chart import Chart
from .refusals import Refusal, busy, game_may_fail, is_fault, not_now
from .requests import WatchedViews
from .runs import Run

T = TypeVar("T")

BEST = "best"  # the word for the best action, unless the game has an action of that name


class Session(stored.StoredSession):
    """Everything that belongs to one id. Methods that change it refuse during a run."""

    # Changing.

    def _change(self, what: str, work: Callable[[Search], T]) -> T:
        with self._held():
            if self.run is not None:
                raise busy(what)
            search = self._awake()
            try:
                with self._quiet(), game_may_fail(type(search.game)):
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
        """Note what the game or the evaluator failed at; the session's state shows it."""
        now = self.moments.now
        self.failure = {"what": what, "message": message, "position": now.position.text, "moment": now.id}

    def _changed(self) -> None:
        self.version += 1
        self.temporary = False
        self.touched, self.used = time.time(), time.monotonic()
        self.row_is_old = self.file_is_old = True
        self.notify()

    def notify(self) -> None:
        """Call the listeners: something changed."""
        for listener in list(self.listeners):
            listener()

    def rename(self, title: str) -> None:
        """Give the session another name."""
        with self._held():
            self.title, self.temporary, self.passing = title, False, False
            self.touched, self.version, self.row_is_old = time.time(), self.version + 1, True
            self.notify()

    def share(self, page: str | None) -> None:
        """Let a page lead; None: end sharing."""
        with self._held():
            if page is None:
                self.sharing.end()
            else:
                self.sharing.take_lead(page)
                self.passing = self.temporary = False
            self.version, self.row_is_old = self.version + 1, True
            self.notify()

    def start_again(self, settings: Settings, seed: int | None, preset: str, options: dict[str, str]) -> None:
        """Start again at the same position, with other settings and an empty tree."""

        def work(search: Search) -> None:
            # The plain form of the game; a network then takes the form that it needs.
            game, seeded = search.game.in_form(""), search.seed if seed is None else seed
            new = Search(game, settings, position=self.moments.now.position, seed=seeded)
            self._take(new)
            self._parked.clear()
            self.preset, self.options, self.kept = preset, options, None

        self._change("settings", work)

    def _take(self, search: Search) -> None:
        """Replace the search by one that begins at the present moment."""
        self.search, self._origin = search, self.moments.now.id
        self.chart, self._last, self.last_step = Chart(), None, None

    # Running.

    def start_run(self, limits: dict[str, Any], kind: str = "run", from_start: bool = False) -> Run:
        """Start a run; with `from_start`, again from an empty tree, as far as its simulations say."""
        with self._held():
            if self.run is not None:
                raise busy(kind)
            search = self._awake()
            self._check_can_search(search)
            if from_start:
                self.chart = Chart()
            self._runs += 1
            self.failure = None
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
            with self._quiet():
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
            with contextlib.suppress(Exception):  # a point of the chart is not worth losing a session
                self.chart.note_end(run.search)
            self._last = (run.search, run.search.simulations, result) if result is not None else None
            self._changed()

    def stop(self) -> dict[str, Any] | None:
        """End the run and wait for its end; None: no run was on."""
        run = self.run
        if run is None:
            return None
        run.stop()
        with contextlib.suppress(TookTooLong):
            run.finished.result(stored.PATIENCE)
        return run.to_dict()

    def seek(self, simulations: int) -> Run | None:
        """Go to the tree after this number of simulations; None: no run is needed."""
        now: int = self.look(lambda search: search.simulations)
        if simulations == 0 and now:
            self._change("seek", self._rewind)
        if simulations in (0, now):
            return None
        if simulations < now:
            try:
                self.look(lambda search: search.past.check_can_rewind(simulations))
            except SettingsError as error:
                raise not_now(str(error)) from None
        more = simulations - now if simulations > now else simulations
        return self.start_run({"simulations": more}, "seek", from_start=simulations < now)

    def _rewind(self, search: Search) -> None:
        search.rewind(0)
        self.chart.cut(0)

    def step(self, svg: bool, before: WatchedViews | None = None) -> dict[str, Any]:
        """One simulation in full, and views of the search `before` it."""

        def work(search: Search) -> dict[str, Any]:
            self._check_can_search(search)
            proven = search.root.proven
            if proven is not None and search.settings.solver:
                raise not_now(f"{search.position.text or 'the start'} is proven; no simulation is left to run")
            if search.root.visits >= 2**31 - 2 or search.tree_bytes > self.caps.bytes:
                raise Refusal(429, "memory", "the tree is as large as the server allows (--max-bytes)")
            seen = before and views.watched_views(search, lambda: self.result_of(search), before, lean=False)
            self.last_step = search.step()
            self.chart.cut(search.simulations)
            self.stepped = {"simulations": search.simulations, "before": seen, "version": self.version + 1}
            return views.step_view(self.last_step, svg, search.simulations) | {"before": seen}

        return self._change("step", work) | {"version": self.version}

    # Moving.

    def play(self, action: int | str, moment: int | None = None) -> None:
        """Play a move. With `moment`, refuse it if the game is at another moment."""

        def work(search: Search) -> None:
            self.moments.check_room()
            if moment is not None and moment != self.moments.now.id:
                now = self.moments.now.id
                raise not_now(f"the game is at moment {now} by now, not at {moment}; read it again, then choose")
            if search.position.is_terminal:
                raise not_now(f"the game is over in {search.position.text or 'this position'}; no move is left")
            number, before = _chosen(search, action), search.root.visits
            views.position_view(search.position.play(number))  # raises if the position can't be shown
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
        """Go to another moment: with its own tree if that is still in memory, otherwise with an empty one."""

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
        """The session in JSON."""
        return self.look(self._view)

    def _view(self, search: Search) -> dict[str, Any]:
        root, run = search.root, self.run
        game = search.game
        return {
            **self.head(),
            "game_settings": views.settings_view(game),
            "players": game.players,
            "player_names": list(game.player_names),
            "zero_sum": game.players == 2 and game.sums_to == 0,
            "range": list(game.range) if game.range else None,
            "preset": self.preset,
            "options": flat(search.settings),
            "changed": sorted(self.options),
            "seed": search.seed,
            "position": views.position_view(search.position),
            "moment": self.moments.now.id,
            "plies": self.moments.now.ply,
            "returns": self.moments.returns(),
            "simulations": search.simulations,
            "visits": root.visits,
            "nodes": search.nodes,
            "edges": search.edges,
            "bytes": search.tree_bytes,
            "proven": root.proven,
            "graph": bool(search.settings.transpositions),
            "run": run.to_dict() if run is not None else None,
            "last_run": self.last_run,
            "failure": self.failure,
            "kept": self.kept,
            "leads": self.sharing.leads if self.sharing.leader is not None else None,
            "version": self.version,
        }

    def head(self) -> dict[str, Any]:
        """What a list of sessions says about this one; it is not loaded for that."""
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
        """The session in a list of sessions."""
        search = self.search
        return self.head() | {
            "position": self.moments.now.position.text if search is not None else self._row["text"],
            "simulations": search.simulations if search is not None else self._row["simulations"],
            "running": self.run is not None,
        }

    def result(self) -> Result:
        """What has been found so far."""
        return self.look(self.result_of)

    def result_of(self, search: Search) -> Result:
        """The result of the last run if nothing has changed since; during a run, the result so far."""
        if self._last is not None and self._last[0] is search and self._last[1] == search.simulations:
            return self._last[2]
        found, run = search.result(), self.run
        if run is not None:
            return replace(found, simulations=run.simulations, seconds=time.monotonic() - run.began)
        return found

    def game(self, svg: bool) -> dict[str, Any]:
        """The game so far in JSON; with `svg`, its positions are drawn."""

        def view(search: Search) -> dict[str, Any]:
            visits = self._parked.visits() | {self.moments.now.id: search.root.visits}
            return {"moment": self.moments.now.id, "moments": self.moments.to_dicts(visits, svg, views.drawn)}

        return self.look(view)


def _chosen(search: Search, action: int | str) -> int:
    """The number of the action that a client names; for `best`, the best one, or a random chance outcome."""
    position = search.position
    if action != BEST or any(position.action_text(a) == BEST for a in position.actions()):
        return position.action(action)
    if position.player == CHANCE:
        return draw_outcome(position, np.random.default_rng())
    best = search.result().best
    if best is None:
        raise not_now("no best move before the first simulation; run the search, or name a move")
    return best
