"""The known traps of DESIGN 10: each was shipped by a well-known program, and each has a test here."""

import math

import numpy as np
import pytest

import playout as po
from playout.core import tree as core
from playout.core.jit import COMPILED
from tests.games.toy_games import (
    TOY_GAMES,
    Coins,
    Corridor,
    Dice,
    GuidedNim,
    MostlyPass,
    Nim,
    NimOfThree,
    PriorNim,
    TwiceNim,
)
from tests.oracles.oracle import compiled_tree

PLAIN = po.Settings(solver=False)
MANY = 2000 if COMPILED else 500


def edges_of(search, number=core.ROOT):
    node = search.tree.nodes[number]
    return search.tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]


# Whose value it is


@pytest.mark.parametrize(
    "policy", [po.UCT(), po.UCB1Tuned(), po.PUCT(), po.Thompson(), po.UCBV()], ids=lambda p: type(p).__name__
)
def test_each_side_plays_for_itself(policy):
    # Five stones: player 0 must take 1, since four are lost. Four: player 1, to move after it, can only lose.
    search = po.Search(Nim(stones=5), PLAIN.replace(policy=policy), seed=1)
    result = search.run(MANY)
    assert result.best == 1
    assert result.stats(1).value > 0.5
    assert result.stats(2).value < 0
    search.play(1)
    assert search.result().value < -0.5  # the same position, for the other side


def test_the_second_player_finds_his_own_win():
    search = po.Search(Nim(stones=6), PLAIN, seed=1)
    search.play(1)  # player 1 to move with five
    assert search.position.player == 1
    result = search.run(MANY)
    assert (result.best, result.stats(1).value > 0.5) == (1, True)


def test_a_finished_game_counts_for_the_side_that_moved():
    # One stone: the only action wins, for either player.
    for turn in (0, 1):
        search = po.Search(Nim(), PLAIN, position=f"stones=1 turn={turn}")
        assert search.run(10).value == 1.0


def test_the_same_result_is_not_added_to_both_sides_nodes():
    search = po.Search(po.games.load("tictactoe"), PLAIN, seed=1)
    search.run(500)
    # Apart from its own first visit, a node's mean is that of its edges, for its own player.
    for number in range(core.ROOT, int(search.tree.counters[core.NODES])):
        node, block = search.tree.nodes[number], edges_of(search, number)
        through = node["visits"] - node["own"]
        below = float((block["visits"] * block["value"]).sum())
        own = node["value"] * node["visits"] - below
        assert abs(own) <= node["own"] + 1e-9
        assert through == block["visits"].sum()
    # An edge's value is for the player above, the value of the node below it for the other player: they add up to zero.
    for edge in edges_of(search):
        if edge["child"] > core.END:
            assert search.tree.nodes[edge["child"]]["value"] == pytest.approx(-edge["value"])


def test_three_players_each_maximise_their_own():
    # Two stones: the player to move takes both and wins. So with four, taking 2 lets the next player win, and taking 1
    # leaves three, where the next can only leave one or two for the one after: nothing for player 0 in either case.
    for turn in range(3):
        search = po.Search(NimOfThree(), PLAIN, position=f"stones=2 turn={turn}", seed=1)
        result = search.run(300)
        assert result.best == 2
        assert result.stats(2).value == 1.0
        assert result.stats(1).value == 0.0
        four = po.Search(NimOfThree(), PLAIN, position=f"stones=4 turn={turn}", seed=1).run(MANY)
        assert four.value < 0.1


def test_a_player_who_moves_twice_is_not_taken_for_his_opponent():
    # Three stones and two moves to make: any first move leaves a second one to take the rest or all but one.
    # Taking 1, then 2, wins; so does 2, then 1. Both first moves must look like wins for the same player.
    result = po.Search(TwiceNim(stones=3), PLAIN, seed=1).run(MANY)
    assert all(s.value > 0.8 for s in result.actions)


def test_passes_turn_no_sign():
    result = po.Search(MostlyPass(), PLAIN, seed=1).run(MANY)
    assert result.best == 1
    assert result.stats(1).value > 0.8
    assert result.stats(0).value == -1.0
    assert po.Search(MostlyPass()).run(2000).proven == 1.0


# Division by zero, log(0), infinities


