"""`Search`: the one class that front ends talk to. `Runner` grows the tree, `History` knows the way back."""

import contextlib
import copy
import time
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from playout import games
from playout.common.arguments import checks_calls, path_from, seed_from, takes, whole, whole_from
from playout.core import answer
from playout.core import tree as core
from playout.core.copying import copied
from playout.core.params import HALVING, Params
from playout.core.tree import Tree
from playout.errors import FileError, SettingsError
from playout.evaluators import LeafPolicy, LeafValue
from playout.game import Game, Position
from playout.parts.part import Column
from playout.report.html import result_html
from playout.settings import Network, Outside, Settings, settings_from

from .ask import AskTell, Leaf
from .batches import Batches
from .coroutines import EvaluateLeaf, run_async
from .files import load, save
from .forest import GrownTree, bytes_of, check_single, planted, positions_in, seeds_of, start_position, value_sources
from .forest_run import ForestRun, run_forest
from .found import BestFound
from .history import Log, log_up_to
from .limits import Limits
from .literal import plant
from .merge import MergedRoot, best_line, merged_result, shortest_proof
from .node import Node
from .result import Result, result_of
from .runner import Runner
from .step import Step, take_step


@checks_calls
class Search:
    """A search of one game from one position, which can be run, stepped, stopped, rewound, played on and saved.

    >>> import playout as po
    >>> search = po.Search(po.games.load("tictactoe"), position="X.O/.X./..O", seed=1)
    >>> result = search.run(simulations=1000)
    >>> result.best_text, result.proven
    ('6', 0.0)
    """

    def __init__(
        self,
        game: Game | str,  # a game, or its name as in `games.load`
        settings: Settings | str | None = None,  # or the name of a preset
        *,
        position: str | Position | None = None,
        seed: int | None = 0,  # None: a random one, which `search.seed` and the result tell
        only: Collection[int | str]
        | int
        | str
        | None = None,  # the actions that the root may take; None: all legal ones
    ) -> None:
        game = games.as_game(game, "Search")
        settings, self.seed = settings_from(settings, "Search", game), seed_from(seed)
        self.grow: Callable[..., ForestRun] = ForestRun  # what grows several trees, here or elsewhere
        evaluator, network, game = value_sources(settings, game)
        self.game = game
        runners = [Runner(game, settings, seed, network) for seed in seeds_of(self.seed, settings.roots)]
        start = start_position(game, position)
        self._take([planted(runner, start, evaluator, only) for runner in runners])
        game.searched_by(self, bool(self.params.check_keys))

    def _take(self, trees: list[GrownTree]) -> None:
        self.grown = trees  # one, or several where the settings have more roots
        self.runner, self.past = trees[0]
        has_asking = self.runner.batches is not None and len(trees) == 1
        self._asking = AskTell(self.batches, self.past) if has_asking else None

    # Running.

    def run(
        self,
        simulations: int | Limits | None = None,
        *,
        seconds: float | None = None,
        nodes: int | None = None,
        bytes: int | None = None,
        early_stop: bool = True,
        progress: Callable[["Search", float], None] | None = None,
    ) -> Result:
        """Search until the first of the given limits is reached, and return what was found.

        Simulations and seconds count new work; nodes (positions) and bytes the whole tree; a `Limits` stands for all of
        them. `early_stop=False` goes on when the answer can no longer change, whatever the settings say. `progress` is
        called between chunks with the search and the share of the limits that is used up.
        """
        limits = simulations if isinstance(simulations, Limits) else Limits(simulations, seconds, nodes, bytes)
        if progress is not None and not takes(progress, 2):
            raise SettingsError(f"run: progress is {progress!r:.80}, expected a function of the search and a share")
        return self._run(limits, early_stop, progress)

    def _run(
        self, limits: Limits, early_stop: bool, progress: Callable[["Search", float], None] | None, *, aims: bool = True
    ) -> Result:
        """A run; without `aims`, one that a log tells of: what its root plans stands there."""
        runner = self.runner
        with runner.control.busy("run"):
            for tree in self.grown:
                tree.runner.control.start_over()
            runner.check_root(limits, len(self.grown))
            self._take_back_all()
            runner.compile()
            if aims and limits.simulations is not None:
                self.past.aim(limits.simulations)
            tell = None if progress is None else lambda share: progress(self, share)
            if len(self.grown) > 1:
                return run_forest(self, limits, early_stop, tell)
            began, before = time.perf_counter(), self.tree.counters.copy()
            runner.reserve(limits)
            runner.control.deadline = None if limits.seconds is None else began + limits.seconds
            try:
                reason = runner.run(limits, began, tell, early_stop=early_stop)
            finally:
                runner.control.deadline = None
                self.past.note_run(self.simulations - int(before[core.SIMULATIONS]))
            return result_of(self, time.perf_counter() - began, before, reason)

    def stop(self) -> None:
        """End a run from another thread; it returns what it has found within a few hundredths of a second."""
        for tree in self.grown:
            tree.runner.control.stop()

    def step(self) -> Step:
        """Run one simulation and return its four phases in full.

        The tree is the same as after `run(1)`; where the root plans (`Gumbel`, `Halving`), as after one simulation of a
        run whose number of simulations is not given.
        """
        check_single(self.grown, "step")
        with self.runner.control.busy("step"):
            self.runner.check_root()
            self._take_back_all()
            step = take_step(self.runner)
            self.past.note_run(1)
            return step

    def result(self) -> Result:
        """What was found so far at this root, without searching. `progress` may call it during a run."""
        control, before = self.runner.control, np.zeros_like(self.tree.counters)
        with contextlib.nullcontext() if control.is_mine else control.busy("result"):
            if len(self.grown) > 1:
                return merged_result(self, 0.0, [before] * len(self.grown), "")
            return result_of(self, 0.0, before, "")

    @property
    def best_found(self) -> BestFound | None:
        """The best complete line that any simulation has seen; None for several players, with chance, or before one."""
        line = best_line(self.grown)
        return None if line is None else line.played

    def is_decided(self, simulations: int) -> bool:
        """Whether `simulations` more can't change the answer, where visits decide. `progress` may call it."""
        more = whole_from(simulations, "simulations", 0, 2**62)
        tree = self.tree if len(self.grown) == 1 else MergedRoot.of(self.params, self.trees).tree
        return bool(answer.is_decided(self.params, tree, more))

    def proven_line(self, action: int | str) -> tuple[int, ...]:
        """The play behind a proven win or loss of two players, from an action at the root to the end of the game.

        The winner takes the shortest proven way, the loser the longest: the win comes within the length of the line,
        whatever the loser does. Empty if nothing is proven, or a draw.
        """
        return shortest_proof(self.params, self.trees, self.position.action(action))

    # State.

    @property
    def settings(self) -> Settings:
        """The settings that the search was made with."""
        return self.runner.settings

    @property
    def position(self) -> Position:
        """The position of the root."""
        return self.runner.position

    @property
    def history(self) -> list[Position]:
        """The positions before this one, since the search began."""
        return self.past.positions

    @property
    def simulations(self) -> int:
        """Simulations since the current position was set; those of a reused subtree are not counted."""
        return sum(tree.runner.simulations for tree in self.grown)

    @property
    def nodes(self) -> int:
        """Positions in the tree, or in all trees."""
        return positions_in(self.grown)

    @property
    def edges(self) -> int:
        """Actions in the tree, or in all trees."""
        return sum(int(tree.counters[core.EDGES]) for tree in self.trees)

    @property
    def root(self) -> Node:
        """The tree, as nodes; with several roots, the first one's."""
        return Node.root_of(self)

    @property
    def tree(self) -> Tree:
        """The tree as flat arrays; see `playout.core.tree`. With several roots, the first one's."""
        return self.runner.tree

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The trees of all roots; see `Settings.roots`."""
        return tuple(tree.runner.tree for tree in self.grown)

    @property
    def tree_bytes(self) -> int:
        """The memory that the tree uses, or all trees."""
        return bytes_of(self.grown)

    @property
    def params(self) -> Params:
        """The settings as the kernels see them."""
        return self.runner.params

    @property
    def columns(self) -> list[Column]:
        """The columns that policy and backup keep for each edge, and the counts of results."""
        return self.runner.columns

    # Values from outside.

    def ask(self, count: int = 1) -> list[Leaf]:
        """Up to `count` positions whose values the search needs next; fewer or none if it needs answers first.

        Answer them with `tell`, in any order, or discard them with `take_back`.
        """
        with self.runner.control.busy("ask"):
            self.runner.check_root()
            return self.asking.ask(count)

    def tell(self, leaf: Leaf, value: LeafValue, policy: LeafPolicy | None = None) -> None:
        """Answer a leaf.

        `value` is for the player who moves there, or one number for each player. `policy` says how likely its actions
        are: weights in the order of `leaf.actions`, or a mapping from actions; None: all the same.
        """
        with self.runner.control.busy("tell"):
            self.asking.tell(leaf, value, policy)

    def take_back(self, leaves: Leaf | Collection[Leaf] | None = None, *, older_than: float | None = None) -> int:
        """Discard pending leaves: one, several, those asked for more than `older_than` seconds ago, or all.

        Nothing of them is left in the tree. Returns how many.
        """
        with self.runner.control.busy("take_back"):
            if older_than is not None:
                if not isinstance(older_than, int | float):
                    raise SettingsError(f"take_back: older_than is {older_than!r:.80}, expected seconds")
                moment = time.monotonic() - older_than
                leaves = [leaf for leaf in self.asked if leaf.asked <= moment]
            elif leaves is None:
                leaves = self.asked
            return self.asking.take_back(list(leaves) if isinstance(leaves, list | tuple | set) else [leaves])  # type: ignore[list-item]  # told if it is not a leaf

    @property
    def asked(self) -> list[Leaf]:
        """The pending leaves, in the order in which `ask` gave them out."""
        return self.asking.leaves

    async def run_async(
        self,
        evaluate: EvaluateLeaf | None = None,
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
        limits = {"simulations": simulations, "seconds": seconds, "nodes": nodes, "bytes": bytes}
        return await run_async(self, evaluate, limits, at_once, timeout, failures)

    @property
    def asking(self) -> AskTell:
        """Ask and tell, where values come from outside."""
        check_single(self.grown, "ask and tell")
        if self._asking is None:
            raise SettingsError(
                "ask and tell: this search evaluates by itself; give it a network, a function, or "
                "Settings(evaluator=po.Outside())"
            )
        return self._asking

    @property
    def batches(self) -> Batches:
        """The pending leaves as arrays, where values come from outside."""
        if self.runner.batches is None:
            return self.asking.batches  # which says why there are none
        return self.runner.batches

    # Moving.

    def play(self, action: Any) -> Position:
        """Play an action (or an outcome of chance) and keep its subtree as the new tree; returns the new position.

        An action is given by its number or its text; that of a Python object also as itself.
        """
        with self.runner.control.busy("play"):
            self.runner.check_parts()
            number = self.position.action(action)
            after = self.position.play(number)
            self._take_back_all()
            for tree in self.grown:
                tree.past.play(number, after)
            return after

    def log_up_to(self, simulations: int) -> Log:
        """What was done at the current position, up to this number of simulations: what `repeat` does again there."""
        return log_up_to(self.log, simulations)[len(log_up_to(self.log, 0)) :]

    def rewind(self, simulations: int) -> None:
        """Go back to the tree after `simulations` from the current position; going on gives the same tree again.

        The tree is grown again up to there; `stop` from another thread ends that early.
        """
        check_single(self.grown, "rewind")
        target = whole(simulations)
        if target is None or not 0 <= target <= self.simulations:
            raise SettingsError(
                f"rewind to {simulations!r}, expected a whole number from 0 to {self.simulations}, the simulations "
                f"since the position was set"
            )
        self.past.check_can_rewind(target)
        with self.runner.control.busy("rewind"):
            self.runner.check_parts()
            self.runner.control.start_over()
            self._take_back_all()
            self.past.rewind(target)

    def set_root(self, like: Settings) -> None:
        """Treat the next root as other settings do: their `root`, `noise` and `root_temperature`. The current one keeps
        its priors and its plan. A root that plans must stay one, and one that does not as well."""
        check_single(self.grown, "set_root")
        changes = {name: getattr(like, name) for name in ("root", "noise", "root_temperature")}
        settings = self.settings.replace(**changes)
        if settings == self.settings:
            return
        params = settings.params(self.game)
        if (params.root >= HALVING) != (self.params.root >= HALVING):
            raise SettingsError(
                f"set_root: root would change from {self.settings.root!r} to {settings.root!r}; a search plans at all "
                f"its roots or at none: begin a new one"
            )
        self.runner.settings, self.runner.params = settings, params

    # Snapshots and replay.

    @property
    def origin(self) -> Position:
        """The position that the search began at."""
        return Position(self.game, self.past.start.copy())

    @property
    def log(self) -> Log:
        """What was done since the search began, a run that is under way included: ("run", simulations),
        ("plan", simulations) where a root began to plan for a run, and ("play", action)."""
        check_single(self.grown, "log")
        return self.past.log_now()

    def snapshot(self) -> "Search":
        """A copy with a tree of its own. Take it between runs, or from `progress` during one."""
        twin = copy.copy(self)
        for tree in twin.grown:
            tree.past.log, tree.runner.tree = tree.past.log_now(), copied(tree.runner.tree)
        return twin

    def replay(self, log: Log) -> bool:
        """Bring this search to where a log says, simulation for simulation; False if it has done something else."""
        have, same = self.log, 0
        while same < min(len(have), len(log)) and have[same] == log[same]:
            same += 1
        rest = list(log[same:])
        if len(have) > same + 1 or (len(have) > same and have[same][0] != "run"):
            return False
        if len(have) > same:  # both ran on from here, by another number of simulations
            now = have[same][1]
            then = rest[0][1] if rest and rest[0][0] == "run" else 0
            if then < now:
                if self.simulations < now:
                    return False
                self.rewind(self.simulations - now + then)
                rest = rest[1:] if then else rest
            else:
                rest[0] = ("run", then - now)
        self.repeat(rest)
        return True

    def repeat(self, log: Log, progress: Callable[["Search", float], None] | None = None) -> Result | None:
        """Do what a log tells, from here on; the result of its last run. `stop` from another thread ends it."""
        result = None
        self.runner.control.start_over()
        for what, number in log:
            if what == "play":
                self.play(number)
            elif what == "plan":
                self.past.aim(number)
            elif number and not self.runner.control.is_stopped:
                result = self._run(Limits(number), False, progress, aims=False)
        return result

    def __copy__(self) -> "Search":
        """A search of its own over the same tree; `play` and `rewind` make a new tree and leave this one alone."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        runners = [copy.copy(tree.runner) for tree in self.grown]
        twin._take([GrownTree(new, old.past.copy_for(new)) for new, old in zip(runners, self.grown, strict=True)])
        self.game.searched_by(twin, bool(twin.params.check_keys))
        return twin

    def kept_states(self) -> Any:
        """The states that this search may still need, one row of bytes each. A game of Python objects asks for it."""
        return np.vstack([tree.past.kept_states() for tree in self.grown])

    # Files.

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
        search = cls(game, settings, position=position, seed=seed)
        check_single(search.grown, "from_tree")
        plant(search.runner, literal)
        search.past.begin_with_tree()
        return search

    def save(self, path: str | Path, *, compress: bool = True) -> None:
        """Write the whole search to one file; see docs/file-format.md. Without compression it is several times as
        fast."""
        check_single(self.grown, "save")
        with self.runner.control.busy("save"):
            self._take_back_all()
            save(self, path_from(path, "Search.save"), compress)

    @classmethod
    def load(
        cls,
        path: str | Path,
        game: Game | str | None = None,
        *,
        evaluator: Network | Outside | Callable[..., Any] | None = None,
    ) -> "Search":
        """Read a search from a file.

        A game that is not built in has to be given. So has the function that evaluates, if there was one and the search
        is to go on.
        """
        known = None if game is None else games.as_game(game, "Search.load")
        return load(cls, path_from(path, "Search.load"), known, evaluator)

    def __getstate__(self) -> None:
        raise FileError("a Search can't be pickled; write it with search.save(file), read it with Search.load(file)")

    def __repr__(self) -> str:
        return f"<Search {self.game.title} '{self.position.text}' after {self.simulations} simulations>"

    def _repr_html_(self) -> str:
        return result_html(self.result(), self.root.svg())

    def _take_back_all(self) -> None:
        """Discard pending leaves: the tree is about to be walked in another way."""
        if self._asking is not None:
            self._asking.take_back_all()
