"""The facts behind a choice, as one JSON object: why this action and not the next best.

`explain` writes the text from these alone; a page or a language model may take them and write its own text. An estimate
is never given as knowledge: only what the solver proved is called proven.
"""

from collections import Counter
from typing import TYPE_CHECKING, TypedDict

from playout.game import CHANCE
from playout.settings import ANSWERS, Gumbel, Halving, Network, Outside, uses_priors

from .words import proven_word

if TYPE_CHECKING:
    from playout.search.result import ActionStats, Result

LINE_SHOWN = 8  # actions of an expected line
FEW = 30  # with fewer visits, an interval from the normal distribution is not to be trusted


class ActionFacts(TypedDict):
    """One action at the root. Values are for the player who moves there."""

    action: str
    number: int
    visits: int
    share: float  # of the visits of all actions
    value: float | None  # None before the first visit
    interval: list[float] | None  # only where it means something
    prior: float
    wdl: list[int] | None  # wins, draws and losses, where they are counted
    proven: float | None
    proven_word: str | None  # "win", "loss", "draw", "best possible", "worst possible", or the value as text
    line: list[str]  # the expected play, its first actions
    line_length: int
    line_ends_game: bool
    line_through_chance: bool


class SearchFacts(TypedDict):
    """How much the search looked at."""

    simulations: int
    seconds: float
    simulations_per_second: float
    visits: int
    nodes: int
    mean_depth: float
    max_depth: int
    playout_length: float
    stopped_by: str


class FoundFacts(TypedDict):
    """The best complete line that one player without chance has seen anywhere."""

    value: float  # its return
    line: list[str]  # its first actions
    line_length: int
    number: int  # of its first action
    simulation: int | None  # that found it; None: an earlier one, or a proof


class PreferredFacts(TypedDict):
    """An action that some of several trees prefer."""

    action: str
    number: int
    roots: int  # how many of the trees


class ForestFacts(TypedDict):
    """Where several trees agree and disagree; see `Settings.roots`."""

    roots: int  # how many trees have searched
    preferred: list[PreferredFacts]  # the action that most of them prefer first
    values: list[float] | None  # the least and the greatest of their values of the best action; None: exact, or one


class ChoiceFacts(TypedDict):
    """Everything that an explanation is written from. Values are for the player who moves at the root.

    `situation`: "choice", "one action", "not searched", "chance", "over". `comparison` of the best with the next:
    "proven" (nothing can be better), "equal" (both proven, alike), "clear" (its interval lies above the other's),
    "lead" (ahead, but the intervals overlap), "toss-up" (each value lies within the other's interval), "behind" (its
    value is the lower one), "unknown" (too few visits to say), or None where there is nothing to compare.
    """

    game: str
    position: str
    player: int
    players: int
    range: list[float] | None
    situation: str
    confidence: float
    value: float | None
    proven: float | None
    proven_word: str | None
    legal: int
    visited: int
    best: ActionFacts | None
    next: ActionFacts | None
    proven_actions: dict[str, int]  # proven_word -> how many actions
    refuted: ActionFacts | None  # visited more than the best, until it was proven lost
    comparison: str | None
    higher_value: ActionFacts | None  # of a higher mean than the best
    rule: str  # of `Settings.answer`; "halving" or "gumbel" where the answer is that of the root's plan
    by_rule: dict[str, str]  # what each rule would answer
    solver: bool
    priors_from: str | None  # "network", "evaluator", "game"
    temperature: float
    leader_since: int
    simulations_here: int | None
    best_found: FoundFacts | None
    trees: ForestFacts | None  # only with several roots
    search: SearchFacts


def explain_data(result: "Result") -> ChoiceFacts:
    """The facts that `explain` is written from, as one JSON object."""
    game, position = result.position.game, result.position
    best = result.stats(result.best) if result.best is not None else None
    other = result.next_best
    rules = {rule: found.text for rule in ANSWERS if (found := result.answer(rule)) is not None}
    if best is not None:
        rules[result.settings.answer] = best.text
    kind = (game.players, game.range)
    refuted = next((s for s in result.actions if best and s.visits > best.visits and _is_lost(result, s)), None)
    higher = None
    if best is not None and best.value is not None:
        means = [s for s in result.actions if s.value is not None and s.value > best.value]
        higher = max(means, key=lambda s: s.value or 0.0, default=None)
    return {
        "game": game.title,
        "position": position.text,
        "player": position.player,
        "players": game.players,
        "range": list(game.range) if game.range else None,
        "situation": _situation(result),
        "confidence": result.settings.confidence,
        "value": result.value if result.visits else None,
        "proven": result.proven,
        "proven_word": proven_word(result.proven, *kind),
        "legal": len(result.actions),
        "visited": sum(s.visits > 0 for s in result.actions),
        "best": _facts(result, best) if best else None,
        "next": _facts(result, other) if other else None,
        "proven_actions": dict(Counter(w for s in result.actions if (w := proven_word(s.proven, *kind)))),
        "refuted": _facts(result, refuted) if refuted else None,
        "comparison": _comparison(result, best, other),
        "higher_value": _facts(result, higher) if higher else None,
        "rule": _rule(result),
        "by_rule": rules,
        "solver": result.settings.solver and not result.settings.open_loop,  # an open loop has no proofs
        "priors_from": _priors_from(result),
        "temperature": result.temperature,
        "leader_since": result.leader_since,
        "simulations_here": _total(result),
        "best_found": _found(result),
        "trees": _trees(result),
        "search": {
            "simulations": result.simulations,
            "seconds": result.seconds,
            "simulations_per_second": result.simulations_per_second,
            "visits": result.visits,
            "nodes": result.nodes,
            "mean_depth": result.mean_depth,
            "max_depth": result.max_depth,
            "playout_length": result.playout_length,
            "stopped_by": result.stopped_by,
        },
    }


