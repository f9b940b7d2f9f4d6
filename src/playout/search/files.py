"""Save and load a search: a zip archive of a JSON header and NumPy arrays, described in docs/file-format.md.

Nothing is pickled. Everything is checked before it reaches a kernel: a damaged or foreign file is a `FileError`.
"""

import base64
import dataclasses
import io
import json
import random
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from playout import games
from playout.common.disk import replacing
from playout.core import copying
from playout.core import tree as core
from playout.core.params import HALVING
from playout.core.plan import CANDIDATE, PLAN
from playout.core.tree import Tree
from playout.errors import FileError, PlayoutError
from playout.evaluators import Evaluator
from playout.game import Game, Position
from playout.game.wrap.checks import shown
from playout.settings import Outside, Settings, is_outside

from .file_checks import find_fault
from .forest import check_single
from .found import check_line
from .roots import compact

if TYPE_CHECKING:
    from .search import Search

FORMAT, VERSION = "playout-search", 3
READABLE = (2, 3)  # 2: before there were backups and users' own parts
ARRAYS = Tree._fields
OF_PARTS = ("policy", "backup", "policy_columns", "backup_columns")
LATER = ("plan", "candidates", "amaf", "amaf_rows")  # which older files lack
ABSENT = {"learned": np.zeros(0), "best": np.array(core.NO_LINE), "line": np.zeros(0, np.int32)}  # these as well
PIECE = 1 << 20  # bytes of an array that are written at a time
MOST_BYTES = 1 << 36  # larger arrays are taken for damage


def save(search: "Search", path: Path, compress: bool = True, between: Callable[[], None] = lambda: None) -> None:
    """Write a search; the old file stays until the new one is complete. A link is followed, a device refused.

    `between` is called before each piece of the tree is written; what it raises ends it, and the old file stays.
    """
    game, past, path = search.game, search.past, Path(path).resolve()
    if path.exists() and not path.is_file():
        raise FileError(f"{path}: not a regular file; name a file to write the search to")
    game.check_can_save()
    header = {
        "format": FORMAT,
        "version": VERSION,
        "game": describe_game(game),
        "settings": search.settings.to_dict(),
        "seed": search.seed,
        "log": past.log,
        "origin": "" if game.keeps_objects else base64.b64encode(past.start.tobytes()).decode(),
        "object": past.start_text,
        "random": _random_to_json(search.runner.random),
    }
    try:
        method = zipfile.ZIP_DEFLATED if compress else zipfile.ZIP_STORED
        with replacing(path) as file, zipfile.ZipFile(file, "w", method, compresslevel=1) as archive:
            archive.writestr("header.json", json.dumps(header))
            gaps = search.runner.crew is not None and not search.params.graph
            _write_tree(archive, "tree", compact(search.runner) if gaps else search.tree, game, between)
            if past.start_tree is not None:
                _write_tree(archive, "origin", past.start_tree, game, between)
    except OSError as error:
        raise FileError(
            f"{path}: can't be written ({error.strerror or error}); the search itself is unharmed"
        ) from None


class _Counted(io.FileIO):
    """A file that tells which share of it was read."""

    def __init__(self, path: Path, tell: Callable[[float], None]) -> None:
        super().__init__(path)
        self._tell, self._done, self._size = tell, 0, max(1, path.stat().st_size)

    def read(self, size: int | None = -1, /) -> bytes:
        found: bytes = super().read(-1 if size is None else size)
        self._done += len(found)
        self._tell(min(1.0, self._done / self._size))
        return found


def load(
    cls: "type[Search]",
    path: Path,
    game: Game | None,
    evaluator: Any = None,
    progress: Callable[[float], None] = lambda share: None,
) -> "Search":
    """Read a search; a file that can't be trusted is refused with the reason. `evaluator` replaces the saved one.

    `progress` is called with the share of the file that was read.
    """
    try:
        with _Counted(path, progress) as file, zipfile.ZipFile(file) as archive:
            header = _read_header(path, archive)
            settings = _settings_of(path, header, evaluator)
            game = _game_of(path, header, game, settings)
            tree = _read_tree(path, archive, "tree", game, header["version"])
            has_origin = any(name.startswith("origin/") for name in archive.namelist())
            origin = _read_tree(path, archive, "origin", game, header["version"]) if has_origin else None
    except FileNotFoundError:
        raise FileError(f"{path}: no such file") from None
    except OSError as error:
        raise FileError(f"{path}: can't be read ({error.strerror or error})") from None
    except (zipfile.BadZipFile, zipfile.LargeZipFile, EOFError, KeyError, NotImplementedError, RuntimeError) as error:
        raise FileError(f"{path}: not a search file, or a damaged one ({_one_line(error)}); save it again") from None
    except Exception as error:  # zlib and NumPy raise many kinds for damaged bytes
        if isinstance(error, PlayoutError):
            raise
        raise FileError(f"{path}: is damaged ({type(error).__name__}: {_one_line(error)}); save it again") from None
    try:
        return _restored(cls, path, header, game, settings, tree, origin)
    except FileError:
        raise
    except (PlayoutError, TypeError, ValueError, AttributeError) as error:
        raise FileError(f"{path}: its header can't be used ({_one_line(error)})") from None


