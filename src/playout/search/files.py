"""Save and load a search: a zip archive of a JSON header and NumPy arrays, described in docs/file-format.md.

Nothing is pickled. Everything is checked before it reaches a kernel: a damaged or foreign file is a `FileError`.
"""

import base64
import dataclasses
import json
import random
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from playout import games
from playout.common.disk import replacing
from playout.core import copying, positions
from playout.core import tree as core
from playout.core.learned import has_fault
from playout.core.params import HALVING
from playout.core.tree import Tree
from playout.errors import FileError, PlayoutError
from playout.evaluators import Evaluator
from playout.game import Game, Position
from playout.game.wrap.checks import shown
from playout.settings import Network, Outside, Settings

if TYPE_CHECKING:
    from .search import Search

FORMAT, VERSION = "playout-search", 3
READABLE = (2, 3)  # 2: before there were backups and users' own parts
ARRAYS = Tree._fields
OF_PARTS = ("policy", "backup", "policy_columns", "backup_columns")
OF_PLANS = ("plan", "candidates")  # which older files lack
MOST_BYTES = 1 << 36  # larger arrays are taken for damage


def save(search: "Search", path: Path, compress: bool = True) -> None:
    """Write a search; the old file stays until the new one is complete. A link is followed, a device refused."""
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
            _write_tree(archive, "tree", search.tree, game)
            if past.start_tree is not None:
                _write_tree(archive, "origin", past.start_tree, game)
    except OSError as error:
        raise FileError(
            f"{path}: can't be written ({error.strerror or error}); the search itself is unharmed"
        ) from None


def load(cls: "type[Search]", path: Path, game: Game | None, evaluator: Any = None) -> "Search":
    """Read a search; a file that can't be trusted is refused with the reason. `evaluator` replaces the saved one."""
    try:
        with zipfile.ZipFile(path) as archive:
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
    if core.is_graph(tree) != bool(params.graph) or (len(tree.means) > 0) != vectors or len(tree.plan) != plans:
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
        if not set(block["action"].tolist()) <= set(position.actions()) or len(block) == 0:
            raise FileError(
                f"{path}: its moves are not those of {game.title}; the rules have changed, or it is damaged"
            )


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
    if isinstance(settings.evaluator, Network | Outside):
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


def _write_tree(archive: zipfile.ZipFile, folder: str, tree: Tree, game: Game) -> None:
    tree = copying.copied(tree)
    if game.keeps_objects:  # its states are addresses of this process
        tree = tree._replace(states=tree.states[:0], rewards=tree.rewards[:0], root=np.zeros_like(tree.root))
    for name, array in zip(ARRAYS, tree, strict=True):
        with archive.open(f"{folder}/{name}.npy", "w", force_zip64=True) as file:
            np.lib.format.write_array(file, array, allow_pickle=False)


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
        "rng": (np.dtype(np.uint64), (1,)),
        "node_links": (core.NODE_LINK, (-1,)),
        "edge_links": (core.EDGE_LINK, (-1,)),
        "means": (np.dtype(np.float64), (-1, 2 * players)),
        "table": (np.dtype(np.uint64), (-1,)),
        "learned": (np.dtype(np.float64), (-1,)),
        "policy": (np.dtype(np.uint8), (-1,)),
        "backup": (np.dtype(np.uint8), (-1,)),
        "policy_columns": (np.dtype(np.int64), (-1, -1)),
        "backup_columns": (np.dtype(np.int64), (-1, -1)),
        "plan": (core.PLAN, (-1,)),
        "candidates": (core.CANDIDATE, (-1,)),
    }
    arrays: dict[str, Any] = {}
    for name, (dtype, shape) in expected.items():
        entry = f"{folder}/{name}.npy"
        if (name in OF_PARTS and version == 2) or (name in OF_PLANS and entry not in archive.namelist()):
            arrays[name] = np.zeros(0, dtype) if len(shape) == 1 else np.zeros((len(arrays["edges"]), 0), dtype)
            continue
        if name == "learned" and entry not in archive.namelist():  # written before playouts could learn
            arrays[name] = np.zeros(0)
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


