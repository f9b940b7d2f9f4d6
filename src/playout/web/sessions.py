"""All sessions of a server, and the thread that saves them: rows every second, search files less often."""

import contextlib
import dataclasses
import logging
import os
import secrets
import threading
import time
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from playout.errors import PlayoutError
from playout.game import Game, Position
from playout.parts.part import Part, is_own, kind_of
from playout.search import Search
from playout.search.files import save
from playout.settings import Mixed, Network, Outside, Rollouts, Settings, is_fast, preset, preset_for
from playout.settings.kinds import SHIPPED
from playout.settings.options import canonical, flat

from .caps import Caps
from .catalogue import Catalogue, option_texts
from .refusals import Refusal, game_may_fail
from .session import Session
from .sharing import FOLLOW
from .store import SessionStore
from .turns import Turns
from .views import position_view

LOG = logging.getLogger("playout.web")
EVERY = 1.0  # seconds between two rounds of the keeper
MEASURED = 0.01  # seconds for which a measurement of the memory holds
SAVE_EVERY = 10.0  # seconds between two files of a session whose run is on
SAVE_SHARE = 0.05  # of the keeper's time may go into such files
PAUSE_SHARE = 0.01  # of a run's time may it stand still while its tree is copied for a file
CACHE, THREADS = 1 << 16, 4  # of a network
UNUSED = 3600.0  # seconds after which a temporary session that is not used or read is deleted
JUST_MADE = 10.0  # the same, when the server has no room for another session
ROLLOUTS = 1000  # from one position: a run can't be stopped or read in the middle of a simulation


