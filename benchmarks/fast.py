"""Networks inside the compiled loop: simulations a second with random weights, beside the hand-made evaluation."""

from __future__ import annotations

import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from .measure import Check, Contender, Options, Row, interleave, rate

if TYPE_CHECKING:
    import playout as po

SIZES = (64, 128, 256)  # hidden units
TARGETS = {"chess": 300e3}  # simulations a second, with each size
SIMULATIONS = {"chess": 200_000, "connect4": 200_000}
ROUNDS = 6
OWN = "hand-made evaluation"


def measure(options: Options) -> list[Row]:
    if options.peers_only:
        return []
    with tempfile.TemporaryDirectory() as folder:
        return [row for name in SIMULATIONS for row in from_the_start(name, Path(folder), options)]


def from_the_start(name: str, folder: Path, options: Options) -> list[Row]:
    """The same search by PUCT with each network, and with the game's own static value and priors."""
    import playout as po

    game, simulations = po.games.load(name), options.pick(SIMULATIONS[name], SIMULATIONS[name] // 20)
    base = po.preset("network").replace(early_stop=False, solver=False)
    ways = {OWN: base.replace(evaluator=po.Static())}
    ways |= {str(hidden): base.replace(evaluator=po.Network(random_file(game, hidden, folder))) for hidden in SIZES}
    for settings in ways.values():
        po.Search(game, settings).run(100)  # compiles

    by_processor = dict.fromkeys(ways, 0.0)  # where other programs take most of the clock's time

    def run(way: str) -> float:
        search = po.Search(game, ways[way], seed=1)
        began = time.process_time()
        found = rate(simulations, lambda: search.run(simulations))
        by_processor[way] = max(by_processor[way], simulations / (time.process_time() - began))
        return found

    best = interleave([Contender(way, lambda way=way: run(way)) for way in ways], options.pick(ROUNDS, 2))
    rows = []
    for hidden in SIZES:
        row = Row(f"{name} from the start, {simulations:,} simulations, {hidden} units", "simulations/s")
        row.ours, row.peers = best[str(hidden)], {OWN: best[OWN]}
        row.notes.append(
            f"a second of processor time: {by_processor[str(hidden)]:,.0f}, {OWN} {by_processor[OWN]:,.0f}"
        )
        if name in TARGETS:
            row.checks.append(Check("simulations/s", row.ours, TARGETS[name]))
        rows.append(row)
    return rows


def random_file(game: po.Game, hidden: int, folder: Path) -> str:
    """The file of a network with random weights. Those of the heads are small, since a search that trusts random
    values follows some line to its end: that would measure the tree, not the network."""
    from playout.evaluators.fast import FastNetwork, save_fast

    random, file = np.random.default_rng(hidden), folder / f"{game.title}-{hidden}.fast"

    def drawn(scale: float, *shape: int) -> np.ndarray:
        return random.normal(0, scale, shape).astype(np.float32)

    layer = drawn(0.1, game.feature_count, hidden), drawn(0.1, hidden)
    heads = drawn(0.01, 3, hidden), np.zeros(3), drawn(0.05, game.policy_size, hidden), np.zeros(game.policy_size)
    save_fast(file, FastNetwork(*layer, *heads, game=game.title, game_version=game.version))
    return str(file)
