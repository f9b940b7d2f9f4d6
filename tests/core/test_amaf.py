"""All moves as first (GRAVE, and users' policies that ask for it): against the oracle, by hand, and the traps: tables
of both players, or of another game, in one."""

import io
import math
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

import playout as po
from playout.core.copying import rows
from playout.core.jit import COMPILED
from playout.core.tree import AMAF, NO_NODE, ROOT
from tests.game.objects import Board
from tests.games.toy_games import Auction, Coins, Dice, GuidedNim, KeptDice, Lots, Nim, NimOfThree, TwiceNim
from tests.oracles.graph_oracle import GraphOracle, graphs_differ
from tests.oracles.oracle import Oracle
from tests.search.test_step import same_tree
from tests.sizes import examples

from .test_learning import Coded, KeptCoded, OwnPlayout
from .test_oracle import QUIET, SEEDS, assert_same


class Careful(po.Policy):
    """UCT whose prior mean is that of the action below the reference; it looks at all edges, and has a column."""

    c: float = 0.5
    least: int = 3
    amaf = "least"
    columns = np.dtype([("last", np.float64)])
    shared = np.dtype([("known", np.int64)])

    @staticmethod
    def look(policy, node, edge, shared, turn):
        shared.known += edge.amaf_visits > 0

    @staticmethod
    def update(policy, edge, got):
        edge.last = got

    @staticmethod
    def score(policy, node, edge, shared, rng):
        before = min(edge.amaf_visits, shared.known)
        mean = (edge.value * edge.visits + edge.amaf_value * before + edge.last) / (edge.visits + before + 1)
        return mean + policy.c * math.sqrt(math.log(max(1, node.visits)) / edge.visits)


# The oracle.


def tables(search):
    """The tables of a search's nodes, by the actions that lead there: {(player, code): (count, mean)}."""
    codes, found, todo = search.params.codes, {}, [((), ROOT)]
    for path, number in todo:
        row = int(search.tree.amaf_rows[number])
        if row:
            entries = search.tree.amaf[row]
            played = np.flatnonzero(entries["visits"])
            found[path] = {divmod(int(k), codes): tuple(entries[k].tolist()) for k in played}
        node = search.tree.nodes[number]
        for edge in search.tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]:
            child = abs(int(edge["child"]))
            if child > ROOT and len(path) < 30:
                todo.append(((*path, int(edge["action"])), child))
    return found


def oracle_tables(oracle):
    found, todo = {}, [((), oracle.root)]
    for path, node in todo:
        if node.table is not None:
            found[path] = node.table
        todo += [((*path, e.action), e.child) for e in node.edges if e.child is not None and len(path) < 30]
    return found


@st.composite
def asking(draw, game):
    """Settings with a policy that asks for statistics."""
    ref = draw(st.sampled_from([0, 1, 2, 5, 20]))
    policies = [po.GRAVE(ref, draw(st.sampled_from([0.0, 1e-5, 0.01, 1.0]))), Careful(least=ref)]
    learns = draw(st.sampled_from([{}, {}, {"mast": True}, {"nst": True}]))
    rollouts = po.Rollouts(
        n=draw(st.sampled_from([1, 1, 2])), depth=draw(st.sampled_from([None, None, 1, 4])), **learns
    )
    mixed = game.has("evaluate") and draw(st.booleans())
    backups = [po.Mean(), po.Mean()]
    if game.has("evaluate") and game.players == 2:
        backups.append(po.ImplicitMinimax())
    roots = [None, None, po.Halving(simulations=40), po.Forced(), po.Gumbel(considered=2, simulations=16)]
    return po.Settings(
        policy=draw(st.sampled_from(policies)),
        backup=draw(st.sampled_from(backups)),
        evaluator=po.Mixed(0.7, rollouts) if mixed else rollouts,
        solver=draw(st.booleans()),
        discount=draw(st.sampled_from([1.0, 1.0, 0.9])),
        expansion=draw(st.sampled_from([po.All(), po.All(first_visit=True), po.OneAtATime(), po.Widening()])),
        evaluate_root=draw(st.booleans()),
        unvisited=draw(st.sampled_from([None, None, 0.0, "infinity"])),
        root=draw(st.sampled_from(roots)),
        ties=draw(st.sampled_from(["random", "first"])),
    )


GAMES = [Coded, KeptCoded, NimOfThree, Lots, Dice, KeptDice, Coins, Auction, GuidedNim, TwiceNim]