class Sessions:
    """Create, find, delete; `close` saves them all."""

    def __init__(self, store: SessionStore, catalogue: Catalogue, caps: Caps) -> None:
        self.store, self.catalogue, self.caps = store, catalogue, caps
        self.turns = Turns(caps.workers)
        self._all: dict[str, Session] = {}
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._awake = threading.Event()  # set: the keeper has something to do
        self._measured, self._fits = 0.0, True
        self.turns.may_grow = self._may_grow
        self._rest_until = 0.0
        for name, row in store.rows().items():
            session = self._new(name)
            try:
                session.recall(row)
                session.listed()
            except (KeyError, TypeError, ValueError):
                continue  # a row of another version: leave it in the store
            self._all[name] = session
        self._keeper = threading.Thread(target=self._keep, name="keeper", daemon=True)
        self._keeper.start()

    def __len__(self) -> int:
        return len(self._all)

    def _new(self, name: str) -> Session:
        return Session(name, self.store, self.caps, self.turns, self.catalogue.load)

    # Creating and finding.

    def find(self, name: str) -> Session:
        """A session by its id, or by its id for followers."""
        session = self._all.get(name)
        if session is None and name.startswith(FOLLOW):
            session = next((found for found in self.all() if found.sharing.follow == name), None)
        if session is None:
            raise Refusal(404, "unknown_session", f"no session '{name[:60]}' here; it was deleted, or never existed")
        return session

    def listed(self) -> list[dict[str, Any]]:
        """All sessions in JSON, the last used first."""
        return [s.listed() for s in sorted(self.all(), key=lambda s: -s.touched)]

    def all(self) -> list[Session]:
        """A copy: other threads add and remove sessions."""
        return list(self._all.values())

    def restoring(self, name: str | None) -> float | None:
        """How much of a session was read from disk; None: it is not being read."""
        session = self._all.get(name or "")
        return None if session is None or (share := session.restoring) is None else round(share, 2)

    def used(self) -> list[dict[str, Any]]:
        """Game and settings of the sessions in memory."""
        rows = [row for session in self.all() if session.search is not None and (row := session.row()) is not None]
        return [{key: row[key] for key in ("game", "game_settings", "settings")} for row in rows]

    def running(self) -> int:
        """Number of sessions with a run on."""
        return sum(session.run is not None for session in self.all())

    def create(
        self,
        game: str | None,
        game_settings: Mapping[str, Any],
        position: str | None,
        moves: list[int | str],
        preset_name: str | None,
        options: Mapping[str, Any],
        seed: int | None,
        title: str,
        source: str | None,
    ) -> Session:
        """A new session, of a game or from another session's position (`source`)."""
        given = option_texts(options)
        if source is not None:
            other = self.find(source)
            loaded, start, settings = other.look(lambda search: (search.game, search.position, search.settings))
            settings, name, given = self.changed(loaded, settings, other.preset, other.options, preset_name, given)
            self.check(settings)
            search = Search(loaded, settings, position=start, seed=seed)
        else:
            loaded = self.catalogue.load(game or "", game_settings)
            name = preset_for(loaded, preset_name)
            given = canonical(given, self.catalogue.options)
            settings = self.check(self.catalogue.make_settings(name, given))
            with game_may_fail(type(loaded)):
                search = Search(loaded, settings, position=played(loaded.position(position), moves), seed=seed)
        return self._add(search, name, given, title)

    def check(self, settings: Settings) -> Settings:
        """Refuse settings that this server does not allow; otherwise return them, adjusted."""
        check_parts(settings, self.catalogue.parts.values())
        return check_work(settings, self.catalogue.networks)

    def changed(
        self, game: Game, settings: Settings, name: str, options: Mapping[str, str], wanted: str | None, given: Any
    ) -> tuple[Settings, str, dict[str, str]]:
        """Settings after a change: of another preset, or the present ones with some options changed."""
        known, make = self.catalogue.options, self.catalogue.make_settings
        given = canonical(given, known)
        if wanted is not None:
            wanted = preset_for(game, wanted)
            return make(wanted, given), wanted, given
        if not given:
            return settings, name, dict(options)
        merged, chosen = {**options, **given}, flat(preset(name)) | dict(options) | given
        for key in options:  # drop what belonged to a choice that is no longer made (growth, with policy uct)
            option = known.get(key)  # None: of a part that this server does not have
            if key not in given and (option is None or (option.field and chosen[option.part] not in option.kinds)):
                del merged[key]
        return make(name, merged), name, merged

    def import_file(self, path: Path, header: Mapping[str, Any], title: str) -> Session:
        """A search from a file, whose header was read already."""
        game, game_settings = str(header["game"]["name"]), dict(header["game"]["settings"])
        self.check(Settings.from_saved(header["settings"]))
        search = Search.load(path, self.catalogue.load(game, game_settings))
        default = flat(preset("default"))
        options = {key: value for key, value in flat(search.settings).items() if value != default[key]}
        return self._add(search, "default", options, title, with_file=True)

    def _add(
        self, search: Search, preset_name: str, options: dict[str, str], title: str, with_file: bool = False
    ) -> Session:
        self.store.check_room()
        with game_may_fail(type(search.game)):
            position_view(search.position)  # a session that can't be shown can't be saved either
        if len(self._all) >= self.caps.sessions:
            self._drop_unused(JUST_MADE)
        session = self._new(secrets.token_urlsafe(12))
        session.begin(search, preset_name, options, title)
        with self._lock:
            if self._closing.is_set():
                raise Refusal(503, "stopping", "the server is stopping")
            if len(self._all) >= self.caps.sessions:
                raise Refusal(
                    429,
                    "sessions",
                    f"the server has {len(self._all)} sessions, its limit; delete one, or start it with a larger "
                    f"--max-sessions",
                )
            self._all[session.id] = session
        try:
            if with_file:
                save(search, self.store.file(session.id))
            self._write_rows([session])
        except (Refusal, PlayoutError):
            self._all.pop(session.id, None)
            raise
        return session

    def delete(self, name: str) -> None:
        """Delete a session and stop its run."""
        session = self.find(name)
        session.deleted = True
        if (run := session.run) is not None:
            run.stop()
        self._forget(session)

    def _forget(self, session: Session) -> None:
        with self._lock:
            self._all.pop(session.id, None)
            self.store.delete(session.id)
        session.notify()

    def _drop_unused(self, seconds: float) -> None:
        """Delete temporary sessions that were not read for `seconds` and have no watchers."""
        since = time.monotonic() - seconds
        for session in self.all():
            if session.drop_if_unused(since):
                self._forget(session)

    def check_room(self) -> None:
        """Refuse work that grows a tree when the disk or the memory is full; idle sessions go to disk first."""
        self.store.check_room()
        if self._memory() <= self.caps.memory:
            return
        self._make_room()
        used = self._memory()
        if used > self.caps.memory:
            raise Refusal(
                429,
                "memory",
                f"the trees of all sessions take {used:,} bytes, more than the {self.caps.memory:,} of --max-memory; "
                f"wait for a run to end, or delete a session",
            )

    def _memory(self) -> int:
        return sum(session.bytes for session in self.all())

    def _may_grow(self) -> bool:
        """Whether trees may grow; if not, the keeper makes room or stops a run. Runs ask between two chunks."""
        now = time.monotonic()
        if now - self._measured >= MEASURED:
            self._measured, self._fits = now, self._memory() <= self.caps.memory
            if not self._fits:
                self._awake.set()
        return self._fits or self._closing.is_set()

    # Keeping.

    def close(self) -> None:
        """Stop all runs and save everything."""
        self._closing.set()
        self._awake.set()
        for session in self.all():
            if (run := session.run) is not None:
                run.stop("shutdown")
        for session in self.all():
            if (run := session.run) is not None:
                with contextlib.suppress(TimeoutError):
                    run.finished.exception(5.0)
        self._keeper.join(30.0)
        self._save(everything=True)
        self._write_rows()
        self.store.close()

    def _keep(self) -> None:
        while not self._closing.is_set():
            self._awake.wait(EVERY)
            self._awake.clear()
            if self._closing.is_set():
                return
            try:
                self._write_rows()
                self._rest()
                self._save()
                self._stop_unwatched()
                self._drop_unused(UNUSED)
            except Exception as error:  # noqa: BLE001  # a full disk, say: log it and try again
                LOG.warning("can't save sessions at the moment: %s", error)

    def _write_rows(self, sessions: list[Session] | None = None) -> None:
        old = [s for s in self.all() if s.row_is_old or s.run is not None] if sessions is None else sessions
        rows = [(session.id, row) for session in old if (row := session.row()) is not None]
        with self._lock:  # a session deleted in the meantime must not come back
            rows = [(name, row) for name, row in rows if name in self._all]
            if rows:
                self.store.write(rows)

    def _save(self, everything: bool = False) -> None:
        """Write outdated files: at once if no run is on, otherwise only as often as it costs little."""
        if not self.store.has_room() and not everything:
            return  # the rows are enough to restore a session
        waiting = [s for s in self.all() if s.search is not None and (s.file_is_old or s.run is not None)]
        for session in sorted(waiting, key=lambda s: (s.run is not None, s.saved_at)):
            now = time.monotonic()
            running = session.run is not None
            if self._closing.is_set() and not everything:
                return
            if running and not everything:
                every = max(SAVE_EVERY, session.save_took / SAVE_SHARE, session.save_paused / PAUSE_SHARE)
                if now < self._rest_until or now - session.saved_at < every:
                    continue
                if self._memory() + session.bytes > self.caps.memory:
                    continue  # no room for a copy: its log is kept, and it is saved when it ends
            try:
                session.save_file()
            except (PlayoutError, Refusal, MemoryError) as error:
                session.saved_at = time.monotonic()  # its run can't be read now: others come first
                if not session.deleted:
                    LOG.warning("can't save session %s at the moment: %s", session.id, error)
            if running:
                self._rest_until = time.monotonic() + session.save_took / SAVE_SHARE

    def _rest(self) -> None:
        """Move idle sessions to disk; when memory is short, also others, and stop the largest run."""
        long_ago = time.monotonic() - self.caps.idle
        for session in self.all():
            if session.search is not None and session.used < long_ago:
                with contextlib.suppress(Refusal):  # deleted or in use
                    session.sleep()
        if self._memory() > self.caps.memory:
            self._make_room()
            running = [s for s in self.all() if s.run is not None]
            if self._memory() > self.caps.memory and running:
                largest = max(running, key=lambda s: s.bytes)
                if (run := largest.run) is not None:
                    run.stop("memory")

    def _stop_unwatched(self) -> None:
        """Stop runs without limits, and delete sessions of comparisons, that nobody watches or reads any more."""
        since = time.monotonic() - self.caps.unwatched
        for session in self.all():
            if session.listeners or session.used > since:
                continue
            if session.passing:
                self.delete(session.id)
            elif (run := session.run) is not None and not any(run.limits.values()):
                run.stop("unwatched")

    def _make_room(self) -> None:
        for session in sorted(self.all(), key=lambda s: s.used):
            if self._memory() <= self.caps.memory:
                return
            with contextlib.suppress(PlayoutError, Refusal):  # not saved, or deleted: try the next one
                session.sleep()


