"""The UCI protocol around `Search`: commands in, lines out, options, time. Nothing here searches.

The search runs in a thread of its own, in slices of a hundredth of a second that let go of Python's lock, so that
`isready` and `stop` are answered while it works. A search belongs to that thread until its `bestmove` is out.
"""

import copy
import math
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from playout.common.version import __version__
from playout.core.jit import COMPILED
from playout.errors import PlayoutError, PositionError, SettingsError
from playout.evaluators import Evaluator
from playout.game import Game, Position
from playout.games.chess import Chess
from playout.games.chess.board import CHECKMATE, GOES_ON, STALEMATE
from playout.games.chess.ends import find_end
from playout.play.clock import seconds_for_move
from playout.search import Search
from playout.search.lines import MOST as LINE_LENGTH
from playout.search.result import ActionStats, Result
from playout.settings import Network, Settings

from .options import options_for, search_settings, whole

INFO_SECONDS = 0.25  # between two reports
CHECK_SECONDS = 0.05  # between two looks at the expected line, for `go depth` and `go mate`
FEW = 32  # simulations that even a flag about to fall leaves time for
LONGEST = 400  # characters of an `info string`
FULL_SHARE = 0.75  # a kept tree that fills more of the hash than this leaves too little to search with: plant anew
COPY_BYTES = (
    100e6  # of a tree that playing on copies in a second, on a busy machine: a fast move can't afford a big one
)


# Scores.


def centipawns(value: float) -> int:
    """A value from -1 to 1 on the scale of pawns, as Leela Chess Zero maps it: 111.7 tan(1.562 value).

    >>> centipawns(0.0), centipawns(0.5), centipawns(-1.0)
    (0, 111, -12800)
    """
    return round(max(-12800.0, min(12800.0, 111.714640912 * math.tan(1.5620688421 * max(-1.0, min(1.0, value))))))


def win_draw_loss(value: float) -> tuple[int, int, int]:
    """A value as chances in thousandths. The search keeps one number; this is the split of two independent halves that
    has it as its mean: win ((1 + v) / 2)^2, loss ((1 - v) / 2)^2, and a draw for the rest.

    >>> win_draw_loss(0.0), win_draw_loss(0.6), win_draw_loss(-1.0)
    ((250, 500, 250), (640, 320, 40), (0, 0, 1000))
    """
    value = max(-1.0, min(1.0, value))
    win, loss = round(250 * (1 + value) ** 2), round(250 * (1 - value) ** 2)
    return win, 1000 - win - loss, loss


# Going.


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
            return max(0.001, self.movetime / 1000 - min(overhead, self.movetime / 2000))
        clock, increment = (self.wtime, self.winc) if player == 0 else (self.btime, self.binc)
        if clock is None:
            return None
        return seconds_for_move(clock / 1000, (increment or 0) / 1000, self.movestogo, overhead)

    @property
    def by_clock(self) -> bool:
        return self.movetime is None and not self.infinite


NUMBERS = ("nodes", "movetime", "wtime", "btime", "winc", "binc", "movestogo", "depth", "mate", "perft")


def parse_go(words: list[str], position: Position) -> tuple[Go, list[str]]:
    """The limits, and a complaint about each word that is none. Where only nonsense came, a second is the limit."""
    found: dict[str, Any] = {}
    complaints, moves, known = list[str](), list[int](), {*NUMBERS, "infinite", "ponder", "searchmoves"}
    at = 0
    while at < len(words):
        word, at = words[at], at + 1
        if word in ("infinite", "ponder"):
            found[word] = True
        elif word == "searchmoves":
            while at < len(words) and words[at] not in known:
                try:
                    moves.append(position.action(words[at]))
                except PlayoutError as error:
                    complaints.append(f"searchmoves: {error}")
                at += 1
        elif word in NUMBERS and word != "perft":
            text = words[at] if at < len(words) else ""
            number = whole(text)
            if number is None:
                complaints.append(f"go {word} is '{text}', expected a whole number; it is ignored")
                at += text not in known and text != ""
            else:
                found[word], at = max(number, 1 if word in ("nodes", "depth", "mate") else 0), at + 1
        else:
            complaints.append(f"go: '{word}' is no limit; it is ignored")
    if complaints and not found and not moves:
        found["movetime"] = 1000
    if found.get("movestogo") == 0:
        del found["movestogo"]
    return Go(**found, searchmoves=tuple(dict.fromkeys(moves))), complaints


