"""The report: a table for people, JSON for programs."""

from __future__ import annotations

import dataclasses
import platform
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

from .measure import Check, Row

EXPLAINED = Path(__file__).parents[1] / "docs" / "benchmarks.md"  # has a line for each target that is missed
COLUMNS = ("work", "peers", "ours", "ratio or value", "target", "verdict")


def machine() -> dict[str, str | int]:
    import os

    return {
        "cpu": _cpu_model(),
        "cores": os.cpu_count() or 0,
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "numba": version("numba"),
        "numpy": version("numpy"),
    }


def _cpu_model() -> str:
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.split(":", 1)[1].strip()
    return platform.processor() or "unknown processor"


def machine_line(facts: dict[str, str | int]) -> str:
    return "{cpu}, {cores} cores, {system}; Python {python}, Numba {numba}, NumPy {numpy}".format(**facts)


def number(value: float) -> str:
    """
    >>> number(2_104_505), number(3653.1), number(84.26), number(0.734)
    ('2.10 M', '3,653', '84.3', '0.73')
    """
    if abs(value) >= 1e6:
        return f"{value / 1e6:.2f} M"
    if abs(value) >= 1000:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 10 else f"{value:.2f}"


def _cells(row: Row, check: Check | None, first: bool) -> tuple[str, ...]:
    work = f"{row.work} [{row.unit}]" if first else ""
    peers = "\n".join(f"{name} {number(value)}" for name, value in row.peers.items()) if first else ""
    ours = number(row.ours) if first and row.ours is not None else ""
    if check is None:
        return work, peers, ours, "", "", ""
    target = f"{'at most' if check.at_most else 'at least'} {number(check.target)}"
    return work, peers, ours, f"{number(check.value)} {check.what}", target, check.verdict


def _lines(rows: list[Row]) -> list[tuple[str, ...]]:
    """A line for each check, and one for a row without any."""
    lines = []
    for row in rows:
        checks: list[Check | None] = [*row.checks] or [None]
        lines += [_cells(row, check, first=index == 0) for index, check in enumerate(checks)]
    return lines


def show(rows: list[Row], facts: dict[str, str | int]) -> None:
    print(machine_line(facts))
    if sys.stdout.isatty():
        _show_rich(rows)
    else:
        _show_plain(rows)
    for row in rows:
        for note in row.notes:
            print(f"- {row.work}: {note}")
    checks = [check for row in rows for check in row.checks]
    if checks:
        print(f"{sum(check.met for check in checks)} of {len(checks)} targets met")


def unexplained(rows: list[Row]) -> list[Row]:
    """Rows that miss a target without a line of the documentation that says why."""
    text = EXPLAINED.read_text(encoding="utf-8") if EXPLAINED.is_file() else ""
    return [row for row in rows if not all(check.met for check in row.checks) and f"`{row.work}`" not in text]


def _show_rich(rows: list[Row]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(*COLUMNS, show_lines=True)
    for cells in _lines(rows):
        verdict = Text(cells[-1], style="green" if cells[-1] == "met" else "red")
        table.add_row(*(Text(cell) for cell in cells[:-1]), verdict)  # Text: brackets are no markup here
    Console().print(table)


def _show_plain(rows: list[Row]) -> None:
    lines = [tuple(cell.split("\n") for cell in cells) for cells in [COLUMNS, *_lines(rows)]]
    widths = [max(len(part) for line in lines for part in line[column]) for column in range(len(COLUMNS))]
    for line in lines:
        for index in range(max(len(cell) for cell in line)):
            parts = [cell[index] if index < len(cell) else "" for cell in line]
            print("  ".join(part.ljust(width) for part, width in zip(parts, widths, strict=True)).rstrip())


def as_json(rows: list[Row], facts: dict[str, str | int], quick: bool) -> dict[str, Any]:
    return {
        "machine": facts,
        "quick": quick,
        "rows": [
            {
                **dataclasses.asdict(row),
                "checks": [{**dataclasses.asdict(check), "met": check.met} for check in row.checks],
            }
            for row in rows
        ],
    }
