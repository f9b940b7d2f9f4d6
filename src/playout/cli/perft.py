"""`playout perft`: count the games of a length, the classic check of a game's rules."""

import time
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .options import GameName, Json, PositionText, Set, load_game, whole
from .output import console, print_json, progress, rate

if TYPE_CHECKING:
    from playout.game import Position

AT_ONCE = 1_000_000  # sequences, roughly, that one call of the kernel may count; Ctrl-C is seen between calls


def perft(
    game: GameName,
    position: PositionText = None,
    depth: Annotated[
        int, typer.Option("-d", "--depth", metavar="D", parser=whole, help="How many moves.", show_default=False)
    ] = ...,  # type: ignore[assignment]
    set: Set = None,
    json: Json = False,
) -> None:
    """Count all sequences of DEPTH moves, move by move. Outcomes of chance count as moves."""
    from playout.errors import PositionError, SettingsError

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


def count(position: "Position", depth: int) -> int:
    """The number of sequences of `depth` actions from a position."""
    if depth == 0:
        return 1
    if position.is_terminal:
        return 0
    actions = position.actions()
    if depth > 1 and max(4, len(actions)) ** depth > AT_ONCE:
        return sum(count(position.play(action), depth - 1) for action in actions)
    return _kernel(position, depth)


def _kernel(position: "Position", depth: int) -> int:
    import numpy as np

    from playout.core import rules
    from playout.game import Position
    from playout.game.faults import rules_may_raise

    game = position.game
    room = game.rules.room
    states = np.zeros((depth + 1, len(position.buffer)), np.uint8)
    states[0] = position.buffer
    scratch = (np.zeros((depth + 1, room), np.int32), np.zeros(room), np.zeros(game.players))
    levels = (np.zeros(depth + 1, np.int64), np.zeros(depth + 1, np.int64))
    with rules_may_raise(game):
        found = int(rules.perft(game.rules_table(), states, *scratch, *levels, depth))
    if found < 0:
        Position(game, states[-1 - found].copy()).actions()  # says what is wrong with their number
    return found
