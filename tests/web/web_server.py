"""A real server in a thread, for the tests of the web front end."""

import json
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from websockets.sync.client import connect

from playout.web import stored, views
from playout.web.app import make_app
from playout.web.ask import LanguageModel
from playout.web.caps import Caps
from playout.web.catalogue import Catalogue
from playout.web.protocol import LONGEST, Protocol
from playout.web.routes import running
from playout.web.routes.context import Bench
from playout.web.server import bind
from playout.web.sessions import Sessions
from playout.web.store import SessionStore

# The server closes a connection after five idle seconds; a request sent at that moment would be lost.
FRESH = httpx.Limits(keepalive_expiry=2.0)

views.PATIENCE = 600.0  # on a busy machine, too, the tests see whole views
running.WAIT = stored.PATIENCE = 600.0  # and wait for the compiler


class Served:
    """A running server, with a client of it."""

    def __init__(self, address: str, bench: Bench, app: Any) -> None:
        self.address, self.bench, self.app = address, bench, app
        self.http = httpx.Client(base_url=address, timeout=600, limits=FRESH)

    def get(self, path: str, status: int = 200, **more: Any) -> Any:
        return self._answer(self.http.get(path, **more), status)

    def post(self, path: str, status: int = 200, **body: Any) -> Any:
        return self._answer(self.http.post(path, json=body), status)

    def create(self, game: str = "tictactoe", **more: Any) -> str:
        """A new session, of the preset `default` if no other is named; the beginning of its addresses."""
        return f"/v1/sessions/{self.post('/v1/sessions', 201, game=game, **{'preset': 'default', **more})['id']}"

    def live(self, session: str, **more: Any) -> Any:
        return connect(f"ws{self.address.removeprefix('http')}{session}/live", max_size=None, open_timeout=600, **more)

    @staticmethod
    def _answer(answer: httpx.Response, status: int) -> Any:
        assert answer.status_code == status, answer.text[:2000]
        return answer.json() if answer.headers.get("content-type", "").endswith("json") else answer


@contextmanager
def serving(
    folder: Path,
    *,
    games: Sequence[str] = (),
    networks: Sequence[str] = (),
    parts: Sequence[str] = (),
    caps: Caps | None = None,
    environment: Mapping[str, str] | None = None,
    host: str = "127.0.0.1",
    token: str | None = None,
) -> Iterator[Served]:
    """Serve from a data folder until the end of the block; then all sessions are saved."""
    catalogue, bound = Catalogue(games, networks, parts), bind("127.0.0.1", 0)
    bench = Bench(
        Sessions(SessionStore(folder), catalogue, caps or Caps()), catalogue, LanguageModel(environment or {})
    )
    app = make_app(bench, host, token)
    config = uvicorn.Config(
        app,
        log_level="error",
        access_log=False,
        timeout_graceful_shutdown=2,
        http=Protocol,
        h11_max_incomplete_event_size=LONGEST,
        ws_per_message_deflate=False,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [bound]})
    thread.start()
    served = Served(f"http://127.0.0.1:{bound.getsockname()[1]}", bench, app)
    try:
        yield served
    finally:
        served.http.close()
        server.should_exit = True
        thread.join(600)
        bound.close()


class Model(ThreadingHTTPServer):
    """A language model's server of our own: it notes what comes, and answers as `reply` says."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.requests: list[tuple[str, dict[str, str], Any]] = []
        self.reply: Any = None  # (status, body or None for the right one, headers), or a function of the handler
        self.text = "Because it was visited most."
        threading.Thread(target=self.serve_forever, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}"


class _Handler(BaseHTTPRequestHandler):
    server: Model

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append((self.path, dict(self.headers), body))
        if callable(self.server.reply):
            self.server.reply(self)
            return
        status, content, headers = self.server.reply or (200, None, {})
        if content is None:
            if self.path.endswith(":generateContent"):
                content = {"candidates": [{"content": {"parts": [{"text": self.server.text}], "role": "model"}}]}
            else:
                content = {"choices": [{"message": {"role": "assistant", "content": self.server.text}}]}
        data = content if isinstance(content, bytes) else json.dumps(content).encode()
        self.send_response(status)
        for name, value in {"Content-Length": str(len(data)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST

    def log_message(self, *_: Any) -> None:
        pass
