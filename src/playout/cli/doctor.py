"""`playout doctor`: play a game at random and find what is wrong with its rules."""

from typing import Annotated

import typer

from .options import GameName, Json, Seed, Set, load_game, number, whole
from .output import print_json


def doctor(
    game: GameName,
    games: Annotated[
        int, typer.Option("--games", metavar="N", parser=whole, help="How many random games to play.")
    ] = 100,
    rule_seconds: Annotated[
        float,
        typer.Option("--rule-seconds", metavar="S", parser=number, help="How long one call of a rule may compute."),
    ] = 10.0,
    set: Set = None,
    seed: Seed = 0,
    json: Json = False,
) -> int:
    """Check a game's rules by playing at random. Exit code 0: nothing found; 1: something is wrong."""
    from playout.doctor import check_game

    loaded = load_game(game, set)
    report = check_game(loaded, games=games, seed=seed, rule_seconds=rule_seconds)
    if json:
        print_json({**report.to_dict(), "seed": seed})
    else:
        print(f"{report}\nseed {seed}")
    return 0 if report.ok else 1
