"""`Step`: one simulation in full: selection, expansion, playout, backup.

A step calls the kernels of a run one by one, so that the tree afterwards is the same to the bit.
"""

from dataclasses import dataclass, field, fields, is_dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from playout.core import endings, simulate
from playout.core import evaluate as core_evaluate
from playout.core import expand as core_expand
from playout.core import select as core_select
from playout.core import tree as core
from playout.core.halving import prepare_root
from playout.core.params import ALONE, BATCHED, FORCED, GUMBEL, HALVING, ROLLOUTS
from playout.errors import PositionError, SettingsError
from playout.game import CHANCE, Playouts, Position
from playout.report.steps import step_text

if TYPE_CHECKING:
    from .runner import Runner

TRACE = 1 << 16  # the most actions of playouts that a step keeps
ENDINGS = {
    endings.NEW: "new",  # a position seen for the first time: it is evaluated
    endings.FINISHED: "finished",  # the game is over there
    endings.PROVEN: "proven",  # its exact value is known
    endings.ROOT_ITSELF: "root",
    endings.MET: "met",  # a new edge to a node that exists: its value is used
    endings.KNOWN: "known",  # a new edge to a position that was seen but has no node: it is evaluated again
    endings.CYCLE: "cycle",  # the walk came back to a position on its path
}
# The terms of the scores that the root's own rule compares (`show_root` in `core/root.py`).
ROOT_TERMS = {FORCED: ("wanted", "visits"), HALVING: ("value",), GUMBEL: ("value", "logit", "noise")}
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
    value_term: float  # the value in the score (normalised; for an unvisited edge, its assumed value)
    exploration_term: float
    score: float  # the sum of both; minus infinity while widening keeps it closed; of a chance outcome, its probability
    chosen: bool
    terms: dict[str, float] = field(default_factory=dict)  # of the score: the policy's `term_names`, or the root's own


@dataclass(frozen=True)
class Choice:
    """One node of the path: the player who chose there, the edges that were compared, and the one taken."""

    position: str
    player: int
    visits: int  # of the node, before this simulation
    edges: tuple[EdgeScore, ...]
    action: int
    text: str
    rewards: tuple[float, ...]  # of the action, for each player
    expanded: bool  # the node was added by this simulation


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
    """One playout from the leaf: its actions in the game's words, and its return for each player."""

    actions: tuple[str, ...]
    returns: tuple[float, ...]
    final_position: str
    positions: tuple[Position, ...] = field(default=(), repr=False, compare=False)  # after each action


@dataclass(frozen=True)
class Change:
    """A number that the backup changed. `path` holds the actions from the root to the node or through the edge."""

    what: str  # "node", "edge" or "tree"
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
    leaf_added: bool = False  # this simulation added the leaf to the tree
    positions: tuple[Position, ...] = field(default=(), repr=False, compare=False)  # along the path, the leaf's last

    def to_dict(self) -> dict[str, Any]:
        """One JSON object. Positions are texts; `action` is an action's text, `number` its number, `path` numbers."""
        data: dict[str, Any] = _plain(self)
        numbers = [choice.action for choice in self.selection]
        for change in data["backup"]:
            change["line"] = change["path"]
            change["path"] = numbers[: len(change["line"])]
        return data

    def __str__(self) -> str:
        return step_text(self)


def take_step(runner: "Runner") -> Step:
    """Run one simulation, phase by phase."""
    if core_expand.is_root_proven(runner.tree) and runner.params.solver:
        raise PositionError(
            f"{runner.game.title}: {runner.position.text or 'the start'} is proven; there is nothing left to search"
        )
    runner.make_room()
    _trace_on(runner)
    table, runner.rules = runner.rules, runner.with_parts(shown=True)
    try:
        with runner.game.using_random(runner.random, runner.control.overdue), runner.game.recording() as recorded:
            return _take(runner, recorded)
    finally:
        runner.rules = table
        runner.work = runner.new_work(len(runner.work.path_nodes))


def _trace_on(runner: "Runner") -> None:
    """Give the kernels arrays that keep the scores of the walk and the actions of the playouts."""
    runner.work = runner.new_work(len(runner.work.path_nodes), TRACE)
    runner.work.trace[0] = 1


