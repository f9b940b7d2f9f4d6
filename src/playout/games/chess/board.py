"""The record of a chess position, its numbering, and the lookup tables of the rules.

The tables are small module-level arrays: Numba writes them into the machine code as constants, so that the disk cache
works (large ones, such as magic bitboards need, would be copied into every function that uses them).
"""

import numpy as np
from numpy.typing import NDArray

from playout.games._shared import helper

# Squares are numbered from a1; a bitboard has a bit for each.
#
#     8  56 57 58 59 60 61 62 63
#     7  48 49 50 51 52 53 54 55
#     6  40 41 42 43 44 45 46 47      a step up is 8, right 1,
#     5  32 33 34 35 36 37 38 39      up and right 9, up and left 7
#     4  24 25 26 27 28 29 30 31
#     3  16 17 18 19 20 21 22 23
#     2   8  9 10 11 12 13 14 15
#     1   0  1  2  3  4  5  6  7
#         a  b  c  d  e  f  g  h

WHITE, BLACK = 0, 1
PAWN, KNIGHT, BISHOP, ROOK, QUEEN, KING = range(1, 7)
LETTERS = ".PNBRQK..pnbrqk."  # of a square's code: kind + 8 * colour, 0 where it is empty
WHITE_SHORT, WHITE_LONG, BLACK_SHORT, BLACK_LONG = 1, 2, 4, 8
NO_SQUARE = -1
HISTORY = 150  # after 150 halfmoves without a capture or a pawn move the game is over

# Why a game is over; the first: it is not.
ENDS = (
    "",
    "checkmate",
    "stalemate",
    "insufficient material",
    "threefold repetition",
    "fivefold repetition",
    "fifty moves",
    "seventy-five moves",
)
(
    GOES_ON,
    CHECKMATE,
    STALEMATE,
    INSUFFICIENT_MATERIAL,
    THREEFOLD_REPETITION,
    FIVEFOLD_REPETITION,
    FIFTY_MOVES,
    SEVENTY_FIVE_MOVES,
) = range(len(ENDS))

STATE = np.dtype(
    [
        ("pieces", np.uint64, 7),  # bitboards by kind, of both colours; [0]: all pieces
        ("colours", np.uint64, 2),  # bitboards of all pieces of a colour
        ("checkers", np.uint64),  # pieces that give check to the side to move
        ("pinned", np.uint64),  # pieces of the side to move that shield its king from an attacker
        ("key", np.uint64),  # Zobrist key of what repetition compares: pieces, side to move, castling, en passant
        ("squares", np.uint8, 64),  # what stands on each square: kind + 8 * colour, 0: nothing
        ("turn", np.int32),
        ("castling", np.int32),  # the rights, WHITE_SHORT | …
        ("en_passant", np.int32),  # where a pawn can legally be taken en passant, or NO_SQUARE
        ("halfmoves", np.int32),  # since the last capture or pawn move
        ("fullmove", np.int32),  # number of the move, as FEN counts
        ("past", np.int32),  # the number of `keys` in use
        ("over", np.int32),  # one of ENDS
        ("claims", np.int32),  # a setting: 1, 0 or -1, see Chess
        # Keys of the positions since the last irreversible move (a capture, a pawn move, a castling right lost), oldest
        # first, without the current one; zeros from `past` on.
        ("keys", np.uint64, HISTORY),
    ]
)

ZERO, ONE, ALL = np.uint64(0), np.uint64(1), np.uint64(2**64 - 1)
FILE_A, FILE_B, FILE_H = np.uint64(0x0101010101010101), np.uint64(0x0202020202020202), np.uint64(0x8080808080808080)
NOT_A, NOT_H, NOT_AB, NOT_GH = ~FILE_A, ~FILE_H, ~np.uint64(0x0303030303030303), ~np.uint64(0xC0C0C0C0C0C0C0C0)
LIGHT = np.uint64(0x55AA55AA55AA55AA)
LAST_RANKS = np.uint64(0xFF000000000000FF)

ROOK_STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
BISHOP_STEPS = ((1, 1), (1, -1), (-1, -1), (-1, 1))
KNIGHT_STEPS = ((1, 2), (2, 1), (2, -1), (1, -2), (-1, -2), (-2, -1), (-2, 1), (-1, 2))


def square_name(square: int) -> str:
    """
    >>> square_name(12)
    'e2'
    """
    return f"{'abcdefgh'[square & 7]}{(square >> 3) + 1}"


def square_number(name: str) -> int:
    """
    >>> square_number("e2")
    12
    """
    return "abcdefgh".index(name[0]) + 8 * "12345678".index(name[1])


@helper
def bit(square):
    return ONE << np.uint64(square)


def _walk(square: int, step: tuple[int, int], most: int = 7) -> list[int]:
    """The squares from `square` in a direction, up to the edge of the board."""
    found = list[int]()
    file, rank = square % 8 + step[0], square // 8 + step[1]
    while 0 <= file < 8 and 0 <= rank < 8 and len(found) < most:
        found.append(8 * rank + file)
        file, rank = file + step[0], rank + step[1]
    return found


def _bits(squares: list[int]) -> int:
    return sum(1 << square for square in set(squares))


