"""`python -m benchmarks.cluster`: workers in processes and on Ray, and a model of a cluster.

measure        self-play of connect four by one and two workers, in processes and on a Ray cluster of this machine
model FILE     a discrete-event model with the constants that `measure --json FILE` wrote: 1 to 1,000 machines
faults         an arena on two Ray nodes of this machine whose workers and second node are killed; its games are
               compared with those of one process
"""

from __future__ import annotations

import argparse
import heapq
import json
import os
import random
import signal
import tempfile
import time
from pathlib import Path
from typing import Any

from playout.arena import make_match
from playout.play.chance import seed_of
from playout.play.source import GameSource
from playout.training.pool import Pool, tables
from playout.training.training import Training
from playout.workers.cluster import LOCAL
from playout.workers.figures import listeners

RECIPE: dict[str, Any] = {"games": 64, "simulations": 64, "teacher": 0, "blocks": 2, "filters": 16, "every": 0}
CORES = 8  # of a machine, in the model
BANDWIDTH = 125e6  # bytes a second into and out of the driver, in the model: a gigabit network
PICKUP = 0.25  # the most seconds between the end of a generation's last table and the look at it
GENERATIONS = 20  # of a simulated training


# Measuring.


def measure(games: int) -> dict[str, Any]:
    """Seconds of each table and of all, with one and two workers; how long learning takes; how much travels."""
    found: dict[str, Any] = {"cores": os.cpu_count(), "games": games}
    with tempfile.TemporaryDirectory() as folder:
        training = Training("connect4", folder, workers=1, **{**RECIPE, "games": games})
        state = training.run(1)
        figures = state.history[-1]
        samples = Path(folder, "replay", "000001.npz").stat().st_size
        found |= {"samples": figures["samples"], "file_bytes": samples, "learn_seconds": figures["learn_seconds"]}
        network = training.folder.exported(state, training.recipe)
        found["weight_bytes"] = len(network)
        for ray in (None, LOCAL):
            for workers in (1, 2):
                name = f"{'processes' if ray is None else 'ray'} {workers}"
                found[name] = _play(training, network, workers, ray, Path(folder))
                print(name, json.dumps({k: v for k, v in found[name].items() if k != "tables"}), flush=True)
    return found


def _play(training: Training, network: bytes, workers: int, ray: str | None, folder: Path) -> dict[str, Any]:
    recipe, began = training.recipe, time.perf_counter()
    pool = Pool(GameSource("connect4"), training.game, recipe, workers, ray)
    try:
        sent, seed = pool.sent(network, folder / "playing"), seed_of(0, "benchmark")
        pool.share([("table", place, sent, seed, place, 1) for place in range(workers)])  # compiled and opened
        started = time.perf_counter() - began
        jobs = [("table", place, sent, seed, *games) for place, games in enumerate(tables(recipe))]
        began = time.perf_counter()
        played = pool.share(jobs)
        seconds = time.perf_counter() - began
        size = sum(array.nbytes for table in played for array in vars(table.samples).values())
    finally:
        pool.close()
    return {
        "start_seconds": round(started, 2),
        "seconds": round(seconds, 2),
        "games_a_minute": round(60 * recipe.games / seconds, 1),
        "sample_bytes": size,
        "tables": [round(table.figures["seconds"], 3) for table in played],
    }


# The model.


class SimulatedCluster:
    """A training on `actors` workers: weights out, tables played, samples back one after the other, learning."""

    def __init__(self, measured: dict[str, Any], machines: int, actors: int, count: int, games: int) -> None:
        one = measured["ray 1"]
        self.games_of_table = measured["games"] / len(one["tables"])
        self.durations = [seconds / self.games_of_table for seconds in one["tables"]]  # of a game, table by table
        self.weights = measured["weight_bytes"]
        self.bytes_of_game = one["sample_bytes"] / measured["games"]
        self.learning = measured["learn_seconds"] / measured["games"]  # seconds for each game
        self.machines, self.actors, self.count, self.games = machines, actors, count, games
        self.random = random.Random(machines)

    def self_play(self, overhead: float = 0.0) -> float:
        """The seconds of the self-play of one generation. Events: a worker is free, a result has arrived."""
        each = self.games / self.count
        waiting = [self.random.choice(self.durations) * each + overhead for _ in range(self.count)]
        sent = self.weights / BANDWIDTH  # to one machine after the other
        free = [(sent * (1 + actor % self.machines), actor) for actor in range(self.actors)]
        heapq.heapify(free)
        line_free = ends = 0.0  # when the line into the driver is free
        arrivals: list[float] = []
        for seconds in waiting:
            now, actor = heapq.heappop(free)
            heapq.heappush(free, (now + seconds, actor))
            arrivals.append(now + seconds)
        for done in sorted(arrivals):
            line_free = max(line_free, done) + each * self.bytes_of_game / BANDWIDTH
            ends = line_free
        return ends + PICKUP / 2

    def run(self) -> dict[str, float]:
        """Games an hour, the share of time in which the learner waits for games, and the driver's replay in MB."""
        played = sum(self.self_play() for _ in range(GENERATIONS))
        learnt = GENERATIONS * self.learning * self.games
        window = 20 * self.games * self.bytes_of_game / 1e6
        return {
            "games an hour": round(3600 * GENERATIONS * self.games / (played + learnt)),
            "learner waits": round(played / (played + learnt), 3),
            "replay MB": round(window, 1),
        }


