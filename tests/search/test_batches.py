"""Values from outside the search: batches under virtual loss, ask and tell, coroutines, and what goes wrong there."""

import gc
import time
import weakref
from typing import ClassVar

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

import playout as po
from playout.core import copying
from playout.core import rules as core_rules
from playout.core import tree as core
from playout.core.jit import COMPILED
from playout.errors import EvaluatorError, GameError, SettingsError
from playout.search.batches import RAMP
from playout.search.file_checks import find_fault
from tests.games.toy_games import Dice, KnownCoins, Nim, NimOfThree
from tests.oracles.batch_oracle import BatchOracle, oracle_edges
from tests.oracles.oracle import compiled_tree
from tests.parts.own_policies import AsksAll, Latest, Remembers
from tests.sizes import CHECKED, examples

CONNECT4, TICTACTOE = po.games.load("connect4"), po.games.load("tictactoe")


class SeenNim(Nim):
    """Nim that a network can see: a plane of one bit for each number of stones."""

    planes, policy_size = (22,), 4

    @staticmethod
    def observe(state, player, planes):
        planes[state.stones] = 1.0


class SeenCoins(KnownCoins):
    """Coins that a network can see: a plane of one bit for each shelf."""

    planes, policy_size = (5,), 3
    value_range = (-100.0, 100.0)  # what the network says, and a coin

    @staticmethod
    def observe(state, player, planes):
        planes[state.shelf] = 1.0


def noisy(observations, game=CONNECT4):
    """Weights and values that look random and depend on the position alone."""
    flat = observations.reshape(len(observations), -1).astype(np.float64)
    mixed = flat @ np.sin(np.arange(1, flat.shape[1] + 1) * 1.7)
    weights = 1.1 + np.sin(mixed[:, None] * 3.1 + np.arange(game.policy_size) * 2.3)
    return weights.astype(np.float32), np.sin(mixed * 5.3) * (0.9 if game.players == 2 else 45.0)


def noisy_leaf(position):
    """The same for one position: ({action: weight}, value)."""
    policy, value = noisy(position.observe()[None], position.game)
    return {a: float(policy[0, position.action_index(a)]) for a in position.actions()}, float(value[0])


def outside(function=None, **changes):
    fields = {k: changes.pop(k) for k in ("batch", "virtual_loss", "cache", "timeout") if k in changes}
    evaluator = po.Outside(function, **fields, temperature=changes.pop("policy_temperature", 1.0))
    return po.Settings(**{"policy": po.PUCT(1.5), "evaluator": evaluator, "ties": "first", **changes})


def numbers(search):
    """All that a search has found out: of each edge, in the order of its node and action."""
    tree, found = search.tree, []
    for node in tree.nodes[core.ROOT : tree.counters[core.NODES]]:
        block = tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]
        block = block[np.argsort(block["action"])]
        found.append((int(node["visits"]), float(node["value"]), int(node["opened"]), block["visits"].tolist()))
        found.append((block["value"].tolist(), block["prior"].tolist(), block["child"].tolist()))
    return found


def is_clean(search):
    """No mark is left, and the tree is one that a file could hold."""
    arrays = search.batches.arrays
    marks = int(np.abs(arrays.flights).sum()) + int(arrays.used.sum())
    marks += int(np.abs(arrays.info[[core.WAITING, core.FLYING, core.UNCLOSED]]).sum())
    node = search.tree.nodes[core.ROOT : search.tree.counters[core.NODES]]
    for n in node:
        block = search.tree.edges[n["first_edge"] : n["first_edge"] + n["count"]]
        if n["player"] >= 0:
            assert (block["visits"][: n["opened"]] > 0).all()
            assert (np.diff(block["prior"][n["opened"] :]) <= 0).all()
    return marks == 0 and find_fault(copying.copied(search.tree), search.game) is None


# One at a time: the plain search.


