"""What generators answer: its forms, its checks, and the states as texts for the ledger."""

import json
import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

from playout.common.arguments import plain
from playout.common.raised import described
from playout.errors import GeneratorError

LARGEST = 1_000_000  # characters of a state's text, unless a search says otherwise
MOST_TOKENS = 2**63 - 1  # as many as SQLite can hold
TUPLE = "__tuple__"
SHOWN = 60


@dataclass(frozen=True)
class Answer:
    """What a generator may return in place of (state, score): more about the same.

    A state of None says that there is nothing more to propose here. Without a score, the search's `evaluate` gives it.
    Without a cost, the search's `prices` tell it.
    """

    state: Any
    score: float | None = None
    cost: float | None = None  # in the unit of the search's limit
    tokens: int | None = None


class Checked(NamedTuple):
    """An answer with plain numbers and a known cost."""

    state: Any
    score: Any  # checked by `score_from`
    cost: float
    tokens: int | None

    def charged(self, cost: float, tokens: int) -> "Checked":
        """The same with what failed attempts cost."""
        return self._replace(cost=self.cost + cost, tokens=(self.tokens or 0) + tokens if tokens else self.tokens)


def answer_from(raw: Any, who: str, price: float) -> Checked:
    """What a generator returned, checked; a `GeneratorError` says what is wrong. `price` is the cost of an answer that
    does not tell its own."""
    if raw is None:
        return Checked(None, None, price, None)
    if isinstance(raw, Answer):
        score = None if raw.score is None or raw.state is None else plain(raw.score)
        return Checked(raw.state, score, _cost_from(raw.cost, who, price), _tokens_from(raw.tokens, who))
    if isinstance(raw, tuple) and len(raw) == 2:
        return Checked(raw[0], None if raw[0] is None else plain(raw[1]), price, None)
    raise GeneratorError(f"{who} returned {_short(raw)}, expected (state, score), po.Answer(…) or None")


def _cost_from(cost: Any, who: str, price: float) -> float:
    if cost is None:
        return price
    _check_number(cost, f"{who} answered with a cost of {cost!r:.40}", least=0.0)
    return float(plain(cost))


def _tokens_from(tokens: Any, who: str) -> int | None:
    value = plain(tokens)
    if value is None or (isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MOST_TOKENS):
        return value
    raise GeneratorError(f"{who} answered with tokens of {tokens!r:.40}, expected a whole number or None")


def score_from(score: Any, scores: tuple[float, float] | None, who: str) -> float:
    """A score, checked against the declared range."""
    _check_number(score, f"{who} gave the score {score!r:.40}")
    if scores is not None and not scores[0] <= score <= scores[1]:
        raise GeneratorError(
            f"{who} gave the score {float(score):.6g}, which is not within the declared range {scores[0]:g} to "
            f"{scores[1]:g}; declare another with scores=(low, high), or scores=None for any"
        )
    return float(score)


def _check_number(value: Any, what: str, least: float | None = None) -> None:
    value = plain(value)
    try:
        good = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # a whole number that no float can hold
        good = False
    if not good or (least is not None and value < least):
        raise GeneratorError(f"{what}, expected a finite number{'' if least is None else f' of at least {least:g}'}")


def _short(raw: Any) -> str:
    text = repr(raw)
    return f"{type(raw).__name__} {text[:SHOWN]}{'…' if len(text) > SHOWN else ''}"


def encode(state: Any) -> str:
    """A state as JSON, with tuples kept apart from lists.

    >>> encode((1, "a", [2.5, None]))
    '{"__tuple__": [1, "a", [2.5, null]]}'
    """
    return json.dumps(_plain(state), ensure_ascii=False, allow_nan=False)


def decode(text: str) -> Any:
    """The state that `encode` wrote.

    >>> decode('{"__tuple__": [1, "a", [2.5, null]]}')
    (1, 'a', [2.5, None])
    """
    return _restored(json.loads(text))


def _plain(value: Any) -> Any:
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list):
        return [_plain(item) for item in value]
    if type(value) is tuple:
        return {TUPLE: [_plain(item) for item in value]}
    if isinstance(value, dict) and all(isinstance(key, str) for key in value) and TUPLE not in value:
        return {key: _plain(item) for key, item in value.items()}
    raise TypeError(f"{type(value).__name__} has no text")


def _restored(value: Any) -> Any:
    if isinstance(value, list):
        return [_restored(item) for item in value]
    if isinstance(value, dict):
        return tuple(map(_restored, value[TUPLE])) if TUPLE in value else {k: _restored(v) for k, v in value.items()}
    return value


def text_of(state: Any, encoder: Callable[[Any], str], largest: int, who: str) -> str:
    """A state's text for the ledger; a `GeneratorError` says why there is none."""
    try:
        text = encoder(state)
        if isinstance(text, str):
            text.encode()  # half a surrogate pair has no UTF-8
    except Exception as error:
        raise GeneratorError(
            f"{who} answered with a state that can't be written to the ledger ({type(state).__name__}: "
            f"{described(error)}); answer with texts, numbers, lists, tuples and dictionaries, or pass encode= and "
            f"decode="
        ) from error
    if not isinstance(text, str):
        raise GeneratorError(f"encode returned {_short(text)}, expected a text")
    check_size(text, largest, who)
    return text


def check_size(text: str, largest: int, who: str) -> None:
    """Refuse a state whose text is too long."""
    if len(text) > largest:
        raise GeneratorError(
            f"{who} answered with a state of {len(text):,} characters, expected at most {largest:,}; "
            f"set largest= if that is meant"
        )


class Known:
    """The states that a search has, found again by a key: the user's, the state itself if it has a hash, its text, or
    else by comparing with each."""

    def __init__(self, key: Callable[[Any], Any] | None) -> None:
        self._key = key
        self._by_key: dict[Any, Any] = {}
        self._others: list[tuple[Any, Any]] = []

    def key_of(self, state: Any) -> Any:
        """What a state is known by; None: only equality tells."""
        if self._key is not None:
            try:
                key = self._key(state)
                hash(key)
            except Exception as error:
                why = f"{type(error).__name__}: {error}"
                raise GeneratorError(f"key= raised {why} for the state {state!r:.60}") from error
            return ("key", key)
        try:
            hash(state)
        except Exception:  # noqa: BLE001  # usually a TypeError, but users' classes may do anything
            try:
                return ("text", encode(state))
            except (TypeError, ValueError, RecursionError):
                return None
        return ("state", state)

    def find(self, state: Any) -> Any:
        """What was added for an equal state, or None."""
        key = self.key_of(state)
        if key is not None:
            return self._by_key.get(key)
        return next((found for other, found in self._others if _equal(other, state)), None)

    def add(self, state: Any, found: Any) -> None:
        """Note a state."""
        key = self.key_of(state)
        if key is None:
            self._others.append((state, found))
        else:
            self._by_key.setdefault(key, found)


def _equal(a: Any, b: Any) -> bool:
    try:
        return bool(a == b)
    except Exception:  # noqa: BLE001  # arrays compare to arrays, and users' classes may do anything
        return a is b
