"""`Result`: what a search found; it does not change when the search goes on.

Here and in `Limits`, `nodes` counts the positions in the tree, the root included. The tree's array `nodes` holds fewer
records: a position that was seen once has none before its second visit.
"""

import math
from collections.abc import Collection
from dataclasses import dataclass, field
from functools import cached_property
from numbers import Real
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.common.arguments import checks_calls, did_you_mean, seed_from, whole_from
from playout.core import answer, halving
from playout.core import tree as core
from playout.core.params import GUMBEL, Params
from playout.core.tree import Tree
from playout.errors import PositionError, SettingsError
from playout.game import CHANCE, Position
from playout.parts.part import counts_of
from playout.report.explain import explain
from playout.report.html import result_html
from playout.report.text import result_table, result_text
from playout.settings import ANSWERS, Gumbel, Halving, Settings

from .found import BestFound, SeenLine, seen_line
from .lines import expected_line

if TYPE_CHECKING:
    from rich.table import Table

    from .search import Search


@dataclass(frozen=True)
class ActionStats:
    """One action at the root. `value` is for the player who moves there."""

    action: int
    text: str
    visits: int
    value: float | None  # mean return, exact if proven; None before the first visit
    error: float | None  # standard error of the value; 0 if proven, None before the second visit
    prior: float
    proven: float | None  # the exact value
    line: tuple[int, ...]  # the expected play, from the action itself on
    improved: float | None = None  # its share of the improved policy, where the root is Gumbel's
    wdl: tuple[int, int, int] | None = None  # wins, draws and losses of the player who moves; None: not counted

    def interval(self, z: float, limits: tuple[float, float] | None) -> tuple[float, float] | None:
        """The confidence interval of the value, cut at the range of the game."""
        if self.value is None or self.error is None:
            return None
        low, high = self.value - z * self.error, self.value + z * self.error
        return (max(low, limits[0]), min(high, limits[1])) if limits else (low, high)


@dataclass(frozen=True)
class TreeStats:
    """What one of several trees found by itself. Values are for the player who moves at the root."""

    seed: int  # with it and its number of simulations, a search with roots=1 grows the same tree
    simulations: int  # of this run
    visits: int  # of its root
    value: float
    proven: float | None
    best: int | None
    best_text: str | None
    value_of_best: float | None  # its value of the action that all trees together answer; None: not visited

    def to_dict(self) -> dict[str, Any]:
        """One JSON object; the action is given in the game's words."""
        return {
            "seed": self.seed,
            "simulations": self.simulations,
            "visits": self.visits,
            "value": self.value,
            "proven": self.proven,
            "best": self.best_text,
        }


