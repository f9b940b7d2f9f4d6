"""Training by a teacher: it labels positions of varied play in parts, and a network over sparse inputs learns them.

With a teacher that answers the same each time (one thread, and a limit of simulations or nodes), a part depends on the
seed and its number alone, whoever labels it; the parts that are learnt from are the first ones that have enough
different positions. So a run that was killed and resumes gets the same network, bit for bit.
"""

import math
import time
from collections.abc import Iterator
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

from playout.common.disk import write_whole
from playout.errors import SettingsError
from playout.evaluators.pytorch import load_torch
from playout.game import Game
from playout.play.players import PATIENCE
from playout.play.source import GameSource
from playout.play.spec import SECONDS, Spec, complete, read_spec
from playout.workers.cluster import check_address, load_ray
from playout.workers.processes import check_not_importing, interrupts_wait
from playout.workers.workers import Workers

from .inputs import Inputs, InputsBuilder
from .lessons import Lesson, Variety, play_lessons, read_part, write_part
from .network_kind import FAST
from .replay import DamagedError
from .studying import Study, measure, study_epoch
from .taught_folder import TaughtFolder
from .taught_recipe import TaughtRecipe
from .taught_report import epoch_text, facts_text, held_text, taught_html
from .teacher import Teacher, check_teacher, make_teacher
from .training import Callbacks, check_limits
from .turns import feature_turns

STALE_PARTS, STALE_SHARE = 8, 0.01  # parts in a row with fewer new positions than this share: the game has no more
COMPARED = 500  # positions in which the network's file is compared with the model


class LessonsWorker:
    """Plays and labels the games of one part after the other, in its own process or in this one."""

    def __init__(self, game: Game, spec: Spec, variety: Variety, games: int, seed: int, patience: float) -> None:
        self.game, self.variety, self.games, self.seed = game, variety, games, seed
        self.teacher: Teacher = make_teacher(spec, game, patience)

    def play(self, part: int) -> tuple[int, list[Lesson]]:
        """The number of a part, and its lessons."""
        return part, play_lessons(self.game, self.teacher, self.variety, self.games, self.seed, part)

    def close(self) -> None:
        """End the teacher."""
        self.teacher.close()


def make_worker(source: GameSource, spec: Spec, recipe: TaughtRecipe, patience: float) -> LessonsWorker:
    """A worker with its own game and teacher, in the process that calls this."""
    return LessonsWorker(source.load(), spec, recipe.variety, recipe.games, recipe.seed, patience)


