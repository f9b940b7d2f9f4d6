"""Comparisons: variants of the search against the same references, at equal simulations and at equal time.

>>> from playout.compare import compare
>>> found = compare("target_sum", ["puct", "no-proofs"], games=2, simulations=50, workers=1)
>>> [row.name for row in found.sections[0].rows]
['puct', 'no-proofs']
"""

from playout.play.spec import Spec

from .comparison import Comparison, compare, make_comparison
from .result import ComparisonResult, EloRow, PointsRow, Section
from .variants import Variant, default_variants, read_variants

__all__ = [
    "Comparison",
    "ComparisonResult",
    "EloRow",
    "PointsRow",
    "Section",
    "Spec",
    "Variant",
    "compare",
    "default_variants",
    "make_comparison",
    "read_variants",
]
