"""`Search` and what it gives back: results, steps, nodes of the tree, files."""

from .search import Search

__all__ = ["Search"]
