"""A comparison as Markdown, and its place in a page: between two lines that name the game."""

from collections.abc import Iterator
from pathlib import Path

from playout.common.disk import write_whole
from playout.errors import FileError

from .result import CONFIDENCE, NOTHING, CompareRow, ComparisonResult, Section


def markers(game: str) -> tuple[str, str]:
    """The lines of a page between which a game's comparison stands.

    >>> markers("chess")
    ('<!-- playout compare chess -->', '<!-- end of playout compare chess -->')
    """
    return f"<!-- playout compare {game} -->", f"<!-- end of playout compare {game} -->"


def titles(section: Section) -> tuple[str, ...]:
    """The titles of a section's table."""
    return "variant", "settings", *section.reference.titles, "simulations/s"


def table(section: Section) -> list[list[str]]:
    """The rows of a section's table, the strongest first and the reference last; rates to three digits."""

    def cells(row: CompareRow, name: str) -> list[str]:
        rate = f"{float(f'{row.rate:.3g}'):,.0f}" if row.rate > 0 else NOTHING
        return [name, row.text, *row.cells(), rate]

    reference = section.reference
    return [*(cells(row, row.name) for row in section.ranked), cells(reference, f"{reference.name} (reference)")]


def as_markdown(found: ComparisonResult, command: str = "", chart: str | None = None) -> str:
    """The tables, the command that made them, and the chart at the address `chart`."""
    return "\n".join(_lines(found, command, chart)) + "\n"


def _lines(found: ComparisonResult, command: str, chart: str | None) -> Iterator[str]:
    if command:
        yield from ("```", command, "```", "")
    if found.played < found.wanted:
        yield from (f"{found.played:,} of {found.wanted:,} games are played.", "")
    if chart is not None:
        yield from (f"![{found.game}: each variant's difference, {CONFIDENCE:.0%} intervals]({chart})", "")
    for section in found.sections:
        yield from (f"**{section.title}**", "")
        names = titles(section)
        yield _row(names)
        yield f"|---|---|{'--:|' * (len(names) - 2)}"
        for name, text, *figures in table(section):
            yield _row((name, f"`{text}`", *figures))
        yield ""
    if found.left_out:
        yield "Left out:"
        yield from (f"- {name}: {reason}" for name, reason in found.left_out)
        yield ""


def _row(texts: tuple[str, ...]) -> str:
    return f"| {' | '.join(text.replace('|', '&#124;') for text in texts)} |"


def split_page(path: Path, game: str) -> tuple[str, str]:
    """What stands before and after a game's comparison in a page; a page that is not there is empty."""
    first, last = markers(game)
    if not path.exists():
        return "", ""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise FileError(f"{path}: can't read it: {reason}; choose another file") from None
    before, begun, rest = text.partition(first)
    _, ended, after = rest.partition(last)
    if not begun or not ended:
        raise FileError(
            f"{path} is there already, without the lines '{first}' and '{last}' to write between; add them, or choose "
            f"another file"
        )
    return before, after


def write_page(path: Path, game: str, text: str) -> None:
    """Put a game's comparison into a page, in place of the one that is there."""
    before, after = split_page(path, game)
    first, last = markers(game)
    write_whole(path, f"{before}{first}\n{text}{last}{after or chr(10)}".encode())
