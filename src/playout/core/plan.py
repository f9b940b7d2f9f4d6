"""The plan of a root that halves its candidates: what `core/halving.py` keeps with the tree.

A small file on its own, because only such roots have one.
"""

import numpy as np

# What `core/root.py` follows: a plan of sequential halving at the root, and an entry for each of the root's edges.
PLAN = np.dtype(
    [
        ("ends", np.int64),  # the count of simulations at which the plan under way ends
        ("wanted", np.int64),  # the count at which the run under way ends; the next plan will end there, too
        ("length", np.int64),  # simulations of the plan
        ("rounds", np.int32),
        ("pool", np.int32),  # candidates of the last round, which come first; of the first round: all edges
        ("size", np.int32),  # how many of these this round takes
        ("entered", np.int32),  # how many it has taken; they come first
        ("base", np.int32),  # visits since the plan began that each candidate had when this round began
        ("goal", np.int32),  # visits that each is to have at the end of the round
    ]
)
CANDIDATE = np.dtype(
    [
        ("action", np.int32),
        ("place", np.int32),  # where its edge was last seen in the root's block
        ("start", np.int32),  # its visits when the plan began
        ("pad", np.int32),
        ("noise", np.float64),
        ("logit", np.float64),  # the logarithm of its prior, or 0 where priors don't count
    ]
)
