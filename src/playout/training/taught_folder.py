"""The folder of a taught network: its settings, the lessons, the checkpoints, the network and the report.

Settings of the lessons stay as they are as long as there are lessons; those of the learning may change, and the network
then learns again from the same lessons.
"""

import contextlib
import dataclasses
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from playout.common.disk import write_whole
from playout.errors import FileError, SettingsError
from playout.evaluators.fast import save_fast
from playout.game import Game
from playout.play.spec import Spec

from .folder import SETTINGS_FILE, described_game, lock_folder
from .lessons import Variety, part_path
from .replay import read_arrays, reason, write_arrays
from .studying import Study, new_study, study_arrays, study_of
from .taught_recipe import TaughtRecipe, taught_recipe_for

LESSONS = (*(f.name for f in dataclasses.fields(Variety)), "games", "seed")  # settings that lessons depend on
ANYTIME = ("workers", "threads")  # settings that the results don't depend on


class TaughtFolder:
    """Reads and writes the files of one taught network; `command` is noted in them.

    `turns` is the number of symmetries by which learning turns positions, the identity included.
    """

    def __init__(self, path: str | Path, game: Game, teacher: Spec, command: str = "", turns: int = 1) -> None:
        self.path = Path(path).expanduser().absolute()
        self.game, self.teacher, self.command, self.turns = game, teacher, command, turns

    @property
    def network(self) -> Path:
        """The file of the network."""
        return self.path / f"{self.game.title}.fast"

    @property
    def report(self) -> Path:
        """The page with the curves."""
        return self.path / "report.html"

    @property
    def lessons(self) -> Path:
        """The folder of the parts."""
        return self.path / "lessons"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folder and lock it against other processes, where the system has locks."""
        with lock_folder(self.path):
            yield

    # Settings.

    def recipe(self, given: Mapping[str, Any]) -> TaughtRecipe:
        """The recipe that was given; what is left out is as the training was started."""
        if self.path.exists() and not self.path.is_dir():
            raise FileError(f"{self.path}: is a file, expected a folder for the training")
        saved = self._saved()
        if saved is None:
            return taught_recipe_for(**given)
        for key, value in self._about().items():
            if saved[key] != value:
                raise SettingsError(
                    f"{self.path} has lessons with {key} {saved[key]!r:.120}, not {value!r:.120}; choose another folder"
                )
        begun: TaughtRecipe = saved["recipe"]
        recipe = taught_recipe_for(**{**begun.to_dict(), **given})
        for name in LESSONS:
            if getattr(recipe, name) != getattr(begun, name):
                raise SettingsError(
                    f"training: {name} is {getattr(recipe, name)}, but the lessons in {self.path} were played with "
                    f"{getattr(begun, name)}; leave it out to resume, or choose another folder"
                )
        return recipe

    def begin(self, recipe: TaughtRecipe) -> None:
        """Write the settings; the folder must be locked."""
        about = {**self._about(), "recipe": recipe.to_dict(), "command": self.command}
        write_whole(self.path / SETTINGS_FILE, (json.dumps(about, indent=2) + "\n").encode())

    def _about(self) -> dict[str, Any]:
        return {**described_game(self.game), "teacher": self.teacher.to_dict()}

    def part_about(self, recipe: TaughtRecipe, part: int) -> dict[str, Any]:
        """What identifies a part of the lessons, as its file says it."""
        variety = dataclasses.asdict(recipe.variety)
        return {**self._about(), "variety": variety, "seed": recipe.seed, "games": recipe.games, "part": part}

    def part(self, part: int) -> Path:
        """The file of a part."""
        return part_path(self.lessons, part)

    def set_aside(self, part: int) -> None:
        """Rename the file of a damaged part, so that it is labelled again."""
        path = self.part(part)
        try:
            path.replace(path.with_suffix(".damaged"))
        except OSError as error:
            raise FileError(f"{path}: is damaged, and can't be renamed ({error.strerror or error})") from None

    def _saved(self) -> dict[str, Any] | None:
        """The contents of the settings file, with its recipe; None where there is nothing to resume."""
        path = self.path / SETTINGS_FILE
        has_lessons = any(self.lessons.glob("*.npz"))
        if has_lessons and not path.exists():
            raise FileError(f"{path}: is missing, but there are lessons; put it back, or choose another folder")
        if not has_lessons:
            if any((self.path / name).exists() for name in ("replay", "latest.onnx")):
                raise SettingsError(f"{self.path} is a training by self-play; choose another folder")
            return None
        try:
            saved = json.loads(path.read_text())
            if not isinstance(saved, dict) or not isinstance(saved.get("recipe"), dict):
                raise ValueError("it has no recipe")
            return {**{key: saved[key] for key in self._about()}, "recipe": TaughtRecipe.from_dict(saved["recipe"])}
        except OSError as error:
            raise FileError(f"{path}: can't be read ({error.strerror or error})") from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FileError(
                f"{path}: does not hold the settings of a taught network ({reason(error)}); choose another folder"
            ) from None

    # Checkpoints, the network and the report.

    def restored(self, recipe: TaughtRecipe, positions: int, warn: Callable[[str], None]) -> Study:
        """The state of the last epoch, or a new one where there is none with these settings and positions."""
        path = self.path / "checkpoint.npz"
        if path.exists():
            try:
                return study_of(read_arrays(path), self.game, recipe, self._identity(recipe, positions), path)
            except FileError as error:
                warn(f"{error}; learning from the beginning")
        return new_study(self.game, recipe)

    def keep(self, study: Study, recipe: TaughtRecipe, positions: int) -> None:
        """Write the checkpoint of an epoch."""
        write_arrays(self.path / "checkpoint.npz", study_arrays(study, self._identity(recipe, positions)))

    def _identity(self, recipe: TaughtRecipe, positions: int) -> dict[str, Any]:
        settings = {name: value for name, value in recipe.to_dict().items() if name not in (*ANYTIME, "positions")}
        found = {**self._about(), "recipe": settings, "positions": positions, "features": self.game.feature_count}
        # Other positions were held out before turned ones were held out together.
        return found if self.turns == 1 else {**found, "turns": self.turns}

    def write_network(self, network: Any) -> None:
        """Write the network's file."""
        save_fast(self.network, network)
