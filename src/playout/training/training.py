"""Training in generations: self-play, learning, matches, a checkpoint.

All randomness is derived from the seed and the generation's number, so that no generator has to be saved: a run that
was killed and resumes from its last checkpoint gets the same weights, bit for bit.
"""

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playout.common.disk import write_whole
from playout.errors import FileError, SettingsError
from playout.evaluators.pytorch import load_torch
from playout.game import Game
from playout.play.chance import seed_of
from playout.play.source import GameSource
from playout.play.tally import Tally
from playout.workers.cluster import check_address, load_ray
from playout.workers.processes import check_not_importing, interrupts_wait
from playout.workers.site import check_can_travel

from .folder import TrainingFolder
from .learning import State, deterministic, learn, set_scale
from .network_kind import FAST, PLANES, width
from .pool import Pool, tables
from .recipe import value_kind
from .replay import Replay, Samples, reason
from .report import ON_CLUSTER, check_figures, matches_text, summary
from .selfplay import SelfPlayGames, check_observations

RIVALS = (1, 10)  # UCT with this many times the simulations of the network
MOST_MINUTES = 10_000_000
MOST_WORKERS = 4096
BOUT = 2  # openings of a match that one worker plays in one go
PLAYED = ("games", "samples", "entropy", "games_per_minute")  # figures of self-play that later steps need


@dataclass
class Callbacks:
    """Progress callbacks: `line` gets messages, `share` what is being done and the share that is done."""

    line: Callable[[str], None] = lambda text: None
    share: Callable[[str, float], None] = lambda text, share: None