@pytest.mark.parametrize("solver", [True, False])
@pytest.mark.parametrize("ties", ["first", "random"])
def test_one_at_a_time_is_the_plain_search(solver, ties):
    plain = po.Search(
        CONNECT4,
        po.Settings(policy=po.PUCT(1.5), evaluator=po.Static(), evaluate_root=True, solver=solver, ties=ties),
        position="444",
        seed=3,
    )
    search = po.Search(CONNECT4, outside(solver=solver, ties=ties), position="444", seed=3)
    table, values = CONNECT4.rules_table(wanted=("evaluate",)), np.zeros(2)
    while search.simulations < (300 if COMPILED else 100):
        (leaf,) = search.ask(1)
        core_rules.evaluate(table, leaf.position.buffer, values)
        search.tell(leaf, values, dict(leaf.position.priors()))
    plain.run(search.simulations)

    def found(search):
        return sorted((s.action, s.visits, s.value, s.prior) for s in search.result().actions)

    assert found(search) == found(plain)
    assert search.tree.rng[0] == plain.tree.rng[0]


def assert_same_as_oracle(game, position, simulations, batch, loss=1.0, c=1.5, **changes):
    start, simulations = game.position(position), simulations if COMPILED else simulations // 4
    changes = {"policy": po.PUCT(c), **changes, "batch": batch, "virtual_loss": loss, "cache": 0}
    search = po.Search(game, outside(lambda o: noisy(o, game), **changes), position=start, seed=1)
    search.run(simulations)
    s = search.settings
    oracle = BatchOracle(start, noisy_leaf, s.policy, loss, s.solver, s.expansion, s.backup, s.root, seed=1)
    oracle.run(simulations, batch, RAMP)
    assert search.simulations == oracle.simulations
    found, expected = compiled_tree(search), oracle_edges(oracle)
    assert {path for path in found if path[1:] == ("edge",)} == expected.keys()
    for path, record in expected.items():
        assert {field: found[path][field] for field in record} == {
            **record,
            "value": pytest.approx(record["value"], abs=1e-9),
        }, path
    assert is_clean(search)


@pytest.mark.parametrize(("batch", "loss"), [(1, 1.0), (3, 1.0), (16, 1.0), (16, 0.0), (16, 0.5)])
def test_batches_agree_with_the_oracle(batch, loss):
    assert_same_as_oracle(CONNECT4, "4444", 400, batch, loss, solver=False)


POLICIES, BACKUPS = (
    [po.PUCT(1.5), AsksAll(), Remembers(1.5), po.Thompson(), po.UCBV()],
    [po.Mean(), Latest(), po.Best()],
)
SOME = slice(2) if CHECKED else slice(None)  # the others are only another formula


@pytest.mark.parametrize("backup", BACKUPS[SOME], ids=lambda part: type(part).__name__)
@pytest.mark.parametrize("policy", POLICIES[SOME], ids=lambda part: type(part).__name__)
def test_parts_of_ones_own_agree_with_the_oracle_in_batches(policy, backup):
    parts = {"policy": policy, "backup": backup, "unvisited": po.Parent()}
    for batch, loss in ((1, 1.0), (8, 1.0), (8, 0.0)):
        assert_same_as_oracle(CONNECT4, "4444", 250, batch, loss, solver=False, **parts)
        assert_same_as_oracle(SeenNim(), "stones=12 turn=1", 150, batch, loss, **parts)


ROOTS = (po.Halving(), po.Gumbel(noise=0.0), po.Gumbel(3, noise=0.0, rescale=True), po.Forced(2.0))


@pytest.mark.parametrize("root", ROOTS, ids=["halving", "gumbel", "rescaled", "forced"])
@pytest.mark.parametrize("batch", [1, 3, 16])
def test_roots_agree_with_the_oracle_in_batches(batch, root):
    for simulations in (9, 16, 60) if COMPILED else (36, 60):  # a quarter of these, and halving needs eight
        assert_same_as_oracle(CONNECT4, "4444", simulations, batch, 1.0, root=root)
    assert_same_as_oracle(SeenNim(), "stones=12 turn=1", 50, batch, 0.0, root=root)


ENDINGS = (
    (SeenNim(), "stones=9 turn=0", 1.5),
    (SeenNim(), "stones=12 turn=1", 1.5),
    (TICTACTOE, None, 3.0),
    (TICTACTOE, "XO./.X./..O", 1.5),
    (CONNECT4, "444444555522", 1.5),
    (SeenCoins(), None, 60.0),
)