def model(measured: dict[str, Any]) -> None:
    """Print the model's check on this machine, and its predictions."""
    for actors in (1, 2):
        cluster = SimulatedCluster(measured, 1, actors, len(measured["ray 1"]["tables"]), measured["games"])
        predicted = sum(cluster.self_play() for _ in range(200)) / 200
        seen = measured[f"ray {actors}"]["seconds"]
        error = 100 * (predicted / seen - 1)
        print(f"{actors} actors here: predicted {predicted:.1f} s, measured {seen:.1f} s ({error:+.0f}%)")
    print("| machines | games of a generation | tables | games an hour | learner waits | replay in the driver |")
    print("|---|---|---|---|---|---|")
    for machines in (1, 10, 100, 1000):
        actors = CORES * machines
        for games, count in ((192, 8), (24 * actors, 2 * actors)):
            found = SimulatedCluster(measured, machines, actors, count, games).run()
            print(
                f"| {machines:,} | {games:,} | {count:,} | {found['games an hour']:,} | {found['learner waits']:.0%} "
                f"| {found['replay MB']:,.0f} MB |"
            )


# Faults.


def faults(kills: int, nodes: int, games: int) -> None:
    """Kill a worker, or the second of two nodes, again and again during an arena, and compare its games."""
    import ray
    from ray.cluster_utils import Cluster as RayCluster

    options: dict[str, Any] = {"games": games, "simulations": 3000, "seed": 1}
    players = ["default", "policy=puct"]
    here = make_match("connect4", players, concurrency=1, **options)
    here.run()
    os.environ |= {"RAY_USAGE_STATS_ENABLED": "0", "RAY_worker_niceness": "0"}
    node = {"num_cpus": 1, "object_store_memory": 100_000_000}
    cluster = RayCluster(initialize_head=True, head_node_args={**node, "include_dashboard": False})
    second = cluster.add_node(**node)
    lines: list[dict[str, Any]] = []
    listeners.append(lines.append)
    killed = lost = 0
    every = max(1, games // (kills + nodes + 1))

    def kill(match: Any) -> None:
        nonlocal killed, lost, second
        if killed + lost >= kills + nodes or len(match.done) < every * (killed + lost + 1):
            return
        if (killed + lost) % (kills // max(1, nodes) + 1) == 1 and lost < nodes:
            cluster.remove_node(second, allow_graceful=False)
            second = cluster.add_node(**node)
            lost += 1
        elif there := _actors():
            os.kill(there[killed % len(there)], signal.SIGKILL)
            killed += 1

    far = make_match("connect4", players, ray=cluster.address, **options)
    try:
        far.run(kill)
    finally:
        ray.shutdown()
        cluster.shutdown()
    same = all(
        (far.done[n].moves, far.done[n].returns) == (here.done[n].moves, here.done[n].returns) for n in here.done
    )
    told = {"killed": killed, "nodes lost": lost, "games": len(far.done), "the same games": same}
    print(json.dumps({**told, **(lines[-1] if lines else {})}))


def _actors() -> list[int]:
    """The processes of workers on the clusters of this machine."""
    found = (path for path in Path("/proc").glob("[0-9]*/cmdline") if _begins(path, b"ray::RayWorker"))
    return [int(path.parent.name) for path in found]


def _begins(path: Path, name: bytes) -> bool:
    try:
        return path.read_bytes().startswith(name)
    except OSError:  # it has ended
        return False


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cluster", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("what", choices=("measure", "model", "faults"))
    parser.add_argument("file", nargs="?", type=Path, help="what `measure --json` wrote")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write what was measured there")
    parser.add_argument("--games", type=int, default=64)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--nodes", type=int, default=3)
    given = parser.parse_args()
    if given.what == "measure":
        found = measure(given.games)
        if given.json is not None:
            given.json.write_text(json.dumps(found, indent=2) + "\n", encoding="utf-8")
    elif given.what == "faults":
        faults(given.kills, given.nodes, given.games)
    elif given.file is None:
        parser.error("model needs the FILE that `measure --json FILE` wrote")
    else:
        model(json.loads(given.file.read_text(encoding="utf-8")))


if __name__ == "__main__":
    main()
