"""How much the tests try: all of it in `make test-reference`, a part in each of the runs of `make test`."""

import os

from numba.core import config

from playout.core.jit import COMPILED

FULL_SIZE = os.environ.get("PLAYOUT_FULL_SIZE") == "1"
CHECKED = bool(config.BOUNDSCHECK)


def examples(full: int) -> int:
    """How many examples Hypothesis tries where `full` are tried at full size."""
    if FULL_SIZE:
        return full
    return full // 6 if COMPILED and not CHECKED else full // 20
