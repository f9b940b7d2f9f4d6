"""With an empty cache of compiled code: serve uncompiled at once, compile meanwhile, then take over.

The first start on a machine compiles for half a minute. The same source runs as plain Python, too, slowly. So a process
with NUMBA_DISABLE_JIT=1 serves the page until the kernels are compiled. Then it saves its sessions, as every server
does at its end, and the process that started it restores them, serves at the same socket, and goes on with the runs.

The two talk by lines of JSON: the interim server's stdin has what it serves, then `"used"` and `"leave"`; its stdout
`{"ready": true}`, the searches in use, and at the end the runs to go on with. When stdin ends, so does the server.
"""

import contextlib
import functools
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import uvicorn

from playout import games
from playout.errors import PlayoutError, SettingsError
from playout.play.warm import GROUPS, compile_group, is_needed
from playout.policies import PUCT, UCT
from playout.search import Search
from playout.search.compiling import compiling
from playout.settings import Settings

from .app import make_app
from .ask import LanguageModel
from .caps import Caps
from .catalogue import Catalogue
from .lessons import Lessons
from .prepared import check_link
from .protocol import LONGEST, Protocol
from .refusals import Refusal
from .routes import running
from .routes.context import Bench
from .sessions import Sessions
from .store import SessionStore

ABOUT = 30  # seconds until the kernels are compiled, on an idle machine
GRACE = 5.0  # seconds that requests which wait for the end of a run may delay the hand-over
PATIENCE = 30.0  # seconds that the interim server may take to save its sessions


@dataclass(frozen=True)
class Served:
    """What a server serves, and to whom."""

    host: str
    token: str | None
    data: Path
    games: tuple[str, ...]
    networks: tuple[str, ...]
    parts: tuple[str, ...]
    caps: Caps
    lesson: str | None = None

    def to_json(self) -> dict[str, Any]:
        """For the interim server."""
        return asdict(self) | {"data": str(self.data)}

    @classmethod
    def from_json(cls, given: Mapping[str, Any]) -> "Served":
        """What `to_json` gave."""
        lists = {name: tuple(given[name]) for name in ("games", "networks", "parts")}
        caps, lesson = Caps(**given["caps"]), given["lesson"]
        return cls(given["host"], given["token"], Path(given["data"]), **lists, caps=caps, lesson=lesson)


def bench_of(served: Served, catalogue: Catalogue) -> Bench:
    """The server's parts; the data folder is open from here on."""
    sessions = Sessions(SessionStore(served.data), catalogue, served.caps)
    return Bench(sessions, catalogue, LanguageModel(), lessons_of(served.lesson, catalogue))


def lessons_of(lesson: str | None, catalogue: Catalogue) -> Lessons:
    """The lessons that are served; `lesson` is a file or a name."""
    return Lessons(lesson, functools.partial(check_link, catalogue))


def uvicorn_of(served: Served, bench: Bench) -> uvicorn.Server:
    """The HTTP server."""
    config = uvicorn.Config(
        make_app(bench, served.host, served.token),
        log_level="warning",
        access_log=False,  # a token could stand in an address
        http=Protocol,
        h11_max_incomplete_event_size=LONGEST,
        ws_max_size=1 << 16,
        ws_per_message_deflate=False,  # loopback is fast, and the search wants the processor
        timeout_graceful_shutdown=5,
        server_header=False,
    )
    return uvicorn.Server(config)


# The process that compiles and takes over.


def is_wanted() -> bool:
    """Whether a first search would wait for the compiler, and a process can be given a socket."""
    return os.name == "posix" and is_needed()


def serve_meanwhile(
    bound: socket.socket, served: Served, say: Callable[[str], None], ready: Callable[[], None]
) -> list[dict[str, Any]] | None:
    """Serve uncompiled until the kernels are compiled; returns the runs to go on with, None if told to end."""
    began, ended = time.monotonic(), threading.Event()
    command = [sys.executable, "-m", "playout.web.interim"]
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    pipe, number = subprocess.PIPE, bound.fileno()
    with (
        _signals(ended),
        subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, env=environment, pass_fds=[number]) as process,
        _compilers() as compilers,
    ):
        peer = _Peer(process)
        said = peer.ask(served.to_json() | {"socket": number})
        if said is None or "error" in said:
            raise SettingsError(said["error"] if said else "the server could not be started; see above")
        ready()
        say(
            "The first searches on this machine are compiled now, in the background; until then they run uncompiled, "
            "slowly."
        )
        while not ended.is_set() and process.poll() is None and any(c.poll() is None for c in compilers):
            ended.wait(0.1)
        if not ended.is_set():
            _load(peer.ask("used") or [])
        left = peer.ask("leave") if not ended.is_set() else None
        peer.end()
    if ended.is_set():
        return None
    say(f"Compiled in {time.monotonic() - began:.0f} s: searches are fast from now on.")
    return left or []


