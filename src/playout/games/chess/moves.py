"""The moves: listing the legal ones, and making one.

An action is `from | to << 6 | promotion << 12`, squares and kinds numbered as in board.py; castling is the king's move.
"""

import numpy as np

from playout.games._shared import helper, lowest_bit

from .attacks import attacked_squares, attackers, bishop_attacks, find_checks_and_pins, piece_attacks, rook_attacks
from .board import (
    ALL,
    BETWEEN,
    BISHOP,
    BLACK,
    BLACK_KEY,
    CASTLING_KEYS,
    CASTLING_LEFT,
    EN_PASSANT_KEYS,
    HISTORY,
    KING,
    KING_ATTACKS,
    KNIGHT,
    KNIGHT_ATTACKS,
    LAST_RANKS,
    LINE,
    NO_SQUARE,
    NOT_A,
    NOT_AB,
    NOT_GH,
    NOT_H,
    ONE,
    PAWN,
    PAWN_ATTACKS,
    PIECE_KEYS,
    QUEEN,
    ROOK,
    WHITE,
    ZERO,
    bit,
)

_1, _6, _7, _8, _9, _10, _15, _17 = (np.uint64(n) for n in (1, 6, 7, 8, 9, 10, 15, 17))
# Where a pawn stands after one step when a second is open to it, by colour.
_THIRD_RANK = np.array([0xFF << 16, 0xFF << 40], np.uint64)
# Castling, seen from rank 1: the squares that must be empty, and those besides the king's own that must not be
# attacked.
_SHORT_EMPTY, _LONG_EMPTY = np.uint64(0x60), np.uint64(0x0E)
_SHORT_SAFE, _LONG_SAFE = np.uint64(0x60), np.uint64(0x0C)


@helper
def put(actions, count, origin, targets):
    """List the moves of a piece to all of `targets`."""
    while targets != 0:
        actions[count] = origin | (lowest_bit(targets) << 6)
        count += 1
        targets &= targets - ONE
    return count


@helper
def put_pawns(actions, count, targets, step):
    """List the moves of pawns to `targets`, all by the same step; on the last rank there are four promotions each."""
    left = targets & ~LAST_RANKS
    while left != 0:
        target = lowest_bit(left)
        actions[count] = (target - step) | (target << 6)
        count += 1
        left &= left - ONE
    left = targets & LAST_RANKS
    while left != 0:
        target = lowest_bit(left)
        for kind in range(KNIGHT, KING):
            actions[count] = (target - step) | (target << 6) | (kind << 12)
            count += 1
        left &= left - ONE
    return count


@helper
def put_pawn_moves(actions, count, pawns, us, occupied, other, allowed):
    """List the steps and captures of these pawns, without en passant; `allowed` is where a move may end."""
    empty = ~occupied
    if us == WHITE:
        step = (pawns << _8) & empty
        double = ((step & _THIRD_RANK[WHITE]) << _8) & empty
        count = put_pawns(actions, count, step & allowed, 8)
        count = put_pawns(actions, count, double & allowed, 16)
        count = put_pawns(actions, count, ((pawns & NOT_A) << _7) & other & allowed, 7)
        count = put_pawns(actions, count, ((pawns & NOT_H) << _9) & other & allowed, 9)
    else:
        step = (pawns >> _8) & empty
        double = ((step & _THIRD_RANK[BLACK]) >> _8) & empty
        count = put_pawns(actions, count, step & allowed, -8)
        count = put_pawns(actions, count, double & allowed, -16)
        count = put_pawns(actions, count, ((pawns & NOT_H) >> _7) & other & allowed, -7)
        count = put_pawns(actions, count, ((pawns & NOT_A) >> _9) & other & allowed, -9)
    return count


@helper
def can_pass_capture(state, origin, target, us):
    """Whether taking en passant leaves the king safe: two pawns leave a rank at once, which pins don't cover."""
    captured = bit(target ^ 8)
    king = lowest_bit(state.pieces[KING] & state.colours[us])
    occupied = (state.pieces[0] ^ bit(origin) ^ captured) | bit(target)
    return attackers(state, king, 1 - us, occupied) == 0


@helper
def unpinned(pinned, king, square):
    """Where a piece may move without exposing its king: the line of its pin, or anywhere."""
    return LINE[64 * king + square] if bit(square) & pinned != 0 else ALL


