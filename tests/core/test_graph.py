"""Graph search: one node for each position. Against the oracle, against exact values, and against a tree."""

from dataclasses import dataclass
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

import playout as po
from playout.core import copying
from playout.core import tree as core
from playout.core.jit import COMPILED
from tests.game.objects import Board, Shelf
from tests.games.toy_games import TOY_GAMES, Coins, Corridor, Dice, KeptDice, Nim, NimOfThree
from tests.oracles.graph_oracle import GraphOracle, graphs_differ
from tests.oracles.oracle import compiled_tree
from tests.oracles.solved import tictactoe
from tests.sizes import examples

from .test_oracle import BOARDS, QUIET, SEEDS, settings_for

EXAMPLES = examples(300)
GRAPH = po.Settings(transpositions=True)


def compare(game, settings, simulations, seed=0, position=None):
    start = game.position(position)
    search, oracle = po.Search(game, settings, position=start, seed=seed), GraphOracle(game, settings, start, seed)
    search.run(simulations)
    oracle.run(simulations)
    assert search.simulations == oracle.simulations
    assert graphs_differ(search, oracle) is None
    assert int(search.tree.rng[0]) == oracle.random.state
    best = oracle.answer()
    assert search.result().best == (best.action if best else None)
    assert search.result().leader_since == oracle.leader_since


@pytest.mark.parametrize("kind", TOY_GAMES, ids=lambda kind: kind.__name__)
def test_default_settings_grow_the_oracles_graph(kind):
    compare(kind(), GRAPH, 300 if COMPILED else 100, seed=1)
    compare(kind(), GRAPH.replace(solver=False), 300 if COMPILED else 100, seed=2)


def in_graph(game, settings):
    """Settings for a graph; a backup that can't be used there gives way to the mean.

    In circles that bring rewards, only the mean of the node itself stays within bounds.
    """
    circles = isinstance(game, Corridor)
    one_number = game.players == 1 or (game.players == 2 and game.sums_to is not None and settings.discount == 1.0)
    if not settings.backup.graph or not one_number or circles:
        settings = settings.replace(backup=po.Mean())
    return settings.replace(transpositions=True)


@budget(max_examples=EXAMPLES, deadline=None, suppress_health_check=QUIET)
@given(data=st.data(), kind=st.sampled_from(TOY_GAMES), simulations=st.integers(1, 250), seed=SEEDS)
def test_any_settings_grow_the_oracles_graph_on_toy_games(data, kind, simulations, seed):
    game = kind()
    compare(game, in_graph(game, data.draw(settings_for(game))), simulations, seed)


