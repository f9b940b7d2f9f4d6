"""Moves as text: UCI (`e2e4`, `e7e8q`) and SAN (`Nf3`, `exd6`, `O-O`, `e8=Q+`)."""

import re

from playout.errors import ActionError
from playout.game import Position

from .board import CHECKMATE, ENDS, KING, PAWN, square_name, square_number

KINDS = " PNBRQK"
SAN = re.compile(
    r"(?P<kind>[PNBRQK])?(?P<file>[a-h])?(?P<rank>[1-8])?(?P<takes>[x:-])?(?P<to>[a-h][1-8])"
    r"(?:[=/]?\(?(?P<promotion>[NBRQKnbrqk])\)?)?"
)
CASTLES = re.compile("[Oo0]-?[Oo0](-?[Oo0])?")


def to_uci(action: int) -> str:
    """
    >>> to_uci(12 | 28 << 6)
    'e2e4'
    """
    return square_name(action & 63) + square_name(action >> 6 & 63) + KINDS[action >> 12].strip().lower()


def to_san(position: Position, action: int) -> str:
    """A legal action in SAN, with + and #, and only as much of its origin as is needed."""
    state, origin, target, promotion = position.state, action & 63, action >> 6 & 63, action >> 12
    kind = int(state.squares[origin]) & 7
    takes = int(state.squares[target]) != 0 or (kind == PAWN and (target - origin) % 8 != 0)
    if kind == KING and abs(target - origin) == 2:
        text = "O-O" if target > origin else "O-O-O"
    elif kind == PAWN:
        text = f"{square_name(origin)[0]}x" * takes + square_name(target)
        text += f"={KINDS[promotion]}" if promotion else ""
    else:
        others = [a & 63 for a in position.actions() if a >> 6 & 63 == target and a & 63 != origin]
        others = [square for square in others if int(state.squares[square]) & 7 == kind]
        same_file = any(square & 7 == origin & 7 for square in others)
        same_rank = any(square >> 3 == origin >> 3 for square in others)
        text = KINDS[kind]
        text += square_name(origin)[0] if same_rank or (others and not same_file) else ""
        text += square_name(origin)[1] if same_file else ""
        text += "x" * takes + square_name(target)
    after = position.play(action).state
    return text + ("#" if after.over == CHECKMATE else "+" if after.checkers else "")


def from_text(position: Position, text: str) -> int:
    """A legal action from UCI or SAN."""
    wanted = text.strip()
    if found := re.fullmatch("([a-h][1-8])([a-h][1-8])([nbrqNBRQ]?)", wanted):
        return _from_uci(position, text, *found.groups())
    return from_san(position, text)


def from_san(position: Position, text: str) -> int:
    """A legal action from SAN; lenient about annotations, `0-0`, `e.p.` and how a capture or a promotion is written."""
    plain = re.sub(r"(\s*e\.?p\.?)?[\s+#!?]*$", "", text.strip())
    state, legal = position.state, position.actions()
    if found := CASTLES.fullmatch(plain):
        step = -2 if found[1] else 2
        kings = [a for a in legal if int(state.squares[a & 63]) & 7 == KING and (a >> 6 & 63) - (a & 63) == step]
        if not kings:
            raise refused(position, text, "castling is not possible now")
        return kings[0]
    found = SAN.fullmatch(plain)
    if not found:
        raise refused(position, text, "expected a move as in e2e4, e4, Nf3, exd5, O-O or e8=Q")
    kind = KINDS.index(found["kind"] or "P")
    target = square_number(found["to"])
    promotion = KINDS.index(found["promotion"].upper()) if found["promotion"] else 0
    file = found["file"]
    if kind == PAWN and not file and found["takes"] not in ("x", ":"):
        file = found["to"][0]
    moves = [a for a in legal if a >> 6 & 63 == target and int(state.squares[a & 63]) & 7 == kind]
    moves = [a for a in moves if not file or square_name(a & 63)[0] == file]
    moves = [a for a in moves if not found["rank"] or square_name(a & 63)[1] == found["rank"]]
    chosen = [a for a in moves if a >> 12 == promotion]
    if len(chosen) == 1:
        return chosen[0]
    if chosen:
        raise refused(position, text, "several pieces can", chosen)
    if moves:
        raise refused(position, text, "the pawn must be promoted" if not promotion else "no such promotion", moves)
    raise refused(position, text, f"no {_name(kind)} can make that move")


def _from_uci(position: Position, text: str, start: str, end: str, promotion: str) -> int:
    origin, target = square_number(start), square_number(end)
    kind = KINDS.index(promotion.upper()) if promotion else 0
    legal = position.actions()
    action = origin | target << 6 | kind << 12
    if action in legal:
        return action
    squares = position.state.squares
    if (
        int(squares[origin]) & 7 == KING and squares[target] == squares[origin] - 2
    ):  # castling written as king takes own rook
        castles = origin | (origin + (2 if target > origin else -2)) << 6
        if castles in legal and abs(target - origin) in (3, 4):
            return castles
    moves = [a for a in legal if a & 0xFFF == action & 0xFFF]
    if moves:
        why = "only a pawn on the last rank is promoted" if kind else "the pawn must be promoted"
        raise refused(position, text, why, moves)
    code = int(squares[origin])
    if not code:
        why = f"{start} is empty"
    elif code >> 3 != position.state.turn:
        why = f"the piece on {start} is {('White', 'Black')[code >> 3]}'s"
    else:
        why = f"the {_name(code & 7)} on {start} can't move there"
    raise refused(position, text, why)


def refused(position: Position, text: str, why: str, instead: list[int] | None = None) -> ActionError:
    """The error for a move's text: what was given, where, why it is refused, and what is legal instead."""
    legal = position.actions() if instead is None else instead
    if position.is_terminal:
        end = ENDS[position.state.over]
        return ActionError(f"chess: '{text.strip()}' is not legal in {position.text}: the game is over ({end})")
    names = [position.action_text(a) for a in legal]
    more = f", … {len(names) - 12} more" if len(names) > 12 else ""
    return ActionError(
        f"chess: '{text.strip()}' is not legal in {position.text}: {why} (legal: {', '.join(names[:12])}{more})"
    )


def _name(kind: int) -> str:
    return ("", "pawn", "knight", "bishop", "rook", "queen", "king")[kind]
