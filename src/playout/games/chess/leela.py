"""Chess as Leela's networks see it: the last eight boards as 112 planes, and an index among 1858 moves."""

import numpy as np

from playout.game import Game, Position
from playout.games._shared import count_bits, helper

from .board import (
    BISHOP_RAYS,
    BLACK,
    KING,
    KNIGHT,
    KNIGHT_ATTACKS,
    ONE,
    PAWN,
    PIECE_KEYS,
    QUEEN,
    ROOK_RAYS,
    STATE,
    WHITE,
    WHITE_LONG,
    WHITE_SHORT,
    bit,
    square_number,
)
from .ends import repetitions
from .fen import write_history
from .game import Chess

BOARDS = 8  # the current one and seven before it
KINDS = 6
BOARD_PLANES = 2 * KINDS + 1  # each side's six kinds, and whether the position has occurred before
CASTLING_PLANES = BOARDS * BOARD_PLANES  # own long, own short, theirs long, theirs short
BLACK_PLANE, HALFMOVES_PLANE, ONES_PLANE = CASTLING_PLANES + 4, CASTLING_PLANES + 5, CASTLING_PLANES + 7
MOVES = 1858
PROMOTIONS = 1792  # the first index of a promotion; one to a knight has the index of the plain move

# Moves are numbered by origin, then by target: all that a queen or a knight can make.
REACH = KNIGHT_ATTACKS | ROOK_RAYS | BISHOP_RAYS
FIRST = np.cumsum([0] + [int(reach).bit_count() for reach in REACH[:-1]]).astype(np.int32)

LEELA_STATE = np.dtype(
    [
        *((name, STATE[name]) for name in STATE.names or ()),
        # The last boards, the current one first, each as four bitboards: for each square the three bits of the piece's
        # kind (1, 2, 4) and its colour. All zero where there was no board yet.
        ("boards", np.uint64, (BOARDS, 4)),
        ("older_keys", np.uint64, BOARDS - 1),  # keys of the positions that the boards after the first belong to
        ("repeated", np.int64),  # bit i: the position of board i had occurred before
    ]
)

MIX_1, MIX_2, MIX_3 = np.uint64(0xBF58476D1CE4E5B9), np.uint64(0x94D049BB133111EB), np.uint64(0x9E3779B97F4A7C15)
HALF = np.uint64(32)

plain_initial_state, plain_apply, plain_hash = helper(Chess.initial_state), helper(Chess.apply), helper(Chess.hash)


@helper
def keep_board(state):
    """Write the current board into the first of `boards`."""
    pieces = state.pieces
    state.boards[0, 0] = pieces[1] | pieces[3] | pieces[5]
    state.boards[0, 1] = pieces[2] | pieces[3] | pieces[6]
    state.boards[0, 2] = pieces[4] | pieces[5] | pieces[6]
    state.boards[0, 3] = state.colours[BLACK]


@helper
def move_index(origin, target, promotion):
    """The index of a move, seen from the side that makes it; castling is the king's move onto its rook."""
    if promotion > KNIGHT:
        return PROMOTIONS + 3 * (2 * (origin & 7) + (target & 7)) + QUEEN - promotion
    return np.int64(FIRST[origin]) + count_bits(REACH[origin] & (bit(target) - ONE))


