"""Who chooses at the root: plans of sequential halving, with and without Gumbel noise, and forced playouts."""

import math

import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

import playout as po
from playout.core.jit import COMPILED
from tests.games.toy_games import TOY_GAMES
from tests.oracles.graph_oracle import GraphOracle, graphs_differ
from tests.oracles.openloop_oracle import OpenLoopOracle
from tests.oracles.oracle import Oracle, compiled_tree
from tests.sizes import examples

from .test_graph import in_graph
from .test_oracle import QUIET, SEEDS, assert_same, settings_for

EXAMPLES = examples(240)
KINDS = {"tree": Oracle, "graph": GraphOracle, "open loop": OpenLoopOracle}


@st.composite
def roots(draw, game):
    """Any rule for the root."""
    planned = draw(st.sampled_from([None, None, 5, 40]))
    gumbel = po.Gumbel(
        considered=draw(st.sampled_from([c for c in (None, 1, 2, 3) if c is None or c <= game.max_actions])),
        noise=draw(st.sampled_from([0.0, 1.0, 3.0])),
        visit_offset=draw(st.sampled_from([50.0, 0.0])),
        value_scale=draw(st.sampled_from([1.0, 0.05])),
        rescale=draw(st.booleans()),
        simulations=planned,
    )
    halving = po.Halving(planned if planned != 5 else None)
    return draw(st.sampled_from([gumbel, gumbel, halving, po.Forced(2.0), po.Forced(0.3)]))


@budget(max_examples=EXAMPLES, deadline=None, suppress_health_check=QUIET)
@given(data=st.data(), kind=st.sampled_from(TOY_GAMES), topology=st.sampled_from(sorted(KINDS)), seed=SEEDS)
def test_any_root_grows_the_oracles_tree(data, kind, topology, seed):
    game = kind()
    settings, root = data.draw(settings_for(game)), data.draw(roots(game))
    noise = settings.noise if isinstance(root, po.Forced) else None
    policy, backup = data.draw(st.sampled_from([po.UCT(), po.PUCT(1.0)])), po.Mean()  # the root's rule knows neither
    answer = data.draw(st.sampled_from(["visits", "visits", "value"]))
    settings = settings.replace(root=root, noise=noise, policy=policy, backup=backup, answer=answer)
    settings = settings.replace(root_temperature=data.draw(st.sampled_from([1.0, 1.0, 2.0, 0.001])))
    if settings.noise is not None and data.draw(st.booleans()):
        settings = settings.replace(noise=po.Noise(settings.noise.fraction, settings.noise.alpha, shaped=True))
    if isinstance(settings.root, po.Gumbel) and game.range is None:
        settings = settings.replace(normalise=None)
    if topology == "graph":
        settings = in_graph(game, settings)
    settings = settings.replace(open_loop=topology == "open loop")
    search, oracle = po.Search(game, settings, seed=seed), KINDS[topology](game, settings, seed=seed)
    for _ in range(data.draw(st.integers(1, 3))):
        run_both(search, oracle, data.draw(st.integers(1, 80 if COMPILED else 40)), data.draw(st.booleans()))
        if topology == "graph":
            assert graphs_differ(search, oracle) is None
            assert int(search.tree.rng[0]) == oracle.random.state
            assert search.result().best == (best.action if (best := oracle.answer()) else None)
        else:
            assert_same(search, oracle)
        best = search.result().best
        if best is None or not data.draw(st.booleans()):
            continue
        after = search.position.play(best)
        if after.is_terminal or after.player == po.CHANCE or topology == "graph":
            return
        search.play(best)
        oracle.play(best)


def run_both(search, oracle, simulations, says_how_many):
    """Run both; without saying how many simulations there will be, stop after that many."""
    if says_how_many:
        least = len(search.position.actions()) + 1 if isinstance(search.settings.root, po.Halving) else 1
        search.run(max(least, simulations))
        oracle.run(max(least, simulations))
    else:
        with search.runner.control.busy("run"):
            search.runner.exactly(simulations)
        oracle.go_on(simulations)


def visits_of(search):
    return sorted((s.visits for s in search.result().actions), reverse=True)


