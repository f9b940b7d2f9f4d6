"""`Chess`: the rules, with heuristics, what networks see, texts and drawings."""

from typing import ClassVar

import numpy as np

from playout.game import Game, Position

from . import drawing
from . import text as texts
from .bare_king import bare_king_value, stronger_side, weigh_bare_king_moves
from .board import STATE
from .captures import settled_value, squashed
from .observation import FEATURES, PLANES, POLICY_SIZE, fill_planes, list_features, policy_index
from .priors import weigh_moves
from .rules import ChessRules


class Chess(ChessRules):
    """Players: White (0) moves first, Black (1). Actions: from | to << 6 | promotion << 12; written e2e4, e7e8q, read
    as SAN too.

    Positions: a FEN (the counters may be missing) or `startpos`, optionally followed by `moves e2e4 e7e5`, as in UCI. A
    position is written as its FEN; only where the game ended by repetition, which no FEN can say, with the moves too.

    `claims`: 1 ends the game at the third repetition and after fifty moves, as if claimed; 0 only at the fifth and
    after seventy-five; -1 never by a draw rule, as perft counts and as games are replayed.

    A network sees 20 planes from the player's side, row 0 the player's first rank and column 0 the a-file; for Black,
    ranks are counted from the other end. 0 to 5: the player's pawns, knights, bishops, rooks, queens and king; 6 to 11:
    the opponent's; 12 to 15: castling rights, own short, own long, the opponent's short and long; 16: where a pawn can
    be taken en passant; 17: the halfmove clock / 100; 18: whether the position has occurred before; 19: ones. Rights,
    clock and 18 fill a whole plane.

    Against a bare king, values and priors go by the moves left until mate, and `is_known` keeps networks out.

    Features: planes 0 to 11, flattened (64 * plane + 8 * row + column); 768 to 771: castling rights in the order above;
    772 to 779: the file where a pawn can be taken en passant.

    The policy has 73 x 64 moves: the kind of move, then the square it starts from, seen as above. Kinds: 7 * direction
    + steps - 1 as a queen moves (up, up and right, right, … clockwise), 56 to 63 the knight's jumps (clockwise from one
    right and two up), 64 to 72 promotions to a knight, bishop and rook, each to the left, straight and to the right.
    A promotion to a queen counts as the pawn's plain move.
    """

    name = "chess"
    preset = "chess"
    text_is_lossy = True  # a FEN does not hold the history; `write_history` does

    planes = PLANES
    policy_size = POLICY_SIZE
    feature_count = FEATURES
    forms: ClassVar[dict[str, type["Chess"]]] = {}  # chess as other networks see it, by `form`; see leela.py

    @staticmethod
    def priors(state, actions, count, out):
        side = stronger_side(state)
        if side >= 0:
            weigh_bare_king_moves(state, side, actions, count, out)
        else:
            weigh_moves(state, actions, count, out)

    @staticmethod
    def evaluate(state, values):
        side = stronger_side(state)
        if side >= 0:
            value = bare_king_value(state, side)
        else:
            side = np.int64(state.turn)
            value = squashed(settled_value(state))
        values[side], values[1 - side] = value, -value

    @staticmethod
    def is_known(state):
        return stronger_side(state) >= 0

    @staticmethod
    def observe(state, player, planes):
        fill_planes(state, player, planes)

    @staticmethod
    def features(state, player, out):
        return list_features(state, player, out)

    @staticmethod
    def action_index(state, action):
        return policy_index(action, state.turn)

    action_to_text = texts.action_to_text
    action_from_text = texts.action_from_text
    state_to_text = texts.state_to_text
    show = drawing.show
    draw = drawing.draw

    def state_from_text(self, state: np.record, text: str) -> None:
        texts.state_from_text(self, state, text, self.read_past)

    def read_past(self, state: np.record, fen: str) -> None:
        """A hook for games that remember more than chess does: fill in the past that a FEN, just read, tells of."""

    def in_form(self, form: str) -> Game:
        other = self.forms.get(form)
        return other(**self.values) if other is not None and type(self) is Chess else self

    def adopt(self, position: Position) -> Position:
        if type(position.game) is type(self) or not isinstance(position.game, Chess):
            return position
        found = self.position()
        for name in STATE.names or ():
            found.state[name] = position.state[name]
        return Position(self, found.buffer, position.rewards, position.way)