def _take(runner: "Runner", recorded: Playouts | None) -> Step:
    rules, params, topology = runner.rules, runner.params, runner.topology
    batches, records_before = runner.batches, int(runner.tree.counters[core.NODES])
    ending, depth, player = _walk(runner)
    added = runner.work.path_nodes[depth - 1] if runner.tree.counters[core.NODES] > records_before else core.NO_NODE
    tree, work = runner.tree, runner.work
    numbers = work.path_nodes[:depth].tolist()
    expanded_at = numbers.index(added) if added in numbers else -1
    scores = [_scores(runner, number, d) for d, number in enumerate(numbers)]  # nothing has changed yet
    visits = [int(tree.nodes[number]["visits"]) for number in numbers]
    positions = _positions(runner, depth)
    choices = tuple(_choice(runner, positions[d], d, scores[d], visits[d], d == expanded_at) for d in range(depth))
    expansion = _expansion(runner, positions[expanded_at], expanded_at) if expanded_at >= 0 else None
    static, playouts = None, tuple[Playout, ...]()
    before = _numbers_on(runner, depth)
    evaluated = ending in (endings.NEW, endings.KNOWN, endings.ROOT_ITSELF)
    if batches is not None and evaluated:  # Steps 3, 2 and 4: the answer from outside makes the node, too
        static = returns = tuple(batches.answer_walk(depth, player).tolist())
        expansion = _answered(runner, positions[-1], depth)
    elif evaluated:  # Step 3. Evaluation
        code = runner.call(core_evaluate.evaluate, rules, params, tree, work, depth)
        if code < 0:
            runner.serve(endings.BAD_PLAYOUT, code)
        if params.evaluator != ROLLOUTS or params.static_too:
            static = tuple(work.values.tolist())
    else:
        simulate.known_returns(params, tree, work, topology, ending, depth)
    if batches is None or not evaluated:
        returns = tuple(work.returns.tolist())
        playouts = tuple(_playouts(runner, positions[-1], recorded))
        if not runner.call(simulate.leaf_fits, params, work, topology, ending, depth):
            runner.serve(endings.BAD_VALUE, depth)
        status = runner.call(
            simulate.finish, rules, params, tree, work, topology, ALONE, ending, depth, 0
        )  # Step 4. Backup
        runner.serve(status, 0)
    changes = _changes(runner, choices, before, _numbers_on(runner, depth))
    return Step(
        simulation=runner.simulations,
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


def _walk(runner: "Runner") -> tuple[int, int, int]:
    """Steps 1 and 2, selection and expansion; again from the same random numbers where memory was short."""
    prepare_root(runner.params, runner.tree)
    undo, batches = runner.tree.rng.copy(), runner.batches
    waiting = ALONE if batches is None else BATCHED
    while True:
        if batches is not None:
            batches.fit()
        kernel = (*runner.kernel_arguments, runner.topology)
        ending, depth, player = runner.call(core_select.select, *kernel, waiting, core.ROOT, 0)
        if ending == endings.UNEXPANDED:
            ending, depth, player = runner.call(simulate.expand_and_go_down, *kernel, depth, player)
        if ending not in (endings.DEEPER, endings.GROW):
            break
        runner.serve(ending, 0)
        _trace_on(runner)
        runner.tree.rng[:] = undo
    if ending >= endings.DONE:
        runner.serve(ending, player)
    return int(ending), int(depth), int(player)


def _answered(runner: "Runner", position: Position, depth: int) -> Expansion:
    """The node that an answer made of the leaf, or the root with its new priors."""
    number = core.ROOT
    if depth:
        number = abs(int(runner.tree.edges[runner.work.path_edges[depth - 1]]["child"]))
    return _expansion_of(runner, position, number, depth)


def _scores(runner: "Runner", number: int, depth: int) -> tuple[Any, Any, Any]:
    """The current edges of a node, the scores that the walk compared, and their terms."""
    tree, work = runner.tree, runner.work
    node = tree.nodes[number]
    first, count = int(node["first_edge"]), int(node["count"])
    block = tree.edges[first : first + count].copy()
    scores, terms = np.full(count, -np.inf), np.zeros((count, work.terms.shape[2]))
    if node["player"] == CHANCE:
        scores[:] = block["prior"]
        return block, scores, terms
    places = range(count)
    if runner.params.open_loop:
        actions = block["action"].tolist()
        listed = work.candidates[depth, :, 1].tolist()
        places = [actions.index(a) if a in actions else -1 for a in listed]  # type: ignore[assignment]
    for i in np.flatnonzero(~np.isnan(work.scores[depth])):
        if places[i] >= 0:
            scores[places[i]], terms[places[i]] = work.scores[depth, i], work.terms[depth, i]
    return block, scores, terms


def _positions(runner: "Runner", depth: int) -> list[Position]:
    """The positions along the path, the leaf's last."""
    positions, work = [runner.position], runner.work
    drawn = work.draws[1 : work.draws[0]] if len(work.draws) else work.draws
    draws = drawn.copy().view([("depth", np.int32), ("outcome", np.int32)])
    for d in range(depth):
        positions.append(positions[-1].play(int(runner.tree.edges[runner.work.path_edges[d]]["action"])))
        for outcome in draws[draws["depth"] == d]["outcome"].tolist():  # an open loop's chance
            positions[-1] = positions[-1].play(outcome)
    return positions


def _choice(runner: "Runner", position: Position, d: int, scores: Any, visits: int, expanded: bool) -> Choice:
    block, compared, terms = scores
    names = runner.settings.policy.term_names
    if d == 0 and runner.work.info[core.RULED]:
        names = ROOT_TERMS[runner.params.root]
    terms = terms[:, : len(names)]
    _check_terms(runner, position, block, terms)
    action = int(runner.tree.edges[runner.work.path_edges[d]]["action"])
    players, row = runner.game.players, d * runner.game.players
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
        rewards=tuple(runner.work.path_rewards[row : row + players].tolist()),
        expanded=expanded,
    )