def _steps(steps: tuple[tuple[int, int], ...], most: int = 7) -> NDArray[np.uint64]:
    return np.array([_bits([s for step in steps for s in _walk(k, step, most)]) for k in range(64)], np.uint64)


def _lines() -> tuple[NDArray[np.uint64], NDArray[np.uint64]]:
    """For two squares on a line, at 64 * first + second: the whole line, and the squares between; 0 for other pairs."""
    line, between = np.zeros(4096, np.uint64), np.zeros(4096, np.uint64)
    for first in range(64):
        for step in ROOK_STEPS + BISHOP_STEPS:
            ahead = _walk(first, step)
            whole = _bits([first, *ahead, *_walk(first, (-step[0], -step[1]))])
            for distance, second in enumerate(ahead):
                line[64 * first + second] = whole
                between[64 * first + second] = _bits(ahead[:distance])
    return line, between


def _seen(place: int, inner: int) -> list[int]:
    """The places a slider attacks along a line of eight, with the six inner ones occupied by the bits of `inner`."""
    found, occupied = [], inner << 1
    for step in (1, -1):
        at = place + step
        while 0 <= at < 8:
            found.append(at)
            if occupied >> at & 1:
                break
            at += step
    return found


def _random_keys(count: int, seed: int = 0x506C61796F7574) -> list[int]:
    """Numbers for the Zobrist keys, by SplitMix64; they must stay the same in every process."""
    found, mask = [], 2**64 - 1
    for _ in range(count):
        seed = (seed + 0x9E3779B97F4A7C15) & mask
        x = seed
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9 & mask
        x = (x ^ (x >> 27)) * 0x94D049BB133111EB & mask
        found.append(x ^ (x >> 31))
    return found


KNIGHT_ATTACKS = _steps(KNIGHT_STEPS, 1)
KING_ATTACKS = _steps(ROOK_STEPS + BISHOP_STEPS, 1)
ROOK_RAYS, BISHOP_RAYS = _steps(ROOK_STEPS), _steps(BISHOP_STEPS)  # on an empty board
# What a pawn attacks, at 64 * colour + square.
PAWN_ATTACKS = np.concatenate([_steps(((1, 1), (-1, 1)), 1), _steps(((1, -1), (-1, -1)), 1)])
LINE, BETWEEN = _lines()

# Sliding attacks by "kindergarten bitboards" (chessprogramming.org/Kindergarten_Bitboards): a multiplication gathers
# the six inner squares of a line into an index, with 64 * file or 64 * rank added.
DIAGONAL, ANTIDIAGONAL = _steps((BISHOP_STEPS[0], BISHOP_STEPS[2])), _steps((BISHOP_STEPS[1], BISHOP_STEPS[3]))
RANK = _steps((ROOK_STEPS[1], ROOK_STEPS[3]))
# Along ranks and diagonals: the files seen, on all ranks at once.
SEEN_FILES = np.array(
    [_bits([f + 8 * r for f in _seen(file, inner) for r in range(8)]) for file in range(8) for inner in range(64)],
    np.uint64,
)
# Along the a-file, its ranks gathered upside down.
SEEN_RANKS = np.array(
    [_bits([8 * (7 - r) for r in _seen(7 - rank, inner)]) for rank in range(8) for inner in range(64)], np.uint64
)
GATHER_FILE = np.uint64(0x0080402010080400)

_KEYS = _random_keys(16 * 64 + 16 + 8 + 1)
PIECE_KEYS = np.array(_KEYS[:1024], np.uint64)  # at 64 * code + square
CASTLING_KEYS = np.array(_KEYS[1024:1040], np.uint64)  # by the rights
EN_PASSANT_KEYS = np.array(_KEYS[1040:1048], np.uint64)  # by the file
BLACK_KEY = np.uint64(_KEYS[1048])

# The castling rights that are left when a piece leaves or comes to a square.
CASTLING_LEFT = np.full(64, 15, np.int32)
CASTLING_LEFT[[0, 4, 7, 56, 60, 63]] = [15 - 2, 15 - 3, 15 - 1, 15 - 8, 15 - 12, 15 - 4]


@helper
def compute_key(state):
    """The Zobrist key from the whole position; `make` keeps it up to date by what a move changes."""
    key, squares = CASTLING_KEYS[state.castling], state.squares
    for square in range(64):
        code = np.int64(squares[square])
        if code != 0:
            key ^= PIECE_KEYS[64 * code + square]
    if state.en_passant != NO_SQUARE:
        key ^= EN_PASSANT_KEYS[state.en_passant & 7]
    if state.turn == BLACK:
        key ^= BLACK_KEY
    return key


@helper
def compute_boards(state):
    """Fill the bitboards from `squares`."""
    squares, pieces, colours = state.squares, state.pieces, state.colours
    for kind in range(7):
        pieces[kind] = ZERO
    colours[WHITE] = ZERO
    colours[BLACK] = ZERO
    for square in range(64):
        code = np.int64(squares[square])
        if code != 0:
            pieces[code & 7] |= bit(square)
            colours[code >> 3] |= bit(square)
            pieces[0] |= bit(square)
