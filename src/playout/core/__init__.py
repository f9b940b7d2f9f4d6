"""The compiled core: it depends on NumPy and Numba, and on no other package of Playout."""
