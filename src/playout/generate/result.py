"""What a generated search found: `GeneratedResult`, the statistics of its generators, and the estimate of a dry run."""

from dataclasses import dataclass, field
from typing import Any, NamedTuple

from .tree import GeneratedNode, ScoreTally

SHOWN = 200  # characters of a state in a report


@dataclass
class GeneratorStats:
    """What a generator did in the whole search."""

    name: str
    calls: int = 0  # answered or failed
    failures: int = 0
    repeats: int = 0  # answers with a state that was known
    cost: float = 0.0
    seconds: float = 0.0
    tokens: int = 0
    answers: int = 0
    scores: ScoreTally = field(default_factory=ScoreTally, repr=False)

    @property
    def mean(self) -> float | None:
        """The mean of its scores."""
        return self.scores.mean if self.scores.count else None

    @property
    def best(self) -> float | None:
        """The best of its scores."""
        return self.scores.best if self.scores.count else None

    def to_dict(self) -> dict[str, Any]:
        """As plain data, for JSON."""
        kept = {k: v for k, v in vars(self).items() if k != "scores"}
        return {**kept, "mean": self.mean, "best": self.best}


class BestMoment(NamedTuple):
    """The best score, and the calls and cost at which it was found."""

    calls: int
    cost: float
    best: float


@dataclass(frozen=True)
class GeneratedResult:
    """What a run found, and what the whole search spent."""

    best: GeneratedNode | None  # the node of the highest score; the first of several
    calls: int  # of generators, counted over the life of the search
    cost: float
    seconds: float  # of this run
    stopped: str  # why the run ended: calls, cost, seconds, target, exhausted or stop; empty outside a run
    nodes: int
    generators: dict[str, GeneratorStats]
    history: list[BestMoment] = field(repr=False)  # each time that the best score rose

    @property
    def line(self) -> list[GeneratedNode]:
        """The nodes from the root to the best."""
        return self.best.line if self.best else []

    def to_dict(self) -> dict[str, Any]:
        """As plain data, with states as texts."""
        return {
            "best": None if self.best is None else node_data(self.best),
            "line": [node_data(node) for node in self.line],
            "calls": self.calls,
            "cost": self.cost,
            "seconds": self.seconds,
            "stopped": self.stopped,
            "nodes": self.nodes,
            "generators": {name: stats.to_dict() for name, stats in self.generators.items()},
            "history": [moment._asdict() for moment in self.history],
        }

    def __str__(self) -> str:
        if self.best is None:
            found = "nothing found yet"
        else:
            found = f"best score {self.best.score:.6g} (call {self.best.call}, depth {self.best.depth})"
        lines = [
            f"{found}; {self.calls:,} calls, cost {self.cost:.6g}, {self.nodes:,} nodes"
            + (f"; stopped by {self.stopped}" if self.stopped else "")
        ]
        if self.best is not None:
            lines.append(text_of_state(self.best.state))
        if len(self.generators) > 1:
            lines += [
                f"  {stats.name}: {stats.calls:,} calls, cost {stats.cost:.6g}"
                + ("" if stats.mean is None else f", mean {stats.mean:.4g}, best {stats.best:.4g}")
                for stats in self.generators.values()
            ]
        return "\n".join(lines)


class CallEstimate(NamedTuple):
    """What a run would ask for and cost; None: not known."""

    calls: int | None
    cost: float | None  # if the generators are asked equally often
    least: float | None  # if only the cheapest is asked
    most: float | None  # if only the dearest is
    seconds: float | None


def text_of_state(state: Any, most: int = SHOWN) -> str:
    """A state as a text that is not too long."""
    text = state if isinstance(state, str) else repr(state)
    return text if len(text) <= most else text[: most - 1] + "…"


def node_data(node: GeneratedNode, most: int = 20_000) -> dict[str, Any]:
    """A node as plain data."""
    return {
        "call": node.call,
        "parent": None if node.parent is None else node.parent.call,
        "state": text_of_state(node.state, most),
        "score": node.score,
        "generator": node.generator,
        "cost": node.cost,
        "depth": node.depth,
        "children": len(node.children),
        "visits": node.visits,
    }
