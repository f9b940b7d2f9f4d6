"""A chart of estimates with error bars: a row for each thing that was measured, a colour for each series."""

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from .colours import BAD, GOOD, GREY, as_hex, escape
from .numbers import ticks
from .svg import svg_of, text_at

WIDTH, MARGIN, LETTER = 720.0, 12.0, 6.2  # of the drawing, around it, and of a character of a row's name
KEY, AXIS, GAP, LINE = 22.0, 34.0, 12.0, 11.0  # the heights of a series' key, the axis, between rows, of an estimate
COLOURS = (as_hex(GOOD), as_hex(BAD), "#2e8540", "#7a4fa3")  # of the series, in turn
ROOM = 0.04  # of the axis, beside the outermost estimate


class Estimate(NamedTuple):
    """A number with its interval, whose ends may be infinite; NaN is what is not known."""

    value: float
    low: float
    high: float


class Series(NamedTuple):
    """Estimates of one kind, by the names of the rows."""

    label: str
    estimates: dict[str, Estimate]


def intervals_svg(
    title: str,
    axis: str,
    rows: Sequence[str],
    series: Sequence[Series],
    written: Callable[[float], str],
    most: float = math.inf,
) -> str:
    """The chart, on an axis that ends at plus and minus `most`: bars that go on beyond it end with an arrow.

    Zero is marked by a line; `written` gives the text of a number, for the tips.
    """
    low, high = _span(series, most)
    left = MARGIN + LETTER * max((len(name) for name in rows), default=0) + 10.0
    across = WIDTH - left - MARGIN - 12.0
    pitch = LINE * len(series) + GAP
    top = MARGIN + KEY * len(series)
    floor = top + pitch * len(rows)

    def at(value: float) -> float:
        return left + across * (min(max(value, low), high) - low) / (high - low)

    parts = [
        f'<circle cx="{left + 5:g}" cy="{MARGIN + KEY * i + 6:g}" r="4" fill="{_colour(i)}"/>'
        + text_at(left + 15, MARGIN + KEY * i + 10, one.label)
        for i, one in enumerate(series)
    ]
    for tick in ticks(low, high, 8):
        parts.append(f'<path d="M{at(tick):.1f} {top:g}V{floor:g}" stroke="{GREY}" stroke-opacity="0.25"/>')
        parts.append(text_at(at(tick), floor + 14, f"{tick:+,g}" if tick else "0", "middle"))
    parts.append(f'<path d="M{at(0.0):.1f} {top:g}V{floor:g}" stroke="{GREY}" stroke-width="1.5"/>')
    parts.append(text_at(left + across / 2, floor + 29, axis, "middle"))
    for i, name in enumerate(rows):
        middle = top + pitch * (i + 0.5)
        parts.append(text_at(left - 10, middle + 4, name, "end"))
        for j, one in enumerate(series):
            found = one.estimates.get(name)
            if found is not None and not math.isnan(found.value):
                y = middle + LINE * (j - (len(series) - 1) / 2)
                numbers = [written(number) for number in found]
                tip = f"{name}, {one.label}: {numbers[0]} ({numbers[1]} to {numbers[2]})"
                parts.append(_drawn(found, y, at, (low, high), _colour(j), tip))
    return svg_of(WIDTH, floor + AXIS + 6, parts, title)


def _span(series: Sequence[Series], most: float) -> tuple[float, float]:
    """The ends of the axis: zero, and all that was found as far as it lies within plus and minus `most`."""
    numbers = [x for one in series for found in one.estimates.values() for x in found]
    kept = [0.0, *(min(max(x, -most), most) for x in numbers if math.isfinite(x))]
    room = ROOM * (max(kept) - min(kept)) or 1.0
    return min(kept) - room, max(kept) + room


def _colour(number: int) -> str:
    return COLOURS[number % len(COLOURS)]


def _drawn(
    found: Estimate, y: float, at: Callable[[float], float], ends: tuple[float, float], colour: str, tip: str
) -> str:
    """A disc with its bar: a small end at each side, or an arrow where the bar goes on beyond the axis.

    An estimate that lies beyond it has no disc, one whose interval is not known no bar.
    """
    disc = f'<circle cx="{at(found.value):.1f}" cy="{y:.1f}" r="3.5" fill="{colour}"/>'
    if math.isnan(found.low):
        return f"<g><title>{escape(tip)}</title>{disc}</g>"
    start, end = at(found.low), at(found.high)
    bars = [f"M{start:.1f} {y:.1f}H{end:.1f}"]
    for x, beyond, side in ((start, found.low < ends[0], 1), (end, found.high > ends[1], -1)):
        if beyond:
            bars.append(f"M{x + 5 * side:.1f} {y - 3.5:.1f}L{x:.1f} {y:.1f}L{x + 5 * side:.1f} {y + 3.5:.1f}")
        else:
            bars.append(f"M{x:.1f} {y - 3:.1f}V{y + 3:.1f}")
    return (
        f'<g><title>{escape(tip)}</title><path d="{"".join(bars)}" fill="none" stroke="{colour}" stroke-width="1.5"/>'
        f"{disc if ends[0] <= found.value <= ends[1] else ''}</g>"
    )
