"""What a game is: compiled rules over a record (`Game`), any Python object (`wrap`), and a position of either."""

from .checks import REQUIRED, field_of
from .game import CHANCE, TERMINAL, Game
from .position import Playouts, Position

__all__ = ["CHANCE", "REQUIRED", "TERMINAL", "Game", "Playouts", "Position", "field_of"]
