"""`Node`: the tree as objects. Numbers are compared with the arrays and with the result, which are found otherwise."""

import json
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest

import playout as po
from playout.core import tree as core
from playout.search.node import Node
from tests.games.toy_games import Nim

SVG = "{http://www.w3.org/2000/svg}"


def search_of(name: str, position: str | None = None, simulations: int = 150, **settings: Any) -> po.Search:
    search = po.Search(po.games.load(name), po.Settings(**settings), position=position, seed=3)
    if simulations:
        search.run(simulations=simulations)
    return search


class Hostile(Nim):
    """Names its actions so that a page that believes them breaks."""

    settings = {"stones": 6}  # noqa: RUF012

    def action_to_text(self, state, action):
        return ["<script>alert(1)</script>", '"]]>&\x1b[31m\n', "[bold]x[/bold] a long name that goes on and on"][
            action - 1
        ]

    def state_to_text(self, state):
        return f"</td><b>{state.stones}&"


class Dice(po.Game):
    """Roll (chance: 1 or 2 pips), then keep them or throw them away; two rolls. One player."""

    players = 1
    max_actions = 2
    state = np.dtype([("left", np.int32), ("pips", np.int32)])

    @staticmethod
    def initial_state(state):
        state.left = 2

    @staticmethod
    def current_player(state):
        if state.pips == 0 and state.left > 0:
            return po.CHANCE
        return po.TERMINAL if state.left == 0 else 0

    @staticmethod
    def chance_outcomes(state, actions, probabilities):
        for i in range(2):
            actions[i] = i + 1
            probabilities[i] = 0.5
        return 2

    @staticmethod
    def legal_actions(state, actions):
        actions[0] = 10
        actions[1] = 11
        return 2

    @staticmethod
    def apply(state, action, rewards):
        if action < 10:
            state.pips = action
        else:
            if action == 11:
                rewards[0] = state.pips
            state.pips = 0
            state.left -= 1


def test_the_root_shows_the_result_of_the_search() -> None:
    search = search_of("connect4", "4445")
    result, root = search.result(), search.root
    assert (root.visits, root.value, root.proven) == (result.visits, result.value, result.proven)
    assert (root.action, root.text, root.path, root.depth, root.parent) == (None, "", (), 0, None)
    assert root.player == root.value_for == search.position.player
    assert root.prior is None
    assert root.best is not None
    assert root.best.action == result.best


def test_children_are_the_actions_of_the_result_with_its_numbers() -> None:
    search = search_of("connect4", "4445")
    result = search.result()
    for node in search.root.children:
        stats = result.stats(int(node.action or 0))
        assert (node.text, node.visits, node.value, node.error) == (stats.text, stats.visits, stats.value, stats.error)
        assert (node.prior, node.proven) == (stats.prior, stats.proven)
        assert node.interval == stats.interval(result.z, search.game.range)


def test_children_come_by_visits_and_unvisited_ones_last() -> None:
    search = search_of("connect4", simulations=4)
    children = search.root.children
    assert [n.visits for n in children] == sorted((n.visits for n in children), reverse=True)
    assert [n.is_visited for n in children] == [True] * 4 + [False] * 3
    assert sorted(n.action for n in children if n.action is not None) == list(range(7))
    unvisited = children[-1]
    assert (unvisited.value, unvisited.error, unvisited.interval, unvisited.is_expanded) == (None, None, None, False)


def test_an_unvisited_node_keeps_its_action_when_edges_change_places() -> None:
    search = search_of("connect4", simulations=1)
    before = {node.action: node for node in search.root.children}
    search.run(simulations=60)
    assert {a: n.visits for a, n in before.items()} == {s.action: s.visits for s in search.result().actions}


@pytest.mark.slow
def test_numbers_go_on_with_the_search_also_when_the_arrays_grow() -> None:
    search = search_of("connect4", simulations=20)
    child, size = search.root.children[0], len(search.tree.edges)
    while len(search.tree.edges) == size:
        search.run(simulations=400)
    assert child.visits == search.result().stats(int(child.action or 0)).visits