class _Peer:
    """The interim server, as seen from the process that started it."""

    def __init__(self, process: "subprocess.Popen[str]") -> None:
        self.process = process

    def ask(self, message: Any) -> Any:
        """Send a message and wait for the answer; None if the process has ended."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            self.process.stdin.write(json.dumps(message) + "\n")
            self.process.stdin.flush()
            return json.loads(self.process.stdout.readline())
        return None

    def end(self) -> None:
        """Close its stdin and wait until it has saved its sessions."""
        assert self.process.stdin is not None
        with contextlib.suppress(OSError):
            self.process.stdin.close()
        try:
            self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()


@contextlib.contextmanager
def _compilers() -> Iterator[list["subprocess.Popen[bytes]"]]:
    """Processes that compile what searches need; they are ended with the block."""
    nowhere, found = subprocess.DEVNULL, list["subprocess.Popen[bytes]"]()
    for group in GROUPS:
        code = f"import {compile_group.__module__} as warm; warm.compile_group({group!r})"
        found.append(subprocess.Popen([sys.executable, "-c", code], stdin=nowhere, stdout=nowhere, stderr=nowhere))
    try:
        yield found
    finally:
        for process in found:
            process.kill()
            process.wait()


@contextlib.contextmanager
def _signals(ended: threading.Event) -> Iterator[None]:
    """In the block, Ctrl-C and SIGTERM set an event."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = {number: signal.signal(number, lambda *_: ended.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _load(used: list[dict[str, Any]]) -> None:
    """Load the kernels, and compile the built-in games that sessions use by now."""
    for search in (Search("tictactoe", Settings(policy=policy)) for policy in (UCT(), PUCT())):
        search.run(1)
        search.step()
    for facts in used:
        if facts["game"] in games.names():
            with contextlib.suppress(PlayoutError, KeyError, TypeError, ValueError):
                game = games.load(facts["game"], **facts["game_settings"])
                Search(game, Settings.from_saved(facts["settings"])).run(1)


def go_on(sessions: Sessions, left: list[dict[str, Any]]) -> None:
    """Start again the runs that the hand-over interrupted."""
    for run in left:
        with contextlib.suppress(PlayoutError, Refusal):  # deleted meanwhile
            sessions.find(run["session"]).start_run(run["limits"], run["kind"])


# The interim server.


def main() -> int:
    """Serve until told to leave, or until stdin ends."""
    given = json.loads(sys.stdin.readline())
    try:
        served, bound = Served.from_json(given), socket.socket(fileno=given["socket"])
        bench = bench_of(served, Catalogue(served.games, served.networks, served.parts))
    except PlayoutError as error:
        _tell({"error": str(error)})
        return 2
    compiling.expect(ABOUT)
    server = uvicorn_of(served, bench)
    runs: list[tuple[str, Any]] = []
    thread = threading.Thread(target=_listen, args=(server, bench.sessions, runs), name="hand-over", daemon=True)
    _tell({"ready": True})
    thread.start()
    with contextlib.suppress(KeyboardInterrupt):
        server.run(sockets=[bound])
    _tell([facts for name, run in runs if (facts := _rest_of(name, run)) is not None])
    return 0


def _tell(message: Any) -> None:
    with contextlib.suppress(OSError):
        sys.stdout.write(json.dumps(message) + "\n")
        sys.stdout.flush()


def _listen(server: uvicorn.Server, sessions: Sessions, runs: list[tuple[str, Any]]) -> None:
    """Answer the process that compiles."""
    for line in sys.stdin:
        if line.strip() == '"used"':
            _tell(sessions.used())
        elif line.strip() == '"leave"':
            running.answer_waiting(GRACE)
            runs.extend((s.id, run) for s in sessions.all() if (run := s.run) is not None)
            break
    server.should_exit = True


def _rest_of(name: str, run: Any) -> dict[str, Any] | None:
    """What is left of a run that the hand-over stopped; None if nothing is."""
    if run.stopped_by != "shutdown":
        return None
    done = {"simulations": run.done, "seconds": run.seconds}
    limits = {key: None if most is None else most - done.get(key, 0) for key, most in run.limits.items()}
    left = all(most is None or most > 0 for most in limits.values())
    return {"session": name, "kind": run.kind, "limits": limits} if left else None


if __name__ == "__main__":
    raise SystemExit(main())