@budget(max_examples=examples(300), deadline=None, suppress_health_check=QUIET)
@given(data=st.data(), kind=st.sampled_from(GAMES), graph=st.booleans(), seed=SEEDS)
def test_policies_see_what_the_oracles_see(data, kind, graph, seed):
    game = kind()
    settings = data.draw(asking(game))
    if graph:
        settings = settings.replace(transpositions=True, backup=po.Mean(), root=None)
    start = game.position()
    while start.player == po.CHANCE:
        start = start.play(start.actions()[0])
    search = po.Search(game, settings, position=start, seed=seed)
    oracle = (GraphOracle if graph else Oracle)(game, settings, start, seed)
    for simulations in data.draw(st.lists(st.integers(16, 120 if COMPILED else 50), min_size=1, max_size=3)):
        search.run(simulations)
        oracle.run(simulations)
        if graph:
            assert graphs_differ(search, oracle) is None
        else:
            assert_same(search, oracle)
            assert tables(search) == oracle_tables(oracle)
        action = search.result().best
        if graph or action is None:  # the oracle of graphs can't play on
            return
        search.play(action)
        oracle.play(action)
        while search.position.player == po.CHANCE:
            outcome = search.position.outcomes()[0][0]
            search.play(outcome)
            oracle.play(outcome)
        assert tables(search) == oracle_tables(oracle)
        if search.position.is_terminal:
            return


@pytest.mark.parametrize("name", ["connect4", "othello"])
def test_grave_grows_the_oracles_tree_on_boards(name):
    game, simulations = po.games.load(name), 300 if COMPILED else 40
    settings = po.Settings(policy=po.GRAVE(ref=10, bias=0.001))
    search, oracle = po.Search(game, settings, seed=4), Oracle(game, settings, seed=4)
    search.run(simulations)
    oracle.run(simulations)
    assert_same(search, oracle)
    assert tables(search) == oracle_tables(oracle)


@pytest.mark.parametrize("learns", [{"mast": True}, {"nst": True}], ids=["mast", "nst"])
def test_playouts_that_learn_leave_the_static_value_to_the_backup(learns):
    game, settings = Coded(), po.Settings(backup=po.ImplicitMinimax(), evaluator=po.Rollouts(**learns), solver=False)
    search, oracle = po.Search(game, settings, seed=3), Oracle(game, settings, seed=3)
    search.run(60)
    oracle.run(60)
    assert_same(search, oracle)


# By hand.


def test_each_player_has_entries_of_their_own():
    """Two stones: taking both wins, taking one lets the other player win by taking one. If the players shared entries,
    taking one would be worth less than 1 to the second player, and more than -1 to the first."""
    search = po.Search(Nim(stones=2), po.Settings(policy=po.GRAVE(), solver=False, unvisited="infinity"))
    search.run(20)
    found = tables(search)[()]
    assert {what: mean for what, (_, mean) in found.items()} == {(0, 1): -1.0, (0, 2): 1.0, (1, 1): 1.0}
    assert found[0, 1][0] + found[0, 2][0] == 20
    assert found[1, 1][0] == found[0, 1][0]


class Pay(po.Game):
    """One player, three turns: action a pays a. All of it counts."""

    players = 1
    max_actions = 3
    action_codes = 3
    state = np.dtype([("turn", np.int8)])

    @staticmethod
    def initial_state(state):
        state.turn = 0

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.turn == 3 else 0

    @staticmethod
    def legal_actions(state, actions):
        for i in range(3):
            actions[i] = i
        return 3

    @staticmethod
    def apply(state, action, rewards):
        rewards[0] = action
        state.turn += 1


class Spy(po.GRAVE):
    """Shows what it is told as terms."""

    term_names = ("visits", "mean", "rest")

    @staticmethod
    def terms(policy, node, edge, shared):
        count = edge.amaf_visits
        beta = count / max(1.0, count + edge.visits + policy.bias * count * edge.visits)
        score = (1.0 - beta) * edge.value + beta * edge.amaf_value
        return count, edge.amaf_value, score - count - edge.amaf_value


def test_an_action_counts_once_in_a_simulation_and_what_was_got_before_is_taken_off():
    """The root is the only reference. An action's mean there is that of all three payments; at the node after a first
    action, the step shows it less what that action paid."""
    settings = po.Settings(policy=Spy(ref=1000), solver=False, normalise=False, ties="first", unvisited=9.0)
    search = po.Search(Pay(), settings, seed=1)
    means, counts = {}, {}
    for _ in range(40):
        step = search.step()
        for i, choice in enumerate(step.selection):
            got = sum(other.action for other in step.selection[:i])
            for edge in choice.edges:
                count, mean = edge.terms["visits"], edge.terms["mean"]
                assert count == counts.get(edge.action, 0)
                assert mean == pytest.approx(means[edge.action] - got if count else 0.0, abs=1e-5)
        rest = step.playouts[0].actions if step.playouts else ()
        actions = [choice.action for choice in step.selection] + [int(a) for a in rest]
        assert len(actions) == 3
        for action in set(actions):
            counts[action] = counts.get(action, 0) + 1
            means[action] = means.get(action, 0.0) + (sum(actions) - means.get(action, 0.0)) / counts[action]
    assert {code: count for (_, code), (count, _) in tables(search)[()].items()} == counts


