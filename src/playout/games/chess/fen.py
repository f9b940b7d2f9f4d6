"""Positions as text: reading and writing FEN, with a reason for each kind of bad FEN, and the moves that led there."""

import re
from collections.abc import Callable
from functools import cache
from typing import NoReturn

import numpy as np

from playout.errors import PositionError

from .attacks import attackers, find_checks_and_pins
from .board import (
    BLACK,
    BLACK_KEY,
    EN_PASSANT_KEYS,
    KING,
    KNIGHT,
    LETTERS,
    NO_SQUARE,
    PAWN,
    PIECE_KEYS,
    WHITE,
    compute_boards,
    compute_key,
    square_name,
    square_number,
)
from .moves import set_en_passant

Refuse = Callable[[str], NoReturn]  # raises a `PositionError` with a reason

COLOURS = ("White", "Black")
FIELDS = "board, side to move, castling rights, en passant square, halfmove clock, move number"
START_FEN = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
MOST_HALFMOVES, MOST_MOVES = 9999, 99999
# Each right's letter, and where king and rook must stand.
RIGHTS = (("K", 4, 7), ("Q", 4, 0), ("k", 60, 63), ("q", 60, 56))

_LETTER_BYTES, _EMPTY = LETTERS.encode().ljust(256), re.compile(r"\.+")


def write_fen(state: np.record) -> str:
    """The six fields; an en passant square only where there is a legal capture en passant."""
    board = bytes(state.squares).translate(_LETTER_BYTES).decode()
    rows = [_EMPTY.sub(lambda empty: str(len(empty[0])), board[rank : rank + 8]) for rank in range(56, -1, -8)]
    rights = "".join(letter for i, (letter, _, _) in enumerate(RIGHTS) if state.castling >> i & 1) or "-"
    passant = "-" if state.en_passant == NO_SQUARE else square_name(int(state.en_passant))
    return f"{'/'.join(rows)} {'wb'[state.turn]} {rights} {passant} {state.halfmoves} {state.fullmove}"


def read_fen(state: np.record, text: str) -> None:
    """Fill the board, the side to move, the rights and the counters; the counters may be missing, as in EPD."""

    def bad(why: str) -> NoReturn:
        raise PositionError(f"chess: can't read FEN '{text}': {why}")

    fields = text.split()
    if len(fields) not in (4, 6):
        found = f"{len(fields)} field{'s' * (len(fields) != 1)}"
        bad(f"{found}, expected six ({FIELDS}) or the first four, as in {START_FEN}")
    board, side, castling, passant = fields[:4]
    squares = _read_board(board, bad)
    _check_pieces(squares, bad)
    if side not in ("w", "b"):
        bad(f"side to move '{side}', expected w or b")
    turn = "wb".index(side)
    rights = _read_rights(castling, squares, bad)
    target = _read_passant(passant, squares, turn, bad)
    counters = [0, 1]
    for i, (name, most) in enumerate((("halfmove clock", MOST_HALFMOVES), ("move number", MOST_MOVES))):
        if len(fields) == 6:
            if not re.fullmatch("[0-9]{1,9}", fields[4 + i]) or int(fields[4 + i]) > most:
                bad(f"{name} '{fields[4 + i]}', expected a whole number from {i} to {most}")
            counters[i] = max(i, int(fields[4 + i]))  # many programs write move number 0

    state.squares = squares
    state.turn, state.castling, state.en_passant = turn, rights, NO_SQUARE
    state.halfmoves, state.fullmove = counters
    state.past, state.keys = 0, 0
    with np.errstate(over="ignore"):
        compute_boards(state)
        waiting = 1 - turn
        king = squares.index(KING + 8 * waiting)
        giving = int(attackers(state, king, turn, state.pieces[0]))
        if giving:
            checker = square_name(giving.bit_length() - 1)
            bad(
                f"{COLOURS[turn]} is to move and could take the king on {square_name(king)} (from {checker}); "
                f"expected the side in check to move ('{'wb'[waiting]}')"
            )
        state.key = compute_key(state)
        if target != NO_SQUARE:
            set_en_passant(state, target)
        find_checks_and_pins(state)


def _read_board(board: str, bad: Refuse) -> list[int]:
    rows = board.split("/")
    if len(rows) != 8:
        bad(f"the board has {len(rows)} rank{'s' * (len(rows) != 1)}, expected 8 with / between them")
    squares = [0] * 64
    for rank, row in zip(range(7, -1, -1), rows, strict=True):
        if wrong := re.search("[^1-8PNBRQKpnbrqk]", row):
            bad(f"'{wrong[0]}' in rank {rank + 1} ('{row}'), expected the letters PNBRQKpnbrqk or the numbers 1 to 8")
        codes = [LETTERS.index(s) for s in re.sub("[1-8]", lambda empty: "." * int(empty[0]), row)]
        if len(codes) != 8:
            bad(f"rank {rank + 1} ('{row}') has {len(codes)} squares, expected 8")
        squares[8 * rank : 8 * rank + 8] = codes
    return squares


