"""Saving and loading: going on gives what an uninterrupted search gives, and bad files are refused in one line."""

import io
import json
import random
import subprocess
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout as po
from playout.core import tree as core
from playout.core.jit import COMPILED
from tests.game.objects import Board, NamedStones, SetBoard, Stones
from tests.games.toy_games import Dice, Nim

from .test_step import same_tree

BUDGET = 2000 if COMPILED else 150


def saved(search: po.Search, path: Path, game: po.Game | None = None) -> po.Search:
    search.save(path)
    return po.Search.load(path, game)


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello", "target_sum"])
def test_going_on_from_a_file_gives_what_an_uninterrupted_search_gives(name: str, tmp_path: Path) -> None:
    search = po.Search(po.games.load(name), po.Settings(solver=False), seed=8)
    search.run(BUDGET)
    loaded = saved(search, tmp_path / "a.search")
    assert same_tree(search, loaded)
    search.run(BUDGET)
    loaded.run(BUDGET)
    assert same_tree(search, loaded)


@pytest.mark.parametrize(
    "settings",
    [
        po.Settings(policy=po.PUCT(2.0, growth=1.0), noise=po.Noise(), unvisited=po.Parent(0.2)),
        po.Settings(policy=po.UCB1Tuned(), expansion=po.Widening(2, 0.5, 0.4, 5), answer="bound", discount=0.9),
        po.Settings(evaluator=po.Mixed(0.3, po.Rollouts(2, depth=5, guided=True)), ties="first", unvisited=0.1),
    ],
    ids=["puct", "tuned", "mixed"],
)
def test_every_setting_comes_back(settings: po.Settings, tmp_path: Path) -> None:
    search = po.Search(po.games.load("connect4"), settings, seed=8)
    search.run(BUDGET // 2)
    loaded = saved(search, tmp_path / "a.search")
    assert loaded.settings == settings
    search.run(50)
    loaded.run(50)
    assert same_tree(search, loaded)


@pytest.mark.parametrize("simulations", [1, 5, 40])
def test_a_graph_in_which_the_first_edge_leads_to_no_node_is_loaded(simulations: int, tmp_path: Path) -> None:
    """The table of positions has the entry -1 then: edge 0."""
    search = po.Search("tictactoe", po.Settings(transpositions=True), seed=1)
    search.run(simulations)
    loaded = saved(search, tmp_path / "a.search")
    assert search.run(50).to_dict()["actions"] == loaded.run(50).to_dict()["actions"]


@pytest.mark.parametrize("entry", [0, 1])
def test_a_table_of_positions_that_points_to_no_node_is_refused(entry: int, tmp_path: Path) -> None:
    search = po.Search("tictactoe", po.Settings(transpositions=True), seed=1)
    search.run(5)
    table = search.tree.table
    table[np.flatnonzero(table)[0]] = np.uint64(2**32 + entry)
    search.save(tmp_path / "a.search")
    with pytest.raises(po.FileError, match="the table of positions points out of bounds"):
        po.Search.load(tmp_path / "a.search")


@pytest.mark.parametrize("expansion", [po.All(), po.OneAtATime()], ids=lambda e: type(e).__name__)
def test_a_file_from_before_the_setting_priors_goes_on_as_it_began(expansion: Any, tmp_path: Path) -> None:
    """One child at a time was by prior then, and all children at once in random order."""
    by_prior = isinstance(expansion, po.OneAtATime) or None
    search = po.Search(po.games.load("connect4"), po.Settings(expansion=expansion, priors=by_prior), seed=8)
    search.run(BUDGET // 2)
    search.save(tmp_path / "a.search")
    with zipfile.ZipFile(tmp_path / "a.search") as new, zipfile.ZipFile(tmp_path / "old.search", "w") as old:
        for name in new.namelist():
            content = new.read(name)
            if name == "header.json":
                header = json.loads(content)
                del header["settings"]["priors"]
                content = json.dumps(header).encode()
            old.writestr(name, content)
    loaded = po.Search.load(tmp_path / "old.search")
    assert loaded.settings == search.settings
    search.run(50)
    loaded.run(50)
    assert same_tree(search, loaded)


def test_game_settings_moves_and_the_way_back_come_back(tmp_path: Path) -> None:
    search = po.Search(po.games.load("target_sum", target=30, moves=8, numbers=(2, 3, 7)), seed=1)
    search.run(60)
    search.play("7")
    search.run(40)
    loaded = saved(search, tmp_path / "a.search")
    assert loaded.game.values == search.game.values
    assert [p.text for p in loaded.history] == [p.text for p in search.history]
    assert loaded.position.text == search.position.text
    loaded.rewind(10)
    search.rewind(10)
    assert same_tree(search, loaded)


def test_a_users_game_is_given_again(tmp_path: Path) -> None:
    search = po.Search(Dice(), seed=1)
    search.run(50)
    search.save(tmp_path / "a.search")
    with pytest.raises(po.FileError, match="not built in; give it"):
        po.Search.load(tmp_path / "a.search")
    assert same_tree(search, po.Search.load(tmp_path / "a.search", Dice()))
    with pytest.raises(po.FileError, match="is of a game with name 'Dice', but Nim has 'Nim'"):
        po.Search.load(tmp_path / "a.search", Nim())


def test_a_tree_by_hand_comes_back_and_can_be_walked_back_to(tmp_path: Path) -> None:
    tree = {"visits": 5, "children": {"1": {"visits": 3, "value": 0.5}, "2": {"visits": 2, "value": 0.0}}}
    search = po.Search.from_tree(Nim(), tree, seed=4)
    search.run(30)
    loaded = saved(search, tmp_path / "a.search", Nim())
    for s in (search, loaded):
        s.rewind(0)
    assert same_tree(search, loaded)


@pytest.mark.parametrize("obj", [Stones(30), Board()], ids=["play", "node"])
def test_a_game_of_objects_comes_back_by_playing_its_moves(obj: Any, tmp_path: Path) -> None:
    search = po.Search(po.wrap(obj), po.Settings(solver=False), seed=4)
    search.run(100)
    search.play(search.result().best or 0)
    search.run(50)
    loaded = saved(search, tmp_path / "a.search", po.wrap(obj))
    for s in (search, loaded):
        s.run(60)
    n = int(search.tree.counters[core.EDGES])
    assert np.array_equal(search.tree.edges[:n], loaded.tree.edges[:n])


class Untold(Stones):
    """Stones that nothing is written of."""

    __str__ = object.__str__


@pytest.mark.parametrize(
    ("saved_obj", "given", "expected"),
    [
        (Stones(10), None, r"game=po\.wrap\(Stones\(…\)\)\)"),
        (Stones(10), NamedStones(10), "name 'Stones', but NamedStones has 'NamedStones'"),
        (Stones(10), Stones(12), "began at 10 stones, player 0, but the Stones given is at 12 stones, player 0"),
        (Untold(10), Untold(12), "its tree is not that of Untold"),
        (Untold(10), Untold(10, turn=1), "its tree is not that of Untold"),
    ],
    ids=["none", "another class", "another text", "other ends", "another player"],
)
def test_another_object_than_the_saved_one_is_refused(
    saved_obj: Any, given: Any, expected: str, tmp_path: Path
) -> None:
    search = po.Search(po.wrap(saved_obj), seed=4)
    search.run(60)
    search.save(tmp_path / "a.search")
    with pytest.raises(po.FileError, match=expected) as caught:
        po.Search.load(tmp_path / "a.search", None if given is None else po.wrap(given))
    assert "\n" not in str(caught.value)


def test_a_search_of_a_later_object_is_not_loaded_at_the_first(tmp_path: Path) -> None:
    game = po.wrap(Stones(30))
    search = po.Search(game, position=game.position().play(2), seed=4)
    search.run(60)
    search.save(tmp_path / "a.search")
    with pytest.raises(po.FileError, match="began at 28 stones, player 1"):
        po.Search.load(tmp_path / "a.search", game)
    assert po.Search.load(tmp_path / "a.search", po.wrap(Stones(28, turn=1))).simulations == 60


def test_an_object_that_remembers_what_it_worked_out_is_still_the_same(tmp_path: Path) -> None:
    class Memo(Stones):
        known = ""

        def legal_actions(self) -> list[int]:
            self.known = "known"
            return super().legal_actions()

        def __str__(self) -> str:
            return super().__str__() + self.known

    search = po.Search(po.wrap(Memo(30)), seed=4)
    search.run(20)
    assert saved(search, tmp_path / "a.search", po.wrap(Memo(30))).simulations == 20


def test_children_in_a_set_have_no_order_to_save(tmp_path: Path) -> None:
    search = po.Search(po.wrap(SetBoard()), seed=4)
    search.run(10)
    with pytest.raises(po.FileError, match="returns a set"):
        search.save(tmp_path / "a.search")
    assert not list(tmp_path.iterdir())


@pytest.mark.compiled_only
def test_another_process_goes_on_as_this_one_would(tmp_path: Path) -> None:
    search = po.Search(po.games.load("connect4"), seed=8)
    search.run(500)
    search.save(tmp_path / "a.search")
    search.run(500)
    code = "import sys, playout as po; s = po.Search.load(sys.argv[1]); s.run(500); s.save(sys.argv[2])"
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "a.search"), str(tmp_path / "b.search")], check=True)
    assert same_tree(search, po.Search.load(tmp_path / "b.search"))


