"""How well players do at a game of one player."""

from .scores import (
    CONFIDENCE,
    ENDLESS,
    Evaluation,
    Record,
    Scores,
    bin_edges,
    bounds_text,
    evaluate,
    half_width,
    significant,
    with_error,
)

__all__ = [
    "CONFIDENCE",
    "ENDLESS",
    "Evaluation",
    "Record",
    "Scores",
    "bin_edges",
    "bounds_text",
    "evaluate",
    "half_width",
    "significant",
    "with_error",
]
