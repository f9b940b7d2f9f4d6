"""A board of 2048 as one word, and the tables by which its rows slide."""

from typing import Any

import numpy as np

from playout.games._shared import helper

# A board is one word of sixteen nibbles, the exponents of the tiles, 0 where there is none; nibble 4 * row + column.
# A row, and a column after transposing, is an index into tables of all rows.
#
#         a  b  c  d
#     1   0  1  2  3       2 . 2 4   left   4 4 . .       4 points: the tile made
#     2   4  5  6  7               ──────▶
#     3   8  9 10 11
#     4  12 13 14 15

LEFT, RIGHT, UP, DOWN = range(4)
NAMES = ("left", "right", "up", "down")
WIDEST, LARGEST = 4, 15  # tiles of 2^15 don't merge: a nibble holds no more
ZERO, ONE, NIBBLE, ROW = np.uint64(0), np.uint64(1), np.uint64(15), np.uint64(0xFFFF)
TILES = (0, *(1 << exponent for exponent in range(1, LARGEST + 1)))


def _tables() -> tuple[Any, ...]:
    """For boards 2, 3 and 4 wide, one after the other, by row: slid left, slid right, points, features."""
    parts = []
    for side in range(2, WIDEST + 1):
        rows = np.arange(16**side)
        cells = (rows[:, None] >> (4 * np.arange(side))) & 15
        left, points = _slide(cells)
        right = _slide(cells[:, ::-1])[0][:, ::-1]
        steps = np.diff(cells, axis=1)
        rising, falling = np.maximum(steps, 0).sum(axis=1), np.maximum(-steps, 0).sum(axis=1)
        both = (cells[:, 1:] > 0) & (cells[:, :-1] > 0)
        parts.append(
            (
                _packed(left).astype(np.uint16),
                _packed(right).astype(np.uint16),
                points.astype(np.int32),
                np.minimum(rising, falling).astype(np.uint8),  # 0 where the row only rises or only falls
                (np.abs(steps) * both).sum(axis=1).astype(np.uint8),
            )
        )
    return tuple(np.concatenate(columns) for columns in zip(*parts))


def _slide(cells: Any) -> tuple[Any, Any]:
    """All rows slid towards index 0, and the points made."""
    cells, points = cells.copy(), np.zeros(len(cells), np.int64)
    side = cells.shape[1]

    def close(gaps: Any, i: int) -> None:
        cells[gaps, i:-1] = cells[gaps, i + 1 :]
        cells[gaps, -1] = 0

    for i in reversed(range(side - 1)):
        close(cells[:, i] == 0, i)
    for i in range(side - 1):
        equal = (cells[:, i] == cells[:, i + 1]) & (cells[:, i] > 0) & (cells[:, i] < LARGEST)
        cells[equal, i] += 1
        points[equal] += 1 << cells[equal, i]
        close(equal, i + 1)
    return cells, points


def _packed(cells: Any) -> Any:
    return (cells << (4 * np.arange(cells.shape[1]))).sum(axis=1)


SLID_LEFT, SLID_RIGHT, POINTS, UNEVEN, ROUGH = _tables()
SLID, ROWS = np.concatenate((SLID_LEFT, SLID_RIGHT)), np.uint64(len(SLID_LEFT))
FIRST_BITS = np.uint64(0x1111111111111111)
# Bits of cells, by the board's side: all, and those with another one to their right.
CELLS = np.array([sum(1 << (16 * r + 4 * c) for r in range(n) for c in range(n)) for n in range(5)], np.uint64)
INNER = np.array([sum(1 << (16 * r + 4 * c) for r in range(n) for c in range(n - 1)) for n in range(5)], np.uint64)
OFFSETS = np.array([0, 0, 0, 16**2, 16**2 + 16**3], np.uint64)  # of the tables, by the board's side


@helper
def transposed(board):
    """Rows and columns exchanged, in two steps: within blocks of four cells, then the blocks."""
    a = board & np.uint64(0xF0F00F0FF0F00F0F)
    b = (board & np.uint64(0x0000F0F00000F0F0)) << np.uint64(12)
    c = (board & np.uint64(0x0F0F00000F0F0000)) >> np.uint64(12)
    a = a | b | c
    b = (a & np.uint64(0x00000000FF00FF00)) << np.uint64(24)
    c = (a & np.uint64(0x00FF00FF00000000)) >> np.uint64(24)
    return (a & np.uint64(0xFF00FF0000FF00FF)) | b | c


@helper
def row_of(board, row, offset):
    return ((board >> np.uint64(16 * row)) & ROW) + offset


@helper
def first_bits(board):
    """The first bit of each nibble that is not zero."""
    board |= board >> np.uint64(2)
    return (board | (board >> ONE)) & FIRST_BITS


@helper
def empty_cells(board, side):
    return CELLS[side] & ~first_bits(board)


@helper
def possible(board, side):
    """The directions that change anything, as bits: towards an empty cell, or onto an equal tile."""
    tiles, empty = first_bits(board), empty_cells(board, side)
    merging = tiles & first_bits(~board)
    moves = 0
    for way in range(2):
        step = np.uint64(4 if way == 0 else 16)
        follow = CELLS[side] >> step if way else INNER[side]  # cells that have one to their right, or below
        equal = merging & ~first_bits(board ^ (board >> step)) & follow
        if (empty & (tiles >> step) & follow) | equal != ZERO:
            moves |= 1 << (2 * way)
        if (tiles & (empty >> step) & follow) | equal != ZERO:
            moves |= 2 << (2 * way)
    return moves


@helper
def largest_tile(board):
    most = ZERO
    while board != ZERO:
        most = max(most, board & NIBBLE)
        board >>= np.uint64(4)
    return most
