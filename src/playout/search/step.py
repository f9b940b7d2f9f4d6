"""One simulation with everything it does written down: selection, expansion, playout, backup.

A step calls the same four kernels as a run, one by one, so that the tree afterwards is the same to the bit.
"""

from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.core import backup as core_backup
from playout.core import endings
from playout.core import evaluate as core_evaluate
from playout.core import expand as core_expand
from playout.core import select as core_select
from playout.core import simulate as loop
from playout.core import tree as core
from playout.core.params import ROLLOUTS
from playout.errors import PositionError
from playout.game import CHANCE, Playouts, Position
from playout.report.steps import step_text

if TYPE_CHECKING:
    from .search import Search

TRACE = 1 << 16  # how many actions of playouts a step keeps
ENDINGS = {
    endings.NEW: "new",  # a position seen for the first time: it is evaluated
    endings.FINISHED: "finished",  # the game is over there
    endings.PROVEN: "proven",  # its exact value is known
    endings.ROOT_ITSELF: "root",
    endings.MET: "met",  # a new edge to a node that is there already: what that is worth
    endings.KNOWN: "known",  # a new edge to a position that was seen, but has no node yet: it is evaluated again
    endings.CYCLE: "cycle",  # the walk has come back to a position on its path
}
NODE_FIELDS = ("visits", "value", "own", "opened")
EDGE_FIELDS = ("visits", "value", "spread")


@dataclass(frozen=True)
class EdgeScore:
    """One child in the comparison. `value` and the terms are for the player who chooses."""

    action: int
    text: str
    visits: int
    value: float | None  # mean return; None before the first visit
    prior: float
    proven: bool
    value_term: float  # the value as the score counts it (normalised, or what an unvisited edge is taken for)
    exploration_term: float
    score: float  # their sum; minus infinity while widening keeps the edge closed; a chance outcome: its probability
    chosen: bool
    terms: dict[str, float] = field(default_factory=dict)  # what the score is made of, in the policy's own words


@dataclass(frozen=True)
class Choice:
    """One node of the path: who chose there, and between what."""

    position: str
    player: int
    visits: int  # of the node, before this simulation
    edges: tuple[EdgeScore, ...]
    action: int
    text: str
    rewards: tuple[float, ...]  # what the step brought, to each player
    expanded: bool  # the node was added by this very simulation


@dataclass(frozen=True)
class Expansion:
    """A position that became a node."""

    position: str
    depth: int
    player: int
    actions: tuple[str, ...]
    priors: tuple[float, ...]


@dataclass(frozen=True)
class Playout:
    """One playout from the leaf: its actions in the game's words, and what it brought each player."""

    actions: tuple[str, ...]
    returns: tuple[float, ...]
    final_position: str
    positions: tuple[Position, ...] = field(default=(), repr=False, compare=False)  # after each action


@dataclass(frozen=True)
class Change:
    """A number that the backup changed. `path` are the actions from the root to the node or through the edge."""

    what: str  # "node" or "edge"
    path: tuple[str, ...]
    field: str
    before: float | int | None
    after: float | int | None


@dataclass(frozen=True)
class Step:
    """One simulation in full."""

    simulation: int  # its number at this root, from 1
    selection: tuple[Choice, ...]
    expansion: Expansion | None
    leaf: str  # the position that was evaluated
    ending: str  # "new", "finished", "proven", "root", "met", "known", "cycle"
    playouts: tuple[Playout, ...]
    static_values: tuple[float, ...] | None  # the game's own evaluation, or a network's, where the settings ask for it
    returns: tuple[float, ...]  # from the leaf on, for each player
    backup: tuple[Change, ...]  # from the leaf up to the root
    leaf_added: bool = False  # the leaf is in the tree for the first time
    positions: tuple[Position, ...] = field(default=(), repr=False, compare=False)  # along the path, the leaf's last

    def to_dict(self) -> dict[str, Any]:
        """One JSON object; positions are there as texts."""
        data: dict[str, Any] = _plain(self)
        return data

    def __str__(self) -> str:
        return step_text(self)


