"""The presets, each against its published recipe."""

import math
from collections import Counter
from itertools import permutations

import numpy as np
import pytest

import playout as po
from playout.settings.options import OPTIONS, default_of, how_to_write, make_settings
from tests.games.toy_games import Nim, PointNim
from tests.oracles.oracle import SplitMix64

CONNECT4 = po.games.load("connect4")

# The presets, each against its published recipe: nim without any of our code, and the same random numbers


class RecipeNim:
    """Stones and who moves; a path of moves names a position, so nothing is merged."""

    def __init__(self, seed, stones=10):
        self.random, self.stones = SplitMix64(seed), stones

    def moves(self, path):
        return list(range(1, min(3, self.stones - sum(path)) + 1))

    def winner_after_playout(self, path):
        while self.moves(path):
            path = (*path, self.moves(path)[self.random.below(len(self.moves(path)))])
        return (len(path) - 1) % 2

    def shuffled_first(self, items):
        """A random one of what is left, by the swap that the search makes."""
        if len(items) > 1:
            other = self.random.below(len(items))
            items[0], items[other] = items[other], items[0]
        return items[0]

    def best(self, items, score):
        scores = [score(i) for i in items]
        tied = [i for i, s in zip(items, scores, strict=True) if s == max(scores)]
        return tied[self.random.below(len(tied))] if len(tied) > 1 else tied[0]


def textbook(nim, simulations):
    """UCT as in textbooks: a leaf visited before gets all its children; unvisited ones score infinity."""
    n, mean, children = {(): 0}, {}, {(): [(m,) for m in nim.moves(())]}
    for _ in range(simulations):
        path = ()
        while children.get(path):
            new = [c for c in children[path] if not n.get(c)]
            old = [c for c in children[path] if n.get(c)]
            if new:
                picked = nim.shuffled_first(new)
                children[path] = old + new
                path = picked
                break

            def score(child, above=path):
                return mean[child] + math.sqrt(2) * math.sqrt(math.log(n[above])) * (1 / math.sqrt(n[child]))

            path = nim.best(old, score)
            if path not in children:
                children[path] = [(*path, m) for m in nim.moves(path)]
        winner = nim.winner_after_playout(path)
        for length in range(len(path), -1, -1):
            at = path[:length]
            n[at] = n.get(at, 0) + 1
            got = 1.0 if winner == (length - 1) % 2 else -1.0  # for the player who moved here
            mean[at] = mean.get(at, 0.0) + (got - mean.get(at, 0.0)) / n[at]
    return {m: (n[m,], mean[m,]) for m in nim.moves(())}


def minimal(nim, simulations):
    """The dictionary implementation: Q and N by node, children once a node was a leaf; rewards 0 and 1, weight 1."""
    total, count, children = {}, {}, {}
    for _ in range(simulations):
        path = [()]
        while True:
            node = path[-1]
            if not children.get(node):
                break
            unexplored = [c for c in children[node] if c not in children]
            explored = [c for c in children[node] if c in children]
            if unexplored:
                picked = nim.shuffled_first(unexplored)
                children[node] = explored + unexplored
                path.append(picked)
                break
            log = math.log(count[node])

            def score(child, log=log):
                return total[child] + 1.0 * math.sqrt(log) * (1 / math.sqrt(count[child]))

            path.append(nim.best(explored, score))
        leaf = path[-1]
        children.setdefault(leaf, [(*leaf, m) for m in nim.moves(leaf)])
        winner = nim.winner_after_playout(leaf)
        for node in reversed(path):
            count[node] = count.get(node, 0) + 1
            reward = 1.0 if winner == (len(node) - 1) % 2 else 0.0
            total[node] = total.get(node, 0.0) + (reward - total.get(node, 0.0)) / count[node]  # as a mean: Q / N
    return {m: (count[m,], total[m,]) for m in nim.moves(())}


class StepwiseNode:
    def __init__(self, nim, path):
        self.path, self.untried, self.children, self.visits, self.mean = path, nim.moves(path), [], 0, 0.0


