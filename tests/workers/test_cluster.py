"""Work on a Ray cluster that is really started: the same games as in processes and here, also where workers die."""

import os
import shutil
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

import playout as po
from playout.arena import Match, make_match
from playout.cli import main
from playout.compare import compare
from playout.errors import GameError, SettingsError
from playout.scores import evaluate
from playout.search.limits import Limits
from playout.settings import Settings
from playout.solve import solve
from playout.training.training import Training, train
from playout.tune import tune
from playout.workers import cluster as cluster_module
from playout.workers.cluster import Cluster, RayMember
from playout.workers.parcel import Parcel, parcel_of
from playout.workers.roots import RootsSetup
from playout.workers.site import listeners
from tests.training.test_training import TINY, assert_same, weights_of

if not os.environ.get("CI"):  # there it must be installed
    pytest.importorskip("ray")
pytestmark = [
    pytest.mark.compiled_only,
    pytest.mark.skipif(not Path("/proc").is_dir(), reason="Ray's workers are killed as Linux does it"),
]

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

    folder = tempfile.mkdtemp(prefix="ray-")  # short: a socket's path has at most 107 characters
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RAY_USAGE_STATS_ENABLED", "0")
        patch.setenv("RAY_worker_niceness", "0")
        patch.setenv("RAY_memory_monitor_refresh_ms", "0")  # it kills workers where other programs fill the memory
        found = ray.init(
            address="local",
            num_cpus=2,
            object_store_memory=100_000_000,
            include_dashboard=False,
            log_to_driver=False,
            logging_level="ERROR",
            _temp_dir=folder,
        )
        yield found.address_info["gcs_address"]
        ray.shutdown()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(autouse=True)
def no_listeners() -> Iterator[None]:
    """No test hears of another's workers."""
    listeners.clear()
    yield
    listeners.clear()


class Killer:
    """Kills up to two workers of the clusters that a test starts: when a result comes, one that is at work."""

    def __init__(self) -> None:
        self.clusters: list[Cluster] = []
        self.killed: list[int] = []
        self.calls = 0

    def __call__(self, *_: Any) -> None:
        self.calls += 1
        if self.calls > 2 and len(self.killed) < 2:  # the first results are there
            self.kill()

    def kill(self, at_work: bool = True) -> None:
        """Kill the first worker that can be; if there is none, a later call may find one."""
        members: list[Any] = [member for cluster in self.clusters for member in cluster.members]
        for member in members:
            if member.is_ready and member.process not in self.killed and (member.under_way or not at_work):
                os.kill(member.process, signal.SIGKILL)
                self.killed.append(member.process)
                return


@pytest.fixture
def killer(monkeypatch: pytest.MonkeyPatch) -> Killer:
    """Knows the clusters of its own test and no others."""
    found, fill = Killer(), Cluster._fill

    def noted(cluster: Cluster) -> None:
        if cluster not in found.clusters:
            found.clusters.append(cluster)
        fill(cluster)

    monkeypatch.setattr(Cluster, "_fill", noted)
    return found


def games_of(match: Match) -> list[Any]:
    return [(number, r.players, r.moves, r.returns) for number, r in sorted(match.done.items())]


# The same results.


def test_an_arena_whose_workers_are_killed_plays_the_same_games_each_once(
    ray_cluster: str, killer: Killer, tmp_path: Path
) -> None:
    options: dict[str, Any] = {"games": 12, "simulations": 300, "seed": 3}
    here = make_match("connect4", ["default", "policy=puct"], concurrency=1, **options)
    here.run()
    lines: list[dict[str, Any]] = []
    listeners[:] = [lines.append]
    far = make_match("connect4", ["default", "policy=puct"], ray=ray_cluster, db=tmp_path / "far.sqlite", **options)
    try:
        far.run(killer)
    finally:
        far.close()
    assert games_of(far) == games_of(here)
    assert lines[-1]["restarts"] == len(killer.killed) >= 1
    assert (lines[-1]["jobs"], lines[-1]["machines"]) == (12, 1)
    again = make_match("connect4", ["default", "policy=puct"], concurrency=1, db=tmp_path / "far.sqlite", **options)
    assert len(again.done) == len(again.store.records()) == 12
    again.close()


def test_a_training_whose_worker_is_killed_gets_the_same_weights(
    ray_cluster: str, killer: Killer, tmp_path: Path
) -> None:
    given = {**TINY, "games": 6, "tables": 3, "every": 1}
    train("tictactoe", tmp_path / "here", 2, **given)
    training = Training("tictactoe", tmp_path / "far", ray=ray_cluster, **{**given, "workers": 2})
    line = training.callbacks.line

    def told(text: str) -> None:
        line(text)
        if not killer.killed:  # between two generations
            killer.kill(at_work=False)

    training.callbacks.line = told
    training.run(2)
    assert killer.killed
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


def test_other_versions_are_refused_by_name(ray_cluster: str, monkeypatch: pytest.MonkeyPatch) -> None:
    other = {**cluster_module.versions(), "Numba": "0.1"}
    monkeypatch.setattr(cluster_module, "versions", lambda: other)
    with pytest.raises(SettingsError, match=r"of the cluster has Numba .*, and this machine has 0\.1;"):
        evaluate("target_sum", ["random"], games=1, ray=ray_cluster)


# Bad input.


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
    assert main(["analyze", "tictactoe", "-n", "5", "--ray", "local"]) == 2
    assert "this search grows one tree" in capsys.readouterr().err


def small_cluster(get: Callable[[Any], Any]) -> Cluster:
    """A cluster of two workers, the second of which has just been asked for its versions."""
    from ray import exceptions

    cluster = Cluster.__new__(Cluster)
    cluster.what, cluster.advice, cluster.was_ready, cluster.left_out = "the test", "", False, 0
    cluster.looked = cluster.last_ready = time.monotonic()
    cluster.ray = SimpleNamespace(
        exceptions=exceptions, get=get, wait=lambda refs, **named: (refs, []), kill=lambda actor: None
    )
    cluster.members = [RayMember(None), RayMember(None)]
    cluster.members[1].asked["ref"] = "hello", -1  # type: ignore[attr-defined]
    return cluster


def test_errors_of_the_cluster_are_a_lost_worker_or_one_line() -> None:
    from ray import exceptions

    def answer(error: Exception) -> tuple[str, Any]:
        def get(ref: Any) -> Any:
            raise error

        return small_cluster(get)._answer(None)

    for lost in (exceptions.OutOfMemoryError("much"), exceptions.WorkerCrashedError(), exceptions.ActorDiedError()):
        assert answer(lost) == ("a worker of the test on the cluster died", None)
    with pytest.raises(GameError, match=r"^the Ray cluster failed: RaySystemError: .*no more$"):
        answer(exceptions.RaySystemError("no more"))
    with pytest.raises(SettingsError, match="the cluster's object store is full"):
        answer(exceptions.ObjectStoreFullError("full"))


def test_a_machine_that_cannot_be_used_is_left_out_where_others_work() -> None:
    refused = SettingsError("far of the cluster has Numba 0.1")
    with pytest.raises(SettingsError, match=r"Numba 0\.1"):
        small_cluster(lambda ref: refused).wait(0.0)
    lines: list[dict[str, Any]] = []
    listeners[:] = [lines.append]
    cluster = small_cluster(lambda ref: refused)
    cluster.was_ready = cluster.members[0].is_ready = True
    assert cluster.wait(0.0) == []
    assert len(cluster.members) == cluster.left_out == 1
    assert lines == [{"workers": "the test", "left_out": "far of the cluster has Numba 0.1"}]
