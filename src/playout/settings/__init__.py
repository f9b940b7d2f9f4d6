"""How to search: settings, presets, and both by flat names and words."""

from playout.common.arguments import note_names, parameters

from .options import OPTIONS
from .settings import (
    ANSWER_SLACK,
    ANSWERS,
    BEST,
    PRESETS,
    All,
    Falling,
    Mixed,
    Network,
    Noise,
    OneAtATime,
    Outside,
    Rollouts,
    Settings,
    Static,
    Widening,
    named,
    preset,
    preset_for,
    settings_from,
    uses_priors,
)

__all__ = [
    "ANSWERS",
    "ANSWER_SLACK",
    "BEST",
    "PRESETS",
    "All",
    "Falling",
    "Mixed",
    "Network",
    "Noise",
    "OneAtATime",
    "Outside",
    "Rollouts",
    "Settings",
    "Static",
    "Widening",
    "named",
    "preset",
    "preset_for",
    "settings_from",
    "uses_priors",
]

note_names("Settings", "'{0}' is given to Settings({0}=…)", parameters(Settings.__init__))
note_names("preset", 'write preset("default", {0}=…)', lambda: OPTIONS)