def stepwise(nim, simulations):
    """Each simulation adds one child of the first node that is not fully expanded; c = 1.414, most visited."""
    root = StepwiseNode(nim, ())
    for _ in range(simulations):
        node, walked = root, [root]
        while not node.untried and node.children:

            def score(child, above=node):
                return child.mean + 1.414 * math.sqrt(math.log(above.visits)) * (1 / math.sqrt(child.visits))

            node = nim.best(node.children, score)
            walked.append(node)
        if node.untried:
            move = nim.shuffled_first(node.untried)
            node.untried.remove(move)
            node.children.append(StepwiseNode(nim, (*node.path, move)))
            walked.append(node.children[-1])
        winner = nim.winner_after_playout(walked[-1].path)
        for node in walked:
            node.visits += 1
            got = 1.0 if winner == (len(node.path) - 1) % 2 else -1.0
            node.mean += (got - node.mean) / node.visits
    return {c.path[0]: (c.visits, c.mean) for c in root.children}


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize(
    ("preset", "recipe", "game"),
    [("textbook", textbook, Nim), ("minimal", minimal, PointNim), ("stepwise", stepwise, Nim)],
    ids=["textbook", "minimal", "stepwise"],
)
def test_preset_reproduces_its_recipe(preset, recipe, game, seed):
    for simulations in (4, 40, 150):
        nim = RecipeNim(seed)
        expected = recipe(nim, simulations)
        search = po.Search(game(stones=10), preset, seed=seed)
        result = search.run(simulations)
        assert {s.action: (s.visits, s.value) for s in result.actions} == expected
        by = 0 if preset == "stepwise" else 1  # most visited, or highest mean
        assert expected[result.best][by] == max(e[by] for e in expected.values())
        assert int(search.tree.rng[0]) == nim.random.state


def test_presets_differ_where_their_recipes_do():
    assert po.preset("textbook").policy.c == pytest.approx(math.sqrt(2))
    assert po.preset("minimal").policy.c == 1
    assert po.preset("stepwise").policy.c == 1.414
    assert (po.preset("textbook").answer, po.preset("stepwise").answer) == ("value", "visits")
    assert po.preset("stepwise", solver=True).solver


# Recipes know nothing about the game: untried actions come in random order, whatever its priors say.

SUM = po.games.load("target_sum", target=10, moves=7, numbers=(1, 2, 3))
NEAR = "8/3"  # 2 wins, 1 leaves it open, 3 goes too far: three different priors
SEEDS = 300
UNLIKELY = 25.7  # chi-squared with 5 degrees of freedom is larger once in 10,000


def order_of_children(settings, seed):
    """The root's actions in the order in which they were first visited."""
    search, order = po.Search(SUM, settings, position=NEAR, seed=seed), []
    while len(order) < 3:
        order += [s.action for s in search.run(1).actions if s.visits and s.action not in order]
    return tuple(order)


@pytest.mark.parametrize("name", ["textbook", "minimal", "stepwise", "uct-chess", "flat"])
def test_recipes_take_untried_children_in_random_order(name):
    found = Counter(order_of_children(name, seed) for seed in range(SEEDS))
    expected = SEEDS / math.factorial(3)
    assert sum((found[order] - expected) ** 2 / expected for order in permutations((1, 2, 3))) < UNLIKELY


@pytest.mark.parametrize("expansion", [po.All(), po.OneAtATime()], ids=lambda e: type(e).__name__)
def test_priors_put_untried_children_in_their_order(expansion):
    settings = po.Settings(expansion=expansion, priors=True, solver=False)
    assert {order_of_children(settings, seed) for seed in range(20)} == {(2, 1, 3)}


@pytest.mark.parametrize("changes", [{"policy": po.PUCT()}, {"expansion": po.Widening(3.0)}], ids=["PUCT", "Widening"])
def test_without_priors_all_actions_count_the_same(changes):
    known, without = (po.Settings(**changes, unvisited="infinity", solver=False, priors=p) for p in (None, False))
    assert {order_of_children(known, seed) for seed in range(20)} == {(2, 1, 3)}
    assert len({order_of_children(without, seed) for seed in range(SEEDS)}) == 6
    found = po.Search(SUM, without, position=NEAR, seed=1).run(9)
    assert [s.prior for s in found.actions] == pytest.approx([1 / 3] * 3)


def test_without_priors_a_networks_policy_is_left_out():
    assert [s.prior for s in searched("network", priors=False).result().actions] == pytest.approx([1 / 7] * 7)
    assert len({s.prior for s in searched("network").result().actions}) == 7


