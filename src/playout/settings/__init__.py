"""How to search: settings, presets, and both by flat names and words."""

from playout.common.arguments import note_names, parameters

from .kinds import (
    ANSWERS,
    All,
    Falling,
    Forced,
    Gumbel,
    Halving,
    Mixed,
    Network,
    Noise,
    OneAtATime,
    Outside,
    Rollouts,
    Static,
    Widening,
    is_fast,
    is_outside,
)
from .options import OPTIONS, how_to_write, preset
from .params import ANSWER_SLACK, uses_priors
from .presets import BEST, PRESETS, WITH_NETWORK, preset_for, settings_from
from .settings import Settings, named

__all__ = [
    "ANSWERS",
    "ANSWER_SLACK",
    "BEST",
    "PRESETS",
    "WITH_NETWORK",
    "All",
    "Falling",
    "Forced",
    "Gumbel",
    "Halving",
    "Mixed",
    "Network",
    "Noise",
    "OneAtATime",
    "Outside",
    "Rollouts",
    "Settings",
    "Static",
    "Widening",
    "is_fast",
    "is_outside",
    "named",
    "preset",
    "preset_for",
    "settings_from",
    "uses_priors",
]

note_names("Settings", "'{0}' is given to Settings({0}=…)", parameters(Settings.__init__))
note_names("preset", how_to_write, lambda: OPTIONS)
note_names("preset's name", "write preset('{0}')", lambda: PRESETS)
