"""Pending leaves: those of one search that wait for a network or a function, in batches.

The compiled part is `core/pending.py`. Leaves that wait are marked there beside the tree, and every mark is taken back,
whatever happens to their evaluation.
"""

import weakref
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.core import collect, endings, halving, pending, receive
from playout.core import tree as core
from playout.core.params import Params
from playout.core.pending import Batch
from playout.core.positions import key_of
from playout.errors import GameError, SettingsError
from playout.evaluators import NO_ANSWERS, Evaluator, LeafAnswers

if TYPE_CHECKING:
    from .runner import Runner

RAMP = 8  # a batch takes at most one leaf for each RAMP visits of the root
NO_LIMIT = 2**62


class Batches:
    """The leaves of one search that wait for their values, each in a slot of the arrays."""

    handed_over = False  # batches are evaluated in the thread of the search

    def __init__(self, runner: "Runner", evaluator: Evaluator) -> None:
        self._runner = weakref.ref(runner)  # no reference cycle: a search that is dropped frees its tree at once
        self.evaluator = evaluator

    @property
    def runner(self) -> "Runner":
        runner = self._runner()
        assert runner is not None
        return runner

    @cached_property
    def arrays(self) -> Batch:
        """The slots. Made at first use: a copy of a search that is only looked at needs none."""
        places = self.evaluator.setting.batch or 64
        game, work = self.runner.game, self.runner.work
        depth, players, actions = len(work.path_nodes), game.players, game.max_actions
        planes = int(np.prod(game.planes)) if self.evaluator.observes else 0
        size = 0 if game.keeps_objects else self.evaluator.setting.cache
        cache = 1 << (size - 1).bit_length() if size > 0 else 0
        return Batch(
            flights=np.zeros(len(self.runner.tree.edges), np.int32),
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
        """Grow the arrays to fit the tree, the depth of its paths, and `places` leaves."""
        runner, old = self.runner, self.arrays
        places, depth = max(places, len(old.used)), len(runner.work.path_nodes)
        edges = len(runner.tree.edges)
        if len(old.flights) >= edges and old.nodes.shape[1] >= depth and len(old.used) >= places:
            self._show_pending()
            return
        wanted = {
            "flights": (edges,),
            "nodes": (places, depth),
            "edges": (places, depth),
            "rewards": (places, depth * runner.game.players),
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
        """Show the kernels how many walks are under way, and through which edges."""
        self.runner.work = self.runner.work._replace(pending=self.arrays.flights, info=self.arrays.info)

    @property
    def waiting(self) -> int:
        """How many leaves wait."""
        return int(self.arrays.info[core.WAITING])

    @property
    def room(self) -> int:
        """How many node records the tree needs room for: the leaves that wait, one more, and chance nodes above it."""
        return self.waiting + 3

    # Evaluating at once.

    @cached_property
    def size(self) -> int:
        """The most leaves in a batch."""
        size = self.evaluator.batch_size(self.handed_over)
        self.fit(size)
        return size

    def advance(
        self, simulations: int, node_limit: int, byte_limit: int, target: int, params: Params
    ) -> tuple[int, int]:
        """Run one batch of at most `simulations`; returns what `simulate.run` would."""
        runner = self.runner
        self.check_evaluator()
        status, detail = self.collect(
            min(simulations, self.size, self.good_at_once()),
            runner.simulations + simulations,
            runner.game.policy_size,
            node_limit=node_limit,
            byte_limit=byte_limit,
            target=target,
            params=params,
        )
        self.answer()
        return status, detail

    def drain(self) -> None:
        """Wait for what is under evaluation: here nothing is between two calls of `advance`."""

    def good_at_once(self) -> int:
        """How many leaves a batch may take: a small tree has few good ones. Where the root halves, there is one for
        each candidate that is to be visited next."""
        tree = self.runner.tree
        found = 1 + int(tree.nodes[core.ROOT]["visits"]) // RAMP
        return max(found, int(halving.left_in_pass(tree, self.runner.work))) if len(tree.plan) else found

    def answer(self) -> LeafAnswers:
        """Evaluate the leaves that the last `collect` found and back them up; returns the answers."""
        slots = self.found()
        if not len(slots):
            return NO_ANSWERS
        try:
            answers, asked = NO_ANSWERS, slots[self.arrays.known[slots] == 0]
            if len(asked):
                # Between batches nothing waits: the slots are the first ones, in order.
                planes = self.arrays.planes[: len(slots)] if len(asked) == len(slots) else self.arrays.planes[asked]
                answers = self.evaluator(planes.reshape(len(asked), *self.runner.game.planes))
            self.settle(slots, answers)
        except BaseException:
            self.take_back(slots[self.arrays.used[slots] > 0])
            raise
        return answers

    def answer_walk(self, depth: int, player: int) -> Any:
        """Evaluate the leaf of the path in `runner.work` and back it up; returns its value for each player.

        For a step, which takes the phases of a simulation one by one.
        """
        self.check_evaluator()
        runner, arrays = self.runner, self.arrays
        kernel, work = runner.kernel_arguments, runner.work
        status, count = runner.call(collect.find_answers, *kernel[:2], work, runner.game.policy_size)
        if status == endings.BAD_INDEX:
            raise GameError(self._wrong_index(count))
        runner.serve(status, count)
        arrays.info[core.FRESH], key = 0, np.uint64(0)
        if len(arrays.cache_keys):
            key = np.uint64(runner.call(key_of, *kernel[:2], work.state, work.keyed))
            if pending.load_cached(runner.params, work, arrays, key, count):
                arrays.info[core.CACHED] += 1
                returns = work.returns.copy()
                runner.serve(runner.call(receive.receive_leaf, *kernel, depth, player, count), 0)
                if depth == 0:
                    runner.shape_priors()
                return returns
        runner.call(collect.put_leaf, *kernel, arrays, 0, depth, player, count, key)
        returns = np.zeros(runner.game.players)
        receive.turned(runner.params, self.answer().values, 0, player, returns)
        return returns

    # Slots.

    def collect(
        self,
        wanted: int,
        stop_at: int,
        policy_size: int,
        node_limit: int = NO_LIMIT,
        byte_limit: int = NO_LIMIT,
        target: int = NO_LIMIT,
        params: Params | None = None,
    ) -> tuple[int, int]:
        """Walk until `wanted` more leaves wait, or `stop_at` simulations are done or under way: (status, detail).

        `policy_size` is that of the answers to come; 0: a weight for each legal action. `found` then tells the slots.
        """
        self.fit()
        runner = self.runner
        status, detail = runner.call(
            collect.collect,
            runner.rules,
            runner.params if params is None else params,
            runner.tree,
            runner.work,
            self.arrays,
            wanted,
            min(stop_at, target),
            policy_size,
            node_limit,
            byte_limit,
            target,
        )
        if status == endings.BAD_INDEX:
            self.take_back_all()
            raise GameError(self._wrong_index(detail))
        return int(status), int(detail)

    def found(self) -> Any:
        """The slots that the last `collect` filled, int32[n]."""
        return self.arrays.fresh[: int(self.arrays.info[core.FRESH])].copy()

    def settle(self, slots: Any, answers: LeafAnswers) -> None:
        """Back up the leaves in `slots`; a row of `answers` for each that the cache does not know."""
        runner = self.runner
        at_root = runner.tree.nodes[core.ROOT]["visits"] == 0
        status, done = runner.call(receive.receive, *runner.kernel_arguments, self.arrays, slots, *answers)
        if done < len(slots):
            self.take_back(slots[done:])
        runner.serve(status, 0)
        if at_root and runner.tree.nodes[core.ROOT]["visits"] > 0:
            runner.shape_priors()

    def take_back(self, slots: Any) -> None:
        """Discard the leaves in `slots`, with their marks in the tree."""
        if len(slots):
            receive.take_back(self.runner.params, self.runner.tree, self.arrays, np.asarray(slots, np.int32))

    def take_back_all(self) -> None:
        """Discard all leaves that wait."""
        self.take_back(np.flatnonzero(self.arrays.used))

    def compile(self) -> None:
        """Compile the kernel, or read it from disk, before a clock starts."""
        self.collect(0, 0, 0)

    # Messages.

    def _wrong_index(self, index: int) -> str:
        game = self.runner.game
        return (
            f"{game.title}: an action has the index {index} in the policy, expected 0 to policy_size - 1 = "
            f"{game.policy_size - 1}; define `action_index(state, action)`, or raise policy_size"
        )

    def check_evaluator(self) -> None:
        """Refuse to run where the evaluator is a coroutine, or missing."""
        if self.evaluator.observes:
            return
        name = self.evaluator.name
        if self.evaluator.is_coroutine:
            raise SettingsError(f"run: {name} is a coroutine; use `await search.run_async(...)`")
        if name:
            raise SettingsError(
                f"run: the evaluator was the function {name}, which a file can't hold; give it again, as in "
                f"Search.load(path, evaluator={name.rpartition(':')[2]})"
            )
        raise SettingsError(
            "run: the evaluator is Outside() without a function, which evaluates nothing; use `ask` and `tell`, "
            "`await search.run_async(...)`, or give it a function"
        )
