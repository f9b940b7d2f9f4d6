"""Othello: outflank the other side's discs and turn them; most discs win."""

import re
from typing import Any

import numpy as np

from playout.errors import PositionError
from playout.game import TERMINAL, Game

from . import _shared as shared
from . import _symmetries as symmetries

# Bitboards, one for each side; square 8 * row + column, a1 at the top left.
#
#        a  b  c  d  e  f  g  h
#     1  0  1  2  3  4  5  6  7
#     2  8  9 10 11 12 13 14 15
#     3 16 17 18 19 20 21 22 23
#     4 24 25 26  O  X 29 30 31      a step right is 1, down 8,
#     5 32 33 34  X  O 37 38 39      down and left 7, down and right 9
#     6 40 41 42 43 44 45 46 47
#     7 48 49 50 51 52 53 54 55
#     8 56 57 58 59 60 61 62 63

PASS = 64
START_X, START_O = np.uint64(1 << 28 | 1 << 35), np.uint64(1 << 27 | 1 << 36)
CENTRE = int(START_X | START_O)
# A run of discs to be turned never lies on the edge that it runs towards, so discs in the columns a and h are left out
# and no run comes round the edge into the next row.
INNER = np.uint64(0x7E7E7E7E7E7E7E7E)
ZERO, ONE = np.uint64(0), np.uint64(1)


@shared.helper
def runs_up(start, discs, step):
    """The discs in unbroken runs of up to six, towards higher squares, next to `start`."""
    run = discs & (start << step)
    run |= discs & (run << step)
    pairs = discs & (discs << step)
    run |= pairs & (run << (step + step))
    run |= pairs & (run << (step + step))
    return run


@shared.helper
def runs_down(start, discs, step):
    """The same towards lower squares."""
    run = discs & (start >> step)
    run |= discs & (run >> step)
    pairs = discs & (discs >> step)
    run |= pairs & (run >> (step + step))
    run |= pairs & (run >> (step + step))
    return run


@shared.helper
def ends(own, discs, step):
    """The squares just past all runs of `discs` that begin next to an own disc, both ways."""
    return (runs_up(own, discs, step) << step) | (runs_down(own, discs, step) >> step)


@shared.helper
def placeable(own, other):
    """The squares where `own` may put a disc."""
    inner = other & INNER
    found = ends(own, inner, np.uint64(1)) | ends(own, inner, np.uint64(7))
    found |= ends(own, inner, np.uint64(9)) | ends(own, other, np.uint64(8))
    return found & ~(own | other)


@shared.helper
def outflanked(own, discs, disc, step):
    """What a new disc turns along one line: the runs next to it that end at an own disc."""
    turned = ZERO
    run = runs_up(disc, discs, step)
    if (run << step) & own != 0:
        turned |= run
    run = runs_down(disc, discs, step)
    if (run >> step) & own != 0:
        turned |= run
    return turned


@shared.helper
def turned_by(own, other, disc):
    """All discs of `other` that a new disc of `own` turns."""
    inner = other & INNER
    turned = outflanked(own, inner, disc, np.uint64(1)) | outflanked(own, inner, disc, np.uint64(7))
    return turned | outflanked(own, inner, disc, np.uint64(9)) | outflanked(own, other, disc, np.uint64(8))


