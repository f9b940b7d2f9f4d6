"""Policy-target pruning: what the policy learns from visits of which some were forced (Wu 2019, KataGo)."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from playout.core.views import scale_of
from playout.policies import PUCT
from playout.settings import Forced

from .lockstep import RootEdges
from .search import Search


def pruned_visits(search: Search, root: RootEdges) -> Any:
    """The visits of the root's edges without the forced ones, float64[n]; the most visited edge keeps all.

    Of another edge up to sqrt(k P N) visits are taken away, as long as PUCT would still score it lower than the most
    visited one. Where a single visit is left, it goes as well.
    """
    policy, rule = search.settings.policy, search.settings.root
    assert isinstance(policy, PUCT) and isinstance(rule, Forced)  # noqa: PT018  # one fact: self-play's own settings
    visits, best = root.edge_visits.astype(np.float64), int(np.argmax(root.edge_visits))
    total = visits.sum()
    node = SimpleNamespace(visits=root.visits, through=total, spread=0.0, width=0.0)
    subtract, multiply = scale_of(search.params, search.tree.bounds)
    values, shared = (root.values - subtract) * multiply, PUCT.prepare(policy, node, None)
    highest = values[best] + shared * root.priors[best] / (1.0 + visits[best])
    for i in range(len(visits)):
        if i == best or visits[i] == 0:
            continue
        forced, gap = np.floor(np.sqrt(rule.k * root.priors[i] * total)), highest - values[i]
        # With n visits, PUCT's score is below the highest if n is more than this.
        least = shared * root.priors[i] / gap - 1.0 if gap > 0.0 else np.inf
        visits[i] = max(visits[i] - forced, min(visits[i], np.floor(least) + 1.0), 0.0)
        if visits[i] <= 1.0:
            visits[i] = 0.0
    return visits
