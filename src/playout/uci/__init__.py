"""The engine for chess programs: UCI on standard input and output."""

from playout.play.clock import seconds_for_move

from .engine import Engine, Go, centipawns, parse_go, win_draw_loss

__all__ = ["Engine", "Go", "centipawns", "parse_go", "seconds_for_move", "win_draw_loss"]
