"""Logarithms and roots of visit counts, looked up in tables that stay in the fastest cache.

Computing them took a third of a simulation's time. A small file on its own, because only policies use it: they call
`root_log` and `inverse_root`.
"""

import math

import numpy as np

from .jit import inlined

DIGITS = 9  # binary digits after the first one
ROOT_LOGS = np.array([math.sqrt(math.log(2.0**e * (1 + m / 2**DIGITS))) for e in range(32) for m in range(2**DIGITS)])
ROOTS = 4096  # a larger table would push the tree out of the cache
INVERSE_ROOTS = 1.0 / np.sqrt(np.maximum(1, np.arange(ROOTS)))


@inlined
def root_log(visits):
    """sqrt(ln N), with N rounded down to ten binary digits.

    That is exact below 1,024, and off by less than one part in ten thousand above.
    """
    bits = np.float32(max(1, visits)).view(np.uint32)  # a float has its exponent and leading digits side by side
    return ROOT_LOGS[np.uint32((bits >> np.uint32(23 - DIGITS)) - np.uint32(127 << DIGITS))]


@inlined
def inverse_root(visits):
    """1 / sqrt(n), and 1 for n = 0."""
    visits = np.uint32(visits)  # unsigned: Numba does not test for a negative index
    return INVERSE_ROOTS[visits] if visits < ROOTS else 1.0 / math.sqrt(visits)