@budget(max_examples=examples(120), deadline=None)
@given(
    ending=st.sampled_from(ENDINGS),
    batch=st.sampled_from([1, 2, 5, 16]),
    loss=st.sampled_from([0.0, 1.0]),
    expansion=st.sampled_from(
        [po.All(), po.Widening(1, 0, 0.5), po.Widening(2, 0, 0.5), po.Widening(1, 0.5, 0.5), po.Widening(1, 1, 0.25, 2)]
    ),
)
def test_batches_with_proofs_and_widening_agree_with_the_oracle(ending, batch, loss, expansion):
    game, position, c = ending
    assert_same_as_oracle(game, position, 150, batch, loss, c, expansion=expansion)


def test_another_move_is_opened_when_all_that_widening_allows_is_proven_beside_walks_under_way():
    """Five stones, two moves let in: 3 and 2. Both are proven lost while leaves below them wait; the third one wins."""
    search = po.Search(Nim(stones=5), outside(expansion=po.Widening(2, 0, 0.5)))
    search.tell(search.ask(1)[0], 0.0, {3: 0.5, 2: 0.4, 1: 0.1})
    for leaf in search.ask(2):
        search.tell(leaf, 0.0, {1: 0.6, leaf.position.actions()[-1]: 0.4})  # that is all stones
    waiting = search.ask(3)
    assert search.result().stats(2).proven == search.result().stats(3).proven == -1.0
    assert [leaf.text for leaf in waiting] == ["stones=1 turn=0", "stones=2 turn=0", "stones=4 turn=1"]


def test_a_step_is_a_run_of_one():
    stepped, run = (po.Search(CONNECT4, outside(noisy, noise=po.Noise()), seed=2) for _ in range(2))
    for _ in range(40):
        step = stepped.step()
        run.run(1)
    assert numbers(stepped) == numbers(run)
    assert step.static_values == pytest.approx((step.returns[0], -step.returns[0]))
    assert sum(step.expansion.priors) == pytest.approx(1.0)
    assert step.backup


def test_the_first_step_gives_the_root_its_priors():
    search = po.Search(CONNECT4, outside(noisy), seed=2)
    step = search.step()
    weights, value = noisy_leaf(search.position)
    assert (step.ending, step.returns[0]) == ("root", pytest.approx(value))
    total = sum(weights.values())
    assert dict(zip(step.expansion.actions, step.expansion.priors, strict=True)) == {
        str(a + 1): pytest.approx(w / total, abs=1e-6) for a, w in weights.items()
    }
    assert list(step.expansion.priors) == sorted(step.expansion.priors, reverse=True)


# What is sent, and what is not.


def test_no_leaf_is_sent_twice_and_none_that_is_over():
    seen = []

    def watch(observations):
        seen.extend(o.tobytes() for o in observations)
        assert all(abs(o[0].sum() - o[1].sum()) <= 1 for o in observations)
        return noisy(observations)

    search = po.Search(TICTACTOE, outside(lambda o: (None, watch(o)[1]), batch=8), position="XXO/.O./...")
    search.run(2000)
    assert len(seen) == len(set(seen))  # the cache knows what came by another path
    positions = {p.observe().tobytes() for p in all_positions(search.position) if not p.is_terminal}
    assert set(seen) <= positions


def all_positions(position):
    found = [position]
    for action in position.actions():
        found += all_positions(position.play(action))
    return found


def test_the_cache_changes_nothing_but_the_work():
    with_cache, without = (
        po.Search(CONNECT4, outside(noisy, batch=1, cache=size), position="4433", seed=4) for size in (1 << 12, 0)
    )
    with_cache.run(600)
    without.run(600)
    assert numbers(with_cache) == numbers(without)
    evaluated = [s.batches.arrays.info[core.EVALUATED] for s in (with_cache, without)]
    assert evaluated[0] + with_cache.batches.arrays.info[core.CACHED] == evaluated[1]
    assert evaluated[0] < evaluated[1]


def test_illegal_moves_are_masked_and_the_rest_sums_to_one():
    """Column 4 is full: its weight is nobody's."""
    policy = np.array([[0.1, 0.1, 0.1, 0.4, 0.1, 0.1, 0.1]], np.float32)
    search = po.Search(
        CONNECT4, outside(lambda o: (policy.repeat(len(o), 0), np.zeros(len(o))), batch=1), position="444444"
    )
    search.run(1)
    priors = {s.text: s.prior for s in search.result().actions}
    assert priors == {text: pytest.approx(1 / 6) for text in "123567"}


