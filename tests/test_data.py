"""The exact answers that other tests rely on: against a plain search, and against the files they were taken from."""

import csv
import json
from functools import cache

import pytest

from .oracles.solved import DATA, connect4, frozen_lake, tictactoe

CELLS = 42


@cache
def score(columns: tuple[str, ...]) -> int:
    """The exact score of a position of connect four for the side to move, by looking at every line of play: 0 for a
    draw, otherwise half the stones that the winner would still have had, below zero if that is the other side.
    """
    stones = sum(map(len, columns))
    if stones == CELLS:
        return 0
    mover = "xo"[stones % 2]
    after = [drop(columns, c, mover) for c in range(7) if len(columns[c]) < 6]
    if any(has_four(position, mover) for position in after):
        return (CELLS + 1 - stones) // 2
    return max(-score(position) for position in after)


def drop(columns: tuple[str, ...], c: int, stone: str) -> tuple[str, ...]:
    return (*columns[:c], columns[c] + stone, *columns[c + 1 :])


def has_four(columns: tuple[str, ...], stone: str) -> bool:
    own = {(c, r) for c, column in enumerate(columns) for r, found in enumerate(column) if found == stone}
    return any(
        all((c + i * dc, r + i * dr) in own for i in range(4))
        for c, r in own
        for dc, dr in ((1, 0), (0, 1), (1, 1), (1, -1))
    )


def test_scores_of_connect_four_are_those_of_a_plain_search():
    """Of the positions with at most 14 stones to come; for the others that would take hours and more."""
    with (DATA / "connect4.csv").open(newline="") as file:
        late = [row for row in csv.DictReader(file) if len(row["moves"]) >= CELLS - 14]
    assert len(late) >= 20
    for row in late:
        columns = ("",) * 7
        for number, move in enumerate(row["moves"]):
            columns = drop(columns, int(move) - 1, "xo"[number % 2])
        mover = "xo"[len(row["moves"]) % 2]
        for c in range(7):
            if len(columns[c]) == 6:
                assert row[str(c + 1)] == ""
            else:
                after = drop(columns, c, mover)
                expected = (CELLS + 1 - len(row["moves"])) // 2 if has_four(after, mover) else -score(after)
                assert int(row[str(c + 1)]) == expected, (row, c)


@pytest.mark.reference
def test_connect_four_is_as_in_the_reference(reference):
    with (reference / "connect4" / "exact_600.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    with (DATA / "connect4.csv").open(newline="") as file:
        carried = list(csv.DictReader(file))
    assert len(rows) == len(carried) == len(connect4()) == 600
    for row, ours in zip(rows, carried, strict=True):
        assert ours == {"moves": row["moves_1based"], **{str(c): row[f"col{c}"] for c in range(1, 8)}}


@pytest.mark.reference
def test_tictactoe_is_as_in_the_reference(reference):
    with (reference / "tictactoe" / "full_solution.csv").open(newline="") as file:
        rows = {row["board_rowmajor"]: row for row in csv.DictReader(file)}
    assert rows.keys() == tictactoe().keys()
    for board, known in tictactoe().items():
        row = rows[board]
        assert (known.to_move, known.value) == (row["to_move"], int(row["value_for_to_move"])), board
        assert known.best == {int(cell) for cell in row["optimal_cells"].split()}, board
        assert known.is_over == (row["terminal"] == "1"), board


@pytest.mark.reference
@pytest.mark.parametrize("slippery", [True, False])
def test_frozen_lake_is_as_in_the_reference(reference, slippery):
    data = json.loads((reference / "gym_toy_text" / "optimal_values.json").read_text())
    known = data[f"FrozenLake-v1{{'map_name': '4x4', 'is_slippery': {slippery}}}gamma0.99"]
    values, best = frozen_lake(slippery, 0.99)
    assert values == pytest.approx(known["V"], abs=1e-9)
    for cell, actions in enumerate(known["greedy"]):
        if cell not in (5, 7, 11, 12, 15):  # holes and the goal: nothing to choose
            assert best[cell] == set(actions), cell
