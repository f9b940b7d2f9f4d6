"""Files of nested searches: a zip archive of a JSON header and the arrays of each run (docs/file-format.md).

Nothing is pickled, and everything is checked before it reaches a kernel: a damaged or foreign file is a `FileError`.
"""

import base64
import dataclasses
import json
import zipfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from playout import games
from playout.common.disk import replacing
from playout.core import nest, nmcs
from playout.core.rules import TERMINAL
from playout.errors import FileError, PlayoutError
from playout.game import Game, Position
from playout.search.files import describe_game

from .methods import METHODS, NMCS, NRPA
from .runs import NestedRun
from .solution import played_again

if TYPE_CHECKING:
    from .solver import Solver

FORMAT, VERSION = "playout-solve", 1
MOST_BYTES = 1 << 34  # larger arrays are taken for damage
MOST_HEADER = 1 << 26
LEFT_OUT = ("root", "states", "deltas", "touched")  # known otherwise, or scratch


@dataclass(frozen=True)
class Header:
    """What a file says about a search, besides its arrays."""

    method: NRPA | NMCS
    seed: int
    runs: int
    seconds: float
    origin: str


def save(solver: "Solver", runs: list[NestedRun], path: Path) -> None:
    """Write a search; the old file stays until the new one is complete."""
    game, path = solver.game, path.resolve()
    if path.exists() and not path.is_file():
        raise FileError(f"{path}: not a regular file; name a file to write the search to")
    check_can_save(game)
    header = {
        "format": FORMAT,
        "version": VERSION,
        "game": describe_game(game),
        "origin": base64.b64encode(solver.position.buffer.tobytes()).decode(),
        "method": type(solver.method).__name__.lower(),
        "settings": dataclasses.asdict(solver.method),
        "seed": solver.seed,
        "runs": len(runs),
        "seconds": solver.seconds,
    }
    try:
        with replacing(path) as file, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as archive:
            archive.writestr("header.json", json.dumps(header))
            for run in runs:
                for name, array in run.arrays._asdict().items():
                    if name not in LEFT_OUT:
                        with archive.open(f"{run.number}/{name}.npy", "w", force_zip64=True) as entry:
                            np.lib.format.write_array(entry, array, allow_pickle=False)
    except OSError as error:
        raise FileError(f"{path}: can't be written ({error.strerror or error})") from None


def check_can_save(game: Game) -> None:
    """Refuse Python objects, of which a file can't hold the states."""
    if game.keeps_objects:
        raise FileError(f"{game.title} is made of Python objects, which a file can't hold; leave the file out")


def load(path: Path, game: Game | None) -> tuple[Header, list[dict[str, Any]], Game]:
    """Read a search: its header, the arrays of each run by name, and the game."""
    try:
        with zipfile.ZipFile(path) as archive:
            raw = _read_header(path, archive)
            found = _game_of(path, raw["game"], game)
            settings = {str(key): value for key, value in raw["settings"].items()}
            method = METHODS[raw["method"]](**settings)
            facts = int(raw["seed"]), int(raw["runs"]), float(raw["seconds"]), str(raw["origin"])
            header = Header(method, *facts)
            runs = [_read_run(path, archive, number) for number in range(header.runs)]
            return header, runs, found
    except FileNotFoundError:
        raise FileError(f"{path}: no such file") from None
    except OSError as error:
        raise FileError(f"{path}: can't be read ({error.strerror or error})") from None
    except PlayoutError as error:
        raise (
            error if isinstance(error, FileError) else FileError(f"{path}: its header can't be used ({error})")
        ) from None
    except Exception as error:  # noqa: BLE001  # zipfile, zlib and NumPy raise many kinds for damaged bytes
        why = " ".join(str(error).split())
        raise FileError(
            f"{path}: not a file of `solve`, or a damaged one ({type(error).__name__}: {why:.200}); choose another"
        ) from None


