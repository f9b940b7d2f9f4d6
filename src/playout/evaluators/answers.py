"""The answers of evaluators: the one place where they are decoded, checked and brought into one form."""

import math
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from playout.errors import EvaluatorError
from playout.game import Game
from playout.game.faults import ROUNDING, wrong_sum
from playout.settings import ANSWER_SLACK

Numbers = npt.NDArray[np.floating[Any]] | npt.NDArray[np.integer[Any]]
LeafPolicy = Mapping[int, float] | Sequence[float] | Numbers  # weights of a leaf's actions
LeafValue = float | Sequence[float] | Numbers  # for the player who moves, or for each player

POLICIES = ("logits", "probabilities")
VALUES = ("scalar", "wdl", "players")
FINITE = float(np.finfo(np.float32).max)
LARGEST = 1e100  # whose square can still be summed up


class LeafAnswers(NamedTuple):
    """What an evaluator says of B positions, in the form that the kernels take."""

    policy: Any  # float32[B, K], weights from 0 up; K is the game's `policy_size`, for one leaf its number of actions
    values: Any  # float64[B, 1], for the player who moves, or float64[B, players]


NO_ANSWERS = LeafAnswers(np.zeros((0, 1), np.float32), np.zeros((0, 1)))


# Decoding: the outputs of a network.


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


# Checking.


def checked(policy: Any, value: Any, batch: int, game: Game, name: str) -> tuple[Any, Any]:
    """The answer to `batch` observations, C-contiguous: policy float32[B, K], value float64[B] or [B, players].

    K is the game's `policy_size`. A policy of None gives all actions the same weight. Anything else is an
    `EvaluatorError`.
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
        if not _within(weighed, 0.0, FINITE):
            _refuse(weighed, "policy", "weights from 0 up", name)
    judged = _numbers(value, "value", name, np.float64)
    if judged.shape == (batch, 1):
        judged = judged.reshape(batch)
    if judged.shape[:1] != (batch,) or judged.shape[1:] not in ((), (game.players,)) or not _fits(judged, game):
        raise EvaluatorError(
            f"{name} returned a value of shape {shape_text(judged)} for {_rows_text(batch)}, expected "
            + (f"({batch},) for the player who moves or " if game.one_value_tells_all else "")
            + f"({batch}, {game.players}) for each player"
        )
    limits = value_limits(game)
    if not _within(judged, *limits):
        _refuse(judged, "value", limits_text(game), name, limits)
    return weighed, judged


def answers_to_batch(answer: Any, batch: int, game: Game, name: str, *, exact_sums: bool) -> LeafAnswers:
    """The checked answers of an evaluator to `batch` observations.

    `exact_sums`: values of both players must add up to what the game's returns add up to. A network's only come close.
    """
    policy, value = checked(*split(answer, name), batch, game, name)
    if exact_sums:
        _check_sums(value, game, name)
    return LeafAnswers(policy, value.reshape(batch, -1))


def answer_to_leaf(
    policy: LeafPolicy | None, value: LeafValue, actions: tuple[int, ...], game: Game, name: str
) -> LeafAnswers:
    """The checked answer to one leaf; the policy has a weight for each of its actions, in their order.

    >>> from playout import games
    >>> answer_to_leaf({4: 3.0}, 0.5, (3, 4), games.load("connect4"), "me")
    LeafAnswers(policy=array([[0., 3.]], dtype=float32), values=array([[0.5]]))
    """
    if policy is None:
        policy = np.ones(len(actions), np.float32)
    elif isinstance(policy, Mapping):
        if unknown := [a for a in policy if a not in actions]:
            raise EvaluatorError(f"{name}: the policy names action {unknown[0]!r}, expected some of {list(actions)}")
        policy = [policy.get(a, 0.0) for a in actions]
    try:
        weighed = np.asarray(policy, np.float32)
    except (TypeError, ValueError) as error:
        raise EvaluatorError(f"{name}: the policy is {policy!r}, expected numbers ({error})") from None
    if weighed.shape != (len(actions),) or not _within(weighed, 0.0, FINITE):
        raise EvaluatorError(
            f"{name}: the policy is {_short(policy)}, expected {len(actions)} finite numbers of at least 0, one for "
            f"each action of the leaf in their order, or a mapping from actions"
        )
    try:
        judged = np.asarray(value, np.float64).reshape(1, -1)
    except (TypeError, ValueError):
        judged = np.zeros((1, 0))
    if not _fits(judged, game) or not _within(judged, *value_limits(game)):
        expected = "one number for the player who moves, or " if game.one_value_tells_all else ""
        raise EvaluatorError(
            f"{name}: the value is {_short(value)}, expected {expected}one for each of {game.players}, "
            f"{limits_text(game)}"
        )
    _check_sums(judged, game, name)
    return LeafAnswers(weighed.reshape(1, -1), judged)


def _within(numbers: Any, low: float, high: float) -> bool:
    """Whether all numbers are from `low` to `high`. NaN is both least and most, and fails every comparison."""
    return not numbers.size or bool(numbers.min() >= low and numbers.max() <= high)


def _fits(values: Any, game: Game) -> bool:
    """Whether there is a value for each player, or one where that tells all."""
    columns = values.shape[1] if values.ndim == 2 else 1
    return columns == game.players or (columns == 1 and game.one_value_tells_all)


def _check_sums(values: Any, game: Game, name: str) -> None:
    """Refuse values of both players that don't add up to what the game's returns add up to."""
    if game.players != 2 or values.ndim != 2 or values.shape[1] != 2 or game.sums_to is None:
        return
    for row in values[np.abs(values.sum(axis=1) - game.sums_to) > ROUNDING]:
        if message := wrong_sum(game, row.tolist()):
            raise EvaluatorError(f"{name}: the values are {', '.join(f'{v:g}' for v in row)}, which {message}")


def value_limits(game: Game) -> tuple[float, float]:
    """The range of values from outside: what a player can get, and a little more for rounding."""
    if game.range is None:
        return -LARGEST, LARGEST
    low, high = game.range
    more = ANSWER_SLACK * (high - low)
    return max(-LARGEST, low - more), min(LARGEST, high + more)


def limits_text(game: Game) -> str:
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


def _short(value: Any) -> str:
    text = " ".join(repr(value).split())
    return text if len(text) <= 80 else text[:79] + "…"


def _kind_text(given: Any) -> str:
    if given is None:
        return "None"
    if isinstance(given, np.ndarray):
        return f"an array of {given.dtype} of shape {shape_text(given)}"
    long = f" of length {len(given)}" if isinstance(given, tuple | list | dict | str) else ""
    return f"{type(given).__name__}{long}"


def _rows_text(batch: int) -> str:
    return "one observation" if batch == 1 else f"{batch} observations"