@helper
def put_en_passant(state, actions, count, pawns, us):
    """List the captures en passant, where `en_passant` is set."""
    target = np.int64(state.en_passant)
    left = PAWN_ATTACKS[64 * (1 - us) + target] & pawns
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        if can_pass_capture(state, square, target, us):
            actions[count] = square | (target << 6)
            count += 1
    return count


@helper
def find_moves(state, actions):
    """List all legal moves; returns their number. Draws by rule are ignored."""
    us = np.int64(state.turn)
    own, other, occupied = state.colours[us], state.colours[1 - us], state.pieces[0]
    king = lowest_bit(state.pieces[KING] & own)
    checkers, pinned = state.checkers, state.pinned
    rank_1 = np.uint64(56 * us)
    rights = (state.castling >> (2 * us)) & 3
    count = 0

    targets = KING_ATTACKS[king] & ~own
    if targets != 0 or rights != 0:
        danger = attacked_squares(state, 1 - us, occupied ^ bit(king))  # the king shields no square behind it
        count = put(actions, count, king, targets & ~danger)
        if checkers == 0 and rights != 0:
            row, unsafe = occupied >> rank_1, danger >> rank_1
            if rights & 1 and row & _SHORT_EMPTY == 0 and unsafe & _SHORT_SAFE == 0:
                actions[count] = king | ((king + 2) << 6)
                count += 1
            if rights & 2 and row & _LONG_EMPTY == 0 and unsafe & _LONG_SAFE == 0:
                actions[count] = king | ((king - 2) << 6)
                count += 1

    allowed = ~own
    if checkers != 0:
        if checkers & (checkers - ONE) != 0:  # only the king can answer a double check
            return count
        allowed = checkers | BETWEEN[64 * king + lowest_bit(checkers)]

    left = state.pieces[KNIGHT] & own & ~pinned
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        count = put(actions, count, square, KNIGHT_ATTACKS[square] & allowed)
    left = (state.pieces[BISHOP] | state.pieces[QUEEN]) & own
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        count = put(actions, count, square, bishop_attacks(square, occupied) & allowed & unpinned(pinned, king, square))
    left = (state.pieces[ROOK] | state.pieces[QUEEN]) & own
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        count = put(actions, count, square, rook_attacks(square, occupied) & allowed & unpinned(pinned, king, square))

    pawns = state.pieces[PAWN] & own
    count = put_pawn_moves(actions, count, pawns & ~pinned, us, occupied, other, allowed)
    left = pawns & pinned
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        count = put_pawn_moves(actions, count, bit(square), us, occupied, other, allowed & LINE[64 * king + square])
    if state.en_passant != NO_SQUARE:
        count = put_en_passant(state, actions, count, pawns, us)
    return count


@helper
def has_move(state):
    """Whether there is a legal move. `en_passant` is only set where one is legal."""
    us = np.int64(state.turn)
    own, other, occupied = state.colours[us], state.colours[1 - us], state.pieces[0]
    checkers, pinned = state.checkers, state.pinned
    if checkers == 0:
        # Nearly always some unpinned piece can make a step; all pieces of a kind are tried at once.
        free = own & ~pinned
        pawns = state.pieces[PAWN] & free
        steps = pawns << _8 if us == WHITE else pawns >> _8
        if steps & ~occupied != 0:
            return True
        straight = (state.pieces[ROOK] | state.pieces[QUEEN]) & free
        reached = (straight << _8) | (straight >> _8) | ((straight & NOT_H) << _1) | ((straight & NOT_A) >> _1)
        slant = (state.pieces[BISHOP] | state.pieces[QUEEN]) & free
        reached |= ((slant & NOT_A) << _7) | ((slant & NOT_H) << _9)
        reached |= ((slant & NOT_H) >> _7) | ((slant & NOT_A) >> _9)
        knights = state.pieces[KNIGHT] & free
        reached |= ((knights & NOT_A) << _15) | ((knights & NOT_H) << _17)
        reached |= ((knights & NOT_H) >> _15) | ((knights & NOT_A) >> _17)
        reached |= ((knights & NOT_AB) << _6) | ((knights & NOT_GH) << _10)
        reached |= ((knights & NOT_GH) >> _6) | ((knights & NOT_AB) >> _10)
        if reached & ~own != 0:
            return True
    if state.en_passant != NO_SQUARE:
        return True
    king = lowest_bit(state.pieces[KING] & own)
    targets = KING_ATTACKS[king] & ~own
    while targets != 0:
        if attackers(state, lowest_bit(targets), 1 - us, occupied ^ bit(king)) == 0:
            return True
        targets &= targets - ONE
    allowed = ~own
    if checkers != 0:
        if checkers & (checkers - ONE) != 0:
            return False
        allowed = checkers | BETWEEN[64 * king + lowest_bit(checkers)]
    left = own & ~bit(king)
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        kind = np.int64(state.squares[square]) & 7
        if kind == PAWN:
            targets = PAWN_ATTACKS[64 * us + square] & other
            step = bit(square + 8 - 16 * us) & ~occupied
            targets |= step
            if step & _THIRD_RANK[us] != 0:
                targets |= bit(square + 16 - 32 * us) & ~occupied
        else:
            targets = piece_attacks(kind, square, occupied)
        if pinned & bit(square) != 0:
            targets &= LINE[64 * king + square]
        if targets & allowed != 0:
            return True
    return False