def _check_pieces(squares: list[int], bad: Refuse) -> None:
    for colour in (WHITE, BLACK):
        counts = [squares.count(kind + 8 * colour) for kind in range(7)]
        if counts[KING] != 1:
            bad(f"{COLOURS[colour]} has {counts[KING] or 'no'} king{'s' * (counts[KING] > 1)}, expected one")
        for square in (*range(8), *range(56, 64)):
            if squares[square] == PAWN + 8 * colour:
                bad(f"a pawn on {square_name(square)}, expected none on the first or the last rank")
        # Each piece beyond the initial ones was a pawn; with more, the moves could exceed `max_actions`.
        promoted = sum(
            max(0, counts[kind] - most) for kind, most in zip(range(KNIGHT, KING), (2, 2, 2, 1), strict=True)
        )
        if counts[PAWN] > 8:
            bad(f"{COLOURS[colour]} has {counts[PAWN]} pawns, expected 8 at most")
        if counts[PAWN] + promoted > 8:
            bad(
                f"{COLOURS[colour]} has too many pieces: {counts[PAWN]} pawns and {promoted} that must have been "
                f"promoted, expected 8 at most together"
            )


def _read_rights(castling: str, squares: list[int], bad: Refuse) -> int:
    if castling == "-":
        return 0
    if not re.fullmatch("[KQkq]+", castling) or len(set(castling)) < len(castling):
        bad(f"castling rights '{castling}', expected - or some of KQkq, each once")
    rights = 0
    for i, (letter, king, rook) in enumerate(RIGHTS):
        if letter in castling:
            for square, piece in ((king, "KKkk"[i]), (rook, "RRrr"[i])):
                if LETTERS[squares[square]] != piece:
                    name = "king" if square == king else "rook"
                    bad(
                        f"castling right '{letter}' without a {COLOURS[i // 2].lower()} {name} on {square_name(square)}"
                    )
            rights |= 1 << i
    return rights


def _read_passant(passant: str, squares: list[int], turn: int, bad: Refuse) -> int:
    if passant == "-":
        return NO_SQUARE
    rank = "63"[turn]
    if not re.fullmatch(f"[a-h]{rank}", passant):
        bad(f"en passant square '{passant}', expected - or, with {COLOURS[turn]} to move, a square of rank {rank}")
    target = square_number(passant)
    back = 8 if turn == WHITE else -8  # towards where the pawn came from
    if squares[target - back] != PAWN + 8 * (1 - turn):
        bad(f"en passant square '{passant}' without a {COLOURS[1 - turn].lower()} pawn on {square_name(target - back)}")
    for square in (target, target + back):
        if squares[square]:
            bad(f"en passant square '{passant}', but {square_name(square)}, which the pawn passed, is not empty")
    return target


@cache
def _reversible() -> dict[int, tuple[int, int, int]]:
    """By how a move changes the key: the piece and its two squares, for all moves of pieces other than pawns."""
    keys = [int(key) for key in PIECE_KEYS]
    return {
        keys[64 * code + a] ^ keys[64 * code + b]: (code, a, b)
        for colour in (WHITE, BLACK)
        for code in range(KNIGHT + 8 * colour, KING + 8 * colour + 1)
        for a in range(64)
        for b in range(a)
    }


def write_history(state: np.record) -> str:
    """The FEN of the oldest position that the state remembers, and the moves since: `FEN moves g1f3 g8f6`.

    Reading it gives the same state, with all that repetition needs. The moves are recovered from the keys: two
    consecutive ones differ by the move of one piece.
    """
    keys = [int(key) for key in state.keys[: state.past]] + [int(state.key)]
    oldest, moves = state.copy(), []
    oldest.en_passant = NO_SQUARE
    for older, newer in zip(keys[-2::-1], keys[:0:-1], strict=True):
        change = older ^ newer ^ int(BLACK_KEY)
        # Only the oldest can allow a capture en passant, and the newest never does unless it is the oldest.
        for file in range(-1, 8):
            without = change ^ (int(EN_PASSANT_KEYS[file]) if file >= 0 else 0)
            if without in _reversible():
                break
        oldest.turn = 1 - oldest.turn
        oldest.fullmove -= oldest.turn
        oldest.halfmoves -= 1
        if file >= 0:
            oldest.en_passant = file + (40 if oldest.turn == WHITE else 16)
        code, target, origin = _reversible()[without]
        if oldest.squares[target] != code:
            origin, target = target, origin
        oldest.squares[target], oldest.squares[origin] = 0, code
        moves.append(square_name(origin) + square_name(target))
    if not moves:
        return write_fen(state)
    return f"{write_fen(oldest)} moves {' '.join(reversed(moves))}"