def test_a_node_is_its_own_reference_once_it_has_the_visits():
    """With `ref` = 0 only the node's own simulations count, with a high one those of the root, which has more."""
    own, roots = (po.Search(Nim(stones=9), po.Settings(policy=Spy(ref), solver=False), seed=2) for ref in (0, 10**6))
    for search, owns in ((own, True), (roots, False)):
        search.run(200)
        found = tables(search)
        first, second = search.step().selection[:2]
        reference = found[first.action,] if owns else found[()]
        for edge in second.edges:
            assert (edge.terms["visits"], edge.terms["mean"]) == reference.get((second.player, edge.action), (0, 0.0))
        assert ((first.action,) in found) == owns


def test_few_nodes_have_a_table_and_at_most_one_more_for_each_simulation():
    search = po.Search("connect4", po.Settings(policy=po.GRAVE(ref=40)), seed=1)
    before = 1
    for _ in range(100 if COMPILED else 30):
        search.run(5)
        places, now = search.tree.amaf_rows, int(search.tree.amaf_rows[NO_NODE]) - 1
        assert before <= now <= before + 5
        before = now
    records = search.tree.nodes[: search.tree.counters[0]]
    with_table = [n for n in range(ROOT + 1, len(records)) if places[n]]
    assert with_table
    assert all(records[n]["visits"] >= 20 for n in with_table)  # half of ref
    assert all(places[n] for n in range(ROOT, len(records)) if records[n]["visits"] >= 22)


# What becomes of the tables.


def test_a_new_game_knows_nothing_and_a_played_action_keeps_what_is_below_it():
    settings = po.Settings(policy=po.GRAVE(ref=4), solver=False)
    search = po.Search(Nim(), settings, seed=1)
    search.run(200)
    action, before = search.result().best, tables(search)
    search.play(action)
    assert tables(search) == {path[1:]: table for path, table in before.items() if path[:1] == (action,)}
    assert tables(search)[()]
    assert tables(po.Search(Nim(), settings, seed=1)) == {(): {}}
    fresh = po.Search(Nim(), settings, seed=1)
    fresh.run(1)
    fresh.play(next(a for a in (1, 2, 3) if a != fresh.result().best))  # it has no subtree
    assert tables(fresh) == {(): {}}


def same_records(one, other):
    """The same trees, but for the order of the links, which a file does not keep."""
    return all(
        getattr(one.tree, name)[: rows(one.tree, name)].tobytes()
        == getattr(other.tree, name)[: rows(other.tree, name)].tobytes()
        for name in ("nodes", "edges", "rng", "amaf", "amaf_rows")
    )


@pytest.mark.parametrize("game", [Coded, KeptCoded], ids=["replayed", "kept"])
@pytest.mark.parametrize("settings", [{}, {"transpositions": True}], ids=["tree", "graph"])
def test_the_same_seed_gives_the_same_tree_in_chunks_in_steps_from_a_file_and_rewound(game, settings, tmp_path):
    settings = po.Settings(policy=po.GRAVE(ref=6), solver=False, **settings)
    whole, parts = (po.Search(game(), settings, seed=5) for _ in range(2))
    whole.run(200)
    parts.run(70)
    parts.save(tmp_path / "a.search")
    parts = po.Search.load(tmp_path / "a.search", game())
    for _ in range(10):
        parts.step()
    parts.run(120)
    assert same_records(whole, parts)
    whole.run(50)
    whole.rewind(200)
    assert same_records(whole, parts)


def test_a_step_shows_the_terms_of_each_score():
    search = po.Search("connect4", po.Settings(policy=po.GRAVE(ref=10)), seed=1)
    search.run(100)
    for choice in search.step().selection:
        for edge in choice.edges:
            if math.isfinite(edge.score):
                assert sum(edge.terms.values()) == pytest.approx(edge.score, abs=1e-9)


def rewritten(path, name, change):
    """The same file with one array changed; None: left out."""
    with zipfile.ZipFile(path) as archive:
        entries = {entry: archive.read(entry) for entry in archive.namelist()}
    array = change(np.load(io.BytesIO(entries.pop(f"tree/{name}.npy"))))
    if array is not None:
        buffer = io.BytesIO()
        np.save(buffer, array)
        entries[f"tree/{name}.npy"] = buffer.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for entry, data in entries.items():
            archive.writestr(entry, data)
    return path


def negative(tables):
    tables["visits"][1, 2] = -1
    return tables


def endless(tables):
    tables["value"][1, 2] = np.inf
    return tables


