"""What the engine writes: lines, `info` lines about a search, and values on the scales of chess programs."""

import math
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from playout.report.words import parts_of
from playout.search import Search
from playout.search.result import ActionStats, Result

from .go import GoJob

LONGEST = 400  # characters of an `info string`
RankedMove = tuple[ActionStats, tuple[int, ...]]  # a move at the root, and its expected line


class Output:
    """Writes lines for the chess program, one at a time, from any thread."""

    def __init__(self, write: Callable[[str], None]) -> None:
        self._write, self._lock = write, threading.Lock()
        self.debug = False

    def say(self, line: str) -> None:
        """Write one line of the protocol."""
        with self._lock:
            self._write(line)

    def note(self, text: str) -> None:
        """Write a message for people."""
        self.say(as_note(text))

    def note_debug(self, text: str) -> None:
        """Write a message if the chess program asked for them with `debug on`."""
        if self.debug:
            self.note(text)


def as_note(text: str) -> str:
    """A message as an `info string`, on one line and not too long."""
    plain = " ".join(text.split())
    return f"info string {plain[:LONGEST]}{'…' if len(plain) > LONGEST else ''}"


def centipawns(value: float) -> int:
    """A value from -1 to 1 on the scale of pawns, as Leela Chess Zero maps it: 111.7 tan(1.562 value).

    >>> centipawns(0.0), centipawns(0.5), centipawns(-1.0)
    (0, 111, -12800)
    """
    return round(max(-12800.0, min(12800.0, 111.714640912 * math.tan(1.5620688421 * max(-1.0, min(1.0, value))))))


def win_draw_loss(value: float) -> tuple[int, int, int]:
    """A value as chances in thousandths, where the search does not count results (the setting `wdl`): the split of two
    independent halves whose mean it is: win ((1 + v) / 2)^2, loss ((1 - v) / 2)^2, and a draw for the rest.

    >>> win_draw_loss(0.0), win_draw_loss(0.6), win_draw_loss(-1.0)
    ((250, 500, 250), (640, 320, 40), (0, 0, 1000))
    """
    value = max(-1.0, min(1.0, value))
    win, loss = round(250 * (1 + value) ** 2), round(250 * (1 - value) ** 2)
    return win, 1000 - win - loss, loss


def ranked(search: Search, result: Result) -> list[RankedMove]:
    """The moves at the root with their lines: proven wins, the shortest first; then the answer; then the others by
    visits; then proven losses, the longest first."""

    def rank(found: RankedMove) -> tuple[float, ...]:
        stats, line = found
        if stats.proven == 1.0:
            return (0, len(line))
        if stats.proven == -1.0:
            return (2, -len(line))
        return (1, stats.action != result.best, -stats.visits)

    lines = [(s, (search.proven_line(s.action) if s.proven in (-1.0, 1.0) else ()) or s.line) for s in result.actions]
    return sorted(lines, key=rank)


@dataclass
class InfoLines:
    """The `info` lines of one `go`."""

    search: Search
    job: GoJob
    before: int  # simulations that the tree had when `go` came

    def write(self, output: Output, result: Result) -> list[RankedMove]:
        """Write a line for each of the best moves; returns all moves, the best first."""
        moves = ranked(self.search, result)
        for number, (stats, line) in enumerate(moves[: self.job.options["MultiPV"]], start=1):
            output.say(self.line(result, stats, line, number))
        return moves

    def line(self, result: Result, stats: ActionStats, line: tuple[int, ...], number: int) -> str:
        """The `info` line of one move."""
        seconds = max(1e-3, time.perf_counter() - self.job.began)
        nodes = self.search.simulations - self.before
        value = stats.value if stats.value is not None else result.value
        if stats.proven in (-1.0, 1.0):
            moves = (len(line) + 1) // 2 if stats.proven > 0 else -(len(line) // 2)
            score = f"mate {moves}"
        else:
            score = f"cp {centipawns(value)}"
        if self.job.options["UCI_ShowWDL"]:
            counted = stats.wdl if stats.visits and stats.proven is None else None
            score += " wdl {} {} {}".format(*(parts_of(counted, 1000) if counted else win_draw_loss(value)))
        full = min(1000, 1000 * result.bytes // self.job.hash_bytes)
        return (
            f"info depth {len(line)} seldepth {max(len(line), result.max_depth)} multipv {number} score {score} "
            f"nodes {nodes} nps {round(nodes / seconds)} hashfull {full} time {round(1000 * seconds)} "
            f"pv {' '.join(result.line_text(line))}"
        )
