"""`Solver`: runs of a nested search on several threads, their limits, and the best line of all."""

import math
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from pathlib import Path
from typing import Any

from playout.common.arguments import checks_calls, did_you_mean, path_from, plain, seed_from, whole_from
from playout.common.runtime import cores
from playout.errors import PositionError, SettingsError
from playout.game import CHANCE, Game, Position
from playout.games import as_game
from playout.search.control import Control
from playout.search.limits import FOREVER, MOST
from playout.workers.site import check_can_travel
from playout.workers.workers import Workers

from . import files
from .far import SolveSetup, copied
from .methods import METHODS, NMCS, NRPA
from .runs import NestedRun, new_run
from .solution import Solution, played_again

SECONDS = 10.0  # when no limit is given
CHUNK_SECONDS = 0.02  # how long a kernel may run before limits and `stop` are checked
LOOK_SECONDS = 0.1  # between two calls of `progress`
SLICE_SECONDS = 2.0  # for which a worker of a cluster goes on with a run
SAVE_SECONDS = 30.0  # between two writes of the file
MOST_RUNS = 4096
CTRL_C = "Ctrl-C"

Progress = Callable[["Solver", float], None]


@checks_calls
class Solver:
    """Nested search of a game of one player without chance: `run` it, as often as you like; each goes on.

    Attributes:
        game, position: what is solved, and from where on.
        method: `NRPA(…)` or `NMCS(…)`.
        seed, runs: the same seed gives the same runs, whatever the number of cores.
        value: the best return so far; -inf before the first playout.
        playouts, restarts: of all runs so far.

    Methods:
        run(seconds, playouts, target, threads, progress): search on, and return the `Solution`.
        stop(): end a `run` under way in another thread.
        save(path), Solver.load(path): a file to go on from.
    """

    def __init__(
        self,
        game: Any,
        method: str | NRPA | NMCS | None = None,
        *,
        position: str | Position | None = None,
        seed: int | None = 0,
        runs: int | None = None,
    ) -> None:
        self.game: Game = as_game(game, "solve")
        self.position: Position = _start_of(self.game, position)
        self.method = _method_for(self.game, method)
        self.seed = seed_from(seed)
        wanted = cores() if runs is None else whole_from(runs, "runs", 1, MOST_RUNS)
        if self.game.keeps_objects and runs is not None and wanted > 1:
            raise SettingsError(f"{self.game.title} is made of Python objects, which run one at a time; give runs=1")
        count = 1 if self.game.keeps_objects else wanted
        self._runs = [new_run(self.position, self.method, self.seed, number) for number in range(count)]
        self.control = Control()
        self.seconds = 0.0  # of all calls of `run`

    @property
    def runs(self) -> int:
        """The number of independent runs."""
        return len(self._runs)

    @property
    def value(self) -> float:
        """The best return so far; -inf before the first playout."""
        return max(run.value for run in self._runs)

    @property
    def playouts(self) -> int:
        """Playouts of all runs so far."""
        return sum(run.playouts for run in self._runs)

    @property
    def restarts(self) -> int:
        """How often a run was through with all levels."""
        return sum(run.restarts for run in self._runs)

    def stop(self) -> None:
        """End a run that is under way in another thread; it returns the best line so far."""
        self.control.stop()

    def save(self, path: str | Path) -> None:
        """Write a file to go on from."""
        with self.control.busy("Solver.save"):
            files.save(self, self._runs, path_from(path, "Solver.save"))

    @classmethod
    def load(cls, path: str | Path, game: Any = None) -> "Solver":
        """A solver that goes on where the saved one ended. Games that are not built in must be given."""
        path = path_from(path, "Solver.load")
        header, arrays, found = files.load(path, None if game is None else as_game(game, "Solver.load"))
        start = files.start_of(path, header, found)
        solver = cls(found, header.method, position=start, seed=header.seed, runs=header.runs)
        solver.seconds = header.seconds
        files.fill(path, solver._runs, arrays)
        return solver

    def run(
        self,
        seconds: float | None = None,
        playouts: int | None = None,
        *,
        target: float | None = None,
        threads: int | None = None,
        progress: Progress | None = None,
        file: str | Path | None = None,
        ray: str | None = None,
    ) -> Solution:
        """Search on until a limit is reached, and return the best line so far; Ctrl-C ends it, too.

        Args:
            seconds: how long; 10 when there is no limit at all.
            playouts: how many more, of all runs together.
            target: end as soon as a line is worth this much.
            threads: how many runs at once; by default as many as cores.
            progress: called now and then with the solver and the share of the limits that is used up.
            file: where to save the search every half minute and at the end.
            ray: the address of a Ray cluster (`HOST:PORT`, `auto`, `local`) whose CPUs do the runs; then `threads` is
                how many of them.
        """
        within = _Limits(seconds, playouts, target)
        count = min(self.runs, cores() if threads is None else whole_from(threads, "threads", 1, MOST_RUNS))
        with self.control.busy("Solver.run"):
            self.control.start_over()
            path = None if file is None else path_from(file, "Solver.run")
            if ray is not None:
                stopped_by = _FarSession(self, within, threads, progress, path, ray).go()
            else:
                self._runs[0].compile()
                stopped_by = _Session(self, within, count, progress, path).go()
            if not math.isfinite(self.value):
                raise KeyboardInterrupt("no line was found yet")
            return self._solution(stopped_by)

    def _solution(self, stopped_by: str) -> Solution:
        best = max(self._runs, key=lambda run: (run.value, -run.number))
        texts, end = played_again(self.position, best.line, best.value)
        return Solution(
            value=best.value,
            line=texts,
            actions=tuple(best.line),
            start=self.position,
            position=end,
            playouts=self.playouts,
            seconds=self.seconds,
            found_at=best.found_at,
            restarts=self.restarts,
            method=self.method,
            runs=self.runs,
            seed=self.seed,
            stopped_by=stopped_by,
        )

    @property
    def all_runs(self) -> list[NestedRun]:
        """The runs, in the order of their numbers."""
        return self._runs


