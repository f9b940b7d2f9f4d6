"""Checks before a request reaches a route: Host, Origin, token, the type and size of its body; headers of all answers.

A page of another site, open in the same browser, can reach a loopback address. But it can't fake Host, Origin or
Sec-Fetch-Site, and can't send JSON without a preflight request, so each of these checks refuses it.
"""

import asyncio
import hmac
import json
from collections.abc import Awaitable, Callable, MutableMapping
from http.cookies import CookieError, SimpleCookie
from typing import Any
from urllib.parse import parse_qs, urlsplit

from .refusals import MEDIA_TYPE, problem

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]

BODY = 1 << 20
PATIENCE = 30.0  # seconds for a body to arrive
COOKIE = "playout_token"
IMPORT = "/v1/sessions/import"
LOOPBACK = ("localhost", "127.0.0.1", "::1")
PAGE_POLICY = (
    "default-src 'self'; img-src 'self' data: blob:; style-src 'self'; object-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
DRAWING_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox"
HEADERS = {
    b"x-content-type-options": b"nosniff",
    b"x-frame-options": b"DENY",
    b"referrer-policy": b"no-referrer",
    b"cache-control": b"no-cache",  # after an upgrade no browser shows the old page
    b"cross-origin-resource-policy": b"same-origin",
    b"cross-origin-opener-policy": b"same-origin",
    b"content-security-policy": PAGE_POLICY.encode(),
}


def is_loopback(host: str) -> bool:
    """Whether an address can be reached from this machine only."""
    return host.strip("[]") in LOOPBACK or host.startswith("127.")


class Door:
    """ASGI middleware around the application."""

    def __init__(self, app: Any, host: str = "127.0.0.1", token: str | None = None) -> None:
        self.app, self.token = app, token
        self._names = {*LOOPBACK, host.strip("[]")} if is_loopback(host) else None  # None: the token decides

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] not in ("http", "websocket"):
            await self.app(scope, receive, send)
            return
        headers = {key.decode("latin-1").lower(): value.decode("latin-1") for key, value in scope["headers"]}
        refused = self._refused(scope, headers)
        if scope["type"] == "websocket":
            if refused:
                await receive()
                await send({"type": "websocket.close", "code": {401: 4401}.get(refused[0], 4403), "reason": refused[2]})
                return
            await self.app(scope, receive, send)
            return
        send = _with_headers(send)
        if refused is None and self.token and scope["path"] == "/" and (given := _token_of(scope)):
            await self._welcome(send, given)
            return
        if refused is None and scope["method"] in ("POST", "PUT", "PATCH") and scope["path"] != IMPORT:
            receive, refused = await _body(receive, headers)
        if refused:
            await _refuse(send, *refused)
            return
        await self.app(scope, receive, send)

    def _refused(self, scope: Scope, headers: dict[str, str]) -> tuple[int, str, str] | None:
        host = headers.get("host", "")
        name = urlsplit(f"//{host}").hostname if _is_address(host) else None
        if name is None or (self._names is not None and name not in self._names):
            return 400, "bad_request", f"Host is '{host[:80]}', expected the address that the server printed"
        origin = headers.get("origin")
        if origin is not None and origin.lower() not in (f"http://{host.lower()}", f"https://{host.lower()}"):
            return 403, "origin", f"the request comes from {origin[:80]}; only the workbench's own page may send it"
        is_page = scope["type"] == "http" and not scope["path"].startswith("/v1/") and scope["method"] == "GET"
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and not is_page:
            return 403, "origin", "the request comes from another site's page; only the workbench's own may send it"
        if self.token and not self._knows_token(scope, headers):
            return 401, "token", "this server needs the token that it printed: Authorization: Bearer TOKEN, or /?token="
        return None

    def _knows_token(self, scope: Scope, headers: dict[str, str]) -> bool:
        given = [_token_of(scope)] if scope["path"] == "/" else []
        kind, _, value = headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            given.append(value.strip())
        try:
            cookie = SimpleCookie(headers.get("cookie", "")).get(COOKIE)
            given.append(cookie.value if cookie is not None else "")
        except CookieError:
            pass
        return any(hmac.compare_digest(text.encode(), (self.token or "").encode()) for text in given)

    async def _welcome(self, send: Send, token: str) -> None:
        """Move the token from the address into a cookie, and redirect to the address without it."""
        cookie = f"{COOKIE}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        headers = [(b"location", b"/"), (b"set-cookie", cookie.encode()), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _is_address(host: str) -> bool:
    return bool(host) and not any(c in host for c in "/@\\?# ") and host.count("[") < 2


def _token_of(scope: Scope) -> str:
    query: bytes = scope.get("query_string", b"")
    return parse_qs(query.decode("latin-1")).get("token", [""])[0]


async def _body(receive: Receive, headers: dict[str, str]) -> tuple[Receive, tuple[int, str, str] | None]:
    """Read a body, which must be JSON and not too long; return a `receive` that gives it to the application."""
    parts, size = [], 0
    kind = headers.get("content-type", "").partition(";")[0].strip().lower()
    length = headers.get("content-length", "0")
    too_large = 413, "too_large", f"the body has more than {BODY:,} bytes, the most that is read"
    if not length.isdigit() or len(length) > 12 or int(length) > BODY:
        return receive, too_large
    while True:
        try:
            message = await asyncio.wait_for(receive(), PATIENCE)
        except TimeoutError:
            return receive, (408, "bad_request", "the body did not arrive in time")
        if message["type"] != "http.request":
            return receive, (400, "bad_request", "the client went away")
        parts.append(message.get("body", b""))
        size += len(parts[-1])
        if size > BODY:
            return receive, too_large
        if not message.get("more_body"):
            break
    if size and kind != "application/json":
        return receive, (415, "content_type", f"Content-Type is '{kind[:60]}', expected application/json")
    sent = False

    async def again() -> Message:
        nonlocal sent
        if sent:
            return await receive()
        sent = True
        return {"type": "http.request", "body": b"".join(parts), "more_body": False}

    return again, None


def _with_headers(send: Send) -> Send:
    async def send_with(message: Message) -> None:
        if message["type"] == "http.response.start":
            given = {key.lower() for key, _ in message.get("headers", [])}
            message["headers"] = [*message.get("headers", []), *((k, v) for k, v in HEADERS.items() if k not in given)]
        await send(message)

    return send_with


async def _refuse(send: Send, status: int, code: str, message: str) -> None:
    body = json.dumps(problem(status, code, message)).encode()
    headers = [
        (b"content-type", MEDIA_TYPE.encode()),
        (b"content-length", str(len(body)).encode()),
        (b"connection", b"close"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body})
