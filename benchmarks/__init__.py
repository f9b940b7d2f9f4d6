"""How fast Playout is, beside its peers and beside C, in one run: `python -m benchmarks`."""