def test_value_is_for_the_player_who_moves_at_the_parent() -> None:
    search = search_of("tictactoe", "XX./OO./...", simulations=300, solver=False)
    win = search.root.find(["3"])
    assert (win.value, win.value_for, win.player, win.is_terminal) == (1.0, 0, po.TERMINAL, True)
    reply = search.root.find(["7", "6"])  # X leaves it, O wins: +1 for O
    assert (reply.value, reply.value_for) == (1.0, 1)


def test_proven_values_are_seen_in_the_tree() -> None:
    search = search_of("tictactoe", "XX./OO./...", simulations=300)
    assert search.root.proven == 1.0
    assert search.root.find(["3"]).proven == 1.0
    assert search.root.find(["3"]).interval == (1.0, 1.0)


def test_a_node_seen_once_has_no_children_but_a_position_and_a_player() -> None:
    search = search_of("connect4", simulations=7)
    node = search.root.children[0]
    assert (node.visits, node.is_expanded, node.children, node.best, node.child_count) == (1, False, [], None, 0)
    assert node.player == 1
    assert node.position.text == search.position.play(int(node.action or 0)).text


def test_position_and_path_follow_the_actions() -> None:
    search = search_of("connect4", simulations=300)
    node = search.root
    while (below := node.best) is not None:
        node = below
    assert node.depth == len(node.path) >= 2
    position = search.position
    for action in node.path:
        position = position.play(action)
    assert node.position.text == position.text
    assert node.path == search.result().line


def test_find_takes_numbers_and_texts() -> None:
    search = search_of("tictactoe", simulations=300)
    assert search.root.find([4, "1"]).path == (4, 0)
    assert search.root.find("5") == search.root.find(4) == search.root.find([4])
    assert hash(search.root.find("5")) == hash(search.root.find(4))
    assert search.root.find("5") != search.root.find("1")


def test_find_says_what_is_there_instead() -> None:
    search = search_of("connect4", simulations=7)
    with pytest.raises(po.ActionError, match=r"no action 77 in .*there are"):
        search.root.find([77])
    with pytest.raises(po.ActionError, match="has not gone on"):
        search.root.find([3, 3])
    with pytest.raises(po.ActionError, match="game is over"):
        search_of("tictactoe", "XX./OO./...", simulations=300).root.find(["3", "7"])


def test_an_old_node_says_so_after_play() -> None:
    search = search_of("connect4")
    root, child = search.root, search.root.children[0]
    assert child.position.text
    search.play(int(child.action or 0))
    for node in (root, child):
        for read in ("visits", "value", "children", "position", "proven", "player", "best"):
            with pytest.raises(po.PlayoutError, match=r"search\.root"):
                getattr(node, read)
    assert search.root.visits > 0


def test_an_old_node_says_so_after_rewind() -> None:
    search = search_of("connect4")
    child = search.root.children[0]
    search.rewind(50)
    with pytest.raises(po.PlayoutError, match=r"rewind\(\)"):
        _ = child.visits
    assert search.root.visits == 50


def test_walk_meets_every_visited_position_once() -> None:
    search = search_of("connect4")
    nodes = list(search.root.walk())
    assert len(nodes) == len(set(nodes)) == int(search.tree.counters[core.POSITIONS])
    assert all(node.depth <= 1 for node in search.root.walk(depth=1))
    assert [n.visits for n in search.root.walk(visits=10)] == [n.visits for n in nodes if n.visits >= 10]


def test_to_dict_is_json_and_counts_what_it_leaves_out() -> None:
    search = search_of("connect4")
    data = json.loads(json.dumps(search.root.to_dict(depth=2, width=3)))
    best = search.root.children[0]
    assert (data["visits"], data["action"], data["more"], len(data["children"])) == (150, None, 4, 3)
    assert data["children"][0]["action"] == best.text
    assert data["children"][0]["visits"] == best.visits
    assert data["children"][0]["children"][0]["children"] == []
    assert data["children"][0]["children"][0]["more"] == best.children[0].child_count
    assert search.root.to_dict(depth=0)["more"] == 7