def test_where_nothing_is_left_all_are_alike():
    policy = np.array([[0, 0, 0, 1, 0, 0, 0]], np.float32)
    search = po.Search(
        CONNECT4, outside(lambda o: (policy.repeat(len(o), 0), np.zeros(len(o))), batch=1), position="444444"
    )
    search.run(1)
    assert [s.prior for s in search.result().actions] == pytest.approx([1 / 6] * 6)


@pytest.mark.parametrize("temperature", [0.001, 1e-6, 1e-320])
def test_a_low_policy_temperature_leaves_the_greatest(temperature):
    search = po.Search(CONNECT4, outside(policy_temperature=temperature), position="")
    (leaf,) = search.ask()
    search.tell(leaf, 0.0, {0: 0.1, 1: 0.2, 2: 0.4, 3: 0.3})
    assert {s.action: s.prior for s in search.result().actions} == {a: float(a == 2) for a in range(7)}


def test_the_policy_temperature_flattens():
    """Weights 1 and 4 at temperature 2 are their roots: 1 to 2."""
    weights = {0: 1.0, 1: 4.0}
    search = po.Search(CONNECT4, outside(policy_temperature=2.0), position="")
    (leaf,) = search.ask()
    search.tell(leaf, 0.0, weights)
    priors = {s.action: s.prior for s in search.result().actions}
    assert (priors[0], priors[1], priors[2]) == (pytest.approx(1 / 3), pytest.approx(2 / 3), 0.0)


def test_a_value_is_for_the_player_who_moves_at_the_leaf():
    """Whoever moves likes it here: bad for the one who came here."""
    search = po.Search(CONNECT4, outside(lambda o: (None, np.full(len(o), 0.75)), batch=1, solver=False))
    search.run(2)
    assert [s.value for s in search.result().actions if s.visits] == [-0.75]


def test_the_value_that_an_unvisited_move_is_taken_for_falls_with_what_was_seen():
    """Parent(0.5, by_seen): with priors 0.64 and 0.36, after one visit to the first the second is worth
    own value - 0.5 sqrt(0.64)."""
    search = po.Search(Nim(stones=2), outside(unvisited=po.Parent(0.5, by_seen=True), policy=po.PUCT(0.1)))
    (leaf,) = search.ask()
    search.tell(leaf, 0.2, {1: 0.64, 2: 0.36})
    (leaf,) = search.ask()  # one stone taken: the other side has the last one
    assert leaf.position.state.stones == 1
    search.tell(leaf, 0.9)
    shown = scores_of_next_walk(search)
    own = (0.2 - 0.9) / 2
    assert shown[2] == pytest.approx(own - 0.5 * 0.8)


def scores_of_next_walk(search):
    """By action: the value term that the next walk compares at the root."""
    from playout.search.step import _scores  # as a step shows them, whose evaluator would have to answer

    runner = search.runner
    runner.work, runner.rules = runner.new_work(128, 1024), runner.with_parts(shown=True)
    search.ask()
    block, _, terms = _scores(runner, core.ROOT, 0)
    return {int(edge["action"]): float(term[0]) for edge, term in zip(block, terms, strict=True)}


# Marks.


def test_a_leaf_under_evaluation_counts_as_a_loss():
    """Two moves of one prior: the second walk goes where none is under way; the third is back at the better one."""
    search = po.Search(Nim(stones=21), outside(policy=po.PUCT(1.0)))
    (root,) = search.ask()
    search.tell(root, 0.0, {1: 0.5, 2: 0.3, 3: 0.2})
    leaves = search.ask(3)
    assert [int(21 - leaf.position.state.stones) for leaf in leaves] == [1, 2, 3]
    assert search.result().visits == 1
    assert [s.visits for s in search.result().actions] == [0, 0, 0]
    assert search.ask(5) == []  # all that can be asked waits already
    search.take_back()
    assert is_clean(search)


