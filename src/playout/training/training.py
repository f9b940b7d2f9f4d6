"""Training: games, learning, evaluation, a checkpoint; and again. The unit is the generation.

Everything that is random comes from the seed and the generation's number, so that there are no generators to keep: a
run that was killed and goes on from its last checkpoint comes to the same weights, bit for bit.
"""

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from playout.arena.statistics import Tally
from playout.common.disk import write_whole
from playout.errors import FileError, SettingsError
from playout.evaluators.pytorch import _torch, export
from playout.game import Game
from playout.play.openings import seed_of
from playout.play.workers import check_not_importing, interrupts_wait

from .learning import State, averaged, deterministic, learn, new_state, set_scale, state_arrays, state_of, symmetries_of
from .pool import Pool, Source
from .recipe import Recipe, recipe_for, value_kind
from .replay import Replay, Samples, packed, read_arrays, reason, write_arrays
from .report import check_figures
from .selfplay import SelfPlayGames, check_observations

KEPT = 2  # checkpoints
RIVALS = (1, 10)  # UCT with so many times the simulations of the network
SETTINGS_FILE = "settings.json"
MOST_MINUTES = 10_000_000
PLAYED = ("games", "samples", "entropy", "games_per_minute")  # figures of self-play that later steps need


@dataclass
class Watch:
    """Who looks on: `line` gets a sentence now and then, `share` what is going on and how far it is."""

    line: Callable[[str], None] = lambda text: None
    share: Callable[[str, float], None] = lambda text, share: None


