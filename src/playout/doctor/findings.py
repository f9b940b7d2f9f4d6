"""Findings, and the reports that hold them."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True)
class Finding:
    """One mistake: what happened and where, the likely cause, and the fix. `count` is how often it was seen."""

    code: str
    rule: str
    what: str
    cause: str
    fix: str
    position: str = ""
    action: str = ""
    level: str = "error"  # or "warning": suspicious, but possibly intended
    count: int = 1

    def __str__(self) -> str:
        where = f"; in '{self.position}'" if self.position else ""
        where += f", action {self.action}" if self.action else ""
        often = f" ({self.count:,} times)" if self.count > 1 else ""
        return f"{self.level} {self.code}: {self.rule} {self.what}{where}{often}\n    {self.cause}. Fix: {self.fix}"


@dataclass(frozen=True)
class Report:
    """What `check_game` found, and statistics of the games it played; `ok` if there are no errors."""

    game: str
    findings: tuple[Finding, ...]
    games: int  # played to the end, or until a rule failed
    positions: int
    positions_uncompiled: int | None  # of these, checked uncompiled too; None for Python objects
    length: tuple[int, float, int]  # actions of a finished game: fewest, mean, most
    branching: tuple[int, float, int]  # the same for the legal actions where a player moves
    max_actions: int
    players: int
    results: tuple[tuple[tuple[float, ...], int], ...]  # returns, one per player, and how often; most frequent first
    playouts_per_second: float | None  # compiled; None if not measured

    @property
    def ok(self) -> bool:
        """Whether there are no errors; warnings may remain."""
        return not any(finding.level == "error" for finding in self.findings)

    def to_dict(self) -> dict[str, Any]:
        """Everything, for JSON."""
        figures = {key: value for key, value in vars(self).items() if key not in ("findings", "results")}
        for key in ("length", "branching"):
            figures[key] = dict(zip(("least", "mean", "most"), figures[key], strict=True))
        return {
            **figures,
            "ok": self.ok,
            "findings": [dict(vars(finding)) for finding in self.findings],
            "results": [{"returns": list(returns), "count": count} for returns, count in self.results],
        }

    def __str__(self) -> str:
        errors = sum(finding.level == "error" for finding in self.findings)
        counts = [plural(n, s) for n, s in ((errors, "error"), (len(self.findings) - errors, "warning")) if n]
        lines = [f"{self.game}: {' and '.join(counts) or 'no mistakes found'} in {plural(self.games, 'game')}"]
        lines += [f"  {line}" for finding in self.findings for line in str(finding).splitlines()]
        low, mean, high = self.length
        few, usual, many = self.branching
        plain = self.positions_uncompiled
        also = "" if plain is None else f" ({plain:,} uncompiled too)"
        lines.append(
            f"  {plural(self.players, 'player')}; {self.positions:,} positions{also}; {mean:.1f} actions per game "
            f"({low} to {high}); {usual:.1f} legal actions per position "
            f"({few} to {many}; max_actions = {self.max_actions})"
        )
        shown = [f"({numbers(returns)}) {plural(count, 'time')}" for returns, count in self.results[:6]]
        more = f", {len(self.results) - 6} others" if len(self.results) > 6 else ""
        speed = "" if self.playouts_per_second is None else f"; {self.playouts_per_second:,.0f} playouts per second"
        lines.append(f"  results: {', '.join(shown) or 'none'}{more}{speed}")
        return "\n".join(lines)


@dataclass
class GameCounts:
    """What the doctor counts while it plays."""

    games: int = 0
    positions: int = 0
    unfinished: int = 0
    lengths: list[int] = field(default_factory=list)  # actions of each finished game
    branching: list[int] = field(default_factory=list)  # legal actions of each position


def numbers(values: Any, most: int = 8) -> str:
    """The first `most` values, separated by commas."""
    shown = ", ".join(f"{value:.6g}" if isinstance(value, float) else str(value) for value in values[:most])
    return shown + (", …" if len(values) > most else "")


def spread(values: list[int]) -> tuple[int, float, int]:
    """The lowest, the mean and the highest value."""
    return (min(values), sum(values) / len(values), max(values)) if values else (0, 0.0, 0)


def plural(count: int, what: str) -> str:
    """A count with its noun."""
    return f"{count:,} {what}{'' if count == 1 else 's'}"
