"""From `go` to `bestmove`: runs in a thread of its own, which owns the search until its `bestmove` is out."""

import math
import time
from typing import Any

from playout.errors import SettingsError
from playout.search import Search
from playout.search.lines import MOST as LINE_LENGTH
from playout.search.result import Result
from playout.settings import Settings

from .go import Go, GoJob
from .info import InfoLines, Output, as_note
from .positions import is_mate
from .trees import KeptTrees

INFO_SECONDS = 0.25  # between two rounds of `info` lines
CHECK_SECONDS = 0.05  # between two looks at the expected line, for `go depth` and `go mate`
FEW = 32  # simulations that are run even if the time is up


def few_at(search: Search) -> int:
    """A few simulations, but enough for a root that has to compare all moves."""
    return max(FEW, len(search.position.actions()) + 1)


class Thinker:
    """Searches for one `go` after another, and keeps the trees."""

    def __init__(self, output: Output) -> None:
        self.output, self.trees = output, KeptTrees()

    def think(self, job: GoJob) -> None:
        """Answer a `go` with `bestmove`, whatever happens."""
        move, answer = "(none)", ""
        try:
            if job.position.is_terminal:
                self.output.say(f"info depth 0 score {'mate 0' if is_mate(job.position) else 'cp 0'}")
                _wait(job)
            else:
                move = job.position.action_text(job.position.actions()[0])
                move, answer = self._search(job)
        except Exception as error:  # noqa: BLE001  # an engine that dies loses the game
            self.trees.clear()
            self._try_to_say(as_note(f"the search failed: {error}"), job)
        self._try_to_say(f"bestmove {move}{f' ponder {answer}' if answer else ''}", job)

    def _try_to_say(self, line: str, job: GoJob) -> None:
        try:
            self.output.say(line)
        except (OSError, ValueError):  # the other end is closed
            job.stopped.set()

    def _search(self, job: GoJob) -> tuple[str, str]:
        """Search until the job is done; the best move and the expected reply."""
        search = self._tree(job)
        try:
            return self._run(job, search)
        except SettingsError as error:  # `go nodes` may be too few for the plan of `root`
            if job.settings.root is None:
                raise
            self.output.note(f"{error}; this search is by the policy alone")
            return self._run(job, self._new_tree(job, job.settings.replace(root=None)))

    def _run(self, job: GoJob, search: Search) -> tuple[str, str]:
        lines = InfoLines(search, job, search.simulations)
        limits: dict[str, Any] = {"bytes": job.hash_bytes, "progress": _Progress(lines, self.output)}
        if job.go.nodes:
            limits["simulations"] = job.go.nodes
        if job.hit.is_set() and job.deadline < math.inf:
            limits["seconds"] = max(0.001, job.deadline - time.perf_counter())
        result = search.run(**limits)
        if result.best is None:  # with a network, the first simulation only evaluates the root
            result = search.run(1 if search.simulations > lines.before else few_at(search))
        self.output.note_debug(f"stopped by {result.stopped_by} after {result.simulations} simulations")
        _wait(job)
        return self._choose(lines, result)

    def _tree(self, job: GoJob) -> Search:
        """The tree of an earlier search that leads to this position, or a new one."""
        search = self.trees.take(job)
        if search is None:
            search = self._new_tree(job, job.settings)
        else:
            self.output.note_debug(f"tree kept: {search.result().visits} visits")
        self.trees.keep(search, job)
        return search

    def _new_tree(self, job: GoJob, settings: Settings) -> Search:
        only, seed = job.go.searchmoves or None, job.options["Seed"]
        return Search(job.position.game, settings, position=job.position, seed=seed, only=only)

    def _choose(self, lines: InfoLines, result: Result) -> tuple[str, str]:
        """Write the last `info` lines; the move to play and the expected reply."""
        chosen, line = lines.write(self.output, result)[0]
        temperature = lines.job.options["Temperature"] / 100
        if temperature > 0 and chosen.proven is None:
            drawn = result.stats(result.choose(temperature))
            chosen, line = (drawn, drawn.line) if drawn.proven != -1.0 else (chosen, line)
        texts = result.line_text(line[:2])
        return chosen.text, texts[1] if len(texts) > 1 else ""


class _Progress:
    """Called between slices of the search: stops it when the job is done, and writes `info` lines."""

    def __init__(self, lines: InfoLines, output: Output) -> None:
        self.lines, self.job, self.output = lines, lines.job, output
        search = lines.search
        self.single = len(search.position.actions()) == 1 or len(self.job.go.searchmoves) == 1
        self.told, self.checked = time.perf_counter(), 0.0

    def __call__(self, search: Search, share: float) -> None:
        now, done = time.perf_counter(), search.simulations - self.lines.before
        if self.job.stopped.is_set() or (self.job.hit.is_set() and self._is_time(search, done, now)):
            search.stop()
        if (self.job.go.depth or self.job.go.mate) and done >= FEW and now - self.checked >= CHECK_SECONDS:
            self.checked = now
            if _is_reached(search, self.job.go):
                search.stop()
        if now - self.told >= INFO_SECONDS and done > 0:
            self.told = now
            self.lines.write(self.output, search.result())

    def _is_time(self, search: Search, done: int, now: float) -> bool:
        """Whether the time is up, or the answer is certain and the rest of the time can be saved for later moves."""
        left = self.job.deadline - now
        if done < FEW:
            return False
        if left <= 0.0:
            return True
        if not self.job.go.by_clock or left == math.inf:
            return False
        more = int(done / max(1e-3, now - self.job.began) * left) + 1
        return self.single or search.is_decided(more)


def _wait(job: GoJob) -> None:
    """Hold back the answer to `go infinite` or `go ponder` until the chess program asks for it."""
    while not job.stopped.is_set() and (job.go.infinite or not job.hit.is_set()):
        job.stopped.wait(0.005)


def _is_reached(search: Search, go: Go) -> bool:
    """Whether the expected line is as long, or a proven mate as short, as `go` asks for."""
    result = search.result()
    if go.depth and len(result.line) >= min(go.depth, LINE_LENGTH):
        return True
    line = search.proven_line(result.best) if go.mate and result.best is not None else ()
    return bool(go.mate and line and result.stats(line[0]).proven == 1.0 and len(line) <= 2 * go.mate - 1)
