"""What gives a leaf its value from outside the compiled loop: networks, functions, `ask` and `tell`."""

from .answers import NO_ANSWERS, LeafAnswers, LeafPolicy, LeafValue, answer_to_leaf
from .evaluator import SHIPPED, Evaluator, opened

__all__ = [
    "NO_ANSWERS",
    "SHIPPED",
    "Evaluator",
    "LeafAnswers",
    "LeafPolicy",
    "LeafValue",
    "answer_to_leaf",
    "opened",
]