def find_fault(tree: Tree, game: Game) -> str | None:
    """What makes a tree unsafe for a kernel: an index out of bounds, a child above its parent, an invalid player."""
    used = tree.counters
    records, edges, proofs = (int(used[i]) for i in (core.NODES, core.EDGES, core.PROOFS))
    if (
        (records, edges, proofs) != (len(tree.nodes), len(tree.edges), len(tree.proofs))
        or records < core.ROOT
        or proofs < 2
    ):
        return "the counts don't fit the arrays"
    if np.any(used[[core.POSITIONS, core.SIMULATIONS]] < 0) or not -1 <= used[core.LEADER] < max(1, edges):
        return "a counter is out of bounds"
    if len(tree.policy_columns) != edges or len(tree.backup_columns) != edges:
        return "the columns don't fit the edges"
    if has_fault(tree.learned):
        return "what the playouts have learned has impossible numbers"
    node, edge = tree.nodes[core.ROOT :], tree.edges
    first, count = node["first_edge"].astype(np.int64), node["count"].astype(np.int64)
    if np.any(first < 0) or np.any(first + count > edges) or np.any(node["opened"] > node["count"]):
        return "a node's edges are out of bounds"
    if len(node) and np.any(count > game.max_actions):
        return "a node has too many edges"
    if np.any(node["player"] >= game.players) or np.any((node["player"] < 0) & (node["player"] != -1)):
        return "a player is out of bounds"
    if np.any(node["proof"] < 0) or np.any(node["proof"] >= proofs) or tree.nodes[core.END]["proof"] != core.END_PROOF:
        return "a proof is out of bounds"
    child = np.abs(edge["child"].astype(np.int64))
    graph = core.is_graph(tree)
    if np.any(child >= max(records, core.ROOT)) or (np.any(child == core.ROOT) and not graph):
        return "a child is out of bounds"
    order = np.argsort(first, kind="stable")
    ends = (first + count)[order]
    if np.any(first[order][1:] < ends[:-1]):
        return "two nodes have the same edges"
    owner = np.zeros(edges, np.int64)  # 0: spare room, as an open loop leaves it
    within = np.arange(count.sum()) - np.repeat(np.cumsum(count[order]) - count[order], count[order])
    owner[np.repeat(first[order], count[order]) + within] = np.repeat(
        np.arange(core.ROOT, records)[order], count[order]
    )
    if np.any(edge["child"][owner == 0] != 0) or np.any(edge["visits"][owner == 0] != 0):
        return "an edge belongs to no node"
    if graph and (fault := _find_graph_fault(tree, child, owner)):
        return fault
    if not graph and np.any((child > core.END) & (child <= owner)):
        return "a child comes before its parent"
    below = child[child > core.END]
    if not graph and len(np.unique(below)) != len(below):
        return "a node has two parents"
    if np.any(node["visits"] < 0) or np.any(edge["visits"] < 0) or np.any(node["own"] < 0):
        return "a count of visits is negative"
    through = np.zeros(records, np.int64)
    np.add.at(through, owner, edge["visits"])
    if np.any(through[core.ROOT :] + node["own"] != node["visits"]):
        return "visits don't add up"
    if len(tree.plan) and not _is_plan(tree, game):
        return "the plan of its root is out of bounds"
    if np.any(node["player"] == -1) and not game.has("chance_outcomes"):
        return "chance moves in a game without chance"
    if not np.all(edge["spread"] >= 0.0) or np.any(np.isinf(edge["spread"])):
        return "a spread is not a number of at least 0"
    if (
        not np.all(np.isfinite(edge["value"]))
        or not np.all(np.isfinite(edge["prior"]))
        or not np.all(np.isfinite(node["value"]))
    ):
        return "a value is not a number"
    return None


def _is_plan(tree: Tree, game: Game) -> bool:
    """Whether a plan's numbers are possible: none began yet, or one with candidates among the root's edges."""
    plan, rows = tree.plan[0], tree.candidates
    size, entered, pool = (int(plan[name]) for name in ("size", "entered", "pool"))
    begun = plan["length"] > 0 and plan["rounds"] > 0 and size > 0
    count = int(tree.nodes[core.ROOT]["count"]) if len(tree.nodes) > core.ROOT else 0
    return bool(
        len(tree.plan) == 1
        and len(rows) == game.max_actions
        and (begun or (size == pool == plan["ends"] == 0))
        and 0 <= entered <= size <= pool <= count
        and 0 <= plan["base"] <= plan["goal"]
        and np.all(rows["place"] >= 0)
        and np.all(np.isfinite(rows["noise"]) & np.isfinite(rows["logit"]))
    )


def _find_graph_fault(tree: Tree, child: Any, owner: Any) -> str | None:
    """What is wrong with the arrays that only a graph has. Rebuilds the parent links."""
    records, edges, places = len(tree.nodes), len(tree.edges), len(tree.table)
    if len(tree.node_links) != records or len(tree.edge_links) != edges or len(tree.means) not in (0, records):
        return "the links don't fit the nodes and edges"
    entry = (tree.table & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32).astype(np.int64)
    used = tree.table != 0
    if places & (places - 1) or 2 * np.count_nonzero(used) > places or places < 16:
        return "the table of positions is too full, or not a power of two long"
    if np.any(entry[used] >= records) or np.any(entry[used] < -edges) or np.any(np.abs(entry[used]) == core.END):
        return "the table of positions points out of bounds"
    if not np.all(np.isfinite(tree.node_links["published"][core.ROOT :])) or not np.all(np.isfinite(tree.means)):
        return "a value is not a number"
    first = np.full(records, records, np.int64)
    inner = child > core.END
    np.minimum.at(first, child[inner], owner[inner])
    if np.any(first[core.ROOT + 1 :] >= np.arange(core.ROOT + 1, records)):
        return "a node comes before the one it was reached from"
    positions.join_all(tree)
    return None


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
    if source is None:
        return None
    return {"own": source.own.getstate(), "shared": source.shared}


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
