"""The tree of a generated search and its accounts: what each call brought and cost. Answers count once on disk."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from playout.common.raised import described
from playout.errors import FileError, GeneratorError

from .answers import Answer, Checked, Known, answer_from, check_size, score_from, text_of
from .calls import Call, Meter, Pace, with_call
from .checks import Generators, is_hashable
from .ledger import Ledger, Row
from .policies import Scale
from .result import BestMoment, GeneratorStats
from .tree import GeneratedNode, back_up, mark_pending

JUDGE = "evaluate"  # the judge's name in statistics and messages


class Books:
    """What `GeneratedSearch` keeps; the methods without an underscore are for the other files of this package."""

    generators: Generators
    pace: Pace
    prices: dict[str, float]
    scores: tuple[float, float] | None
    seed: int
    _ledger: Ledger | None
    _evaluate: Callable[..., Any] | None
    _is_final: Callable[[Any], bool] | None
    _encode: Callable[[Any], str]
    _decode: Callable[[str], Any]
    _uid: str
    _exhausted: int
    _largest: int

    def _begin_books(self, root: Any, key: Callable[[Any], Any] | None) -> None:
        self.root = GeneratedNode(0, None, root, None, "", 0.0)
        self.nodes: dict[int, GeneratedNode] = {0: self.root}  # by the number of the call that made them
        self._known = Known(key)
        if root is not None:
            self._known.add(root, self.root)
        self.stats = {name: GeneratorStats(name) for name in self.generators}
        self.judge = GeneratorStats(JUDGE)
        self.best: GeneratedNode | None = None
        self.history: list[BestMoment] = []
        self.cost, self.calls = 0.0, 0  # of all answers; calls that were asked for
        self._open_calls: dict[int, Call] = {}
        self._waiting: dict[int, Call] = {}  # to be made again, before any new one
        self._judging: dict[Any, list[Call]] = {}  # by the key of a state: the call that judges it, those that wait
        self._order = 0
        self._low, self._high = self.scores or (np.inf, -np.inf)
        self._scale = None if self.scores is None else Scale(self._low, self._high - self._low)
        self.meter = Meter(self.pace.rate)
        functions = {**self.generators, **({JUDGE: self._evaluate} if self._evaluate else {})}
        self._passing = {id(function): with_call(function) for function in functions.values()}

    @property
    def under_way(self) -> list[Call]:
        """Calls that have been asked for and are not answered, without those that wait to be made again."""
        return [call for call in self._open_calls.values() if call.number not in self._waiting]

    @property
    def scale(self) -> Scale:
        """The range that policies see as 0 to 1: the declared one, or that of the scores so far."""
        if self._scale is not None:
            return self._scale
        width = self._high - self._low
        if not 0.0 < width < np.inf:
            return Scale(self._low if np.isfinite(self._low) else 0.0, 1.0)
        return Scale(self._low, width)

    # Making a call.

    def new_call(self, number: int, name: str, node: GeneratedNode) -> Call:
        """A call with its key and seed, which depend on its number alone."""
        seed = (self.seed * 0x9E3779B97F4A7C15 + number * 0xBF58476D1CE4E5B9) % 2**63
        return Call(number, f"{self._uid}-{number}", name, node, seed)

    def begin(self, call: Call) -> tuple[Callable[..., Any], tuple[Any, ...], dict[str, Any], str]:
        """Note that a call is made now: the function, its arguments, and its name for messages."""
        if self._ledger is not None:
            self._ledger.asked(call.number, call.phase, call.key, call.parent.call, call.generator, time.time())
        call.attempted = True
        if call.phase == "generate":
            function: Any = self.generators[call.generator]
            state = call.parent.state
        else:
            function, state = self._evaluate, call.state
        return function, *self._passing[id(function)](state, call), self._who(call)

    def _who(self, call: Call) -> str:
        return f"generator '{call.generator}'" if call.phase == "generate" else "evaluate"

    def needs_no_judge(self, call: Call) -> bool:
        """Whether the state of a call that has none is known by now, and the call counts; or is being evaluated for
        another call, and the call waits for that one."""
        if call.phase != "evaluate":
            return False
        found = self._known.find(call.state)
        if found is not None:
            self._join(call, found)
            return True
        key = self._known.key_of(call.state)
        if key is not None:
            self._judging.setdefault(key, []).append(call)
        return key is not None and self._judging[key][0] is not call

    def _stop_judging(self, call: Call) -> list[Call]:
        """Note that a call judges its state no more; the calls that waited for it."""
        for key, (first, *others) in self._judging.items():
            if first is call:
                del self._judging[key]
                return others
        return []

    def postpone(self, call: Call) -> None:
        """Leave a call unanswered; the next run makes it again, with the same key."""
        for one in (call, *self._stop_judging(call)):
            if one.number in self._open_calls:
                self._waiting.setdefault(one.number, one)

    def is_open(self, call: Call) -> bool:
        """Whether a call still has to be answered."""
        return call.number in self._open_calls

    def receive(self, call: Call, raw: Any, seconds: float) -> bool:
        """Count what a call returned, once it is on disk; False: its state has to be evaluated first."""
        if call.number not in self._open_calls:
            return True  # answered already
        who = self._who(call)
        if hasattr(raw, "__await__"):
            getattr(raw, "close", lambda: None)()
            raise GeneratorError(f"{who} returned a coroutine; declare it with `async def` itself")
        if call.phase == "evaluate":
            return self._receive_score(call, raw, seconds)
        answer = answer_from(raw, who, self.prices.get(call.generator, 0.0)).charged(call.wasted, call.wasted_tokens)
        if answer.state is None:
            self._write(call, None, None, answer, seconds, counts=True)
            self.count_none(call)
            return True
        parent = call.parent
        if answer.state is parent.state and not is_hashable(answer.state):
            raise GeneratorError(f"{who} returned the parent itself, perhaps changed in place; return a new state")
        text = None
        if self._ledger is not None:
            text = text_of(answer.state, self._encode, self._largest, who)
        elif isinstance(answer.state, str):
            check_size(answer.state, self._largest, who)
        known = self._known.find(answer.state)
        if known is not None:
            score = known.score if answer.score is None else score_from(answer.score, self.scores, who)
            self._write(call, text, score, answer, seconds, counts=True)
            self._repeat(call, score)
        elif answer.score is not None:
            score = score_from(answer.score, self.scores, who)
            final = self._is_final_state(answer.state)
            self._write(call, text, score, answer, seconds, counts=True)
            self._add(call, answer.state, score, answer.cost, final)
        elif self._evaluate is None:
            raise GeneratorError(f"{who} gave no score, and the search has no evaluate=; return (state, score)")
        else:
            self._write(call, text, None, answer, seconds, counts=False)
            call.to_judge(answer.state, answer.cost)
            return False
        return True

    def _receive_score(self, call: Call, raw: Any, seconds: float) -> bool:
        given = raw if isinstance(raw, Answer) else Answer(None, raw)
        score = score_from(given.score, self.scores, JUDGE)
        told = Answer(call.state, score, given.cost, given.tokens)
        answer = answer_from(told, JUDGE, self.prices.get(JUDGE, 0.0)).charged(call.wasted, call.wasted_tokens)
        known, final = self._known.find(call.state), self._is_final_state(call.state)
        self._write(call, None, score, answer, seconds, counts=True)
        others = self._stop_judging(call)
        for other in others:
            self.postpone(other)  # in case that the ledger can't be written below
        if known is None:
            self._add(call, call.state, score, call.cost + answer.cost, final)
        else:  # judged for another call as well, since only equality tells
            self._repeat(call, score)
        for other in others:
            self._join(other, known or self.nodes[call.number])
        return True

    def _is_final_state(self, state: Any) -> bool:
        try:
            return self._is_final is not None and bool(self._is_final(state))
        except Exception as error:
            raise GeneratorError(f"is_final= raised {described(error)} for the state {state!r:.60}") from error

    def _join(self, call: Call, known: GeneratedNode) -> None:
        self._order += 1
        if self._ledger is not None:
            self._ledger.told(call.number, known.score, self._order)
        self._repeat(call, known.score)

    def _write(
        self, call: Call, text: str | None, score: float | None, answer: Checked, seconds: float, *, counts: bool
    ) -> None:
        """Put an answer on disk, then count its cost."""
        if self._ledger is not None:
            told = self._order + 1 if counts else None
            self._ledger.answered(call.number, call.phase, text, score, answer.cost, answer.tokens, seconds, told)
        self._order += counts
        self._spend(call.generator if call.phase == "generate" else None, answer.cost, answer.tokens, seconds)

    def spend(self, row: Row, *, failed: bool) -> None:
        """Count what a call in a ledger cost."""
        self._order = max(self._order, row.told or 0)
        name = row.generator if row.phase == "generate" else None
        self._spend(name, row.cost or 0.0, row.tokens, row.seconds or 0.0, failed)

    def _spend(
        self, generator: str | None, cost: float, tokens: int | None, seconds: float, failed: bool = False
    ) -> None:
        self.cost += cost
        stats = self.judge if generator is None else self.stats.setdefault(generator, GeneratorStats(generator))
        stats.calls += 1
        stats.answers += not failed
        stats.failures += failed
        stats.cost += cost
        stats.seconds += seconds
        stats.tokens += tokens or 0

    def fail(self, call: Call, message: str, cost: float, seconds: float) -> None:
        """Count a call that failed for good."""
        if call.number not in self._open_calls:
            return
        cost, tokens = cost + call.wasted, call.wasted_tokens or None
        if self._ledger is not None:
            self._ledger.failed(call.number, call.phase, message, cost, tokens, seconds)
        self._spend(call.generator if call.phase == "generate" else None, cost, tokens, seconds, failed=True)
        self.postpone(call)  # with the calls that wait for it, which are then judged themselves
        self._close_call(call)

    # Counting an answer. The same when a ledger is read.

    def reopen(self, row: Row) -> Call:
        """The call of a row in a ledger."""
        parent = self.nodes.get(row.parent)
        if parent is None:
            raise FileError(f"call {row.number} of the ledger starts from node {row.parent}, which is not in it")
        call = self.new_call(row.number, row.generator, parent)
        self._open_calls[row.number] = call
        mark_pending(parent, 1.0)
        return call

    def decoded(self, row: Row) -> Any:
        """The state in a row of a ledger."""
        try:
            return self._decode(row.state or "")
        except Exception as error:
            raise FileError(
                f"the state of call {row.number} in the ledger can't be read ({type(error).__name__}: {error}); "
                f"is decode= the one that belongs to it?"
            ) from error

    def count_answer(self, call: Call, state: Any, score: float | None, cost: float) -> None:
        """Count an answer that is on disk."""
        if score is None or self._known.find(state) is not None:
            self._repeat(call, score)
        else:
            self._add(call, state, score, cost, self._is_final_state(state))

    def _close_call(self, call: Call) -> None:
        mark_pending(call.parent, -1.0)
        self._open_calls.pop(call.number, None)
        self._waiting.pop(call.number, None)

    def _add(self, call: Call, state: Any, score: float, cost: float, final: bool) -> None:
        parent = call.parent
        node = GeneratedNode(call.number, parent, state, score, call.generator, cost)
        parent.add(node)
        parent.repeats = 0
        self.nodes[call.number] = node
        self._known.add(state, node)
        self._count(call, score)
        if self.best is None or self.best.score is None or score > self.best.score:
            self.best = node
            self.history.append(BestMoment(self.calls, self.cost, score))
        if final:
            node.final = True
            node.close()
        self._close_call(call)

    def _repeat(self, call: Call, score: float | None) -> None:
        self.stats.setdefault(call.generator, GeneratorStats(call.generator)).repeats += 1
        if score is not None:
            self._count(call, score)
        call.parent.repeats += 1
        if call.parent.repeats >= self._exhausted:
            call.parent.close()
        self._close_call(call)

    def count_none(self, call: Call) -> None:
        """Count an answer that says that there is nothing more to propose."""
        call.parent.silent.add(call.generator)
        if call.parent.silent.issuperset(self.generators):
            call.parent.close()
        self._close_call(call)

    def _count(self, call: Call, score: float) -> None:
        if self.scores is None:
            self._low, self._high = min(self._low, score), max(self._high, score)
        back_up(call.parent, score)
        self.stats.setdefault(call.generator, GeneratorStats(call.generator)).scores.add(score)
