"""Endings against a bare king that defends perfectly: how many won positions a preset wins.

    python -m benchmarks.chess_endings --men Q R P BB BN --games 100 --seconds 0.2

The defender knows the distance to mate of every position, by the retrograde analysis in `tests/oracles/endings.py`, and
plays the longest line. A game is won by mate; a draw by any rule, fifty moves among them, is a failure. Positions are
drawn from all those that are won with White to move.
"""

from __future__ import annotations

import argparse
from typing import Any

import numpy as np
from tests.oracles.endings import NEVER, ending

import playout as po

FEN_RANKS = range(7, -1, -1)


def fen_of(men: str, squares: Any, turn: str = "w") -> str:
    """The FEN of a position of an ending.

    >>> fen_of("Q", (63, 0, 1))
    '7k/8/8/8/8/8/8/KQ6 w - - 0 1'
    """
    board = {int(square): letter for letter, square in zip("kK" + men, squares, strict=True)}
    rows = ["".join(board.get(8 * rank + file, ".") for file in range(8)) for rank in FEN_RANKS]
    for empty in range(8, 0, -1):
        rows = [row.replace("." * empty, str(empty)) for row in rows]
    return f"{'/'.join(rows)} {turn} - - 0 1"


def squares_of(position: po.Position) -> tuple[str, tuple[int, ...]]:
    """White's men beside the king, and the index of the position in their ending."""
    found: dict[str, list[int]] = {}
    for row, rank in zip(position.text.split()[0].split("/"), FEN_RANKS, strict=True):
        file = 0
        for letter in row:
            if letter.isdigit():
                file += int(letter)
            else:
                found.setdefault(letter, []).append(8 * rank + file)
                file += 1
    men = "".join(sorted(letter * len(places) for letter, places in found.items() if letter not in "kK"))
    squares = [found["k"][0], found["K"][0], *(place for letter in sorted(set(men)) for place in found[letter])]
    return men, tuple(squares)


def defend(position: po.Position) -> int:
    """The move of the bare king after which White needs longest, or can't win at all."""
    return max(position.actions(), key=lambda action: _plies(position.play(action)))


def _plies(position: po.Position) -> int:
    men, squares = squares_of(position)
    return int(ending(men).white[squares]) if men else NEVER


def is_won(men: str, squares: Any, settings: po.Settings, limit: dict[str, Any]) -> bool:
    """Whether a search mates from a position against the best defence."""
    search = po.Search("chess", settings, position=fen_of(men, squares), seed=1)
    while not search.position.is_terminal:
        ours = search.position.player == 0
        search.play(search.run(**limit).best if ours else defend(search.position))
    return search.position.rewards[0] == 1.0


def won_positions(men: str, count: int, seed: int = 1) -> Any:
    """Some positions that White, who moves, can win."""
    found = ending(men).positions()
    return found[np.random.default_rng(seed).choice(len(found), count, replace=False)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--men", nargs="+", default=["Q", "R", "P", "BB", "BN"])
    parser.add_argument("--games", type=int, default=100)
    parser.add_argument("--seconds", type=float, default=0.2)
    parser.add_argument("--simulations", type=int, help="a move, instead of seconds")
    parser.add_argument("--preset", default="chess")
    given = parser.parse_args()
    limit = {"simulations": given.simulations} if given.simulations else {"seconds": given.seconds}
    for men in given.men:
        won = sum(is_won(men, squares, po.preset(given.preset), limit) for squares in won_positions(men, given.games))
        print(f"K{men}K: {won} of {given.games} won, {limit}, preset {given.preset}", flush=True)


if __name__ == "__main__":
    main()
