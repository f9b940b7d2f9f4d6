"""Contests between ways to search, for comparisons and for tuning: their games, and the workers that play them."""

from .contests import Contest, MatchContest, ScoreContest, play_contests

__all__ = ["Contest", "MatchContest", "ScoreContest", "play_contests"]