@helper
def set_en_passant(state, target):
    """Set `en_passant` to `target` if the side to move has a legal capture there."""
    us = np.int64(state.turn)
    left = PAWN_ATTACKS[64 * (1 - us) + target] & state.pieces[PAWN] & state.colours[us]
    while left != 0:
        square = lowest_bit(left)
        left &= left - ONE
        if can_pass_capture(state, square, target, us):
            state.en_passant = target
            state.key ^= EN_PASSANT_KEYS[target & 7]
            return


@helper
def make(state, action):
    """Make a legal move: the board, rights, key, clocks and history, and the checks and pins after it."""
    us = np.int64(state.turn)
    origin, target, promotion = action & 63, (action >> 6) & 63, action >> 12
    code = np.int64(state.squares[origin])
    captured = np.int64(state.squares[target])
    kind = code & 7
    before = state.key
    key = before ^ BLACK_KEY ^ PIECE_KEYS[64 * code + origin]
    own, other = state.colours[us], state.colours[1 - us]
    for_good = kind == PAWN or captured != 0

    if state.en_passant != NO_SQUARE:
        key ^= EN_PASSANT_KEYS[state.en_passant & 7]
        if kind == PAWN and target == state.en_passant:
            pawn = target ^ 8
            state.pieces[PAWN] ^= bit(pawn)
            other ^= bit(pawn)
            key ^= PIECE_KEYS[64 * (PAWN + 8 * (1 - us)) + pawn]
            state.squares[pawn] = 0
        state.en_passant = NO_SQUARE
    if captured != 0:
        state.pieces[captured & 7] ^= bit(target)
        other ^= bit(target)
        key ^= PIECE_KEYS[64 * captured + target]
    state.pieces[kind] ^= bit(origin)
    if promotion != 0:
        code = promotion + 8 * us
        kind = promotion
    state.pieces[kind] ^= bit(target)
    own ^= bit(origin) | bit(target)
    key ^= PIECE_KEYS[64 * code + target]
    state.squares[origin] = 0
    state.squares[target] = code

    rights = np.int64(state.castling)
    if rights != 0:
        left = rights & np.int64(CASTLING_LEFT[origin]) & np.int64(CASTLING_LEFT[target])
        if left != rights:
            key ^= CASTLING_KEYS[rights] ^ CASTLING_KEYS[left]
            state.castling = left
            for_good = True
            if kind == KING and abs(target - origin) == 2:
                rook = ROOK + 8 * us
                rook_origin = target + 1 if target > origin else target - 2
                rook_target = (origin + target) >> 1
                state.pieces[ROOK] ^= bit(rook_origin) | bit(rook_target)
                own ^= bit(rook_origin) | bit(rook_target)
                key ^= PIECE_KEYS[64 * rook + rook_origin] ^ PIECE_KEYS[64 * rook + rook_target]
                state.squares[rook_origin] = 0
                state.squares[rook_target] = rook

    state.colours[us] = own
    state.colours[1 - us] = other
    state.pieces[0] = own | other
    state.key = key
    state.turn = 1 - us
    state.fullmove += us
    past = np.int64(state.past)
    if for_good:
        for i in range(past):
            state.keys[i] = ZERO
        state.past = 0
    elif past < HISTORY:  # full only where no draw by rule ends the game
        state.keys[past] = before
        state.past = past + 1
    if kind == PAWN or captured != 0 or promotion != 0:
        state.halfmoves = 0
    else:
        state.halfmoves += 1
    if kind == PAWN and (origin ^ target) == 16:
        set_en_passant(state, (origin + target) >> 1)
    find_checks_and_pins(state)
