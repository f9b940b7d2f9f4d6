"""What the server refuses, as problem details (RFC 9457): a status, a code for programs, a sentence for people."""

import contextlib
from collections.abc import Iterator
from typing import Any

from playout import errors
from playout.common.raised import as_exception, described, users_frames
from playout.errors import PlayoutError
from playout.game.wrap.running import raised_at

MEDIA_TYPE = "application/problem+json"
CODES: dict[type[PlayoutError], tuple[int, str]] = {
    errors.ActionError: (400, "action"),
    errors.BusyError: (409, "busy"),
    errors.EvaluatorError: (400, "evaluator"),
    errors.FileError: (400, "file"),
    errors.GameError: (400, "game"),
    errors.PositionError: (400, "position"),
    errors.SettingsError: (400, "settings"),
}
TITLES = {
    "action": "The game has no such action here",
    "bad_request": "The request can't be read",
    "busy": "The session is busy",
    "content_type": "The body has another content type than expected",
    "evaluator": "The evaluator failed",
    "file": "The search file can't be used",
    "game": "The game's own code failed",
    "invalid": "A field is missing, wrong or unknown",
    "led": "Another page leads the session",
    "link": "The link can't be used",
    "memory": "The server's memory limit is reached",
    "method": "The address does not take this method",
    "moments": "The session has as many moments as it can",
    "not_found": "The address does not exist",
    "origin": "The request comes from another page",
    "position": "The position can't be used",
    "read_only": "The link only follows",
    "restoring": "The session is being restored",
    "sessions": "The server has as many sessions as it allows",
    "settings": "The settings can't be used",
    "state": "The session can't do this now",
    "stopping": "The server is stopping",
    "storage": "The data folder is full or can't be written",
    "token": "The token is missing or wrong",
    "too_large": "The request is too large",
    "unknown_game": "The server has no such game",
    "unknown_moment": "The session has no such moment",
    "unknown_path": "The tree has no such node",
    "unknown_session": "The server has no such session",
}


def problem(status: int, code: str, detail: str) -> dict[str, Any]:
    """Problem details.

    >>> problem(404, "unknown_moment", "no moment 5; the game so far has 0 to 2")["title"]
    'The session has no such moment'
    """
    return {
        "type": f"/v1/problems#{code}",
        "title": TITLES[code],
        "status": status,
        "detail": detail,
        "code": code,
    }


class Refusal(Exception):
    """Ends a request with a problem. `try_again`: the same request may succeed in a moment."""

    def __init__(self, status: int, code: str, message: str, try_again: bool = False) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, " ".join(message.split())
        self.try_again = try_again

    def to_dict(self) -> dict[str, Any]:
        """Problem details."""
        return problem(self.status, self.code, self.message)


def refusal_of(error: PlayoutError) -> Refusal:
    """A library error as a refusal."""
    status, code = next((found for kind, found in CODES.items() if isinstance(error, kind)), (400, "bad_request"))
    return Refusal(status, code, str(error))


@contextlib.contextmanager
def game_may_fail(game: Any) -> Iterator[None]:
    """Turn an exception of a user's game into a refusal; it is not the server's fault."""
    try:
        yield
    except (PlayoutError, Refusal):
        raise
    except BaseException as raised:
        error = as_exception(raised)
        if not isinstance(error, Exception):
            raise
        if game.__module__.startswith("playout."):
            raise
        raise Refusal(400, "game", fault_of(game, error)) from error


def fault_of(game: Any, error: BaseException) -> str:
    """Message for an exception of a game: the function called, what it raised, in which position, and the line."""
    own, name, place = users_frames(error), game.name or game.__name__, raised_at(error)
    if own:
        name, place = f"{name}.{own[0].name}", f"{place}, at {own[-1].filename}:{own[-1].lineno}"
    return f"{name} raised {described(error)}{place}; `playout doctor` finds what is wrong with a game"


def is_fault(error: Exception) -> bool:
    """Whether a game or an evaluator failed, and not the client."""
    return isinstance(error, errors.GameError | errors.EvaluatorError) or (
        isinstance(error, Refusal) and error.code == "game"
    )


def not_now(message: str) -> Refusal:
    """The session's state does not allow it."""
    return Refusal(409, "state", message)


def busy(what: str) -> Refusal:
    """A run is on."""
    return Refusal(409, "busy", f"{what}: a run is on in this session; stop it, or wait for its end")
