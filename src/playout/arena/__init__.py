"""The arena: matches between settings of the search, random players and UCI engines, and statistics of the results.

>>> from playout import arena
>>> result = arena.play_match("tictactoe", ["default,n=100", "random"], games=2, concurrency=1)
>>> len(result.records)
2
"""

from playout.play.clock import Clock
from playout.play.record import Record
from playout.play.spec import Spec, read_spec
from playout.play.tally import Tally, elo_of, score_of

from .match import Match, make_match, play_match
from .result import MatchResult
from .statistics import Rating, Sprt, bradley_terry

__all__ = [
    "Clock",
    "Match",
    "MatchResult",
    "Rating",
    "Record",
    "Spec",
    "Sprt",
    "Tally",
    "bradley_terry",
    "elo_of",
    "make_match",
    "play_match",
    "read_spec",
    "score_of",
]