def _situation(result: "Result") -> str:
    if result.position.is_terminal:
        return "over"
    if result.position.player == CHANCE:
        return "chance"
    if result.best is None:
        return "not searched"
    return "one action" if len(result.actions) == 1 else "choice"


def _rule(result: "Result") -> str:
    root, rule = result.settings.root, result.settings.answer
    return type(root).__name__.lower() if isinstance(root, Gumbel | Halving) and rule == "visits" else rule


def _priors_from(result: "Result") -> str | None:
    """Who says how much attention an action deserves before any search; None where the policy does not ask."""
    settings = result.settings
    asks = settings.policy.by_prior or isinstance(settings.root, Gumbel)
    if not asks or not uses_priors(settings):
        return None
    if isinstance(settings.evaluator, Network | Outside):
        return "network" if isinstance(settings.evaluator, Network) else "evaluator"
    return "game" if result.position.game.has("priors") else None


def _is_lost(result: "Result", stats: "ActionStats") -> bool:
    limits = result.position.game.range
    return stats.proven is not None and limits is not None and stats.proven <= limits[0]


def _facts(result: "Result", stats: "ActionStats") -> ActionFacts:
    game, total = result.position.game, sum(s.visits for s in result.actions)
    interval = _interval(result, stats)
    end, through_chance = result.position, False
    for action in stats.line:
        through_chance = through_chance or end.player == CHANCE
        end = end.play(action)
    return {
        "action": stats.text,
        "number": stats.action,
        "visits": stats.visits,
        "share": stats.visits / total if total else 0.0,
        "value": stats.value,
        "interval": list(interval) if interval else None,
        "prior": stats.prior,
        "wdl": list(stats.wdl) if stats.wdl is not None else None,
        "proven": stats.proven,
        "proven_word": proven_word(stats.proven, game.players, game.range),
        "line": result.line_text(stats.line[:LINE_SHOWN]),
        "line_length": len(stats.line),
        "line_ends_game": end.is_terminal,
        "line_through_chance": through_chance,
    }


def _interval(result: "Result", stats: "ActionStats") -> tuple[float, float] | None:
    """The interval, unless visits are few, or all returned the same: there may still be a spread that was not seen."""
    if stats.proven is None and (stats.visits < FEW or not stats.error):
        return None
    return stats.interval(result.z, result.position.game.range)


def _comparison(result: "Result", best: "ActionStats | None", other: "ActionStats | None") -> str | None:
    if best is None or other is None or best.value is None or other.value is None:
        return None
    limits = result.position.game.range
    if best.proven is not None:
        if other.proven is not None and best.proven == other.proven:
            return "equal"
        if limits is not None and best.proven >= limits[1]:
            return "proven"
        if all(s.proven is not None and s.proven <= best.proven for s in result.actions):
            return "proven"
    if best.value < other.value:
        return "behind"
    mine, theirs = _interval(result, best), _interval(result, other)
    if mine is None or theirs is None:
        return "unknown"
    if mine[0] > theirs[1]:
        return "clear"
    return "toss-up" if theirs[0] <= best.value <= theirs[1] and mine[0] <= other.value <= mine[1] else "lead"


def _found(result: "Result") -> FoundFacts | None:
    found = result.best_found
    if found is None:
        return None
    return {
        "value": found.value,
        "line": list(found.line[:LINE_SHOWN]),
        "line_length": len(found.line),
        "number": found.actions[0],
        "simulation": found.simulation,
    }


def _trees(result: "Result") -> ForestFacts | None:
    if not result.trees:
        return None
    number_of = Counter(tree.best for tree in result.trees if tree.best is not None)
    preferred: list[PreferredFacts] = [
        {"action": result.stats(action).text, "number": action, "roots": roots}
        for action, roots in number_of.most_common()
    ]
    values = [tree.value_of_best for tree in result.trees if tree.value_of_best is not None]
    is_exact = result.best is None or result.stats(result.best).proven is not None
    return {
        "roots": sum(number_of.values()),
        "preferred": preferred,
        "values": None if is_exact or len(values) < 2 else [min(values), max(values)],
    }


def _total(result: "Result") -> int | None:
    """Simulations since the position was set, which `leader_since` counts in; None where the result can't tell."""
    if result.total is not None:
        return result.total
    return result.simulations if result.simulations == result.visits else None
