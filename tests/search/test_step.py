"""Looking inside: one simulation in its four phases, and the way back."""

import json

import pytest

import playout as po
from playout.core import copying
from playout.core import tree as core
from tests.games import toy_games
from tests.games.toy_games import Nim


def same_tree(one: po.Search, other: po.Search) -> bool:
    """Whether two searches hold the same records, to the bit; room that is not used does not count."""
    return all(
        a[: copying.rows(one.tree, name)].tobytes() == b[: copying.rows(other.tree, name)].tobytes()
        for name, a, b in zip(one.tree._fields, one.tree, other.tree, strict=True)
    )


@pytest.mark.parametrize("name", ["tictactoe", "connect4", "othello", "target_sum"])
@pytest.mark.parametrize("settings", ["default", "textbook", "minimal", "stepwise"])
def test_stepping_gives_the_same_tree_as_running(name: str, settings: str) -> None:
    game = po.games.load(name, **({"target": 21, "moves": 9} if name == "target_sum" else {}))
    stepped, ran = (po.Search(game, settings, seed=7) for _ in range(2))
    for _ in range(25):
        stepped.step()
    ran.run(25)
    assert same_tree(stepped, ran)


def test_stepping_gives_the_same_tree_with_priors_noise_and_mixed_values() -> None:
    settings = po.Settings(
        policy=po.PUCT(),
        evaluator=po.Mixed(0.5, po.Rollouts(3, depth=4, guided=True)),
        noise=po.Noise(),
        expansion=po.Widening(),
    )
    stepped, ran = (po.Search(po.games.load("connect4"), settings, seed=3) for _ in range(2))
    steps = [stepped.step() for _ in range(30)]
    ran.run(30)
    assert same_tree(stepped, ran)
    assert all(len(s.playouts) == 3 for s in steps if s.ending == "new")
    assert all(len(p.actions) <= 4 for s in steps for p in s.playouts)


def test_a_step_reports_every_number_that_the_backup_changed() -> None:
    search = po.Search(Nim(), seed=5)
    search.run(40)
    before = {n: getattr(search.tree, n).copy() for n in ("nodes", "edges")}
    step = search.step()
    told = {(c.what, c.path, c.field) for c in step.backup}
    edges = {tuple(c.text for c in step.selection[: d + 1]) for d in range(len(step.selection))}
    assert {("edge", path, "visits") for path in edges} <= told
    count = int(search.tree.counters[core.EDGES])
    grown = len(before["edges"])
    differ = [e for e in range(min(count, grown)) if before["edges"][e]["visits"] != search.tree.edges[e]["visits"]]
    new = step.expansion is not None
    assert len([t for t in told if t[0] == "edge" and t[2] == "visits"]) == len(differ) or new


def test_the_terms_of_a_score_add_up_and_the_best_is_chosen() -> None:
    search = po.Search(po.games.load("connect4"), seed=2)
    search.run(200)
    for _ in range(30):
        for choice in search.step().selection:
            chosen = [e for e in choice.edges if e.chosen]
            assert len(chosen) == 1
            assert chosen[0].score == max(e.score for e in choice.edges)
            assert all(e.score == e.value_term + e.exploration_term for e in choice.edges if e.visits)


def test_a_playout_is_told_move_by_move_and_ends_where_the_rules_say() -> None:
    search = po.Search(Nim(), seed=1)
    for _ in range(20):
        step = search.step()
        for playout in step.playouts:
            position = search.game.position(step.leaf)
            for action in playout.actions:
                position = position.play(position.action(action))
            assert position.is_terminal
            assert playout.returns == step.returns == tuple(position.rewards)


def test_a_step_is_json_and_text() -> None:
    step = po.Search(Nim(), seed=1).step()
    assert json.loads(json.dumps(step.to_dict()))["simulation"] == 1
    assert str(step).splitlines()[0] == "simulation 1"
    assert "4. backup" in str(step)


