"""Networks inside the compiled loop: simulations a second with random weights, beside the hand-made evaluation."""

from __future__ import annotations

import tempfile
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

    def run(settings: po.Settings) -> float:
        search = po.Search(game, settings, seed=1)
        return rate(simulations, lambda: search.run(simulations))

    contenders = [Contender(way, lambda settings=settings: run(settings)) for way, settings in ways.items()]
    best = interleave(contenders, options.pick(ROUNDS, 2))
    rows = []
    for hidden in SIZES:
        row = Row(f"{name} from the start, {simulations:,} simulations, {hidden} units", "simulations/s")
        row.ours, row.peers = best[str(hidden)], {OWN: best[OWN]}
        if name in TARGETS:
            row.checks.append(Check("simulations/s", row.ours, TARGETS[name]))
        rows.append(row)
    return rows


def random_file(game: po.Game, hidden: int, folder: Path) -> str:
    """The file of a network with random weights, small enough that neither value nor policy is extreme."""
    from playout.evaluators.fast import FastNetwork, save_fast

    random, file = np.random.default_rng(hidden), folder / f"{game.title}-{hidden}.fast"

    def drawn(*shape: int) -> np.ndarray:
        return random.normal(0, 0.1, shape).astype(np.float32)

    arrays = drawn(game.feature_count, hidden), drawn(hidden), drawn(3, hidden), drawn(3)
    policy = drawn(game.policy_size, hidden), drawn(game.policy_size)
    save_fast(file, FastNetwork(*arrays, *policy, game=game.title, game_version=game.version))
    return str(file)