def take_step(search: "Search") -> Step:
    """Run one simulation of a search, phase by phase."""
    if core_expand.is_root_proven(search.tree) and search.params.solver:
        raise PositionError(
            f"{search.game.title}: {search.position.text or 'the start'} is proven; no simulation is left to run"
        )
    search.make_room()
    plain = search._work
    search._work = search._new_work(len(plain.path_nodes), TRACE)
    search._work.trace[0] = 1
    table, search._rules = search._rules, search.with_parts(shown=True)
    try:
        with search.game.using_random(search._random, search._overdue), search.game.recording() as recorded:
            return _take(search, recorded)
    finally:
        search._rules = table
        search._work = search._new_work(len(search._work.path_nodes))


def _take(search: "Search", recorded: Playouts | None) -> Step:
    rules, params, topology = search._rules, search.params, search.topology
    outside = search._batches is not None
    nodes_before = int(search.tree.counters[core.NODES])
    ending, depth, player = _walk(search)
    added = search._work.path_nodes[depth - 1] if search.tree.counters[core.NODES] > nodes_before else core.NO_NODE
    tree, work = search.tree, search._work
    numbers = work.path_nodes[:depth].tolist()
    expanded_at = numbers.index(added) if added in numbers else -1
    scores = [_scores(search, number, d) for d, number in enumerate(numbers)]  # nothing has changed yet
    visits = [int(tree.nodes[number]["visits"]) for number in numbers]
    positions = _positions(search, depth)
    choices = tuple(_choice(search, positions[d], d, scores[d], visits[d], d == expanded_at) for d in range(depth))
    expansion = _expansion(search, positions[expanded_at], expanded_at) if expanded_at >= 0 else None
    static, playouts = None, tuple[Playout, ...]()
    before = _numbers_on(search, depth)
    evaluated = ending in (endings.NEW, endings.KNOWN, endings.ROOT_ITSELF)
    if outside and evaluated:  # Steps 3, 2 and 4: what comes from outside makes the node, too
        static = returns = tuple(search._batches.answer_walk(depth, player).tolist())
        expansion = _answered(search, positions[-1], depth)
    elif evaluated:  # Step 3. Evaluation
        code = search.call(core_evaluate.evaluate, rules, params, tree, work)
        if code < 0:
            search._serve(endings.BAD_PLAYOUT, code)
        if params.evaluator != ROLLOUTS:
            static = tuple(work.values.tolist())
    else:
        loop.known_returns(params, tree, work, topology, ending, depth)
    if not (outside and evaluated):
        returns = tuple(work.returns.tolist())
        playouts = tuple(_playouts(search, positions[-1], recorded))
        if not search.call(core_backup.returns_fit, params, work, topology, depth, loop.kind_of_value(params, ending)):
            search._serve(endings.BAD_VALUE, depth)
        status = search.call(loop.finish, rules, params, tree, work, topology, ending, depth)  # Step 4. Backup
        search._serve(status, 0)
    changes = _changes(search, choices, before, _numbers_on(search, depth))
    return Step(
        simulation=search.simulations,
        selection=choices,
        expansion=expansion,
        leaf=positions[-1].text,
        ending=ENDINGS[ending],
        playouts=playouts,
        static_values=static,
        returns=returns,
        backup=changes,
        leaf_added=_is_added(choices, ending),
        positions=tuple(positions),
    )


