"""The game so far: a tree of moments, since one may walk back and play another move."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from playout.game import Position

from .refusals import Refusal

MOST = 2000


@dataclass
class Moment:
    """A position of the game and the move that led to it."""

    id: int
    position: Position = field(repr=False)
    parent: "Moment | None" = field(default=None, repr=False)
    action: int | None = None
    ply: int = 0

    @property
    def line(self) -> list["Moment"]:
        """From the start to here."""
        found, moment = [self], self
        while moment.parent is not None:
            moment = moment.parent
            found.append(moment)
        return found[::-1]


class Moments:
    """All moments of a session, and the present one."""

    def __init__(self, start: Position) -> None:
        self.all = [Moment(0, start)]
        self.now = self.all[0]

    def find(self, number: int) -> Moment:
        """A moment by its number."""
        if 0 <= number < len(self.all):
            return self.all[number]
        raise Refusal(404, "unknown_moment", f"no moment {number}; the game so far has 0 to {len(self.all) - 1}")

    def check_room(self) -> None:
        """Refuse another moment if there are too many."""
        if len(self.all) >= MOST:
            raise Refusal(429, "moments", f"this session has {MOST} moments, the most there can be; begin another one")

    def play(self, action: int, after: Position) -> Moment:
        """Go on from the present moment; a move that was played there before leads to the same moment again."""
        for moment in self.all:
            if moment.parent is self.now and moment.action == action:
                self.now = moment
                return moment
        self.now = Moment(len(self.all), after, self.now, action, self.now.ply + 1)
        self.all.append(self.now)
        return self.now

    def returns(self) -> list[float] | None:
        """What each player has got up to now; None before the first move."""
        line = self.now.line[1:]
        return [float(sum(got)) for got in zip(*(moment.position.rewards for moment in line), strict=True)] or None

    def to_rows(self) -> list[list[int]]:
        """For the store: parent and action of each moment but the first."""
        return [[m.parent.id, m.action] for m in self.all[1:] if m.parent is not None and m.action is not None]

    @classmethod
    def from_rows(cls, start: Position, rows: Sequence[Sequence[int]], now: int) -> "Moments":
        """Restore what `to_rows` gave."""
        found = cls(start)
        for parent, action in rows:
            found.now = found.find(parent)
            found.play(action, found.now.position.play(action))
        found.now = found.find(now)
        return found

    def to_dicts(self, parked: dict[int, int], svg: bool, draw: Any) -> list[dict[str, Any]]:
        """All moments in JSON; `parked`: visits of the tree that is in memory at a moment."""
        line = {moment.id for moment in self.now.line}
        return [
            {
                "moment": m.id,
                "parent": m.parent.id if m.parent else None,
                "ply": m.ply,
                "number": m.action,
                "action": m.parent.position.action_text(m.action) if m.parent and m.action is not None else None,
                "player": m.parent.position.player if m.parent else None,
                "text": m.position.text,
                "next_player": m.position.player,
                "over": m.position.is_terminal,
                "rewards": [float(r) for r in m.position.rewards],
                "parked": parked.get(m.id, 0),
                "current": m.id in line,
                "svg": draw(m.position) if svg else None,
            }
            for m in self.all
        ]