# Sequential halving as published: ceil(log2(m)) rounds; in each, n // (rounds k) visits for each of k candidates, at
# least one; then k // 2 of them go on, at least two, until the n simulations are spent. Worked out by hand.
SCHEDULES = [
    (7, 64, [21, 21, 10, 3, 3, 3, 3]),  # 3 rounds: 3 for 7, 7 for 3, 10 for 2, and one more for each of the 2
    (7, 16, [5, 5, 2, 1, 1, 1, 1]),  # 1 for 7, 1 for 3, 2 for 2, and again 2 for 2, of which one each is left
    (4, 16, [6, 6, 2, 2, 0, 0, 0]),  # 2 rounds: 2 for 4, 4 for 2
    (2, 5, [3, 2, 0, 0, 0, 0, 0]),
    (1, 9, [9, 0, 0, 0, 0, 0, 0]),
    (7, 3, [1, 1, 1, 0, 0, 0, 0]),
]


@pytest.mark.parametrize(("considered", "simulations", "visits"), SCHEDULES)
def test_visits_follow_the_published_schedule(considered, simulations, visits):
    for noise in (0.0, 1.0):
        search = po.Search("connect4", po.Settings(root=po.Gumbel(considered, noise), solver=False), seed=simulations)
        result = search.run(simulations)
        assert visits_of(search) == visits
        assert result.stats(result.best).visits == visits[0]


def test_a_reused_tree_follows_the_schedule_from_where_it_is():
    search = po.Search("connect4", po.Settings(root=po.Halving(), solver=False), seed=2)
    search.run(200)
    search.play(search.result().best)
    before = {s.action: s.visits for s in search.result().actions}
    assert sum(before.values()) > 0
    after = search.run(64).actions
    assert sorted((s.visits - before[s.action] for s in after), reverse=True) == SCHEDULES[0][2]


def test_gumbels_scores_and_improved_policy_are_those_of_the_paper():
    """A literal root: two visited actions, and five that were not, of a game with values from -1 to 1."""
    literal = {
        "visits": 5,
        "value": 0.125,
        "children": {
            "1": {"visits": 3, "value": 0.5, "prior": 0.2},
            "2": {"visits": 1, "value": -0.5, "prior": 0.3},
            **{str(i): {"prior": 0.1} for i in range(3, 8)},
        },
    }
    settings = po.Settings(root=po.Gumbel(noise=0.0, visit_offset=10.0, value_scale=0.1), solver=False)
    search = po.Search.from_tree("connect4", literal, settings)
    with search.runner.control.busy("run"):
        search.runner.exactly(1)  # a visit to the best action by score
    result = search.result()
    visited = {s.action: (s.visits, s.value) for s in result.actions if s.visits}
    assert visited[0][0] == 4  # 1 has the highest logit + sigma(q)
    # What unvisited actions are worth mixes the root's own value, 5 * 0.125 - 3 * 0.5 + 0.5 = -0.375, and the others'.
    (n, q), (m, p) = visited[0], visited[1]
    mixed = (-0.375 + (n + m) * (0.2 * q + 0.3 * p) / 0.5) / (1 + n + m)
    sigma = [(10 + n) * 0.1 * (value + 1) / 2 for value in (q, p, mixed)]
    weights = [0.2 * math.exp(sigma[0]), 0.3 * math.exp(sigma[1]), *[0.1 * math.exp(sigma[2])] * 5]
    expected = {action: weight / sum(weights) for action, weight in enumerate(weights)}
    assert result.policy(1.0) == pytest.approx(expected, abs=1e-6)  # priors are kept in single precision
    assert result.policy(0.0)[0] == 1.0


