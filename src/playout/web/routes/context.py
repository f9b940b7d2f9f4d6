"""What the routes share: the server's parts, the session that an address names, answers in JSON."""

import json
from dataclasses import dataclass, field
from typing import Annotated, Any

from fastapi import Depends, Query
from fastapi.responses import JSONResponse, Response
from starlette.requests import HTTPConnection

from playout.web import views
from playout.web.ask import LanguageModel
from playout.web.catalogue import Catalogue
from playout.web.lessons import Lessons
from playout.web.security import DRAWING_POLICY
from playout.web.session import Session
from playout.web.sessions import Sessions
from playout.web.sharing import PAGE_HEADER


@dataclass
class Bench:
    """The server's parts."""

    sessions: Sessions
    catalogue: Catalogue
    model: LanguageModel
    lessons: Lessons = field(default_factory=Lessons)


async def _bench(connection: HTTPConnection) -> Bench:
    found: Bench = connection.app.state.bench
    return found


Server = Annotated[Bench, Depends(_bench)]


async def _session(session: str, server: Server, connection: HTTPConnection) -> Session:
    found, part = server.sessions.find(session), connection.url.path.split("/")[4:]
    page = connection.headers.get(PAGE_HEADER, "")
    found.sharing.check(session, part[0] if part else "", connection.scope["method"], page)
    return found


Found = Annotated[Session, Depends(_session)]

PathText = Annotated[
    str,
    Query(
        max_length=4000,
        pattern=r"^(-?\d{1,10}(,-?\d{1,10})*)?$",
        description="Numbers of the actions from the root, as in 3,4,0; empty: the root.",
    ),
]


def numbers(path: str) -> list[int]:
    """The numbers of a path.

    >>> numbers("3,4,0"), numbers("")
    ([3, 4, 0], [])
    """
    return [int(part) for part in path.split(",")] if path else []


class JsonAnswer(JSONResponse):
    """ASCII only, so that no text can break it, and without NaN and infinities, which JSON does not have."""

    def render(self, content: Any) -> bytes:
        """The bytes that are sent."""
        try:
            return json.dumps(content, allow_nan=False, separators=(",", ":")).encode()
        except ValueError:
            return json.dumps(views.plain(content), allow_nan=False, separators=(",", ":")).encode()


def drawing(svg: str, headers: dict[str, str] | None = None) -> Response:
    """SVG, with a policy under which browsers run nothing in it."""
    content = svg.encode("utf-8", "replace")
    more = {"Content-Security-Policy": DRAWING_POLICY, "Cache-Control": "no-store", **(headers or {})}
    return Response(content, media_type="image/svg+xml", headers=more)
