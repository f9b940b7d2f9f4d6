"""The WebSocket: changes of a session as they happen. A slow client gets fewer updates."""

import asyncio
import contextlib
import json
import time
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from playout.errors import PlayoutError
from playout.search import Search

from . import views
from .invalid import wrong_fields
from .refusals import Refusal, problem, refusal_of
from .requests import WatchMessage
from .session import Session
from .sessions import Sessions
from .sharing import FOLLOW, led, masked, read_only

WATCHERS = 16  # of one session
FOLLOWERS = 64  # with those who follow it
SHARE = 0.06  # of a run's time may go into updates
SLOWEST = 0.18  # seconds between two updates, unless many watch
SLOW_EVERY = 0.5  # seconds between two maps (the largest view) and two explanations (for people) during a run
MESSAGE = 1 << 16
_watching = 0  # connections of the whole server; only the event loop changes it


async def serve_live(socket: WebSocket, sessions: Sessions, name: str) -> None:
    """One connection, from its first message to its last."""
    global _watching  # noqa: PLW0603
    await socket.accept()
    try:
        session = sessions.find(name)
    except Refusal as refusal:
        await socket.close(4404, refusal.message[:120])
        return
    most = FOLLOWERS if name.startswith(FOLLOW) else WATCHERS
    if len(session.listeners) >= most:
        await socket.close(4409, f"{most} connections watch this session already")
        return
    loop, wake = asyncio.get_running_loop(), asyncio.Event()

    def changed() -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: the server stops
            loop.call_soon_threadsafe(wake.set)

    session.listeners.add(changed)
    _watching += 1
    connection = _Connection(socket, session, wake, name)
    tasks = [asyncio.create_task(connection.listen()), asyncio.create_task(connection.send_changes())]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
    finally:
        _watching -= 1
        session.listeners.discard(changed)
        session.used = time.monotonic()
        for task in tasks:
            task.cancel()
        for found in await asyncio.gather(*tasks, return_exceptions=True):
            if isinstance(found, Exception) and not isinstance(found, WebSocketDisconnect | RuntimeError | OSError):
                raise found


class _Connection:
    def __init__(self, socket: WebSocket, session: Session, wake: asyncio.Event, name: str) -> None:
        self.socket, self.session, self.wake, self.name = socket, session, wake, name
        self.follows, self.shown = name.startswith(FOLLOW), -1
        self.watch = WatchMessage()
        self.watch_is_new = False
        self.slow_at = 0.0
        self.lock = asyncio.Lock()

    async def send(self, message: dict[str, Any]) -> None:
        try:
            text = json.dumps(message, allow_nan=False)
        except ValueError:
            text = json.dumps(views.plain(message), allow_nan=False)
        async with self.lock:
            await self.socket.send_text(text)

    async def listen(self) -> None:
        """Read the client's messages until it disconnects."""
        while True:
            message = await self.socket.receive()
            if message["type"] == "websocket.disconnect":
                return
            text = message.get("text")
            data = None
            try:
                data = json.loads(text) if text is not None and len(text) <= MESSAGE else None
                if data == {"type": "stop"}:
                    if self.follows or self.session.sharing.leader is not None:
                        refusal = read_only() if self.follows else led()
                        await self.send({"type": "error", "problem": refusal.to_dict()})
                    elif (run := self.session.run) is not None:
                        run.stop()
                    continue
                self.watch = WatchMessage.model_validate(data)
            except (ValidationError, ValueError, RecursionError) as error:
                known = list(WatchMessage.model_fields)
                why = "it is not JSON"
                if isinstance(error, ValidationError):
                    why = wrong_fields(error.errors(), data, known)
                expected = 'expected {"type": "watch", …} or {"type": "stop"}'
                await self.send({"type": "error", "problem": problem(422, "invalid", f"{expected}: {why}")})
                continue
            self.watch_is_new = True
            self.wake.set()

    async def send_changes(self) -> None:
        """Send the state when it changes, and updates during a run."""
        version, pause = -1, 0.0
        while True:
            self.wake.clear()
            session, watch = self.session, self._wanted()
            if session.deleted or (self.follows and session.sharing.follow != self.name):
                await self.send({"type": "deleted"})
                await self.socket.close(1000)
                return
            began = time.perf_counter()
            try:
                if session.version != version:
                    version = session.version
                    view = masked(await run_in_threadpool(session.view), self.name)
                    await self.send({"type": "state", "session": view})
                if self.follows and self.shown != session.sharing.shown_version:
                    self.shown = session.sharing.shown_version
                    await self.send({"type": "shown", "leader_view": session.sharing.shown})
                update, cost = await run_in_threadpool(session.look, lambda search: _update(session, search, watch))  # noqa: B023
                await self.send({"type": "update", **update})
            except Refusal as refusal:
                if not session.deleted:
                    await self.send({"type": "error", "problem": refusal.to_dict()})
                cost = 0.0
            except PlayoutError as error:
                await self.send({"type": "error", "problem": refusal_of(error).to_dict()})
                cost = 0.0
            if session.run is not None:
                pause = max(1 / watch.rate, min(SLOWEST, cost / SHARE), _watching * cost / SHARE / 4)
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._new_state(version), max(0.0, pause - (time.perf_counter() - began)))
            elif session.version == version and not session.deleted:
                await self.wake.wait()

    def _wanted(self) -> WatchMessage:
        """What the next update holds; the slow views only every `SLOW_EVERY` seconds."""
        now = time.monotonic()
        if self.session.run is not None and not self.watch_is_new and now - self.slow_at < SLOW_EVERY:
            return self.watch.model_copy(update={"map": None, "explain": None})
        self.slow_at = now
        return self.watch

    async def _new_state(self, version: int) -> None:
        """Wait for a new state or a new watch message."""
        while self.session.version == version and not self.session.deleted and not self.watch_is_new:
            self.wake.clear()
            await self.wake.wait()
        self.watch_is_new = False


def _update(session: Session, search: Search, watch: WatchMessage) -> tuple[dict[str, Any], float]:
    """The watched views, and how many seconds they took. Called in a thread that may read the search."""
    began = time.perf_counter()
    run = session.run
    update: dict[str, Any] = {"run": run.to_dict() if run is not None else None, "version": session.version}
    update |= views.watched_views(search, lambda: session.result_of(search), watch, lean=run is not None)
    return update, time.perf_counter() - began
