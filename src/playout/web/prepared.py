"""Prepared links: a game, a position, settings, a seed and a step in the query of an address.

`/?game=connect4&moves=4+4&c=2&seed=1&run=500&step=501&phase=backup` opens all of that. What is not a name of `KNOWN`
is an option of the search, or a setting of the game with `game.` before it.
"""

import contextlib
import re
from dataclasses import dataclass, field
from typing import Any, Literal, get_args
from urllib.parse import parse_qsl

from playout.errors import PlayoutError
from playout.search import Search
from playout.settings import preset_for
from playout.settings.options import canonical

from .catalogue import Catalogue, option_texts
from .refusals import Refusal, game_may_fail, refusal_of
from .sessions import check_parts, check_work, played

Phase = Literal["selection", "expansion", "playout", "backup"]
Tab = Literal["moves", "step", "node", "why"]
KNOWN = ("game", "position", "moves", "preset", "seed", "run", "step", "phase", "tab", "lesson", "vary", "from", "to")
LONGEST = 8000  # characters of a query
MOST_SIMULATIONS = 1_000_000
_NAME = re.compile(r"[a-z][a-z0-9_.]{0,59}")


@dataclass
class Prepared:
    """What a link opens."""

    game: str | None = None
    game_settings: dict[str, Any] = field(default_factory=dict)
    position: str | None = None
    moves: list[int | str] = field(default_factory=list)
    preset: str | None = None
    options: dict[str, Any] = field(default_factory=dict)
    seed: int = 0
    run: int = 0
    step: int | None = None
    phase: Phase | None = None
    tab: Tab | None = None
    lesson: str | None = None
    vary: str | None = None
    least: float = 0.0
    most: float = 10.0


def refused(why: str) -> Refusal:
    """One line about a link."""
    return Refusal(400, "link", why)


def parse_link(query: str) -> Prepared:
    """The parts of a link's query, or a refusal.

    >>> parse_link("?game=connect4&moves=4+4&c=2&step=7").moves
    ['4', '4']
    """
    if len(query) > LONGEST:
        raise refused(f"the link has {len(query):,} characters, expected at most {LONGEST:,}")
    found, seen = Prepared(), set[str]()
    for name, value in parse_qsl(query.removeprefix("/").removeprefix("?"), keep_blank_values=True):
        if name in seen:
            raise refused(f"the link has {name[:60]} twice, expected it once")
        if not _NAME.fullmatch(name):
            raise refused(f"the link has '{name[:60]}', expected one of {', '.join(KNOWN)}, or an option's name")
        seen.add(name)
        _take(found, name, value)
    if "game" not in seen and seen - {"lesson"}:
        raise refused("the link names no game; add game=, as in ?game=tictactoe&step=10")
    if found.vary is None and seen & {"from", "to"}:
        raise refused("the link has from or to without vary, the option that they belong to")
    if found.least >= found.most:
        raise refused(f"the link varies from {found.least:g} to {found.most:g}, expected from below to")
    if found.phase is not None and found.step is None:
        raise refused(f"the link has phase={found.phase} without step, the simulation that it belongs to")
    return found


def _take(found: Prepared, name: str, value: str) -> None:
    """Put one parameter where it belongs."""
    if name in ("game", "position", "preset", "lesson", "vary"):
        if not value or len(value) > 4000:
            raise refused(f"the link has {name} with {len(value):,} characters, expected 1 to 4,000")
        setattr(found, name, value)
    elif name == "moves":
        found.moves = list(value.split())
    elif name in ("seed", "run", "step"):
        setattr(found, name, _whole(name, value))
    elif name in ("from", "to"):
        setattr(found, {"from": "least", "to": "most"}[name], _number(name, value))
    elif name in ("phase", "tab"):
        allowed = get_args(Phase if name == "phase" else Tab)
        if value not in allowed:
            raise refused(f"the link has {name}={value[:60]}, expected one of {', '.join(allowed)}")
        setattr(found, name, value)
    elif name.startswith("game."):
        found.game_settings[name.removeprefix("game.")] = _setting(value)
    else:
        found.options[name] = value[:100]


def _whole(name: str, text: str) -> int:
    least, most = {"seed": (0, 2**64 - 1), "run": (1, MOST_SIMULATIONS), "step": (1, MOST_SIMULATIONS)}[name]
    if not text.isascii() or not text.isdigit() or len(text) > 20 or not least <= int(text) <= most:
        raise refused(f"the link has {name}={text[:60]}, expected a whole number from {least} to {most:,}")
    return int(text)


def _number(name: str, text: str) -> float:
    with contextlib.suppress(ValueError):
        if -1e6 <= (number := float(text)) <= 1e6:
            return number
    raise refused(f"the link has {name}={text[:60]}, expected a number from -1,000,000 to 1,000,000")


def _setting(text: str) -> Any:
    """A game's setting: a number, numbers with commas, or text."""
    parts = text.split(",")
    if len(parts) > 1:
        return [_setting(part) for part in parts]
    for kind in (int, float):
        with contextlib.suppress(ValueError):
            return kind(text)
    return text


def of_link(error: PlayoutError | Refusal) -> Refusal:
    """What is wrong with a link; caps of the server stay what they are."""
    refusal = error if isinstance(error, Refusal) else refusal_of(error)
    return refusal if refusal.status in (429, 503) else refused(f"the link can't be opened: {refusal.message}")


def check_link(catalogue: Catalogue, prepared: Prepared) -> None:
    """Refuse a link whose game, position or settings this server can't open."""
    try:
        game = catalogue.load(prepared.game or catalogue.first, prepared.game_settings)
        given = canonical(option_texts(prepared.options), catalogue.options)
        settings = catalogue.make_settings(preset_for(game, prepared.preset), given)
        check_parts(settings, catalogue.parts.values())
        with game_may_fail(type(game)):
            position = played(game.position(prepared.position), prepared.moves)
            Search(game, check_work(settings, catalogue.networks), position=position, seed=prepared.seed)
        if prepared.vary is not None and prepared.vary not in catalogue.options:
            raise refused(f"the link varies {prepared.vary}, which is no option of the search")
    except (PlayoutError, Refusal) as error:
        raise of_link(error) from None