def _walk(search: "Search") -> tuple[int, int, int]:
    """Steps 1 and 2, selection and expansion, as often as it takes to have room for them: as `select` has it."""
    undo, outside = search.tree.rng.copy(), search._batches is not None
    while True:
        if outside:
            search._batches.fit()
        kernel = (search._rules, search.params, search.tree, search._work, search.topology)
        ending, depth, player = search.call(core_select.select, *kernel, outside, -1)
        if ending == endings.UNEXPANDED:
            ending, depth, player = search.call(loop.expand_and_go_down, *kernel, depth, player)
        if ending not in (endings.DEEPER, endings.GROW):
            break
        search._serve(ending, 0)  # the same random numbers again
        search._work = search._new_work(len(search._work.path_nodes), TRACE)
        search._work.trace[0] = 1
        search.tree.rng[:] = undo
    if ending >= endings.DONE:
        search._serve(ending, player)
    return int(ending), int(depth), int(player)


def _answered(search: "Search", position: Position, depth: int) -> Expansion:
    """The node that an answer made of the leaf, or the root with the priors that it gave."""
    number = core.ROOT
    if depth:
        number = abs(int(search.tree.edges[search._work.path_edges[depth - 1]]["child"]))
    return _expansion_of(search, position, number, depth)


def _scores(search: "Search", number: int, depth: int) -> tuple[Any, Any, Any]:
    """The edges of a node as they are now, the scores that the walk compared, and their terms."""
    tree, work = search.tree, search._work
    node = tree.nodes[number]
    first, count = int(node["first_edge"]), int(node["count"])
    block = tree.edges[first : first + count].copy()
    scores, terms = np.full(count, -np.inf), np.zeros((count, work.terms.shape[2]))
    if node["player"] == CHANCE:
        scores[:] = block["prior"]
        return block, scores, terms
    places = range(count)
    if search.params.open_loop:
        actions = block["action"].tolist()
        listed = work.candidates[depth, :, 1].tolist()
        places = [actions.index(a) if a in actions else -1 for a in listed]  # type: ignore[assignment]
    for i in np.flatnonzero(~np.isnan(work.scores[depth])):
        if places[i] >= 0:
            scores[places[i]], terms[places[i]] = work.scores[depth, i], work.terms[depth, i]
    return block, scores, terms


def _positions(search: "Search", depth: int) -> list[Position]:
    """The positions along the path, the leaf's last."""
    positions, work = [search.position], search._work
    drawn = work.draws[1 : work.draws[0]] if len(work.draws) else work.draws
    draws = drawn.copy().view([("depth", np.int32), ("outcome", np.int32)])
    for d in range(depth):
        positions.append(positions[-1].play(int(search.tree.edges[search._work.path_edges[d]]["action"])))
        for outcome in draws[draws["depth"] == d]["outcome"].tolist():  # an open loop's chance
            positions[-1] = positions[-1].play(outcome)
    return positions


def _choice(search: "Search", position: Position, d: int, scores: Any, visits: int, expanded: bool) -> Choice:
    block, compared, terms = scores
    names = search.settings.policy.term_names
    action = int(search.tree.edges[search._work.path_edges[d]]["action"])
    players, row = search.game.players, d * search.game.players
    edges = tuple(
        EdgeScore(
            action=int(edge["action"]),
            text=position.action_text(int(edge["action"])),
            visits=int(edge["visits"]),
            value=float(edge["value"]) if edge["visits"] else None,
            prior=float(edge["prior"]),
            proven=bool(edge["child"] < 0),
            value_term=float(term[0]),
            exploration_term=float(score - term[0]) if np.isfinite(score) else 0.0,
            score=float(score),
            chosen=int(edge["action"]) == action,
            terms=dict(zip(names, map(float, term), strict=True)),
        )
        for edge, score, term in zip(block, compared, terms, strict=True)
    )
    return Choice(
        position=position.text,
        player=position.player,
        visits=visits,
        edges=edges,
        action=action,
        text=position.action_text(action),
        rewards=tuple(search._work.path_rewards[row : row + players].tolist()),
        expanded=expanded,
    )


def _expansion(search: "Search", position: Position, depth: int) -> Expansion:
    return _expansion_of(search, position, int(search._work.path_nodes[depth]), depth)


