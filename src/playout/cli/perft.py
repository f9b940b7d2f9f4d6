"""`playout perft`: count the sequences of moves from a position, the classic check of a game's rules."""

import time
from typing import Annotated, Any

import typer

from playout.errors import PositionError, SettingsError
from playout.game.perft import perft as count

from .options import GameName, Json, PositionText, Set, load_game, whole
from .output import console, print_json, progress, rate


def perft(
    game: GameName,
    position: PositionText = None,
    depth: Annotated[
        int, typer.Option("-d", "--depth", metavar="D", parser=whole, help="Moves in a sequence.", show_default=False)
    ] = ...,  # type: ignore[assignment]
    set: Set = None,
    json: Json = False,
) -> None:
    """Count all sequences of DEPTH moves, split by the first move. Outcomes of chance count as moves."""
    if depth < 1:
        raise SettingsError(f"--depth is {depth}, expected a whole number of at least 1")
    start = load_game(game, set, for_perft=True).position(position)
    if start.is_terminal:
        raise PositionError(f"{start.game.title}: the game is over in {start.text}; there is nothing to count")
    began, moves = time.perf_counter(), dict[str, int]()
    actions = start.actions()
    with progress("counting", not json) as show:
        for action in actions:
            moves[start.action_text(action)] = count(start.play(action), depth - 1)
            if show:
                show(f"{sum(moves.values()):,}", len(moves) / len(actions))
    nodes, seconds = sum(moves.values()), time.perf_counter() - began
    if json:
        facts: dict[str, Any] = {"game": start.game.title, "position": start.text, "depth": depth, "nodes": nodes}
        print_json({**facts, "moves": moves, "seconds": round(seconds, 6)})
        return
    out = console()
    for name, total in moves.items():
        out.print(f"{name}: {total:,}", markup=False)
    out.print(f"\n{nodes:,} sequences of {depth} moves in {seconds:.3f} s ({rate(nodes, seconds)})")