@checks_calls
@dataclass(frozen=True)
class Result:
    """The outcome of a search from one position. Values are for the player who moves there."""

    position: Position
    settings: Settings
    simulations: int  # of this run
    seconds: float
    stopped_by: str  # "simulations", "seconds", "nodes", "bytes", "stop", "proven", "decided", "full"
    nodes: int  # positions in the tree
    edges: int
    bytes: int
    value: float
    proven: float | None
    best: int | None
    actions: tuple[ActionStats, ...]  # the most visited first, the best before its equals
    visits: int  # of the root, reused ones included
    leader_since: int  # the simulation at the root since which the best action has been the answer; several trees: now
    mean_depth: float  # of the simulations of this run
    max_depth: int
    playout_length: float  # mean number of actions in the playouts of this run
    z: float = field(repr=False, default=1.96)
    total: int | None = field(repr=False, default=None)  # simulations since the position was set; None: not known
    hits: int = 0  # graph search: how often a new edge led to a known position
    saved: int = 0  # graph search: edges that lead to a node another edge led to first
    moves: int = 0  # of players, played before as far as the search knows; outcomes of chance are not moves
    seed: int | None = None  # of the search: with it, the same search can be run again
    seen: SeenLine | None = field(repr=False, default=None)  # what `best_found` plays again
    trees: tuple[TreeStats, ...] = ()  # with several roots: what each of them found

    @property
    def best_found(self) -> BestFound | None:
        """One player without chance: the best complete line that any simulation has seen, in the tree or a playout."""
        return None if self.seen is None else self.seen.played

    @property
    def simulations_per_second(self) -> float:
        """The speed of this run."""
        return self.simulations / self.seconds if self.seconds > 0 else 0.0

    @property
    def temperature(self) -> float:
        """The temperature of the settings after `moves` moves. Give `policy` and `choose` another one if you know of
        more moves than the search does."""
        return self.settings.temperature_at(self.moves)

    @property
    def line(self) -> tuple[int, ...]:
        """The expected play from the root."""
        return self.stats(self.best).line if self.best is not None else ()

    @property
    def best_text(self) -> str | None:
        """The best action in the game's words."""
        return self.stats(self.best).text if self.best is not None else None

    @property
    def best_action(self) -> Any:
        """The best action as the game has it: a Python object's own action (its child, where it lists children),
        otherwise the number `best`."""
        return self.position.own_action(self.best) if self.best is not None else None

    def stats(self, action: int | str) -> ActionStats:
        """The statistics of one action, by its number or its text."""
        for stats in self.actions:
            if action in (stats.action, stats.text):
                return stats
        names = ", ".join(s.text for s in self.actions)
        raise SettingsError(f"{self.position.game.title}: no action {action!r} at the root (there are: {names})")

    def interval(self, action: int | str) -> tuple[float, float] | None:
        """The confidence interval of an action's value."""
        return self.stats(action).interval(self.z, self.position.game.range)

    def line_text(self, line: tuple[int, ...]) -> list[str]:
        """A line of play in the game's own words."""
        texts, position = [], self.position
        for i, action in enumerate(line):
            if i:  # the last action is not played: it may be untried, and its rules may fail
                position = position.play(line[i - 1])
            texts.append(position.action_text(action))
        return texts

    def policy(self, temperature: float | None = None) -> dict[int, float]:
        """How often each action should be chosen: visits^(1 / temperature), normalised; at 0, the best one only.

        With a Gumbel root, the improved policy, softmax(logits + sigma(completed values)), takes the place of visits,
        which follow its plan. Uniform if no action has a visit. At a proven root only the actions of the proven value
        count: a proof ends the search, so visits say little there. With one player, a proven action gets no more
        visits: if it is the best, it counts as the most visited.
        """
        temperature = self.temperature if temperature is None else temperature
        if not isinstance(temperature, Real) or not temperature >= 0.0 or math.isinf(temperature):
            raise SettingsError(f"temperature is {temperature!r}, expected a number of at least 0")
        if self.position.player == CHANCE:
            raise PositionError(
                f"{self.position.game.title}: chance moves in {self.position.text}; there is no action to choose"
            )
        if temperature == 0.0 and self.best is not None:
            return {s.action: float(s.action == self.best) for s in self.actions}
        among = [s for s in self.actions if self._may_choose(s)]
        most: float = max((s.visits for s in among), default=0)
        visits: dict[int, float] = {s.action: s.visits for s in among}
        if all(s.improved is not None for s in among):
            visits = {s.action: s.improved or 0.0 for s in among}
            most = max(visits.values(), default=0)
        if self.best is not None and self.position.game.players == 1 and self.stats(self.best).proven is not None:
            visits[self.best] = most
        weights = {a: 1.0 if most == 0 else (n / most) ** (1.0 / float(temperature)) for a, n in visits.items()}
        total = sum(weights.values())
        return {s.action: weights.get(s.action, 0.0) / total for s in self.actions}

    def _may_choose(self, stats: ActionStats) -> bool:
        """Whether an action keeps the proven result, if there is one."""
        if self.proven is None or self.best is None or (best := self.stats(self.best).proven) is None:
            return True
        return stats.proven is not None and stats.proven >= best

    def choose(self, temperature: float | None = None, seed: int | None = None) -> int:
        """An action drawn from `policy`; without a seed, a different one each time."""
        policy, game = self.policy(temperature), self.position.game.title
        if self.position.is_terminal:
            raise PositionError(f"{game}: the game is over in {self.position.text}; there is no action to choose")
        if self.visits == 0 and self.best is None:
            raise SettingsError(f"{game}: nothing to choose from before the first simulation; call run first")
        source = np.random.default_rng(None if seed is None else seed_from(seed))
        return int(source.choice(list(policy), p=list(policy.values())))

    def to_dict(self) -> dict[str, Any]:
        """One JSON object; actions are given in the game's words."""
        return {
            "game": self.position.game.title,
            "position": self.position.text,
            "simulations": self.simulations,
            "seconds": round(self.seconds, 6),
            "simulations_per_second": round(self.simulations_per_second, 1),
            "nodes": self.nodes,
            "bytes": self.bytes,
            "value": self.value,
            "proven": self.proven,
            "best": self.best_text,
            "line": self.line_text(self.line),
            "actions": [
                {
                    "action": s.text,
                    "visits": s.visits,
                    "value": s.value,
                    "prior": s.prior,
                    "proven": s.proven,
                    "wdl": list(s.wdl) if s.wdl is not None else None,
                    **({} if s.improved is None else {"improved": s.improved}),
                    "interval": list(i) if (i := s.interval(self.z, self.position.game.range)) else None,
                }
                for s in self.actions
            ],
            "visits": self.visits,
            "edges": self.edges,
            "stopped_by": self.stopped_by,
            "leader_since": self.leader_since,
            "mean_depth": self.mean_depth,
            "max_depth": self.max_depth,
            "playout_length": self.playout_length,
            "seed": self.seed,
            **({} if self.best_found is None else {"best_found": self.best_found.to_dict()}),
            **({"hits": self.hits, "saved": self.saved} if self.settings.transpositions else {}),
            **({"trees": [tree.to_dict() for tree in self.trees]} if self.trees else {}),
        }

    def explain(self) -> str:
        """Why this action and not the next best, in plain words."""
        return explain(self)

    def table(self, most: int | None = None) -> "Table":
        """The actions as a table for a terminal; `most`: only the first of them."""
        return result_table(self, None if most is None else whole_from(most, "most"))

    def _repr_html_(self) -> str:
        return result_html(self)

    def __str__(self) -> str:
        return result_text(self)

    def answer(self, rule: str | None = None, without: Collection[int] | int = ()) -> ActionStats | None:
        """The action that a rule of `Settings.answer` takes, leaving out the actions in `without`."""
        rule = self.settings.answer if rule is None else rule
        if not isinstance(rule, str) or rule not in ANSWERS:
            raise SettingsError(
                f"answer is {rule!r}, expected one of {', '.join(ANSWERS)}{did_you_mean(rule, ANSWERS)}"
            )
        without = [without] if isinstance(without, int | np.integer) else without
        plans = isinstance(self.settings.root, Gumbel | Halving) and rule == "visits"
        if plans and self.best is not None and self.best not in without:
            return self.stats(self.best)  # what the plan says
        found = [i for i, s in enumerate(self.actions) if s.action not in without]
        params, tree = self._root_alone
        nodes = tree.nodes.copy()
        root = nodes[core.ROOT]
        root["count"], root["proof"] = len(found), core.NO_PROOF
        if all(self.actions[i].proven is not None for i in found) or (not without and self.proven is not None):
            root["proof"] = core.END_PROOF
        tree = tree._replace(nodes=nodes, edges=tree.edges[found] if found else tree.edges)
        at = int(answer.best_edge(params._replace(answer=ANSWERS[rule]), tree, core.ROOT))
        return self.actions[found[at]] if at >= 0 else None

    @cached_property
    def _root_alone(self) -> tuple[Params, Tree]:
        """A tree of the root's edges alone, for the kernel's own rule of the answer."""
        game = self.position.game
        tree = core.new_tree(
            self.position.buffer, game.players, False, 0, core.NO_GRAPH, core.ROOT + 1, max(1, len(self.actions))
        )
        for edge, s in zip(tree.edges, self.actions, strict=False):
            edge["visits"], edge["value"] = s.visits, s.value or 0.0
            edge["child"] = -core.END if s.proven is not None else core.NO_NODE
            edge["spread"] = (s.error or 0.0) ** 2 * s.visits * (s.visits - 1)
        return self.settings.params(game), tree

    @cached_property
    def next_best(self) -> ActionStats | None:
        """The action that would be taken without the best one."""
        return self.answer(without=(self.best,)) if self.best is not None else None


