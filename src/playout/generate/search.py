"""`GeneratedSearch`: a search over states that functions make from a parent."""

import asyncio
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from playout.common.arguments import checks_calls, path_from, seed_from, whole_from
from playout.common.version import __version__
from playout.errors import BusyError, FileError, GeneratorError, SettingsError

from . import answers
from .answers import LARGEST, Checked, answer_from
from .books import JUDGE, Books
from .calls import Call, CallRun, Pace, is_coroutine, run_here, run_loop
from .checks import generators_from, prices_from, range_from
from .ledger import Ledger
from .limits import CallLimits, estimate
from .policies import Budget, GeneratingNode, Scale, policy_from
from .policies.base import scaled
from .result import CallEstimate, GeneratedResult
from .resume import restore
from .tree import CLOSED, GENERATE, GeneratedNode, mark_pending

EXHAUSTED = 8


@checks_calls
class GeneratedSearch(Books):
    """A search over states that `generators` make: one function or coroutine of a parent state that returns
    (state, score), an `Answer`, or None when it has nothing more to propose; or several of them by name.

    root: the state that the first ones are made from.
    policy: when to generate and where to go deeper; see docs/generate.md.
    scores: the range of scores, or None for any finite number.
    evaluate: scores states that come without a score.
    is_final: tells whether nothing should be generated from a state.
    key: what a state is recognised by; by default the state itself.
    pace: calls at once, time-outs, retries, rate.
    prices: what a call is expected to cost, by generator, until answers tell.
    ledger: the file that every answer is written to before it counts; a search goes on from one that exists.
    encode, decode: a state as a text for the ledger, and back; by default JSON, with tuples.
    exhausted: states proposed in a row that were known already, after which a node is asked no more.
    largest: characters of a state, at most.
    """

    def __init__(
        self,
        generators: Callable[..., Any] | Mapping[str, Callable[..., Any]],
        root: Any = None,
        *,
        policy: Any = "abmcts",
        scores: tuple[float, float] | None = (0.0, 1.0),
        evaluate: Callable[..., Any] | None = None,
        is_final: Callable[[Any], bool] | None = None,
        key: Callable[[Any], Any] | None = None,
        pace: Pace | None = None,
        prices: Mapping[str, float] | None = None,
        ledger: Any = None,
        encode: Callable[[Any], str] | None = None,
        decode: Callable[[str], Any] | None = None,
        seed: int | None = None,
        exhausted: int = EXHAUSTED,
        largest: int = LARGEST,
    ) -> None:
        self.generators = generators_from(generators)
        self._setup(root, policy, scores, evaluate, is_final, key, pace, prices, encode, decode)
        self._exhausted = whole_from(exhausted, "exhausted")
        self._largest = whole_from(largest, "largest")
        self.seed = seed_from(seed)
        self._uid = secrets.token_hex(8)
        self._ledger: Ledger | None = None
        if ledger is not None:
            self._open(path_from(ledger, "GeneratedSearch(ledger=…)"), seed)
        self._random = np.random.Philox(key=self.seed)
        self._rng, self._start = np.random.Generator(self._random), self._random.state

    def _setup(
        self,
        root: Any,
        policy: Any,
        scores: Any,
        evaluate: Any,
        is_final: Any,
        key: Any,
        pace: Any,
        prices: Any,
        encode: Any,
        decode: Any,
    ) -> None:
        self.policy = policy_from(policy)
        self.scores = range_from(scores)
        self.pace = Pace() if pace is None else pace
        if not isinstance(self.pace, Pace):
            raise SettingsError(f"pace is {pace!r:.80}, expected po.Pace(…)")
        self.pace.check()
        named = {"evaluate": evaluate, "is_final": is_final, "key": key, "encode": encode, "decode": decode}
        for name, function in named.items():
            if function is not None and not callable(function):
                raise SettingsError(f"{name} is {function!r:.80}, expected a function")
        if (encode is None) != (decode is None):
            raise SettingsError("encode and decode belong together: pass both, or none of them")
        if evaluate is not None and JUDGE in self.generators:
            raise SettingsError(f"a generator is named '{JUDGE}', which is the name of evaluate=; give it another name")
        self._evaluate, self._is_final = evaluate, is_final
        self._encode, self._decode = encode or answers.encode, decode or answers.decode
        self.prices = prices_from(prices, [*self.generators, JUDGE])
        self._begin_books(root, key)
        self._busy = threading.Lock()  # held by a run, and by each ask and tell
        self._turn = threading.Lock()  # between calls of ask and tell from several threads
        self._stop = False

    def _open(self, path: Path, seed: int | None) -> None:
        """Open the ledger, and go on from what it has."""
        try:
            root = answers.text_of(self.root.state, self._encode, self._largest, "root")
        except GeneratorError as error:
            raise SettingsError(str(error).replace("root answered with a state that", "root")) from None
        facts = {
            "uid": self._uid,
            "seed": self.seed,
            "root": root,
            "scores": None if self.scores is None else list(self.scores),
            "policy": repr(self.policy),
            "generators": list(self.generators),
            "playout": __version__,
        }
        self._ledger = Ledger(path, facts)
        try:
            self._resume(self._ledger, seed)
        except BaseException:
            self._ledger.close()
            raise

    def _resume(self, ledger: Ledger, seed: int | None) -> None:
        facts = ledger.facts
        if seed is not None and facts["seed"] != self.seed:
            raise FileError(f"{ledger.path}: this ledger is of a search with seed {facts['seed']}, not {self.seed}")
        self._uid, self.seed = facts["uid"], facts["seed"]
        restore(self, ledger.rows())
        for call in self._waiting.values():
            if self.generators and call.phase == "generate" and call.generator not in self.generators:
                raise FileError(
                    f"{ledger.path}: call {call.number} of generator '{call.generator}' has no answer yet, and there "
                    f"is no such generator; there are: {', '.join(self.generators)}"
                )
            if self.generators and call.phase == "evaluate" and self._evaluate is None:
                raise FileError(f"{ledger.path}: the state of call {call.number} has no score yet; pass evaluate=")

    @classmethod
    def read(cls, ledger: Any, *, decode: Callable[[str], Any] | None = None) -> "GeneratedSearch":
        """The search of a ledger as it stands, to look at; another process may be writing to it.

        Without `decode`, a state that was written by an `encode` of the user's is its text.
        """
        search = cls.__new__(cls)
        search.generators = {}
        found = Ledger(path_from(ledger, "GeneratedSearch.read"), {}, reading=True)
        try:
            facts = found.facts
            scores = facts["scores"] and tuple(facts["scores"])
            reader = decode or _text_at_least
            search._setup(reader(facts["root"]), "abmcts", scores, None, None, None, None, None, str, reader)
            search._exhausted, search._largest, search._ledger = EXHAUSTED, LARGEST, None
            search._uid, search.seed = facts["uid"], facts["seed"]
            restore(search, found.rows())
        finally:
            found.close()
        return search

    # Running.

    def run(
        self,
        calls: int | None = None,
        *,
        cost: float | None = None,
        seconds: float | None = None,
        target: float | None = None,
        progress: Callable[["GeneratedSearch"], None] | None = None,
    ) -> GeneratedResult:
        """Search until the first limit: calls and cost of the whole search, what the ledger has included; seconds of
        this run; or a score of at least `target`. `progress` is called after each answer."""
        here = self.pace.at_once == 1 and self.pace.timeout is None
        here = here and not any(map(is_coroutine, (*self.generators.values(), self._evaluate)))
        if here:
            limits = CallLimits(calls, cost, seconds, target)
            return self._run(limits, progress, run_here)
        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return asyncio.run(self.run_async(calls, cost=cost, seconds=seconds, target=target, progress=progress))
        return self._in_thread(calls, cost, seconds, target, progress)  # a notebook has a loop of its own

    def _in_thread(self, calls: Any, cost: Any, seconds: Any, target: Any, progress: Any) -> GeneratedResult:
        found: list[Any] = []

        def work() -> None:
            try:
                run = self.run_async(calls, cost=cost, seconds=seconds, target=target, progress=progress)
                found.append(asyncio.run(run))
            except BaseException as error:  # noqa: BLE001  # raised again below
                found.append(error)

        thread = threading.Thread(target=work, name="playout-generate", daemon=True)
        thread.start()
        try:
            thread.join()
        except BaseException:
            self.stop()
            thread.join()
            raise
        if isinstance(found[0], BaseException):
            raise found[0]
        result: GeneratedResult = found[0]
        return result

    async def run_async(
        self,
        calls: int | None = None,
        *,
        cost: float | None = None,
        seconds: float | None = None,
        target: float | None = None,
        progress: Callable[["GeneratedSearch"], None] | None = None,
    ) -> GeneratedResult:
        """The same as `run`, in the caller's event loop."""
        limits = CallLimits(calls, cost, seconds, target)
        run, next_call, began = self._begin(limits, progress)
        try:
            await run_loop(run, next_call)
        finally:
            self._busy.release()
        return self._result(run, limits, began)

    def _run(self, limits: CallLimits, progress: Any, drive: Callable[..., None]) -> GeneratedResult:
        run, next_call, began = self._begin(limits, progress)
        try:
            drive(run, next_call)
        finally:
            self._busy.release()
        return self._result(run, limits, began)

    def _begin(self, limits: CallLimits, progress: Any) -> tuple[CallRun, Callable[[], Call | None], float]:
        if not self.generators:
            raise SettingsError("this search was opened to be read; make it with its generators to go on with it")
        if progress is not None and not callable(progress):
            raise SettingsError(f"progress is {progress!r:.80}, expected a function of the search")
        budget = limits.budget(self)
        if self.policy.needs_calls and budget.total is None:
            raise SettingsError(
                f"{type(self.policy).__name__} plans for a number of calls: run(calls=…), or run(cost=…) with prices="
            )
        with self._turn:
            self._hold()
        began = time.monotonic()
        self._stop = False
        run = CallRun(self, None if limits.seconds is None else began + limits.seconds, progress)

        def next_call() -> Call | None:
            limits.stopped = self._why_stop(limits, run)
            if limits.stopped:
                return None
            call = self._next(limits.budget(self))
            if call is None:
                limits.stopped = "" if self._open_calls else "exhausted"
            elif not limits.affords(self, call):
                self.withdraw(call)
                call, limits.stopped = None, "cost"
            return call

        return run, next_call, began

    def _hold(self) -> None:
        if not self._busy.acquire(blocking=False):
            raise BusyError("this search is running already; wait for it, or make another one")

    @contextmanager
    def _in_turn(self) -> Iterator[None]:
        with self._turn:
            self._hold()
            try:
                yield
            finally:
                self._busy.release()

    def _why_stop(self, limits: CallLimits, run: CallRun) -> str:
        if self._stop:
            return "stop"
        if run.out_of_time or run.too_late():
            return "seconds"
        if limits.target is not None and self.best is not None and (self.best.score or 0.0) >= limits.target:
            return "target"
        if self._waiting:
            return ""
        if limits.calls is not None and self.calls >= limits.calls:
            return "calls"
        return "cost" if limits.cost is not None and self.cost >= limits.cost else ""

    def _result(self, run: CallRun, limits: CallLimits, began: float) -> GeneratedResult:
        stopped = limits.stopped or self._why_stop(limits, run) or "exhausted"
        return self._report(time.monotonic() - began, stopped)

    def _report(self, seconds: float, stopped: str) -> GeneratedResult:
        stats = {**self.stats, **({JUDGE: self.judge} if self.judge.calls else {})}
        stats = {name: replace(one, scores=copy(one.scores)) for name, one in stats.items()}  # a result stays as it is
        return GeneratedResult(
            self.best, self.calls, self.cost, seconds, stopped, len(self.nodes) - 1, stats, list(self.history)
        )

    def result(self) -> GeneratedResult:
        """What is found so far."""
        return self._report(0.0, "")

    def stop(self) -> None:
        """End the run that is under way, from another thread, after the calls in flight."""
        self._stop = True

    def estimate(self, calls: int | None = None, *, cost: float | None = None) -> CallEstimate:
        """A dry run: how many calls a run with these limits would make, and at what cost, by prices and the ledger."""
        return estimate(self, CallLimits(calls, cost, None, None))

    def close(self) -> None:
        """Close the ledger."""
        if self._ledger is not None:
            self._ledger.close()

    def __enter__(self) -> "GeneratedSearch":
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    # Choosing the next call.

    def ask(self, calls: int | None = None) -> Call:
        """The next call, for callers that make it themselves: `call.generator`, `call.parent.state`.

        `calls` is how many there will be in all, for policies that plan.
        """
        total = None if calls is None else whole_from(calls, "calls")
        if self.policy.needs_calls and total is None:
            raise SettingsError(f"{type(self.policy).__name__} plans for a number of calls: ask(calls=…)")
        with self._in_turn():
            call = self._next(Budget(self.calls, total))
            if call is None:
                raise GeneratorError("nothing more can be generated: every node is closed")
            try:
                self.begin(call)
            except BaseException:
                self.postpone(call)
                raise
        return call

    def tell(self, call: Call, answer: Any, seconds: float = 0.0) -> GeneratedNode | None:
        """Answer a call from `ask`, as a generator would: (state, score), an `Answer` or None; returns the new node. An
        answer to a call that has one already changes nothing."""
        if not isinstance(call, Call):
            raise SettingsError(f"tell got {call!r:.80}, expected a call from ask()")
        with self._in_turn():
            if self.is_open(call) and call.phase == "generate":
                self._need_score(answer_from(answer, self._who(call), 0.0), call)
            self.receive(call, answer, seconds)
            return self.nodes.get(call.number)

    def _need_score(self, answer: Checked, call: Call) -> None:
        if answer.state is not None and answer.score is None and self._known.find(answer.state) is None:
            raise GeneratorError(f"{self._who(call)} gave no score; tell(call, (state, score))")

    def _next(self, budget: Budget) -> Call | None:
        """The next call to make; None: there is none now."""
        if self._waiting:
            return self._waiting.pop(min(self._waiting))
        if self.root.closed:
            return None
        number = self.calls + 1
        self._start["state"]["counter"][2] = (
            number  # each call has random numbers of its own: resumed runs draw the same
        )
        self._random.state = self._start
        scale = self.scale
        node = self.root
        while node.children:
            place = self._choose(node, scale, budget)
            if place == GENERATE:
                break
            node = node.children[place - 1]
        names = [name for name in self.generators if name not in node.silent]
        name = names[self.policy.pick([scaled(self.stats[n].scores, scale) for n in names], self._rng)]
        call = self.new_call(number, name, node)
        self.calls = number
        self._open_calls[number] = call
        mark_pending(node, 1.0)
        return call

    def _choose(self, node: GeneratedNode, scale: Scale, budget: Budget) -> int:
        weights = np.asarray(self.policy.weigh(GeneratingNode(node, scale, budget, self.seed), self._rng), np.float64)
        place = int(weights.argmax()) if weights.shape == (node.used,) else -1
        if place < 0 or weights[place] != weights[place]:  # the greatest is NaN if any is
            raise SettingsError(
                f"{type(self.policy).__name__}.weigh returned {weights!r:.80}, expected {node.used} numbers: one for "
                f"po.GENERATE and one for each child"
            )
        if not node.edges[place, CLOSED]:
            return place
        closed = node.edges[: node.used, CLOSED] > 0
        place = int(np.where(closed, -np.inf, weights).argmax())
        return place if not closed[place] else int(closed.argmin())

    def withdraw(self, call: Call) -> None:
        """Take back a call that was never made."""
        if call.attempted or call.number != self.calls:  # only the last number can be given out again
            self.postpone(call)
            return
        mark_pending(call.parent, -1.0)
        del self._open_calls[call.number]
        self.calls -= 1


def _text_at_least(text: str) -> Any:
    try:
        return answers.decode(text)
    except ValueError:
        return text
