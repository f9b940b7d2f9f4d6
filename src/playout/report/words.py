"""Numbers and words as every report writes them: 12,345 · 42.1% · +0.215 · '—' for an unknown value."""

import math

from playout.game import CHANCE, TERMINAL

UNKNOWN = "—"
BAR = 10  # characters in the longest bar of a table


def clean(text: str) -> str:
    """Text from a game on one line, without control characters, which could drive a terminal or break XML.

    >>> clean("a\\x1b[31m\\nb")
    'a�[31m�b'
    """
    return "".join(c if c.isprintable() else "�" for c in text)


def number(value: float | None) -> str:
    """A value: its sign and three decimals.

    >>> number(0.2154), number(-12345.6789), number(-0.0001), number(None)
    ('+0.215', '-12,345.679', '0.000', '—')
    """
    if value is None or not math.isfinite(value):
        return UNKNOWN
    if abs(value) >= 1e9:
        return f"{value:+.3e}"
    return f"{value:+,.3f}" if abs(value) >= 0.0005 else "0.000"


def percent(share: float | None) -> str:
    """A fraction of one as a percentage.

    >>> percent(0.4213), percent(1.0), percent(0.0004), percent(None)
    ('42.1%', '100.0%', '<0.1%', '—')
    """
    if share is None or not math.isfinite(share):
        return UNKNOWN
    return "<0.1%" if 0 < share < 0.0005 else f"{100 * share:.1f}%"


def parts_of(wdl: tuple[int, int, int], whole: int) -> tuple[int, int, int]:
    """Wins, draws and losses as parts of a whole number, which they add up to.

    >>> parts_of((61, 12, 28), 100), parts_of((1, 1, 1), 1000)
    ((60, 12, 28), (333, 334, 333))
    """
    wins, losses = (round(whole * counted / sum(wdl)) for counted in (wdl[0], wdl[2]))
    return wins, whole - wins - losses, losses


def results(wdl: tuple[int, int, int] | None) -> str:
    """Wins, draws and losses as percentages.

    >>> results((610, 120, 270)), results((0, 0, 0)), results(None)
    ('61/12/27%', '—', '—')
    """
    return "{}/{}/{}%".format(*parts_of(wdl, 100)) if wdl is not None and any(wdl) else UNKNOWN


def count(number: float, what: str, plural: str = "") -> str:
    """A count with its noun.

    >>> count(1, "visit"), count(12345, "visit")
    ('1 visit', '12,345 visits')
    """
    return f"{number:,.0f} {what if number == 1 else plural or what + 's'}"


def duration(seconds: float) -> str:
    """A time span in the unit that suits it.

    >>> duration(0.0021), duration(1.234), duration(125)
    ('2.1 ms', '1.23 s', '125 s')
    """
    if seconds < 0.1:
        return f"{1000 * seconds:.3g} ms"
    return f"{seconds:.2f} s" if seconds < 100 else f"{seconds:,.0f} s"


def proven_word(value: float | None, players: int, limits: tuple[float, float] | None) -> str | None:
    """An exact value as a word if it is the highest, the lowest or a draw; otherwise the number.

    >>> proven_word(1.0, 2, (-1.0, 1.0)), proven_word(0.0, 2, (-1.0, 1.0)), proven_word(-0.5, 1, (-1.0, 1.0))
    ('win', 'draw', '-0.500')
    """
    if value is None:
        return None
    if limits is not None:
        if value >= limits[1] - 1e-9:
            return "win" if players > 1 else "best possible"
        if value <= limits[0] + 1e-9:
            return "loss" if players > 1 else "worst possible"
        if players == 2 and abs(value - (limits[0] + limits[1]) / 2) < 1e-9:
            return "draw"
    return number(value)


def who(player: int) -> str:
    """A player's name in a report; players are counted from 1 there.

    >>> who(0), who(CHANCE), who(TERMINAL)
    ('player 1', 'chance', 'no player')
    """
    return "no player" if player == TERMINAL else "chance" if player == CHANCE else f"player {player + 1}"


def bar(share: float, length: int = BAR) -> str:
    """A bar drawn in eighths of a character; any share above zero shows at least one eighth.

    >>> bar(0.3), bar(1e-9, 40), bar(0.0)
    ('███', '▏', '')
    """
    eighths = max(1, round(8 * length * share)) if share > 0 else 0
    return "█" * (eighths // 8) + ("▏▎▍▌▋▊▉"[eighths % 8 - 1] if eighths % 8 else "")
