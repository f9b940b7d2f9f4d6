"""A result as text: a Rich table for a terminal, plain text for `str`."""

from io import StringIO
from typing import TYPE_CHECKING

from .summary import RESULTS, head, interval_title, left_out, rows
from .words import BAR, bar

if TYPE_CHECKING:
    from rich.table import Table

    from playout.search.result import Result

TEXT_ROWS, TEXT_WIDTH = 12, 100  # the size of str(result)


def result_table(result: "Result", most: int | None = None) -> "Table":
    """The actions as a Rich table, the most visited first; its caption counts those that `most` leaves out."""
    from rich import box  # noqa: PLC0415  # heavy, and optional
    from rich.table import Table  # noqa: PLC0415  # heavy, and optional
    from rich.text import Text  # noqa: PLC0415  # heavy, and optional

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    table.add_column("action", no_wrap=True)
    for title in ("visits", "share"):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("", no_wrap=True, min_width=BAR)
    counted = (RESULTS,) if result.settings.wdl else ()
    for title in ("value", interval_title(result), "prior", *counted):
        table.add_column(title, justify="right", no_wrap=True)
    table.add_column("proven", no_wrap=True)
    table.add_column("expected line", no_wrap=True, overflow="ellipsis", style="dim")
    shown = rows(result, most)
    for row in shown:
        table.add_row(
            Text(row.action),
            row.visits,
            row.share,
            Text(bar(row.bar), style="blue"),
            row.value,
            row.margin,
            row.prior,
            *([row.results] if counted else ()),
            row.proven,
            Text(row.line),
            style="bold" if row.is_best else "",
        )
    if more := left_out(result, len(shown)):
        table.caption, table.caption_justify = more, "left"
    return table


def result_text(result: "Result") -> str:
    """The result as plain text, without colours."""
    from rich.console import Console  # noqa: PLC0415  # heavy, and optional

    lines = head(result)
    if result.actions:
        file = StringIO()
        # str() must not depend on the environment: a terminal, FORCE_COLOR or COLUMNS.
        console = Console(file=file, width=TEXT_WIDTH, color_system=None, force_terminal=False, _environ={})
        console.print(result_table(result, TEXT_ROWS))
        lines += ["", *(line.rstrip() for line in file.getvalue().rstrip().splitlines())]
    return "\n".join(lines)