# Networks: the same formulas from their papers and options, computed by hand from what a node holds.


def seen(observations):
    weights = 1.0 + np.arange(CONNECT4.policy_size) * np.ones((len(observations), 1))
    return weights, np.sin(observations.reshape(len(observations), -1).sum(axis=1))


def searched(name, simulations=40, seed=1, **changes):
    settings = po.preset(name)
    evaluator = po.Outside(seen, batch=1, temperature=settings.evaluator.temperature)
    search = po.Search(CONNECT4, settings.replace(evaluator=evaluator, **changes), seed=seed)
    search.run(simulations)
    return search


@pytest.mark.parametrize(
    ("name", "c", "growth", "base"), [("network", 1.25, 1.0, 19652), ("alphazero", 1.25, 1.0, 19652)]
)
def test_network_presets_score_as_alphazero_does(name, c, growth, base):
    """Q + (ln((1 + N + base) / base) + c) P sqrt(N of the children) / (1 + n), where a child without a visit has the Q
    of its parent."""
    search = searched(name, noise=None)
    step = search.step()
    choice = step.selection[0]
    root = search.root
    through = choice.visits - 1
    factor = (math.log((1 + choice.visits + base) / base) * growth + c) * math.sqrt(through)
    for edge in choice.edges:
        assert edge.exploration_term == pytest.approx(factor * edge.prior / (1 + edge.visits), rel=1e-6)
        if edge.value is not None:
            assert edge.value_term == edge.value
    assert root.visits == choice.visits + 1


def test_alphazero_has_noise_and_draws_its_first_thirty_moves():
    settings = po.preset("alphazero")
    assert (settings.noise, settings.solver) == (po.Noise(0.25, 0.3), False)
    assert [settings.temperature_at(move) for move in (0, 29, 30, 200)] == [1.0, 1.0, 0.0, 0.0]
    quiet, noised = searched("alphazero", noise=None), searched("alphazero")
    assert [s.prior for s in quiet.result().actions] != [s.prior for s in noised.result().actions]


def test_gumbel_has_the_constants_of_the_paper_and_no_other_randomness():
    """Danihelka and others 2022, section 3.4 and appendix: 16 actions considered, c_visit 50, c_scale 1, no Dirichlet
    noise, no temperature: the action that halving leaves is played. Played for strength, without Gumbel noise."""
    settings = po.preset("gumbel")
    assert settings.root == po.Gumbel(None, noise=0.0, visit_offset=50.0, value_scale=1.0)
    assert settings.params(CONNECT4).considered == 16
    assert settings.policy == po.Improved(visit_offset=50.0, value_scale=1.0)
    assert (settings.noise, settings.temperature, settings.solver) == (None, 0.0, True)


def test_gumbel_plays_the_same_with_every_seed_and_varies_with_its_noise():
    def visits(seed, **changes):
        search = searched("gumbel", 17, seed=seed, **changes)
        return tuple(s.visits for s in sorted(search.result().actions, key=lambda s: s.action))

    assert len({visits(seed) for seed in range(8)}) == 1
    assert len({visits(seed, root=po.Gumbel(noise=1.0)) for seed in range(8)}) > 1


def test_gumbel_halves_the_actions_by_the_published_schedule():
    """Seven actions and 16 simulations are log2(7) rounded up = 3 rounds: one visit for each of 7, one for each of 3,
    two for each of 2, and what is left goes on with these; before them, the network evaluates the root."""
    search = searched("gumbel", 17)
    result = search.result()
    assert sorted(s.visits for s in result.actions) == [1, 1, 1, 1, 2, 5, 5]
    assert next(s.visits for s in result.actions if s.action == result.best) == 5