def _restored(
    cls: "type[Search]",
    path: Path,
    header: dict[str, Any],
    game: Game,
    settings: Settings,
    tree: Tree,
    origin: Tree | None,
) -> "Search":
    """The search that a header and its trees describe."""
    start = game.position() if game.keeps_objects else Position(game, _state_from(header["origin"], game))
    search = cls(game, settings, position=start, seed=int(header["seed"]))
    check_single(search.grown, "load")
    runner, past = search.runner, search.past
    _check_object(path, header.get("object"), search)
    past.log = [(str(what), int(number)) for what, number in header["log"]]
    for what, number in past.log:
        if what == "play":
            past.positions.append(runner.position)
            runner.position = runner.position.play(number)
    runner.tree = _with_settings(path, tree, search)
    past.start_tree = _with_settings(path, origin, search) if origin is not None else None
    _random_from_json(runner.random, header["random"])
    if any(what == "play" for what, _ in past.log):
        past.base = None  # to go back, the log is replayed
    elif past.start_tree is not None:
        past.base = past.start_tree
    _check_tree(path, search)
    return search


def _check_tree(path: Path, search: "Search") -> None:
    """Refuse a tree that does not fit the settings, the position or the rules; rebuild the states of objects."""
    game, params, position, tree = search.game, search.params, search.position, search.tree
    vectors = params.graph == core.VECTORS
    plans = params.root >= HALVING
    fits = core.is_graph(tree) == bool(params.graph) and (len(tree.means) > 0) == vectors
    unknown = search.settings.policy.absent  # whether it asks for tables of actions
    if not fits or len(tree.plan) != plans or ((len(tree.amaf) > 0) != (params.amaf >= 0) and not unknown):
        raise FileError(f"{path}: its tree does not fit its settings; it is damaged")
    if game.keeps_objects:
        _rebuild_states(path, search)
    elif len(tree.states) != (tree.counters[core.NODES] if params.keep_states else 0):
        raise FileError(
            f"{path}: its states don't fit {game.title}; it is damaged, or from another version of the game"
        )
    if not np.array_equal(tree.root, position.buffer) and not game.keeps_objects:
        raise FileError(f"{path}: its moves don't lead to its position; it is damaged, or {game.title} has changed")
    root = tree.nodes[core.ROOT] if len(tree.nodes) > core.ROOT else None
    if root is not None and not position.is_terminal:
        block = tree.edges[root["first_edge"] : root["first_edge"] + root["count"]]
        if not all(map(position.is_legal, block["action"].tolist())) or len(block) == 0:
            raise FileError(
                f"{path}: its moves are not those of {game.title}; the rules have changed, or it is damaged"
            )
    check_line(path, search.runner)


def _with_settings(path: Path, tree: Tree, search: "Search") -> Tree:
    """The tree with the search's own settings of policy and backup, and the file's tables."""
    changes = {}
    for name in ("policy", "backup"):
        part = getattr(search.settings, name)
        record, words = part.kept(search.game, name == "backup" and search.settings.wdl)
        saved, columns = getattr(tree, name), getattr(tree, f"{name}_columns")
        if part.absent:
            continue
        if len(saved) not in (0, len(record)) or columns.shape[1] != words:
            raise FileError(f"{path}: was saved with another {type(part).__name__}; its columns or tables have changed")
        tables = len(record) - 8 * len(dataclasses.fields(part))
        record[len(record) - tables :] = saved[len(saved) - tables :] if tables and len(saved) else 0
        changes[name] = record
    if len(tree.learned) != len(search.tree.learned):
        raise FileError(f"{path}: what its playouts have learned does not fit {search.game.title}; it is damaged")
    if len(search.tree.amaf) and len(tree.amaf) and tree.amaf.shape[1] != search.tree.amaf.shape[1]:
        raise FileError(f"{path}: its tables of actions do not fit {search.game.title}; it is damaged")
    return tree._replace(**changes)


def describe_game(game: Game) -> dict[str, Any]:
    """The facts about a game in a file, which must agree when it is loaded."""
    return {
        "name": game.title,
        "version": game.version,
        "settings": {k: list(v) if isinstance(v, tuple) else v for k, v in game.values.items()},
        "players": game.players,
        "max_actions": game.max_actions,
        "state": [list(map(str, field)) for field in game.dtype.descr],
    }


