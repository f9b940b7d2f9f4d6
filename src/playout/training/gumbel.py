"""Gumbel root selection: sequential halving over a few actions, which improves the policy with few simulations.

Danihelka, Guez, Schrittwieser, Silver: Policy improvement by planning with Gumbel, ICLR 2022. It is independent of the
search: the caller gives it visits and values, and gets the action to visit next.
"""

import math
from typing import Any

import numpy as np


class Halving:
    """Sequential halving over the actions of one position.

    `logits` of the legal actions; `considered`: how many of them to visit, those with the highest noise + logit;
    `simulations` to spend; `noise`: a Gumbel number for each action (zeros: the best actions by logit, for play without
    exploration). The simulations are split evenly over about log2(considered) rounds; after each, the better half
    stays.

    >>> halving = Halving(np.log([0.4, 0.3, 0.2, 0.1]), 2, 4, np.zeros(4))
    >>> halving.candidates
    [0, 1]
    >>> [halving.next(np.zeros(4, int), np.zeros(4)) for _ in range(4)]
    [0, 1, 0, 1]
    >>> halving.done
    True
    """

    def __init__(
        self,
        logits: Any,
        considered: int,
        simulations: int,
        noise: Any,
        value: float = 0.0,
        visit_offset: float = 50.0,
        scale: float = 1.0,
    ) -> None:
        self.logits, self.noise = np.asarray(logits, np.float64), np.asarray(noise, np.float64)
        self.value, self.visit_offset, self.scale = value, visit_offset, scale
        self.simulations, self.spent = simulations, 0
        count = max(1, min(considered, simulations, len(self.logits)))
        self.rounds = max(1, math.ceil(math.log2(count)))
        order = np.argsort(-(self.noise + self.logits), kind="stable")
        self.candidates: list[int] = [int(i) for i in order[:count]]
        self._left = self._passes()
        self._pass: list[int] = []

    @property
    def done(self) -> bool:
        """Whether all simulations are spent."""
        return self.spent >= self.simulations

    @property
    def pass_is_over(self) -> bool:
        """Whether the next action depends on new visits and values."""
        return not self._pass

    def next(self, visits: Any, q: Any) -> int:
        """The action to visit next, given `visits` and `q` of all actions; q is from 0 to 1, for the player to move."""
        if not self._pass:
            if self._left == 0:
                if len(self.candidates) > 2:
                    self._halve(visits, q)
                self._left = self._passes()
            self._left -= 1
            self._pass = list(self.candidates)
        self.spent += 1
        return self._pass.pop(0)

    def best(self, visits: Any, q: Any) -> int:
        """The action to play: the remaining candidate with the highest noise + logit + sigma(q)."""
        scores = self.scores(visits, q)
        return max(self.candidates, key=lambda i: float(scores[i]))

    def policy(self, visits: Any, q: Any) -> Any:
        """The improved policy, the target of the network: softmax(logits + sigma(completed q))."""
        scores = self.logits + self.sigma(visits, self.completed(visits, q))
        weights = np.exp(scores - scores.max())
        return weights / weights.sum()

    def scores(self, visits: Any, q: Any) -> Any:
        """What candidates are compared by: noise + logit + sigma(completed q)."""
        return self.noise + self.logits + self.sigma(visits, self.completed(visits, q))

    def sigma(self, visits: Any, q: Any) -> Any:
        """(50 + most visits) scale q: the more visits, the more values count against logits.

        >>> Halving([0.0], 1, 1, [0.0]).sigma(np.array([2]), np.array([0.5])).tolist()
        [26.0]
        """
        return (self.visit_offset + np.max(visits)) * self.scale * np.asarray(q, np.float64)

    def completed(self, visits: Any, q: Any) -> Any:
        """Values of all actions; those without a visit get a mix of the network's value and the visited ones' values,

        (v + N sum(p q) / sum(p)) / (1 + N), the sums over visited actions, N their visits, p the policy.

        >>> halving = Halving(np.log([0.5, 0.5]), 1, 1, np.zeros(2), value=0.5)
        >>> halving.completed(np.array([3, 0]), np.array([0.9, 0.0])).round(3).tolist()
        [0.9, 0.8]
        """
        visits, q = np.asarray(visits), np.asarray(q, np.float64)
        seen, total = visits > 0, int(visits.sum())
        weights = np.exp(self.logits - self.logits.max())
        share = float(weights[seen].sum())
        mixed = self.value
        if share > 0.0:
            mixed = (self.value + total * float(weights[seen] @ q[seen]) / share) / (1 + total)
        return np.where(seen, q, mixed)

    def _passes(self) -> int:
        """The visits of each candidate in a round."""
        return max(1, self.simulations // (self.rounds * len(self.candidates)))

    def _halve(self, visits: Any, q: Any) -> None:
        scores = self.scores(visits, q)
        kept = max(2, len(self.candidates) // 2)
        self.candidates = sorted(self.candidates, key=lambda i: -float(scores[i]))[:kept]