@dataclass
class Job:
    """One `go` under way. Times are those of `time.perf_counter`."""

    go: Go
    options: dict[str, Any]
    settings: Settings
    start: str
    moves: list[str]
    position: Position
    began: float
    stopped: threading.Event = field(default_factory=threading.Event)
    hit: threading.Event = field(default_factory=threading.Event)  # no pondering, or no more of it
    deadline: float = math.inf


@dataclass
class Kept:
    """The search of the last `go`, and what it belongs to."""

    search: Search
    start: str
    moves: list[str]
    only: tuple[int, ...]


class Engine:
    """Reads commands by `command` and writes lines by `write`, from two threads but never at once."""

    def __init__(self, write: Callable[[str], None], game: Game | None = None, network: str = "") -> None:
        self.game = self._plain = game or Chess()
        self._write, self._writing = write, threading.Lock()
        self.options = options_for(self.game)
        self.values = {name: o.default for name, o in self.options.items() if o.kind != "button"}
        self.debug = False
        self.kept: Kept | None = None
        self.before: Kept | None = None  # its tree before the move that was pondered on
        self.job: Job | None = None
        self._worker: threading.Thread | None = None
        self._warm: Settings | None = None  # the settings whose code is compiled
        self._warming: threading.Thread | None = None
        self.start, self.moves, self.replayed = "startpos", list[str](), self._replay("startpos")
        if network:
            self.values["Network"] = network
            self._check_settings()

    # Commands.

    def run(self, lines: Iterable[bytes]) -> None:
        """Obey until `quit` or the end of the input. The compiler begins at once, in the background."""
        self._warming = threading.Thread(target=self._warm_up, daemon=True)
        self._warming.start()
        try:
            for line in lines:
                if not self.command(line.decode("utf-8", "replace")):
                    break
        finally:
            self._halt()
            self._join_warming()  # to end in the middle of the compiler's work is not safe

    def command(self, line: str) -> bool:
        """One line; False after `quit`. Words before a command are skipped, as the protocol asks."""
        words = line.split()
        names = [w for w in words if w in COMMANDS]
        if not names:
            if words:
                self.note(f"unknown command: {line.strip()}")
            return True
        words = words[words.index(names[0]) + 1 :]
        if names[0] == "quit":
            return False
        try:
            COMMANDS[names[0]](self, words)
        except PlayoutError as error:
            self.note(str(error))
        except Exception as error:  # noqa: BLE001  # an engine that dies loses the game
            self.note(f"{names[0]} failed: {type(error).__name__}: {error}")
        return True

    def do_uci(self, words: list[str]) -> None:
        self.say(f"id name Playout {__version__}")
        self.say("id author the Playout authors")
        for name, option in self.options.items():
            self.say(option.line(name))
        self.say("uciok")

    def do_debug(self, words: list[str]) -> None:
        self.debug = words[:1] != ["off"]

    def do_isready(self, words: list[str]) -> None:
        if not self._at_work():
            self._get_ready()
        self.say("readyok")

    def do_setoption(self, words: list[str]) -> None:
        text = " ".join(words)
        if not text.startswith("name "):
            raise SettingsError(f"can't read 'setoption {text}', expected setoption name … value …")
        given, _, value = text.removeprefix("name ").partition(" value ")
        given = given.removesuffix(" value")
        name = next((n for n in self.options if n.lower() == given.strip().lower()), None)
        if name is None:
            raise SettingsError(f"no option '{given}' (there are: {', '.join(self.options)})")
        if name == "Clear Hash":
            self._halt()
            self.kept = self.before = None
            return
        before = self.values[name]
        self.values[name] = self.options[name].value(name, value.strip())
        try:
            self._check_settings()
        except PlayoutError:
            self.values[name] = before
            raise

    def do_ucinewgame(self, words: list[str]) -> None:
        self._halt()
        self.kept = self.before = None
        self._get_ready()

    def do_position(self, words: list[str]) -> None:
        self._halt()
        self._join_warming()
        at = words.index("moves") if "moves" in words else len(words)
        start, moves = " ".join(words[:at]), words[at + 1 :]
        if words[:1] == ["fen"] and "/" in start:
            start = start.removeprefix("fen").strip()
        elif start != "startpos":
            raise PositionError(f"can't read 'position {start}', expected position startpos, or position fen …")
        known = len(self.moves)
        if start == self.start and moves[:known] == self.moves:
            replayed, fresh = self.replayed, moves[known:]
        else:
            replayed, fresh = self._replay(start), moves
        for move in fresh:
            replayed = replayed.play(replayed.action(move))
        self.start, self.moves, self.replayed = start, moves, replayed

    def do_go(self, words: list[str]) -> None:
        began = time.perf_counter()
        self._halt()
        self._get_ready()
        go, complaints = parse_go(words, self.replayed)
        for complaint in complaints:
            self.note(complaint)
        position = _to_search(self.replayed)
        job = Job(go, dict(self.values), self.settings(), self.start, self.moves, position, began)
        if not go.ponder:
            job.hit.set()
            self._set_deadline(job, began)
        self.job = job
        self._worker = threading.Thread(target=self._think, args=(job,), daemon=True)
        self._worker.start()

    def do_stop(self, words: list[str]) -> None:
        if self.job:
            self.job.stopped.set()

    def do_ponderhit(self, words: list[str]) -> None:
        if self.job and not self.job.hit.is_set():
            self._set_deadline(self.job, time.perf_counter())
            self.job.hit.set()

    def do_d(self, words: list[str]) -> None:
        for line in self.replayed.show().splitlines():
            self.say(line)
        self.say(f"Fen: {self.replayed.text}")

    # What they are made of.

    def say(self, line: str) -> None:
        with self._writing:
            self._write(line)

    def note(self, text: str) -> None:
        plain = " ".join(text.split())
        self.say(f"info string {plain[:LONGEST]}{'…' if len(plain) > LONGEST else ''}")

    def _check_settings(self) -> None:
        """Refuse settings that can't be searched with; see the game as a network does, where there is one."""
        settings, game = self.settings(), self._plain
        settings.params(game)
        if isinstance(settings.evaluator, Network):
            game = Evaluator(settings.evaluator, game).game
        if type(game) is not type(self.game):
            self._halt()
            self._join_warming()
            self.game, self.kept, self.before = game, None, None
            self.replayed = self._replay(self.start)
            for move in self.moves:
                self.replayed = self.replayed.play(self.replayed.action(move))

    def settings(self) -> Settings:
        """What the engine searches with now."""
        return search_settings(self.values, self.game)

    def _replay(self, start: str) -> Position:
        """A starting position in which no rule of draws has ended the game: a GUI may go on where one could claim."""
        position = type(self.game)(claims=-1).position(start)
        return Position(self.game, position.buffer)

    def _at_work(self) -> bool:
        return self._worker is not None and self._worker.is_alive()

    def _halt(self) -> None:
        """End the search, if there is one, and wait for its `bestmove`."""
        if self.job and self._worker:
            self.job.stopped.set()
            self._worker.join()
        self.job = self._worker = None

    def _join_warming(self) -> None:
        if self._warming:
            self._warming.join()
            self._warming = None

    def _get_ready(self) -> None:
        """Wait for the compiler, here and not on the clock."""
        self._join_warming()
        if self._warm != self.settings():
            self._warm_up()

    def _warm_up(self) -> None:
        settings = self.settings()
        if not COMPILED:
            self._warm = settings
            return
        try:
            search = Search(self.game, settings)
            result = search.run(FEW, bytes=1 << 24)
            search.is_decided(1)
            search.play(result.best if result.best is not None else result.actions[0].action)
            search.run(FEW)
            _to_search(Position(self.game, search.position.buffer))
            self._warm = settings
        except PlayoutError as error:
            self.note(str(error))

    def _set_deadline(self, job: Job, since: float) -> None:
        seconds = job.go.seconds(int(job.position.state.turn), job.options["Move Overhead"] / 1000)
        job.deadline = since + seconds if seconds is not None else math.inf

    # In the search's own thread.

    def _think(self, job: Job) -> None:
        """From `go` to `bestmove`, whatever happens on the way."""
        move, answer = "(none)", ""
        try:
            if job.position.is_terminal:
                mated = job.position.state.over == CHECKMATE
                self.say(f"info depth 0 score {'mate 0' if mated else 'cp 0'}")
                self._wait(job)
            else:
                move = job.position.action_text(job.position.actions()[0])
                move, answer = self._best(job, self._searched(job))
        except Exception as error:  # noqa: BLE001  # an engine that dies loses the game
            self.kept = self.before = None
            self._try_to_say(f"info string the search failed: {' '.join(str(error).split())[:LONGEST]}")
        self._try_to_say(f"bestmove {move}{f' ponder {answer}' if answer else ''}")

    def _try_to_say(self, line: str) -> None:
        try:
            self.say(line)
        except (OSError, ValueError):  # nobody listens any more
            if self.job:
                self.job.stopped.set()

    def _searched(self, job: Job) -> "Report":
        """Run the search until the job is done, reporting on the way."""
        search = self._tree(job)
        report = Report(search, job, search.simulations)
        single = len(search.position.actions()) == 1 or len(job.go.searchmoves) == 1
        last = [time.perf_counter(), 0.0]  # the times of the last report and of the last look at the line

        def watch(search: Search, share: float) -> None:
            now = time.perf_counter()
            if job.stopped.is_set():
                search.stop()
            elif job.hit.is_set():
                done, left = search.simulations - report.before, job.deadline - now
                may_save = job.go.by_clock and left < math.inf
                more = int(done / max(1e-3, now - job.began) * left) + 1 if may_save else 0
                if done >= FEW and (left <= 0.0 or (may_save and (single or search.is_decided(more)))):
                    search.stop()
            fresh = search.simulations - report.before >= FEW
            if (job.go.depth or job.go.mate) and fresh and now - last[1] >= CHECK_SECONDS:
                last[1] = now
                if _is_reached(search, job.go):
                    search.stop()
            if now - last[0] >= INFO_SECONDS and search.simulations > report.before:
                last[0] = now
                self._tell(report, search.result())

        limits: dict[str, Any] = {"bytes": job.options["Hash"] << 20, "progress": watch}
        if job.go.nodes:
            limits["simulations"] = job.go.nodes
        if job.hit.is_set() and job.deadline < math.inf:
            limits["seconds"] = max(0.001, job.deadline - time.perf_counter())
        result = search.run(**limits)
        if result.best is None:  # with a network, the first simulation is the root's own: one more takes its favourite
            result = search.run(1 if search.simulations > report.before else FEW)
        if self.debug:
            self.note(f"stopped by {result.stopped_by} after {result.simulations} simulations")
        self._wait(job)
        report.result = result
        return report

    def _wait(self, job: Job) -> None:
        """An answer to `go infinite` or `go ponder` has to wait until it is asked for."""
        while not job.stopped.is_set() and (job.go.infinite or not job.hit.is_set()):
            job.stopped.wait(0.005)

    def _tree(self, job: Job) -> Search:
        """The tree of the last search, played on to this position, or a new one where it does not lead here."""
        trees, self.kept, self.before = (self.kept, self.before), None, None
        search = next((found for tree in trees if tree and (found := self._played_on(tree, job))), None)
        if search is None:
            only = job.go.searchmoves or None
            search = Search(self.game, job.settings, position=job.position, seed=job.options["Seed"], only=only)
        elif self.debug:
            self.note(f"tree kept: {search.result().visits} visits")
        self.kept = Kept(search, job.start, list(job.moves), job.go.searchmoves)
        return search

    def _played_on(self, kept: Kept, job: Job) -> Search | None:
        """A tree played on to the job's position; None where it does not lead there, or would not pay."""
        search, known, hash_bytes = kept.search, len(kept.moves), job.options["Hash"] << 20
        if kept.start != job.start or job.moves[:known] != kept.moves or search.settings != job.settings:
            return None
        fresh = job.moves[known:]
        if fresh and search.result().bytes > COPY_BYTES * (job.deadline - job.began):
            return None
        try:
            for number, move in enumerate(fresh, start=1):
                if job.go.ponder and number == len(fresh) and search.result().bytes <= hash_bytes // 2:
                    # What is pondered on may not come: another answer lies in the tree of before. Playing on makes
                    # new arrays, so that this costs memory alone.
                    self.before = Kept(copy.copy(search), job.start, job.moves[:-1], ())
                search.play(move)
        except PlayoutError:  # past an end that nobody claimed
            return None
        restricted = kept.only if not fresh else ()
        here = np.array_equal(search.position.buffer, job.position.buffer)
        if search.seed != job.options["Seed"] or restricted != job.go.searchmoves or not here:
            return None
        return search if search.result().bytes <= FULL_SHARE * hash_bytes else None

    def _best(self, job: Job, report: "Report") -> tuple[str, str]:
        """The last report, the move, and the answer to expect."""
        result = report.result or report.search.result()
        lines = self._tell(report, result)
        chosen, line = lines[0]
        temperature = job.options["Temperature"] / 100
        if temperature > 0 and chosen.proven is None:
            drawn = result.stats(result.choose(temperature))
            chosen, line = (drawn, drawn.line) if drawn.proven != -1.0 else (chosen, line)
        texts = result.line_text(line[:2])
        return chosen.text, texts[1] if len(texts) > 1 else ""

    def _tell(self, report: "Report", result: Result) -> list[tuple[ActionStats, tuple[int, ...]]]:
        """Write the `info` lines, best move first; returns the moves with their lines."""
        lines = ranked(report.search, result)
        for number, (stats, line) in enumerate(lines[: report.job.options["MultiPV"]], start=1):
            self.say(report.line(result, stats, line, number))
        return lines


