"""Generators and judges that ask a language model: a prompt in, a proposal or a score out."""

import re
from collections.abc import Callable
from typing import Any, Protocol

from playout.common.arguments import takes
from playout.common.chat import ChatModel, Completion
from playout.common.raised import described, users_line
from playout.errors import GeneratorError, SettingsError

from .answers import Answer

NUMBER = re.compile(r"(?<![\w.])[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
FRACTION = re.compile(r"\s*/\s*\d")


class PromptModel(Protocol):
    """Anything that answers prompts: a `ChatModel`, or a simulated one."""

    def answer(self, system: str, user: str) -> Completion: ...


def proposer(
    prompt: Callable[[Any], str],
    read: Callable[[str, Any], Any] | None = None,
    *,
    system: str = "",
    model: PromptModel | None = None,
    price: float = 0.0,
) -> Callable[[Any], Answer]:
    """A generator that asks a language model: `prompt(parent)` is what it is asked, `read(text, parent)` makes a state,
    or (state, score), of its answer; without `read`, the text is the state. `price` is the cost of 1,000 tokens. The
    model is the one that PLAYOUT_LLM_URL, PLAYOUT_LLM_MODEL and PLAYOUT_LLM_KEY name."""
    asked = _model(model)
    _check("prompt", prompt, 1)
    if read is not None:
        _check("read", read, 2)

    def propose(parent: Any) -> Answer:
        said = asked.answer(system, prompt(parent))
        cost = _cost(said, price)
        try:
            found = said.text if read is None else read(said.text, parent)
        except Exception as error:
            line = users_line(error)
            message = f"read= raised {described(error)}{f' ({line})' if line else ''} for {said.text!r:.60}"
            raise GeneratorError(message, cost, said.tokens) from error
        if isinstance(found, tuple) and len(found) == 2 and isinstance(found[1], int | float):
            return Answer(found[0], found[1], cost, said.tokens)
        return Answer(found, None, cost, said.tokens)

    return propose


def judge(
    prompt: Callable[[Any], str], *, system: str = "", model: PromptModel | None = None, price: float = 0.0
) -> Callable[[Any], Answer]:
    """A judge for `evaluate=` that asks a language model for a score: the last number in its answer. A fraction such as
    8/10 is refused, since it may mean 8 or 0.8."""
    asked = _model(model)
    _check("prompt", prompt, 1)

    def evaluate(state: Any) -> Answer:
        said = asked.answer(system, prompt(state))
        cost = _cost(said, price)
        try:
            return Answer(state, score_in(said.text), cost, said.tokens)
        except GeneratorError as error:
            raise GeneratorError(str(error), cost, said.tokens) from None

    return evaluate


def score_in(text: str) -> float:
    """The last number in a text.

    >>> score_in("Of 10 points: .8"), score_in("I give it -2.5e1.")
    (0.8, -25.0)
    """
    numbers = list(NUMBER.finditer(text))
    if not numbers:
        raise GeneratorError(f"the judge's answer has no number: {text!r:.60}")
    for number in numbers[-2:-1]:
        if FRACTION.match(text, number.end()) and FRACTION.fullmatch(text[number.end() : numbers[-1].start() + 1]):
            raise GeneratorError(f"the judge's answer ends in a fraction: {text[-60:]!r}; ask it for one plain number")
    return float(numbers[-1].group())


def _model(given: PromptModel | None) -> PromptModel:
    if given is not None:
        if not takes(getattr(given, "answer", None), 2):
            raise SettingsError(f"model is {given!r:.60}, expected an object with answer(system, user)")
        return given
    found = ChatModel()
    if not found.is_on:
        raise SettingsError("no language model is set up: set PLAYOUT_LLM_URL, PLAYOUT_LLM_MODEL and PLAYOUT_LLM_KEY")
    return found


def _check(name: str, function: Any, count: int) -> None:
    if not takes(function, count):
        raise SettingsError(f"{name} is {function!r:.60}, expected a function of {count} argument{'s' * (count > 1)}")


def _cost(said: Completion, price: float) -> float:
    return price * (said.tokens or 0) / 1000.0