@pytest.mark.parametrize("unvisited", ["infinity", 0.0, -5.0, po.Parent(), po.Parent(10.0)], ids=str)
@pytest.mark.parametrize(
    "policy", [po.UCT(), po.UCT(0.0), po.UCB1Tuned(), po.PUCT(), po.PUCT(0.0), po.Thompson(), po.UCBV()], ids=str
)
def test_no_score_is_ever_not_a_number(policy, unvisited):
    for kind in (Nim, Coins, Dice):
        search = po.Search(kind(), PLAIN.replace(policy=policy, unvisited=unvisited), seed=1)
        for _ in range(5):
            search.run(5)
            used = int(search.tree.counters[core.EDGES])
            assert np.isfinite(search.tree.edges[:used]["value"]).all()
            assert math.isfinite(search.result().value)


@pytest.mark.parametrize("policy", [po.UCB1Tuned(), po.Thompson(), po.UCBV()], ids=lambda p: type(p).__name__)
def test_bounds_without_any_width_are_refused(policy):
    # Neither the game nor the search bounds the values: ln N / n times infinity must not decide anything.
    settings = PLAIN.replace(policy=policy, normalise=False)
    with pytest.raises(po.SettingsError, match="normalise"):
        po.Search(Coins(), settings)
    assert po.Search(Coins(), settings.replace(normalise=None), seed=1).run(300).simulations == 300


def test_exploration_divides_wins_by_visits():
    # With c = 0 only the mean counts, not the sum: an action of mean 0.5 with many visits loses to a new one of mean 1.
    search = po.Search.from_tree(
        Nim(),
        {"children": {"1": {"visits": 100, "value": 0.5}, "2": {"visits": 1, "value": 1.0}, "3": {"visits": 1}}},
        PLAIN.replace(policy=po.UCT(0.0)),
        seed=1,
    )
    assert search.run(1).stats(2).visits == 2


# Rewards and discount


def test_rewards_belong_to_their_own_step():
    # Shelf by shelf: what comes after an action counts for it, what came before does not.
    search = po.Search(Coins(), PLAIN.replace(policy=po.UCT(2.0)), seed=1)
    search.run(3000)
    tree = compiled_tree(search)
    assert tree[(1, 2, 0, 1), "edge"]["value"] == 30.0  # the last coin alone
    assert tree[(1, 2, 0), "edge"]["value"] <= 32.0 + 1e-12  # 2 + 30 at best
    assert tree[(1, 2), "edge"]["value"] <= 39.25 + 1e-12
    # The best line leads: 5, 7.25, any of the twos, 30.
    assert search.result().best == 1


def test_discount_counts_steps_from_the_edge_itself():
    # Four shelves; the return of the first edge is r0 + d r1 + d^2 r2 + d^3 r3. Along 1, 2, 0, 1 with d = 0.5:
    # 5 + 7.25 / 2 + 2 / 4 + 30 / 8 = 12.875; from the second edge on 7.25 + 1 + 7.5 = 15.75; then 2 + 15 = 17; 30.
    search = po.Search(Coins(), po.Settings(discount=0.5), seed=1)
    search.run(20_000)
    tree = compiled_tree(search)
    assert [tree[path, "edge"]["value"] for path in ((1,), (1, 2), (1, 2, 0), (1, 2, 0, 1)) if (path, "edge") in tree][
        :2
    ] == pytest.approx([12.875, 15.75])


def test_the_path_is_walked_back_from_the_leaf():
    # One simulation per depth down a single corridor: the first edge's return is 0.01 for each step.
    game = Corridor(length=5)
    search = po.Search(game, po.Settings(policy=po.UCT(0.0), discount=0.9), seed=1)
    search.run(MANY)
    # 0.01 (1 + 0.81 + 0.81^2 + 0.81^3 + 0.81^4): between two steps of the player lies one of chance.
    expected = 0.01 * sum(0.81**k for k in range(5))
    best = next(s for s in search.result().actions if s.action == 0)
    assert best.value <= expected + 1e-12
    if best.proven is not None:
        assert best.proven == pytest.approx(expected)


# Proofs and averages


@pytest.mark.parametrize("kind", TOY_GAMES, ids=lambda kind: kind.__name__)
def test_what_is_proven_is_never_changed_again(kind):
    search, proven = po.Search(kind(), po.Settings(discount=1.0), seed=3), {}
    for _ in range(40 if COMPILED else 15):
        search.run(10)
        tree = compiled_tree(search)
        for key, value in proven.items():
            assert tree[key]["proven"]
            assert tree[key]["value"] == pytest.approx(value, abs=1e-12)
            assert tree[key]["spread"] == pytest.approx(0, abs=1e-12)
        proven.update({k: r["value"] for k, r in tree.items() if k and k[-1] == "edge" and r["proven"]})


