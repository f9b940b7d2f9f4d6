"""One run of a nested search: its arrays, the kernel that goes on with it, and what goes wrong in the rules."""

import time
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from playout.core import endings, nest, nmcs, nrpa
from playout.core import evaluate as core_evaluate
from playout.core.nest import BEST_AT, BEST_LENGTH, PLAYOUTS, RESTARTS, NestOptions, NestWork
from playout.errors import GameError
from playout.game import Game, Position
from playout.game.faults import Hang, rules_may_raise, wrong_value
from playout.search.retrace import follow, start_path

from .methods import NMCS, NRPA

STEPS, ENTRIES = 64, 1024  # room for a line and for all its legal actions, at first
MOST_STEPS = core_evaluate.RUNAWAY_LIMIT
SWEEP_EVERY = 2000  # playouts of Python objects, after which those not needed are released


class NestedRun:
    """A run that begins at a position with random numbers of its own. The same seed and number give the same run."""

    kernel: ClassVar[Callable[..., Any]]
    arrays: Any  # a `Nest` or `Plies`: all that the run knows

    def __init__(self, position: Position, method: NRPA | NMCS, seed: int, number: int) -> None:
        self.game: Game = position.game
        self.position, self.method, self.number = position, method, number
        self.guided = method.priors and self.game.has("priors")
        self.seed = int(np.random.SeedSequence([seed, number]).generate_state(1, np.uint64)[0])
        self.random: Any = self.game.new_random(self.seed)
        self.rules: Any = self.game.rules_table(self.guided, ("policy_playout",))
        room = self.game.rules.room
        self.work = NestWork(
            state=np.zeros(self.game.dtype.itemsize, np.uint8),
            actions=np.zeros(room, np.int32),
            weights=np.zeros(room),
            rewards=np.zeros(1),
            returns=np.zeros(1),
            reached=np.zeros(1, np.int32),
        )
        self.options = self._options(NRPA() if isinstance(method, NMCS) else method)
        self.arrays = self._new_arrays()
        self._swept = 0
        self.game.searched_by(self, check_keys=False)

    def _options(self, method: NRPA) -> NestOptions:
        least, most = self.game.range or (-np.inf, np.inf)
        margin = 1e-6  # for rounding, as `wrong_value` allows
        finite = np.finfo(np.float64).max
        return NestOptions(
            levels=self.method.levels,
            iterations=method.iterations,
            playouts=method.playouts,
            alpha=float(method.alpha),
            repetitions=method.repetitions,
            has_priors=int(self.guided),
            max_actions=self.game.max_actions,
            least_return=max(-finite, least - margin),
            most_return=min(finite, most + margin),
            target=np.inf,
        )

    def _new_arrays(self) -> Any:
        raise NotImplementedError

    def _enlarged(self, detail: int) -> Any:
        raise NotImplementedError

    def actions_under_way(self) -> list[int]:
        """The actions of the playout that has just failed."""
        raise NotImplementedError

    def kept_states(self) -> Any:
        """The states that the run still needs; see `Game.searched_by`."""
        return self.arrays.root[None]

    @property
    def playouts(self) -> int:
        """Playouts so far."""
        return int(self.arrays.counters[PLAYOUTS])

    @property
    def restarts(self) -> int:
        """How often all levels were done."""
        return int(self.arrays.counters[RESTARTS])

    @property
    def value(self) -> float:
        """The return of the best line; -inf before the first."""
        return float(self.arrays.best_value[0])

    @property
    def line(self) -> list[int]:
        """The actions of the best line."""
        found: list[int] = self.arrays.best[: int(self.arrays.counters[BEST_LENGTH])].tolist()
        return found

    @property
    def found_at(self) -> int:
        """The number of the playout that found it, from 1."""
        return int(self.arrays.counters[BEST_AT])

    def compile(self) -> None:
        """Compile the kernel, or read it from disk."""
        type(self).kernel(self.rules, self.options, self.arrays, self.work, 0)

    def advance(self, playouts: int, overdue: Callable[[], str | None]) -> tuple[float, bool]:
        """Up to `playouts` more: the seconds they took, and whether the target was reached."""
        began, wanted = time.perf_counter(), self.playouts + playouts
        while self.playouts < wanted:
            status, detail = self._enter(wanted - self.playouts, overdue)
            if status == endings.GROW:
                if len(self.arrays.best) >= MOST_STEPS and detail != nrpa.FOR_JOURNAL:
                    raise GameError(
                        f"{self.game.title}: a playout did not end within {MOST_STEPS:,} actions; "
                        f"make the rules end the game"
                    )
                self.arrays = self._enlarged(detail)
            elif status == nrpa.REACHED:
                return time.perf_counter() - began, True
            elif status != endings.DONE:
                self._raise_fault(status, detail)
        if self.game.keeps_objects and self.playouts - self._swept > SWEEP_EVERY:
            self.game.forget_unused()
            self._swept = self.playouts
        return time.perf_counter() - began, False

    def _enter(self, playouts: int, overdue: Callable[[], str | None]) -> tuple[int, int]:
        caught = rules_may_raise(self.game, state=self.work.state, overdue=overdue)
        try:
            with self.game.using_random(self.random, overdue), caught, np.errstate(all="ignore"):
                status, detail = type(self).kernel(self.rules, self.options, self.arrays, self.work, playouts)
                return int(status), int(detail)
        except Hang:
            raise
        except GameError:
            self._find_fault()  # says more, where it finds the position
            raise
        finally:
            self.work.rewards[:] = 0.0

    def _find_fault(self) -> None:
        """Play the failed line again, rule by rule, and raise the `GameError` of the first that goes wrong."""
        if self.game.keeps_objects:  # their methods raise messages of their own
            return
        used = {"action_code"} | ({"priors"} if self.guided else set())
        follow(start_path(self.position, used), self.actions_under_way(), used)

    def _raise_fault(self, status: int, detail: int) -> None:
        self._find_fault()
        if status == endings.BAD_VALUE:
            what = wrong_value(self.game, "apply", self.work.returns, f" as rewards from {self.position.text} on")
            raise GameError(what or f"{self.game.title}: a line returned {self.work.returns[0]:g}, out of range")
        raise GameError(
            f"{self.game.title}.legal_actions gives no actions where the game is not over, or more than max_actions = "
            f"{self.game.max_actions}, and something else when asked again; make it depend on the state alone"
        )


