"""The command `go`: its limits, and what belongs to one search that it started."""

import math
import threading
from dataclasses import dataclass, field
from typing import Any

from playout.errors import PlayoutError
from playout.game import Position
from playout.play.clock import LEAST, seconds_for_move
from playout.settings import Settings

from .options import whole

NUMBERS = ("nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "depth", "mate", "perft")
AT_LEAST_ONE = ("nodes", "depth", "mate")
KNOWN = {*NUMBERS, "infinite", "ponder", "searchmoves"}


@dataclass(frozen=True)
class Go:
    """The limits of one `go`, times in milliseconds; None: not given."""

    nodes: int | None = None
    movetime: int | None = None
    wtime: int | None = None
    btime: int | None = None
    winc: int | None = None
    binc: int | None = None
    movestogo: int | None = None
    depth: int | None = None
    mate: int | None = None
    infinite: bool = False
    ponder: bool = False
    searchmoves: tuple[int, ...] = ()

    def seconds(self, player: int, overhead: float) -> float | None:
        """How long to think, counted from `go` or from `ponderhit`."""
        if self.infinite:
            return None
        if self.movetime is not None:
            return max(LEAST, self.movetime / 1000 - min(overhead, self.movetime / 2000))
        clock, increment = (self.wtime, self.winc) if player == 0 else (self.btime, self.binc)
        if clock is None:
            return None
        return seconds_for_move(clock / 1000, (increment or 0) / 1000, self.movestogo, overhead)

    @property
    def by_clock(self) -> bool:
        """Whether time saved on this move can be used later."""
        return self.movetime is None and not self.infinite


def parse_go(words: list[str], position: Position) -> tuple[Go, list[str]]:
    """The limits, and a complaint about each word that can't be read. If none can be read, the limit is one second."""
    found: dict[str, Any] = {}
    complaints, moves = list[str](), list[int]()
    at = 0
    while at < len(words):
        word, at = words[at], at + 1
        if word in ("infinite", "ponder"):
            found[word] = True
        elif word == "searchmoves":
            while at < len(words) and words[at] not in KNOWN:
                try:
                    moves.append(position.action(words[at]))
                except PlayoutError as error:
                    complaints.append(f"searchmoves: {error}")
                at += 1
        elif word in NUMBERS and word != "perft":
            text = words[at] if at < len(words) else ""
            number = whole(text)
            if number is None:
                complaints.append(f"go {word} is '{text}', expected a whole number; ignored")
                at += text not in KNOWN and text != ""
            else:
                found[word], at = max(number, 1 if word in AT_LEAST_ONE else 0), at + 1
        else:
            complaints.append(f"go: unknown limit '{word}', ignored")
    if complaints and not found and not moves:
        found["movetime"] = 1000
    if found.get("movestogo") == 0:
        del found["movestogo"]
    return Go(**found, searchmoves=tuple(dict.fromkeys(moves))), complaints


@dataclass
class GoJob:
    """One `go` in progress. Times are those of `time.perf_counter`."""

    go: Go
    options: dict[str, Any]
    settings: Settings
    start: str
    moves: list[str]
    position: Position
    began: float
    stopped: threading.Event = field(default_factory=threading.Event)
    hit: threading.Event = field(default_factory=threading.Event)  # set when not pondering, or no longer
    deadline: float = math.inf

    @property
    def hash_bytes(self) -> int:
        """The option Hash in bytes."""
        return int(self.options["Hash"]) << 20

    def set_deadline(self, since: float) -> None:
        """Start the clock: the search ends when the time for this move, counted from `since`, is used up."""
        seconds = self.go.seconds(int(self.position.state.turn), self.options["Move Overhead"] / 1000)
        self.deadline = since + seconds if seconds is not None else math.inf