class _Limits:
    """When a session ends."""

    def __init__(self, seconds: Any, playouts: Any, target: Any) -> None:
        if seconds is None and playouts is None:
            seconds = SECONDS
        self.seconds = _number(seconds, "seconds", 0.0, FOREVER)
        self.playouts = None if playouts is None else whole_from(playouts, "playouts", 1, MOST)
        self.target = _number(target, "target", -math.inf, math.inf)


class _Session:
    """One call of `Solver.run`: threads take turns with the runs, in rounds after which the file is written."""

    def __init__(
        self, solver: Solver, limits: _Limits, threads: int, progress: Progress | None, path: Path | None
    ) -> None:
        self.solver, self.limits, self.threads = solver, limits, threads
        self.progress, self.path, self.control = progress, path, solver.control
        self.ended_by = ""
        self.seconds_before, self.began = solver.seconds, time.perf_counter()
        self.deadline = math.inf if limits.seconds is None else self.began + limits.seconds
        self.control.deadline = None if limits.seconds is None else self.deadline
        self.round_ends = math.inf

    def go(self) -> str:
        """Run until a limit is reached; returns which one."""
        solver, runs = self.solver, self.solver.all_runs
        asked = math.inf if self.limits.target is None else self.limits.target
        target = min(asked, solver.game.range[1] if solver.game.range else math.inf)
        self.at_target = "target" if target == asked else "value_range"
        if solver.value >= target:
            return self.at_target
        for run in runs:
            run.options = run.options._replace(target=target)
        shares = _shares(self.limits.playouts, len(runs))
        self.ends = {run.number: run.playouts + share for run, share in zip(runs, shares, strict=True)}
        self.waiting = deque(run for run in runs if run.playouts < self.ends[run.number])
        self.chunks = {run.number: 1 for run in runs}
        self.done_before = solver.playouts
        while self.waiting and not self.ended_by:
            self.round_ends = math.inf if self.path is None else time.perf_counter() + SAVE_SECONDS
            self._round()
            solver.seconds = self.seconds_before + time.perf_counter() - self.began
            if self.path is not None:
                files.save(solver, runs, self.path)
        return self.ended_by or "playouts"

    def _round(self) -> None:
        """Let threads work until the session or the round is over."""
        with ThreadPoolExecutor(self.threads, "playout-solve") as pool:
            working = {pool.submit(self._work) for _ in range(self.threads)}
            try:
                while working:
                    done, working = wait(working, LOOK_SECONDS, FIRST_EXCEPTION)
                    for future in done:
                        future.result()
                    self._show()
            except KeyboardInterrupt:
                self.ended_by = CTRL_C
                self.control.stop()
                for future in working:
                    future.result()
            except BaseException:
                self.control.stop()
                raise

    def _work(self) -> None:
        """Go on with one waiting run after the other, for a chunk of playouts each. Runs in each thread."""
        while not self._is_over():
            try:
                run = self.waiting.popleft()
            except IndexError:  # the other threads have the rest
                return
            left, chunk = self.ends[run.number] - run.playouts, self.chunks[run.number]
            seconds, reached = run.advance(min(chunk, left), self.control.overdue)
            wanted = max(0.0, min(CHUNK_SECONDS, self.deadline - time.perf_counter()))
            self.chunks[run.number] = max(1, min(2 * chunk, int(chunk * wanted / max(seconds, 1e-6))))
            if reached:
                self.ended_by = self.ended_by or self.at_target
            if run.playouts < self.ends[run.number]:
                self.waiting.append(run)

    def _is_over(self) -> bool:
        now = time.perf_counter()
        if self.control.is_stopped:
            self.ended_by = self.ended_by or "stop"
        elif now >= self.deadline and math.isfinite(self.solver.value):
            self.ended_by = self.ended_by or "seconds"
        return bool(self.ended_by) or now >= self.round_ends

    def _show(self) -> None:
        if self.progress is None:
            return
        share = 0.0
        if self.limits.seconds is not None:
            share = (time.perf_counter() - self.began) / self.limits.seconds
        if self.limits.playouts is not None:
            share = max(share, (self.solver.playouts - self.done_before) / self.limits.playouts)
        self.progress(self.solver, min(1.0, share))