class TaughtTraining:
    """A taught network in a folder. `run` resumes what the folder holds; nothing is written before it."""

    def __init__(
        self,
        game: Game | str,
        out: str | Path,
        teacher: str,
        *,
        settings: dict[str, Any] | None = None,
        command: str = "",
        callbacks: Callbacks | None = None,
        patience: float = PATIENCE,
        ray: str | None = None,
        **given: Any,
    ) -> None:
        check_not_importing()
        self.ray, self.asked = ray, given.get("workers")
        if ray is not None:
            check_address(ray)
            load_ray()
        with interrupts_wait():  # an import that is interrupted may look like a missing package
            load_torch()
        self.callbacks, self.patience = callbacks or Callbacks(), patience
        self.source = GameSource.of(game, settings, "training")
        self.game = self.source.load()
        FAST.check_game(self.game)
        self.spec = complete([read_spec(teacher, self.game)], None, SECONDS, None)[0]
        check_teacher(self.spec, self.game, patience)
        self.turns = feature_turns(self.game)
        self.folder = TaughtFolder(out, self.game, self.spec, command, len(self.turns[0]))
        self.recipe = self.folder.recipe({name: value for name, value in given.items() if value is not None})
        self._builder = InputsBuilder(self.game, self.recipe.result, self.turns[0], self.recipe.base)
        if self.recipe.base and not self._builder.asked:
            raise SettingsError(f"training: base is on, but {self.game.title} has neither `evaluate` nor `priors`")
        self._next = 0  # the first part that is not in the builder
        self._new: list[float] = []  # the share of new positions in each part
        self._given: set[int] = set()  # parts that were handed out
        self._phase = ""

    def run(self, minutes: float | None = None) -> dict[str, Any]:
        """Label, for `minutes` at most, then learn and write the network. Returns the figures of the last epoch."""
        check_limits(None, minutes)
        with self.folder.locked():
            self.folder.begin(self.recipe)
            inputs = self._lessons(math.inf if minutes is None else time.monotonic() + 60 * minutes)
            return self._learn(inputs)

    # Lessons.

    def _lessons(self, deadline: float) -> Inputs:
        self._phase = "the lessons"
        if not self._collect():
            jobs = self._jobs(deadline)
            make = partial(make_worker, self.source, self.spec, self.recipe, self.patience)
            if self.ray is not None:
                Workers(make, self.asked, "the lessons", ray=self.ray, ahead=1).play(jobs, self._keep)
            elif self.recipe.workers == 1:
                self._label_here(make(), jobs)
            else:
                Workers(make, self.recipe.workers, "the lessons").play(jobs, self._keep)
            self._collect()
        if not len(self._builder):
            raise SettingsError(
                f"training: {self.spec.name} has labelled no position in {self._next} parts; allow more minutes, or "
                f"play more games in a part"
            )
        return self._builder.inputs()

    def _label_here(self, worker: LessonsWorker, jobs: Iterator[tuple[Any, ...]]) -> None:
        try:
            for job in jobs:
                if self._keep(worker.play(*job)):
                    return
        finally:
            worker.close()

    def _jobs(self, deadline: float) -> Iterator[tuple[Any, ...]]:
        """The parts that have no file yet, until there is no time left."""
        while time.monotonic() < deadline:
            part = next(n for n in count(self._next) if n not in self._given and not self.folder.part(n).exists())
            self._given.add(part)
            yield (part,)

    def _keep(self, played: tuple[int, list[Lesson]]) -> bool:
        """Write the file of a part; returns whether there are enough positions."""
        part, lessons = played
        write_part(self.folder.part(part), lessons, self.folder.part_about(self.recipe, part))
        return self._collect()

    def _collect(self) -> bool:
        """Add the next parts that have files; returns whether there are enough positions."""
        recipe = self.recipe
        while not self._is_enough():
            path = self.folder.part(self._next)
            if not path.exists():
                break
            try:
                lessons = read_part(path, self.folder.part_about(recipe, self._next))
            except DamagedError as error:  # what can't be read, or is of another training, may be good: it is refused
                self.callbacks.line(f"{error}; labelling it again")
                self.folder.set_aside(self._next)
                self._given.discard(self._next)
                break
            before, labelled = len(self._builder), self._builder.labelled
            self._builder.add(lessons, path)
            found = len(self._builder)
            self._new.append((found - before) / max(1, self._builder.labelled - labelled))
            self._next += 1
            self.callbacks.share(f"lessons: {found:,} of {recipe.positions:,} positions", found / recipe.positions)
        return self._is_enough()

    def _is_enough(self) -> bool:
        if len(self._builder) >= self.recipe.positions:
            return True
        last = self._new[-STALE_PARTS:]
        return len(last) == STALE_PARTS and max(last) < STALE_SHARE

    # Learning.

    def _learn(self, inputs: Inputs) -> dict[str, Any]:
        self._phase = "the learning"
        recipe = self.recipe
        learnt, held = inputs.split(recipe.held_out)
        if not len(learnt) or not len(held):
            raise SettingsError(
                f"training: of {len(inputs)} positions {len(held)} are held out and {len(learnt)} are left, expected "
                f"some of both; label more positions"
            )
        facts = self._facts(inputs, learnt, held)
        self.callbacks.line(facts_text(facts))
        study = self.folder.restored(recipe, len(inputs), self.callbacks.line)
        if study.epoch:
            self.callbacks.line(f"{self.folder.path}: resuming after epoch {study.epoch}")
        while study.epoch < recipe.epochs:
            self._epoch(study, inputs, learnt, held)
            self._report(study, facts)
        self._write(study, inputs, held, facts)
        return {**study.history[-1], **facts}

    def _epoch(self, study: Study, inputs: Inputs, learnt: Any, held: Any) -> None:
        recipe, began, number = self.recipe, time.perf_counter(), study.epoch + 1

        def look(share: float) -> None:
            self.callbacks.share(f"epoch {number} of {recipe.epochs}", (study.epoch + share) / recipe.epochs)

        figures = {"epoch": number, **study_epoch(study, recipe, inputs, learnt, self.turns, look)}
        measured = measure(study.model, inputs, held, self.turns, recipe.threads)
        figures |= {f"held_{name}": value for name, value in measured.items()}
        figures["seconds"] = round(time.perf_counter() - began, 3)
        study.history.append(figures)
        study.epoch = number
        self.folder.keep(study, recipe, len(inputs))
        self.callbacks.line(epoch_text(figures, recipe.epochs))

    def _facts(self, inputs: Inputs, learnt: Any, held: Any) -> dict[str, Any]:
        """What is learnt from, and what guessing would score on the held-out positions."""
        _, legal = inputs.indices.rows(held)
        guess = float(inputs.values[learnt].mean())
        return {
            "teacher": self.spec.name,
            "parts": self._next,
            "labelled": self._builder.labelled,
            "learnt": len(learnt),
            "held_out": len(held),
            "even_policy_loss": round(float(np.log(legal).mean()), 5),
            "even_value_loss": round(float(((inputs.values[held] - guess) ** 2).mean()), 5),
        }

    def _write(self, study: Study, inputs: Inputs, held: Any, facts: dict[str, Any]) -> None:
        from .sparse_model import as_fast, check_alike  # heavy, and optional: it imports PyTorch  # noqa: PLC0415

        last = study.history[-1]
        about = (
            f"taught by {self.spec.name}: {facts_text(facts)}; held out: policy {last['held_policy_loss']}, value "
            f"{last['held_value_loss']}, moves {last['held_accuracy']}"
        )
        network = as_fast(study.model.eval(), self.game, about)
        check_alike(study.model, network, inputs, held[:COMPARED])
        self.folder.write_network(network)
        self.callbacks.line(held_text(measure(study.model, inputs, held, self.turns, self.recipe.threads), facts))
        self._report(study, facts)

    def _report(self, study: Study, facts: dict[str, Any]) -> None:
        page = taught_html(self.game.title, facts, study.history, self.recipe.to_dict(), self.folder.command)
        write_whole(self.folder.report, page.encode())

    def where(self) -> str:
        """What an interrupted run was doing, and what is kept of it."""
        during = f" during {self._phase}" if self._phase else ""
        return (
            f"stopped{during}; {len(self._builder):,} positions are kept in {self.folder.path}; the same command "
            f"resumes it"
        )


def teach(game: Game | str, out: str | Path, teacher: str, **given: Any) -> dict[str, Any]:
    """Teach a network for a game in a folder, and return its figures; `TaughtTraining` gives more control."""
    minutes = given.pop("minutes", None)
    return TaughtTraining(game, out, teacher, **given).run(minutes)
