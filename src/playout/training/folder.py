"""The folder of a training: its settings, checkpoints, networks and report."""

import contextlib
import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from playout.common.disk import locked, write_whole
from playout.errors import FileError, SettingsError
from playout.game import Game

from .learning import State, averaged, new_state, state_arrays, state_of
from .network_kind import PLANES, NetworkKind
from .recipe import Recipe, recipe_for
from .replay import packed, read_arrays, reason, write_arrays
from .report import report_html

KEPT = 2  # checkpoints
SETTINGS_FILE = "settings.json"


@contextlib.contextmanager
def lock_folder(path: Path) -> Iterator[None]:
    """Make the folder of a training and lock it against other processes, where the system has locks."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise FileError(f"{path}: can't be made ({error.strerror or error})") from None
    taken = f"{path}: another process is training there; wait for it, or choose another folder"
    with locked(path / ".lock", taken):
        yield


def described_game(game: Game) -> dict[str, Any]:
    """What identifies a game in a training's files."""
    values = {key: list(v) if isinstance(v, tuple) else v for key, v in game.values.items()}
    return {"game": game.title, "version": game.version, "values": values}


class TrainingFolder:
    """Reads and writes the files of a training of one game; `command` is noted in them."""

    def __init__(self, path: str | Path, game: Game, command: str = "", kind: NetworkKind = PLANES) -> None:
        self.path = Path(path).expanduser().absolute()
        self.game, self.command, self.kind = game, command, kind
        self._latest: tuple[tuple[int, int], bytes] = (-1, -1), b""  # the exported network, by generation and steps

    @property
    def network(self) -> Path:
        """The file of the best network so far."""
        return self.path / f"{self.game.title}{self.kind.suffix}"

    @property
    def report(self) -> Path:
        """The page with the curves."""
        return self.path / "report.html"

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Make the folder and lock it against other processes, where the system has locks."""
        with lock_folder(self.path):
            yield

    # Settings.

    def recipe(self, given: Mapping[str, Any]) -> Recipe:
        """The recipe that was given, or the one the training was started with; the two must agree."""
        if self.path.exists() and not self.path.is_dir():
            raise FileError(f"{self.path}: is a file, expected a folder for the training")
        recipe = recipe_for(self.game, **given)
        saved = self._saved()
        if saved is None or not self._is_begun():
            return recipe
        for key, value in self._about().items():
            if saved[key] != value:
                raise SettingsError(
                    f"{self.path} is a training of {saved['game']} with {key} {saved[key]}, not {value}; choose "
                    f"another folder"
                )
        begun: Recipe = saved["recipe"]
        if begun.fast != recipe.fast:
            what, advice = ("a fast network", "add fast") if begun.fast else ("convolutions", "leave fast out")
            raise SettingsError(f"{self.path} is a training of {what}; {advice} to resume it, or choose another folder")
        for name, value in given.items():
            if getattr(begun, name) not in (value, getattr(recipe, name)):  # `recipe_for` lowers `threads` to the cores
                raise SettingsError(
                    f"training: {name} is {value}, but {self.path} was started with {getattr(begun, name)}; leave "
                    f"it out to resume, or choose another folder"
                )
        return begun

    def begin(self, recipe: Recipe, given: Mapping[str, Any]) -> None:
        """Write the settings of a new training; the folder must be locked."""
        if self.recipe(given) != recipe:
            raise SettingsError(f"{self.path}: another process has started a training there; choose another folder")
        if not (self.path / SETTINGS_FILE).exists() or not self._is_begun():
            about = {**self._about(), "recipe": recipe.to_dict(), "command": self.command}
            write_whole(self.path / SETTINGS_FILE, (json.dumps(about, indent=2) + "\n").encode())

    def _about(self) -> dict[str, Any]:
        return described_game(self.game)

    def _saved(self) -> dict[str, Any] | None:
        """The contents of the settings file, with its recipe; None where there is no file."""
        path = self.path / SETTINGS_FILE
        if not path.exists():
            return None
        try:
            saved = json.loads(path.read_text(encoding="utf-8"))
            for name, part in (("it", saved), ("`recipe`", saved["recipe"] if isinstance(saved, dict) else {})):
                if not isinstance(part, dict):
                    raise ValueError(f"{name} is a {type(part).__name__}, expected an object")
            saved["recipe"].pop("workers", None)  # which older versions kept there
            return {**{key: saved[key] for key in self._about()}, "recipe": Recipe.from_dict(saved["recipe"])}
        except OSError as error:
            raise FileError(f"{path}: can't be read ({error.strerror or error})") from None
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            raise FileError(
                f"{path}: does not hold the settings of a training ({reason(error)}); choose another folder"
            ) from None

    def _is_begun(self) -> bool:
        """Whether there is something to resume; a settings file alone is not enough."""
        return any(any((self.path / name).glob("*.npz")) for name in ("checkpoints", "replay"))

    # Checkpoints.

    def restored(self, recipe: Recipe, warn: Callable[[str], None]) -> State:
        """The state of the newest checkpoint that can be read, or a new one where there is no checkpoint."""
        paths = self._checkpoints()
        for path in paths:
            try:
                return state_of(read_arrays(path), self.game, recipe, path)
            except FileError as error:
                warn(f"{error}; trying the one before")
        if paths:
            raise FileError(
                f"{self.path}: none of its {len(paths)} checkpoints can be read; train in another folder, or remove "
                f"this one to start over"
            )
        return new_state(self.game, recipe)

    def keep(self, state: State, recipe: Recipe) -> None:
        """Write the best network and the checkpoint, and remove older checkpoints."""
        arrays = state_arrays(state, recipe)
        # The network first: a run that is killed in between makes the same one again.
        write_whole(self.network, state.best)
        write_arrays(self._checkpoint(state.generation), arrays)
        newest = self._checkpoint(state.generation).name
        for path in [path for path in self._checkpoints() if path.name <= newest][KEPT:]:  # not damaged later ones
            path.unlink(missing_ok=True)

    def _checkpoint(self, generation: int) -> Path:
        return self.path / "checkpoints" / f"{generation:06d}.npz"

    def _checkpoints(self) -> list[Path]:
        """The newest first."""
        found = (self.path / "checkpoints").glob("[0-9]*.npz")
        return sorted(found, key=lambda path: path.name, reverse=True)

    # Networks and the report.

    def exported(self, state: State, recipe: Recipe) -> bytes:
        """The network that plays, as the bytes of its file; also written as latest.onnx or latest.fast."""
        if self._latest[0] == (state.generation, state.steps):
            return self._latest[1]
        path = self.path / f"latest{self.kind.suffix}"
        about = {
            "playout.generation": str(state.generation),
            "playout.training": packed(recipe.to_dict()).tobytes().decode(),
            "playout.command": self.command,
        }
        self.kind.write(averaged(state, self.game, recipe), self.game, path, about)
        self._latest = (state.generation, state.steps), path.read_bytes()
        return self._latest[1]

    def write_report(self, state: State, recipe: Recipe, history: list[dict[str, Any]]) -> None:
        """Write the page with the curves of `history`."""
        page = report_html(self.game.title, history, recipe.to_dict(), self.command, state.seconds)
        write_whole(self.report, page.encode())