class LeelaChess(Chess):
    """Chess whose state remembers the last eight boards, for networks of Leela's classical input format.

    Positions are read and written as in chess. Boards before the first one that a text gives are assumed to equal it
    (with a pawn that just made a double step put back), as in lc0; before the start of the game there are none.

    A network sees 13 planes for each board, the current one first: the player's pawns, knights, bishops, rooks, queens
    and king, the opponent's, and ones where the position had occurred before; then the castling rights, own long, own
    short, the opponent's long and short; ones for Black; the halfmove clock; zeros; ones.
    """

    form = "leela"
    state = LEELA_STATE
    planes = (112, 8, 8)  # rank by rank from the mover's own side, files from a to h
    policy_size = MOVES

    @staticmethod
    def initial_state(state):
        plain_initial_state(state)
        keep_board(state)

    @staticmethod
    def apply(state, action, rewards):
        for i in range(BOARDS - 1, 0, -1):
            for j in range(4):
                state.boards[i, j] = state.boards[i - 1, j]
        for i in range(BOARDS - 2, 0, -1):
            state.older_keys[i] = state.older_keys[i - 1]
        state.older_keys[0] = state.key
        plain_apply(state, action, rewards)
        keep_board(state)
        before = (np.int64(state.repeated) << 1) & 255
        state.repeated = before | 1 if repetitions(state) > 0 else before

    @staticmethod
    def hash(state):
        """Equal where both the rest of the game and what the network sees are: the boards count too, in order."""
        found = plain_hash(state) + np.uint64(state.repeated) * MIX_3
        for i in range(BOARDS - 1):
            x = (state.older_keys[i] + np.uint64(i + 1) * MIX_1) * MIX_2
            found += (x ^ (x >> HALF)) * MIX_1
        return found

    @staticmethod
    def observe(state, player, planes):
        flip = 56 if player == BLACK else 0
        for age in range(BOARDS):
            ones, twos, fours = state.boards[age, 0], state.boards[age, 1], state.boards[age, 2]
            black, base = state.boards[age, 3], BOARD_PLANES * age
            occupied = ones | twos | fours
            for square in range(64):
                shift = np.uint64(square)
                if (occupied >> shift) & ONE != 0:
                    kind = np.int64((ones >> shift) & ONE)
                    kind += 2 * np.int64((twos >> shift) & ONE) + 4 * np.int64((fours >> shift) & ONE)
                    plane = base + kind - 1
                    if np.int64((black >> shift) & ONE) != player:
                        plane += KINDS
                    seen = square ^ flip
                    planes[plane, seen >> 3, seen & 7] = 1.0
            if (np.int64(state.repeated) >> age) & 1 != 0:
                planes[base + 2 * KINDS, :, :] = 1.0
        own = np.int64(state.castling) >> (2 * player)
        other = np.int64(state.castling) >> (2 - 2 * player)
        if own & WHITE_LONG != 0:
            planes[CASTLING_PLANES, :, :] = 1.0
        if own & WHITE_SHORT != 0:
            planes[CASTLING_PLANES + 1, :, :] = 1.0
        if other & WHITE_LONG != 0:
            planes[CASTLING_PLANES + 2, :, :] = 1.0
        if other & WHITE_SHORT != 0:
            planes[CASTLING_PLANES + 3, :, :] = 1.0
        if player == BLACK:
            planes[BLACK_PLANE, :, :] = 1.0
        planes[HALFMOVES_PLANE, :, :] = np.float32(state.halfmoves)
        planes[ONES_PLANE, :, :] = 1.0

    @staticmethod
    def action_index(state, action):
        origin, target, promotion = action & 63, (action >> 6) & 63, action >> 12
        if np.int64(state.squares[origin]) & 7 == KING and abs(target - origin) == 2:
            target = target + 1 if target > origin else target - 2
        flip = 56 if state.turn == BLACK else 0
        return move_index(origin ^ flip, target ^ flip, promotion)

    def read_past(self, state: np.record, fen: str) -> None:
        """Fill the boards from a FEN that is not the start: all earlier ones are assumed to equal it.

        Where the FEN has an en passant square the last move is known, and the pawn is put back, even where no pawn can
        take it (`state.en_passant` is not set then).
        """
        if int(state.key) == int(self.position().state.key):
            return
        keep_board(state)
        state.boards[1:] = state.boards[0]
        state.older_keys[:] = state.key
        state.repeated = 0
        passant = fen.split()[3]
        if passant != "-":
            target = square_number(passant)
            pawn = PAWN + 8 * BLACK if state.turn == WHITE else PAWN
            step = 8 if state.turn == WHITE else -8
            origin, there = target + step, target - step
            moved = bit(origin) | bit(there)
            state.boards[1:, 0] ^= moved  # a pawn's code has only the lowest bit of the kind
            if state.turn == WHITE:
                state.boards[1:, 3] ^= moved
            state.older_keys[:] ^= PIECE_KEYS[64 * pawn + origin] ^ PIECE_KEYS[64 * pawn + there]

    def in_form(self, form: str) -> Game:
        return self if form == self.form else Chess(**self.values)

    def adopt(self, position: Position) -> Position:
        """Replay a position of plain chess where it knows the actions that led to it. Otherwise its state still has the
        positions since the last irreversible move, and the first of them stands for all boards before it."""
        if type(position.game) is type(self) or not isinstance(position.game, Chess):
            return position
        if position.way is not None:
            text, actions = position.way
            found = self.position(text)
            for action in actions:
                found = found.play(action)
            if all(np.array_equal(found.state[name], position.state[name]) for name in STATE.names or ()):
                return found  # otherwise the state was edited since
        return self.position(write_history(position.state))


Chess.forms[LeelaChess.form] = LeelaChess
