"""`playout settings`: the presets, and every search setting with its meaning."""

from typing import Annotated

import typer

from playout.settings.options import flat, make_settings, options_with

from .options import Json, SearchOption, pairs
from .output import console, print_json


def settings(
    preset: Annotated[
        str, typer.Option("--preset", metavar="NAME", help="Show the values that settings have in this preset.")
    ] = "default",
    option: SearchOption = None,
    json: Json = False,
) -> None:
    """List the presets, and every setting of the search with its meaning and its value in one of them.

    With --option policy=file.py:Class, those of a policy of yours are listed, too.
    """
    from playout import games
    from playout.settings import PRESETS, preset_for

    made = make_settings(preset, pairs(option, "--option", "c=2"))
    options, values = options_with((type(made.policy), type(made.backup))), flat(made)
    presets = {name: known.description for name, known in PRESETS.items()}
    own = {name: preset_for(games.load(name)) for name in games.names()}
    if json:
        rows = [
            {
                "name": name,
                "value": values[name],
                "used": found.field == "" or values[found.part] in found.kinds,
                "expected": found.expected,
                "meaning": found.meaning,
            }
            for name, found in options.items()
        ]
        print_json({"preset": preset, "presets": presets, "games": own, "settings": rows})
        return
    from rich.table import Table

    out = console()
    out.print("Presets, for --preset", style="bold")
    table = Table(box=None, show_header=False, pad_edge=False, padding=(0, 2, 0, 0))
    for name, description in presets.items():
        table.add_row(name, description)
    out.print(table)
    named = ", ".join(f"{game} uses {name}" for game, name in own.items() if name != "default")
    out.print(f"\nWithout --preset: {named}; other games use default, a game of yours what its class names.")
    out.print("\nSettings, for --option NAME=VALUE", style="bold")
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("name", f"in {preset}", "what can be given", "meaning"):
        table.add_column(title, no_wrap=title == "name")
    for name, found in options.items():
        used = found.field == "" or values[found.part] in found.kinds
        only = f" ({found.part}={' or '.join(found.kinds)})" if found.field not in ("", "c") else ""
        table.add_row(name, values[name] if used else f"({values[name]})", found.expected, found.meaning + only)
    out.print(table)