def _settings_of(path: Path, header: dict[str, Any], evaluator: Any) -> Settings:
    try:
        settings = Settings.from_saved(header["settings"])
    except (PlayoutError, TypeError, ValueError, AttributeError) as error:
        raise FileError(f"{path}: its header can't be used ({_one_line(error)})") from None
    if isinstance(settings.evaluator, Outside) and callable(evaluator):
        evaluator = dataclasses.replace(settings.evaluator, function=evaluator)  # keeps batch, cache, …
    return settings if evaluator is None else settings.replace(evaluator=evaluator)


def _game_of(path: Path, header: dict[str, Any], game: Game | None, settings: Settings) -> Game:
    wanted = header["game"]
    name = wanted["name"]
    if game is None:
        if name not in games.names():
            made = f"po.wrap({name}(…))" if header["random"] is not None else f"{name}()"
            raise FileError(
                f"{path}: is a search of {name}, which is not built in; give it: Search.load(path, game={made})"
            )
        game = games.load(name, **{k: tuple(v) if isinstance(v, list) else v for k, v in wanted["settings"].items()})
    if is_outside(settings.evaluator):
        game = Evaluator(settings.evaluator, game).game
    found = describe_game(game)
    for key in wanted:
        if found.get(key) != wanted[key]:
            raise FileError(f"{path}: is of a game with {key} {wanted[key]!r}, but {game.title} has {found.get(key)!r}")
    return game


def _check_object(path: Path, text: Any, search: "Search") -> None:
    """Refuse another Python object than the one the search began at, as far as their texts tell."""
    found = search.past.start_text
    if text and found and _comparable(text) != _comparable(found):
        raise FileError(
            f"{path}: began at {shown(text)}, but the {search.game.title} given is at {shown(found)}; give "
            f"the object that the search began at"
        )


def _comparable(text: str) -> Any:
    """A text that may show a set, whose order differs between processes, is compared without its order."""
    return sorted(text) if "{" in text else text


def _read_header(path: Path, archive: zipfile.ZipFile) -> dict[str, Any]:
    if "header.json" not in archive.namelist():
        raise FileError(f"{path}: a zip archive, but not a search file (it has no header.json)")
    if archive.getinfo("header.json").file_size > 1 << 26:
        raise FileError(f"{path}: is damaged (a header of {archive.getinfo('header.json').file_size:,} bytes)")
    try:
        header = json.loads(archive.read("header.json"))
        kind, version = header["format"], header["version"]
    except (ValueError, TypeError, KeyError) as error:
        raise FileError(f"{path}: its header can't be read ({_one_line(error)})") from None
    if kind != FORMAT:
        raise FileError(f"{path}: is a '{kind}' file, expected '{FORMAT}'")
    if version not in READABLE:
        raise FileError(
            f"{path}: has version {version} of the format, this Playout reads versions {READABLE[0]} to {VERSION}"
        )
    missing = {"game", "settings", "seed", "log", "origin", "random"} - set(header)
    if missing:
        raise FileError(f"{path}: its header lacks {', '.join(sorted(missing))}")
    return header  # type: ignore[no-any-return]


