"""`python -m benchmarks.selfplay FOLDER`: settings of self-play compared at equal games, on connect four.

Each setting trains a small network with several seeds. After some generations the newest network plays every exact
position of connect four; the table has the share of moves that keep the result, for each number of games played.
FOLDER keeps the trainings and the results: the same command goes on where it was stopped.
"""

from __future__ import annotations

import argparse
import csv
import json
from pathlib import Path
from typing import Any

import playout as po
from playout.scores.scores import half_width
from playout.training import train

from .strength import DATA, keeps

ARMS: dict[str, dict[str, Any]] = {  # the values of KataGo's paper
    "as it is": {},
    "forced=2": {"forced": 2.0},
    "root_temperature=1.25": {"root_temperature": 1.25},
    "shaped=on": {"shaped": True},
}
SMALL: dict[str, Any] = {"games": 96, "simulations": 96, "blocks": 3, "every": 0, "workers": 1}
SEEDS = (1, 2, 3)
STAGES = (4, 8, 12)  # generations after which the network is measured
SIMULATIONS = 100


def kept(network: Path) -> float:
    """In how many of 100 exact positions the network's move keeps the result."""
    with DATA.open(encoding="ascii") as file:
        positions = list(csv.DictReader(file))
    game, settings = po.games.load("connect4"), po.preset("network", evaluator=po.Network(str(network), batch=8))

    def answer(position: dict[str, str]) -> int:
        search = po.Search(game, settings, position=position["moves_1based"], seed=1)
        return int(search.run(SIMULATIONS).best_text or 0)

    return 100.0 * sum(keeps(p, answer(p)) for p in positions) / len(positions)


def measure(folder: Path, arm: str, seed: int, stage: int) -> float:
    """The strength of one training after `stage` generations; read from the folder if it was measured before."""
    out = folder / f"{arm.replace('=', '-').replace(' ', '-')}-{seed}"
    results = out / "strength.json"
    found = json.loads(results.read_text()) if results.is_file() else {}
    if str(stage) not in found:
        train("connect4", out, generations=stage, seed=seed, **SMALL, **ARMS[arm])
        found[str(stage)] = kept(out / "latest.onnx")
        results.write_text(json.dumps(found))
    return float(found[str(stage)])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.selfplay", description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    if not DATA.is_file():
        parser.error("there are no exact positions at ../shared/data/connect4/exact_600.csv")
    folder.mkdir(parents=True, exist_ok=True)
    heads = [f"{stage * SMALL['games']} games" for stage in STAGES]
    print(f"| setting | {' | '.join(heads)} |")
    print(f"|---|{'---|' * len(STAGES)}")
    for arm in ARMS:
        cells = []
        for stage in STAGES:
            shares = [measure(folder, arm, seed, stage) for seed in SEEDS]
            mean, error = sum(shares) / len(shares), half_width(shares, 0.95)
            cells.append(f"{mean:.1f} ± {error:.1f}")
        print(f"| {arm} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
