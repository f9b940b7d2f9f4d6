"""Several trees of one position as one answer: visits and values added up at the root, proofs joined."""

import dataclasses
import math
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from playout.core import answer
from playout.core import tree as core
from playout.core.params import Params
from playout.core.tree import Tree
from playout.game import CHANCE
from playout.parts.part import counts_of

from .forest import GrownTree, bytes_of, positions_in
from .found import SeenLine, seen_line
from .lines import expected_line, proven_line
from .result import ActionStats, Result, TreeStats

if TYPE_CHECKING:
    from .search import Search

MOST_VISITS = 2**31 - 1  # that an edge can hold; only the answer is found with so few
Found = tuple[Tree, int]  # an edge in a tree


@dataclasses.dataclass(frozen=True)
class MergedEdge:
    """One action at the root, from all trees that have it."""

    action: int
    visits: int
    value: float  # exact if proven
    spread: float  # sum of squared deviations from the mean
    prior: float
    proven: float | None
    found: tuple[Found, ...]  # where, in the order of the trees

    @property
    def shown(self) -> Found:
        """The edge whose line is shown: the most visited, of those that are proven if there are any."""
        proven = [(tree, edge) for tree, edge in self.found if tree.edges[edge]["child"] < 0]
        return max(proven or self.found, key=lambda one: int(one[0].edges[one[1]]["visits"]))


@dataclasses.dataclass(frozen=True)
class MergedRoot:
    """The root of all trees."""

    edges: tuple[MergedEdge, ...]
    visits: int
    value: float  # exact if proven
    proven: float | None
    tree: Tree  # of the root alone, for the kernel's rule of the answer
    best: int  # index of the answer in `edges`; -1: none

    @classmethod
    def of(cls, params: Params, trees: Sequence[Tree]) -> "MergedRoot":
        """The merged root of trees of one position."""
        roots = [tree.nodes[core.ROOT] for tree in trees]
        edges = tuple(_merged_edge(found) for found in _by_action(trees).values())
        visits = sum(int(root["visits"]) for root in roots)
        proven = _proven_value(trees, edges) if params.solver else None
        value = _mean((int(root["visits"]), float(root["value"])) for root in roots)
        alone = _root_alone(trees[0], edges, proven is not None)
        best = -1 if roots[0]["player"] < 0 else int(answer.best_edge(params, alone, core.ROOT))
        alone.counters[core.LEADER] = best
        return cls(edges, visits, value if proven is None else proven, proven, alone, best)


def is_proven(params: Params, trees: Sequence[Tree]) -> bool:
    """Whether the root is proven, by one tree or by all together."""
    if not params.solver:
        return False
    if any(tree.nodes[core.ROOT]["proof"] > core.NO_PROOF for tree in trees):
        return True
    found = _by_action(trees).values()
    return len(found) > 0 and all(any(tree.edges[edge]["child"] < 0 for tree, edge in one) for one in found)


def merged_result(search: "Search", seconds: float, before: Sequence[Any], reason: str) -> Result:
    """The result of a search with several trees; `before`: their counters when this run began."""
    grown, params, position = search.grown, search.params, search.position
    trees = search.trees
    root = MergedRoot.of(params, trees)
    run = sum(tree.counters - counters for tree, counters in zip(trees, before, strict=True))
    total = sum(tree.counters for tree in trees)
    simulations = int(run[core.SIMULATIONS])
    order = sorted(range(len(root.edges)), key=lambda i: (-root.edges[i].visits, i != root.best, -root.edges[i].value))
    best = root.edges[root.best].action if root.best >= 0 else None
    return Result(
        position=position,
        settings=search.settings,
        simulations=simulations,
        seconds=seconds,
        stopped_by=reason,
        nodes=positions_in(grown),
        edges=int(total[core.EDGES]),
        bytes=bytes_of(grown),
        value=root.value,
        proven=root.proven,
        best=best,
        actions=tuple(_stats(search, root.edges[i]) for i in order),
        visits=root.visits,
        leader_since=int(total[core.SIMULATIONS]),
        mean_depth=float(run[core.DEPTH_SUM]) / max(1, simulations),
        max_depth=max(int(tree.counters[core.DEPTH_MAX]) for tree in trees),
        playout_length=float(run[core.PLAYOUT_ACTIONS]) / max(1, simulations),
        z=params.z,
        total=int(total[core.SIMULATIONS]),
        hits=int(total[core.HITS]),
        saved=int(total[core.SAVED]),
        moves=sum(past.player != CHANCE for past in search.history),
        seed=search.seed,
        seen=best_line(grown),
        trees=tuple(_tree_stats(search, tree, counters, best) for tree, counters in zip(grown, before, strict=True)),
    )


def best_line(trees: Sequence[GrownTree]) -> SeenLine | None:
    """The best complete line that any tree has seen. The simulation that found it is left out: each tree counts its
    own."""
    lines = [line for tree in trees if (line := seen_line(tree.runner)) is not None]
    if not lines:
        return None
    best = max(lines, key=lambda line: -math.inf if line.played is None else line.played.value)
    return best if len(trees) == 1 else dataclasses.replace(best, simulation=None)