class NrpaRun(NestedRun):
    """A run of NRPA."""

    kernel = staticmethod(nrpa.run_nrpa)
    arrays: nest.Nest

    def _new_arrays(self) -> nest.Nest:
        codes = self.game.rules.codes
        return nest.new_nest(
            self.position.buffer, self.seed, self.method.levels, codes, self.guided, STEPS, self._entries
        )

    @property
    def _entries(self) -> int:
        return max(ENTRIES, 2 * self.game.max_actions)

    def _enlarged(self, detail: int) -> nest.Nest:
        return nest.enlarged(self.arrays, detail == nrpa.FOR_JOURNAL)

    def actions_under_way(self) -> list[int]:
        steps = len(self.arrays.best)
        first = int(self.arrays.slots[0]) * steps
        taken: list[int] = self.arrays.taken[first : first + int(self.work.reached[0])].tolist()
        return taken


class NmcsRun(NestedRun):
    """A run of nested Monte Carlo search."""

    kernel = staticmethod(nmcs.run_nmcs)
    arrays: nmcs.Plies

    def _new_arrays(self) -> nmcs.Plies:
        rules = self.game.rules
        return nmcs.new_plies(
            self.position.buffer, self.seed, self.method.levels, rules.codes, rules.room, STEPS, ENTRIES
        )

    def _enlarged(self, detail: int) -> nmcs.Plies:
        return nmcs.enlarged_plies(self.arrays)

    def kept_states(self) -> Any:
        return np.concatenate([self.arrays.root[None], self.arrays.states])

    def actions_under_way(self) -> list[int]:
        row = int(self.arrays.counters[nmcs.ROW])
        path: list[int] = self.arrays.paths[row, : int(self.arrays.depths[row])].tolist()
        played: list[int] = self.arrays.taken[: int(self.work.reached[0])].tolist() if row == 0 else []
        return path + played


def new_run(position: Position, method: NRPA | NMCS, seed: int, number: int) -> NestedRun:
    """The run with this number, which has not begun."""
    return (NrpaRun if isinstance(method, NRPA) else NmcsRun)(position, method, seed, number)
