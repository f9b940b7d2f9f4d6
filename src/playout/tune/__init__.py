"""Tuning: search settings by playing games, with Optuna's samplers, pruners and storage.

>>> from playout.tune import tune
>>> found = tune("target_sum", "c=0.2..3", trials=2, games=3, simulations=20, workers=1)
>>> [row.state for row in found.rows]
['complete', 'complete']
"""

from .result import MatchCheck, ScoreCheck, TrialRow, TuningResult
from .space import Choices, Range, Space, read_space
from .tuning import Tuning, make_tuning, tune

__all__ = [
    "Choices",
    "MatchCheck",
    "Range",
    "ScoreCheck",
    "Space",
    "TrialRow",
    "Tuning",
    "TuningResult",
    "make_tuning",
    "read_space",
    "tune",
]