def test_a_tree_is_read_only_as_far_as_it_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    search, made = search_of("connect4", simulations=600), []
    make = Node.__init__

    def counted(self: Node, *given: Any) -> None:
        made.append(1)
        make(self, *given)

    monkeypatch.setattr(Node, "__init__", counted)
    search.root.to_dict(depth=1, width=2)
    search.root.svg(most=5)
    assert len(made) < 60


def test_chance_nodes_show_outcomes_for_player_0() -> None:
    search = po.Search(Dice(), seed=1)
    root = search.root
    assert (root.player, root.value_for, root.visits, root.value) == (po.CHANCE, 0, 0, None)
    assert [n.prior for n in root.children] == [0.5, 0.5]
    assert root.best is None
    search.play(2)
    search.run(simulations=100)
    kept = search.root.find([11])
    assert (kept.player, kept.value_for) == (po.CHANCE, 0)
    assert kept.value == 3.5  # proven: two pips now, one and a half to come
    outcome = kept.children[0]
    assert (outcome.value_for, outcome.player, outcome.prior) == (0, 0, 0.5)
    assert kept.best == outcome


def test_the_root_of_a_finished_game_has_nothing_below() -> None:
    root = po.Search(po.games.load("tictactoe"), position="XXX/OO./...").root
    assert (root.player, root.children, root.best, root.value, root.is_terminal) == (po.TERMINAL, [], None, None, True)
    ElementTree.fromstring(root.svg())


def test_the_drawing_is_well_formed_and_holds_the_most_visited() -> None:
    search = search_of("connect4", simulations=300)
    drawing = ElementTree.fromstring(search.root._repr_svg_())
    texts = ["".join(t.itertext()) for t in drawing.iter(f"{SVG}text")]
    assert "root" in texts
    assert any(text.startswith("300 · ") for text in texts)
    best = search.root.children[0]
    assert any(text.startswith(f"{best.visits} · ") for text in texts)
    assert "3 more" in texts
    assert "player 1 chose" in texts
    assert search.root.svg() in search.root._repr_html_()


@pytest.mark.parametrize(
    ("name", "simulations"), [("connect4", 300), ("tictactoe", 60), ("target_sum", 90), ("othello", 60)]
)
def test_nothing_in_the_drawing_overlaps_or_leaves_it(name: str, simulations: int) -> None:
    drawing = ElementTree.fromstring(search_of(name, simulations=simulations).root.svg())
    wide, high = float(drawing.attrib["width"]), float(drawing.attrib["height"])
    boxes = [tuple(float(r.attrib[k]) for k in ("x", "y", "width", "height")) for r in drawing.iter(f"{SVG}rect")]
    assert len(boxes) > 3
    for i, (x, y, w, h) in enumerate(boxes):
        assert x >= 0
        assert y >= 0
        assert x + w <= wide
        assert y + h <= high
        for u, v, a, b in boxes[:i]:
            assert x >= u + a or u >= x + w or y >= v + b or v >= y + h
    for text in drawing.iter(f"{SVG}text"):  # notes stand beside cards, not on them
        at = float(text.attrib["x"]), float(text.attrib["y"])
        inside = [b for b in boxes if b[0] <= at[0] <= b[0] + b[2] and b[1] <= at[1] <= b[1] + b[3]]
        assert bool(inside) == (text.attrib["fill"] != "#80868e")


def test_hostile_action_texts_are_only_text_in_the_drawing() -> None:
    search = po.Search(Hostile(), seed=1)
    search.run(simulations=40)
    svg = search.root.svg()
    drawing = ElementTree.fromstring(svg)
    assert "<script" not in svg
    assert "\x1b" not in svg
    assert not list(drawing.iter(f"{SVG}script"))
    assert any("<script>alert" in "".join(t.itertext()) for t in drawing.iter(f"{SVG}title"))


def test_repr_is_one_line_with_the_numbers() -> None:
    search = po.Search(Hostile(), seed=1)
    search.run(simulations=40)
    node = search.root.find([2])
    assert f"{node.visits:,} visits" in repr(node)
    assert "\n" not in repr(node)
    assert "\x1b" not in repr(node)
