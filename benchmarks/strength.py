"""Strength, as a check that the search is right: connect four positions whose exact result is known."""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

from . import openspiel
from .measure import EXPLORATION, OPENSPIEL, Check, Options, Row

DATA = Path(__file__).resolve().parents[2] / "shared" / "data" / "connect4" / "exact_600.csv"
SIMULATIONS, WITH_NETWORK = 100_000, 800
PEER_EVERY = 5  # OpenSpiel needs nearly a second a position
SHARE = 97.0


def measure(options: Options) -> list[Row]:
    return [*playouts(options), *([] if options.peers_only else network(options))]


def network(options: Options) -> list[Row]:
    """The same with the networks that come with the game, and few simulations."""
    import playout as po
    from playout.evaluators import SHIPPED

    if not DATA.is_file():
        return []
    with DATA.open(encoding="ascii") as file:
        positions = list(csv.DictReader(file))[:: options.pick(1, 30)]
    rows, game = [], po.games.load("connect4")
    for kind, name in (("its network", "connect4.onnx"), ("its fast network", "connect4.fast")):
        if not (SHIPPED / name).is_file():
            continue
        evaluator = po.Network(batch=8) if name.endswith(".onnx") else po.Network(str(SHIPPED / name))
        row = Row(f"connect4, moves that keep the exact result, {kind}, {WITH_NETWORK} simulations", "of 100")
        settings = po.preset("network", evaluator=evaluator)

        def answer(position: dict[str, str], settings: Any = settings) -> int:
            search = po.Search(game, settings, position=position["moves_1based"], seed=1)
            return int(search.run(WITH_NETWORK).best_text or 0)

        row.ours = 100.0 * sum(keeps(p, answer(p)) for p in positions) / len(positions)
        if name.endswith(".onnx"):
            row.checks.append(Check("of 100", row.ours, SHARE))
        rows.append(row)
    return rows


def playouts(options: Options) -> list[Row]:
    """In how many of 100 positions the move that is chosen keeps the exact result (win, draw, loss)."""
    row = Row(f"connect4, moves that keep the exact result, {SIMULATIONS:,} simulations with proofs", "of 100")
    if not DATA.is_file():
        row.notes.append(f"no exact positions at ../shared/data/connect4/{DATA.name}: not measured")
        return [row]
    with DATA.open(encoding="ascii") as file:
        positions = list(csv.DictReader(file))[:: options.pick(1, 30)]
    if reason := openspiel.missing():
        row.notes.append(reason)
    else:
        sample = positions[::PEER_EVERY]
        row.peers[OPENSPIEL] = 100.0 * sum(keeps(p, _openspiel(p)) for p in sample) / len(sample)
        row.notes.append(f"OpenSpiel: every {PEER_EVERY}th position, the same settings, its solver on")
    if options.peers_only:
        return [row]
    found = {name: 100.0 * sum(keeps(p, _ours(p, name)) for p in positions) / len(positions) for name in PRESETS}
    row.ours = max(found.values())
    row.notes += [
        f"{name}: {share:.1f} of 100 ({what})"
        for (name, share), what in zip(found.items(), PRESETS.values(), strict=True)
    ]
    row.checks.append(Check("of 100", row.ours, SHARE))
    return [row]


PRESETS = {"default": "random playouts, as OpenSpiel's", "guided": "with the game's priors and playouts"}


def _sign(score: str) -> int:
    return (int(score) > 0) - (int(score) < 0)


def keeps(position: dict[str, str], column: int) -> bool:
    return _sign(position[f"col{column}"]) == _sign(position["best_score"])


def _ours(position: dict[str, str], preset: str) -> int:
    import playout as po

    game = po.games.load("connect4")
    result = po.Search(game, preset, position=position["moves_1based"], seed=1).run(SIMULATIONS)
    return int(result.best_text or 0)


def _openspiel(position: dict[str, str]) -> int:
    import pyspiel

    game = pyspiel.load_game("connect_four")
    state = game.new_initial_state()
    for column in position["moves_1based"]:
        state.apply_action(int(column) - 1)
    evaluator = pyspiel.RandomRolloutEvaluator(1, 1)
    bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, SIMULATIONS, openspiel.MEGABYTES, True, 1, False)
    return int(bot.step(state)) + 1