def test_a_proven_position_has_no_step_left() -> None:
    search = po.Search(Nim(), position="stones=2 turn=0")
    search.run(50)
    with pytest.raises(po.PositionError, match="proven"):
        search.step()


def test_a_chance_node_is_told_with_its_probabilities() -> None:
    search = po.Search(toy_games.Dice(), seed=1)
    for _ in range(30):
        for choice in search.step().selection:
            if choice.player == po.CHANCE:
                assert sum(e.score for e in choice.edges) == pytest.approx(1.0, abs=1e-6)
                return
    pytest.fail("no chance node was passed")


@pytest.mark.parametrize("k", [0, 1, 17, 60])
def test_going_back_gives_the_tree_after_k_simulations(k: int) -> None:
    game = po.games.load("connect4")
    search, fresh = po.Search(game, seed=9), po.Search(game, seed=9)
    search.run(60)
    search.rewind(k)
    if k:
        fresh.run(k)
    assert same_tree(search, fresh)
    assert search.simulations == k


def test_going_back_past_what_was_run_is_refused() -> None:
    search = po.Search(Nim(), seed=1)
    search.run(10)
    for k in (11, -1, 2.5):
        with pytest.raises(po.SettingsError, match="rewind to"):
            search.rewind(k)  # type: ignore[arg-type]
    assert search.simulations == 10


@pytest.mark.slow
def test_a_very_long_path_is_stepped_too() -> None:
    search = po.Search(toy_games.Corridor(), po.Settings(policy=po.UCT(0.0), solver=False), seed=1)
    ran = po.Search(toy_games.Corridor(), po.Settings(policy=po.UCT(0.0), solver=False), seed=1)
    for _ in range(150):
        search.step()
    ran.run(150)
    assert same_tree(search, ran)


def test_a_printed_step_says_which_leaf_was_added() -> None:
    search = po.Search(Nim(), po.Settings(solver=False), position="stones=2 turn=0", seed=1)
    # Two actions, to stones=1 and to the end: the first visit of each adds a leaf. Then stones=1 becomes a node with
    # one action, whose end is a new leaf, too; what is left are ends that are there already.
    added, lines = set(), []
    for _ in range(60):
        step = search.step()
        line = next(line for line in str(step).splitlines() if line.startswith("2. expansion"))
        lines.append(line)
        if step.leaf_added:
            path = tuple(choice.text for choice in step.selection)
            assert path not in added
            added.add(path)
            assert line.endswith(f"the leaf {step.leaf}")
        if step.expansion is not None:
            edges = len(step.expansion.actions)
            assert f"{edges} {'edge' if edges == 1 else 'edges'} at {step.expansion.position}" in line
    assert added == {("1",), ("2",), ("1", "1")}
    assert "2. expansion: 1 edge at stones=1 turn=1, and the leaf stones=0 turn=0" in lines
    assert lines[-1] == "2. expansion: none"


@pytest.mark.parametrize("seed", range(6))
def test_an_open_loop_is_stepped_with_the_positions_that_chance_gave(seed: int) -> None:
    search = po.Search(po.games.load("game2048"), po.Settings(open_loop=True), seed=seed)
    for _ in range(12):
        step = search.step()
        assert len(step.positions) == len(step.selection) + 1
        assert [p.text for p in step.positions] == [*(c.position for c in step.selection), step.leaf]
        assert all(position.player >= 0 or position.is_terminal for position in step.positions)


@pytest.mark.parametrize("depth", [1, 4])
def test_the_returns_of_a_playout_that_was_cut_off_hold_the_static_value(depth: int) -> None:
    search = po.Search(po.games.load("connect4"), po.Settings(evaluator=po.Rollouts(depth=depth)), seed=3)
    for _ in range(20):
        step = search.step()
        assert all(playout.returns == pytest.approx(step.returns) for playout in step.playouts)
