"""How a network is taught: all settings and their checks. The network and its steps are set as in `Recipe`."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from playout.common.runtime import cores

from .lessons import Variety
from .recipe import check_hidden, check_names, check_settings


@dataclass(frozen=True)
class TaughtRecipe:
    """The settings of a taught network. A run that is resumed has the same ones."""

    # Lessons.
    positions: int = 100_000  # different ones that the teacher labels, at least
    games: int = 32  # in a part
    openings: int = 8  # the most random actions that a game begins with
    stray: float = 0.1  # the share of later actions that are random
    drawn: int = 12  # actions after the opening that are drawn by the teacher's weights; then its best is played
    decided: int = 8  # positions in a row with a value beyond 0.98 after which a game is stopped; 0: none
    max_moves: int = 400  # after which a game is stopped
    # The network.
    hidden: int = 128
    squared: bool = True  # the hidden layer's clipped sums are squared
    wdl: bool = False  # the value is that of win, draw and loss instead of one number
    base: bool = False  # the network builds on the game's own `evaluate` and `priors`, and learns what they miss
    # Learning.
    held_out: float = 0.05  # the share of positions that is not learnt from, but measured on
    result: float = 0.25  # the share of how the game went on in the value to learn; the rest is the teacher's value
    value_weight: float = 1.0  # of the value's loss beside the policy's
    epochs: int = 10  # how often every position is learnt from
    batch: int = 1024  # with few positions less: an epoch has at least 100 steps, of 32 or more
    rate: float = 0.004  # the first learning rate; it falls to nothing along a cosine
    decay: float = 0.0  # weight decay
    workers: int = 1
    threads: int = 1  # of PyTorch
    seed: int = 0

    def __post_init__(self) -> None:
        check_settings(self, LIMITS, ("squared", "wdl", "base"))
        check_hidden(self.hidden)

    @property
    def variety(self) -> Variety:
        """How lessons are played."""
        return Variety(**{f.name: getattr(self, f.name) for f in dataclasses.fields(Variety)})

    def to_dict(self) -> dict[str, Any]:
        """All settings, for JSON."""
        return dataclasses.asdict(self)

    @classmethod
    def from_dict(cls, data: Mapping[str, Any]) -> "TaughtRecipe":
        """A recipe from settings by name; `SettingsError` for an unknown name."""
        check_names(cls, data)
        return cls(**data)


LIMITS: tuple[tuple[str, float, float], ...] = (
    ("positions", 1, 1_000_000_000),
    ("games", 1, 100_000),
    ("openings", 0, 1000),
    ("stray", 0.0, 1.0),
    ("drawn", 0, 1_000_000),
    ("decided", 0, 1_000_000),
    ("max_moves", 1, 1_000_000),
    ("hidden", 8, 1024),
    ("held_out", 0.001, 0.9),
    ("result", 0.0, 1.0),
    ("value_weight", 0.0, 1000.0),
    ("epochs", 1, 10_000),
    ("batch", 2, 65536),
    ("rate", 1e-7, 1.0),
    ("decay", 0.0, 1.0),
    ("workers", 1, 256),
    ("threads", 1, 64),
    ("seed", 0, 2**63),
)


def taught_recipe_for(**given: Any) -> TaughtRecipe:
    """The recipe with what is given, on all cores."""
    return TaughtRecipe.from_dict({"workers": cores(), **{k: v for k, v in given.items() if v is not None}})
