"""Searching with values from outside: batches of leaves for a network or a function, `ask` and `tell`, coroutines.

The compiled part is `core/pending.py`. Leaves that wait are marked there beside the tree, and every mark is taken back,
whatever happens to their evaluation.
"""

import asyncio
import contextlib
import inspect
import time
import weakref
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.common.raised import described
from playout.core import collect, endings, pending, receive
from playout.core import tree as core
from playout.core.pending import Batch
from playout.core.positions import key_of
from playout.errors import EvaluatorError, GameError, SettingsError
from playout.evaluators import Evaluator, aligned, valued
from playout.evaluators.answers import split
from playout.game import Position
from playout.settings import Network, Outside

from .limits import Limits
from .result import Result, result_of

if TYPE_CHECKING:
    from .search import Search

RAMP = 8  # a batch takes at most one leaf for each so many visits: a small tree has few that are worth it
MOST_LEAVES = 1 << 16  # that may wait at once
PATIENCE = 256  # simulations without a leaf that needs an answer, for each that was asked for


@dataclass(frozen=True)
class Leaf:
    """A position that waits for its value; hand it back with `search.tell(leaf, value, policy)`."""

    number: int  # counts all that were ever asked for
    position: Position
    actions: tuple[int, ...]  # the legal ones, in the order of a policy
    asked: float = field(compare=False)  # time.monotonic() when

    @cached_property
    def observation(self) -> Any:
        """What a network sees, if the game has `observe`."""
        return self.position.observe()

    @property
    def text(self) -> str:
        return self.position.text

    def __repr__(self) -> str:
        return f"<Leaf {self.number} of {self.position.game.title} '{self.text}'>"


