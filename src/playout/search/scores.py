"""The scores that a policy gives the actions of a node now, as the next simulation there would compare them."""

from typing import TYPE_CHECKING

import numpy as np

from playout.core import select as core_select
from playout.core import tree as core
from playout.core.params import ALONE, TREE
from playout.game import CHANCE, Position

if TYPE_CHECKING:
    from .runner import Runner

DEPTH = 4  # places on the path: enough for one choice, after which the way down ends
AT = 1  # the place of the node on it; 0 would be the root, whose own rule may choose


def scores_at(runner: "Runner", number: int, position: Position) -> dict[int, float]:
    """By action, the scores of a node's edges; those that the policy did not compare are left out.

    Empty in graphs and open loops, before the first visit, and where chance moves. The kernel that chooses puts the
    edge it takes in front of the unvisited ones and may draw random numbers: both are undone, so that the search goes
    on as if nothing had been asked.
    """
    tree, node = runner.tree, runner.tree.nodes[number]
    if runner.topology != TREE or node["player"] == CHANCE or not node["visits"] or runner.absent_parts():
        return {}
    block = slice(int(node["first_edge"]), int(node["first_edge"]) + int(node["count"]))
    before = node.copy(), tree.edges[block].copy(), tree.rng.copy(), tree.counters.copy()
    rules, work = runner.rules, runner.work
    try:
        runner.rules = runner.with_parts(shown=True, waiting=ALONE)
        runner.work = runner.new_work(DEPTH, 1)._replace(part=position.buffer.copy())
        runner.work.info[core.BY_RULE] = -1
        runner.call(core_select.select, *runner.kernel_arguments, runner.topology, ALONE, number, AT)
        scores = runner.work.scores[AT]
        known = np.flatnonzero(~np.isnan(scores[: block.stop - block.start]))
        return {int(tree.edges[block.start + i]["action"]): float(scores[i]) for i in known}
    finally:
        tree.nodes[number], tree.edges[block], tree.rng[:], tree.counters[:] = before
        runner.rules, runner.work = rules, work