class Training:
    """A training in a folder. `run` resumes what the folder holds; nothing is written before it."""

    def __init__(
        self,
        game: Game | str,
        out: str | Path,
        *,
        settings: dict[str, Any] | None = None,
        command: str = "",
        callbacks: Callbacks | None = None,
        workers: int | None = None,
        ray: str | None = None,
        **given: Any,
    ) -> None:
        check_not_importing()
        self.workers, self.ray = check_workers(workers), ray
        if ray is not None:
            check_address(ray)
            load_ray()
        with interrupts_wait():  # an import that is interrupted may look like a missing package
            load_torch()
            if not given.get("fast"):
                _need_onnx()
        self.callbacks = callbacks or Callbacks()
        self.source = GameSource.of(game, settings, "training")
        self.game = self.source.load()
        self.kind = FAST if given.get("fast") else PLANES
        self.kind.check_game(self.game)
        self.folder = TrainingFolder(out, self.game, command, self.kind)
        self._given = {name: value for name, value in given.items() if value is not None}
        self.recipe = self.folder.recipe(self._given)
        self.kind.turns(self.game)
        if ray is not None:
            check_can_travel(self.source, self.game.title)
        if not self.recipe.fast:
            check_observations(self.game)
        columns = 1 if value_kind(self.game) == "scalar" else self.game.players
        widths = width(self.kind, self.game), self.game.policy_size, columns
        self.replay = Replay(self.folder.path / "replay", self.recipe.window, widths)
        self._deadline = math.inf
        self._phase, self._kept = "", 0  # what is being done, and the generation of the last checkpoint
        self._named: set[str] = set()  # problems that have been reported

    # The run.

    def run(self, generations: int | None = None, minutes: float | None = None) -> State:
        """Train until there are `generations` in all, or for `minutes`, whichever comes first."""
        check_limits(generations, minutes)
        began = time.monotonic()
        self._deadline = began + 60 * minutes if minutes is not None else math.inf
        last = generations if generations is not None else 2**31
        with self.folder.locked(), deterministic(self.recipe.threads):
            self.folder.begin(self.recipe, self._given)
            state = self.folder.restored(self.recipe, self.callbacks.line)
            self._kept = state.generation
            if state.generation:
                self.callbacks.line(f"{self.folder.path}: resuming after generation {state.generation}")
            pool: Pool | None = None
            try:
                while state.generation < last and time.monotonic() < self._deadline:
                    if pool is None:
                        pool = self._pool()
                    self._generation(state, pool)
                if state.best_generation != state.generation and not self._was_evaluated(state):
                    pool = pool or self._pool()
                    self._final(state, pool)
            finally:
                if pool is not None:
                    pool.close()
        return state

    def _pool(self) -> Pool:
        return Pool(self.source, self.game, self.recipe, self.workers, self.ray)

    def _generation(self, state: State, pool: Pool) -> None:
        number = state.generation + 1
        began = time.perf_counter()
        figures: dict[str, Any] = {"generation": number}
        figures |= self._self_play(state, pool, number)
        # All changes to `state` are made from here on, and before the checkpoint is written.
        figures |= self._learn(state, number)
        state.generation = number
        if self.recipe.every and number % self.recipe.every == 0:
            figures |= self._play_matches(state, pool, self._exported(state))
        elif not state.best or not self.recipe.every:
            self._crown(state, self._exported(state))  # without matches, the newest is the best
        figures["seconds"] = round(time.perf_counter() - began, 3)
        state.seconds += figures["seconds"]
        state.history.append(figures)
        self._phase = f"generation {number}, writing the checkpoint"
        self.folder.keep(state, self.recipe)
        self._kept = number
        self.folder.write_report(state, self.recipe, state.history)
        self.callbacks.line(summary(figures))

    def _self_play(self, state: State, pool: Pool, number: int) -> dict[str, Any]:
        self._phase = f"generation {number}, self-play"
        recipe = self.recipe
        played = self._played(number)
        if played is not None:
            return played
        if state.generation == 0 and recipe.teacher > 0:
            network: Any = None
        else:
            network = self._sent(pool, state.best if recipe.gate > 0 and state.best else self._exported(state))
        seed = seed_of(recipe.seed, "games", number)
        jobs = [("table", place, network, seed, *games) for place, games in enumerate(tables(recipe))]

        def look(games: int, evaluations: int) -> None:
            rate = evaluations / max(1e-9, time.perf_counter() - began)
            said = f"generation {number}: {games} of {recipe.games} games · {rate:,.0f} evaluations a second"
            self.callbacks.share(said, games / recipe.games)

        began = time.perf_counter()
        found: list[SelfPlayGames] = pool.share(jobs, look)
        seconds = time.perf_counter() - began
        samples = Samples.joined([table.samples for table in found])
        if not len(samples):
            raise SettingsError(
                f"training: the {recipe.games} games of generation {number} gave no position to learn from; play "
                f"more games, or make `cheap` smaller"
            )
        sums = {key: sum(table.figures[key] for table in found) for key in found[0].figures}
        weighted = {
            key: sum(t.figures[key] * t.figures[by] for t in found) / max(1.0, sums[by])
            for key, by in (("entropy", "samples"), ("first", "games"))
        }
        figures: dict[str, Any] = {
            "games": int(sums["games"]),
            "samples": len(samples),
            "length": round(sums["moves"] / max(1.0, sums["games"]), 2),
            "evaluations": int(sums["evaluations"]),
            "entropy": round(weighted["entropy"], 5),
            "first": round(weighted["first"], 4),
            "games_per_minute": round(60 * sums["games"] / max(1e-9, seconds), 2),
            "evaluations_per_second": round(sums["evaluations"] / max(1e-9, seconds), 1),
            "network_share": round(sums["network_seconds"] / max(1e-9, sums["seconds"]), 3),
            "play_seconds": round(seconds, 3),
        }
        if pool.figures is not None and self.ray is not None:
            line = pool.figures.line()
            figures |= {name: line[name] for name in ON_CLUSTER}
            pool.figures.say(now=True)
        self.replay.write(number, samples, {"generation": number, "seed": recipe.seed, "figures": figures})
        return figures

    def _played(self, number: int) -> dict[str, Any] | None:
        """The figures of a generation whose games were played before the run was stopped."""
        path = self.replay.path(number)
        if not path.exists():
            return None
        try:
            _, about = self.replay.read(number)
            figures = about.get("figures")
            check_figures(figures, PLAYED, "`figures`")
            if about.get("generation") == number and about.get("seed") == self.recipe.seed:
                return dict(figures)  # type: ignore[arg-type]  # it was checked
            self.callbacks.line(f"{path}: has the games of another generation or seed; playing them again")
        except FileError as error:
            self.callbacks.line(f"{error}; playing the games again")
        except ValueError as error:
            self.callbacks.line(f"{path}: is damaged ({reason(error)}); playing the games again")
        return None

    def _learn(self, state: State, number: int) -> dict[str, Any]:
        self._phase = f"generation {number}, learning"
        began = time.perf_counter()
        samples, problems = self.replay.read_window(number)
        for problem in problems:
            if problem not in self._named:  # once, not in every generation of the window
                self.callbacks.line(f"{problem}; going on without it")
        self._named |= set(problems)
        new, _ = self.replay.read(number)
        if number == 1 and not state.model.bounded:
            set_scale(state.model, new)
        recipe = self.recipe
        steps = max(1, math.ceil(recipe.reuse * len(new) / recipe.batch))

        def look(step: int) -> None:
            if step % 10 == 0:
                self.callbacks.share(f"generation {number}: learning, step {step} of {steps}", step / steps)

        found = learn(state, self.game, recipe, samples, steps, seed_of(recipe.seed, "learn", number), look)
        return {**found, "steps": steps, "window": len(samples), "learn_seconds": round(time.perf_counter() - began, 3)}

    # Matches.

    def _play_matches(self, state: State, pool: Pool, network: bytes) -> dict[str, Any]:
        """Matches against UCT and against the best so far; a network that scores enough becomes the best."""
        recipe, number, began = self.recipe, state.generation, time.perf_counter()
        self._phase = f"generation {number}, matches"
        found: dict[str, Any] = {}
        for times in RIVALS:
            self.callbacks.share(f"generation {number}: {recipe.matches} games against UCT", 0.0)
            name = "uct" if times == 1 else f"uct{times}"
            found[name] = self._match(pool, network, times * recipe.simulations, f"{number} {name}")
        if not state.best:
            self._crown(state, network)
        elif state.best_generation != number:
            self.callbacks.share(f"generation {number}: {recipe.matches} games against the best so far", 0.5)
            found["best"] = self._match(pool, network, state.best, f"{number} best")
            found["best"]["generation"] = state.best_generation
            if found["best"]["score"] >= (recipe.gate or 0.5):
                self._crown(state, network)
        return {"matches": found, "match_seconds": round(time.perf_counter() - began, 3)}

    def _match(self, pool: Pool, network: bytes, rival: bytes | int, name: str) -> dict[str, Any]:
        recipe = self.recipe
        seats = max(2, self.game.players)
        ours, theirs = self._sent(pool, network), rival if isinstance(rival, int) else self._sent(pool, rival)
        openings, seed = max(1, recipe.matches // seats), seed_of(recipe.seed, "match", name)
        jobs = [("match", ours, theirs, seed, first, min(BOUT, openings - first)) for first in range(0, openings, BOUT)]
        scores = [score for part in pool.share(jobs) for score in part]
        tally = Tally.of(scores)
        low, high = tally.score_interval
        elo = tally.elo
        return {
            "games": tally.games,
            "wins": tally.wins,
            "draws": tally.draws,
            "losses": tally.losses,
            "score": round(tally.score, 4),
            "low": round(low, 4),
            "high": round(high, 4),
            "elo": round(elo, 1) if math.isfinite(elo) else None,
            "simulations": rival if isinstance(rival, int) else recipe.simulations,
        }

    def _crown(self, state: State, network: bytes) -> None:
        state.best, state.best_generation = network, state.generation

    def _was_evaluated(self, state: State) -> bool:
        return bool(state.history and "matches" in state.history[-1])

    def _final(self, state: State, pool: Pool) -> None:
        """Play the matches of a last network that had none. The checkpoint is not changed, so that a longer run gives
        the same as one that never stopped here."""
        before = state.best, state.best_generation
        figures = self._play_matches(state, pool, self._exported(state))
        self.callbacks.line(matches_text(figures["matches"]))
        write_whole(self.folder.network, state.best)
        shown = [*state.history[:-1], {**state.history[-1], **figures}]
        self.folder.write_report(state, self.recipe, shown)
        state.best, state.best_generation = before

    def _exported(self, state: State) -> bytes:
        return self.folder.exported(state, self.recipe)

    def _sent(self, pool: Pool, network: bytes) -> Any:
        """A network as it is sent to the workers that play."""
        return pool.sent(network, self.folder.path / "playing")

    def where(self) -> str:
        """What an interrupted run was doing, and what is kept of it."""
        kept = f"generation {self._kept} is kept" if self._kept else "no generation is complete yet"
        during = f" during {self._phase}" if self._phase else ""
        return f"stopped{during}; {kept} in {self.folder.path}; the same command resumes it"


def train(game: Game | str, out: str | Path, generations: int | None = None, **given: Any) -> State:
    """Train a network for a game in a folder, and return the last state; `Training` gives more control."""
    minutes = given.pop("minutes", None)
    return Training(game, out, **given).run(generations, minutes)


def check_limits(generations: Any, minutes: Any) -> None:
    """Refuse numbers of generations or minutes that are out of range."""
    if generations is not None and (
        not isinstance(generations, int) or isinstance(generations, bool) or generations < 1
    ):
        raise SettingsError(f"training: generations is {generations!r}, expected a whole number of at least 1")
    if minutes is not None:
        number = isinstance(minutes, int | float) and not isinstance(minutes, bool)
        if not number or not 0 < minutes <= MOST_MINUTES:
            came = f"{minutes:g}" if number else repr(minutes)
            raise SettingsError(f"training: minutes is {came}, expected a number above 0, at most {MOST_MINUTES:,}")


def check_workers(workers: Any) -> int | None:
    """Refuse a number of workers that can't be."""
    if workers is None:
        return None
    if not isinstance(workers, int) or isinstance(workers, bool) or not 1 <= workers <= MOST_WORKERS:
        raise SettingsError(f"training: workers is {workers!r}, expected a whole number from 1 to {MOST_WORKERS:,}")
    return workers


def _need_onnx() -> None:
    try:
        import onnx  # noqa: F401, PLC0415
        import onnxruntime  # noqa: F401, PLC0415
    except ImportError as error:
        raise SettingsError(f"training needs the package {error.name}; pip install 'playout[train]'") from None