class Batches:
    """The leaves of one search that are under evaluation."""

    def __init__(self, search: "Search", evaluator: Evaluator) -> None:
        self._search = weakref.ref(search)  # not a circle: a search that nobody has any more is gone with its tree
        self.evaluator = evaluator
        self._serial = 0
        self._asked: dict[int, tuple[int, Leaf]] = {}  # by number: the place it has, and the leaf
        self.in_conversation = False  # a `run_async` is under way

    @property
    def search(self) -> "Search":
        search = self._search()
        assert search is not None
        return search

    @cached_property
    def arrays(self) -> Batch:
        """Made at first use: a copy of a search that is only looked at needs none."""
        places = self.evaluator.setting.batch or 64
        game, work = self.search.game, self.search._work
        depth, players, actions = len(work.path_nodes), game.players, game.max_actions
        planes = int(np.prod(game.planes)) if self.evaluator.observes else 0
        size = 0 if game.keeps_objects else self.evaluator.setting.cache
        cache = 1 << (size - 1).bit_length() if size > 0 else 0
        return Batch(
            flights=np.zeros(len(self.search.tree.edges), np.int32),
            nodes=np.zeros((places, depth), np.int32),
            edges=np.zeros((places, depth), np.int32),
            rewards=np.zeros((places, depth * players)),
            depths=np.zeros(places, np.int32),
            players=np.zeros(places, np.int32),
            shadows=np.zeros(places, np.int32),
            used=np.zeros(places, np.uint8),
            fresh=np.zeros(places, np.int32),
            states=np.zeros((places, game.dtype.itemsize), np.uint8),
            keys=np.zeros(places, np.uint64),
            counts=np.zeros(places, np.int32),
            actions=np.zeros((places, actions), np.int32),
            indices=np.zeros((places, actions), np.int32),
            planes=np.zeros((places, planes), np.float32),
            known=np.zeros(places, np.uint8),
            known_weights=np.zeros((places, actions), np.float32),
            known_values=np.zeros((places, players)),
            cache_keys=np.zeros(cache, np.uint64),
            cache_weights=np.zeros((cache, actions), np.float32),
            cache_values=np.zeros((cache, players)),
            info=np.zeros(core.INFO, np.int64),
        )

    def fit(self, places: int = 0) -> None:
        """Let the arrays follow the tree and the depth of its paths, and have room for so many leaves."""
        old = self.arrays
        places, depth = max(places, len(old.used)), len(self.search._work.path_nodes)
        edges = len(self.search.tree.edges)
        if len(old.flights) >= edges and old.nodes.shape[1] >= depth and len(old.used) >= places:
            self._show_pending()
            return
        wanted = {
            "flights": (edges,),
            "nodes": (places, depth),
            "edges": (places, depth),
            "rewards": (places, depth * self.search.game.players),
        }
        for name in ("depths", "players", "shadows", "used", "fresh", "keys", "counts", "known"):
            wanted[name] = (places,)
        for name in ("states", "actions", "indices", "planes", "known_weights", "known_values"):
            wanted[name] = (places, getattr(old, name).shape[1])
        grown = {}
        for name, shape in wanted.items():
            array = getattr(old, name)
            if any(have < want for have, want in zip(array.shape, shape, strict=True)):
                larger = np.zeros(np.maximum(shape, array.shape), array.dtype)
                larger[tuple(slice(0, n) for n in array.shape)] = array
                grown[name] = larger
        self.arrays = old._replace(**grown)
        self._show_pending()

    def _show_pending(self) -> None:
        """Let walks and the policy see how many are under way, and through which edges."""
        self.search._work = self.search._work._replace(pending=self.arrays.flights, info=self.arrays.info)

    @property
    def nothing(self) -> tuple[Any, Any]:
        """The answer where none is needed."""
        return np.zeros((0, 1), np.float32), np.zeros((0, 1))

    @property
    def room(self) -> int:
        """For how many nodes there must be room in the tree: those that wait, one more, and chance's on the way."""
        return int(self.arrays.info[core.WAITING]) + 3

    # A network or a function answers at once.

    @cached_property
    def size(self) -> int:
        """How many leaves a batch has at most."""
        size = self.evaluator.batch_size()
        self.fit(size)
        return size

    def advance(
        self, simulations: int, node_limit: int, byte_limit: int, target: int, params: Any, forced: int = -1
    ) -> tuple[int, int]:
        """One batch, of at most so many simulations: what `loop.run` would return."""
        search = self.search
        if not self.evaluator.observes:
            self._say_that_nobody_answers()
        visits = int(search.tree.nodes[core.ROOT]["visits"])
        wanted = min(simulations, self.size, 1 + visits // RAMP) if forced < 0 else min(simulations, self.size)
        status, detail = self.collect(
            wanted,
            search.simulations + simulations,
            search.game.policy_size,
            forced,
            node_limit,
            byte_limit,
            target,
            params,
        )
        self.answer()
        return status, detail

    def answer(self) -> tuple[Any, Any]:
        """Evaluate the leaves that the last collecting found, and back them up; returns what was answered."""
        count = int(self.arrays.info[core.FRESH])
        if count == 0:
            return None, None
        slots = self.arrays.fresh[:count].copy()
        try:
            policy, values = self.nothing
            asked = np.flatnonzero(self.arrays.known[slots] == 0)
            if len(asked):
                # Between batches nothing waits: the slots are the first ones, in order.
                planes = self.arrays.planes[:count] if len(asked) == count else self.arrays.planes[slots[asked]]
                policy, values = self.evaluator(planes.reshape(len(asked), *self.search.game.planes))
            self.settle(slots, policy, values)
        except BaseException:
            self.take_back(slots[self.arrays.used[slots] > 0])
            raise
        return policy, values

    def answer_walk(self, depth: int, player: int) -> Any:
        """Evaluate the leaf that the walk in the search's `_work` has come to, and back it up; returns its value for
        each player. For those who take a simulation step by step."""
        if not self.evaluator.observes:
            self._say_that_nobody_answers()
        search, arrays = self.search, self.arrays
        kernel = (search._rules, search.params, search.tree, search._work)
        status, count = search.call(collect.find_answers, *kernel[:2], search._work, search.game.policy_size)
        if status == endings.BAD_INDEX:
            self._say_that_an_index_is_wrong(count)
        search._serve(status, count)
        arrays.info[core.FRESH], key = 0, np.uint64(0)
        if len(arrays.cache_keys):
            key = np.uint64(search.call(key_of, *kernel[:2], search._work.state, search._work.keyed))
            if pending.load_cached(search.params, search._work, arrays, key, count):
                arrays.info[core.CACHED] += 1
                returns = search._work.returns.copy()
                search._serve(search.call(receive.receive_leaf, *kernel, depth, player, count), 0)
                if depth == 0:
                    search._add_noise()
                return returns
        search.call(collect.put_leaf, *kernel, arrays, 0, depth, player, count, key)
        returns = np.zeros(search.game.players)
        _, values = self.answer()
        receive.turned(search.params, np.asarray(values, np.float64).reshape(1, -1), 0, player, returns)
        return returns

    def settle(self, slots: Any, policy: Any, values: Any) -> None:
        """Answers for leaves that wait, a row of `policy` and `values` for each."""
        search = self.search
        at_root = search.tree.nodes[core.ROOT]["visits"] == 0
        values = np.ascontiguousarray(values, np.float64)
        status, done = search.call(
            receive.receive,
            search._rules,
            search.params,
            search.tree,
            search._work,
            self.arrays,
            slots,
            np.ascontiguousarray(policy, np.float32),
            values.reshape(len(values), -1) if len(values) else self.nothing[1],
        )
        if done < len(slots):
            self.take_back(slots[done:])
        search._serve(status, 0)
        if at_root and search.tree.nodes[core.ROOT]["visits"] > 0:
            search._add_noise()

    def collect(
        self,
        wanted: int,
        stop_at: int,
        policy_size: int,
        forced: int = -1,
        node_limit: int = 2**62,
        byte_limit: int = 2**62,
        target: int = 2**62,
        params: Any = None,
    ) -> tuple[int, int]:
        self.fit()
        search = self.search
        status, detail = search.call(
            collect.collect,
            search._rules,
            search.params if params is None else params,
            search.tree,
            search._work,
            self.arrays,
            wanted,
            min(stop_at, target),
            policy_size,
            forced,
            node_limit,
            byte_limit,
            target,
        )
        if status == endings.BAD_INDEX:
            self.take_back(self.waiting())
            self._say_that_an_index_is_wrong(detail)
        return int(status), int(detail)

    def _say_that_an_index_is_wrong(self, index: int) -> None:
        game = self.search.game
        raise GameError(
            f"{game.title}: an action has the index {index} in the policy, expected 0 to policy_size - 1 = "
            f"{game.policy_size - 1}; define `action_index(state, action)`, or raise policy_size"
        )

    def compile(self) -> None:
        """Let the kernel be compiled, or read from disk, before a clock starts."""
        self.collect(0, 0, 0)

    def waiting(self) -> Any:
        return np.flatnonzero(self.arrays.used).astype(np.int32)

    def take_back(self, slots: Any) -> None:
        if len(slots):
            receive.take_back(self.search.params, self.search.tree, self.arrays, np.asarray(slots, np.int32))

    def take_back_all(self) -> None:
        self.take_back(self.waiting())
        self._asked.clear()

    def _say_that_nobody_answers(self) -> None:
        name = self.evaluator.name
        if self.evaluator.is_coroutine:
            raise SettingsError(f"run: {name} is a coroutine; use `await search.run_async(...)`")
        if name:
            raise SettingsError(
                f"run: the evaluator was the function {name}, which a file can't hold; give it again, as in "
                f"Search.load(path, evaluator={name.rpartition(':')[2]})"
            )
        raise SettingsError(
            "run: the evaluator is Outside() without a function, so that nobody answers; use `ask` and `tell`, "
            "`await search.run_async(...)`, or give it a function"
        )

    # Ask and tell.

    def ask(self, count: int, stop_at: int | None = None) -> list[Leaf]:
        """Collect leaves; walks that need no answer are backed up on the way, up to so many simulations in all."""
        if not isinstance(count, int | np.integer) or isinstance(count, bool) or not 0 < count <= MOST_LEAVES:
            raise SettingsError(f"ask for {count!r} leaves, expected a number from 1 to {MOST_LEAVES}")
        search, leaves = self.search, list[Leaf]()
        if stop_at is None:
            stop_at = search.simulations + len(self._asked) + PATIENCE * count
        with search.game.using_random(search._random):
            while len(leaves) < count:
                status, detail = self.collect(count - len(leaves), stop_at, 0)
                found = self.arrays.fresh[: int(self.arrays.info[core.FRESH])].copy()
                known, fresh = found[self.arrays.known[found] > 0], found[self.arrays.known[found] == 0].tolist()
                if len(known):
                    self.settle(known, *self.nothing)
                leaves += [self._leaf(slot) for slot in fresh]
                if status == endings.NO_SLOT:
                    if len(self.arrays.used) >= MOST_LEAVES:
                        break
                    self.fit(min(MOST_LEAVES, 2 * len(self.arrays.used)))
                elif status in (endings.GROW, endings.DEEPER):
                    search._serve(status, detail)
                elif status != endings.DONE or not len(found):
                    if status not in (endings.DONE, endings.SOLVED, endings.FULL, endings.DECIDED):
                        self.take_back_leaves(leaves)
                        search._serve(status, detail)
                    break
        return leaves

    def _leaf(self, slot: int) -> Leaf:
        arrays = self.arrays
        self._serial += 1
        count = int(arrays.counts[slot])
        leaf = Leaf(
            self._serial,
            Position(self.search.game, arrays.states[slot].copy()),
            tuple(arrays.actions[slot, :count].tolist()),
            time.monotonic(),
        )
        self._asked[leaf.number] = slot, leaf
        return leaf

    def tell(self, leaf: Leaf, value: Any, policy: Any) -> None:
        """The value of a leaf, for the player who moves there or for each player, and weights of its actions."""
        slot = self._slot(leaf, "tell")
        name = f"tell {leaf!r}"
        weights = aligned(policy, leaf.actions, name)
        values = valued(value, self.search.game, name)
        before = self.search.simulations
        self.settle(np.array([slot], np.int32), weights, values)
        del self._asked[leaf.number]
        self.search._note_run(self.search.simulations - before)

    def take_back_leaves(self, leaves: Collection[Leaf]) -> int:
        """Give leaves up; how many. One that is named twice counts once."""
        slots = {self._slot(leaf, "take_back"): leaf for leaf in leaves}
        self.take_back(np.array(list(slots), np.int32))
        for leaf in slots.values():
            del self._asked[leaf.number]
        return len(slots)

    def asked_before(self, moment: float) -> list[Leaf]:
        return [leaf for _, leaf in self._asked.values() if leaf.asked <= moment]

    @property
    def asked(self) -> list[Leaf]:
        return [leaf for _, leaf in self._asked.values()]

    def _slot(self, leaf: Leaf, what: str) -> int:
        if not isinstance(leaf, Leaf):
            raise SettingsError(f"{what} got {leaf!r}, expected a leaf that `ask` returned")
        slot, known = self._asked.get(leaf.number, (0, None))
        if known is not leaf:
            raise SettingsError(
                f"{what}: {leaf!r} does not wait for an answer: it was answered, taken back, or the search has moved on"
            )
        return slot


async def run_async(
    search: "Search",
    evaluate: Callable[..., Any] | None,
    limits: dict[str, Any],
    at_once: int,
    timeout: float | None,
    failures: int,
) -> "Result":
    """Keep so many leaves under evaluation by a coroutine until a limit is reached, and return what was found."""
    setting = search.settings.evaluator
    if evaluate is None:
        if not isinstance(setting, Network | Outside) or search.batches.evaluator.observes:
            return await _in_a_thread(search, limits)
        if not search.batches.evaluator.is_coroutine:
            search.batches._say_that_nobody_answers()
        evaluate = search.batches.evaluator.function
        timeout = timeout if timeout is not None else search.batches.evaluator.timeout
    if not callable(evaluate):
        raise SettingsError(f"run_async: the evaluator is {evaluate!r}, expected a coroutine function of a leaf")
    return await _Conversation(search, evaluate, limits, at_once, timeout, failures).run()


async def _in_a_thread(search: "Search", limits: dict[str, Any]) -> "Result":
    """A plain run beside the event loop; cancelling it stops the run."""
    task = asyncio.ensure_future(asyncio.to_thread(search.run, **limits))
    try:
        return await asyncio.shield(task)
    except asyncio.CancelledError:
        search.stop()
        with contextlib.suppress(Exception):
            await task
        raise


class _Conversation:
    """One `run_async`: leaves out, answers in, in whatever order they come."""

    def __init__(
        self,
        search: "Search",
        evaluate: Any,
        limits: dict[str, Any],
        at_once: int,
        timeout: float | None,
        failures: int,
    ) -> None:
        self.search, self.evaluate, self.timeout = search, evaluate, timeout
        self.limits, self.failures_left = Limits(**limits), failures
        if not isinstance(at_once, int) or isinstance(at_once, bool) or not 1 <= at_once <= MOST_LEAVES:
            raise SettingsError(f"run_async: at_once is {at_once!r}, expected a number from 1 to {MOST_LEAVES}")
        if timeout is not None and not (isinstance(timeout, int | float) and timeout > 0):
            raise SettingsError(f"run_async: timeout is {timeout!r}, expected seconds above 0")
        if not isinstance(failures, int) or isinstance(failures, bool) or failures < 0:
            raise SettingsError(f"run_async: failures is {failures!r}, expected a whole number of at least 0")
        self.at_once, self.tasks = at_once, dict[Any, Leaf]()

    async def run(self) -> "Result":
        batches = self.search.batches
        if batches.in_conversation:
            raise SettingsError("run_async: this search is in another run_async; wait for its end, or stop() it")
        batches.in_conversation = True
        try:
            return await self._run()
        finally:
            batches.in_conversation = False

    async def _run(self) -> "Result":
        search = self.search
        search._stop.clear()
        began, before = time.perf_counter(), search.tree.counters.copy()
        start = int(before[core.SIMULATIONS])
        try:
            while True:
                reason = self._reason(began, start)
                if reason is None:
                    done = search.simulations
                    self._send(start)
                    if not self.tasks:
                        if search.simulations > done:
                            await asyncio.sleep(0)  # all that was left to do needed no answer
                            continue
                        if others := len(search.batches.asked):
                            raise SettingsError(
                                f"run_async: nothing can be searched before the leaves that `ask` gave out are "
                                f"answered ({others}); `tell` or `take_back` them first"
                            )
                        proven = search.tree.nodes[core.ROOT]["proof"] > core.NO_PROOF and search.params.solver
                        reason = "proven" if proven else "full"
                if reason is not None:
                    break
                await self._receive(began)
        finally:
            await self._take_back()
        return result_of(search, time.perf_counter() - began, before, reason)

    def _reason(self, began: float, start: int) -> str | None:
        limits, search = self.limits, self.search
        if limits.simulations is not None and search.simulations - start >= limits.simulations:
            return "simulations"
        if limits.seconds is not None and time.perf_counter() - began >= limits.seconds:
            return "seconds"
        if limits.nodes is not None and int(search.tree.counters[core.POSITIONS]) >= limits.nodes:
            return "nodes"
        if limits.bytes is not None and core.used_bytes(search.tree) >= limits.bytes:
            return "bytes"
        return "stop" if search._stop.is_set() else None

    def _send(self, start: int) -> None:
        free, stop_at = self.at_once - len(self.tasks), None
        if self.limits.simulations is not None:
            stop_at = start + self.limits.simulations
            free = min(free, stop_at - self.search.simulations - len(self.tasks))
        if free > 0:
            with self.search._busy("run_async"):
                self.search._check_root(None)
                leaves = self.search.batches.ask(free, stop_at)
            for leaf in leaves:
                self.tasks[asyncio.ensure_future(self._evaluated(leaf))] = leaf

    async def _evaluated(self, leaf: Leaf) -> Any:
        answer = self.evaluate(leaf)
        if not inspect.isawaitable(answer):
            raise EvaluatorError(f"the evaluator of {leaf!r} returned {answer!r}, expected a coroutine to await")
        return await asyncio.wait_for(answer, self.timeout)

    async def _receive(self, began: float) -> None:
        left = None
        if self.limits.seconds is not None:
            left = max(0.0, self.limits.seconds - (time.perf_counter() - began))
        done, _ = await asyncio.wait(self.tasks, timeout=left, return_when=asyncio.FIRST_COMPLETED)
        for task in sorted(done, key=lambda task: self.tasks[task].number):
            leaf = self.tasks.pop(task)
            try:
                policy, value = split(task.result(), f"the evaluator of {leaf!r}")
                self.search.tell(leaf, value, policy)
            except Exception as error:  # whatever a user's coroutine raises; the leaf is taken back
                self.search.take_back([leaf])
                self.failures_left -= 1
                if self.failures_left < 0:
                    if isinstance(error, EvaluatorError):
                        raise
                    what = f"raised {described(error)}"
                    if isinstance(error, TimeoutError) and self.timeout is not None:
                        what = f"gave no answer within {self.timeout:g} s"
                    raise EvaluatorError(f"the evaluator {what} for {leaf!r}") from error

    async def _take_back(self) -> None:
        for task in self.tasks:
            task.cancel()
        if self.tasks:
            await asyncio.gather(*self.tasks, return_exceptions=True)
            self.search.take_back(list(self.tasks.values()))
