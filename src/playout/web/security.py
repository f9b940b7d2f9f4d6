"""Checks before a request reaches a route: Host, Origin, token, the type and size of its body; headers of all answers.

A page of another site, open in the same browser, can reach a loopback address. But it can't fake Host, Origin or
Sec-Fetch-Site, and can't send JSON without a preflight request, so each of these checks refuses it.
"""

import asyncio
import hmac
import json
import re
from collections.abc import Awaitable, Callable, MutableMapping
from html import escape
from http.cookies import CookieError, SimpleCookie
from ipaddress import ip_address
from typing import Any
from urllib.parse import parse_qs, parse_qsl, urlencode, urlsplit

from .refusals import MEDIA_TYPE, problem
from .sharing import FOLLOW

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
_FOLLOWED = re.compile(rf"/static/.+|(/s|/v1/sessions)/{FOLLOW}[\w-]{{16,64}}(/[\w.]+)?", re.ASCII)
_SESSION_PAGE = re.compile(r"/s/[\w-]{1,64}", re.ASCII)
TOKEN_PAGE_POLICY = "default-src 'none'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'"
TOKEN_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Playout</title></head>
<body><main><h1>Playout</h1>
<p>This workbench needs the token that <code>playout serve</code> printed when it was started.</p>
<p lang="zh-Hans">此工作台需要 <code>playout serve</code> 启动时显示的令牌。</p>
<form action="/" method="get"><input type="hidden" name="to" value="{page}">
<label>Token <input name="token" autocomplete="off" autofocus required></label> <button>Open</button></form>
</main></body></html>
"""
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
    name = host.strip("[]")
    try:
        return ip_address(name).is_loopback
    except ValueError:  # a name: only this one is sure to mean this machine
        return name == "localhost"


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
        if refused is None and self.token and scope["path"] == "/" and _token_of(scope):
            await self._welcome(send, _wanted_page(scope))
            return
        if refused is None and scope["method"] in ("POST", "PUT", "PATCH") and scope["path"] != IMPORT:
            receive, refused = await _body(receive, headers)
        if refused:
            if refused[0] == 401 and _wants_page(scope, headers):
                await _ask_for_token(send, scope["path"] if scope["path"] != "/" else _wanted_page(scope))
            else:
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
        follows = scope.get("method", "GET") == "GET" and _FOLLOWED.fullmatch(scope["path"])  # its id is the secret
        if self.token and not follows and not self._knows_token(scope, headers):
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

    async def _welcome(self, send: Send, page: str) -> None:
        """Move the token from the address into a cookie, and redirect to the page without it."""
        cookie = f"{COOKIE}={self.token}; Path=/; HttpOnly; SameSite=Strict"
        headers = [(b"location", page.encode()), (b"set-cookie", cookie.encode()), (b"cache-control", b"no-store")]
        await send({"type": "http.response.start", "status": 303, "headers": headers})
        await send({"type": "http.response.body", "body": b""})


def _is_address(host: str) -> bool:
    return bool(host) and not any(c in host for c in "/@\\?# ") and host.count("[") < 2


def _query_of(scope: Scope) -> str:
    query: bytes = scope.get("query_string", b"")
    return query.decode("latin-1")


def _token_of(scope: Scope) -> str:
    return parse_qs(_query_of(scope)).get("token", [""])[0]


def _wanted_page(scope: Scope) -> str:
    """The page to open after the token was given: that of a session, or the start, prepared as a link says."""
    query = _query_of(scope)
    page = parse_qs(query).get("to", [f"/?{query}"])[0]
    if _SESSION_PAGE.fullmatch(page):
        return page
    path, _, prepared = page.partition("?")
    fields = [field for field in parse_qsl(prepared) if field[0] != "token"] if path == "/" else []
    return f"/?{urlencode(fields)}" if fields else "/"


def _wants_page(scope: Scope, headers: dict[str, str]) -> bool:
    """Whether a person opened an address in a browser."""
    is_page = scope["path"] == "/" or _SESSION_PAGE.fullmatch(scope["path"]) is not None
    return is_page and scope["method"] == "GET" and "text/html" in headers.get("accept", "")


async def _ask_for_token(send: Send, page: str) -> None:
    """A page that asks for the token, then goes on to `page`."""
    body = TOKEN_PAGE.format(page=escape(page)).encode()
    headers = [
        (b"content-type", b"text/html; charset=utf-8"),
        (b"content-length", str(len(body)).encode()),
        (b"content-security-policy", TOKEN_PAGE_POLICY.encode()),
        (b"cache-control", b"no-store"),
    ]
    await send({"type": "http.response.start", "status": 401, "headers": headers})
    await send({"type": "http.response.body", "body": body})


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