def _read_header(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    if archive.getinfo("header.json").file_size > MOST_HEADER:
        raise FileError(f"{path}: is damaged (its header is too large)")
    header: dict[str, Any] = json.loads(archive.read("header.json"))
    kind, version = header["format"], header["version"]
    if kind != FORMAT:
        raise FileError(f"{path}: is a '{kind}' file, expected '{FORMAT}'; choose another")
    if version != VERSION:
        raise FileError(f"{path}: has version {version} of the format, this Playout reads version {VERSION}")
    return header


def _read_run(path: Path, archive: zipfile.ZipFile, number: int) -> dict[str, Any]:
    arrays = {}
    names = set(nest.Nest._fields + nmcs.Plies._fields) - set(LEFT_OUT)
    for name in sorted(names):
        entry = f"{number}/{name}.npy"
        if entry not in archive.namelist():
            continue
        if archive.getinfo(entry).file_size > MOST_BYTES:
            raise FileError(f"{path}: is damaged ({entry} would be {archive.getinfo(entry).file_size:,} bytes)")
        with archive.open(entry) as file:
            arrays[name] = np.lib.format.read_array(file, allow_pickle=False)
    return arrays


def _game_of(path: Path, wanted: dict[str, Any], game: Game | None) -> Game:
    name = wanted["name"]
    if game is None:
        if name not in games.names():
            raise FileError(f"{path}: is of {name}, which is not built in; give it: Solver.load(path, game={name}())")
        game = games.load(name, **{k: tuple(v) if isinstance(v, list) else v for k, v in wanted["settings"].items()})
    found = json.loads(json.dumps(describe_game(game)))
    for key, value in wanted.items():
        if found.get(key) != value:
            raise FileError(
                f"{path}: is of a game with {key} {value!r:.80}, but {game.title} has {found.get(key)!r:.80}; "
                f"choose another file"
            )
    return game


def start_of(path: Path, header: Header, game: Game) -> Position:
    """The position that a search began at."""
    try:
        data = base64.b64decode(header.origin, validate=True)
    except ValueError:
        data = b""
    if len(data) != game.dtype.itemsize:
        raise FileError(f"{path}: its position is damaged; choose another file")
    return Position(game, np.frombuffer(data, np.uint8).copy())


def fill(path: Path, runs: list[NestedRun], arrays: list[dict[str, Any]]) -> None:
    """Give new runs the arrays of a file, as soon as they have been checked."""
    for run, found in zip(runs, arrays, strict=True):
        fresh = run.arrays._asdict()
        wrong = _wrong_shape(fresh, found) or _wrong_index(run, found)
        if wrong:
            raise FileError(f"{path}: is damaged ({wrong} of run {run.number}); choose another file")
        scratch = {"touched": np.zeros(len(found["codes"]) // (run.method.levels + 1), np.int32)}
        known = {name: scratch.get(name, fresh[name]) for name in LEFT_OUT if name in fresh}
        run.arrays = type(run.arrays)(**{name: known.get(name, found.get(name)) for name in fresh})
        try:
            _check_lines(run)
        except PlayoutError as error:
            raise FileError(f"{path}: is damaged, or the game has changed ({error}); choose another file") from None


def _wrong_shape(fresh: dict[str, Any], found: dict[str, Any]) -> str:
    """The name of an array that is missing, or of another type or size than that of a new run; what grows may be
    larger, all lines by the same factor."""
    factors = dict[str, set[float]]()
    kinds = {"lines": ("taken", "ends", "chosen", "best", "paths", "lines"), "entries": ("codes", "biases")}
    kinds["journal"] = ("noted", "before", "epoch_before")
    grows = {name: kind for kind, names in kinds.items() for name in names}
    for name, array in fresh.items():
        if name in LEFT_OUT:
            continue
        got = found.get(name)
        if got is None or got.dtype != array.dtype or got.ndim != array.ndim or got.shape[:-1] != array.shape[:-1]:
            return name
        if name in grows and array.size > 1:
            factors.setdefault(grows[name], set()).add(got.shape[-1] / array.shape[-1])
        elif got.shape != array.shape:
            return name
    wrong = [kind for kind, all_of in factors.items() if len(all_of) > 1 or min(all_of) < 1 or max(all_of) % 1]
    return wrong[0] if wrong else ""


def _wrong_index(run: NestedRun, found: dict[str, Any]) -> str:
    """The name of an array with a number in it that would lead out of another one, or that is not finite."""
    counters, steps, codes = found["counters"], len(found["best"]), len(found["factors"])
    rows = run.method.levels + 1
    limits: dict[str, tuple[Any, float, float]] = {
        "counters": (counters, 0, np.inf),
        "best": (counters[nest.BEST_LENGTH], 0, steps),
        "factors": (found["factors"], nest.LEAST_FACTOR, nest.MOST_FACTOR),
        "codes": (found["codes"], 0, codes - 1),
        "lengths": (found["lengths"], 0, steps),
        "biases": (found["biases"], 0.0, np.finfo(np.float64).max),
    }
    if isinstance(run.method, NRPA):
        entries, journal = len(found["codes"]) // rows, len(found["noted"])
        if sorted(found["slots"].tolist()) != list(range(rows)):
            return "slots"
        limits |= {
            "done": (found["done"], 0, np.inf),
            "marks": (found["marks"], 0, counters[nest.ENTRIES]),
            "journal": (counters[nest.ENTRIES], 0, journal),
            "noted": (found["noted"], 0, codes - 1),
            "before": (found["before"][: counters[nest.ENTRIES]], nest.LEAST_FACTOR, nest.MOST_FACTOR),
            "ends": (found["ends"], 0, entries),
            "chosen": (found["chosen"], -1, entries - 1),
        }
    else:
        limits |= {
            "level": (counters[nmcs.LEVEL], 1, run.method.levels),
            "row": (counters[nmcs.ROW], 0, run.method.levels),
            "depths": (found["depths"], 0, steps - 1),
            "counts": (found["counts"], 0, run.game.max_actions),
            "tried": (found["tried"] - found["counts"], -np.inf, 0),
        }
    for name, (numbers, least, most) in limits.items():
        if not np.all((np.asarray(numbers) >= least) & (np.asarray(numbers) <= most)):
            return name
    return ""


def _check_lines(run: NestedRun) -> None:
    """Play the lines of a file again, as far as the run will rely on them, and rebuild its states."""
    if run.line:
        played_again(run.position, run.line, run.value)
    elif run.playouts or run.value != -np.inf:
        raise FileError("its best line is missing")
    if isinstance(run.arrays, nmcs.Plies):
        plies = run.arrays
        for row in range(1, run.method.levels + 1):
            position, total = run.position, 0.0
            for action in plies.paths[row, : plies.depths[row]].tolist():
                position = position.play(action)
                total += float(position.rewards[0])
            plies.states[row], plies.totals[row] = position.buffer, total
            listed = plies.actions[row, : plies.counts[row]].tolist()
            if listed and (position.player == TERMINAL or listed != position.actions()):
                raise FileError("its actions are not the legal ones")


def describe(path: Path, saved: "Solver", asked: "Solver", has_method: bool) -> str:
    """How a search that is asked for differs from that in a file; empty if it does not."""
    facts: dict[str, tuple[Any, Any]] = {"seed": (saved.seed, asked.seed), "runs": (saved.runs, asked.runs)}
    facts["position"] = (saved.position.text, asked.position.text)
    if has_method:
        facts["method"] = (saved.method, asked.method)
    for name, (there, wanted) in facts.items():
        if there != wanted:
            return f"{path} has a search with {name} {there}, not {wanted}; give that, or another file"
    return ""
