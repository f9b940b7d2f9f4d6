"""`playout games`: the built-in games, and those of installed packages."""

import inspect
from typing import Annotated, Any

import typer
from rich.table import Table

from playout import games as built_in
from playout.settings import preset_for

from .options import Json
from .output import console, print_json


def games(
    game: Annotated[
        str | None, typer.Argument(metavar="GAME", help="Show more about one game.", show_default=False)
    ] = None,
    json: Json = False,
) -> None:
    """List the games, those of installed packages last: players, description, preset, and the settings for --set."""
    if game is not None:
        _one(game, json)
        return
    others = built_in.offered()
    broken = [found for found in others.values() if isinstance(found, str)]
    rows = [_facts(name) for name in (*built_in.names(), *(n for n in others if not isinstance(others[n], str)))]
    if json:
        print_json({"games": rows, "broken": broken})
        return
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for title in ("game", "players", "what it is", "preset", "settings"):
        table.add_column(title, justify="right" if title == "players" else "left", no_wrap=title == "game")
    for row in rows:
        settings = _settings_text(row["settings"], "\n")
        table.add_row(row["game"], str(row["players"]), row["description"], row["preset"], settings)
    out = console()
    out.print(table)
    for line in broken:
        out.print(line, markup=False)
    out.print("\n`playout games GAME` shows how to write its positions and moves.", style="dim")


def _facts(name: str) -> dict[str, Any]:
    found = built_in.find(name)
    game, own = found(), name in built_in.names()
    description = built_in.describe(name) if own else (inspect.getdoc(found) or "").partition("\n")[0]
    return {
        "game": name,
        "description": description,
        "players": game.players,
        "preset": preset_for(game),
        "settings": {key: list(v) if isinstance(v, tuple) else v for key, v in game.settings.items()},
    }


def _one(name: str, json: bool) -> None:
    facts, start = _facts(name), built_in.load(name).position()
    about = inspect.getdoc(type(start.game)) or ""
    if json:
        print_json({**facts, "about": about, "position": start.text})
        return
    out = console()
    for part in (facts["description"], about if about != facts["description"] else ""):
        if part:
            out.print(part, markup=False)
            out.print()
    if facts["settings"]:
        out.print(f"Settings: {_settings_text(facts['settings'], ', ')}\n", markup=False)
    out.print(f"Preset: {facts['preset']}\n", markup=False)
    out.print(start.show(), markup=False)


def _settings_text(values: dict[str, Any], between: str) -> str:
    return between.join(f"{k}={','.join(map(str, v)) if isinstance(v, list) else v}" for k, v in values.items())
