"""Changes to the root of a tree: a new one after a move, fewer actions, other priors."""

from collections.abc import Collection
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.core import answer, copying
from playout.core import tree as core
from playout.core.learned import decayed
from playout.core.params import OUTSIDE
from playout.core.rng import random_bits
from playout.core.tree import Tree
from playout.errors import SettingsError
from playout.game import CHANCE, Position
from playout.settings import Noise

if TYPE_CHECKING:
    from .runner import Runner

PROMINENT = 0.01  # the prior from which on an action stands out, however high it is
TINY = 1e-20


def subtree(runner: "Runner", after: Position, action: int) -> Tree | None:
    """The subtree of an action at the root as a tree of its own; None where there is none to keep."""
    old, params = runner.tree, runner.params
    node = old.nodes[core.ROOT]
    block = old.edges[node["first_edge"] : node["first_edge"] + node["count"]]
    at = np.flatnonzero(block["action"] == action)
    child = abs(int(block[at[0]]["child"])) if len(at) else core.NO_NODE
    if child <= core.END or params.open_loop:  # the nodes of an open loop mix all outcomes of chance
        return None
    used = [int(old.counters[i]) for i in (core.NODES, core.EDGES, core.PROOFS, core.POSITIONS)]
    tables = copying.rows(old, "amaf") + 1
    new = copying.grown(runner.new_tree(after, 0, used[0] + 1, used[1] + 1, tables), 0, 0, used[2] + 1, used[3])
    copying.copy_subtree(old, new, child, np.zeros(used[0] + 1, np.int32), np.zeros(used[0] + 1, np.int32))
    new.rng[:] = old.rng
    new.counters[core.REWARDED] = old.counters[core.REWARDED]
    if runner.settings.rollouts is not None:
        new.learned[:] = decayed(old.learned, runner.settings.rollouts.decay)
    new.bounds[:], new.policy[:], new.backup[:] = old.bounds, old.policy, old.backup
    if after.player != CHANCE:
        new.counters[core.LEADER] = answer.best_edge(params, new, core.ROOT)
    return new


def compact(runner: "Runner") -> Tree:
    """A copy of the tree without the gaps that threads leave, and with each node after its parent."""
    old = runner.tree
    used = [int(old.counters[i]) for i in (core.NODES, core.EDGES, core.PROOFS, core.POSITIONS)]
    new = copying.grown(runner.new_tree(runner.position, 0, used[0] + 1, used[1] + 1), 0, 0, used[2] + 1, used[3])
    copying.copy_subtree(old, new, core.ROOT, np.zeros(used[0] + 1, np.int32), np.zeros(used[0] + 1, np.int32))
    kept = ("bounds", "best", "line", "rng", "learned", "policy", "backup")
    counters = old.counters.copy()
    for index in (core.NODES, core.EDGES, core.PROOFS):
        counters[index] = new.counters[index]
    if counters[core.LEADER] >= 0:
        counters[core.LEADER] += new.nodes[core.ROOT]["first_edge"] - old.nodes[core.ROOT]["first_edge"]
    return new._replace(counters=counters, **{name: getattr(old, name).copy() for name in kept})


def restrict(runner: "Runner", only: Collection[int | str] | int | str) -> None:
    """Keep only the given actions at an unvisited root."""
    game, position, tree = runner.game, runner.position, runner.tree
    if game.draws:
        raise SettingsError(f"{game.title} draws its actions, so that `only` can't choose from them; leave it off")
    wanted = [only] if isinstance(only, str | int | np.integer) else only
    if not isinstance(wanted, Collection):
        raise SettingsError(f"{game.title}: only is {only!r:.80}, expected actions, as in [1, 2]")
    numbers, legal = {position.action(a) for a in wanted}, position.actions()
    if not numbers or not numbers.issubset(legal):
        names = ", ".join(position.action_text(a) for a in legal[:12])
        raise SettingsError(
            f"{game.title}: only is {only!r}, expected legal actions of {position.text or 'the start'} (such as "
            f"{names})"
        )
    root = tree.nodes[core.ROOT]
    first, count = int(root["first_edge"]), int(root["count"])
    block = tree.edges[first : first + count]
    kept = block[np.isin(block["action"], list(numbers))]
    kept["prior"] /= max(1e-9, float(kept["prior"].sum()))
    block[: len(kept)] = kept
    root["count"], tree.counters[core.EDGES] = len(kept), first + len(kept)
    if core.is_graph(tree):  # elsewhere in the tree this position has all its actions: no walk may find this node
        tree.node_links[core.ROOT]["key"] ^= np.uint64(0xFFFFFFFFFFFFFFFF)


def shape_priors(runner: "Runner") -> None:
    """Apply temperature and fresh Dirichlet noise to the root's priors, and sort its unvisited edges again."""
    settings, node = runner.settings, runner.tree.nodes[core.ROOT]
    noise, temperature = settings.noise, settings.root_temperature
    waits = runner.params.evaluator == OUTSIDE and node["visits"] == 0  # its priors are still to come
    if (noise is None and temperature == 1.0) or node["player"] == CHANCE or waits:
        return
    first, count, opened = int(node["first_edge"]), int(node["count"]), int(node["opened"])
    block = runner.tree.edges[first : first + count]
    if temperature != 1.0:
        block["prior"] = tempered(block["prior"], temperature)
    if noise is not None:
        with np.errstate(over="ignore"):
            generator = np.random.default_rng(int(random_bits(runner.tree.rng)))
        drawn = generator.dirichlet(alphas(noise, block["prior"]))
        block["prior"] = (1 - noise.fraction) * block["prior"] + noise.fraction * drawn
    order = opened + np.argsort(-block["prior"][opened:], kind="stable")
    block[opened:] = block[order]


def tempered(priors: Any, temperature: float) -> Any:
    """Priors to the power of 1 / temperature, scaled to sum to one; towards 0, all on the largest.

    >>> tempered(np.array([0.8, 0.2]), 2.0).round(3).tolist(), tempered(np.array([0.4, 0.4, 0.2]), 1e-300).tolist()
    ([0.667, 0.333], [0.5, 0.5, 0.0])
    """
    most = float(priors.max(initial=0.0))
    if most <= 0.0:
        return priors
    with np.errstate(under="ignore", over="ignore"):  # the largest is 1, whatever the power
        flat = (priors.astype(np.float64) / most) ** (1.0 / temperature)
    return flat / flat.sum()


def alphas(noise: Noise, priors: Any) -> Any:
    """The parameters of the Dirichlet distribution: the same for all, or shaped by the priors.

    Shaped as in KataGo (Wu 2019): half of their sum is spread evenly, the other half by how far ln(min(prior, 0.01)) is
    above its mean.

    >>> alphas(Noise(alpha=1.0, shaped=True), np.array([0.5, 0.01, 0.0001, 0.0001])).round(3).tolist()
    [1.5, 1.5, 0.5, 0.5]
    """
    even = np.full(len(priors), noise.alpha)
    logs = np.log(np.minimum(priors.astype(np.float64), PROMINENT) + TINY)
    above = np.maximum(0.0, logs - logs.mean())
    if not noise.shaped or above.sum() <= 0.0:
        return even
    return 0.5 * even + 0.5 * even.sum() * above / above.sum()
