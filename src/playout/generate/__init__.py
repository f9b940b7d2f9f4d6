"""Searches whose children are generated: states that functions, models or prompts make from a parent, at a cost.

The tree is in plain Python and NumPy, not in the compiled core: a state is any Python object, a call takes from
microseconds to minutes, and what has to be kept is answers rather than millions of nodes. docs/generate.md shows it.
"""

from .answers import Answer
from .calls import Call, Pace
from .policies import ABMCTS, GeneratePolicy, GeneratingNode, Spend
from .prompts import judge, proposer
from .result import CallEstimate, GeneratedResult, GeneratorStats
from .search import GeneratedSearch
from .tree import GENERATE, GeneratedNode

__all__ = [
    "ABMCTS",
    "GENERATE",
    "Answer",
    "Call",
    "CallEstimate",
    "GeneratePolicy",
    "GeneratedNode",
    "GeneratedResult",
    "GeneratedSearch",
    "GeneratingNode",
    "GeneratorStats",
    "Pace",
    "Spend",
    "judge",
    "proposer",
]