def played(position: Position, moves: list[int | str]) -> Position:
    """A position after moves."""
    for move in moves:
        position = position.play(position.action(move))
    return position


def check_parts(settings: Settings, named: Collection[type[Part]]) -> None:
    """Refuse policies and backups that are loaded, but that the server was not started with."""
    for part in (settings.policy, settings.backup):
        kind = kind_of(type(part))
        if is_own(kind) and not part.absent and type(part) not in named:
            raise Refusal(
                400, "settings", f"no {part._role} '{kind}' here; `playout serve --part file.py:Class` adds one"
            )


def check_work(settings: Settings, networks: Collection[str]) -> Settings:
    """Refuse files of a client's choice, and work that can't be stopped."""
    evaluator = settings.evaluator.rollouts if isinstance(settings.evaluator, Mixed) else settings.evaluator
    why = None
    if settings.roots > 1:
        why = (
            f"option roots is {settings.roots}, and a session steps and shows one tree; leave roots at 1, or use "
            f"po.Search or `playout analyze --roots`"
        )
    elif settings.threads > (cores := os.cpu_count() or 1):
        why = f"option threads is {settings.threads}, more than the {cores} cores of this server; take {cores} or fewer"
    elif isinstance(evaluator, Rollouts) and evaluator.n > ROLLOUTS:
        why = (
            f"option rollouts is {evaluator.n:,}, more than the {ROLLOUTS:,} playouts from one position that this "
            f"server allows; run more simulations instead"
        )
    elif isinstance(evaluator, Outside):
        why = "values from outside the search need a program that gives them; this server has none"
    elif isinstance(evaluator, Network):
        if evaluator.file not in networks and f"{SHIPPED}{evaluator.file}" in networks:  # never a file of the folder
            evaluator = dataclasses.replace(evaluator, file=f"{SHIPPED}{evaluator.file}")
            settings = settings.replace(evaluator=evaluator)
        if evaluator.file and evaluator.file not in networks:
            there = ", ".join(sorted(networks)) or "none"
            why = (
                f"no network '{evaluator.file[:80]}' here (there are: {there}); `playout serve --network FILE` adds one"
            )
        elif evaluator.cache > CACHE or evaluator.threads > THREADS:
            why = f"a network has at most {THREADS} threads and a cache of {CACHE:,} positions on this server"
    if why is not None:
        raise Refusal(400, "settings", why)
    if isinstance(evaluator, Network) and evaluator.batch is None and not is_fast(evaluator):
        # One leaf at a time, so that steps and a restart give the same tree as a run.
        settings = settings.replace(evaluator=dataclasses.replace(evaluator, batch=1))
    return settings
