"""`Runner`: the tree of one search, and all that enters a kernel to grow it."""

import copy
from collections.abc import Callable
from typing import Any

import numpy as np

from playout.core import endings, simulate
from playout.core import expand as core_expand
from playout.core import graph as core_graph
from playout.core import tree as core
from playout.core.amaf import FIRST_TABLES, new_tables
from playout.core.learned import new_learned
from playout.core.params import GRAPH, HALVING, OPEN, OUTSIDE, TREE, Params
from playout.core.tree import Tree, Work
from playout.errors import GameError, PositionError, SettingsError
from playout.evaluators import Evaluator
from playout.evaluators.fast import LoopFacts
from playout.game import CHANCE, Game, Position
from playout.game.faults import Hang, rules_may_raise
from playout.parts.part import Column, Part, columns_of, missing
from playout.settings import Settings

from . import room, roots
from .batches import Batches
from .chunks import ENDLESS, ChunkedRun
from .control import Control
from .crew import Crew
from .failures import check_expansion, check_status
from .found import SeenLine, carry_line, take_line
from .graph_crew import GraphCrew
from .limits import Limits
from .pipeline import Pipeline
from .retrace import check_hash, find_fault
from .tables import rules_of_game, rules_with_parts

EXACT_CHUNK = 4096  # simulations in a call of the kernel when a search is grown again
KERNELS = {TREE: simulate.run, GRAPH: simulate.run_in_graph, OPEN: simulate.run_open}