class Training:
    """A training in a folder. `run` goes on where the folder stands; nothing is written before it."""

    def __init__(
        self,
        game: Game | str,
        out: str | Path,
        *,
        settings: dict[str, Any] | None = None,
        command: str = "",
        watch: Watch | None = None,
        **given: Any,
    ) -> None:
        check_not_importing()
        with interrupts_wait():  # an import that Ctrl-C ends may look like a package that is missing
            _torch()
            _need_onnx()
        self.watch, self.command = watch or Watch(), command
        if isinstance(game, str):
            self.source = Source(game, dict(settings or {}))
            self.game = self.source.load()
        else:
            self.source, self.game = Source((type(game), dict(game.values))), game
        check_game(self.game)
        self.folder = Path(out).expanduser().absolute()
        self._given = {name: value for name, value in given.items() if value is not None}
        self.recipe = self._recipe()
        check_rules(self.game)
        columns = 1 if value_kind(self.game) == "scalar" else self.game.players
        widths = math.prod(self.game.planes), self.game.policy_size, columns
        self.replay = Replay(self.folder / "replay", self.recipe.window, widths)
        self._deadline = math.inf
        self._phase, self._kept = "", 0  # what is going on, and the generation of the last checkpoint
        self._named: set[str] = set()  # problems that have been said
        self._latest: tuple[tuple[int, int], bytes] = (-1, -1), b""

    @property
    def network_file(self) -> Path:
        """Where the best network so far is."""
        return self.folder / f"{self.game.title}.onnx"

    # The run.

    def run(self, generations: int | None = None, minutes: float | None = None) -> State:
        """Train up to so many generations in all, or for so many minutes, whichever comes first."""
        check_limits(generations, minutes)
        began = time.monotonic()
        self._deadline = began + 60 * minutes if minutes is not None else math.inf
        last = generations if generations is not None else 2**31
        with self._locked(), deterministic(self.recipe.threads):
            self._begin()
            state = self._restored()
            self._kept = state.generation
            if state.generation:
                self.watch.line(f"{self.folder}: going on after generation {state.generation}")
            pool: Pool | None = None
            try:
                while state.generation < last and time.monotonic() < self._deadline:
                    if pool is None:
                        pool = Pool(self.source, self.game, self.recipe)
                    self._generation(state, pool)
                if state.best_generation != state.generation and not self._was_evaluated(state):
                    pool = pool or Pool(self.source, self.game, self.recipe)
                    self._final(state, pool)
            finally:
                if pool is not None:
                    pool.close()
        return state

    def _generation(self, state: State, pool: Pool) -> None:
        number = state.generation + 1
        began = time.perf_counter()
        figures: dict[str, Any] = {"generation": number}
        figures |= self._self_play(state, pool, number)
        # From here on a checkpoint is due: all changes to `state` are made before it is written.
        figures |= self._learn(state, number)
        state.generation = number
        if self.recipe.every and number % self.recipe.every == 0:
            figures |= self._evaluate(state, pool, self._exported(state))
        elif not state.best or not self.recipe.every:
            self._crown(state, self._exported(state))  # without matches, the newest is the best
        figures["seconds"] = round(time.perf_counter() - began, 3)
        state.seconds += figures["seconds"]
        state.history.append(figures)
        self._keep(state)
        self.watch.line(summary(figures))

    def _self_play(self, state: State, pool: Pool, number: int) -> dict[str, Any]:
        self._phase = f"generation {number}, self-play"
        recipe = self.recipe
        played = self._played(number)
        if played is not None:
            return played
        if state.generation == 0 and recipe.teacher > 0:
            network = None
        else:
            network = state.best if recipe.gate > 0 and state.best else self._exported(state)
        shares = _shares(recipe.games, recipe.workers)
        jobs = [
            ("table", place, network, games, seed_of(recipe.seed, "table", number, place))
            for place, games in enumerate(shares)
            if games
        ]

        def look(games: int, evaluations: int) -> None:
            rate = evaluations / max(1e-9, time.perf_counter() - began)
            said = f"generation {number}: {games} of {recipe.games} games · {rate:,.0f} evaluations a second"
            self.watch.share(said, games / recipe.games)

        began = time.perf_counter()
        tables: list[SelfPlayGames] = pool.share(jobs, look)
        seconds = time.perf_counter() - began
        samples = Samples.joined([table.samples for table in tables])
        if not len(samples):
            raise SettingsError(
                f"training: the {recipe.games} games of generation {number} brought no position to learn from; play "
                f"more games, or make `cheap` smaller"
            )
        sums = {key: sum(table.figures[key] for table in tables) for key in tables[0].figures}
        weighted = {
            key: sum(t.figures[key] * t.figures[by] for t in tables) / max(1.0, sums[by])
            for key, by in (("entropy", "samples"), ("first", "games"))
        }
        figures = {
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
        self.replay.write(number, samples, {"generation": number, "seed": recipe.seed, "figures": figures})
        return figures

    def _played(self, number: int) -> dict[str, Any] | None:
        """The figures of a generation whose games were played before the run was ended."""
        path = self.replay.path(number)
        if not path.exists():
            return None
        try:
            _, about = self.replay.read(number)
            figures = about.get("figures")
            check_figures(figures, PLAYED, "`figures`")
            if about.get("generation") == number and about.get("seed") == self.recipe.seed:
                return dict(figures)  # type: ignore[arg-type]  # it was checked
            self.watch.line(f"{path}: has the games of another generation or seed; playing them again")
        except FileError as error:
            self.watch.line(f"{error}; playing the games again")
        except ValueError as error:
            self.watch.line(f"{path}: is damaged ({reason(error)}); playing the games again")
        return None

    def _learn(self, state: State, number: int) -> dict[str, Any]:
        self._phase = f"generation {number}, learning"
        began = time.perf_counter()
        samples, problems = self.replay.read_window(number)
        for problem in problems:
            if problem not in self._named:  # once, not in every generation of the window
                self.watch.line(f"{problem}; going on without it")
        self._named |= set(problems)
        new, _ = self.replay.read(number)
        if number == 1 and not state.model.bounded:
            set_scale(state.model, new)
        recipe = self.recipe
        steps = max(1, math.ceil(recipe.reuse * len(new) / recipe.batch))

        def look(step: int) -> None:
            if step % 10 == 0:
                self.watch.share(f"generation {number}: learning, step {step} of {steps}", step / steps)

        found = learn(state, self.game, recipe, samples, steps, seed_of(recipe.seed, "learn", number), look)
        return {**found, "steps": steps, "window": len(samples), "learn_seconds": round(time.perf_counter() - began, 3)}

    # Evaluation.

    def _evaluate(self, state: State, pool: Pool, network: bytes) -> dict[str, Any]:
        """Matches against UCT and against the best so far; whoever is not worse than that one is the best now."""
        recipe, number, began = self.recipe, state.generation, time.perf_counter()
        self._phase = f"generation {number}, matches"
        found: dict[str, Any] = {}
        for times in RIVALS:
            self.watch.share(f"generation {number}: {recipe.matches} games against UCT", 0.0)
            name = "uct" if times == 1 else f"uct{times}"
            found[name] = self._match(pool, network, times * recipe.simulations, f"{number} {name}")
        if not state.best:
            self._crown(state, network)
        elif state.best_generation != number:
            self.watch.share(f"generation {number}: {recipe.matches} games against the best so far", 0.5)
            found["best"] = self._match(pool, network, state.best, f"{number} best")
            found["best"]["generation"] = state.best_generation
            if found["best"]["score"] >= (recipe.gate or 0.5):
                self._crown(state, network)
        return {"matches": found, "match_seconds": round(time.perf_counter() - began, 3)}

    def _match(self, pool: Pool, network: bytes, rival: bytes | int, name: str) -> dict[str, Any]:
        recipe = self.recipe
        seats = max(2, self.game.players)
        jobs = [
            ("match", place, network, rival, seats * pairs, seed_of(recipe.seed, "match", name, place))
            for place, pairs in enumerate(_shares(max(1, recipe.matches // seats), recipe.workers))
            if pairs
        ]
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
        """The last network had no match yet: it has one now. The checkpoint stays as it is, so that a longer run is the
        same as one that never stopped here."""
        before = state.best, state.best_generation
        figures = self._evaluate(state, pool, self._exported(state))
        self.watch.line(matches_text(figures["matches"]))
        write_whole(self.network_file, state.best)
        shown = [*state.history[:-1], {**state.history[-1], **figures}]
        self._report(state, shown)
        state.best, state.best_generation = before

    # Files.

    def _exported(self, state: State) -> bytes:
        """The network that plays, as an ONNX file; also written as latest.onnx."""
        if self._latest[0] == (state.generation, state.steps):
            return self._latest[1]
        model = averaged(state, self.game, self.recipe)
        path = self.folder / "latest.onnx"
        about = {
            "playout.generation": str(state.generation),
            "playout.training": packed(self.recipe.to_dict()).tobytes().decode(),
            "playout.command": self.command,
        }
        export(model, self.game, path, about, value=value_kind(self.game))
        self._latest = (state.generation, state.steps), path.read_bytes()
        return self._latest[1]

    def _keep(self, state: State) -> None:
        """The checkpoint, the network and the report; older checkpoints go."""
        self._phase = f"generation {state.generation}, writing the checkpoint"
        arrays = state_arrays(state, self.recipe)
        write_whole(self.network_file, state.best)  # first: who is killed in between makes the same one again
        write_arrays(self._checkpoint(state.generation), arrays)
        self._kept = state.generation
        newest = self._checkpoint(state.generation).name
        for path in [path for path in self._checkpoints() if path.name <= newest][KEPT:]:  # not damaged later ones
            path.unlink(missing_ok=True)
        self._report(state, state.history)

    def _checkpoint(self, generation: int) -> Path:
        return self.folder / "checkpoints" / f"{generation:06d}.npz"

    def _checkpoints(self) -> list[Path]:
        """The newest first."""
        found = (self.folder / "checkpoints").glob("[0-9]*.npz")
        return sorted(found, key=lambda path: path.name, reverse=True)

    def _restored(self) -> State:
        """The newest checkpoint that is whole, or a new beginning."""
        paths = self._checkpoints()
        for path in paths:
            try:
                return state_of(read_arrays(path), self.game, self.recipe, path)
            except FileError as error:
                self.watch.line(f"{error}; trying the one before")
        if paths:
            raise FileError(
                f"{self.folder}: none of its {len(paths)} checkpoints can be read; train in another folder, or remove "
                f"this one to begin anew"
            )
        return new_state(self.game, self.recipe)

    def _recipe(self) -> Recipe:
        """What was given, or what the folder was begun with; the two may not differ."""
        if self.folder.exists() and not self.folder.is_dir():
            raise FileError(f"{self.folder}: is a file, expected a folder for the training")
        recipe = recipe_for(self.game, **self._given)
        saved = self._saved()
        if saved is None or not self._is_begun():
            return recipe
        for key, value in self._about().items():
            if saved[key] != value:
                raise SettingsError(
                    f"{self.folder} is a training of {saved['game']} with {key} {saved[key]}, not {value}; choose "
                    f"another folder with --out"
                )
        begun: Recipe = saved["recipe"]
        for name, value in self._given.items():
            if getattr(begun, name) not in (value, getattr(recipe, name)):  # fewer threads than given, where cores lack
                raise SettingsError(
                    f"training: {name} is {value}, but {self.folder} was begun with {getattr(begun, name)}; leave it "
                    f"out to go on, or choose another folder with --out"
                )
        return begun

    def _about(self) -> dict[str, Any]:
        return {"game": self.game.title, "version": self.game.version, "values": _plain(self.game.values)}

    def _saved(self) -> dict[str, Any] | None:
        """What the file of settings says, with its recipe; None where there is none."""
        import json

        path = self.folder / SETTINGS_FILE
        if not path.exists():
            return None
        try:
            saved = json.loads(path.read_text(encoding="utf-8"))
            for name, part in (("it", saved), ("`recipe`", saved["recipe"] if isinstance(saved, dict) else {})):
                if not isinstance(part, dict):
                    raise ValueError(f"{name} is a {type(part).__name__}, expected an object")
            return {**{key: saved[key] for key in self._about()}, "recipe": Recipe.from_dict(saved["recipe"])}
        except OSError as error:
            raise FileError(f"{path}: can't be read ({error.strerror or error})") from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FileError(
                f"{path}: holds no settings of a training ({reason(error)}); choose another folder with --out"
            ) from None

    def _is_begun(self) -> bool:
        """Whether there is something to go on from; settings alone bind nobody."""
        return any(any((self.folder / name).glob("*.npz")) for name in ("checkpoints", "replay"))

    def _begin(self) -> None:
        """Write the settings of a new training. Only who has the folder's lock comes here."""
        import json

        if self._recipe() != self.recipe:
            raise SettingsError(f"{self.folder}: was begun by another process meanwhile; choose another with --out")
        if not (self.folder / SETTINGS_FILE).exists() or not self._is_begun():
            about = {**self._about(), "recipe": self.recipe.to_dict(), "command": self.command}
            write_whole(self.folder / SETTINGS_FILE, (json.dumps(about, indent=2) + "\n").encode())

    def _report(self, state: State, history: list[dict[str, Any]]) -> None:
        from .report import report_html

        page = report_html(self.game.title, history, self.recipe.to_dict(), self.command, state.seconds)
        write_whole(self.folder / "report.html", page.encode())

    @contextlib.contextmanager
    def _locked(self) -> Iterator[None]:
        """One run at a time in a folder, which is made, where the system knows locks."""
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise FileError(f"{self.folder}: can't be made ({error.strerror or error})") from None
        try:
            import fcntl
        except ImportError:
            yield
            return
        try:
            file = (self.folder / ".lock").open("w")
        except OSError as error:
            raise FileError(f"{self.folder}: can't be written to ({error.strerror or error})") from None
        with file:
            try:
                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                raise SettingsError(
                    f"{self.folder}: another process is training there; wait for it, or use --out"
                ) from None
            yield

    def where(self) -> str:
        """Where a run stands that was interrupted."""
        kept = f"generation {self._kept} is kept" if self._kept else "no generation is complete yet"
        last = f"{kept} in {self.folder}"
        during = f" during {self._phase}" if self._phase else ""
        return f"stopped{during}; {last}; the same command goes on from there"


def train(game: Game | str, out: str | Path, generations: int | None = None, **given: Any) -> State:
    """Train a network of a game in a folder: the short way."""
    minutes = given.pop("minutes", None)
    return Training(game, out, **given).run(generations, minutes)


def check_limits(generations: Any, minutes: Any) -> None:
    if generations is not None and (
        not isinstance(generations, int) or isinstance(generations, bool) or generations < 1
    ):
        raise SettingsError(f"training: generations is {generations!r}, expected a whole number of at least 1")
    if minutes is not None:
        number = isinstance(minutes, int | float) and not isinstance(minutes, bool)
        if not number or not 0 < minutes <= MOST_MINUTES:
            came = f"{minutes:g}" if number else repr(minutes)
            raise SettingsError(f"training: minutes is {came}, expected a number above 0, at most {MOST_MINUTES:,}")


def check_rules(game: Game) -> None:
    """What only a training uses of a game, looked at before it begins."""
    symmetries_of(game)
    check_observations(game)


def check_game(game: Game) -> None:
    if game.keeps_objects:
        raise SettingsError(
            f"{game.title} is made of Python objects; write it as a po.Game with `observe` to train a network for it"
        )
    if not (game.has("observe") and game.planes and game.policy_size > 0):
        raise SettingsError(
            f"{game.title} has nothing that a network could see: define `observe(state, player, planes)`, `planes` "
            f"(its shape) and `policy_size`"
        )


def summary(figures: dict[str, Any]) -> str:
    """A generation in one line."""
    text = (
        f"generation {figures['generation']}: {figures['games']} games, {figures['samples']:,} positions, "
        f"loss {figures['policy_loss']:.3f} + {figures['value_loss']:.3f}, entropy {figures['entropy']:.2f}, "
        f"{figures['games_per_minute']:,.0f} games a minute, {figures['seconds']:.1f} s"
    )
    return f"{text}; {matches_text(figures['matches'])}" if "matches" in figures else text


def matches_text(matches: dict[str, Any]) -> str:
    names = {"uct": "UCT", "best": "the best so far"}
    parts = []
    for name, found in matches.items():
        who = names.get(name, f"UCT with {name[3:]} times the simulations")
        parts.append(f"{100 * found['score']:.0f}% against {who}")
    return ", ".join(parts)


def _shares(total: int, parts: int) -> list[int]:
    """
    >>> _shares(10, 4)
    [3, 3, 2, 2]
    """
    return [total // parts + (place < total % parts) for place in range(parts)]


def _plain(values: dict[str, Any]) -> dict[str, Any]:
    return {key: list(value) if isinstance(value, tuple) else value for key, value in values.items()}


def _need_onnx() -> None:
    try:
        import onnx  # noqa: F401
        import onnxruntime  # noqa: F401
    except ImportError as error:
        raise SettingsError(f"training needs the package {error.name}; pip install 'playout[train]'") from None
