"""Networks: the evaluations a second that a search leaves of the bare network's, and the tree alone."""

from __future__ import annotations

import contextlib
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .measure import Check, Contender, Options, Row, interleave, rate

if TYPE_CHECKING:
    import playout as po

LEELA = Path(__file__).resolve().parents[2] / "shared" / "data" / "chess" / "networks" / "maia-1500.pb.gz"
ROUNDS = 8
CHESS_SHARE, CONNECT4_SHARE = 0.85, 0.60  # of the bare network's evaluations a second
BLOCKS, FILTERS, WIDTH = 2, 32, 64  # of the small network, where none comes with connect four
TREE_BATCH, SIMULATIONS_PER_SECOND = 512, 1_000_000.0
TREE_SIMULATIONS = (20_000, 200_000)  # a tree of 6 MB, which the caches hold, and one of 60 MB
BARE = "bare ONNX Runtime"


def measure(options: Options) -> list[Row]:
    if options.peers_only:
        return []
    try:
        import onnxruntime  # noqa: F401
    except ImportError:
        shares = [Row("search with a network", "evaluations/s", notes=["no ONNX Runtime here: not measured"])]
    else:
        shares = [chess(options), connect4(options)]
    sizes = TREE_SIMULATIONS[:1] if options.quick else TREE_SIMULATIONS
    return [*shares, *(tree(n, options) for n in sizes)]


def chess(options: Options) -> Row:
    """A network of 6 blocks with 64 filters: Leela's where it is there, otherwise an untrained one of that size."""
    import playout as po

    simulations = options.pick(3_200, 320)
    if LEELA.is_file():
        return share("chess, maia-1500 (64 x 6)", po.games.load("chess"), LEELA, simulations, CHESS_SHARE, options)
    work = "chess, untrained 64 x 6"
    with untrained("chess", blocks=6, filters=64, width=128) as file:
        if file is None:
            return Row(work, "evaluations/s", notes=["neither ../shared nor PyTorch: not measured"])
        return share(work, po.games.load("chess"), file, simulations, CHESS_SHARE, options)


def connect4(options: Options, threads: int = 1, target: float = CONNECT4_SHARE) -> Row:
    import playout as po
    from playout.evaluators import SHIPPED

    game, simulations = po.games.load("connect4"), threads * options.pick(32_000, 1_600)  # of the same length
    file = SHIPPED / "connect4.onnx"
    if file.is_file():
        return share("connect4, the network that comes with it", game, file, simulations, target, options, threads)
    work = f"connect4, untrained {FILTERS} x {BLOCKS}"
    with untrained("connect4", BLOCKS, FILTERS, WIDTH) as made:
        if made is None:
            return Row(work, "evaluations/s", notes=["no PyTorch here: not measured"])
        return share(work, game, made, simulations, target, options, threads)


@contextlib.contextmanager
def untrained(name: str, blocks: int, filters: int, width: int) -> Iterator[Path | None]:
    """A network of a size, as training begins with it; None without PyTorch."""
    try:
        import torch  # noqa: F401
    except ImportError:
        yield None
        return
    import playout as po
    from playout.evaluators.pytorch import export
    from playout.training.model import Model

    game = po.games.load(name)
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / f"{name}.onnx"
        export(Model(game, blocks, filters, width), game, file)
        yield file


def share(
    work: str, game: po.Game, file: Path, simulations: int, target: float, options: Options, threads: int = 1
) -> Row:
    """Evaluations a second of searches from the start, and of ONNX Runtime alone at the same batch; in both, `threads`
    threads evaluate a batch each."""
    import playout as po
    from playout.core.tree import EVALUATED

    # Without the cache, which would answer part of each batch: the rest is no longer a batch of that size.
    settings = po.preset("network").replace(evaluator=po.Network(str(file), cache=0), threads=threads)
    first = po.Search(game, settings, seed=1)
    batch = first.batches.size  # as many as are fastest
    first.run(2 * batch)
    network = first.batches.evaluator.function
    session, batches = bare_session(network.path), -(-simulations // batch)
    planes = first.batches.arrays.planes[:batch].reshape(batch, *network.planes).copy()
    calls = {session.get_inputs()[0].name: planes}

    def ask(_: int) -> None:
        session.run(["policy", "value"], calls)

    def bare() -> float:
        with ThreadPoolExecutor(threads) as pool:
            return rate(batches * batch, lambda: list(pool.map(ask, range(batches))))

    def search() -> float:
        search = po.Search(game, settings, seed=1)
        begin = time.perf_counter()
        search.run(simulations)
        return float(search.batches.arrays.info[EVALUATED]) / (time.perf_counter() - begin)

    rounds = options.pick(ROUNDS, 2)
    beside = f", {threads} threads" if threads > 1 else ""
    row = Row(f"{work}, {simulations:,} simulations{beside}", "evaluations/s", notes=[f"batch {batch}"])
    row.peers = interleave([Contender(BARE, bare), Contender("playout", search)], rounds)
    row.ours = row.peers.pop("playout")
    row.checks.append(Check("of the bare network", row.ours / row.peers[BARE], target))
    return row


def bare_session(path: Path) -> Any:
    """The network's file in ONNX Runtime, with one thread and nothing around it."""
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def tree(simulations: int, options: Options) -> Row:
    """Collecting, expanding and backing up with an evaluator that answers at once, always the same."""
    import playout as po

    game = po.games.load("connect4")
    policy, values = np.ones((TREE_BATCH, game.policy_size), np.float32), np.zeros(TREE_BATCH)

    def at_once(observations: Any) -> tuple[Any, Any]:
        return policy[: len(observations)], values[: len(observations)]

    settings = po.preset("network").replace(evaluator=po.Outside(at_once, batch=TREE_BATCH, cache=0))
    po.Search(game, settings, seed=1).run(TREE_BATCH)

    def run() -> float:
        search = po.Search(game, settings, seed=1)
        return rate(simulations, lambda: search.run(simulations))

    row = Row(f"connect4, tree alone, {simulations:,} simulations, batch {TREE_BATCH}", "simulations/s")
    row.ours = interleave([Contender("playout", run)], options.pick(ROUNDS, 2))["playout"]
    row.checks.append(Check("simulations/s", row.ours, SIMULATIONS_PER_SECOND))
    return row
