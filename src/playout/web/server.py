"""Bind the address, start Uvicorn, print where the workbench is."""

import contextlib
import errno
import os
import secrets
import socket
import subprocess
import sys
import threading
import time
import webbrowser
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from playout.errors import SettingsError
from playout.play.warm import is_needed
from playout.search import Search

from . import interim
from .caps import Caps
from .catalogue import Catalogue
from .interim import Served, bench_of, lessons_of, uvicorn_of
from .security import is_loopback

SITE = Path(__file__).resolve().parents[3] / "build" / "site" / "index.html"  # what `make docs` builds in a clone


def default_folder() -> Path:
    """Where sessions are kept unless `--data` says otherwise."""
    if found := os.environ.get("PLAYOUT_DATA"):
        return Path(found)
    if sys.platform == "win32":
        base = Path(os.environ.get("LOCALAPPDATA", Path.home()))
    elif sys.platform == "darwin":
        base = Path.home() / "Library" / "Application Support"
    else:
        base = Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share")
    return base / "playout"


def serve(
    host: str,
    port: int,
    data: Path,
    games: Sequence[str],
    networks: Sequence[str],
    parts: Sequence[str],
    caps: Caps,
    say: Callable[[str], None],
    open_browser: bool,
    lesson: str | None = None,
) -> None:
    """Serve until Ctrl-C; all sessions are saved then."""
    catalogue = Catalogue(games, networks, parts)
    lessons_of(lesson, catalogue)  # refused before anything is served
    bound = bind(host, port)
    with contextlib.closing(bound), contextlib.suppress(KeyboardInterrupt):
        token = None if is_loopback(host) else secrets.token_urlsafe(24)
        served = Served(host, token, data.expanduser(), tuple(games), tuple(networks), tuple(parts), caps, lesson)

        def tell() -> None:
            address = address_of(host, bound, token)
            say(f"The workbench is at {address}")
            say(f"Sessions are kept in {served.data}; Ctrl-C saves them and ends it.")
            if SITE.is_file():
                say(f"The documentation is at {SITE.as_uri()}")
            if open_browser:
                threading.Timer(0.5, _open, (address,)).start()

        is_first = interim.is_wanted()
        left = interim.serve_meanwhile(bound, served, say, tell) if is_first else []
        if left is None:
            return
        bench = bench_of(served, catalogue)
        if not is_first:
            tell()
        sys.setswitchinterval(0.001)  # a run that leaves its kernel waits less for the threads that make answers
        threading.Thread(target=interim.go_on, args=(bench.sessions, left), name="hand-over", daemon=True).start()
        with warming(say):
            uvicorn_of(served, bench).run(sockets=[bound])


def bind(host: str, port: int) -> socket.socket:
    """A listening socket, or one clear line."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host.strip("[]"), port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
    except OSError as error:
        raise SettingsError(f"--host {host}: no such address ({error.strerror or error})") from None
    if os.name == "posix":
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        bound.bind(address)
        bound.listen(256)
    except OSError as error:
        bound.close()
        if error.errno == errno.EADDRINUSE:
            raise SettingsError(
                f"--port {port}: something else uses it already, maybe another `playout serve`; give another port "
                f"(0: any free one)"
            ) from None
        raise SettingsError(f"--host {host} --port {port}: can't be used ({error.strerror or error})") from None
    return bound


def address_of(host: str, bound: socket.socket, token: str | None) -> str:
    """The address to open in a browser."""
    port = bound.getsockname()[1]
    name = host.strip("[]")
    if name in ("0.0.0.0", "::", ""):
        name = socket.gethostname()
    shown = f"[{name}]" if ":" in name else name
    return f"http://{shown}:{port}/" + (f"?token={token}" if token else "")


@contextlib.contextmanager
def warming(say: Callable[[str], None]) -> Iterator[None]:
    """In the block, compile what searches need, in a low-priority process that is ended with the block."""
    compiler = None
    if is_needed():
        say("The first searches on this machine are compiled now, in the background; the page shows how far that is.")
        command = [sys.executable, "-m", "playout", "warm", "--background"]
        nowhere = subprocess.DEVNULL
        compiler = subprocess.Popen(command, stdin=nowhere, stdout=nowhere, stderr=nowhere)
    threading.Thread(target=_load, args=(compiler, say), name="warm-up", daemon=True).start()
    try:
        yield
    finally:
        if compiler is not None:
            compiler.kill()
            compiler.wait()


def _load(compiler: "subprocess.Popen[bytes] | None", say: Callable[[str], None]) -> None:
    """Load the kernels before the first session needs them, once they are compiled."""
    began = time.monotonic()
    if compiler is None or compiler.wait() == 0:
        Search("tictactoe").run(simulations=1)
        if compiler is not None:
            say(f"Compiled in {time.monotonic() - began:.0f} s: searches begin at once from now on.")


def _open(address: str) -> None:
    """Open a browser, unless the machine has no display."""
    if sys.platform.startswith("linux") and not (os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY")):
        return
    with contextlib.suppress(webbrowser.Error, OSError):
        webbrowser.open(address)
