"""Chess: all of FIDE's rules that end a game; positions as FEN, moves as UCI or SAN."""

from .fen import write_history
from .game import Chess
from .leela import LeelaChess
from .pgn import PgnGame, read_pgn, write_pgn
from .san import from_san, to_san

__all__ = ["Chess", "LeelaChess", "PgnGame", "from_san", "read_pgn", "to_san", "write_history", "write_pgn"]
