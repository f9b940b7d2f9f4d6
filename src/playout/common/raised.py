"""What was raised in a user's own code, in one line: the exception, and the place it came from."""

import sys
import traceback
from collections.abc import Callable

from playout.core.references import PACKAGE
from playout.core.watch import RuleExit, as_exception

__all__ = ["as_exception", "described", "safe_text", "users_frames", "users_line", "users_place"]


def users_place(error: BaseException) -> str | None:
    """The line of a user's own code that an exception was raised in, if it was."""
    frame = _users_frame(error)
    return f"{frame.filename}:{frame.lineno}, in {frame.name}" if frame else None


def users_line(error: BaseException) -> str | None:
    frame = _users_frame(error)
    return f"{frame.filename}:{frame.lineno}" if frame else None


def users_frames(error: BaseException) -> list[traceback.FrameSummary]:
    """The frames of an exception's traceback that are in a user's own code, the outermost first."""
    ours = (str(PACKAGE), sys.base_prefix, sys.prefix, "<frozen")
    return [f for f in traceback.extract_tb(error.__traceback__) if not f.filename.startswith(ours)]


def _users_frame(error: BaseException) -> traceback.FrameSummary | None:
    own = users_frames(error)
    return own[-1] if own else None


def described(error: BaseException) -> str:
    """An exception in one short line."""
    if isinstance(error, RuleExit) and error.__cause__ is not None:
        error = error.__cause__
    text = " ".join(str(error).split())
    return f"{type(error).__name__}: {text[:160]}{'…' if len(text) > 160 else ''}" if text else type(error).__name__


def safe_text(text: Callable[[], str]) -> str:
    try:
        return " ".join(text().split())
    except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever a user's own text function raises
        return f"a position whose text raised {described(error)}"
