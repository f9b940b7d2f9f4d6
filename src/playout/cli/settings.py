"""`playout settings`: the presets, and every search setting with its meaning."""

from typing import Annotated

import typer

from playout.options import OPTIONS, flat

from .options import Json
from .output import console, print_json


def settings(
    preset: Annotated[
        str, typer.Option("--preset", metavar="NAME", help="Show the values that settings have in this preset.")
    ] = "default",
    json: Json = False,
) -> None:
    """List the presets, and every setting of the search with its meaning and its value in one of them."""
    from playout import games
    from playout.settings import PRESETS, preset_for
    from playout.settings import preset as make

    values = flat(make(preset))
    presets = {name: found.description for name, found in PRESETS.items()}
    own = {name: preset_for(games.load(name)) for name in games.names()}
    if json:
        rows = [
            {
                "name": name,
                "value": values[name],
                "used": option.field == "" or values[option.part] in option.kinds,
                "expected": option.expected,
                "meaning": option.meaning,
            }
            for name, option in OPTIONS.items()
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
    for name, option in OPTIONS.items():
        used = option.field == "" or values[option.part] in option.kinds
        only = f" ({option.part}={' or '.join(option.kinds)})" if option.field not in ("", "c") else ""
        table.add_row(name, values[name] if used else f"({values[name]})", option.expected, option.meaning + only)
    out.print(table)