def test_a_draw_is_not_taken_for_a_loss():
    # O to move: 7 lets X take 9 and win (3, 6, 9); 9 draws.
    result = po.Search(po.games.load("tictactoe"), position="XOX/OOX/.X.", seed=1).run(100)
    assert {s.text: s.proven for s in result.actions} == {"7": -1.0, "9": 0.0}
    assert (result.proven, result.best_text) == (0.0, "9")
    # A well-known opening: against opposite corners, the side cells draw and the corners lose.
    result = po.Search(po.games.load("tictactoe"), position="X../.O./..X", seed=1).run(20_000 if COMPILED else 1500)
    assert result.best_text in ("2", "4", "6", "8")
    assert result.proven in (0.0, None)


# Noise and priors (more on noise in test_search)


def test_priors_are_normalised_over_the_legal_actions():
    # Six stones: 6 % 4 = 2 has weight 2, the others 1: 1/4, 1/2, 1/4.
    search = po.Search(GuidedNim(stones=6), po.Settings(policy=po.PUCT()))
    assert {int(e["action"]): float(e["prior"]) for e in edges_of(search)} == {2: 0.5, 1: 0.25, 3: 0.25}
    # Two stones, two actions left: 2 and 1 of 3.
    search = po.Search(GuidedNim(stones=2), po.Settings(policy=po.PUCT()))
    assert [round(float(e["prior"]), 6) for e in edges_of(search)] == [0.666667, 0.333333]


def test_priors_that_are_all_zero_become_uniform():
    search = po.Search(GuidedNim(stones=5), PLAIN.replace(policy=po.PUCT()))
    assert edges_of(search)["prior"].tolist() == pytest.approx([1 / 3] * 3)
    assert search.run(100).visits == 100


def test_an_action_of_prior_zero_comes_last():
    # Nine stones: weights 0, 2 and 0.
    search = po.Search(PriorNim(stones=9), po.Settings(policy=po.PUCT()))
    assert {int(e["action"]): float(e["prior"]) for e in edges_of(search)} == {2: 1.0, 1: 0.0, 3: 0.0}
    assert int(edges_of(search)[0]["action"]) == 2


# Depth, counters, limits


@pytest.mark.slow
def test_a_game_of_twenty_thousand_moves_is_searched_without_recursion():
    length = 20_000 if COMPILED else 2000
    settings = po.Settings(
        policy=po.UCT(0.0), unvisited=0.0, evaluator=po.Rollouts(depth=1), expansion=po.Widening(1, 0)
    )
    search = po.Search(Corridor(length=length), settings.replace(ties="first"), seed=1)
    result = search.run(300)
    assert result.max_depth > 128
    deep = po.Search(Corridor(length=length), settings.replace(evaluator=po.Rollouts()), seed=1)
    assert deep.run(20).simulations == 20


class Chain(po.Game):
    """One player with one action, repeated `left` times; then one point."""

    players = 1
    max_actions = 1
    state = np.dtype([("left", np.int32)])
    settings = {"left": 20_000}  # noqa: RUF012
    value_range = (0.0, 1.0)

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.left == 0 else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0] = 0
        return 1

    @staticmethod
    def apply(state, action, rewards):
        state.left -= 1
        if state.left == 0:
            rewards[0] = 1.0


class KeptChain(Chain):
    keep_states = True


@pytest.mark.slow
@pytest.mark.parametrize("kind", [Chain, KeptChain], ids=lambda kind: kind.__name__)
def test_a_tree_as_deep_as_a_long_game_is_grown_proven_and_played_on(kind):
    # Each simulation goes one level deeper, the last one reaches the end, and the proof goes all the way up.
    left = 3000 if COMPILED else 200
    search = po.Search(kind(left=left), po.Settings(evaluator=po.Rollouts(depth=1)), seed=1)
    result = search.run(left + 10)
    assert (result.max_depth, result.proven, result.simulations) == (left, 1.0, left)
    search.play(0)
    assert search.result().proven == 1.0


class LongNim(Chain):
    """The same for two players, who move in turn; the rewards of the second are at odd indices."""

    players = 2
    value_range = (-1.0, 1.0)

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.left == 0 else state.left % 2

    @staticmethod
    def apply(state, action, rewards):
        player = state.left % 2
        state.left -= 1
        if state.left == 0:
            rewards[player], rewards[1 - player] = 1.0, -1.0


def test_two_players_in_a_long_game_keep_their_own_rewards():
    # The last to move is player 1 (one left, odd), who wins, whoever begins.
    for left in (150, 151) if COMPILED else (60, 61):
        result = po.Search(LongNim(left=left), po.Settings(evaluator=po.Rollouts(depth=1)), seed=1).run(left + 10)
        assert (result.max_depth, result.proven) == (left, 1.0 if left % 2 == 1 else -1.0)


