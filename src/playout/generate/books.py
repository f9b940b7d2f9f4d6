"""The books of a generated search: its tree, what each call brought and cost. An answer counts once it is on disk."""

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from playout.errors import FileError, GeneratorError

from .answers import Answer, Known, answer_from, check_size, score_from, text_of
from .calls import Call, Meter, Pace, wants_call
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
    _progress: Callable[..., None] | None

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
        self._judging: dict[Any, list[Call]] = {}  # by the key of a state under evaluation: others with the same state
        self._order = 0
        self._low, self._high = self.scores or (np.inf, -np.inf)
        self._scale = None if self.scores is None else Scale(self._low, self._high - self._low)
        self.meter = Meter(self.pace.rate)
        self._progress = None
        functions = {**self.generators, **({JUDGE: self._evaluate} if self._evaluate else {})}
        self._wants_call = {id(function): wants_call(function) for function in functions.values()}

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

    def begin(self, call: Call) -> tuple[Callable[..., Any], tuple[Any, ...], str]:
        """Note that a call is made now: the function, its arguments, and who it is."""
        key = call.key if call.phase == "generate" else f"{call.key}e"
        if self._ledger is not None:
            self._ledger.asked(call.number, call.phase, key, call.parent.call, call.generator, time.time())
        call.attempted = True
        if call.phase == "generate":
            function: Any = self.generators[call.generator]
            arguments: tuple[Any, ...] = (call.parent.state,)
        else:
            function, arguments = self._evaluate, (call.state,)
        return function, (*arguments, call) if self._wants_call[id(function)] else arguments, self._who(call)

    def _who(self, call: Call) -> str:
        return f"generator '{call.generator}'" if call.phase == "generate" else "evaluate"

    def already_known(self, call: Call) -> bool:
        """Whether a state that waits for its score has become known meanwhile; then it is told."""
        if call.phase != "evaluate":
            return False
        found = self._known.find(call.state)
        if found is not None:
            self._join(call, found)
        return found is not None

    def postpone(self, call: Call) -> None:
        """Leave a call unanswered; the next run makes it again, with the same key."""
        if call.number in self._open_calls:
            self._waiting.setdefault(call.number, call)

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
        answer = answer_from(raw, who)
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
            self._write(call, text, score, answer, seconds, counts=True)
            self._add(call, answer.state, score, answer.cost)
        elif self._evaluate is None:
            raise GeneratorError(f"{who} gave no score, and the search has no evaluate=; return (state, score)")
        else:
            self._write(call, text, None, answer, seconds, counts=False)
            call.phase, call.state, call.cost = "evaluate", answer.state, answer.cost
            return not self._judge_now(call)
        return True

    def _judge_now(self, call: Call) -> bool:
        """Whether a state is to be evaluated now; otherwise the call waits for another one with the same state."""
        key = self._known.key_of(call.state)
        if key is None:
            return True
        if key in self._judging:
            self._judging[key].append(call)
            return False
        self._judging[key] = []
        return True

    def _receive_score(self, call: Call, raw: Any, seconds: float) -> bool:
        answer = raw if isinstance(raw, Answer) else Answer(None, raw)
        score = score_from(answer.score, self.scores, "evaluate")
        cost = answer_from(Answer(call.state, 0.0, answer.cost, answer.tokens), "evaluate").cost
        self._write(call, None, score, Answer(None, score, cost, answer.tokens), seconds, counts=True)
        self._add(call, call.state, score, call.cost + cost)
        for other in self._judging.pop(self._known.key_of(call.state), []):
            self._join(other, self.nodes[call.number])
        return True

    def _join(self, call: Call, known: GeneratedNode) -> None:
        self._order += 1
        if self._ledger is not None:
            self._ledger.told(call.number, known.score, self._order)
        self._repeat(call, known.score)

    def _write(
        self, call: Call, text: str | None, score: float | None, answer: Answer, seconds: float, *, counts: bool
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
        """Give a call up."""
        if call.number not in self._open_calls:
            return
        if self._ledger is not None:
            self._ledger.failed(call.number, call.phase, message, cost, seconds)
        self._spend(call.generator if call.phase == "generate" else None, cost, None, seconds, failed=True)
        if call.phase == "evaluate":
            for other in self._judging.pop(self._known.key_of(call.state), []):
                self.postpone(other)
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
            self._add(call, state, score, cost)

    def _close_call(self, call: Call) -> None:
        mark_pending(call.parent, -1.0)
        self._open_calls.pop(call.number, None)
        if self._progress is not None:
            self._progress(self)

    def _add(self, call: Call, state: Any, score: float, cost: float) -> None:
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
        if self._is_final is not None and self._is_final(state):
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