def test_equal_scores_beside_a_walk_under_way_are_drawn():
    """Seven moves, one visit and one value each: one walk is under way, the next goes to any of the six others."""
    seen = set()
    for seed in range(200):
        search = po.Search(CONNECT4, outside(ties="random"), seed=seed)
        for _ in range(8):  # the root, then each move once
            (leaf,) = search.ask()
            search.tell(leaf, 0.0, None)
        first, second = (leaf.text[0] for leaf in search.ask(2))
        assert first != second
        seen.add((first, second))
    assert len(seen) > 35  # of 42, each of which 200 draws miss once in 120 times


@budget(max_examples=examples(50), deadline=None)
@given(data=st.data())
def test_answers_in_any_order_leave_no_mark(data):
    """Leaves are asked for, answered and taken back as chance has it; the answered ones are all that is left."""
    position = data.draw(st.sampled_from(["", "4444", "123", "44332"]))
    search = po.Search(CONNECT4, outside(virtual_loss=data.draw(st.sampled_from([0.0, 1.0]))), position=position)
    waiting, told = [], 0
    for _ in range(data.draw(st.integers(1, 12))):
        waiting += search.ask(data.draw(st.integers(1, 6)))
        before = search.simulations
        for _ in range(data.draw(st.integers(0, len(waiting)))):
            leaf = waiting.pop(data.draw(st.integers(0, len(waiting) - 1)))
            if data.draw(st.booleans()):
                policy, value = noisy_leaf(leaf.position)
                search.tell(leaf, value, policy)
                told += 1
            else:
                search.take_back(leaf)
        assert search.simulations >= before
    for leaf in waiting:
        assert leaf in search.asked
    search.take_back()
    assert is_clean(search)
    assert int(search.batches.arrays.info[core.EVALUATED]) == told


def test_what_was_taken_back_was_never_there():
    one, other = (po.Search(CONNECT4, outside(), position="44") for _ in range(2))
    for search in (one, other):
        for _ in range(20):
            (leaf,) = search.ask()
            policy, value = noisy_leaf(leaf.position)
            search.tell(leaf, value, policy)
    before = numbers(one)
    leaves = one.ask(12)
    assert len(leaves) == 12
    one.take_back(leaves[3])
    one.take_back([leaf for leaf in leaves if leaf is not leaves[3]])
    assert numbers(one) == before == numbers(other)
    for search in (one, other):
        for leaf in search.ask(3):
            policy, value = noisy_leaf(leaf.position)
            search.tell(leaf, value, policy)
    assert numbers(one) == numbers(other)


def test_a_proof_on_the_way_is_not_averaged_away():
    """While a leaf below waits, its move is proven lost by another walk; the late value must not change that."""
    game = Nim(stones=5)
    search = po.Search(game, outside(policy=po.PUCT(5.0)))
    pending = []
    for _ in range(400):
        leaves = search.ask(4)
        pending += leaves
        if not leaves and not pending:
            break
        if len(pending) > 3 or not leaves:
            search.tell(pending.pop(), 0.0)  # the last one first: the others stay under way for long
    for leaf in pending:
        search.tell(leaf, 0.9)
    result = search.result()
    assert result.proven == 1.0  # five stones: take one, and four are lost
    assert result.best == 1
    assert all(s.value == s.proven for s in result.actions if s.proven is not None)
    assert is_clean(search)


def test_a_leaf_taken_back_twice_counts_once():
    search = po.Search(CONNECT4, outside())
    search.tell(search.ask()[0], 0.0)
    first, second = search.ask(2)
    assert search.take_back([first, first]) == 1
    assert search.take_back() == 1
    assert is_clean(search)
    with pytest.raises(SettingsError, match="does not wait for an answer"):
        search.take_back(second)


def test_older_leaves_are_taken_back(monkeypatch):
    search = po.Search(CONNECT4, outside())
    (root,) = search.ask()
    search.tell(root, 0.0)
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now - 100)
    old = search.ask(2)
    monkeypatch.setattr(time, "monotonic", lambda: now)
    search.ask(3)
    assert search.take_back(older_than=50) == 2
    assert len(search.asked) == 3
    with pytest.raises(SettingsError, match="does not wait for an answer"):
        search.tell(old[0], 0.0)


