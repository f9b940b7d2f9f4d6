"""What the server refuses, and in which form: a status, a code for programs, a message for people."""

import contextlib
import sys
import traceback
from collections.abc import Iterator
from typing import Any

from playout.common.raised import described
from playout.core.references import PACKAGE
from playout.core.watch import as_exception
from playout.errors import (
    ActionError,
    BusyError,
    EvaluatorError,
    FileError,
    GameError,
    PlayoutError,
    PositionError,
    SettingsError,
)
from playout.game.wrap.running import raised_at

CODES: dict[type[PlayoutError], tuple[int, str]] = {
    ActionError: (400, "action"),
    BusyError: (409, "busy"),
    EvaluatorError: (400, "evaluator"),
    FileError: (400, "file"),
    GameError: (400, "game"),
    PositionError: (400, "position"),
    SettingsError: (400, "settings"),
}


class Refusal(Exception):
    """An answer other than the one that was asked for."""

    def __init__(self, status: int, code: str, message: str, try_again: bool = False) -> None:
        super().__init__(message)
        self.status, self.code, self.message = status, code, " ".join(message.split())
        self.try_again = try_again  # the same request may well be served in a moment

    def to_dict(self) -> dict[str, Any]:
        return {"error": {"code": self.code, "message": self.message}}


def refusal_of(error: PlayoutError) -> Refusal:
    """A mistake that the search reported, as an answer."""
    status, code = next((found for kind, found in CODES.items() if isinstance(error, kind)), (400, "bad_request"))
    return Refusal(status, code, str(error))


@contextlib.contextmanager
def game_may_fail(game: Any) -> Iterator[None]:
    """Around what calls a game's Python: a fault in a game of the user's is the user's, not the server's."""
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
    """An exception of a game's own: the function that was called, what it raised, in which position, and the line."""
    ours = (str(PACKAGE), sys.base_prefix, sys.prefix)
    own = [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(ours)]
    name, place = game.name or game.__name__, raised_at(error)
    if own:
        name, place = f"{name}.{own[0].name}", f"{place}, at {own[-1].filename}:{own[-1].lineno}"
    return f"{name} raised {described(error)}{place}; `playout doctor` finds what is wrong with a game"


def is_fault(error: Exception) -> bool:
    """Whether a game or an evaluator failed, rather than whoever asked."""
    return isinstance(error, GameError | EvaluatorError) or (isinstance(error, Refusal) and error.code == "game")


def not_now(message: str) -> Refusal:
    return Refusal(409, "state", message)


def busy(what: str) -> Refusal:
    return Refusal(409, "busy", f"{what}: a run is on in this session; stop it, or wait for its end")
