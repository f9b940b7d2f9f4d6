"""How a network is trained: all settings, their checks, and defaults by the size of the game."""

import dataclasses
import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playout.common.runtime import cores
from playout.errors import SettingsError
from playout.game import Game

UNITS = 8  # hidden units of a fast network come in eights


@dataclass(frozen=True)
class Recipe:
    """The settings of a training. A run that is resumed has the same ones."""

    # Self-play.
    games: int = 192  # in a generation
    simulations: int = 128  # a move, including the visits of a kept subtree
    cheap: float = 0.5  # the share of moves that are searched less and not learnt from
    cheap_simulations: int = 32
    teacher: int = 2000  # simulations of the plain UCT that plays the first generation; 0: the new network plays it
    gumbel: bool = False  # Gumbel root selection instead of noise and visits
    considered: int = 16  # actions that Gumbel looks at
    noise: float = 0.25  # the share of Dirichlet noise in the root's priors
    alpha: float = 1.0
    shaped: bool = False  # half of the noise goes to actions whose prior stands out
    root_temperature: float = 1.0  # above 1, the root's priors are flatter
    forced: float = 0.0  # k: actions of the root get at least sqrt(k P N) visits, which are not learnt; 0: none
    temperature_moves: int = 12  # the first moves of a game that are drawn by visits; then the best is played
    openings: int = 4  # the most random actions at the beginning of a game
    opened: float = 0.5  # the share of games that begin with random actions
    blend: float = 0.5  # the share of the search's value in the value that is learnt; the rest is the game's return
    max_moves: int = 1000  # after which a game is stopped
    seats: int = 64  # games against one batch, at most
    tables: int = 8  # into which the games of a generation are divided, at least; each is played by one worker
    leaves: int = 4  # of each game in a batch, at most
    # The network.
    blocks: int = 5
    filters: int = 32
    width: int = 64  # of the value's hidden layer
    fast: bool = False  # a network over sparse inputs, evaluated inside the search, instead
    hidden: int = 128  # units of its hidden layer, in eights
    squared: bool = True  # their clipped sums are squared
    # Learning.
    batch: int = 256
    reuse: float = 8.0  # rows learnt from in a generation, for each new position
    window: int = 20  # the last generations, which are learnt from
    rate: float = 0.002  # the first learning rate
    halved: int = 100  # generations in which the rate halves
    decay: float = 0.0003  # weight decay
    average: float = 0.99  # the factor of the running average of weights, which is the network that plays
    threads: int = 1  # of PyTorch
    # Matches.
    every: int = 10  # generations between matches; 0: no matches
    matches: int = 40  # games of each match
    plies: int = 4  # random plies at the beginning of a match's games
    gate: float = 0.0  # the score against the best so far that a network needs for self-play; 0: the newest plays
    seed: int = 0

    def __post_init__(self) -> None:
        check_settings(self, LIMITS, ("gumbel", "shaped", "fast", "squared"))
        check_hidden(self.hidden)

    def to_dict(self) -> dict[str, Any]:
        """All settings, for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "Recipe":
        """A recipe from settings by name; `SettingsError` for an unknown name."""
        check_names(cls, data)
        return cls(**data)


LIMITS: tuple[tuple[str, float, float], ...] = (
    ("games", 1, 1_000_000),
    ("simulations", 2, 1_000_000),
    ("cheap", 0.0, 0.99),
    ("cheap_simulations", 1, 1_000_000),
    ("teacher", 0, 10_000_000),
    ("considered", 1, 65535),
    ("noise", 0.0, 1.0),
    ("alpha", 1e-3, 1e3),
    ("root_temperature", 0.1, 10.0),
    ("forced", 0.0, 100.0),
    ("temperature_moves", 0, 1_000_000),
    ("openings", 0, 1000),
    ("opened", 0.0, 1.0),
    ("blend", 0.0, 1.0),
    ("max_moves", 1, 1_000_000),
    ("seats", 1, 4096),
    ("tables", 1, 100_000),
    ("leaves", 1, 256),
    ("blocks", 0, 64),
    ("filters", 1, 1024),
    ("width", 1, 4096),
    ("hidden", 8, 1024),
    ("batch", 2, 65536),
    ("reuse", 0.01, 1000.0),
    ("window", 1, 100_000),
    ("rate", 1e-7, 1.0),
    ("halved", 1, 1_000_000),
    ("decay", 0.0, 1.0),
    ("average", 0.0, 0.99999),
    ("threads", 1, 64),
    ("every", 0, 1_000_000),
    ("matches", 2, 100_000),
    ("plies", 0, 1000),
    ("gate", 0.0, 1.0),
    ("seed", 0, 2**63),
)


def check_settings(recipe: Any, limits: tuple[tuple[str, float, float], ...], switches: tuple[str, ...]) -> None:
    """Refuse settings of the wrong type or out of their limits, and switches that are not True or False."""
    for name, least, most in limits:
        value = getattr(recipe, name)
        whole = isinstance(getattr(type(recipe), name), int)
        good = isinstance(value, int if whole else int | float) and not isinstance(value, bool)
        if not good or not least <= value <= most or not math.isfinite(value):
            kind = "a whole number" if whole else "a number"
            raise SettingsError(
                f"training: {name} is {value!r}, expected {kind} from {_shown(least)} to {_shown(most)}"
            )
    for name in switches:
        if not isinstance(getattr(recipe, name), bool):
            raise SettingsError(f"training: {name} is {getattr(recipe, name)!r}, expected True or False")


def check_hidden(hidden: int) -> None:
    """Refuse a hidden layer of a fast network that does not come in eights."""
    if hidden % UNITS:
        raise SettingsError(f"training: hidden is {hidden}, expected a multiple of {UNITS}")


def check_names(recipe: Any, data: Mapping[str, Any]) -> None:
    """Refuse names that no setting of a recipe has."""
    known = {f.name for f in dataclasses.fields(recipe)}
    for key in data:
        if key not in known:
            raise SettingsError(f"training: there is no setting '{key}' (there are: {', '.join(sorted(known))})")


def recipe_for(game: Game, **given: Any) -> Recipe:
    """The recipe for a game: defaults by the size of its planes and policy, replaced by what is given."""
    fast = bool(given.get("fast"))
    sees, answers = game.feature_count if fast else math.prod(game.planes), game.policy_size
    found: dict[str, Any] = {"alpha": round(min(2.0, max(0.1, 10 / max(1, game.max_actions))), 2)}
    if sees <= 64 and answers <= 32:
        # A small game can be covered as a whole: begin anywhere, and keep a long window.
        found |= {"games": 512, "simulations": 64, "cheap": 0.0, "openings": 8, "opened": 0.75, "window": 40}
        found |= {"blocks": 2, "filters": 32, "width": 32}
        found |= {"temperature_moves": 6, "plies": 2, "batch": 128, "blend": 0.0}
    elif sees > 1000 or answers > 1000:
        found |= {"games": 128, "teacher": 500, "blocks": 6, "filters": 64, "width": 128, "temperature_moves": 30}
    if fast:
        found |= {"simulations": 400, "cheap": 0.0}  # they cost little beside what a move costs in Python
    if game.players == 1:
        found |= {"teacher": min(found.get("teacher", 2000), 300), "openings": 0, "plies": 0}
    found |= {name: value for name, value in given.items() if value is not None}
    recipe = Recipe.from_dict(found)
    _check_effects(game, recipe, {name for name, value in given.items() if value is not None})
    cheap = recipe.cheap_simulations
    if given.get("simulations") is not None and given.get("cheap_simulations") is None:
        cheap = max(1, recipe.simulations // 4)
    return dataclasses.replace(recipe, cheap_simulations=cheap, threads=min(recipe.threads, cores()))


def _check_effects(game: Game, recipe: Recipe, given: set[str]) -> None:
    """Refuse settings that were given and have no effect beside the others, or in the game."""
    for name in ("blocks", "filters", "width", "seats", "leaves") if recipe.fast else ("hidden", "squared"):
        if name in given:
            what = "a fast network; leave it out" if recipe.fast else "convolutions; leave it out, or turn fast on"
            raise SettingsError(f"training: {name} has no meaning for {what}")
    unused = [name for name in ("forced", "noise", "shaped") if name in given and getattr(recipe, name)]
    if recipe.gumbel and unused:
        name, value = unused[0], getattr(recipe, unused[0])
        own = "plans all visits of the root" if name == "forced" else "has noise of its own"
        raise SettingsError(f"training: {name} is {_word(value)}, but gumbel {own}; leave {name} out, or gumbel off")
    if recipe.shaped and not recipe.noise:
        raise SettingsError("training: shaped is on, but noise is 0, so that there is none to shape; change one")
    if "considered" in given and not recipe.gumbel:
        raise SettingsError(
            f"training: considered is {recipe.considered}, but gumbel is off, and only that looks at some actions; "
            f"turn gumbel on, or leave considered out"
        )
    if "considered" in given and recipe.considered > game.max_actions:
        raise SettingsError(
            f"training: considered is {recipe.considered}, and {game.title} has at most {game.max_actions} actions; "
            f"expected 1 to {game.max_actions}"
        )


def _word(value: Any) -> str:
    return "on" if value is True else f"{value:g}"


def _shown(limit: float) -> str:
    """
    >>> _shown(1_000_000), _shown(0.99), _shown(1000.0)
    ('1,000,000', '0.99', '1,000')
    """
    return f"{limit:,}" if isinstance(limit, int) else f"{limit:,g}"


def value_kind(game: Game) -> str:
    """`scalar` where the mover's value determines everybody's, otherwise `players`."""
    return "scalar" if game.one_value_tells_all else "players"