@budget(max_examples=EXAMPLES // 3, deadline=None, suppress_health_check=QUIET)
@given(data=st.data(), name=st.sampled_from(["tictactoe", "connect4", "target_sum"]), seed=SEEDS)
def test_any_settings_grow_the_oracles_graph_on_built_in_games(data, name, seed):
    game = po.games.load(name)
    position = data.draw(st.sampled_from(BOARDS[name]))
    settings = in_graph(game, data.draw(settings_for(game)))
    compare(game, settings, data.draw(st.integers(1, 150 if COMPILED else 30)), seed, position)


def test_a_mean_of_the_graph_that_is_out_of_range_is_not_blamed_on_the_rules():
    """Means of three players are updated by differences: here, one is below 0 for a while, in a game of 0 to 1."""
    settings = GRAPH.replace(
        policy=po.PUCT(3.0), evaluator=po.Rollouts(depth=3), solver=False, noise=po.Noise(1.0, 1.0), ties="first"
    )
    compare(NimOfThree(), settings, 60, seed=16)


# A graph in which nothing is shared is the tree.


class RememberingNim(Nim):
    """Nim whose state records all moves, so that no two paths lead to one position."""

    state = np.dtype([("stones", np.int32), ("turn", np.int8), ("moves", np.uint64)])

    @staticmethod
    def initial_state(state):
        state.stones = 12

    @staticmethod
    def apply(state, action, rewards):
        state.moves = state.moves * np.uint64(4) + np.uint64(action)
        state.stones -= action
        if state.stones == 0:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        state.turn = 1 - state.turn


@pytest.mark.parametrize("solver", [True, False])
def test_without_transpositions_the_graph_is_the_tree(solver):
    game, settings = RememberingNim(), po.Settings(solver=solver)
    tree, graph = po.Search(game, settings, seed=4), po.Search(game, settings.replace(transpositions=True), seed=4)
    a, b = tree.run(800), graph.run(800)
    assert (b.hits, b.saved) == (0, 0)
    assert (a.nodes, a.simulations) == (b.nodes, b.simulations)
    found, expected = compiled_tree(graph), compiled_tree(tree)
    assert found.keys() == expected.keys()
    for path, record in expected.items():
        assert found[path]["visits"] == record["visits"]
        assert found[path]["value"] == pytest.approx(record["value"], abs=1e-9)


# Against exact values.


class ThreeInLine(po.Game):
    """Drop stones into four columns of three; three in a line win. Small enough to be solved in full."""

    players = 2
    max_actions = 4
    state = np.dtype([("board", np.int8, (3, 4)), ("turn", np.int8), ("over", np.int8)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.over else state.turn

    @staticmethod
    def legal_actions(state, actions):
        count = 0
        for column in range(4):
            if state.board[2, column] == 0:
                actions[count] = column
                count += 1
        return count

    @staticmethod
    def apply(state, action, rewards):
        row = 0
        while state.board[row, action] != 0:
            row += 1
        mine = state.turn + 1
        state.board[row, action] = mine
        for r in range(3):
            for c in range(4):
                for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    in_line = 0
                    for i in range(3):
                        y, x = r + dr * i, c + dc * i
                        if 0 <= y < 3 and 0 <= x < 4 and state.board[y, x] == mine:
                            in_line += 1
                    if in_line == 3:
                        state.over = 1
        if state.over:
            rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
        full = True
        for c in range(4):
            full = full and state.board[2, c] != 0
        if full:
            state.over = 1
        state.turn = 1 - state.turn


def solved_values():
    """The exact value of every position of ThreeInLine for the player to move, by plain minimax over Python tuples."""
    lines = [
        tuple((r + dr * i, c + dc * i) for i in range(3))
        for r in range(3)
        for c in range(4)
        for dr, dc in ((0, 1), (1, 0), (1, 1), (1, -1))
        if 0 <= r + 2 * dr < 3 and 0 <= c + 2 * dc < 4
    ]

    @cache
    def value(columns, turn):
        best = -2
        for c in range(4):
            if len(columns[c]) < 3:
                after = (*columns[:c], (*columns[c], turn), *columns[c + 1 :])
                stones = {(r, x): s for x, column in enumerate(after) for r, s in enumerate(column)}
                if any(all(stones.get(place) == turn for place in line) for line in lines):
                    return 1
                best = max(best, 0 if len(stones) == 12 else -value(after, 1 - turn))
        return best

    return value


def test_small_boards_are_proven_as_they_are_solved():
    value, game = solved_values(), ThreeInLine()
    random = np.random.default_rng(5)
    for _ in range(12 if COMPILED else 2):
        position, columns, turn = game.position(), [()] * 4, 0
        for _ in range(int(random.integers(2, 7)) if COMPILED else 7):
            action = int(random.choice(position.actions()))
            position = position.play(action)
            columns[action] = (*columns[action], turn)
            turn = 1 - turn
            if position.is_terminal:
                break
        if position.is_terminal:
            continue
        exact = value(tuple(columns), turn)
        result = po.Search(game, GRAPH, position=position, seed=3).run(400_000 if COMPILED else 4000)
        if COMPILED or result.proven is not None:
            assert result.proven == exact
        tree = po.Search(game, po.Settings(), position=position, seed=3).run(400_000 if COMPILED else 4000)
        assert tree.proven is None or tree.simulations >= result.simulations / 2


@pytest.mark.compiled_only
def test_tictactoe_is_proven_right_wherever_it_is_begun():
    game = po.games.load("tictactoe")
    begun = [known for known in tictactoe().values() if not known.is_over]
    for known in begun[::11]:
        result = po.Search(game, GRAPH, position=known.text, seed=1).run(100_000)
        assert result.proven == known.value, known
        assert result.best in known.best, known


@pytest.mark.compiled_only
def test_tictactoe_takes_a_fraction_of_the_trees_simulations():
    game = po.games.load("tictactoe")
    graph, tree = po.Search(game, GRAPH, seed=1).run(10**6), po.Search(game, seed=1).run(10**6)
    assert graph.proven == tree.proven == 0.0
    assert graph.simulations < tree.simulations / 4
    assert (
        graph.nodes < 8000 < tree.nodes
    )  # there are 5,478 positions; ends are counted with each edge that leads there


@pytest.mark.compiled_only
def test_graph_and_tree_come_to_the_exact_values_without_proofs():
    value, game = solved_values(), ThreeInLine()
    settings = po.Settings(policy=po.UCT(0.5), solver=False)
    for moves in ((1,), (0, 3), (1, 1), (0, 1, 2)):
        position, columns = game.position(), [()] * 4
        for turn, action in enumerate(moves):
            position = position.play(action)
            columns[action] = (*columns[action], turn % 2)
        exact = value(tuple(columns), len(moves) % 2)
        for on in (True, False):
            search = po.Search(game, settings.replace(transpositions=on), position=position, seed=2)
            assert search.run(200_000).value == pytest.approx(exact, abs=0.05), (moves, on)


# What is shared, and what is not.


class Diamond(po.Game):
    """Two moves in either order lead to one position; there, 1 wins and 0 loses. A third move goes astray."""

    players = 1
    max_actions = 3
    value_range = (0.0, 1.0)
    state = np.dtype([("made", np.int8, (2,)), ("last", np.int8), ("over", np.int8)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.over else 0

    @staticmethod
    def legal_actions(state, actions):
        count = 0
        for i in range(2):
            if not state.made[i]:
                actions[count] = i
                count += 1
        if count == 0:
            actions[0], actions[1] = 0, 1
            return 2
        return count

    @staticmethod
    def apply(state, action, rewards):
        if state.made[0] and state.made[1]:
            state.over = 1
            rewards[0] = action
        else:
            state.made[action] = 1

    @staticmethod
    def priors(state, actions, count, out):
        for i in range(count):
            out[i] = 1.0 + 2.0 * (actions[i] == 1)


def test_two_orders_of_the_same_moves_share_their_position():
    search = po.Search(Diamond(), GRAPH.replace(solver=False), seed=1)
    search.run(60)
    root = search.root
    ends = [root.find([0, 1]), root.find([1, 0])]
    assert ends[0].number == ends[1].number is not None
    assert [n.parents for n in ends] == [2, 2]
    assert ends[0].node_visits > max(n.visits for n in ends)  # edge visits and node visits are different numbers
    assert ends[0].value == pytest.approx(ends[1].value)
    assert len(list(root.walk())) < len({n.path for n in root.walk()}) + 3  # visited once, not once for each path


def test_a_proof_travels_to_all_parents():
    search = po.Search(Diamond(), GRAPH, seed=1)
    search.run(100)
    assert search.result().proven == 1.0
    # Whichever parent found the win, the edges into the shared position are proven on both sides, once taken.
    tree = search.tree
    proven = {int(e["child"]) for e in tree.edges[: tree.counters[core.EDGES]] if e["child"] < -core.END}
    for number in range(core.ROOT, int(tree.counters[core.NODES])):
        if tree.nodes[number]["proof"] > core.NO_PROOF and number != core.ROOT:
            assert -number in proven
    joined = tree.edges[: tree.counters[core.EDGES]]
    for edge in joined[joined["child"] > core.END]:
        assert tree.nodes[edge["child"]]["proof"] == core.NO_PROOF


def test_priors_belong_to_the_edge_and_not_to_the_node_they_lead_to():
    search = po.Search(Diamond(), po.Settings(policy=po.PUCT(3.0), transpositions=True, solver=False), seed=1)
    search.run(60)
    edges = [search.root.find([0]), search.root.find([1])]
    assert [round(e.prior, 2) for e in edges] == [0.25, 0.75]
    below = [search.root.find([0, 1]), search.root.find([1, 0])]
    assert below[0].number == below[1].number
    assert [e.prior for e in below] == [1.0, 1.0]


def test_statistics_count_what_was_shared():
    search = po.Search(po.games.load("tictactoe"), GRAPH.replace(solver=False), seed=1)
    result = search.run(1500 if COMPILED else 300)
    tree = search.tree
    children = np.abs(tree.edges["child"][: int(tree.counters[core.EDGES])])
    inner = children[children > core.END]
    assert result.saved == len(inner) - len(np.unique(inner)) > 0
    assert result.hits >= result.saved / 2 > 0
    assert result.nodes < result.simulations


# Cycles.


class Ring(po.Game):
    """One player walks on a ring of six places, either way, and may get off at place 3 for 1 or at place 0 for 0.2."""

    players = 1
    max_actions = 3
    value_range = (0.0, 1.0)
    state = np.dtype([("at", np.int8), ("off", np.int8)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.off else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1], actions[2] = 1, 5, 0
        return 3 if state.at % 3 == 0 else 2

    @staticmethod
    def apply(state, action, rewards):
        if action == 0:
            state.off = 1
            rewards[0] = 1.0 if state.at == 3 else 0.2
        else:
            state.at = (state.at + action) % 6


def test_walks_in_a_circle_end_and_the_value_is_right():
    settings = GRAPH.replace(evaluator=po.Rollouts(depth=20), discount=0.9, solver=False, policy=po.UCT(0.3))
    search = po.Search(Ring(), settings, seed=1)
    result = search.run(20_000 if COMPILED else 400)
    assert int(search.tree.counters[core.NODES]) <= core.ROOT + 6  # as many nodes as places
    if COMPILED:
        assert result.value == pytest.approx(0.9**3, abs=0.05)  # three steps, then off
        assert result.best_text in ("1", "5")  # both directions are equally long
    proven = po.Search(Ring(), settings.replace(solver=True), seed=1).run(20_000 if COMPILED else 400)
    assert proven.proven is None or proven.proven == pytest.approx(0.9**3)
    assert str(search.step())


@pytest.mark.compiled_only
def test_chess_repetitions_stay_right_under_transpositions():
    # Draws by repetition and by the 50-move rule depend on the history: the key of chess includes both.
    game = po.games.load("chess")
    for text in ("6k1/5ppp/8/8/8/8/q7/K5Q1 w - - 0 1", "8/8/8/8/8/4k3/4p3/4K2R w - - 0 1"):
        graph = po.Search(game, po.settings.preset("chess", transpositions="check"), position=text, seed=1).run(20_000)
        tree = po.Search(game, "chess", position=text, seed=1).run(20_000)
        assert graph.proven is None or tree.proven is None or graph.proven == tree.proven
        assert graph.value == pytest.approx(tree.value, abs=0.15)


# Keys.


class WrongKey(Nim):
    """A key that forgets whose turn it is."""

    @staticmethod
    def hash(state):
        return np.uint64(state.stones)


class Scored(Coins):
    """Stores what was collected, although nothing later depends on it."""

    state = np.dtype([("shelf", np.int32), ("score", np.float64)])
    unkeyed = ("score",)

    @staticmethod
    def apply(state, action, rewards):
        rewards[0] = action + 1.0
        state.score += action + 1.0
        state.shelf += 1


def test_a_checking_search_finds_keys_that_forget_something():
    assert po.Search(Nim(), GRAPH.replace(transpositions="check"), seed=1).run(300).nodes
    with pytest.raises(po.GameError, match=r"WrongKey.hash gives .* differ in turn; let the key tell them apart"):
        po.Search(WrongKey(), GRAPH.replace(transpositions="check"), seed=1).run(300)


def test_what_the_key_leaves_out_does_not_keep_positions_apart():
    checked = po.Search(Scored(), GRAPH.replace(transpositions="check", solver=False), seed=1)
    checked.run(400)
    assert int(checked.tree.counters[core.NODES]) == core.ROOT + 4  # one node for each shelf

    class Apart(Scored):
        unkeyed = ()

    apart = po.Search(Apart(), GRAPH.replace(solver=False), seed=1)
    apart.run(400)
    assert int(apart.tree.counters[core.NODES]) > core.ROOT + 4


def test_an_unkeyed_field_must_be_there():
    class Wrong(Nim):
        unkeyed = ("score",)

    with pytest.raises(po.GameError, match="'score' in unkeyed is not a field"):
        Wrong()


# Other things that a search does.


@pytest.mark.parametrize("kind", [Nim, NimOfThree, Dice, KeptDice], ids=lambda kind: kind.__name__)
def test_states_kept_and_steps_and_runs_give_the_same_graph(kind):
    run, stepped = po.Search(kind(), GRAPH.replace(solver=False), seed=6), None
    run.run(60)
    stepped = po.Search(kind(), GRAPH.replace(solver=False), seed=6)
    steps = [stepped.step() for _ in range(60)]
    for name, array in zip(core.Tree._fields, run.tree, strict=True):
        used = copying.rows(run.tree, name)
        assert array[:used].tobytes() == getattr(stepped.tree, name)[:used].tobytes(), name
    assert {s.ending for s in steps} & {"met", "known"}


def test_kept_states_grow_the_same_graph_as_played_ones():
    a, b = (po.Search(kind(), GRAPH.replace(discount=0.9), seed=8) for kind in (KeptDice, Dice))
    a.run(500)
    b.run(500)
    n, e = (int(a.tree.counters[i]) for i in (core.NODES, core.EDGES))
    assert a.tree.edges[:e].tobytes() == b.tree.edges[:e].tobytes()
    assert a.tree.nodes[:n].tobytes() == b.tree.nodes[:n].tobytes()


@pytest.mark.parametrize("name", ["tictactoe", "connect4"])
def test_a_graph_is_played_on_saved_loaded_and_walked_back(name, tmp_path):
    search = po.Search(po.games.load(name), GRAPH.replace(solver=False), seed=3)
    search.run(400 if COMPILED else 120)
    search.play(search.result().best)
    before = search.result().visits
    assert before > 20
    search.run(100)
    search.save(tmp_path / "graph.playout")
    again = po.Search.load(tmp_path / "graph.playout")
    a, b = search.run(150), again.run(150)
    assert [(x.action, x.visits) for x in a.actions] == [(x.action, x.visits) for x in b.actions]
    search.rewind(100)
    search.run(150)
    assert [(x.action, x.visits) for x in search.result().actions] == [(x.action, x.visits) for x in a.actions]


def test_a_subtree_keeps_what_its_positions_share():
    search = po.Search(po.games.load("tictactoe"), GRAPH.replace(solver=False), seed=3)
    search.run(1000 if COMPILED else 200)
    search.play("5")
    tree = search.tree
    nodes, edges = int(tree.counters[core.NODES]), int(tree.counters[core.EDGES])
    into = np.abs(tree.edges["child"][:edges])
    assert np.array_equal(np.bincount(into[into > core.ROOT], minlength=nodes)[3:], tree.nodes["parents"][3:nodes])
    found = (tree.table[tree.table != 0] & np.uint64(0xFFFFFFFF)).astype(np.uint32).view(np.int32)
    assert sorted(found[found > 0]) == list(range(core.ROOT, nodes))
    assert tree.counters[core.POSITIONS] == search.result().nodes > nodes - core.ROOT


@pytest.mark.compiled_only
def test_a_subtree_has_room_for_many_positions_without_a_node():
    """Chess has many moves: most positions are seen once and have no node. A full table was searched without end."""
    search = po.Search("chess", po.preset("chess-classic", transpositions=True), seed=1)
    search.run(100)
    positions, nodes = (int(search.tree.counters[i]) for i in (core.POSITIONS, core.NODES))
    assert positions > 4 * nodes
    search.play(search.result().best)
    assert len(search.tree.table) >= 2 * positions


def test_only_some_actions_at_the_root_leave_the_same_position_below_whole():
    search = po.Search(Ring(), GRAPH.replace(evaluator=po.Rollouts(depth=5), solver=False), seed=1, only=["1"])
    search.run(200 if COMPILED else 60)
    assert [a.text for a in search.result().actions] == ["1"]
    back = search.root.find([1, 5])
    assert back.child_count == 3


@dataclass(frozen=True)
class Pile:
    """Nim as a Python object; equal piles are equal objects."""

    stones: int
    turn: int = 0

    def current_player(self):
        return None if self.stones == 0 else self.turn

    def legal_actions(self):
        return [n for n in (1, 2, 3) if n <= self.stones]

    def play(self, action):
        return Pile(self.stones - action, 1 - self.turn)

    def returns(self):
        return [-1.0, 1.0] if self.turn == 0 else [1.0, -1.0]


class Colliding(Pile):
    """All hashes are equal, which costs time but changes nothing else."""

    def play(self, action):
        return Colliding(self.stones - action, 1 - self.turn)

    def __hash__(self):
        return 1


class Nameless:
    current_player, legal_actions, returns = Pile.current_player, Pile.legal_actions, Pile.returns

    def __init__(self, stones, turn=0):
        self.stones, self.turn = stones, turn

    def play(self, action):
        return Nameless(self.stones - action, 1 - self.turn)


def test_python_objects_share_positions_too(tmp_path):
    game = po.wrap(Pile(10), players=2)
    search = po.Search(game, GRAPH, seed=2)
    result = search.run(3000)
    assert result.proven == 1.0
    assert result.best_text == "2"  # leaves a multiple of four
    assert int(search.tree.counters[core.NODES]) <= core.ROOT + 20  # at most two for each number of stones
    search = po.Search(game, GRAPH.replace(solver=False), seed=2)
    search.run(200)
    search.play("2")
    search.run(50)
    search.save(tmp_path / "pile.playout")
    again = po.Search.load(tmp_path / "pile.playout", game=po.wrap(Pile(10), players=2))
    assert [a.visits for a in again.result().actions] == [a.visits for a in search.result().actions]
    assert again.run(50).simulations == 50


class Careless(Pile):
    """Forgets how many stones there are."""

    def play(self, action):
        return Careless(self.stones - action, 1 - self.turn)

    def __eq__(self, other):
        return self.turn == other.turn

    def __hash__(self):
        return self.turn


class CarelessBoard(Board):
    """Forgets where the stones lie."""

    def after(self, i):
        return CarelessBoard(*super().after(i))

    def __eq__(self, other):
        return self.cells.count(0) == other.cells.count(0)

    def __hash__(self):
        return self.cells.count(0)


@pytest.mark.parametrize("obj", [Pile(10), Board(), Shelf(), Colliding(10)], ids=lambda obj: type(obj).__name__)
def test_a_checking_search_of_right_objects_is_the_plain_one(obj):
    plain, checked = (
        po.Search(po.wrap(obj, players=1 if isinstance(obj, Shelf) else 2), GRAPH.replace(transpositions=how), seed=2)
        for how in (True, "check")
    )
    for search in (plain, checked):
        search.run(200)
    assert checked.tree.counters[core.NODES] < checked.tree.counters[core.POSITIONS]
    assert np.array_equal(plain.tree.edges, checked.tree.edges)


@pytest.mark.parametrize(
    ("obj", "expected"),
    [
        (Careless(10), r"Careless\.__eq__ says that Careless\(stones=., turn=1\) equals .* legal_actions\(\) returns"),
        (CarelessBoard(), r"CarelessBoard\.__eq__ says that .* but after .* is_terminal\(\) returns (True|False) and"),
    ],
    ids=["play", "node"],
)
def test_a_checking_search_finds_objects_that_are_wrongly_equal(obj, expected):
    with pytest.raises(po.GameError, match=expected) as caught:
        po.Search(po.wrap(obj, players=2), GRAPH.replace(transpositions="check"), seed=2).run(200)
    assert "\n" not in str(caught.value)


def test_objects_that_are_never_equal_are_refused():
    with pytest.raises(po.SettingsError, match="transpositions need objects that compare equal where positions"):
        po.Search(po.wrap(Nameless(5), players=2), GRAPH)


@pytest.mark.parametrize("wrong", [1, "yes", None])
def test_transpositions_are_on_off_or_checked(wrong):
    with pytest.raises(po.SettingsError, match="transpositions is"):
        po.Settings(transpositions=wrong)


def test_limits_of_nodes_and_bytes_hold():
    game = po.games.load("connect4")
    few = po.Search(game, GRAPH, seed=1).run(nodes=50)
    assert few.stopped_by == "nodes"
    assert few.nodes == 50
    small = po.Search(game, GRAPH, seed=1).run(100_000 if COMPILED else 3000, bytes=150_000)
    assert small.stopped_by == "bytes"
    assert small.bytes <= 150_000
