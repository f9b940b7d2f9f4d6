"""What gives a leaf its value from outside the compiled loop: networks, functions, `ask` and `tell`."""

from .evaluator import SHIPPED, Evaluator, aligned, opened, valued

__all__ = ["SHIPPED", "Evaluator", "aligned", "opened", "valued"]