class _FarSession(_Session):
    """The same on a cluster: in each round, a worker goes on with a run for some seconds."""

    def __init__(
        self,
        solver: Solver,
        limits: _Limits,
        threads: int | None,
        progress: Progress | None,
        path: Path | None,
        ray: str,
    ) -> None:
        if solver.game.keeps_objects:
            raise SettingsError(f"{solver.game.title} is made of Python objects, which can't be sent; leave --ray out")
        super().__init__(solver, limits, threads or solver.runs, progress, path)
        setup = SolveSetup(solver.position, solver.method, solver.seed)
        check_can_travel(setup, solver.game.title)
        count = min(self.threads, solver.runs)
        self.workers = Workers(setup.worker, count, "the nested search", ray=ray, ahead=1)
        try:
            self.workers.wait()
        except BaseException:
            self.workers.close()
            raise
        self.began = time.perf_counter()  # starting the workers is not part of the time
        self.deadline = math.inf if limits.seconds is None else self.began + limits.seconds

    def go(self) -> str:
        try:
            return super().go()
        finally:
            self.workers.close()

    def _round(self) -> None:
        try:
            while self.waiting and not self._is_over():
                self._slice()
                self._show()
        except KeyboardInterrupt:
            self.ended_by = CTRL_C

    def _slice(self) -> None:
        runs = list(self.waiting)
        remaining = max(0.01, self.deadline - time.perf_counter())
        seconds = min(SLICE_SECONDS, remaining / self.workers.waves(len(runs)))
        left = None if math.isinf(remaining) else remaining
        jobs = [
            (run.number, run.arrays, self.ends[run.number] - run.playouts, seconds, left, run.options.target)
            for run in runs
        ]
        for run, (arrays, reached) in zip(runs, self.workers.share(jobs, self._show), strict=True):
            run.arrays = copied(arrays)
            if reached:
                self.ended_by = self.ended_by or self.at_target
        self.waiting = deque(run for run in runs if run.playouts < self.ends[run.number])


def _shares(playouts: int | None, runs: int) -> list[int]:
    """The playouts of each run.

    >>> _shares(10, 4)
    [3, 3, 2, 2]
    """
    if playouts is None:
        return [MOST] * runs
    return [playouts // runs + (number < playouts % runs) for number in range(runs)]


def _number(value: Any, name: str, above: float, most: float) -> float | None:
    found = plain(value)
    if found is None:
        return None
    if not isinstance(found, int | float) or isinstance(found, bool) or not above < found <= most:
        expected = "a number" if above == -math.inf else f"a number above {above:g} and at most {most:g}"
        raise SettingsError(f"{name} is {value!r:.80}, expected {expected}")
    return float(found)


def _method_for(game: Game, method: Any) -> NRPA | NMCS:
    """The method given, or by default NRPA; for Python objects, whose actions have no codes, NMCS."""
    if isinstance(method, type) and method in METHODS.values():
        method = method()
    if method is None:
        method = NMCS() if game.keeps_objects else NRPA()
    if isinstance(method, str):
        if method not in METHODS:
            known = " or ".join(f"'{name}'" for name in METHODS)
            raise SettingsError(f"method is '{method}', expected {known}{did_you_mean(method, METHODS)}")
        method = METHODS[method]()
    if not isinstance(method, NRPA | NMCS):
        raise SettingsError(f"method is {method!r:.80}, expected 'nrpa', 'nmcs', NRPA(…) or NMCS(…)")
    if isinstance(method, NRPA) and game.keeps_objects:
        raise SettingsError(
            f"{game.title} is made of Python objects, whose actions are numbered separately in each position, so that "
            f"NRPA can't tell which is which; write it as a po.Game, or give method='nmcs'"
        )
    return method


def _start_of(game: Game, position: str | Position | None) -> Position:
    """The position to solve; games that nested search can't solve are refused."""
    if game.players != 1:
        raise SettingsError(
            f"{game.title} has {game.players} players; nested search solves games of one player, use Search"
        )
    if game.draws:
        raise SettingsError(f"{game.title} draws its actions; nested search tries all that are listed, use Search")
    if game.has("chance_outcomes"):
        raise SettingsError(
            f"{game.title} has chance, so that no line of actions is sure; nested search solves games without it, "
            f"use Search"
        )
    if isinstance(position, Position) and position.game is not game:
        raise PositionError(f"position is of {position.game!r}, expected one of {game!r}")
    start = position if isinstance(position, Position) else game.position(position)
    if start.player == CHANCE or start.is_terminal:
        raise PositionError(f"{game.title}: the game is over in {start.text}; there is nothing to solve")
    return start