def shortest_proof(params: Params, trees: Sequence[Tree], action: int) -> tuple[int, ...]:
    """The shortest of the trees' proven lines through an action; empty where none is proven."""
    return min(filter(None, (proven_line(params, tree, action) for tree in trees)), key=len, default=())


# The parts of a merged root.


def _by_action(trees: Sequence[Tree]) -> dict[int, list[Found]]:
    """The root's edges by action, in the order of the first tree. In an open loop not all trees have all of them."""
    found: dict[int, list[Found]] = {}
    for tree in trees:
        root = tree.nodes[core.ROOT]
        for edge in range(int(root["first_edge"]), int(root["first_edge"]) + int(root["count"])):
            found.setdefault(int(tree.edges[edge]["action"]), []).append((tree, edge))
    return found


def _merged_edge(found: list[Found]) -> MergedEdge:
    """Add up the visits; the value is the mean of the values by visits, unless one of them is exact.

    The sum of squared deviations is that of all visits together: the sum of all, plus n (value - mean)^2 for each.
    """
    edges = [tree.edges[edge] for tree, edge in found]
    visits = sum(int(edge["visits"]) for edge in edges)
    exact = next((float(edge["value"]) for edge in edges if edge["child"] < 0), None)
    mean, spread = exact or 0.0, 0.0
    if exact is None and visits:
        mean = _mean((int(edge["visits"]), float(edge["value"])) for edge in edges)
        spread = sum(
            float(edge["spread"]) + int(edge["visits"]) * (float(edge["value"]) - mean) ** 2
            for edge in edges
            if edge["visits"]
        )
    told = (float(tree.edges[edge]["prior"]) for tree, edge in found if tree.nodes[core.ROOT]["visits"])
    priors = list(told) or [float(edges[0]["prior"])]  # a network's arrive with the first visit
    return MergedEdge(int(edges[0]["action"]), visits, mean, spread, sum(priors) / len(priors), exact, tuple(found))


def _mean(values: Iterable[tuple[int, float]]) -> float:
    """The mean of values by their visits; that of one tree is its value, without rounding.

    >>> _mean([(3, 0.1), (0, 9.0), (1, 0.5)])
    0.2
    """
    mean, total = 0.0, 0
    for visits, value in values:
        total += visits
        mean += visits / max(1, total) * (value - mean)
    return mean


def _proven_value(trees: Sequence[Tree], edges: Sequence[MergedEdge]) -> float | None:
    """The exact value of the root: one tree has proven it, or each action is proven in some tree."""
    for tree in trees:
        root = tree.nodes[core.ROOT]
        if root["proof"] > core.NO_PROOF and root["player"] >= 0:
            return float(tree.proofs[root["proof"], root["player"]])
    exact = [edge.proven for edge in edges if edge.proven is not None]
    return max(exact) if exact and len(exact) == len(edges) else None


def _root_alone(like: Tree, edges: Sequence[MergedEdge], proven: bool) -> Tree:
    """A tree of the merged root's edges alone."""
    tree = core.new_tree(like.root, like.proofs.shape[1], False, 0, core.NO_GRAPH, core.ROOT + 1, max(1, len(edges)))
    root = tree.nodes[core.ROOT]
    root["player"], root["count"], root["opened"] = like.nodes[core.ROOT]["player"], len(edges), len(edges)
    root["proof"] = core.END_PROOF if proven else core.NO_PROOF
    for edge, merged in zip(tree.edges, edges, strict=False):
        edge["action"], edge["visits"], edge["prior"] = merged.action, min(merged.visits, MOST_VISITS), merged.prior
        edge["value"], edge["spread"] = merged.value, merged.spread
        if merged.proven is not None:
            edge["child"] = -core.END
            root["flags"] |= core.EXACT_EDGE
    return tree


def _stats(search: "Search", edge: MergedEdge) -> ActionStats:
    error = 0.0 if edge.proven is not None else None
    if edge.proven is None and edge.visits > 1:
        error = math.sqrt(max(0.0, edge.spread) / (edge.visits - 1) / edge.visits)
    wdl = None
    if search.settings.wdl:
        counted = [counts_of(tree, number) for tree, number in edge.found]
        wins, draws, losses = (sum(one[i] for one in counted) for i in range(3))
        wdl = (wins, draws, losses)
    return ActionStats(
        action=edge.action,
        text=search.position.action_text(edge.action),
        visits=edge.visits,
        value=edge.value if edge.visits else None,
        error=error,
        prior=edge.prior,
        proven=edge.proven,
        line=expected_line(search.params, *edge.shown),
        wdl=wdl,
    )


def _tree_stats(search: "Search", grown: GrownTree, before: Any, best: int | None) -> TreeStats:
    """What one tree found by itself."""
    tree = grown.runner.tree
    alone = MergedRoot.of(search.params, [tree])
    chosen = alone.edges[alone.best].action if alone.best >= 0 else None
    found = next((edge for edge in alone.edges if edge.action == best and edge.visits), None)
    return TreeStats(
        seed=grown.runner.seed,
        simulations=int(tree.counters[core.SIMULATIONS] - before[core.SIMULATIONS]),
        visits=alone.visits,
        value=alone.value,
        proven=alone.proven,
        best=chosen,
        best_text=None if chosen is None else search.position.action_text(chosen),
        value_of_best=None if found is None else found.value,
    )
