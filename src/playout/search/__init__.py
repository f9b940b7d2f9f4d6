"""`Search` and what it gives back: results, steps, nodes of the tree, files."""

from playout.common.arguments import note_names, parameters

from .search import Search

__all__ = ["Search"]

note_names("Search.run", "'{0}' is given to Search.run({0}=…)", parameters(Search.run))
note_names("Search", "'{0}' is given to Search({0}=…)", parameters(Search.__init__))