def test_moving_on_gives_up_what_waits():
    search = po.Search(CONNECT4, outside(noisy))
    search.run(50)
    (leaf,) = search.ask()
    search.play(search.result().best)
    assert is_clean(search)
    with pytest.raises(SettingsError, match="does not wait"):
        search.tell(leaf, 0.0)
    assert search.run(20).simulations == 20


# Failures.


def fails(kind):
    def function(observations):
        if function.calls == 5:
            raise kind("the network is gone")
        function.calls += 1
        return noisy(observations)

    function.calls = 0
    return function


@pytest.mark.parametrize("kind", [ValueError, MemoryError, KeyboardInterrupt])
def test_an_evaluator_that_raises_leaves_the_tree_as_it_was(kind):
    function = fails(kind)
    search = po.Search(CONNECT4, outside(function, batch=8))
    expected = KeyboardInterrupt if kind is KeyboardInterrupt else EvaluatorError
    with pytest.raises(expected, match="the network is gone"):
        search.run(1000)
    assert is_clean(search)
    done = search.simulations
    function.calls = 6
    assert search.run(100).simulations == 100
    assert search.simulations == done + 100
    assert is_clean(search)


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (lambda n: None, "None"),
        (lambda n: (np.ones((n, 7)),), "pair|two"),
        (lambda n: (np.ones((n, 6)), np.zeros(n)), "policy of shape"),
        (lambda n: (np.ones((n - 1, 7)), np.zeros(n - 1)), "policy of shape .0, 7. for one"),
        (lambda n: (np.ones((n, 7)), np.zeros((n, 3))), "value of shape"),
        (lambda n: (np.full((n, 7), np.nan), np.zeros(n)), "nan"),
        (lambda n: (-np.ones((n, 7)), np.zeros(n)), "-1"),
        (lambda n: (np.ones((n, 7)), np.full(n, np.inf)), "inf"),
        (lambda n: (np.ones((n, 7)), np.full(n, 1.7e308)), "expected finite numbers from -1 to 1, what a player of"),
        (lambda n: (np.ones((n, 7)), np.full(n, -1.01)), "value with -1.01 at row 0"),
        (lambda n: ("yes", "no"), "expected an array of numbers"),
        (lambda n: (None, np.full((n, 2), 0.4)), r"the values are 0\.4, 0\.4, which add up to 0\.8"),
    ],
)
def test_wrong_answers_are_refused(answer, reason):
    search = po.Search(CONNECT4, outside(lambda o: answer(len(o))))
    with pytest.raises(EvaluatorError, match=reason):
        search.run(10)
    assert is_clean(search)
    assert search.simulations == 0


def test_values_of_both_players_may_be_rounded_and_those_of_a_network_only_close():
    def rounded(observations):
        values = np.full(len(observations), 1 / 3, np.float32)
        return None, np.stack([values, -values.astype(np.float64) + 1e-8], axis=1)

    class Network:
        metadata: ClassVar[dict[str, str]] = {}

        def __call__(self, observations):
            return None, np.full((len(observations), 2), 0.1)

    for evaluator in (rounded, Network()):
        assert po.Search(CONNECT4, outside(evaluator)).run(10).simulations == 10


def test_an_evaluator_that_hangs_is_not_waited_for():
    from threading import Event

    gone = Event()
    search = po.Search(CONNECT4, outside(lambda o: gone.wait(60), timeout=0.05))
    with pytest.raises(EvaluatorError, match=r"gave no answer within 0\.05 s"):
        search.run(10)
    gone.set()
    assert is_clean(search)


@pytest.mark.parametrize(
    ("value", "policy", "reason"),
    [
        (float("nan"), None, "the value is nan"),
        ("high", None, "the value is 'high'"),
        (5.0, None, "the value is 5.0, expected one number .* from -1 to 1"),
        ([1.0, 0.0, 0.0], None, "the value is"),
        ([0.4, 0.4], None, r"the values are 0\.4, 0\.4, which add up to 0\.8, expected returns_sum = 0"),
        (0.0, [1.0], "expected 7 finite numbers"),
        (0.0, [-1.0] * 7, "expected 7 finite numbers"),
        (0.0, {9: 1.0}, "names action 9"),
        (0.0, "e4", "the policy is 'e4'"),
    ],
)
def test_wrong_answers_to_ask_leave_the_leaf_waiting(value, policy, reason):
    search = po.Search(CONNECT4, outside())
    (leaf,) = search.ask()
    with pytest.raises(EvaluatorError, match=reason):
        search.tell(leaf, value, policy)
    search.tell(leaf, 0.5)
    assert search.simulations == 1