def test_a_plan_goes_on_by_steps_and_after_saving_and_rewinding(tmp_path):
    """As one run: in two runs, by steps, from a file, and again after going back."""
    settings = po.Settings(root=po.Gumbel(simulations=40), policy=po.PUCT())

    def new():
        return po.Search("connect4", settings, position="44", seed=5)

    whole, halves, steps = new(), new(), new()
    whole.run(40)
    halves.past.aim(40)
    halves.repeat([("run", 17)])
    halves.save(tmp_path / "search")
    halves = po.Search.load(tmp_path / "search")
    halves.run(23)  # the plan that is under way is carried out
    for _ in range(40):
        step = steps.step()
        (chosen,) = [e for e in step.selection[0].edges if e.chosen]
        assert chosen.score == pytest.approx(sum(chosen.terms.values()))
        assert set(chosen.terms) == {"value", "logit", "noise"}
    trees = [compiled_tree(search) for search in (whole, halves, steps)]
    assert trees[0] == trees[1] == trees[2]
    assert whole.result().best == steps.result().best
    whole.rewind(11)
    assert whole.log == [("plan", 40), ("run", 11)]
    whole.run(29)
    assert compiled_tree(whole) == trees[0]
    other = new()
    assert other.replay(halves.log)
    assert compiled_tree(other) == trees[0]


def test_a_run_without_a_number_plans_again_and_again():
    """With 7 actions, 56 simulations at first, then as many as all before: the answer is at hand at any time."""
    search = po.Search("connect4", po.Settings(root=po.Halving(), solver=False), seed=1)
    with search.runner.control.busy("run"):
        for count, ends in ((1, 56), (56, 112), (56, 224), (120, 448)):
            search.runner.exactly(count)
            assert int(search.tree.plan["ends"][0]) == ends
    search.run(nodes=search.nodes + 10)
    assert search.result().best is not None


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda: po.Gumbel(0), "root.considered is 0, expected"),
        (lambda: po.Gumbel(8), "root.considered is 8, and connect4 has at most 7 actions"),
        (lambda: po.Gumbel(4, simulations=3), "a plan of 3 simulations that compares 4 actions"),
        (lambda: po.Forced(0.0), "root.k is 0.0, expected a number of more than 0"),
        (po.Halving, "Halving compares all 7 actions of the start, for which 5 simulations are too few"),
        (lambda: po.Halving(6), "Halving compares all 7 actions of the start, for which 6 simulations are too few"),
    ],
)
def test_plans_that_cannot_be_are_refused(given, message):
    with pytest.raises(po.SettingsError, match=message):
        refused(given)


def refused(given):
    search = po.Search("connect4", po.Settings(root=given()))
    search.run(5) if search.settings.root.simulations is None else search.run(seconds=0.1)


@pytest.mark.parametrize("root", [po.Gumbel(), po.Halving()], ids=["gumbel", "halving"])
def test_dirichlet_noise_has_no_place_in_a_plan(root):
    with pytest.raises(po.SettingsError, match="noise is on, but"):
        po.Settings(root=root, noise=po.Noise())


@pytest.mark.parametrize("temperature", [0.01, 0.001, 1e-6, 1e-320])
@pytest.mark.parametrize("root", [None, po.Forced(2.0), po.Gumbel()])
def test_towards_a_root_temperature_of_zero_all_is_on_the_largest_prior(root, temperature):
    settings = po.Settings(policy=po.PUCT(), root_temperature=temperature, root=root)
    search = po.Search("connect4", settings, position="4444", seed=1)
    given = dict(search.position.priors())
    largest = [action for action, prior in given.items() if prior == max(given.values())]
    search.run(30)
    found = {s.action: s.prior for s in search.result().actions}
    assert found == {action: pytest.approx((action in largest) / len(largest)) for action in given}


def test_a_plan_takes_all_actions_and_widening_counts_below_the_root():
    settings = po.Settings(root=po.Halving(), expansion=po.Widening(initial=1, k=0.5, cap=2), solver=False)
    search = po.Search("connect4", settings, seed=1)
    search.run(100)
    visited = [[child.visits > 0 for child in node.children] for node in search.root.walk() if node.is_expanded]
    assert all(visited[0])
    assert max(map(sum, visited[1:])) == 2


def test_gumbel_needs_the_range_of_values():
    class Unknown(po.games.load("connect4").__class__):
        value_range = None

    with pytest.raises(po.SettingsError, match="Gumbel needs to know how wide values spread"):
        po.Search(Unknown(), po.Settings(root=po.Gumbel(), normalise=False))