def _expansion_of(search: "Search", position: Position, number: int, depth: int) -> Expansion:
    node = search.tree.nodes[number]
    block = search.tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]
    return Expansion(
        position=position.text,
        depth=depth,
        player=position.player,
        actions=tuple(position.action_text(int(a)) for a in block["action"]),
        priors=tuple(float(p) for p in block["prior"]),
    )


def _is_added(choices: tuple[Choice, ...], ending: int) -> bool:
    """Whether the leaf is in the tree for the first time."""
    if not choices or ending not in (endings.NEW, endings.FINISHED):
        return False
    return all(edge.visits == 0 for edge in choices[-1].edges if edge.chosen)


def _playouts(search: "Search", leaf: Position, recorded: Playouts | None) -> list[Playout]:
    """The playouts as they were recorded, or from the trace: its actions are played again, to have them in words."""
    if recorded is not None:
        return [
            Playout(texts, returns, (positions or (leaf,))[-1].text, positions)
            for texts, positions, returns in recorded
        ]
    trace, found = search._work.trace, []
    actions: list[int] = []
    for number in trace[1 : trace[0]].tolist():
        if number != core_evaluate.END_OF_PLAYOUT:
            actions.append(number)
            continue
        position, texts, positions, returns, scale = leaf, [], [], np.zeros(search.game.players), 1.0
        for action in actions:
            texts.append(position.action_text(action))
            position = position.play(action)
            positions.append(position)
            returns += scale * position.rewards
            scale *= search.params.discount
        if search.params.depth and not position.is_terminal and search.game.has("evaluate"):
            returns += scale * np.array(position.evaluate())
        found.append(Playout(tuple(texts), tuple(returns.tolist()), position.text, tuple(positions)))
        actions = []
    return found


def _numbers_on(search: "Search", depth: int) -> list[tuple[str, int, str, float | int | None]]:
    """All numbers of the path that a backup may change, from the leaf up: (what, depth, field, number)."""
    tree, work = search.tree, search._work
    numbers: list[tuple[str, int, str, float | int | None]] = []

    def add_node(number: int, d: int) -> None:
        node = tree.nodes[number]
        numbers.extend(("node", d, name, node[name].item()) for name in NODE_FIELDS)
        exact = (
            float(tree.proofs[node["proof"], max(0, int(node["player"]))]) if node["proof"] > core.NO_PROOF else None
        )
        numbers.append(("node", d, "proven", exact))

    for d in range(depth - 1, -1, -1):
        edge = tree.edges[work.path_edges[d]]
        numbers.extend(("edge", d, name, edge[name].item()) for name in EDGE_FIELDS)
        numbers.extend(("edge", d, name, column[work.path_edges[d]].item()) for name, column in search.columns)
        numbers.append(("edge", d, "proven", float(edge["value"]) if edge["child"] < 0 else None))
        add_node(int(work.path_nodes[d]), d)
    if depth == 0:
        add_node(core.ROOT, 0)
    numbers.append(("tree", 0, "least", float(tree.bounds[core.LEAST])))
    numbers.append(("tree", 0, "greatest", float(tree.bounds[core.GREATEST])))
    return numbers


def _changes(search: "Search", choices: tuple[Choice, ...], before: list[Any], after: list[Any]) -> tuple[Change, ...]:
    texts = [choice.text for choice in choices]
    changes = []
    for (what, d, name, old), (_, _, _, new) in zip(before, after, strict=True):
        if old != new:
            path = tuple(texts[: d + 1] if what == "edge" else texts[:d])
            changes.append(Change(what, path, name, old, new))
    return tuple(changes)


def _plain(value: Any) -> Any:
    """A dataclass as JSON has it, without its positions."""
    if is_dataclass(value):
        return {f.name: _plain(getattr(value, f.name)) for f in fields(value) if f.name != "positions"}
    return [_plain(v) for v in value] if isinstance(value, tuple) else value