# Bad files.


@pytest.fixture(scope="module")
def good(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("good") / "a.search"
    search = po.Search(po.games.load("tictactoe"), seed=8)
    search.run(300)
    search.save(path)
    return path.read_bytes()


def rewritten(data: bytes, change: Callable[[str, bytes], bytes | None]) -> bytes:
    """The same archive with entries changed, checksums right again."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            entry = change(name, old.read(name))
            if entry is not None:
                new.writestr(name, entry)
    return out.getvalue()


def with_header(data: bytes, **changes: Any) -> bytes:
    def change(name: str, entry: bytes) -> bytes:
        return json.dumps(json.loads(entry) | changes).encode() if name == "header.json" else entry

    return rewritten(data, change)


def with_array(data: bytes, array: str, edit: Callable[[Any], Any]) -> bytes:
    def change(name: str, entry: bytes) -> bytes:
        if name != f"tree/{array}.npy":
            return entry
        loaded = np.load(io.BytesIO(entry))
        out = io.BytesIO()
        np.save(out, edit(loaded))
        return out.getvalue()

    return rewritten(data, change)


def put(field: str, row: int, value: Any) -> Callable[[Any], Any]:
    def edit(array: Any) -> Any:
        array[field][row] = value
        return array

    return edit


BAD = {
    "empty": (lambda d: b"", "not a search file, or a damaged one"),
    "text": (lambda d: b"hello world", "not a search file, or a damaged one"),
    "cut off": (lambda d: d[: len(d) // 2], "damaged"),
    "zip of something else": (lambda d: rewritten(d, lambda n, e: None if n == "header.json" else e), "no header.json"),
    "array missing": (lambda d: rewritten(d, lambda n, e: None if n == "tree/edges.npy" else e), "damaged"),
    "header not JSON": (lambda d: rewritten(d, lambda n, e: b"{" if n == "header.json" else e), "header can't be read"),
    "another format": (lambda d: with_header(d, format="chess-game"), "is a 'chess-game' file"),
    "a later version": (lambda d: with_header(d, version=99), "version 99"),
    "unknown setting": (lambda d: with_header(d, settings={"magic": 1}), "Settings has no 'magic'"),
    "bad seed": (lambda d: with_header(d, seed="x"), "header can't be used"),
    "illegal move in the log": (lambda d: with_header(d, log=[["play", 77]]), "header can't be used"),
    "log leads elsewhere": (lambda d: with_header(d, log=[["play", 0]]), "don't lead to its position"),
    "pickle inside": (lambda d: with_array(d, "edges", lambda a: np.array([{}], object)), "damaged"),
    "wrong type": (lambda d: with_array(d, "edges", lambda a: np.zeros(4)), "damaged"),
    "child out of bounds": (lambda d: with_array(d, "edges", put("child", 0, 10**6)), "a child is out of bounds"),
    "cycle": (lambda d: with_array(d, "edges", put("child", -1, 3)), "child"),
    "edges out of bounds": (lambda d: with_array(d, "nodes", put("first_edge", 2, 10**6)), "out of bounds"),
    "player who is not there": (lambda d: with_array(d, "nodes", put("player", 2, 5)), "a player is out of bounds"),
    "not a number": (lambda d: with_array(d, "edges", put("value", 0, np.nan)), "not a number"),
    "negative visits": (lambda d: with_array(d, "edges", put("visits", 0, -3)), "negative"),
}


@pytest.mark.parametrize("name", list(BAD))
def test_a_bad_file_is_refused_with_the_reason(name: str, good: bytes, tmp_path: Path) -> None:
    make, message = BAD[name]
    path = tmp_path / "bad.search"
    path.write_bytes(make(good))
    with pytest.raises(po.FileError, match=message) as caught:
        po.Search.load(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_any_damaged_byte_is_refused_or_harmless(good: bytes, tmp_path: Path) -> None:
    """A flipped byte is caught by a checksum or lies in what nobody reads; never a crash, never another tree."""
    reference = tmp_path / "good.search"
    reference.write_bytes(good)
    original = po.Search.load(reference)
    chosen = random.Random(1)
    path = tmp_path / "bad.search"
    for _ in range(200):
        at = chosen.randrange(len(good))
        path.write_bytes(good[:at] + bytes([good[at] ^ (1 << chosen.randrange(8))]) + good[at + 1 :])
        try:
            loaded = po.Search.load(path)
        except po.FileError:
            continue
        assert same_tree(original, loaded)


def test_a_missing_file_and_a_folder_are_named(tmp_path: Path) -> None:
    with pytest.raises(po.FileError, match="no such file"):
        po.Search.load(tmp_path / "none.search")
    with pytest.raises(po.FileError, match="can't be read"):
        po.Search.load(tmp_path)


def test_a_place_that_cannot_be_written_leaves_the_old_file_and_the_search(tmp_path: Path) -> None:
    search = po.Search(Nim(), seed=1)
    search.run(20)
    with pytest.raises(po.FileError, match="can't be written"):
        search.save(tmp_path / "no" / "such" / "folder.search")
    assert search.run(5).simulations == 5
    assert not list(tmp_path.iterdir())


@pytest.mark.compiled_only
def test_saving_makes_no_copy_of_the_tree(tmp_path: Path) -> None:
    search = po.Search("connect4", seed=1)
    search.run(100_000, early_stop=False)
    assert search.tree_bytes > 4 << 20
    tracemalloc.start()
    try:
        search.save(tmp_path / "large.search", compress=False)
        assert tracemalloc.get_traced_memory()[1] < search.tree_bytes / 2
    finally:
        tracemalloc.stop()
    assert same_tree(po.Search.load(tmp_path / "large.search"), search)
