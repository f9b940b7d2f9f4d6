"""A package that adds to Playout."""