def result_of(search: "Search", seconds: float, before: Any, reason: str) -> Result:
    """The result at a search's root; `before`: its counters when this run began."""
    tree, counters = search.tree, search.tree.counters
    root = tree.nodes[core.ROOT]
    simulations = int(counters[core.SIMULATIONS] - before[core.SIMULATIONS])
    block = tree.edges[root["first_edge"] : root["first_edge"] + root["count"]]
    best = -1 if root["player"] < 0 else int(answer.best_edge(search.params, tree, core.ROOT))
    # By visits, then value; the best comes before its equals.
    order = sorted(
        range(len(block)),
        key=lambda i: (-int(block[i]["visits"]), int(root["first_edge"]) + i != best, -float(block[i]["value"])),
    )
    improved = improved_policy(search.params, tree)
    actions = tuple(_stats(search, int(root["first_edge"]) + i, improved[i]) for i in order)
    proven = None
    if root["proof"] > core.NO_PROOF and root["player"] >= 0:
        proven = float(tree.proofs[root["proof"], root["player"]])
    leader = int(counters[core.LEADER]) == best
    return Result(
        position=search.position,
        settings=search.settings,
        simulations=simulations,
        seconds=seconds,
        stopped_by=reason,
        nodes=int(counters[core.POSITIONS]),
        edges=int(counters[core.EDGES]),
        bytes=core.used_bytes(tree),
        value=proven if proven is not None else float(root["value"]),
        proven=proven,
        best=int(tree.edges[best]["action"]) if best >= 0 else None,
        actions=actions,
        visits=int(root["visits"]),
        leader_since=int(counters[core.LEADER_SINCE] if leader else counters[core.SIMULATIONS]),
        mean_depth=float(counters[core.DEPTH_SUM] - before[core.DEPTH_SUM]) / max(1, simulations),
        max_depth=int(counters[core.DEPTH_MAX]),
        playout_length=float(counters[core.PLAYOUT_ACTIONS] - before[core.PLAYOUT_ACTIONS]) / max(1, simulations),
        z=search.params.z,
        total=int(counters[core.SIMULATIONS]),
        hits=int(counters[core.HITS]),
        saved=int(counters[core.SAVED]),
        moves=sum(before.player != CHANCE for before in search.history),
        seed=search.seed,
        seen=seen_line(search.runner),
    )


