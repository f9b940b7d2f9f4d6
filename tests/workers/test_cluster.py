"""Work on a Ray cluster that is really started: the same games as in processes and here, also where workers die."""

import os
import signal
import socket
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout as po
from playout.arena import Match, make_match
from playout.cli import main
from playout.compare import compare
from playout.errors import FileError, SettingsError
from playout.scores import evaluate
from playout.search.limits import Limits
from playout.settings import Settings
from playout.solve import solve
from playout.training.training import Training, train
from playout.tune import tune
from playout.workers import cluster as cluster_module
from playout.workers.cluster import check_address
from playout.workers.figures import listeners
from playout.workers.parcel import Parcel, hash_of, parcel_of
from playout.workers.roots import RootsSetup
from tests.training.test_training import TINY, assert_same, weights_of

pytestmark = [pytest.mark.compiled_only, pytest.mark.skipif(sys.platform == "win32", reason="needs /proc")]

BESIDE = "STONES = 9\n"
NIM = """
import numpy as np
import playout as po
from beside import STONES

class Heap(po.Game):
    players = 1
    max_actions = 3
    value_range = (0.0, 9.0)
    state = np.dtype([("stones", np.int8)])

    @staticmethod
    def initial_state(state):
        state.stones = STONES

    @staticmethod
    def current_player(state):
        return 0 if state.stones > 1 else po.TERMINAL

    @staticmethod
    def legal_actions(state, actions):
        actions[0] = 1
        actions[1] = 2
        return 2

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        rewards[0] += action == 2
"""


@pytest.fixture(scope="module")
def ray_cluster() -> Iterator[str]:
    """A cluster of two CPUs on this machine, bounded in memory, which ends with the tests of this file."""
    import ray

    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    found = ray.init(
        address="local",
        num_cpus=2,
        object_store_memory=100_000_000,
        include_dashboard=False,
        log_to_driver=False,
        logging_level="ERROR",
    )
    yield found.address_info["gcs_address"]
    ray.shutdown()


def actors() -> list[int]:
    """The processes of workers on the cluster."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            name = (folder / "cmdline").read_bytes()
            owner = folder.stat().st_uid
        except OSError:
            continue
        if name.startswith(b"ray::RayWorker") and owner == os.getuid():
            found.append(int(folder.name))
    return found


class Killer:
    """Kills a worker that is at work when the second and the fourth result come."""

    def __init__(self) -> None:
        self.killed, self.calls = 0, 0

    def __call__(self, *_: Any) -> None:
        self.calls += 1
        if self.calls in (3, 5) and (there := actors()):
            os.kill(there[0], signal.SIGKILL)
            self.killed += 1


def games_of(match: Match) -> list[Any]:
    return [(number, r.players, r.moves, r.returns) for number, r in sorted(match.done.items())]


# The same results.


def test_an_arena_whose_workers_are_killed_plays_the_same_games_each_once(ray_cluster: str, tmp_path: Path) -> None:
    options: dict[str, Any] = {"games": 12, "simulations": 300, "seed": 3}
    here = make_match("connect4", ["default", "policy=puct"], concurrency=1, **options)
    here.run()
    lines: list[dict[str, Any]] = []
    listeners[:] = [lines.append]
    far = make_match("connect4", ["default", "policy=puct"], ray=ray_cluster, db=tmp_path / "far.sqlite", **options)
    killer = Killer()
    try:
        far.run(killer)
    finally:
        listeners.clear()
        far.close()
    assert games_of(far) == games_of(here)
    assert killer.killed == 2
    assert (lines[-1]["restarts"], lines[-1]["jobs"], lines[-1]["machines"]) == (2, 12, 1)
    again = make_match("connect4", ["default", "policy=puct"], concurrency=1, db=tmp_path / "far.sqlite", **options)
    assert len(again.done) == len(again.store.records()) == 12
    again.close()


def test_a_training_whose_worker_is_killed_gets_the_same_weights(ray_cluster: str, tmp_path: Path) -> None:
    given = {**TINY, "games": 6, "tables": 3, "every": 1}
    train("tictactoe", tmp_path / "here", 2, **given)
    training = Training("tictactoe", tmp_path / "far", ray=ray_cluster, **{**given, "workers": 2})
    killer = Killer()
    line = training.callbacks.line

    def told(text: str) -> None:
        line(text)
        killer.calls = 2  # after the first generation
        killer()

    training.callbacks.line = told
    training.run(2)
    assert killer.killed >= 1
    assert_same(weights_of(tmp_path / "far", 2), weights_of(tmp_path / "here", 2))
    one, two = (np.load(tmp_path / name / "replay" / "000002.npz") for name in ("here", "far"))
    assert all(np.array_equal(one[key], two[key]) for key in ("planes", "policy", "values"))
    assert '"machines": 1' in (tmp_path / "far" / "report.html").read_text(encoding="utf-8")


def test_a_fast_network_reaches_the_workers(ray_cluster: str, tmp_path: Path) -> None:
    given = {"games": 4, "simulations": 6, "teacher": 0, "fast": True, "hidden": 8, "every": 0, "batch": 16}
    train("connect4", tmp_path / "here", 1, workers=1, **given)
    train("connect4", tmp_path / "far", 1, ray=ray_cluster, **given)
    assert_same(weights_of(tmp_path / "far", 1), weights_of(tmp_path / "here", 1))


def test_trees_are_the_same_on_threads_processes_and_the_cluster(ray_cluster: str) -> None:
    setup = RootsSetup(po.games.load("connect4"), Settings(roots=3), seed=5)
    limits = Limits(9000)
    found = []
    for options in (None, {"workers": 2}, {"ray": ray_cluster}):
        search = setup.search()
        result = search.run(limits) if options is None else setup.run(search, limits, **options)
        trees = [
            [getattr(tree, name).tobytes() for name in ("nodes", "edges", "counters", "rng")] for tree in used(search)
        ]
        found.append((trees, replace(result, seconds=0.0).to_dict()))
    assert found[0] == found[1] == found[2]


def used(search: Any) -> list[Any]:
    from playout.core.copying import copied

    return [copied(tree) for tree in search.trees]


def test_scores_comparisons_and_tuning_are_the_same(ray_cluster: str) -> None:
    def both(work: Any, **options: Any) -> tuple[Any, Any]:
        return work(**options), work(ray=ray_cluster)

    def scores(**options: Any) -> Any:
        found = evaluate("game2048", ["default,n=10", "random"], games=2, max_moves=20, **options)
        return [[record.score for record in player.records] for player in found.scores]

    def compared(**options: Any) -> Any:
        found = compare("tictactoe", ["puct"], games=4, simulations=20, **options)
        return found.sections[0].rows[0].result.tally()  # type: ignore[union-attr]

    def tuned(**options: Any) -> Any:
        found = tune("tictactoe", "c=0.2..3", trials=2, games=4, simulations=20, **options)
        return [(row.chosen, row.difference) for row in found.rows]

    for work in (scores, compared, tuned):
        one, two = both(work, workers=1)
        assert one == two, work.__name__


# Users' files.


def test_a_users_game_travels_with_what_it_imports(
    ray_cluster: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The files are gone before a worker looks for them, as on another machine."""
    (tmp_path / "heap.py").write_text(NIM, encoding="utf-8")
    (tmp_path / "beside.py").write_text(BESIDE, encoding="utf-8")
    game = po.games.load(f"{tmp_path / 'heap.py'}:Heap")
    here = evaluate(game, ["default,n=20"], games=2, workers=1)
    solution = solve(game, playouts=300, runs=2)

    def packed(*things: Any) -> Parcel:
        found = parcel_of(*things)
        for name in ("heap.py", "beside.py"):
            (tmp_path / name).unlink()
        return found

    monkeypatch.setattr(cluster_module, "parcel_of", packed)
    far = evaluate(game, ["default,n=20"], games=2, ray=ray_cluster)
    assert [r.score for r in far.scores[0].records] == [r.score for r in here.scores[0].records]
    monkeypatch.setattr(cluster_module, "parcel_of", parcel_of)
    (tmp_path / "beside.py").write_text(BESIDE, encoding="utf-8")
    there = solve(game, playouts=300, runs=2, ray=ray_cluster)
    assert (there.actions, there.value, there.playouts, there.found_at) == (
        solution.actions,
        solution.value,
        300,
        solution.found_at,
    )