class Othello(Game):
    """Players: X (0, black) moves first, O (1, white). Actions: squares 0 to 63, written a1 to h8, and 64, `pass`.

    A side that can't move passes, and only then; the game ends when neither can. Positions: the 64 squares from a1, b1
    on, of X, O and -, a space, and the side to move; or the moves, `f5d6c3`, where passes may be left out.

    What a network sees: the player's own discs, the other's, and where the player could put one; row 0 is row 1, the
    top. It answers with the squares and then the pass.
    """

    name = "othello"
    preset = "othello"
    players = 2
    max_actions = 60
    planes = (3, 8, 8)
    policy_size = 65
    state = np.dtype(
        [
            ("mine", np.uint64),  # of the side to move
            ("theirs", np.uint64),
            ("open", np.uint64),  # where the side to move may put a disc
            ("turn", np.int32),
            ("over", np.int32),
        ]
    )

    @staticmethod
    def initial_state(state):
        state.mine = START_X
        state.theirs = START_O
        state.open = placeable(START_X, START_O)

    @staticmethod
    def current_player(state):
        return TERMINAL if state.over else state.turn

    @staticmethod
    def legal_actions(state, actions):
        left = state.open
        if left == 0:
            actions[0] = PASS
            return 1
        count = 0
        while left != 0:
            actions[count] = shared.lowest_bit(left)
            count += 1
            left &= left - ONE
        return count

    @staticmethod
    def apply(state, action, rewards):
        player = state.turn
        own, other = state.mine, state.theirs
        if action != PASS:
            disc = ONE << np.uint64(action)
            turned = turned_by(own, other, disc)
            own |= disc | turned
            other ^= turned
        state.mine = other
        state.theirs = own
        state.turn = 1 - player
        state.open = placeable(other, own)
        if state.open == 0 and placeable(own, other) == 0:
            state.over = 1
            lead = shared.count_bits(own) - shared.count_bits(other)
            if lead != 0:
                rewards[player] = 1.0 if lead > 0 else -1.0
                rewards[1 - player] = -rewards[player]

    @staticmethod
    def observe(state, player, planes):
        own, other, reach = state.mine, state.theirs, state.open
        if player != state.turn:
            own, other = other, own
            reach = placeable(own, other)
        for square in range(64):
            shift = np.uint64(square)
            planes[0, square >> 3, square & 7] = (own >> shift) & ONE
            planes[1, square >> 3, square & 7] = (other >> shift) & ONE
            planes[2, square >> 3, square & 7] = (reach >> shift) & ONE

    def symmetries(self) -> list[tuple[Any, Any]]:
        return symmetries.permutations(symmetries.of_square(8), planes=3, extra=1)

    def action_to_text(self, state: Any, action: int) -> str:
        return "pass" if action == PASS else f"{'abcdefgh'[action % 8]}{action // 8 + 1}"

    def action_from_text(self, state: Any, text: str) -> int:
        wanted = text.strip().lower()
        legal = shared.legal(self, state)
        if wanted in ("pass", "--"):
            action, reason = PASS, "there are other moves"
        elif re.fullmatch("[a-h][1-8]", wanted):
            action, reason = 8 * (int(wanted[1]) - 1) + "abcdefgh".index(wanted[0]), "it turns no disc"
            if int(state.mine | state.theirs) >> action & 1:
                reason = "the square is taken"
        else:
            raise shared.refused(self, state, text, "expected a square, a1 to h8, or pass")
        if action not in legal:
            raise shared.refused(self, state, text, reason)
        return action

    def state_to_text(self, state: Any) -> str:
        return f"{_squares(state)} {'XO'[state.turn]}"

    def state_from_text(self, state: Any, text: str) -> None:
        if text[0] not in "-.xXoO":
            self._from_moves(state, text)
            return
        squares = re.sub(r"[/\s]", "", text.partition(";")[0].upper().replace(".", "-"))
        if not re.fullmatch("[-XO]{64}[XO]", squares):
            bad = re.search("[^-XO]", squares)
            what = f"'{bad[0]}' at {bad.start() + 1}" if bad else f"{len(squares)} signs"
            raise PositionError(
                f"{self.title}: can't read position '{text}' ({what}), expected 64 squares of X, O and -, a space and "
                f"the side to move, as in '{self.state_to_text(state)}'; or moves as in f5d6c3"
            )
        discs = [sum(1 << k for k in range(64) if squares[k] == side) for side in "XO"]
        if (discs[0] | discs[1]) & CENTRE != CENTRE:
            raise PositionError(
                f"{self.title}: position '{text}' can't be: d4, e4, d5 and e5 are taken from the start on, and stay so"
            )
        state.turn = "XO".index(squares[64])
        state.mine, state.theirs = np.uint64(discs[state.turn]), np.uint64(discs[1 - state.turn])
        state.open = placeable(state.mine, state.theirs)
        state.over = int(state.open == 0 and placeable(state.theirs, state.mine) == 0)

    def _from_moves(self, state: Any, text: str) -> None:
        moves = re.findall("[a-h][1-8]|--|pass", text.lower())
        if "".join(moves) != re.sub(r"[,;\s]", "", text.lower()):
            raise PositionError(
                f"{self.title}: can't read moves '{text}', expected squares a1 to h8 and passes as in f5d6c3, "
                f"or 64 squares and the side to move as in '{self.state_to_text(state)}'"
            )
        for number, move in enumerate(moves):
            if move not in ("pass", "--") and shared.legal(self, state) == [PASS]:
                shared.play(self, state, PASS)
            try:
                shared.replay(self, state, [move], text)
            except PositionError as error:
                raise PositionError(str(error).replace(", move 1:", f", move {number + 1}:", 1)) from None

    def show(self, state: Any) -> str:
        squares, open_ = _squares(state).replace("-", "."), 0 if state.over else int(state.open)
        marked = ["*" if open_ >> k & 1 else square for k, square in enumerate(squares)]
        rows = [f"{row + 1} {' '.join(marked[8 * row : 8 * row + 8])}" for row in range(8)]
        return "\n".join(["  a b c d e f g h", *rows, _status(state)])

    def draw(self, state: Any) -> str:
        body = [shared.element("rect", x=16, y=16, width=256, height=256, rx=4, fill="#2e7d4f")]
        for i in range(1, 8):
            at = 16 + 32 * i
            body.append(shared.element("path", d=f"M{at} 16V272M16 {at}H272", stroke="#1d5636"))
        for i, name in enumerate("abcdefgh"):
            at = 32 + 32 * i
            body.append(shared.element("text", name, x=at, y=12, font_size=11, fill=shared.GREY))
            body.append(shared.element("text", str(i + 1), x=8, y=at + 4, font_size=11, fill=shared.GREY))
        for k, square in enumerate(_squares(state)):
            x, y = 32 + 32 * (k % 8), 32 + 32 * (k // 8)
            if square != "-":
                fill = "#14181d" if square == "X" else "#f4f4ef"
                body.append(shared.element("circle", cx=x, cy=y, r=13, fill=fill))
            elif int(state.open) >> k & 1:
                body.append(shared.element("circle", cx=x, cy=y, r=3, fill="#14181d" if state.turn == 0 else "#f4f4ef"))
        body.append(shared.element("text", _status(state), x=144, y=290, font_size=13, fill=shared.GREY))
        return shared.svg(288, 298, body, f"Othello, {_status(state)}")


def _squares(state: Any) -> str:
    own, other = "XO" if state.turn == 0 else "OX"
    mine, theirs = int(state.mine), int(state.theirs)
    return "".join(own if mine >> k & 1 else other if theirs >> k & 1 else "-" for k in range(64))


def _status(state: Any) -> str:
    squares = _squares(state)
    x, o = squares.count("X"), squares.count("O")
    if not state.over:
        end = f"{'XO'[state.turn]} to move" + ("" if state.open else " (must pass)")
    else:
        end = "a draw" if x == o else f"{'X' if x > o else 'O'} has won"
    return f"X {x}, O {o}; {end}"
