"""What evaluators answer: the one place that turns outputs into weights and values, and that checks them."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.errors import EvaluatorError
from playout.settings import ANSWER_SLACK

if TYPE_CHECKING:
    from playout.game import Game

POLICIES = ("logits", "probabilities")
VALUES = ("scalar", "wdl", "players")
FINITE = float(np.finfo(np.float32).max)
LARGEST = 1e100  # whose square can still be summed up


def weights(policy: Any, kind: str) -> Any:
    """A policy output as non-negative weights, float32[B, K]; `kind` is one of POLICIES.

    Weights of logits x are exp(x - max x) / sum of the same.

    >>> weights(np.log(np.array([[1.0, 3.0]], np.float32)), "logits").tolist()
    [[0.25, 0.75]]
    """
    found = np.asarray(policy, np.float32)
    flat = found.reshape(len(found), math.prod(found.shape[1:]))
    if kind == "probabilities" or flat.size == 0:
        return flat
    with np.errstate(invalid="ignore"):  # infinities become NaN, which `checked` refuses
        found = np.exp(flat - flat.max(axis=1, keepdims=True))
        found /= found.sum(axis=1, keepdims=True)
    return found


def values(value: Any, kind: str, name: str) -> Any:
    """A value output as float32[B], for the player who moves, or float32[B, players]; `kind` is one of VALUES.

    Of the probabilities of win, draw and loss the value is win - loss.

    >>> values(np.array([[0.75, 0.25, 0.0]]), "wdl", "net").tolist()
    [0.75]
    """
    found = np.asarray(value, np.float32)
    columns = math.prod(found.shape[1:])
    if kind == "scalar" and columns == 1:
        return found.reshape(-1)
    if kind == "wdl" and columns == 3:
        rows = found.reshape(-1, 3)
        with np.errstate(invalid="ignore"):
            return rows[:, 0] - rows[:, 2]
    if kind == "players" and found.ndim == 2:
        return found
    expected = {"scalar": "[B] or [B, 1]", "wdl": "[B, 3]", "players": "[B, players]"}[kind]
    raise EvaluatorError(f"{name}: its value has the shape {shape_text(found)}, expected {expected} for '{kind}'")


def split(answer: Any, name: str) -> tuple[Any, Any]:
    """The policy and the value of an answer that should be both."""
    if isinstance(answer, tuple | list) and len(answer) == 2:
        return answer[0], answer[1]
    raise EvaluatorError(f"{name} returned {_kind_text(answer)}, expected a pair (policy, value)")


def checked(policy: Any, value: Any, batch: int, game: "Game", name: str) -> tuple[Any, Any]:
    """The answer to `batch` observations, C-contiguous: policy float32[B, K], value float64[B] or [B, players].

    K is the game's `policy_size`. A policy of None means that all actions weigh the same. Whatever is not as it should
    be is an `EvaluatorError`.
    """
    size = game.policy_size
    if policy is None:
        weighed = np.ones((batch, size), np.float32)
    else:
        weighed = _numbers(policy, "policy", name)
        if weighed.shape != (batch, size):
            raise EvaluatorError(
                f"{name} returned a policy of shape {shape_text(weighed)} for {_rows_text(batch)}, "
                f"expected ({batch}, {size})"
            )
        # A NaN is the least and the most of everything, and no comparison with it holds.
        if weighed.size and not (weighed.min() >= 0 and weighed.max() <= FINITE):
            _refuse(weighed, "policy", "weights from 0 up", name)
    judged = _numbers(value, "value", name, np.float64)
    if judged.shape == (batch, 1):
        judged = judged.reshape(batch)
    one = game.one_value_tells_all
    if judged.shape not in (((batch,), (batch, game.players)) if one else ((batch, game.players),)):
        raise EvaluatorError(
            f"{name} returned a value of shape {shape_text(judged)} for {_rows_text(batch)}, expected "
            + (f"({batch},) for the player who moves or " if one else "")
            + f"({batch}, {game.players}) for each player"
        )
    low, high = value_limits(game)
    if judged.size and not (judged.min() >= low and judged.max() <= high):
        _refuse(judged, "value", limits_text(game), name, (low, high))
    return weighed, judged


def value_limits(game: "Game") -> tuple[float, float]:
    """From where to where values from outside may be: what a player can get, and a little more for rounding."""
    if game.range is None:
        return -LARGEST, LARGEST
    low, high = game.range
    more = ANSWER_SLACK * (high - low)
    return max(-LARGEST, low - more), min(LARGEST, high + more)


def limits_text(game: "Game") -> str:
    if game.range is None:
        return f"finite numbers of at most {LARGEST:g}"
    return f"finite numbers from {game.range[0]:g} to {game.range[1]:g}, what a player of {game.title} can get"


def shape_text(array: Any) -> str:
    """
    >>> shape_text(np.zeros((2, 7))), shape_text(np.zeros(3))
    ('(2, 7)', '(3,)')
    """
    return str(tuple(int(n) for n in array.shape))


def _numbers(given: Any, what: str, name: str, kind: Any = np.float32) -> Any:
    expected = "expected an array of numbers"
    try:
        found = np.asarray(given)
    except Exception as error:  # whatever a foreign array raises when it is asked for its numbers
        reason = " ".join(str(error).split())[:160]
        raise EvaluatorError(
            f"{name} returned a {what} that can't be read ({type(given).__name__}: {reason}), {expected}"
        ) from error
    if found.dtype.kind not in "fiub":
        raise EvaluatorError(f"{name} returned {_kind_text(given)} as {what}, {expected}")
    with np.errstate(over="ignore"):  # too large for float32: infinity, refused later
        return np.ascontiguousarray(found, kind) if found.ndim else found.astype(kind)


def _refuse(found: Any, what: str, expected: str, name: str, limits: tuple[float, float] = (0.0, FINITE)) -> None:
    """Say which number is wrong, the first one."""
    wrong = ~((found >= limits[0]) & (found <= limits[1]))
    at = tuple(int(i) for i in np.argwhere(wrong)[0])
    place = f"row {at[0]}" + (f", column {at[1]}" if len(at) > 1 else "")
    count = int(wrong.sum())
    more = f" and {count - 1} more such" if count > 1 else ""
    raise EvaluatorError(f"{name} returned a {what} with {found[at]:g} at {place}{more}, expected {expected}")


def _kind_text(given: Any) -> str:
    if given is None:
        return "None"
    if isinstance(given, np.ndarray):
        return f"an array of {given.dtype} of shape {shape_text(given)}"
    long = f" of length {len(given)}" if isinstance(given, tuple | list | dict | str) else ""
    return f"{type(given).__name__}{long}"


def _rows_text(batch: int) -> str:
    return "one observation" if batch == 1 else f"{batch} observations"