def test_a_file_that_arrives_changed_is_refused(tmp_path: Path) -> None:
    network = tmp_path / "some.onnx"
    network.write_bytes(b"weights")
    parcel = parcel_of(str(network))
    assert [file.digest for file in parcel.files if file.names[0] == str(network)] == [hash_of(b"weights")]
    changed = Parcel(tuple(replace(file, data=file.data + b"!") for file in parcel.files))
    with pytest.raises(FileError, match="arrived with another hash than it was sent with"):
        changed.open()


def test_what_the_script_itself_defines_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Killer, "__module__", "__main__")
    monkeypatch.setattr(sys.modules["__main__"], "Killer", Killer, raising=False)
    with pytest.raises(SettingsError, match="put it into a file of its own"):
        parcel_of(Killer)


def test_other_versions_are_refused_by_name(ray_cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {**cluster_module.versions(), "Numba": "0.1"}
    monkeypatch.setattr(cluster_module, "versions", lambda: other)
    with pytest.raises(SettingsError, match=r"of the cluster has Numba .*, and this machine has 0\.1;"):
        evaluate("target_sum", ["random"], games=1, ray=ray_cluster)


# Bad input.


@pytest.mark.parametrize("address", ["", "here", "host:", ":6379", "host:99999", "ray://host:10001"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with pytest.raises(SettingsError, match="expected HOST:PORT of a cluster that runs"):
        check_address(address)


def test_without_the_package_there_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main(["arena", "tictactoe", "random", "random", "--db", "none", "--ray", "auto"]) == 2
    assert capsys.readouterr().err == "playout: --ray needs the package ray; pip install 'playout[ray]'\n"


def test_where_no_cluster_answers_there_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import ray

    monkeypatch.setattr(ray, "is_initialized", lambda: False)
    with socket.socket() as free:  # bound, and not listening
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        assert main(["solve", "target_sum", "--ray", f"127.0.0.1:{port}"]) == 2
    told = capsys.readouterr().err
    assert told.count("\n") == 1
    assert "nothing answers there" in told


def test_one_tree_stays_on_one_machine(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("ray")
    assert main(["analyze", "tictactoe", "-n", "5", "--ray", "local"]) == 2
    assert "this search grows one tree" in capsys.readouterr().err
