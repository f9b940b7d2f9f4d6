"""`playout settings`: the presets, and every search setting with its meaning."""

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import typer
from rich.table import Table

from playout import games
from playout.backups import Backup
from playout.errors import SettingsError
from playout.parts.part import Part, offered
from playout.policies import Policy
from playout.settings import PRESETS, Settings, preset_for
from playout.settings.options import Option, flat, options_with
from playout.settings.presets import BUILT_IN

from .options import Json, SearchOption, changed, pairs
from .output import console, print_json


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
    found = Listing(preset, changed(preset, pairs(option, "--option", "c=2")))
    if json:
        print_json(found.to_dict())
    elif markdown:
        print("\n".join(found.reference()))
    else:
        found.print()


class Listing:
    """The presets, and the settings with their values in one of them."""

    def __init__(self, preset: str, made: Settings) -> None:
        self.preset, self.values = preset, flat(made)
        self.options = options_with((type(made.policy), type(made.backup)))
        self.presets = {name: known.meaning.en for name, known in PRESETS.items()}
        self.parts: dict[str, type[Part] | str] = {}  # of installed packages, by the setting and its word
        for base in (Policy, Backup):
            self.parts |= {f"{base._role}={word}": part for word, part in offered(base).items()}
        broken = (part for part in self.parts.values() if isinstance(part, str))
        self.broken = [*PRESETS.broken.values(), *broken]
        self.own = {name: preset_for(games.load(name)) for name in games.names()}

    def to_dict(self) -> dict[str, Any]:
        """For `--json`."""
        rows = [
            {
                "name": name,
                "value": self.values[name],
                "used": self._is_used(option),
                "expected": option.expected,
                "unit": option.declared.unit.en if option.declared.unit else None,
                "meaning": option.meaning,
            }
            for name, option in self.options.items()
        ]
        return {
            "preset": self.preset,
            "presets": self.presets,
            "games": self.own,
            "installed": [name for name, part in self.parts.items() if not isinstance(part, str)],
            "broken": self.broken,
            "settings": rows,
        }

    def print(self) -> None:
        """Print tables on the terminal."""
        out = console()
        out.print("Presets, for --preset", style="bold")
        table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
        for name, description in self.presets.items():
            table.add_row(name, description)
        out.print(table)
        out.print(f"\n{self._without_preset()}")
        out.print("\nSettings, for --option NAME=VALUE", style="bold")
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for title in self._titles():
            table.add_column(title, no_wrap=title == "name")
        for cells in self._rows():
            table.add_row(*cells)
        out.print(table)
        for name, part in self.parts.items():
            if not isinstance(part, str):
                out.print(f"Of an installed package: {name} ({part.__module__}:{part.__qualname__})", markup=False)
        for line in self.broken:
            out.print(line, markup=False)

    def reference(self) -> Iterator[str]:
        """The same as Markdown, line by line."""
        yield "# Search settings"
        yield ""
        yield "Printed by `playout settings --markdown`. The names are those of the command line (`--option`),"
        yield "the arena, HTTP and `po.preset`. A value in brackets counts only with the choice after the meaning."
        yield ""
        yield from _markdown(self._titles(), self._rows())
        yield ""
        yield "## Presets"
        yield ""
        yield self._without_preset()
        yield ""
        built_in = {name: meaning for name, meaning in self.presets.items() if name in BUILT_IN}
        yield from _markdown(("name", "what it does"), built_in.items())

    def _titles(self) -> tuple[str, ...]:
        return "name", f"in {self.preset}", "what can be given", "meaning"

    def _rows(self) -> Iterator[tuple[str, ...]]:
        for name, option in self.options.items():
            only = f" ({option.part}={' or '.join(option.kinds)})" if option.field not in ("", "c") else ""
            unit = f" ({option.declared.unit.en})" if option.declared.unit else ""
            value = self.values[name] if self._is_used(option) else f"({self.values[name]})"
            yield name, value, option.expected + unit, option.meaning + only

    def _is_used(self, option: Option) -> bool:
        """Whether the value counts, or would only with another choice."""
        return not option.kinds or self.values[option.part] in option.kinds

    def _without_preset(self) -> str:
        named = ", ".join(f"{game} uses {name}" for game, name in self.own.items() if name != "default")
        return f"Without --preset: {named}; other games use default, a game of yours what its class names."


def _markdown(titles: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    yield f"| {' | '.join(titles)} |"
    yield f"|{'---|' * len(titles)}"
    for name, *cells in rows:
        yield f"| `{name}` | {' | '.join(cells)} |"
