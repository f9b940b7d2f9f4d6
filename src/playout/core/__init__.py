"""The compiled core: knows NumPy and Numba, and nothing else of Playout."""