def test_gumbel_visits_below_the_root_in_proportion_to_the_improved_policy():
    """pi'(a) - n(a) / (1 + N), where pi' is the softmax of ln prior + sigma(completed Q), sigma(q) = (50 + most n) q
    for q from 0 to 1, and an action without visits has the mixed value of the paper."""
    search, checked = searched("gumbel", 120), 0
    while checked < 3:
        for choice in search.step().selection[1:]:
            visited = [e for e in choice.edges if e.visits]
            if not visited or choice.expanded:
                continue
            checked += 1
            total = sum(e.visits for e in visited)
            own = node_value(search, choice) * (1 + total) - sum(e.visits * e.value for e in visited)
            weighed = sum(e.prior * e.value for e in visited) / sum(e.prior for e in visited)
            mixed = (own + total * weighed) / (1 + total)
            most = max(e.visits for e in visited)
            values = {e.action: (e.value if e.visits else mixed) for e in choice.edges}
            logits = {e.action: math.log(e.prior) + (50 + most) * values[e.action] / 2 for e in choice.edges}
            highest = max(logits.values())
            weights = {action: math.exp(logit - highest) for action, logit in logits.items()}
            for edge in (e for e in choice.edges if math.isfinite(e.score)):
                wanted = weights[edge.action] / sum(weights.values()) - edge.visits / (1 + total)
                assert edge.score == pytest.approx(wanted, abs=1e-6)


def node_value(search, choice):
    """What the node of a choice was worth before the simulation, from the network's value and its edges."""
    own = float(seen(CONNECT4.position(choice.position).observe()[None])[1][0])
    visited = [e for e in choice.edges if e.visits]
    return (own + sum(e.visits * e.value for e in visited)) / (1 + sum(e.visits for e in visited))


def test_lc0_flattens_the_policy_and_takes_less_for_unvisited_moves():
    """Options of lc0 0.31: CPuct 1.745, CPuctBase 38739, CPuctFactor 3.894, FpuValue 0.33, PolicyTemperature 1.359."""
    search = searched("lc0", 12)
    choice = search.step().selection[0]
    powers = (1.0 + np.arange(7)) ** (1 / 1.359)
    assert {e.action: e.prior for e in choice.edges} == {
        a: pytest.approx(p / powers.sum(), abs=1e-6) for a, p in enumerate(powers)
    }
    share = sum(e.prior for e in choice.edges if e.visits)
    unvisited = [e for e in choice.edges if not e.visits]
    assert unvisited
    visited = sum(e.visits * e.value for e in choice.edges if e.visits)
    own = (visited + float(seen(search.position.observe()[None])[1][0])) / choice.visits
    for edge in unvisited:
        assert edge.value_term == pytest.approx(own - 0.33 * math.sqrt(share), abs=1e-6)


@pytest.mark.parametrize(
    ("name", "changes", "words"),
    [
        ("default", {"c": 2}, {"c": "2"}),
        ("default", {"policy": "puct", "c": 2.5, "solver": False}, {"policy": "puct", "c": "2.5", "solver": "off"}),
        ("default", {"policy": po.PUCT(2.5), "growth": 1}, {"policy": "puct", "c": "2.5", "growth": "1"}),
        ("default", {"noise": True, "noise_alpha": 0.1}, {"noise": "on", "noise_alpha": "0.1"}),
        ("suika", {"depth": 1e2, "guided": False, "cap": None}, {"depth": "1e2", "guided": "off", "cap": "none"}),
        ("default", {"evaluator": "mixed", "rollouts": 3}, {"evaluator": "mixed", "rollouts": "3"}),
        ("textbook", {"unvisited": 0.5, "temperature": 1}, {"unvisited": "0.5", "temperature": "1"}),
    ],
)
def test_a_preset_takes_changes_by_the_names_of_the_command_line(name, changes, words):
    assert po.preset(name, **changes) == make_settings(name, words)
    assert po.preset(name, **words) == make_settings(name, words)


def test_a_preset_takes_a_function_as_its_evaluator():
    def judge(observations):
        raise AssertionError("not called")

    assert po.preset("network", evaluator=judge, c=2).evaluator.function is judge
    assert po.preset("network", evaluator=judge, c=2).policy.c == 2


@pytest.mark.parametrize("name", [name for name, option in OPTIONS.items() if option.paths])
def test_the_advice_for_an_option_in_the_wrong_place_works(name):
    advice = how_to_write(name).removeprefix("write ")
    value = default_of(OPTIONS, name, OPTIONS[name].kinds[0]) or "some.onnx"
    code = advice.replace(f"{name}=…", f"{name}={value!r}").replace("=…", "='some.onnx'")
    assert eval(code, {"preset": po.preset})