@pytest.mark.slow
@pytest.mark.parametrize("depth", [8_000, pytest.param(20_000, marks=pytest.mark.reference)])
def test_a_tree_thousands_deep(depth):
    # 20,000 simulations of a mean depth of 10,000: 200 million steps, with a state at each node.
    search = po.Search(KeptChain(left=depth), po.Settings(evaluator=po.Rollouts(depth=1)), seed=1)
    result = search.run(depth + 10)
    assert (result.max_depth, result.proven) == (depth, 1.0)


def test_a_time_limit_does_not_switch_off_the_simulation_limit():
    result = po.Search(Nim(), PLAIN).run(7, seconds=60)
    assert (result.simulations, result.stopped_by) == (7, "simulations")


def test_a_simulation_limit_does_not_switch_off_the_time_limit():
    result = po.Search(po.games.load("connect4"), PLAIN).run(10**9, seconds=0.1)
    assert result.stopped_by == "seconds"


def test_visits_do_not_overflow():
    search = po.Search(Nim(), PLAIN, seed=1)
    search.run(100)
    most = 2**31 - 1
    search.tree.nodes[core.ROOT]["visits"] = most - 20  # as after an hour at full speed
    edges_of(search)["visits"][0] = most - 90
    result = search.run(1000)
    assert (result.simulations, result.stopped_by, result.visits) == (20, "full", most)
    assert all(s.visits >= 0 for s in result.actions)
    assert math.isfinite(result.value)


class FailsAtFive(Nim):
    """A playout that comes to five stones fails. The actions tell how many stones there were."""

    @staticmethod
    def legal_actions(state, actions):
        if state.stones == 5:
            raise ValueError("five stones")
        count = min(3, state.stones)
        for i in range(count):
            actions[i] = 4 * state.stones + i + 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        state.stones -= action % 4
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


@pytest.mark.parametrize("changes", [{}, {"policy": po.PUCT()}, {"threads": 2}, {"transpositions": True}], ids=str)
def test_a_node_made_by_a_simulation_that_failed_stays_with_its_action(changes):
    """With `first_visit`, the node is there before its edge has a visit; other actions must not take its place."""
    search = po.Search(FailsAtFive(), PLAIN.replace(expansion=po.All(first_visit=True), **changes), seed=1)
    for _ in range(30):
        with pytest.raises(po.GameError, match="five stones"):
            search.run(100)
    stack, checked = [(core.ROOT, search.position)], 0
    while stack:
        number, position = stack.pop()
        node = search.tree.nodes[number]
        block = search.tree.edges[node["first_edge"] : node["first_edge"] + node["count"]]
        assert sorted(block["action"].tolist()) == position.actions(), position.text
        checked += 1
        stack += [(abs(int(e["child"])), position.play(int(e["action"]))) for e in block if abs(e["child"]) > core.END]
    assert checked > 3


class Spread(po.Game):
    """One choice between 70,000 actions."""

    players = 1
    max_actions = 70_000
    state = np.dtype([("over", np.int32)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.over else 0

    @staticmethod
    def legal_actions(state, actions):
        for i in range(70_000):
            actions[i] = i
        return 70_000

    @staticmethod
    def apply(state, action, rewards):
        state.over = 1
        rewards[0] = action


def test_more_actions_than_a_node_can_count_are_refused():
    # A node counts its edges in 16 bits; 70,000 would be taken for 4,464.
    with pytest.raises(po.GameError, match="max_actions"):
        po.Search(Spread())


def test_the_search_never_sees_the_next_random_number():
    # A gamble whose outcome was known in advance would be taken only when it wins.
    values = [po.Search(Dice(), PLAIN, seed=s).run(400 if COMPILED else 100).stats(1).value for s in range(8)]
    wins = np.mean(values)
    assert -0.5 < wins < 0.5


def test_visits_whose_value_is_not_known_to_the_player_below_do_not_count_in_his_mean():
    # Three players: of five visits written by hand only player 0's mean is known. The first visit that goes on through
    # the new node is then all that player 1 knows: a mean of 0 or 1, not a sixth of it.
    tree = {"children": {"1": {"visits": 5, "value": 0.4}, "2": {"visits": 5, "value": 0.0}}}
    for seed in range(5):
        search = po.Search.from_tree(NimOfThree(), tree, PLAIN.replace(policy=po.UCT(0.0)), seed=seed)
        search.run(1)
        number = next(int(e["child"]) for e in edges_of(search) if e["action"] == 1)
        assert float(search.tree.nodes[number]["value"]) in (0.0, 1.0)
