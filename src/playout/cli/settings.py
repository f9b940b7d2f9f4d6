"""`playout settings`: the presets, and every search setting with its meaning."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated

import typer

from playout import games
from playout.errors import SettingsError
from playout.settings import PRESETS, preset_for
from playout.settings.options import Option, flat, options_with

from .options import Json, SearchOption, changed, pairs
from .output import console, print_json

COLUMNS = ("what can be given", "meaning")


def settings(
    preset: Annotated[
        str, typer.Option("--preset", metavar="NAME", help="Show the values that settings have in this preset.")
    ] = "default",
    option: SearchOption = None,
    json: Json = False,
    markdown: Annotated[bool, typer.Option("--markdown", help="Print docs/settings.md.")] = False,
) -> None:
    """List the presets, and every setting of the search with its meaning and its value in one of them.

    With --option policy=file.py:Class, the settings of a policy of yours are listed, too.
    """
    if json and markdown:
        raise SettingsError("--json and --markdown: give one of them")
    made = changed(preset, pairs(option, "--option", "c=2"))
    options, values = options_with((type(made.policy), type(made.backup))), flat(made)
    presets = {name: known.meaning.en for name, known in PRESETS.items()}
    own = {name: preset_for(games.load(name)) for name in games.names()}
    if json:
        rows = [
            {
                "name": name,
                "value": values[name],
                "used": _is_used(found, values),
                "expected": found.expected,
                "unit": found.declared.unit.en if found.declared.unit else None,
                "meaning": found.meaning,
            }
            for name, found in options.items()
        ]
        print_json({"preset": preset, "presets": presets, "games": own, "settings": rows})
    elif markdown:
        print("\n".join(_reference(preset, presets, own, options, values)))
    else:
        _print_tables(preset, presets, own, options, values)


def _is_used(option: Option, values: Mapping[str, str]) -> bool:
    return not option.kinds or values[option.part] in option.kinds


def _cells(name: str, option: Option, values: Mapping[str, str]) -> tuple[str, str, str, str]:
    """A row of the table: the name, the value (in brackets where another choice makes it count), what can be given, and
    the meaning."""
    only = f" ({option.part}={' or '.join(option.kinds)})" if option.field not in ("", "c") else ""
    value = values[name] if _is_used(option, values) else f"({values[name]})"
    unit = f" ({option.declared.unit.en})" if option.declared.unit else ""
    return name, value, option.expected + unit, option.meaning + only


def _without_preset(own: Mapping[str, str]) -> str:
    named = ", ".join(f"{game} uses {name}" for game, name in own.items() if name != "default")
    return f"Without --preset: {named}; other games use default, a game of yours what its class names."


def _print_tables(
    preset: str,
    presets: Mapping[str, str],
    own: Mapping[str, str],
    options: Mapping[str, Option],
    values: Mapping[str, str],
) -> None:
    from rich.table import Table  # heavy, and only where it is printed

    out = console()
    out.print("Presets, for --preset", style="bold")
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, description in presets.items():
        table.add_row(name, description)
    out.print(table)
    out.print(f"\n{_without_preset(own)}")
    out.print("\nSettings, for --option NAME=VALUE", style="bold")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("name", f"in {preset}", *COLUMNS):
        table.add_column(title, no_wrap=title == "name")
    for name, option in options.items():
        table.add_row(*_cells(name, option, values))
    out.print(table)


def _reference(
    preset: str,
    presets: Mapping[str, str],
    own: Mapping[str, str],
    options: Mapping[str, Option],
    values: Mapping[str, str],
) -> Iterator[str]:
    """The same as Markdown, line by line."""
    yield "# Search settings"
    yield ""
    yield "Printed by `playout settings --markdown`. The names are those of the command line (`--option`), of the arena,"
    yield "of HTTP and of `po.preset`. A value in brackets counts only with the choice named after the meaning."
    yield ""
    yield from _markdown(("name", f"in {preset}", *COLUMNS), (_cells(name, o, values) for name, o in options.items()))
    yield ""
    yield "## Presets"
    yield ""
    yield _without_preset(own)
    yield ""
    yield from _markdown(("name", "what it does"), presets.items())


def _markdown(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield f"|{'---|' * len(titles)}"
    for name, *cells in rows:
        yield f"| `{name}` | {' | '.join(cells)} |"