def _check_terms(runner: "Runner", position: Position, block: Any, terms: Any) -> None:
    """Refuse a term that is not a number."""
    for i, k in np.argwhere(np.isnan(terms)):
        policy, action = runner.settings.policy, position.action_text(int(block[i]["action"]))
        raise SettingsError(
            f"{type(policy).__name__}.terms gave nan as '{policy.term_names[k]}' for action {action} in "
            f"{position.text or 'the start'}; return a number for every term (po.check_part finds such cases)"
        )


def _expansion(runner: "Runner", position: Position, depth: int) -> Expansion:
    return _expansion_of(runner, position, int(runner.work.path_nodes[depth]), depth)


def _expansion_of(runner: "Runner", position: Position, number: int, depth: int) -> Expansion:
    node = runner.tree.nodes[number]
    block = runner.tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]
    return Expansion(
        position=position.text,
        depth=depth,
        player=position.player,
        actions=tuple(position.action_text(int(a)) for a in block["action"]),
        priors=tuple(float(p) for p in block["prior"]),
    )


def _is_added(choices: tuple[Choice, ...], ending: int) -> bool:
    """Whether this simulation added the leaf to the tree."""
    if not choices or ending not in (endings.NEW, endings.FINISHED):
        return False
    return all(edge.visits == 0 for edge in choices[-1].edges if edge.chosen)


def _playouts(runner: "Runner", leaf: Position, recorded: Playouts | None) -> list[Playout]:
    """The recorded playouts, or those of the trace: its actions are played again for their texts."""
    if recorded is not None:
        return [
            Playout(texts, returns, (positions or (leaf,))[-1].text, positions)
            for texts, positions, returns in recorded
        ]
    trace, found = runner.work.trace, []
    actions: list[int] = []
    for number in trace[1 : trace[0]].tolist():
        if number != core_evaluate.END_OF_PLAYOUT:
            actions.append(number)
            continue
        position, texts, positions, returns, scale = leaf, [], [], np.zeros(runner.game.players), 1.0
        for action in actions:
            texts.append(position.action_text(action))
            position = position.play(action)
            positions.append(position)
            returns += scale * position.rewards
            scale *= runner.params.discount
        if runner.params.depth and not position.is_terminal and runner.game.has("evaluate"):
            returns += scale * np.array(position.evaluate())
        found.append(Playout(tuple(texts), tuple(returns.tolist()), position.text, tuple(positions)))
        actions = []
    return found


def _numbers_on(runner: "Runner", depth: int) -> list[tuple[str, int, str, float | int | None]]:
    """All numbers on the path that a backup may change, from the leaf up: (what, depth, field, number)."""
    tree, work = runner.tree, runner.work
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
        numbers.extend(("edge", d, name, column[work.path_edges[d]].item()) for name, column in runner.columns)
        numbers.append(("edge", d, "proven", float(edge["value"]) if edge["child"] < 0 else None))
        add_node(int(work.path_nodes[d]), d)
    if depth == 0:
        add_node(core.ROOT, 0)
    numbers.append(("tree", 0, "least", float(tree.bounds[core.LEAST])))
    numbers.append(("tree", 0, "greatest", float(tree.bounds[core.GREATEST])))
    numbers.append(("tree", 0, "best_found", float(tree.best[core.BEST_RETURN]) if len(tree.line) else None))
    return numbers


def _changes(runner: "Runner", choices: tuple[Choice, ...], before: list[Any], after: list[Any]) -> tuple[Change, ...]:
    texts = [choice.text for choice in choices]
    changes = []
    for (what, d, name, old), (_, _, _, new) in zip(before, after, strict=True):
        if old != new:
            path = tuple(texts[: d + 1] if what == "edge" else texts[:d])
            changes.append(Change(what, path, name, old, new))
    return tuple(changes)


def _plain(value: Any) -> Any:
    """A dataclass as JSON, without its positions."""
    if is_dataclass(value):
        found = {f.name: _plain(getattr(value, f.name)) for f in fields(value) if f.name != "positions"}
        if isinstance(value, EdgeScore | Choice):  # in JSON, `action` is the text
            found["number"], found["action"] = value.action, found.pop("text")
        return found
    return [_plain(v) for v in value] if isinstance(value, tuple) else value
