"""A result as HTML, for a notebook. Text from a game is escaped, and its drawing is shown as an image."""

import base64
from typing import TYPE_CHECKING

from .colours import escape, range_of, shade
from .summary import RESULTS, ActionRow, head, interval_title, left_out, rows

if TYPE_CHECKING:
    from playout.search.result import Result

BAR_PIXELS = 80
CELL = "padding:2px 10px 2px 0;text-align:{};border:0;white-space:nowrap;background:none"
LEFT, RIGHT = CELL.format("left"), CELL.format("right")


def result_html(result: "Result", tree: str = "", most: int = 20) -> str:
    """The board, the numbers and the first `most` actions; `tree` is a drawing to put below them."""
    lines = head(result)
    title = f'<div style="font-weight:bold">{escape(lines[0])}</div>'
    facts = "".join(f"<div>{escape(line)}</div>" for line in lines[1:])
    below = f'<div style="margin-top:12px;overflow-x:auto">{tree}</div>' if tree else ""
    return (
        '<div style="font-family:sans-serif;font-size:13px;line-height:1.5">'
        '<div style="display:flex;gap:24px;flex-wrap:wrap;align-items:flex-start">'
        f'<div>{_picture(result)}</div><div style="overflow-x:auto">{title}{facts}'
        f'<div style="margin-top:8px">{_table(result, most)}</div></div></div>{below}</div>'
    )


def _table(result: "Result", most: int) -> str:
    limits = range_of(result.position.game, [stats.value for stats in result.actions])
    counted = result.settings.wdl
    columns = (
        ("action", LEFT),
        ("visits", RIGHT),
        ("share", RIGHT),
        ("", LEFT),
        ("value", RIGHT),
        (interval_title(result), RIGHT),
        ("prior", RIGHT),
        *([(RESULTS, RIGHT)] if counted else []),
        ("proven", LEFT),
        ("expected line", LEFT),
    )
    shown = rows(result, most)
    table = ""
    if shown:
        names = "".join(f'<th style="{style};opacity:.7">{title}</th>' for title, style in columns)
        look = "border-collapse:collapse;border:0;margin:0;font:inherit;color:inherit"
        styles = [style for _, style in columns]
        body = "".join(_row(row, styles, shade(row.value_found, limits), counted) for row in shown)
        table = f'<table style="{look}"><tr>{names}</tr>{body}</table>'
    if more := left_out(result, len(shown)):
        table += f'<div style="opacity:.7">{more}</div>'
    return table


def _row(row: ActionRow, styles: list[str], colour: str, counted: bool) -> str:
    bar = (
        f'<div style="width:{BAR_PIXELS}px"><div style="width:{BAR_PIXELS * row.bar:.1f}px;height:9px;'
        f'border-radius:2px;background:{colour}"></div></div>'
    )
    texts = [escape(text) for text in (row.action, row.visits, row.share)]
    numbers = (row.value, row.margin, row.prior, *([row.results] if counted else ()), row.proven, row.line)
    texts += [bar, *(escape(text) for text in numbers)]
    cells = (f'<td style="{style}">{text}</td>' for text, style in zip(texts, styles, strict=True))
    weight = ' style="font-weight:bold"' if row.is_best else ""
    return f"<tr{weight}>{''.join(cells)}</tr>"


def _picture(result: "Result") -> str:
    """The game's drawing as an image, which can't run scripts or change the page around it."""
    drawing = result.position.draw()
    if "xmlns=" not in drawing.partition(">")[0]:
        drawing = drawing.replace("<svg", '<svg xmlns="http://www.w3.org/2000/svg"', 1)
    data = base64.b64encode(drawing.encode()).decode()
    return f'<img alt="{escape(result.position.text)}" style="max-width:180px" src="data:image/svg+xml;base64,{data}">'
