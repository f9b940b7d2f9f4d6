"""`playout doctor`: find what is wrong with a game's rules, or with a policy or backup."""

from typing import Annotated, Any

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
    """Check a game's rules by playing at random, or a policy or backup (file.py:Class) by asking it about trees. Exit
    code 0: nothing found; 1: something is wrong."""
    from playout.doctor import check_game, check_part
    from playout.games import Maker, find

    report: Any
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
