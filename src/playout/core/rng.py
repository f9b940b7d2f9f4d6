"""Random numbers: SplitMix64, whose whole state is one uint64 in an array of length one.

The same seed gives the same numbers, compiled and uncompiled. A game's own playout policy gets the generator as `rng`
and calls `random_below(rng, n)` or `random_float(rng)`. A small file on its own, because games use it too.
"""

import math

import numpy as np

from .jit import njit

GOLDEN = np.uint64(0x9E3779B97F4A7C15)
MIX_1 = np.uint64(0xBF58476D1CE4E5B9)
MIX_2 = np.uint64(0x94D049BB133111EB)


@njit
def random_bits(rng):
    """The next 64 random bits.

    >>> with np.errstate(over="ignore"):
    ...     int(random_bits(np.array([0], np.uint64))) == 0xE220A8397B1DCDAF  # SplitMix64's first number from seed 0
    True
    """
    rng[0] += GOLDEN
    x = rng[0]
    x = (x ^ (x >> np.uint64(30))) * MIX_1
    x = (x ^ (x >> np.uint64(27))) * MIX_2
    return x ^ (x >> np.uint64(31))


@njit
def random_below(rng, n):
    """A whole number from 0 to n - 1."""
    return index_from(random_bits(rng), n)


@njit
def index_from(bits, n):
    """A whole number from 0 to n - 1, from the upper half of 64 random bits."""
    return np.int64(((bits >> np.uint64(32)) * np.uint64(n)) >> np.uint64(32))


@njit
def random_float(rng):
    """A number in [0, 1)."""
    return np.float64(random_bits(rng) >> np.uint64(11)) * (1.0 / 9007199254740992.0)


@njit
def random_normal(rng):
    """A number from the standard normal distribution (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - random_float(rng)))
    return radius * math.cos(2.0 * math.pi * random_float(rng))


@njit
def random_gumbel(rng):
    """A number from the standard Gumbel distribution, -ln(-ln(u))."""
    return -math.log(max(-math.log(1.0 - random_float(rng)), 2.0**-54))


@njit
def sample(rng, weights, count):
    """Draw an index below `count` by weight. Weights need not sum to one; if none is positive, the draw is uniform."""
    total = 0.0
    for i in range(count):
        total += weights[i]
    if not total > 0.0:
        return random_below(rng, count)
    rest = random_float(rng) * total
    last = 0
    for i in range(count):
        if weights[i] > 0.0:
            last = i
            rest -= weights[i]
            if rest < 0.0:
                return i
    return last
