"""Collects findings: one for each mistake in each rule, with the first position that showed it."""

import contextlib
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from playout.common.raised import described
from playout.core.watchdog import NeverReturnedError, Watchdog
from playout.game import Game
from playout.game.faults import rule_origin

from .findings import Finding, GameCounts, Report, numbers, spread

CLOSE = 1e-6

Moves = list[tuple[Any, Any, tuple[float, ...]]]  # a game: each state, the action played there, and its rewards


class BrokenOffError(Exception):
    """This game can't continue; the reason is noted."""


class Notes:
    """The findings so far. `where` is a state's buffer or an object; `text` and `action_text` turn it into text."""

    def __init__(self, game: Game, watchdog: Watchdog, mistakes: dict[str, tuple[str, str, str]]) -> None:
        self.game, self.watchdog, self.mistakes = game, watchdog, mistakes
        self.findings: dict[tuple[str, str, str], Finding] = {}
        self.text: Callable[[Any], str] = str
        self.action_text: Callable[[Any, Any], str] = lambda where, action: str(action)

    def note(
        self,
        code: str,
        rule: str,
        where: Any = None,
        action: Any = None,
        *,
        level: str = "error",
        kind: str = "",
        position: str | None = None,  # the text of `where`, if it has changed since
        **facts: Any,
    ) -> None:
        """Note a mistake; one that is known already is only counted."""
        key = (code, rule, kind)
        if key in self.findings:
            found = self.findings[key]
            self.findings[key] = replace(found, count=found.count + 1, level=min(found.level, level))
            return
        what, cause, fix = (text.format(**facts) for text in self.mistakes[code])
        if position is None:
            position = "" if where is None else self.position_text(where)
        named = "" if action is None or where is None else self.action_name(where, action)
        self.findings[key] = Finding(code, rule, what, cause, fix, position, named, level)

    def fail(self, *arguments: Any, **facts: Any) -> None:
        """Note a mistake, and end this game."""
        self.note(*arguments, **facts)
        raise BrokenOffError from None

    def raised(self, rule: str, error: BaseException, where: Any = None, action: Any = None, code: str = "") -> None:
        """Note an exception, and end this game."""
        _, line = rule_origin(self.game, error)
        if isinstance(error, NeverReturnedError):
            self.fail("never-returns", rule, where, action, seconds=self.watchdog.seconds, place=line)
        self.fail(code or "raises", rule, where, action, kind=line, error=described(error), place=line)

    def has(self, code: str, rule: str, kind: str = "") -> bool:
        """Whether a mistake is noted already."""
        return (code, rule, kind) in self.findings

    def position_text(self, where: Any) -> str:
        """A position in a message."""
        text = self._written(self.text, where)
        return "?" if text is None else shorten(text) or "the start"

    def action_name(self, where: Any, action: Any) -> str:
        """An action in a message."""
        text = self._written(self.action_text, where, action)
        return shorten(text) if text is not None else shorten(str(action))

    def _written(self, write: Callable[..., str], *arguments: Any) -> str | None:
        with contextlib.suppress(Exception, NeverReturnedError):  # the user's own function
            text = self.watchdog.call(write, *arguments)
            return text if isinstance(text, str) else None
        return None


class Returns:
    """Adds up the rewards of finished games, and checks them against `value_range` and `returns_sum`."""

    def __init__(self, notes: Notes) -> None:
        self.notes, self.game = notes, notes.game
        self.results: Counter[tuple[float, ...]] = Counter()
        self.sums: set[float] = set()

    def add(self, path: Moves, rule: str) -> None:
        """Check the returns from each position on. The last wrong one is noted: it is closest to the cause."""
        returns = list(accumulate((np.asarray(rewards, float) for *_, rewards in reversed(path)), np.add))
        if not returns:
            return
        self.results[tuple(round(float(value), 9) + 0.0 for value in returns[-1])] += 1
        self.sums.update(round(float(values.sum()), 6) + 0.0 for values in returns)
        (least, most), expected = self.game.range or (-np.inf, np.inf), self.game.sums_to
        close = CLOSE * max(1.0, *(abs(float(value)) for value in returns[-1]))
        for (where, action, _), values in zip(reversed(path), returns, strict=True):
            total, shown = float(values.sum()), numbers(values.tolist())
            if expected is not None and abs(total - expected) > close:
                facts: dict[str, Any] = {"total": total, "expected": expected, "instead": "{instead}"}
                self.notes.note("returns-sum", rule, where, action, values=shown, **facts)
                break
            if values.min() < least - close or values.max() > most + close:
                self.notes.note("value-range", rule, where, action, values=shown, least=least, most=most)
                break

    def look_at_value(self, rule: str, where: Any, values: tuple[float, ...]) -> None:
        """Check a static value for each player: it must be a possible return."""
        (least, most), expected = self.game.range or (-np.inf, np.inf), self.game.sums_to
        for value in values:
            if not (least - CLOSE <= value <= most + CLOSE and np.isfinite(value)):
                self.notes.fail("bad-value", rule, where, value=value, least=least, most=most)
        total = math.fsum(values)
        if expected is not None and abs(total - expected) > CLOSE * max(1.0, *map(abs, values)):
            facts = {"values": numbers(values), "total": total, "expected": expected}
            self.notes.fail("value-sum", rule, where, **facts)

    def ranked(self) -> tuple[tuple[tuple[float, ...], int], ...]:
        """The returns of whole games and how often they occurred, the most frequent first."""
        return tuple(sorted(self.results.items(), key=lambda item: (-item[1], item[0])))

    def report(self, counts: GameCounts, uncompiled: int | None, speed: float | None) -> Report:
        """The report on the games played; `uncompiled` positions, playouts per second."""
        return Report(
            game=self.game.title,
            findings=self.findings(),
            games=counts.games,
            positions=counts.positions,
            positions_uncompiled=uncompiled,
            length=spread(counts.lengths),
            branching=spread(counts.branching),
            max_actions=self.game.max_actions,
            players=self.game.players,
            results=self.ranked(),
            playouts_per_second=speed,
        )

    def findings(self) -> tuple[Finding, ...]:
        """All findings, errors first; those about sums say which one the class should declare."""
        instead = f"{next(iter(self.sums)):g}" if len(self.sums) == 1 else "None"
        found = [replace(f, fix=f.fix.replace("{instead}", instead)) for f in self.notes.findings.values()]
        return tuple(sorted(found, key=lambda finding: finding.level))


def shorten(text: str, most: int = 100) -> str:
    """Text on one line, cut to `most` characters."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1] + "…"