def test_what_cannot_be_searched_says_so():
    with pytest.raises(SettingsError, match="which evaluates nothing"):
        po.Search(CONNECT4, outside()).run(10)
    with pytest.raises(SettingsError, match="evaluates by itself"):
        po.Search(CONNECT4).ask()
    with pytest.raises(SettingsError, match=r"has nothing that .* could see"):
        po.Search(Nim(), outside(noisy))
    with pytest.raises(SettingsError, match="transpositions is on"):
        po.Settings(evaluator=po.Outside(), transpositions=True)
    with pytest.raises(SettingsError, match="ask for 0 leaves"):
        po.Search(CONNECT4, outside()).ask(0)
    with pytest.raises(SettingsError, match="expected a leaf"):
        po.Search(CONNECT4, outside()).tell("leaf", 0.0)
    with pytest.raises(SettingsError, match=r"evaluator\.batch is 0"):
        po.Settings(evaluator=po.Outside(batch=0))
    with pytest.raises(SettingsError, match=r"evaluator\.virtual_loss is 2"):
        po.Settings(evaluator=po.Outside(virtual_loss=2))


def test_an_action_beyond_the_policy_is_the_games_mistake():
    class Short(SeenNim):
        policy_size = 3  # action 3 has no place

    search = po.Search(Short(), outside(lambda o: (None, np.zeros(len(o)))))
    with pytest.raises(GameError, match="index 3 in the policy, expected 0 to policy_size - 1 = 2"):
        search.run(10)


# Other games.


def test_a_game_of_ones_own_that_has_observe():
    """Nine stones: take one, and the other side has a multiple of four."""
    game = SeenNim(stones=9)
    search = po.Search(game, outside(lambda o: (None, np.zeros(len(o))), batch=4))
    result = search.run(3000)
    assert (result.best_text, result.proven) == ("1", 1.0)


def test_three_players_need_a_value_for_each():
    search = po.Search(NimOfThree(), outside())
    (leaf,) = search.ask()
    with pytest.raises(EvaluatorError, match="expected one for each of 3"):
        search.tell(leaf, 0.5)
    search.tell(leaf, [0.2, 0.3, 0.5])
    assert search.result().value == pytest.approx(0.2)
    (leaf,) = search.ask()
    search.tell(leaf, [0.6, 0.1, 0.3])
    assert [s.value for s in search.result().actions if s.visits] == [pytest.approx(0.6)]


def test_chance_is_walked_through_and_never_asked_about():
    search = po.Search(Dice(), outside(), seed=1)
    rounds = 60 if COMPILED else 15
    for _ in range(rounds):
        for leaf in search.ask(4):
            assert leaf.position.player >= 0
            search.tell(leaf, 1.0)
    assert search.simulations > rounds
    assert is_clean(search)
    chance = [n for n in search.tree.nodes[core.ROOT : search.tree.counters[core.NODES]] if n["player"] < 0]
    assert chance


def test_objects_can_be_asked_about():
    from tests.game.objects import Board

    search = po.Search(po.wrap(Board()), outside())
    for _ in range(30):
        for leaf in search.ask(2):
            search.tell(leaf, 0.0)
    assert search.simulations >= 30
    assert is_clean(search)


# The search around it.


def test_noise_comes_with_the_roots_priors_and_again_after_a_move():
    quiet, noised = (po.Search(CONNECT4, outside(noisy, noise=n), seed=7) for n in (None, po.Noise(0.25, 0.3)))
    for search in (quiet, noised):
        search.run(1)
    priors = [{s.action: s.prior for s in search.result().actions} for search in (quiet, noised)]
    assert priors[0] != priors[1]
    assert sum(priors[1].values()) == pytest.approx(1.0, abs=1e-6)
    assert all(priors[1][a] >= 0.75 * p - 1e-6 for a, p in priors[0].items())
    noised.run(60)
    child = noised.root.children[0]
    below = {c.action: c.prior for c in child.children}
    noised.play(child.action)
    after = {s.action: s.prior for s in noised.result().actions}
    assert after != below
    assert all(after[a] >= 0.75 * p - 1e-6 for a, p in below.items())


