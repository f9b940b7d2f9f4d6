"""The engine for chess programs: UCI on standard input and output."""

from playout.play.clock import seconds_for_move

from .engine import Engine
from .go import Go, parse_go
from .info import centipawns, win_draw_loss

__all__ = ["Engine", "Go", "centipawns", "parse_go", "seconds_for_move", "win_draw_loss"]