DAMAGE = {
    "no table": ("amaf", lambda a: None),
    "one table less": ("amaf", lambda a: a[:-1]),
    "other codes": ("amaf", lambda a: np.concatenate([a, a], axis=1)),
    "negative": ("amaf", negative),
    "infinite": ("amaf", endless),
    "out of bounds": ("amaf_rows", lambda a: np.where(a == 1, 1000, a).astype(np.int32)),
    "twice": ("amaf_rows", lambda a: np.where(a == 2, 1, a).astype(np.int32)),
    "no root": ("amaf_rows", lambda a: np.where(a == 1, 0, a).astype(np.int32)),
    "shorter": ("amaf_rows", lambda a: a[:-1]),
}


@pytest.mark.parametrize("damage", DAMAGE)
def test_a_damaged_file_is_refused_in_one_line(damage, tmp_path):
    search = po.Search(Nim(), po.Settings(policy=po.GRAVE(ref=4)), seed=1)
    search.run(100)
    search.save(tmp_path / "a")
    with pytest.raises(po.FileError) as caught:
        po.Search.load(rewritten(tmp_path / "a", *DAMAGE[damage]), Nim())
    assert "\n" not in str(caught.value)


def test_an_older_file_without_tables_is_read(tmp_path):
    plain = po.Search(Nim(), seed=1)
    plain.run(50)
    plain.save(tmp_path / "a")
    for name in ("amaf", "amaf_rows"):
        rewritten(tmp_path / "a", name, lambda array: None)
    assert same_tree(plain, po.Search.load(tmp_path / "a", Nim()))


def test_tables_count_as_memory_and_a_limit_of_bytes_holds():
    plain, asks = (po.Search(Coded(), po.Settings(policy=p)) for p in (po.UCT(), po.GRAVE(ref=4)))
    row = AMAF.itemsize * 2 * 16  # nine codes have the room of sixteen
    settings = asks.tree.policy.nbytes - plain.tree.policy.nbytes
    assert asks.tree_bytes - plain.tree_bytes == 2 * row + 4 * (ROOT + 1) + settings
    asks = po.Search("connect4", po.Settings(policy=po.GRAVE(ref=4)))
    result = asks.run(10**6, bytes=60_000)
    assert result.stopped_by == "bytes"
    assert 50_000 < asks.tree_bytes <= 60_000


# Refused.


def own(**changes):
    """A policy class that asks for statistics."""
    body = {"score": staticmethod(lambda policy, node, edge, shared, rng: edge.value), **changes}
    return type("Own", (po.Policy,), body)


GRAVE = po.GRAVE()
REFUSED = {
    "network": (lambda: po.preset("network", policy="grave"), "GRAVE counts the actions of playouts, and values"),
    "static": (lambda: po.Settings(policy=GRAVE, evaluator=po.Static()), "come from Static, which plays none"),
    "outside": (lambda: po.Settings(policy=GRAVE, evaluator=po.Outside(len)), "come from Outside, which plays none"),
    "open loop": (lambda: po.Settings(policy=GRAVE, open_loop=True), "leave open_loop off"),
    "ref": (lambda: po.Settings(policy=po.GRAVE(ref=-1)), "ref is -1, expected"),
    "bias": (lambda: po.Settings(policy=po.GRAVE(bias=-0.1)), "bias is -0.1, expected"),
    "objects": (lambda: po.Search(po.wrap(Board()), po.Settings(policy=GRAVE)), "made of Python objects"),
    "playout": (lambda: po.Search(OwnPlayout(), po.Settings(policy=GRAVE)), "whose actions GRAVE can't see"),
    "no such setting": (lambda: own(amaf="ref"), "Own.amaf is 'ref', expected the name of a setting"),
    "a real number": (lambda: own(amaf="ref", __annotations__={"ref": float}, ref=2.0), "a whole number (it has none)"),
    "not a name": (lambda: own(amaf=5), "Own.amaf is 5, expected the name of a setting"),
    "negative": (
        lambda: po.Settings(policy=own(amaf="ref", __annotations__={"ref": int}, ref=-3)()).params(Nim()),
        "Own.ref is -3",
    ),
    "column": (lambda: own(columns=np.dtype([("amaf_value", np.float64)])), "has 'amaf_value', which is"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_meaning_is_refused_in_one_line(case):
    call, words = REFUSED[case]
    with pytest.raises(po.SettingsError) as caught:
        call()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_policy_that_does_not_ask_is_told_what_to_declare():
    class Forgot(po.Policy):
        @staticmethod
        def score(policy, node, edge, shared, rng):
            return edge.amaf_value

    if COMPILED:
        with pytest.raises(po.SettingsError, match="`edge` has no `amaf_value`"):
            po.Search(Nim(), po.Settings(policy=Forgot())).run(10)