def test_a_move_keeps_its_subtree():
    search = po.Search(CONNECT4, outside(noisy))
    result = search.run(200)
    search.play(result.best)
    assert search.result().visits == result.stats(result.best).visits


def test_the_same_seed_gives_the_same_tree():
    searches = [po.Search(CONNECT4, outside(noisy, batch=8, noise=po.Noise(), ties="random"), seed=11) for _ in "ab"]
    for search in searches:
        search.run(150)
        search.play(search.result().best)
        search.run(150)
    assert numbers(searches[0]) == numbers(searches[1])


def test_walking_back_gives_the_same_again():
    search = po.Search(CONNECT4, outside(noisy, batch=1), seed=5)
    search.run(120)
    after = numbers(search)
    search.rewind(40)
    assert search.simulations == 40
    search.run(80)
    assert numbers(search) == after


def test_saved_and_loaded_it_goes_on_alike(tmp_path):
    search = po.Search(CONNECT4, outside(noisy, batch=4), seed=5)
    search.run(100)
    search.save(tmp_path / "search.playout")
    loaded = po.Search.load(tmp_path / "search.playout", evaluator=noisy)
    for each in (search, loaded):
        each.run(50)
    assert numbers(loaded) == numbers(search)
    forgotten = po.Search.load(tmp_path / "search.playout")
    with pytest.raises(SettingsError, match=r"the function .*noisy, which a file can't hold"):
        forgotten.run(1)


def test_only_some_moves():
    search = po.Search(CONNECT4, outside(noisy), only=["1", "7"])
    result = search.run(50)
    assert {s.text for s in result.actions} == {"1", "7"}
    assert sum(s.prior for s in result.actions) == pytest.approx(1.0, abs=1e-6)


def test_the_temperature_falls_with_the_moves():
    falling = po.Falling(first=1.0, moves=2, then=0.0)
    search = po.Search(CONNECT4, outside(noisy, temperature=falling))
    assert (search.settings.temperature_at(0), search.settings.temperature_at(2)) == (1.0, 0.0)
    for number in range(3):
        result = search.run(64)
        drawn = [p for p in result.policy().values() if p > 0]
        assert (len(drawn) > 1) == (number < 2)
        search.play(result.best)


def test_limits_hold():
    search = po.Search(CONNECT4, outside(noisy, batch=16))
    assert search.run(nodes=100).stopped_by == "nodes"
    assert search.result().nodes == 100
    assert search.run(seconds=0.05).stopped_by == "seconds"
    small = po.Search(CONNECT4, outside(noisy, batch=16)).run(bytes=1 << 16)
    assert (small.stopped_by, small.bytes <= 1 << 16) == ("bytes", True)


def test_a_search_that_nobody_has_is_gone_with_its_tree():
    search = po.Search(CONNECT4, outside(noisy))
    search.run(50)
    gc.disable()  # which would find a circle, some time later
    try:
        still = weakref.ref(search)
        del search
        assert still() is None
    finally:
        gc.enable()


def test_a_copy_of_a_search_is_one_of_its_own():
    from copy import copy

    search = po.Search(CONNECT4, outside(noisy))
    search.run(50)
    twin, before = copy(search), numbers(search)
    twin.play(twin.result().best)
    twin.run(50)
    assert numbers(search) == before
    search.run(10)
    assert search.simulations == 60


class EndsTooHigh(Nim):
    """A game of -1 to 1 whose end brings 5."""

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 5.0, -5.0
        state.turn = 1 - state.turn


def test_a_wrong_end_is_blamed_on_the_rule_that_gave_it():
    search = po.Search(EndsTooHigh(), outside(), position="stones=2 turn=0", seed=1)
    search.tell(search.ask(1)[0], 0.0)
    with pytest.raises(po.GameError, match=r"EndsTooHigh.apply gave 5, -5 .*outside of value_range -1 to 1"):
        search.ask(4)