def improved_policy(params: Params, tree: Tree) -> list[float | None]:
    """The improved policy over the root's edges; None for each where the root is not Gumbel's or has no value yet."""
    count = int(tree.nodes[core.ROOT]["count"]) if len(tree.nodes) > core.ROOT else 0
    if params.root != GUMBEL or not tree.nodes[core.ROOT]["visits"]:
        return [None] * count
    out = np.zeros(count)
    halving.improve(params, tree, out)
    return list(out.tolist())


def _stats(search: "Search", number: int, improved: float | None) -> ActionStats:
    """The statistics of a root edge."""
    edge = search.tree.edges[number]
    visits, action = int(edge["visits"]), int(edge["action"])
    is_proven = edge["child"] < 0
    error = None
    if is_proven:
        error = 0.0
    elif visits > 1:
        error = math.sqrt(max(0.0, float(edge["spread"])) / (visits - 1) / visits)
    return ActionStats(
        action=action,
        text=search.position.action_text(action),
        visits=visits,
        value=float(edge["value"]) if visits else None,
        error=error,
        prior=float(edge["prior"]),
        proven=float(edge["value"]) if is_proven else None,
        line=expected_line(search.params, search.tree, number),
        improved=improved,
        wdl=counts_of(search.tree, number) if search.settings.wdl else None,
    )
