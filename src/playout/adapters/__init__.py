"""Other people's environments as games, and our games as environments (docs/environments.md).

`from_gymnasium`, `from_pettingzoo`, `from_openspiel` and `from_chess` give games that every search accepts; `act` plans
one step. `gym_env`, `pettingzoo_env` and `openspiel_bot` go the other way. Each package is an extra, imported when it
is used.
"""

from . import specs
from .act import act
from .chess import from_chess
from .environments import gym_env, pettingzoo_env
from .gymnasium import from_gymnasium
from .openspiel import from_openspiel, openspiel_bot
from .pettingzoo import from_pettingzoo

__all__ = [
    "act",
    "from_chess",
    "from_gymnasium",
    "from_openspiel",
    "from_pettingzoo",
    "gym_env",
    "openspiel_bot",
    "pettingzoo_env",
]

specs.register()
