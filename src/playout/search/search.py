"""`Search`: a game, settings, a tree, and the loop around the compiled kernel. Front ends only ever talk to this."""

import contextlib
import copy
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from playout import games  # the first says that a search is being compiled
from playout.common.arguments import checks_calls, path_from, seed_from, takes, whole, whole_from
from playout.core import answer as core_answer
from playout.core import copying, endings
from playout.core import evaluate as core_evaluate
from playout.core import expand as core_expand
from playout.core import graph as core_graph
from playout.core import simulate as loop
from playout.core import tree as core
from playout.core.compile_errors import RuleCompileError
from playout.core.copying import copied
from playout.core.params import GRAPH, MIXED, OPEN, OUTSIDE, STATIC, TREE
from playout.core.parts import back_up_entry, choose_entry
from playout.core.rng import random_bits
from playout.core.rules import BACK_UP, CHOOSE, with_entry
from playout.core.tree import Tree, Work
from playout.errors import BusyError, FileError, GameError, PositionError, SettingsError
from playout.game import CHANCE, Game, Position
from playout.game.faults import Hang, rules_may_raise, wrong_player, wrong_value
from playout.parts.faults import larger_records_may_stand_in, not_compiled, wrong_score
from playout.parts.part import Column, Part, columns_of, missing
from playout.settings import Network, Outside, Settings, settings_from

from .limits import Limits
from .lines import proven_line
from .result import Result, result_of
from .retrace import check_hash, find_fault

CHUNK_SECONDS = 0.01  # how long the kernel may run before limits, `stop` and Ctrl-C are looked at
RESERVE = 1 << 22  # simulations for which room is asked in advance
LONG_RUN = 0.5  # seconds; for less it does not pay
RESERVE_POSITIONS = 1 << 16  # the same for the table of a graph, which is not touched in order: a small one is faster
REASONS = {
    endings.SOLVED: "proven",
    endings.DECIDED: "decided",
    endings.NODE_LIMIT: "nodes",
    endings.BYTE_LIMIT: "bytes",
    endings.FULL: "full",
}
GRACE = 0.5  # seconds that a rule may go on after its search should have ended
KEEP_BASE_BYTES = 1 << 24  # a reused subtree up to this size is kept as the place to walk back to


