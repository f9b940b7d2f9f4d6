"""Numbers as text: significant digits, a mean with its error, the bounds of a histogram, the ticks of an axis."""

import math
from collections.abc import Sequence


def significant(value: float, digits: int = 4) -> str:
    """A number with `digits` significant digits, and at least all before the decimal point.

    >>> significant(1234567.8), significant(12.0), significant(0.012345), significant(-1 / 3), significant(math.nan)
    ('1,234,568', '12', '0.01235', '-0.3333', '—')
    """
    if not math.isfinite(value):
        return "—"
    if value == 0 or 1e-6 <= abs(value) < 1e12:
        text = f"{value:,.{_places(value, digits)}f}"
        return text.rstrip("0").rstrip(".") if "." in text else text
    return f"{value:.{digits - 1}e}"


def with_error(value: float, error: float, sign: str = "") -> tuple[str, str]:
    """A number and half of its interval's width, both to the second digit of the latter.

    >>> with_error(0.98765, 0.0123), with_error(12345.6, 78.9), with_error(0.5, 0.25, "+")
    (('0.988', '0.012'), ('12,346', '79'), ('+0.50', '0.25'))
    >>> with_error(1 / 3, math.nan)
    ('0.3333', '—')
    """
    if not math.isfinite(error) or not 1e-6 <= error < 1e12:
        text = significant(value)
        return (f"+{text}" if sign and value > 0 else text), significant(error, 2)
    places = _places(error, 2)
    return f"{round(value, places) + 0.0:{sign},.{places}f}", f"{error:,.{places}f}"


def bounds_text(edges: Sequence[float]) -> list[str]:
    """The bounds of a histogram, with as many digits as tell them apart.

    >>> bounds_text([0.0, 0.05, 0.1]), bounds_text([-1000.0, 0.0, 1000.0])
    (['0.00', '0.05', '0.10'], ['-1,000', '0', '1,000'])
    """
    places = _places(edges[1] - edges[0], 1) if len(edges) > 1 else 0
    return [f"{edge:,.{places}f}" for edge in edges]


def ticks(low: float, high: float, wanted: int = 5) -> list[float]:
    """Round numbers between two others.

    >>> ticks(0.0, 1.0)
    [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]
    >>> ticks(1.0, 1.0)
    [1.0]
    """
    if not high > low:
        return [low]
    rough = (high - low) / wanted
    unit = 10.0 ** math.floor(math.log10(rough))
    step = next(unit * m for m in (1, 2, 5, 10) if unit * m >= rough * 0.999)
    first = math.ceil(low / step - 1e-9)
    return [round(step * i, 10) for i in range(first, math.floor(high / step + 1e-9) + 1)]


def _places(value: float, digits: int) -> int:
    """How many decimals show `digits` digits of a number, after rounding (0.0996 becomes 0.100)."""
    if value == 0:
        return 0
    return max(0, digits - 1 - int(f"{abs(value):.{digits - 1}e}".partition("e")[2]))
