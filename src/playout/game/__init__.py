"""What a game is: compiled rules over a record (`Game`), any Python object (`wrap`), and a position of either."""

from .game import CHANCE, REQUIRED, TERMINAL, Game, Playouts, Position

__all__ = ["CHANCE", "REQUIRED", "TERMINAL", "Game", "Playouts", "Position"]