@checks_calls
class Search:
    """A search of one game from one position, which can be run, stepped, stopped, walked back, played on and saved.

    >>> import playout as po
    >>> search = po.Search(po.games.load("tictactoe"), position="X.O/.X./..O", seed=1)
    >>> result = search.run(simulations=1000)
    >>> result.best_text, result.proven
    ('6', 0.0)
    """

    def __init__(
        self,
        game: Game | str,  # a game, or its name as in `games.load`
        settings: Settings | str | None = None,
        *,
        position: str | Position | None = None,
        seed: int | None = 0,  # None: a random one, which `search.seed` and the result tell
        only: Collection[int | str]
        | int
        | str
        | None = None,  # the actions that the root may take; None: all legal ones
    ) -> None:
        game = games.as_game(game, "Search")
        self.settings, self.seed = settings_from(settings, "Search", game), seed_from(seed)
        evaluator = None
        if isinstance(self.settings.evaluator, Network | Outside):
            from playout.evaluators import Evaluator

            evaluator = Evaluator(self.settings.evaluator, game)
            game = evaluator.game
        self.game, self.params = game, self.settings.params(game)
        if self.params.graph:
            game.check_can_share()
        self._lock, self._owner = threading.Lock(), 0
        self._stop = threading.Event()
        self._stopped_at: float | None = None
        self._deadline: float | None = None
        self._random = game.new_random(self.seed)
        self._rules = self._rules_table()
        self.topology = OPEN if self.params.open_loop else GRAPH if self.params.graph else TREE
        self._kernel = {TREE: loop.run, GRAPH: loop.run_in_graph, OPEN: loop.run_open}[self.topology]
        self._work = self._new_work(depth=128)
        if isinstance(position, Position):
            position = game.adopt(position)
        if not isinstance(position, Position | str | None):
            raise PositionError(f"Search got position {position!r}, expected a text or a Position of {game.title}")
        if isinstance(position, Position) and type(position.game) is not type(game):
            raise PositionError(f"Search got a position of {position.game.title}, expected one of {game.title}")
        start = position if isinstance(position, Position) else game.position(position)
        self._batches: Any = None
        self._origin: dict[str, Any] = {
            "state": start.buffer.copy(),
            "tree": None,
            "text": game.text_to_save(start.state),
        }
        self._log: list[tuple[str, int]] = []  # since the origin: ("run", simulations), ("play", action)
        self._base: Tree | None = None
        self.position = start
        self.history: list[Position] = []  # the positions before this one
        self._plant(start, self.seed)
        if not self._absent_parts():  # a file may name some that are not at hand
            self._rules = self.with_parts(shown=False)
        game.searched_by(self)
        if evaluator is not None:
            from .batches import Batches

            self._batches = Batches(self, evaluator)
        if only is not None:
            self._restrict(only)

    # Running.

    def run(
        self,
        simulations: int | Limits | None = None,
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        bytes: int | None = None,
        progress: Callable[["Search", float], None] | None = None,
    ) -> Result:
        """Search until the first of the given limits is reached, and return what was found.

        Simulations and seconds count new work; nodes and bytes the whole tree; a `Limits` stands for all of them.
        `progress` is called between chunks with the share of the limits that is used up.
        """
        limits = simulations if isinstance(simulations, Limits) else Limits(simulations, seconds, nodes, bytes)
        if progress is not None and not takes(progress, 2):
            raise SettingsError(f"run: progress is {progress!r:.80}, expected a function of the search and a share")
        with self._busy("run"):
            self._start_over()
            self._check_root(limits)
            self._give_up()
            self._compile()
            began, before = time.perf_counter(), self.tree.counters.copy()
            self._reserve(limits)
            self._deadline = None if limits.seconds is None else began + limits.seconds
            try:
                reason = self._run(limits, began, int(before[core.SIMULATIONS]), progress)
            finally:
                self._deadline = None
                self._note_run(int(self.tree.counters[core.SIMULATIONS] - before[core.SIMULATIONS]))
            return result_of(self, time.perf_counter() - began, before, reason)

    def stop(self) -> None:
        """End a run from another thread; it returns what it has found within a few hundredths of a second."""
        self._stopped_at = time.perf_counter()
        self._stop.set()

    def step(self) -> Any:
        """Run one simulation and return its four phases in full (a `Step`). The tree is as after `run(1)`."""
        from .step import take_step

        with self._busy("step"):
            self._check_root(None)
            self._give_up()
            step = take_step(self)
            self._note_run(1)
            return step

    def result(self) -> Result:
        """What has been found so far at this root, without searching. `progress` may ask during a run."""
        before = np.zeros_like(self.tree.counters)
        if self._owner == threading.get_ident():
            return result_of(self, 0.0, before, "")
        with self._busy("result"):
            return result_of(self, 0.0, before, "")

    def is_decided(self, simulations: int) -> bool:
        """Whether so many more simulations can't change the answer, where visits decide. For `progress`."""
        return bool(core_answer.is_decided(self.params, self.tree, whole_from(simulations, "simulations", 0, 2**62)))

    def proven_line(self, action: int | str) -> tuple[int, ...]:
        """The play behind a proven win or loss of two players, from an action at the root to the end of the game.

        The winner takes the shortest way that is proven, the loser the longest: the win comes within the length of the
        line, whatever the loser does. Empty where nothing is proven, or a draw.
        """
        return proven_line(self.params, self.tree, self.position.action(action))

    @property
    def simulations(self) -> int:
        """Simulations since the present position was set; those that came with a reused subtree are not counted."""
        return int(self.tree.counters[core.SIMULATIONS])

    @property
    def root(self) -> Any:
        """The tree, as nodes that can be walked (a `Node`)."""
        from .node import Node

        return Node.root_of(self)

    # Values from outside.

    def ask(self, count: int = 1) -> list[Any]:
        """Up to `count` positions (each a `Leaf`) whose values the search would like to know next; fewer or none where
        nothing else can be asked before an answer comes.

        Whoever evaluates them answers with `tell`, in any order, or gives up with `take_back`.
        """
        with self._busy("ask"):
            self._check_root(None)
            return self.batches.ask(count)  # type: ignore[no-any-return]

    def tell(self, leaf: Any, value: Any, policy: Any = None) -> None:
        """Answer a leaf: its value, for the player who moves there (or one number for each player), and how likely its
        actions are (weights in the order of `leaf.actions`, or a mapping from actions; None: all alike)."""
        with self._busy("tell"):
            self.batches.tell(leaf, value, policy)

    def take_back(self, leaves: Any = None, *, older_than: float | None = None) -> int:
        """Give leaves up that got no answer: one, several, those asked for longer ago than so many seconds, or all.
        Nothing is left of them in the tree. Returns how many."""
        with self._busy("take_back"):
            if older_than is not None:
                if not isinstance(older_than, int | float):
                    raise SettingsError(f"take_back: older_than is {older_than!r:.80}, expected seconds")
                leaves = self.batches.asked_before(time.monotonic() - older_than)
            elif leaves is None:
                leaves = self.batches.asked
            given = list(leaves) if isinstance(leaves, list | tuple | set) else [leaves]
            return int(self.batches.take_back_leaves(given))

    async def run_async(
        self,
        evaluate: Callable[..., Any] | None = None,
        *,
        simulations: int | None = None,
        seconds: float | None = None,
        nodes: int | None = None,
        bytes: int | None = None,
        at_once: int = 8,
        timeout: float | None = None,
        failures: int = 0,
    ) -> Result:
        """Search with a coroutine that evaluates one leaf, `await evaluate(leaf)` giving (policy, value) as in `tell`.

        `at_once` leaves are under evaluation at a time. One that raises, or takes longer than `timeout` seconds, is
        taken back; after more than `failures` of these the run ends with an `EvaluatorError`. Without a coroutine, a
        plain run beside the event loop.
        """
        from .batches import run_async

        limits = {"simulations": simulations, "seconds": seconds, "nodes": nodes, "bytes": bytes}
        return await run_async(self, evaluate, limits, at_once, timeout, failures)

    @property
    def batches(self) -> Any:
        """The leaves under evaluation, where values come from outside."""
        if self._batches is None:
            raise SettingsError(
                "ask and tell: this search evaluates by itself; give it a network, a function, or "
                "Settings(evaluator=po.Outside())"
            )
        return self._batches

    # Moving.

    def play(self, action: Any) -> Position:
        """Play an action (or chance's outcome) and keep its subtree as the new tree; returns the new position.

        An action is given by its number or its text; that of a Python object also as itself.
        """
        with self._busy("play"):
            self._check_parts()
            number = self.position.action(action)
            after = self.position.play(number)
            self._give_up()
            self._log.append(("play", number))
            self.history.append(self.position)
            self._move_to(after, number)
            return after

    def rewind(self, simulations: int) -> None:
        """Go back to the tree after so many simulations from the present position; going on gives the same again.

        The tree is grown anew up to there; `stop` from another thread ends that where it is.
        """
        target = whole(simulations)
        if target is None or not 0 <= target <= self.simulations:
            raise SettingsError(
                f"rewind to {simulations!r}, expected a whole number from 0 to {self.simulations}, the simulations "
                f"since the position was set"
            )
        with self._busy("rewind"):
            self._check_parts()
            self._start_over()
            self._give_up()
            plays = [i for i, (what, _) in enumerate(self._log) if what == "play"]
            kept = self._log[: plays[-1] + 1] if plays else []
            if self._base is not None:
                self.tree = copied(self._base)
                self._random = copy.deepcopy(self._base_random)
                self._log = kept
            else:
                self._replay(kept)
            self._exactly(target)
            self._note_run(self.simulations)

    # Making.

    @classmethod
    def from_tree(
        cls,
        game: Game | str,
        literal: Mapping[str, Any],
        settings: Settings | str | None = None,
        *,
        position: str | Position | None = None,
        seed: int | None = 0,
    ) -> "Search":
        """A search that begins with a tree written by hand; see `playout.search.literal`."""
        from .literal import plant

        search = cls(game, settings, position=position, seed=seed)
        plant(search, literal)
        search._origin["tree"] = copied(search.tree)
        search._base = copied(search.tree)
        return search

    def save(self, path: str | Path, *, compress: bool = True) -> None:
        """Write the whole search to one file; see docs/file-format.md. Without compressing, several times as fast."""
        from .files import save

        with self._busy("save"):
            self._give_up()
            save(self, path_from(path, "Search.save"), compress)

    @classmethod
    def load(cls, path: str | Path, game: Game | str | None = None, *, evaluator: Any = None) -> "Search":
        """Read a search from a file. A game that is not built in has to be given, and so has a function that evaluates
        if there was one and the search is to go on."""
        from .files import load

        known = None if game is None else games.as_game(game, "Search.load")
        return load(path_from(path, "Search.load"), known, evaluator)

    def __copy__(self) -> "Search":
        """A search of its own over the same tree; `play` and `rewind` make a new one and leave the old as it was."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin._lock, twin._stop = threading.Lock(), threading.Event()
        twin.history, twin._log, twin._origin = list(self.history), list(self._log), dict(self._origin)
        twin._work, twin._random = self._new_work(len(self._work.path_nodes)), copy.deepcopy(self._random)
        if self._batches is not None:  # what is under evaluation belongs to one search
            twin._batches = type(self._batches)(twin, self._batches.evaluator)
        self.game.searched_by(twin)
        return twin

    def __getstate__(self) -> None:
        raise FileError("a Search can't be pickled; write it with search.save(file), read it with Search.load(file)")

    def __repr__(self) -> str:
        return f"<Search {self.game.title} '{self.position.text}' after {self.simulations} simulations>"

    def _repr_html_(self) -> str:
        from playout.report.html import result_html

        return result_html(self.result(), self.root.svg())

    # What the above is made of.

    @contextlib.contextmanager
    def _busy(self, what: str) -> Iterator[None]:
        if not self._lock.acquire(blocking=False):
            if self._owner == threading.get_ident():
                raise BusyError(f"{what}: this search is running, and `progress` may only look at it; wait for the end")
            raise BusyError(f"{what}: this search is already at work in another thread; wait for it, or call stop()")
        try:
            self._owner, self._stopped_at = threading.get_ident(), None  # a stop is for what was under way then
            with np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # uncompiled, as compiled
                yield
        finally:
            self._owner = 0
            self._lock.release()

    def _start_over(self) -> None:
        """Forget that the run before was stopped."""
        self._stop.clear()
        self._stopped_at = None

    def _give_up(self) -> None:
        """Take back what was asked for and not answered: the tree is about to be walked in another way."""
        if self._batches is not None:
            self._batches.take_back_all()

    def _compile(self) -> None:
        """No simulations: the very first run waits for the compiler here, before the clock starts."""
        if self._batches is not None:
            self._batches.compile()
        else:
            self._kernel(self._rules, self.params, self.tree, self._work, 0, 2**62, 2**62, 0)

    def _advance(self, simulations: int, nodes: int, bytes: int, target: int, params: Any = None) -> tuple[int, int]:
        """Up to so many simulations, in one call of the kernel or one batch: (status, detail)."""
        params = self.params if params is None else params
        if self._batches is not None:
            return self._batches.advance(simulations, nodes, bytes, target, params)  # type: ignore[no-any-return]
        return self.call(  # type: ignore[no-any-return]
            self._kernel, self._rules, params, self.tree, self._work, simulations, nodes, bytes, target
        )

    def call(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        """Enter a kernel. A rule that raises leaves nothing half done: trees change after the rules have answered."""
        try:
            parts = (self.settings.policy, self.settings.backup)
            with rules_may_raise(self.game, state=self._work.state, overdue=self._overdue, parts=parts):
                return kernel(*arguments)
        except Hang:
            raise
        except GameError as failed:
            find_fault(self, failed)  # says more, where it finds the position
            raise
        finally:
            self._work.rewards[:] = 0.0

    def _overdue(self) -> str | None:
        """Why a rule that is still running should be interrupted, if it should."""
        now = time.perf_counter()
        if self._stopped_at is not None and now > self._stopped_at + GRACE:
            return "the search was stopped"
        if self._deadline is not None and now > self._deadline + GRACE:
            return "the time of the search was up"
        return None

    def _rules_table(self) -> Any:
        wanted = ["playout"] if self.params.rollouts else []
        if self.params.has_priors:
            wanted.append("priors")
        if self.params.evaluator in (STATIC, MIXED):
            wanted.append("evaluate")
        if self.params.has_hash:
            wanted.append("hash")
        if self.params.evaluator == OUTSIDE and self.game.has("observe"):
            wanted += ["observe", "action_index"]
        return self.game.rules_table(self.guided, tuple(wanted))

    @property
    def guided(self) -> bool:
        """Whether the game's own policy guides playouts."""
        rollouts = getattr(self.settings.evaluator, "rollouts", self.settings.evaluator)
        return bool(getattr(rollouts, "guided", False))

    @property
    def columns(self) -> list[Column]:
        """What the policy and the backup keep of each edge, by name."""
        return columns_of((self.settings.policy, self.settings.backup), self.tree)

    def _absent_parts(self) -> list[Part]:
        return [part for part in (self.settings.policy, self.settings.backup) if part.absent]

    def _check_parts(self) -> None:
        """Refuse to go on with a search whose parts are not at hand."""
        for part in self._absent_parts():
            cls = type(part)
            raise SettingsError(missing(cls._role, cls.__qualname__, cls.__module__) + "; until then, it can be read")

    def with_parts(self, shown: bool) -> Any:
        """The rules table with policy and backup in it, which are compiled here if they are new."""
        policy, backup = self.settings.policy, self.settings.backup
        arrays, waiting = (self.params, self.tree, self._work), self.params.evaluator == OUTSIDE
        codes = policy.code(self.game), backup.code(self.game)
        try:
            with larger_records_may_stand_in():
                chosen = choose_entry(codes[0], self.topology, waiting, shown, arrays)
                backed = back_up_entry(codes[1], codes[0], self.topology, waiting, arrays)
        except RuleCompileError as error:
            reasons = (not_compiled(type(part), code) for part, code in zip((policy, backup), codes, strict=True))
            place = f"{error.rule} can't be compiled, at {error.file}:{error.line}: {error.reason}"
            raise SettingsError(next(filter(None, reasons), place)) from error
        return with_entry(with_entry(self._rules, CHOOSE, chosen), BACK_UP, backed)

    def _new_work(self, depth: int, trace: int = 0) -> Work:
        size, players, room = self.game.dtype.itemsize, self.game.players, self.game.rules.room
        return Work(
            state=np.zeros(size, np.uint8),
            spare=np.zeros(size, np.uint8),
            actions=np.zeros(room, np.int32),
            weights=np.zeros(room),
            path_nodes=np.zeros(depth, np.int32),
            path_edges=np.zeros(depth, np.int32),
            path_links=np.zeros(depth, np.int32),
            path_rewards=np.zeros(depth * players),
            rewards=np.zeros(players),
            returns=np.zeros(players),
            values=np.zeros(players),
            trace=np.zeros(trace, np.int32),
            scores=np.full((depth if trace else 1, room), np.nan),
            terms=np.zeros((depth, room, len(self.settings.policy.term_names)) if trace else (0, 0, 0)),
            candidates=np.zeros((depth if trace else 1, room if self.params.open_loop else 0, 2), np.int32),
            pending=np.zeros(0, np.int32),
            info=np.zeros(core.INFO, np.int64),
            keyed=self.game.keyed_bytes,
            path_scales=np.zeros(depth if self.params.open_loop else 0),
            draws=np.zeros(4 * depth + 2 if self.params.open_loop else 0, np.int32),
            indices=np.zeros(room, np.int32),
            leaf=np.zeros(2, np.uint64),
            began=np.full(1, core.NOT_BEGUN, np.uint64),
        )

    def _plant(self, position: Position, seed: int) -> None:
        """An empty tree with its root expanded."""
        self.position = position
        self.tree = self._new_tree(position, seed)
        self.make_room()
        if not position.is_terminal:
            if self.params.has_hash and self.game.rules.guard:
                check_hash(position)
            self._work.state[:] = position.buffer
            self.add_node(position.player, -1)
            self.tree.counters[core.POSITIONS] = 1
            self._add_noise()
        self._base, self._base_random = copied(self.tree), copy.deepcopy(self._random)

    def add_node(self, player: int, edge: int) -> int:
        """Make a node of `_work.state`, outside a simulation, for the edge that leads to it (-1: the root)."""
        kernel = (self._rules, self.params, self.tree, self._work)
        with np.errstate(over="ignore"):  # uncompiled, as compiled
            status, number = self.call(core_expand.expand_position, *kernel, player)
            self._checked(status, number)
            if self.params.graph:
                self.call(core_graph.enter_position, *kernel, number, edge)
        return int(number)

    def enter_all(self) -> None:
        """Give every node a new key, from its position; what was seen once is forgotten."""
        kernel = (self._rules, self.params, self.tree, self._work)
        self.tree.table[:] = 0
        with np.errstate(over="ignore"):  # uncompiled, as compiled
            for number in range(core.ROOT, int(self.tree.counters[core.NODES])):
                self.call(core_graph.enter_again, *kernel, number)

    def _new_tree(self, position: Position, seed: int, nodes: int = 1024, edges: int = 4096) -> Tree:
        game = self.game
        keep = bool(self.params.keep_states)
        parts = self.settings.policy.kept(game), self.settings.backup.kept(game)
        return core.new_tree(position.buffer, game.players, keep, seed, self.params.graph, nodes, edges, *parts)

    def _restrict(self, only: Collection[int | str] | int | str) -> None:
        """Leave the root these actions alone; what is searched, proven and answered is then about them."""
        wanted = [only] if isinstance(only, str | int | np.integer) else only
        if not isinstance(wanted, Collection):
            raise SettingsError(f"{self.game.title}: only is {only!r:.80}, expected actions, as in [1, 2]")
        numbers, legal = {self.position.action(a) for a in wanted}, self.position.actions()
        if not numbers or not numbers.issubset(legal):
            names = ", ".join(self.position.action_text(a) for a in legal[:12])
            raise SettingsError(
                f"{self.game.title}: only is {only!r}, expected legal actions of "
                f"{self.position.text or 'the start'} (such as {names})"
            )
        root = self.tree.nodes[core.ROOT]
        first, count = int(root["first_edge"]), int(root["count"])
        block = self.tree.edges[first : first + count]
        kept = block[np.isin(block["action"], list(numbers))]
        kept["prior"] /= max(1e-9, float(kept["prior"].sum()))
        block[: len(kept)] = kept
        root["count"], self.tree.counters[core.EDGES] = len(kept), first + len(kept)
        if core.is_graph(self.tree):  # who comes back to this position has all actions: nothing may find this node
            self.tree.node_links[core.ROOT]["key"] ^= np.uint64(0xFFFFFFFFFFFFFFFF)
        self._origin["tree"], self._base = copied(self.tree), copied(self.tree)

    def _move_to(self, after: Position, action: int) -> None:
        """The subtree of an action becomes the tree; a new one is planted where there is none."""
        old = self.tree
        node = old.nodes[core.ROOT]
        block = old.edges[node["first_edge"] : node["first_edge"] + node["count"]]
        at = np.flatnonzero(block["action"] == action)
        child = abs(int(block[at[0]]["child"])) if len(at) else core.NO_NODE
        if child <= core.END or self.params.open_loop:  # an open loop's tree is about all that chance could have done
            self._plant(after, int(old.rng[0]))
            self._forget()
            return
        used = [int(old.counters[i]) for i in (core.NODES, core.EDGES, core.PROOFS)]
        new = copying.grown(self._new_tree(after, 0, used[0] + 1, used[1] + 1), 0, 0, used[2] + 1)
        copying.copy_subtree(old, new, child, np.zeros(used[0] + 1, np.int32), np.zeros(used[0] + 1, np.int32))
        new.rng[:] = old.rng
        new.counters[core.REWARDED] = old.counters[core.REWARDED]
        new.bounds[:], new.policy[:], new.backup[:] = old.bounds, old.policy, old.backup
        self.tree, self.position = new, after
        if after.player != CHANCE:
            self.tree.counters[core.LEADER] = core_answer.best_edge(self.params, self.tree, core.ROOT)
            self._add_noise()
        small = core.used_bytes(self.tree) <= KEEP_BASE_BYTES
        self._base, self._base_random = (copied(self.tree) if small else None), copy.deepcopy(self._random)
        self._forget()

    def _forget(self) -> None:
        """Let a game of Python objects drop what no position of this search needs any more."""
        self.game.forget_unused()

    def kept_states(self) -> Any:
        """The states that this search may still need, a row of bytes each: tree, game so far, and the beginning."""
        trees = [tree for tree in (self.tree, self._base, self._origin["tree"]) if tree is not None]
        states = [tree.states[core.ROOT : int(tree.counters[core.NODES])] for tree in trees]
        positions = [p.buffer for p in (*self.history, self.position)]
        return np.vstack([*states, *positions, self._origin["state"]])

    def _add_noise(self) -> None:
        """Mix fresh Dirichlet noise into the root's priors, each edge its own, and put the unvisited in order again."""
        noise, node = self.settings.noise, self.tree.nodes[core.ROOT]
        waits = self.params.evaluator == OUTSIDE and node["visits"] == 0  # its priors are still to come
        if noise is None or node["player"] == CHANCE or waits:
            return
        first, count, opened = int(node["first_edge"]), int(node["count"]), int(node["opened"])
        block = self.tree.edges[first : first + count]
        with np.errstate(over="ignore"):
            generator = np.random.default_rng(int(random_bits(self.tree.rng)))
        drawn = generator.dirichlet([noise.alpha] * count)
        block["prior"] = (1 - noise.fraction) * block["prior"] + noise.fraction * drawn
        order = opened + np.argsort(-block["prior"][opened:], kind="stable")
        block[opened:] = block[order]

    def _check_root(self, limits: Limits | None) -> None:
        self._check_parts()
        if self.position.is_terminal:
            raise PositionError(
                f"{self.game.title}: the game is over in {self.position.text}; there is nothing to search"
            )
        if self.position.player == CHANCE:
            names = ", ".join(self.position.action_text(a) for a, _ in self.position.outcomes()[:8])
            raise PositionError(
                f"{self.game.title}: chance moves next in {self.position.text}; play an outcome first ({names})"
            )
        if limits is not None and limits.bytes is not None:
            players = self.game.players
            proofs = core.END_PROOF + 1 + (len(self._work.path_nodes) if self.params.solver else 0)
            least = core.record_bytes(self.tree, core.ROOT + 2, 2 * self.game.max_actions, proofs)
            if limits.bytes < least:
                raise SettingsError(
                    f"limit bytes is {limits.bytes}, too small for a root of {self.game.title} with {players} "
                    f"player{'s' if players > 1 else ''}; expected at least {least}"
                )

    def _run(self, limits: Limits, began: float, start: int, progress: Callable[..., None] | None) -> str:
        """Chunks of simulations until a limit is reached; returns which one."""
        tree_limit, byte_limit = limits.nodes or 2**62, limits.bytes or 2**62
        target = start + limits.simulations if limits.simulations else 2**62
        chunk = 1 if self.game.keeps_objects else 16  # an object may take a second for each
        with self.game.using_random(self._random, self._overdue):
            while True:
                done, now = self.simulations, time.perf_counter() - began
                if progress is not None:
                    progress(self, limits.share(self.tree, done - start, now))
                if done >= target:
                    return "simulations"
                if limits.seconds is not None and now >= limits.seconds:
                    return "seconds"
                if self._stop.is_set():
                    return "stop"
                if limits.seconds is not None and done > start:
                    rate = (done - start) / now
                    chunk = max(1, min(chunk, int(rate * (limits.seconds - now)) + 1))
                    if self.params.early_stop and limits.simulations is None:
                        target_now = done + int(rate * (limits.seconds - now)) + 1
                        if core_answer.is_decided(self.params, self.tree, target_now - done):
                            return "decided"
                size = min(chunk, target - done)
                entered = time.perf_counter()
                status, detail = self._advance(size, tree_limit, byte_limit, target)
                took = time.perf_counter() - entered
                if status in REASONS:
                    return REASONS[status]
                self._serve(status, detail, byte_limit)
                if self._batches is not None:
                    chunk = 1 << 20  # the evaluator decides how much is done at once
                elif took < CHUNK_SECONDS / 2:
                    chunk = min(chunk * 2, 1 << 20)
                elif took > CHUNK_SECONDS:
                    chunk = max(1, int(chunk * CHUNK_SECONDS / took))

    def _serve(self, status: int, detail: int, byte_limit: int = 2**62) -> None:
        """Give the kernel what it came back for: room, a longer path, or the news that the rules are broken."""
        if status == endings.GROW:
            self.make_room(byte_limit)
        elif status == endings.DEEPER:
            self._work = self._new_work(2 * len(self._work.path_nodes), len(self._work.trace))
            self.make_room(byte_limit)
        elif status in (endings.NO_ACTIONS, endings.TOO_MANY_ACTIONS, endings.BAD_PLAYER, endings.BAD_CHANCE):
            self._checked(status, detail)
        elif status == endings.BAD_VALUE:
            find_fault(self)
            raise GameError(self._bad_returns())
        elif status == endings.BAD_SCORE:
            raise SettingsError(wrong_score(self, detail))
        elif status == endings.BAD_BACKUP:
            raise SettingsError(
                f"{type(self.settings.backup).__name__}.update gave an edge of {self.game.title} a value that the game "
                f"can't have; expected a number within value_range {self.game.range or ''}, where proofs rest on it "
                f"(po.check_part finds such cases)"
            )
        elif status == endings.BAD_KEY:
            self._say_that_keys_are_wrong(detail)
        elif status == endings.BAD_PLAYOUT:
            if detail == core_evaluate.RUNAWAY:
                raise GameError(
                    f"{self.game.title}: a playout did not end within {core_evaluate.RUNAWAY_LIMIT:,} actions; "
                    f"give it a limit, as in Rollouts(depth=200), or let the rules end the game"
                )
            find_fault(self)
            if detail == core_evaluate.BAD_ACTION:
                raise GameError(
                    f"{self.game.title}.playout_action (or chance_action) returned an action that can't be played; "
                    f"`playout doctor` finds the position"
                )
            self._checked(
                endings.NO_ACTIONS if detail == core_evaluate.NO_ACTIONS else endings.TOO_MANY_ACTIONS, detail
            )

    def _bad_returns(self) -> str:
        values, told = self._work.returns.tolist(), self.game.told()
        for rule, where, numbers in told:
            if numbers is not None and (found := wrong_value(self.game, rule, numbers, where)):
                return found
        rule, where = told[0][:2] if told else ("apply", f" after {self.position.text or 'the start'}")
        found = wrong_value(self.game, rule, values, where)
        return found or f"{self.game.title}: returns of {values}{where} add up to more than value_range allows"

    def _say_that_keys_are_wrong(self, entry: int) -> None:
        """Two positions of one key: that of an entry in the table, and the one that the walk has come to."""
        core_graph.stand_at_entry(self._rules, self.params, self.tree, self._work, entry)
        known, came = Position(self.game, self._work.spare.copy()), Position(self.game, self._work.state.copy())
        fields = [n for n in self.game.dtype.names or () if not np.array_equal(known.state[n], came.state[n])]
        wrong = [n for n in fields if n not in self.game.unkeyed]
        raise GameError(
            f"{self.game.title}.hash gives {came.text} the key of {known.text}, and they differ in {', '.join(wrong)}; "
            f"let the key tell them apart, or name in `unkeyed` the fields that nothing later depends on"
        )

    def _checked(self, status: int, count: int) -> None:
        if status == endings.DONE:
            return
        find_fault(self)
        if status == endings.BAD_PLAYER:
            raise GameError(wrong_player(self.game, count))
        wrong = "no actions where the game is not over" if status == endings.NO_ACTIONS else "more than max_actions"
        raise GameError(
            f"{self.game.title}.legal_actions (or chance_outcomes) gives {wrong} "
            f"(max_actions = {self.game.max_actions}); `playout doctor` finds the position"
        )

    def _reserve(self, limits: Limits) -> None:
        """Ask for the room that a run may need at once: memory that is not touched costs nothing, copying does."""
        if limits.simulations is None and limits.bytes is None and (limits.seconds or LONG_RUN) < LONG_RUN:
            return
        used, new = self.tree.counters, min(limits.simulations or RESERVE, RESERVE)
        byte_limit = limits.bytes or 2**62
        nodes, edges = new // 2, new * min(self.game.max_actions, 4)
        if self._batches is not None:  # each simulation adds a node
            nodes = min(new, RESERVE // 8)
            edges = nodes * min(self.game.max_actions, 32)
        self.tree = copying.grown(
            self.tree,
            min(int(used[core.NODES]) + nodes, byte_limit // core.NODE.itemsize),
            min(int(used[core.EDGES]) + edges, byte_limit // core.EDGE.itemsize),
            0,
            min(int(used[core.POSITIONS]) + new, RESERVE_POSITIONS, byte_limit // 64),
        )

    def make_room(self, byte_limit: int = 2**62) -> None:
        """Let the arrays grow to twice what is used, but not past a limit of bytes."""
        used = self.tree.counters
        proofs_needed = int(used[core.PROOFS]) + (len(self._work.path_nodes) if self.params.solver else 0)
        if self.params.graph:  # one end may prove many nodes at once
            proofs_needed = max(proofs_needed, 2 * len(self.tree.nodes), 2 * int(used[core.NODES]) + 4)
        ahead = 1 if self._batches is None else self._batches.room
        edges_needed = int(used[core.EDGES]) + ahead * self.game.max_actions

        def size(have: int, need: int, each: int) -> int:
            return have if have >= need else max(need, min(2 * need, byte_limit // each + 1))

        self.tree = copying.grown(
            self.tree,
            size(len(self.tree.nodes), int(used[core.NODES]) + ahead, core.NODE.itemsize),
            size(len(self.tree.edges), edges_needed, core.EDGE.itemsize),
            size(len(self.tree.proofs), proofs_needed, 8 * self.game.players),
        )

    def _exactly(self, simulations: int) -> None:
        """Run so many simulations and look at nothing else."""
        params = self.params._replace(early_stop=0)
        target = self.simulations + simulations
        with self.game.using_random(self._random, self._overdue):
            while self.simulations < target and not self._stop.is_set():
                left = min(target - self.simulations, 4096)
                status, detail = self._advance(left, 2**62, 2**62, target, params)
                if status == endings.SOLVED:
                    return
                self._serve(status, detail)

    def _note_run(self, simulations: int) -> None:
        cut = self._batches is not None and self._batches.evaluator.setting.batch != 1  # how batches are cut matters
        if self._log and self._log[-1][0] == "run" and not cut:
            self._log[-1] = ("run", self._log[-1][1] + simulations)
        elif simulations:
            self._log.append(("run", simulations))

    def _replay(self, log: list[tuple[str, int]]) -> None:
        """Build the tree again from the beginning by what was done since."""
        start = Position(self.game, self._origin["state"].copy())
        self.history, self._log, self._random = [], list(log), self.game.new_random(self.seed)
        self._plant(start, self.seed)
        if self._origin["tree"] is not None:
            self.tree = copied(self._origin["tree"])
        for what, number in log:
            if what == "run":
                self._exactly(number)
            else:
                self.history.append(self.position)
                self._move_to(self.position.play(number), number)
