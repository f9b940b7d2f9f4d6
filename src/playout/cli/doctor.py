"""`playout doctor`: find mistakes in a game's rules, or in a policy or backup."""

from typing import Annotated

import typer

from playout.doctor import PartReport, Report, check_game, check_part
from playout.games import Maker, find

from .options import GameName, Json, Seed, Set, load_game, number, whole
from .output import print_json


def doctor(
    game: GameName,
    games: Annotated[
        int, typer.Option("--games", metavar="N", parser=whole, help="How many random games to play.")
    ] = 100,
    rule_seconds: Annotated[
        float,
        typer.Option(
            "--rule-seconds", metavar="S", parser=number, help="Processor time that one call of a rule may take."
        ),
    ] = 10.0,
    set: Set = None,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Check a game by playing random games, or a policy or backup (file.py:Class) by calling it on trees.

    Exit code 0: no errors found; 1: errors found.
    """
    report: Report | PartReport
    found = find(game)
    if isinstance(found, Maker) and found.is_part:
        report = check_part(found.thing, seed=seed, rule_seconds=rule_seconds)
    else:
        loaded = load_game(game, set)
        report = check_game(loaded, games=games, seed=seed, rule_seconds=rule_seconds)
    if json:
        print_json({**report.to_dict(), "seed": seed})
    else:
        print(f"{report}\nseed {seed}")
    return 0 if report.ok else 1