class Runner:
    """The root position, the tree, and the arrays and rules that the kernels work with."""

    position: Position  # of the root
    tree: Tree

    def __init__(self, game: Game, settings: Settings, seed: int, network: LoopFacts | None = None) -> None:
        self.game, self.settings, self.seed = game, settings, seed
        self.params: Params = settings.params(game)
        if self.params.graph:
            game.check_can_share()
        self.control = Control()
        self.random: Any = game.new_random(seed)
        self.network = network  # one inside the loop: the table holds its address
        self.rules: Any = rules_of_game(game, settings, self.params, network)
        self.topology = OPEN if self.params.open_loop else GRAPH if self.params.graph else TREE
        self.work: Work = self.new_work(depth=128)
        self.batches: Batches | None = None  # where values come from outside
        self.found: SeenLine | None = None  # the last one that was asked for
        # Objects hold Python's lock: they gain nothing. Networks have threads of their own (`attach`).
        alone = game.keeps_objects or self.params.evaluator == OUTSIDE or settings.threads == 1
        self.crew: Crew | None = None if alone else self._new_crew()

    def __copy__(self) -> "Runner":
        """A runner of its own over the same tree."""
        twin = object.__new__(type(self))
        twin.__dict__.update(self.__dict__)
        twin.control = Control()
        twin.work, twin.random = self.new_work(len(self.work.path_nodes)), copy.deepcopy(self.random)
        if self.batches is not None:  # pending leaves belong to one search
            twin.attach(self.batches.evaluator)
        if self.crew is not None:
            twin.crew = twin._new_crew()
        return twin

    def _new_crew(self) -> Crew:
        return (GraphCrew if self.params.graph else Crew)(self, self.settings.threads)

    @property
    def simulations(self) -> int:
        """Simulations since this root was set."""
        return int(self.tree.counters[core.SIMULATIONS])

    @property
    def kernel_arguments(self) -> tuple[Any, Params, Tree, Work]:
        """What every kernel begins with."""
        return self.rules, self.params, self.tree, self.work

    # Values from outside.

    def attach(self, evaluator: Evaluator) -> None:
        """Take the values of leaves from an evaluator."""
        threads = self.settings.threads
        self.batches = Batches(self, evaluator) if threads == 1 else Pipeline(self, evaluator, threads)

    @property
    def cuts_batches(self) -> bool:
        """Whether the tree depends on where a run was cut in two: batches are cut there, too."""
        return self.batches is not None and self.batches.evaluator.setting.batch != 1

    # Parts.

    @property
    def columns(self) -> list[Column]:
        """The columns that policy and backup keep for each edge, and the counts of results."""
        return columns_of((self.settings.policy, self.settings.backup), self.tree, self.settings.wdl)

    def absent_parts(self) -> list[Part]:
        """Policy or backup, where a file names one that is not at hand."""
        return [part for part in (self.settings.policy, self.settings.backup) if part.absent]

    def check_parts(self) -> None:
        """Refuse to go on without the search's own policy and backup."""
        for part in self.absent_parts():
            cls = type(part)
            raise SettingsError(missing(cls._role, cls.__qualname__, cls.__module__) + "; until then, it can be read")

    def with_parts(self, *, shown: bool, waiting: int | None = None) -> Any:
        """The rules table with policy and backup in it; see `rules_with_parts`."""
        arrays = (self.params, self.tree, self.work)
        return rules_with_parts(
            self.rules, self.game, self.settings, self.topology, arrays, shown=shown, waiting=waiting
        )

    # The tree.

    def new_tree(
        self, position: Position, seed: int, records: int = 1024, edges: int = 4096, tables: int = FIRST_TABLES
    ) -> Tree:
        """An empty tree with room for `records` nodes, `edges` edges and `tables` of actions where nodes have them."""
        game, keep = self.game, bool(self.params.keep_states)
        parts = self.settings.policy.kept(game), self.settings.backup.kept(game, self.settings.wdl)
        rows = game.max_actions if self.params.root >= HALVING else 0
        learned = new_learned(game.players, self.params.codes, self.params.learns)
        amaf, graph = new_tables(game.players, self.params.codes, self.params.amaf, tables), self.params.graph
        return core.new_tree(
            position.buffer, game.players, keep, seed, graph, records, edges, *parts, rows, learned, amaf
        )

    def plant(self, position: Position, seed: int) -> None:
        """Begin with an empty tree whose root is expanded."""
        self.position = position
        self.tree = self.new_tree(position, seed)
        self.make_room()
        if position.is_terminal:
            return
        if self.params.has_hash and self.game.rules.guard:
            check_hash(position)
        self.work.state[:] = position.buffer
        self.add_node(position.player, -1)
        self.tree.counters[core.POSITIONS] = 1
        self.shape_priors()

    def move_to(self, after: Position, action: int) -> None:
        """Make the subtree of an action the tree; where it has none, plant a new one."""
        before, kept = self.tree, roots.subtree(self, after, action)
        if kept is None:
            self.plant(after, int(self.tree.rng[0]))
        else:
            self.tree, self.position = kept, after
            if after.player != CHANCE:
                self.shape_priors()
        self.tree = carry_line(before, self.tree, action, after, self.params.discount)

    def aim(self, simulations: int) -> None:
        """Have the root plan for this many more simulations; a plan that is under way is carried out first."""
        plan = self.tree.plan
        plan["wanted"] = np.maximum(plan["wanted"], self.simulations + simulations)

    def add_node(self, player: int, edge: int) -> int:
        """Add a node for `work.state`, outside a simulation, below an edge (-1: the root)."""
        with np.errstate(over="ignore"):  # uncompiled, as compiled
            status, number = self.call(core_expand.expand_position, *self.kernel_arguments, player)
            check_expansion(self, status, number)
            if self.params.graph:
                self.call(core_graph.enter_position, *self.kernel_arguments, number, edge)
        return int(number)

    def enter_all(self) -> None:
        """Key every node again by its position; positions without a node are forgotten."""
        self.tree.table[:] = 0
        with np.errstate(over="ignore"):  # uncompiled, as compiled
            for number in range(core.ROOT, int(self.tree.counters[core.NODES])):
                self.call(core_graph.enter_again, *self.kernel_arguments, number)

    def shape_priors(self) -> None:
        """Apply temperature and fresh noise to the priors of a new root, if the settings ask for it."""
        roots.shape_priors(self)

    # Memory.

    def new_work(self, depth: int, trace: int = 0) -> Work:
        """Arrays for a path of `depth` nodes; with `trace`, also for what a step shows."""
        return room.new_work(self, depth, trace)

    def make_room(self, byte_limit: int = ENDLESS) -> None:
        """Grow the tree's arrays to twice the used size, but not past a limit of bytes."""
        self.tree = room.enlarged(self, byte_limit)

    def reserve(self, limits: Limits, trees: int = 1) -> None:
        """Grow the tree's arrays to what a whole run may need; it is one of several `trees`."""
        self.tree = room.reserved(self, limits, trees)

    # Kernels.

    def call(self, kernel: Callable[..., Any], *arguments: Any) -> Any:
        """Enter a kernel. A rule that raises leaves nothing half done: trees change after the rules have answered."""
        try:
            parts = (self.settings.policy, self.settings.backup)
            caught = rules_may_raise(self.game, state=self.work.state, overdue=self.control.overdue, parts=parts)
            with caught, np.errstate(over="ignore", invalid="ignore", divide="ignore"):  # uncompiled, as compiled
                return kernel(*arguments)
        except Hang:
            raise
        except GameError as failed:
            find_fault(self, failed)  # says more, where it finds the position
            raise
        finally:
            self.work.rewards[:] = 0.0
            self.tree = take_line(self.tree, self.work)

    def compile(self) -> None:
        """Compile the kernel, or read it from disk, before the clock of a run starts."""
        if self.batches is not None:
            self.batches.compile()
        elif self.crew is not None:
            self.crew.compile()
        else:
            KERNELS[self.topology](*self.kernel_arguments, 0, ENDLESS, ENDLESS, 0)

    def advance(
        self, simulations: int, node_limit: int, byte_limit: int, target: int, params: Params
    ) -> tuple[int, int]:
        """Up to `simulations` in one call of the kernel, or one batch: (status, detail)."""
        if self.batches is not None:
            return self.batches.advance(simulations, node_limit, byte_limit, target, params)
        if self.crew is not None and not (params.evaluate_root and self.tree.nodes[core.ROOT]["visits"] == 0):
            return self.crew.advance(simulations, node_limit, byte_limit, target, params)
        if self.crew is not None:
            simulations = 1
        status, detail = self.call(
            KERNELS[self.topology],
            self.rules,
            params,
            self.tree,
            self.work,
            simulations,
            node_limit,
            byte_limit,
            target,
        )
        return int(status), int(detail)

    def serve(self, status: int, detail: int, byte_limit: int = ENDLESS) -> None:
        """Act on a kernel's status: give it more memory or a longer path, or raise what is wrong with the rules."""
        if status == endings.GROW:
            self.make_room(byte_limit)
        elif status == endings.DEEPER:
            self.work = self.new_work(2 * len(self.work.path_nodes))
            self.make_room(byte_limit)
        else:
            check_status(self, status, detail)

    # Runs.

    def check_root(self, limits: Limits | None = None, trees: int = 1) -> None:
        """Refuse a root that can't be searched, and a limit of bytes that is too small for it in several `trees`."""
        self.check_parts()
        game, position = self.game, self.position
        if position.is_terminal:
            raise PositionError(f"{game.title}: the game is over in {position.text}; there is nothing to search")
        if position.player == CHANCE:
            names = ", ".join(position.action_text(a) for a, _ in position.outcomes()[:8])
            raise PositionError(f"{game.title}: chance moves next in {position.text}; play an outcome first ({names})")
        self._check_plan(limits.simulations if limits is not None else None)
        if limits is not None and limits.bytes is not None:
            proofs = core.END_PROOF + 1 + (len(self.work.path_nodes) if self.params.solver else 0)
            least = trees * core.record_bytes(self.tree, core.ROOT + 2, 2 * game.max_actions, proofs)
            if limits.bytes < least:
                roots = "a root" if trees == 1 else f"{trees} roots"
                raise SettingsError(
                    f"limit bytes is {limits.bytes}, too small for {roots} of {game.title} with {game.players} "
                    f"player{'s' if game.players > 1 else ''}; expected at least {least}"
                )

    def _check_plan(self, simulations: int | None) -> None:
        """Refuse to halve with fewer simulations than actions, unless the plan is already under way."""
        tree, params = self.tree, self.params
        if params.root != HALVING or max(tree.plan[0]["ends"], tree.plan[0]["wanted"]) > self.simulations:
            return
        root = tree.nodes[core.ROOT]
        least = int(root["count"]) + int(params.evaluate_root and root["visits"] == 0)
        given = simulations or params.planned
        if given and given < least:
            raise SettingsError(
                f"Halving compares all {root['count']} actions of {self.position.text or 'the start'}, for which "
                f"{given} simulations are too few; give it {least} or more, or take Gumbel(), which considers some"
            )

    def run(
        self, limits: Limits, began: float, progress: Callable[[float], None] | None, *, early_stop: bool = True
    ) -> str:
        """Run chunks of simulations until a limit is reached; returns which one."""
        run = ChunkedRun(self, limits, began, early_stop=early_stop)
        with self.game.using_random(self.random, self.control.overdue):
            while True:
                if progress is not None:
                    progress(run.share)
                if reason := run.advance():
                    break
            self.drain()
        return reason

    def exactly(self, simulations: int) -> None:
        """Run a number of simulations without limits or early stop; `stop` and a proof end it."""
        params = self.params._replace(early_stop=0)
        target = self.simulations + simulations
        with self.game.using_random(self.random, self.control.overdue):
            while self.simulations < target and not self.control.is_stopped:
                left = min(target - self.simulations, EXACT_CHUNK)
                status, detail = self.advance(left, ENDLESS, ENDLESS, target, params)
                if status == endings.SOLVED:
                    break
                self.serve(status, detail)
            self.drain()

    def drain(self) -> None:
        """Back up what is still under evaluation."""
        if self.batches is not None:
            self.batches.drain()