def _write_tree(archive: zipfile.ZipFile, folder: str, tree: Tree, game: Game, between: Callable[[], None]) -> None:
    if game.keeps_objects:  # its states are addresses of this process
        tree = tree._replace(states=tree.states[:0], rewards=tree.rewards[:0], root=np.zeros_like(tree.root))
    for name, array in zip(ARRAYS, tree, strict=True):
        with archive.open(f"{folder}/{name}.npy", "w", force_zip64=True) as file:
            used = array[: copying.rows(tree, name)]
            np.lib.format.write_array_header_1_0(file, np.lib.format.header_data_from_array_1_0(used))
            rows = max(1, PIECE // max(1, used[:1].nbytes))
            for start in range(0, len(used), rows):  # without a copy of the tree
                between()
                file.write(used[start : start + rows].tobytes())


def _read_tree(path: Path, archive: zipfile.ZipFile, folder: str, game: Game, version: int) -> Tree:
    """Read the arrays and check their types, their shapes and all indices in them."""
    players, size = game.players, game.dtype.itemsize
    expected: dict[str, tuple[Any, tuple[int, ...]]] = {
        "nodes": (core.NODE, (-1,)),
        "edges": (core.EDGE, (-1,)),
        "proofs": (np.dtype(np.float64), (-1, players)),
        "states": (np.dtype(np.uint8), (-1, size)),
        "rewards": (np.dtype(np.float64), (-1, players)),
        "root": (np.dtype(np.uint8), (size,)),
        "counters": (np.dtype(np.int64), (core.COUNTERS,)),
        "bounds": (np.dtype(np.float64), (2,)),
        "best": (np.dtype(np.float64), (2,)),
        "line": (np.dtype(np.int32), (-1,)),
        "rng": (np.dtype(np.uint64), (1,)),
        "node_links": (core.NODE_LINK, (-1,)),
        "edge_links": (core.EDGE_LINK, (-1,)),
        "means": (np.dtype(np.float64), (-1, 2 * players)),
        "table": (np.dtype(np.uint64), (-1,)),
        "learned": (np.dtype(np.float64), (-1,)),
        "amaf": (core.AMAF, (-1, -1)),
        "amaf_rows": (np.dtype(np.int32), (-1,)),
        "policy": (np.dtype(np.uint8), (-1,)),
        "backup": (np.dtype(np.uint8), (-1,)),
        "policy_columns": (np.dtype(np.int64), (-1, -1)),
        "backup_columns": (np.dtype(np.int64), (-1, -1)),
        "plan": (PLAN, (-1,)),
        "candidates": (CANDIDATE, (-1,)),
    }
    arrays: dict[str, Any] = {}
    for name, (dtype, shape) in expected.items():
        entry = f"{folder}/{name}.npy"
        if (name in OF_PARTS and version == 2) or (name in LATER and entry not in archive.namelist()):
            rows = len(arrays["edges"]) if name in OF_PARTS else 0
            arrays[name] = np.zeros((0,) if len(shape) == 1 else (rows, 0), dtype)
            continue
        if name in ABSENT and entry not in archive.namelist():
            arrays[name] = ABSENT[name].copy()
            continue
        if archive.getinfo(entry).file_size > MOST_BYTES:
            raise FileError(f"{path}: is damaged ({entry} would be {archive.getinfo(entry).file_size:,} bytes)")
        with archive.open(entry) as file:
            array = np.lib.format.read_array(file, allow_pickle=False)
            if file.read(1):
                raise FileError(f"{path}: is damaged ({entry} is longer than it says)")
        right = len(array.shape) == len(shape) and all(w in (-1, s) for s, w in zip(array.shape, shape, strict=True))
        if array.dtype.newbyteorder("=") != dtype or not right:
            raise FileError(f"{path}: is damaged or of another game ({name} is {array.dtype} {array.shape})")
        arrays[name] = np.ascontiguousarray(array.astype(dtype))
    tree = Tree(**arrays)
    if fault := find_fault(tree, game):
        raise FileError(f"{path}: is damaged ({fault})")
    return tree


def _rebuild_states(path: Path, search: "Search") -> None:
    """Play every node's position again: objects can't be written to a file.

    This finds out another object than the saved one: its players, actions and ends don't fit everywhere.
    """
    tree, graph = search.tree, search.params.graph
    count, edges = int(search.tree.counters[core.NODES]), int(search.tree.counters[core.EDGES])
    tree = tree._replace(
        states=np.zeros((count, search.game.dtype.itemsize), np.uint8),
        rewards=np.zeros((edges if graph else count, search.game.players)),
    )
    tree.root[:] = search.position.buffer
    positions = {core.ROOT: search.position}
    for number in range(core.ROOT, count):
        position = positions[number]
        tree.states[number] = position.buffer
        if not graph:
            tree.rewards[number] = position.rewards
            del positions[number]
        node = tree.nodes[number]
        block = range(node["first_edge"], node["first_edge"] + int(node["count"]))
        actions = position.actions()
        fits = node["player"] == position.player and all(int(tree.edges[e]["action"]) in actions for e in block)
        for e in block if fits else ():
            child = abs(int(tree.edges[e]["child"]))
            if child == core.NO_NODE:
                continue
            after = position.play(int(tree.edges[e]["action"]))
            fits &= after.is_terminal == (child == core.END)
            if child > core.END:
                positions.setdefault(child, after)
                if graph:
                    tree.rewards[e] = after.rewards
        if not fits:
            raise FileError(
                f"{path}: its tree is not that of {search.game.title} at {shown(position.text)}: another player "
                f"moves there, or other actions or ends follow; give the object that the search began at"
            )
    search.runner.tree = tree
    if graph:  # keys differ between processes
        search.runner.enter_all()


def _state_from(text: str, game: Game) -> Any:
    state = np.frombuffer(base64.b64decode(text, validate=True), np.uint8).copy()
    if len(state) != game.dtype.itemsize:
        raise ValueError(f"a state of {len(state)} bytes, {game.title} has {game.dtype.itemsize}")
    return state


def _random_to_json(source: Any) -> Any:
    return None if source is None else {"own": source.own.getstate(), "shared": source.shared}


def _random_from_json(source: Any, data: Any) -> None:
    if source is None:
        return

    def state(value: Any) -> Any:
        version, numbers, rest = value
        return (version, tuple(numbers), rest)

    source.own.setstate(state(data["own"]))
    random.Random().setstate(state(data["shared"]))  # raises if it is invalid
    source.shared = state(data["shared"])


def _one_line(error: BaseException) -> str:
    return " ".join(str(error).split()) or type(error).__name__