@dataclass
class Report:
    """What the `info` lines of one `go` are made from."""

    search: Search
    job: Job
    before: int  # simulations that were there already
    result: Result | None = None

    def line(self, result: Result, stats: ActionStats, line: tuple[int, ...], number: int) -> str:
        seconds = max(1e-3, time.perf_counter() - self.job.began)
        nodes = self.search.simulations - self.before
        value = stats.value if stats.value is not None else result.value
        if stats.proven in (-1.0, 1.0):
            moves = (len(line) + 1) // 2 if stats.proven > 0 else -(len(line) // 2)
            score = f"mate {moves}"
        else:
            score = f"cp {centipawns(value)}"
        if self.job.options["UCI_ShowWDL"]:
            score += " wdl {} {} {}".format(*win_draw_loss(value))
        full = min(1000, 1000 * result.bytes // (self.job.options["Hash"] << 20))
        return (
            f"info depth {len(line)} seldepth {max(len(line), result.max_depth)} multipv {number} score {score} "
            f"nodes {nodes} nps {round(nodes / seconds)} hashfull {full} time {round(1000 * seconds)} "
            f"pv {' '.join(result.line_text(line))}"
        )


def ranked(search: Search, result: Result) -> list[tuple[ActionStats, tuple[int, ...]]]:
    """The root's moves, each with its line: the shortest proven wins, then the answer, then by visits, then losses, the
    longest first."""

    def rank(found: tuple[ActionStats, tuple[int, ...]]) -> tuple[float, ...]:
        stats, line = found
        if stats.proven == 1.0:
            return (0, len(line))
        if stats.proven == -1.0:
            return (2, -len(line))
        return (1, stats.action != result.best, -stats.visits)

    lines = [(s, (search.proven_line(s.action) if s.proven in (-1.0, 1.0) else ()) or s.line) for s in result.actions]
    return sorted(lines, key=rank)


def _is_reached(search: Search, go: Go) -> bool:
    """Whether the expected line is as long, or a proven mate as short, as `go` wants it."""
    result = search.result()
    if go.depth and len(result.line) >= min(go.depth, LINE_LENGTH):
        return True
    line = search.proven_line(result.best) if go.mate and result.best is not None else ()
    return bool(go.mate and line and result.stats(line[0]).proven == 1.0 and len(line) <= 2 * go.mate - 1)


def _to_search(replayed: Position) -> Position:
    """A position as the search plays it: draws are claimed from here on, but the root itself goes on if it has a move.

    Where a claim could have ended the game already, draws end it only where nobody has to claim them; where even that
    is past, at the next move.
    """
    for claims in (1, 0):
        position = Position(replayed.game, replayed.buffer.copy())
        state = position.state
        state.claims = claims
        with np.errstate(over="ignore"):
            state.over = find_end(state)
        if state.over in (GOES_ON, CHECKMATE, STALEMATE):
            return position
    state.over = GOES_ON
    return position


COMMANDS: dict[str, Callable[[Engine, list[str]], None]] = {
    "uci": Engine.do_uci,
    "debug": Engine.do_debug,
    "isready": Engine.do_isready,
    "setoption": Engine.do_setoption,
    "ucinewgame": Engine.do_ucinewgame,
    "position": Engine.do_position,
    "go": Engine.do_go,
    "stop": Engine.do_stop,
    "ponderhit": Engine.do_ponderhit,
    "d": Engine.do_d,
    "quit": Engine.do_stop,
}
