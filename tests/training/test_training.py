"""Training: Gumbel's selection, self-play and its targets, replay, learning, checkpoints, the command."""

import errno
import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import playout as po
from playout.cli import main
from playout.errors import FileError, SettingsError
from playout.evaluators import pytorch as module_of_networks
from playout.evaluators.onnx import OnnxNetwork
from playout.play.chance import seed_of
from playout.play.source import GameSource
from playout.search.lockstep import RootEdges
from playout.search.pruning import pruned_visits
from playout.training import training as module_of_training
from playout.training.learning import learn, new_state, turned_rows
from playout.training.matches import match_scores
from playout.training.pool import Pool
from playout.training.recipe import Recipe, recipe_for
from playout.training.replay import Replay, Samples, read_arrays
from playout.training.report import report_html, ticks
from playout.training.selfplay import play_table
from playout.training.training import Callbacks, Training, train
from playout.training.turns import symmetries_of
from tests.games import toy_games
from tests.processes import started
from tests.readme import NIM

TINY: dict[str, Any] = {
    "games": 4,
    "simulations": 6,
    "teacher": 8,
    "seats": 3,
    "leaves": 2,
    "blocks": 1,
    "filters": 4,
    "width": 4,
    "batch": 16,
    "reuse": 1.0,
    "every": 0,
    "matches": 2,
    "workers": 1,
}

OWN_GAME = f"""{NIM}

class Heap(Nim):
    planes = (12,)
    policy_size = 4

    @staticmethod
    def initial_state(state):
        state.stones = 11

    @staticmethod
    def observe(state, player, planes):
        planes[state.stones] = 1.0
"""


class Walk(po.Game):
    """One player, five steps: left brings nothing, right brings ten times the step's number. It has no range."""

    players = 1
    max_actions = 2
    planes = (6,)
    policy_size = 2
    state = np.dtype([("step", np.int32)])

    @staticmethod
    def initial_state(state):
        pass

    @staticmethod
    def current_player(state):
        return po.TERMINAL if state.step == 5 else 0

    @staticmethod
    def legal_actions(state, actions):
        actions[0], actions[1] = 0, 1
        return 2

    @staticmethod
    def apply(state, action, rewards):
        state.step += 1
        if action == 1:
            rewards[0] = 10.0 * state.step

    @staticmethod
    def observe(state, player, planes):
        planes[state.step] = 1.0


class SeenByThree(toy_games.NimOfThree):
    """Three players and a network's view."""

    planes = (32,)
    policy_size = 3

    @staticmethod
    def observe(state, player, planes):
        planes[min(31, max(0, state.stones))] = 1.0


@pytest.fixture
def tictactoe() -> Any:
    return po.games.load("tictactoe")


def uniform(game: Any) -> Any:
    """A network that knows nothing."""
    width = 1 if game.players <= 2 else game.players

    def answer(observations: Any) -> Any:
        count = len(observations)
        return np.ones((count, game.policy_size), np.float32), np.zeros((count, width))

    return answer


def leaning(game: Any) -> Any:
    """A network that likes some actions better than others."""

    def answer(observations: Any) -> Any:
        policy = np.tile(np.exp(np.linspace(3.0, -3.0, game.policy_size)), (len(observations), 1))
        return policy.astype(np.float32), np.zeros((len(observations), 1))

    return answer


def tiny(game: Any, **changes: Any) -> Recipe:
    return recipe_for(game, **{name: value for name, value in {**TINY, **changes}.items() if name != "workers"})


# What a root adds to self-play.


def test_forced_visits_are_pruned_by_hand() -> None:
    """PUCT with c = 1 and N = 16 visits explores by 4 P / (1 + n).

    The most visited edge scores 0.5 + 4 * 0.5 / 11 = 0.68. Of the second, floor(sqrt(2 * 0.3 * 16)) = 3 of 4 visits
    were forced, but with 1 it would score 0.1 + 1.2 / 2 = 0.7: it keeps 2. Of the third, whose score is low, all
    floor(sqrt(2 * 0.1 * 16)) = 1 forced visits go, and the one that is left with it.
    """
    literal = {
        "visits": 17,
        "value": 0.0,
        "children": {
            "1": {"visits": 10, "value": 0.5, "prior": 0.5},
            "2": {"visits": 4, "value": 0.1, "prior": 0.3},
            "3": {"visits": 2, "value": -0.9, "prior": 0.1},
            "4": {"visits": 0, "prior": 0.1},
        },
    }
    settings = po.Settings(policy=po.PUCT(1.0), root=po.Forced(2.0), solver=False)
    search = po.Search.from_tree("connect4", literal, settings)
    root = RootEdges.of(search)
    found = dict(zip(root.actions.tolist(), pruned_visits(search, root).tolist(), strict=True))
    assert found == {0: 10.0, 1: 2.0, 2: 0.0, **dict.fromkeys(range(3, 7), 0.0)}


def test_gumbels_targets_are_the_searchs_improved_policy(tictactoe: Any) -> None:
    """The first position of a game, searched again with the same seed: its policy at temperature 1."""
    recipe = tiny(tictactoe, gumbel=True, considered=4, cheap=0.0, openings=0, simulations=12, leaves=1, seats=1)
    samples = play_table(tictactoe, recipe, uniform(tictactoe), 1, 7).samples
    settings = po.Settings(
        policy=po.PUCT(1.25, growth=1.0),
        evaluator=po.Outside(uniform(tictactoe), batch=1, cache=0),
        unvisited=po.Parent(),
        root=po.Gumbel(4),
    )
    result = po.Search(tictactoe, settings, seed=seed_of(7, "search", 0)).run(12)
    assert samples.policy[-1] == pytest.approx([result.policy(1.0)[a] for a in range(9)], abs=1e-6)


OPTIONS = [{"forced": 2.0}, {"root_temperature": 1.5}, {"shaped": True, "alpha": 0.1}, {"gumbel": True}]


def test_each_option_of_the_root_changes_the_games(tictactoe: Any) -> None:
    network = leaning(tictactoe)
    policies = [
        play_table(tictactoe, tiny(tictactoe, cheap=0.0, **options), network, 3, 1).samples.policy
        for options in ({}, *OPTIONS)
    ]
    for i, policy in enumerate(policies):
        assert policy.sum(axis=1) == pytest.approx(np.ones(len(policy)), abs=1e-5)
        assert not any(np.array_equal(policy, other) for other in policies[:i])


# Self-play.


def test_values_are_for_the_player_who_moves(tictactoe: Any) -> None:
    """Whoever has just lost, or won, is told by the last position before the end: one stone more decides it."""
    table = play_table(tictactoe, tiny(tictactoe, games=6, simulations=12), uniform(tictactoe), 6, 3)
    samples = table.samples
    assert samples.values.shape == (len(samples), 1)
    for planes, value in zip(samples.planes.reshape(-1, 2, 3, 3), samples.values[:, 0], strict=True):
        mine, theirs = int(planes[0].sum()), int(planes[1].sum())
        assert mine in (theirs, theirs - 1)  # the mover's stones come first
        for line in ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6)):
            own, other = planes[0].ravel()[list(line)].sum(), planes[1].ravel()[list(line)].sum()
            if own == 2 and other == 0:
                assert value == 1.0  # twelve simulations see a win in one, and what is proven counts
                break


def test_policies_are_shares_of_legal_actions(tictactoe: Any) -> None:
    samples = play_table(tictactoe, tiny(tictactoe), uniform(tictactoe), 4, 1).samples
    assert samples.policy.sum(axis=1) == pytest.approx(np.ones(len(samples)), abs=1e-5)
    taken = samples.planes.reshape(-1, 2, 9).sum(axis=1) > 0
    assert not (samples.policy * taken).any()


def test_a_proven_value_counts_more_than_how_the_game_went_on(tictactoe: Any) -> None:
    """X to move wins at once; the search proves it, and a game that was then drawn would not matter."""
    from playout.training.selfplay import PlayedPosition, _SelfPlay

    table = _SelfPlay(tictactoe, tiny(tictactoe), uniform(tictactoe), 1, 0, lambda games, evaluations: None)
    policy = np.full(9, 1 / 9, np.float32)
    nothing = np.zeros(2)
    table.lines[0] = [
        PlayedPosition(0, nothing, None, np.zeros(18), policy),
        PlayedPosition(1, nothing, np.array([1.0, -1.0]), np.zeros(18), policy),
        PlayedPosition(0, nothing, None, np.zeros(18), policy),
    ]
    samples = table.result(1.0).samples
    assert samples.values[:, 0].tolist() == [0.0, -1.0, 1.0]  # from the last position to the first


def test_where_a_game_strayed_the_search_is_believed(tictactoe: Any) -> None:
    """O played something else than the search would have, and lost: that tells nothing of the positions before."""
    from playout.training.selfplay import PlayedPosition, _SelfPlay

    table = _SelfPlay(tictactoe, tiny(tictactoe, blend=0.0), uniform(tictactoe), 1, 0, lambda games, evaluations: None)
    policy, nothing, won = np.full(9, 1 / 9, np.float32), np.zeros(2), np.array([1.0, -1.0])
    table.lines[0] = [
        PlayedPosition(0, nothing, None, np.zeros(18), policy),
        PlayedPosition(1, nothing, None, np.zeros(18), policy, value=0.5, strayed=True),
        PlayedPosition(0, won, None, np.zeros(18), policy),
    ]
    found = table.result(1.0)
    assert found.samples.values[:, 0].tolist() == [1.0, 0.5, -0.5]  # from the last position to the first
    assert found.figures["first"] == 1.0  # who really won


def test_straying_is_noticed() -> None:
    """Where moves are drawn by visits, and nowhere else."""
    from playout.training.selfplay import _SelfPlay

    game = po.games.load("connect4")
    recipe = tiny(game, temperature_moves=40, cheap=0.0, teacher=0)

    def played(recipe: Recipe) -> list[Any]:
        table = _SelfPlay(game, recipe, uniform(game), 4, 0, lambda games, evaluations: None)
        with np.errstate(over="ignore"):  # uncompiled, random numbers say that they overflow
            table.play()
        return [turn for line in table.lines.values() for turn in line if turn.proven is None]

    turns = played(recipe)
    share = sum(turn.strayed for turn in turns) / len(turns)
    assert 0.2 < share < 1.0  # drawn by visits of some six simulations
    assert not any(turn.strayed for turn in played(replace(recipe, temperature_moves=0)))


def test_the_value_lies_between_the_game_and_the_search(tictactoe: Any) -> None:
    from playout.training.selfplay import PlayedPosition, _SelfPlay

    table = _SelfPlay(tictactoe, tiny(tictactoe, blend=0.25), uniform(tictactoe), 1, 0, lambda games, evaluations: None)
    won, lost, unproven = np.array([1.0, -1.0]), np.array([-1.0, 1.0]), PlayedPosition(1, value=0.2)
    assert table.learnt(unproven, lost) == pytest.approx(0.8)
    assert table.learnt(unproven, won) == pytest.approx(-0.7)
    assert table.learnt(PlayedPosition(1, proven=lost, value=0.2), lost) == 1.0


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"gumbel": True, "forced": 2.0}, "forced is 2, but gumbel plans all visits of the root; leave forced out, or"),
        (
            {"gumbel": True, "noise": 0.5},
            "noise is 0.5, but gumbel has noise of its own; leave noise out, or gumbel off",
        ),
        (
            {"gumbel": True, "shaped": True},
            "shaped is on, but gumbel has noise of its own; leave shaped out, or gumbel",
        ),
        ({"noise": 0.0, "shaped": True}, "shaped is on, but noise is 0, so that there is none to shape; change one"),
        ({"considered": 4}, "considered is 4, but gumbel is off, and only that looks at some actions; turn gumbel on"),
        ({"gumbel": True, "considered": 50}, "considered is 50, and tictactoe has at most 9 actions; expected 1 to 9"),
    ],
)
def test_settings_without_an_effect_are_refused(tictactoe: Any, given: dict[str, Any], message: str) -> None:
    with pytest.raises(po.SettingsError) as told:
        recipe_for(tictactoe, **given)
    assert str(told.value).startswith(f"training: {message}")
    assert recipe_for(tictactoe, gumbel=True, noise=0.0, considered=9).considered == 9


def test_the_page_lists_every_setting() -> None:
    page = (Path(__file__).parents[2] / "docs" / "training.md").read_text(encoding="utf-8")
    listed = {name for line in page.splitlines() if line.startswith("| `") for name in re.findall(r"`(\w+)`", line)}
    assert {field.name for field in fields(Recipe)} <= listed


@pytest.mark.parametrize("gumbel", [False, True], ids=["visits", "gumbel"])
def test_the_same_seed_plays_the_same_games(tictactoe: Any, gumbel: bool) -> None:
    recipe = tiny(tictactoe, gumbel=gumbel, cheap=0.3)
    first, again, other = (play_table(tictactoe, recipe, uniform(tictactoe), 5, seed).samples for seed in (1, 1, 2))
    for name in ("planes", "policy", "values"):
        assert np.array_equal(getattr(first, name), getattr(again, name))
    assert not np.array_equal(first.policy, other.policy)


def test_games_in_step_are_each_their_own(tictactoe: Any) -> None:
    """With a leaf at a time, how many games share a batch changes nothing."""
    recipes = [tiny(tictactoe, seats=n, leaves=1) for n in (1, 5)]
    tables = [play_table(tictactoe, recipe, uniform(tictactoe), 5, 4).samples for recipe in recipes]
    assert np.array_equal(tables[0].policy, tables[1].policy)


def test_cheap_moves_are_not_learnt_from(tictactoe: Any) -> None:
    all_moves = play_table(tictactoe, tiny(tictactoe, cheap=0.0), uniform(tictactoe), 4, 2).figures
    few = play_table(tictactoe, tiny(tictactoe, cheap=0.7), uniform(tictactoe), 4, 2).figures
    assert all_moves["samples"] == all_moves["moves"]
    assert 0 < few["samples"] < few["moves"]


def test_rewards_on_the_way_are_counted_from_each_position_on() -> None:
    """Of a walk in five steps that may bring 10, 20, … each: what is still to come is at most the rest."""
    game = Walk()
    samples = play_table(game, tiny(game, teacher=50), None, 3, 1).samples
    for planes, value in zip(samples.planes, samples.values[:, 0], strict=True):
        step = int(planes.argmax())
        assert 0.0 <= value <= sum(10.0 * i for i in range(step + 1, 6))
    assert samples.values.max() == 150.0  # plain UCT finds the best walk


def test_three_players_each_have_their_value() -> None:
    game = SeenByThree()
    samples = play_table(game, tiny(game, openings=0), uniform(game), 2, 1).samples
    assert samples.values.shape[1] == 3


def test_matches_are_scored_for_the_network(tictactoe: Any) -> None:
    scores = match_scores(tictactoe, tiny(tictactoe, simulations=30), uniform(tictactoe), 1, 5, 0, 2)
    assert len(scores) == 4
    assert sum(scores) >= 2.0  # against a player who looks at one playout
    walks = match_scores(Walk(), tiny(Walk(), simulations=8), uniform(Walk()), 2, 5, 0, 2)
    assert len(walks) == 4
    rest = match_scores(Walk(), tiny(Walk(), simulations=8), uniform(Walk()), 2, 5, 1, 1)
    assert walks[2:] == rest  # the same games, whichever worker plays the ones before
    assert set(walks) <= {0.0, 0.5, 1.0}


# Replay.

WIDTHS = (18, 9, 1)


def some_samples(count: int, number: float) -> Samples:
    return Samples(
        np.full((count, 18), number, np.float32),
        np.full((count, 9), 1 / 9, np.float32),
        np.zeros((count, 1), np.float32),
    )


def test_the_window_holds_the_last_generations(tmp_path: Path) -> None:
    replay = Replay(tmp_path / "replay", 3, WIDTHS)
    for generation in range(1, 8):
        replay.write(generation, some_samples(generation, generation), {"generation": generation})
    found, problems = replay.read_window(7)
    assert problems == []
    assert sorted(set(found.planes[:, 0].tolist())) == [5.0, 6.0, 7.0]
    assert len(found) == 5 + 6 + 7
    assert [p.name for p in sorted(replay.folder.iterdir())] == [f"{number:06d}.npz" for number in range(3, 8)]


def test_a_damaged_file_of_games_is_left_out_and_named(tmp_path: Path) -> None:
    replay = Replay(tmp_path, 3, WIDTHS)
    for generation in (1, 2):
        replay.write(generation, some_samples(2, generation), {})
    replay.path(1).write_bytes(replay.path(1).read_bytes()[:100])
    found, problems = replay.read_window(2)
    assert len(found) == 2
    assert "000001.npz: is damaged or cut off" in problems[0]


# Learning.


def test_symmetries_turn_planes_and_policy_together(tictactoe: Any) -> None:
    """A stone at each cell, and the policy points at it: so it does after every turn."""
    planes, policy = np.zeros((9, 2, 9), np.float32), np.eye(9, dtype=np.float32)
    planes[:, 0] = np.eye(9)
    samples = Samples(planes.reshape(9, 18), policy, np.arange(9, dtype=np.float32)[:, None])
    turns = symmetries_of(tictactoe)
    assert len(turns[0]) == 8
    random = np.random.default_rng(1)
    rows, moved = np.tile(np.arange(9), 20), 0
    seen, wanted, values = turned_rows(samples, rows, turns, random)
    assert np.array_equal(seen.reshape(-1, 2, 9)[:, 0], wanted)
    assert values[:, 0].tolist() == rows.tolist()
    moved = int((wanted.argmax(axis=1) != rows).sum())
    assert moved > 50


def test_learning_lowers_the_loss(tictactoe: Any, tmp_path: Path) -> None:
    training = Training(tictactoe, tmp_path / "t", **{**TINY, "rate": 0.01})
    state = new_state(tictactoe, training.recipe)
    samples = play_table(tictactoe, training.recipe, uniform(tictactoe), 4, 1).samples
    first = learn(state, tictactoe, training.recipe, samples, 5, 1)
    for seed in range(4):
        last = learn(state, tictactoe, training.recipe, samples, 15, seed)
    assert last["policy_loss"] < first["policy_loss"]
    assert last["value_loss"] < first["value_loss"]


def test_an_unbounded_value_is_learnt_in_its_own_units(tmp_path: Path) -> None:
    state = train(Walk(), tmp_path / "walk", 1, **{**TINY, "reuse": 100.0, "rate": 0.02, "average": 0.5, "teacher": 60})
    assert 20.0 < float(state.model.spread) < 100.0
    _, values = OnnxNetwork(tmp_path / "walk" / "Walk.onnx")(np.eye(6, dtype=np.float32))
    assert values[0] > 100.0  # of 150
    assert values[0] > values[3] > values[4]


# Whole runs.


def weights_of(folder: Path, generation: int) -> dict[str, Any]:
    arrays = read_arrays(folder / "checkpoints" / f"{generation:06d}.npz")
    return {name: array for name, array in arrays.items() if name.startswith(("model/", "average/", "optimiser/"))}


def assert_same(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert set(one) == set(other)
    for name, array in one.items():
        assert np.array_equal(array, other[name]), name


def test_a_whole_run_leaves_network_report_and_two_checkpoints(tictactoe: Any, tmp_path: Path) -> None:
    lines: list[str] = []
    options = {**TINY, "every": 2}
    training = Training(
        tictactoe, tmp_path / "t", command="playout train <x>", callbacks=Callbacks(lines.append), **options
    )
    state = training.run(3)
    assert [h["generation"] for h in state.history] == [1, 2, 3]
    assert len(lines) == 4
    assert "against UCT" in lines[1]
    assert sorted(p.name for p in (tmp_path / "t" / "checkpoints").iterdir()) == ["000002.npz", "000003.npz"]
    network = OnnxNetwork(tmp_path / "t" / "tictactoe.onnx")
    network.check(tictactoe)
    assert int(network.metadata["playout.generation"]) >= 1
    assert json.loads(network.metadata["playout.training"])["simulations"] == 6
    page = (tmp_path / "t" / "report.html").read_text()
    for title in ("Loss", "Policy entropy", "Strength", "Games a minute"):
        assert re.search(rf"<h2>{title}[^<]*</h2><svg", page), title
    assert page.count("<polyline") >= 7
    assert "playout train &lt;x&gt;" in page
    assert "<script" not in page
    assert "http" not in page.replace("http://www.w3.org", "")
    again = po.Search(tictactoe, po.Settings(evaluator=network, policy=po.PUCT()), seed=1).run(20)
    assert again.best is not None


def test_without_matches_the_newest_network_is_the_best(tictactoe: Any, tmp_path: Path) -> None:
    state = train(tictactoe, tmp_path, 2, **TINY)
    assert state.best_generation == 2
    assert OnnxNetwork(tmp_path / "tictactoe.onnx").metadata["playout.generation"] == "2"
    assert not any("matches" in figures for figures in state.history)


def test_the_same_seed_gives_the_same_weights_and_another_others(tictactoe: Any, tmp_path: Path) -> None:
    for name, seed in (("a", 5), ("b", 5), ("c", 6)):
        train(tictactoe, tmp_path / name, 2, seed=seed, **TINY)
    a, b, c = (weights_of(tmp_path / name, 2) for name in "abc")
    assert_same(a, b)
    assert not np.array_equal(a["model/stem.weight"], c["model/stem.weight"])


def test_a_run_in_parts_is_the_same_as_one_in_one_go(tictactoe: Any, tmp_path: Path) -> None:
    options = {**TINY, "every": 2, "gate": 0.5}
    train(tictactoe, tmp_path / "whole", 3, **options)
    for generations in (1, 2, 3):
        train(tictactoe, tmp_path / "parts", generations, **options)
    assert_same(weights_of(tmp_path / "whole", 3), weights_of(tmp_path / "parts", 3))


@pytest.mark.compiled_only
def test_killed_in_the_middle_and_resumed(tmp_path: Path) -> None:
    """A real process, kill -9 while the third generation is under way."""
    game = tmp_path / "heap.py"
    game.write_text(OWN_GAME)
    spec = f"{game}:Heap"
    options = [f"--option={name}={value}" for name, value in TINY.items() if name not in ("workers", "games", "every")]
    common = ["train", spec, "--games", "40", "--workers", "2", "--every", "0", *options]
    command = [sys.executable, "-m", "playout", *common, "--out", str(tmp_path / "killed"), "--generations", "500"]
    with started(command, stdout=subprocess.PIPE, text=True) as process:
        for line in process.stdout:
            if line.startswith("generation 2:"):
                break
        process.kill()
    assert process.returncode == -signal.SIGKILL
    reached = max(int(p.stem) for p in (tmp_path / "killed" / "checkpoints").glob("[0-9]*.npz"))
    wanted = str(reached + 2)
    for name in ("killed", "whole"):
        assert main([*common, "--out", str(tmp_path / name), "--generations", wanted]) == 0
    assert_same(weights_of(tmp_path / "killed", int(wanted)), weights_of(tmp_path / "whole", int(wanted)))


def test_a_checkpoint_that_was_cut_off_is_left_for_the_one_before(tictactoe: Any, tmp_path: Path) -> None:
    train(tictactoe, tmp_path / "whole", 3, **TINY)
    train(tictactoe, tmp_path / "cut", 2, **TINY)
    newest = tmp_path / "cut" / "checkpoints" / "000002.npz"
    newest.write_bytes(newest.read_bytes()[:-200])
    lines: list[str] = []
    Training(tictactoe, tmp_path / "cut", callbacks=Callbacks(lines.append)).run(3)
    assert "000002.npz: is damaged or cut off" in lines[0]
    assert "resuming after generation 1" in lines[1]
    assert_same(weights_of(tmp_path / "whole", 3), weights_of(tmp_path / "cut", 3))


def test_no_checkpoint_that_can_be_read(tictactoe: Any, tmp_path: Path) -> None:
    train(tictactoe, tmp_path, 1, **TINY)
    (tmp_path / "checkpoints" / "000001.npz").write_bytes(b"no zip file at all")
    with pytest.raises(FileError, match="none of its 1 checkpoints can be read"):
        train(tictactoe, tmp_path, 2)


def test_a_full_disk_leaves_the_last_checkpoint(
    tictactoe: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    train(tictactoe, tmp_path / "full", 1, **TINY)
    before = (tmp_path / "full" / "checkpoints" / "000001.npz").read_bytes()

    def full(number: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(module_of_networks.os, "fsync", full)
        with pytest.raises(FileError, match="No space left on device") as error:
            train(tictactoe, tmp_path / "full", 2)
        assert "\n" not in str(error.value)
    assert (tmp_path / "full" / "checkpoints" / "000001.npz").read_bytes() == before
    assert not list((tmp_path / "full").rglob(".*npz*"))
    train(tictactoe, tmp_path / "full", 2)
    train(tictactoe, tmp_path / "whole", 2, **TINY)
    assert_same(weights_of(tmp_path / "full", 2), weights_of(tmp_path / "whole", 2))


@pytest.mark.compiled_only
def test_processes_stay_and_answer_in_order(tictactoe: Any) -> None:
    recipe = tiny(tictactoe)
    pool = Pool(GameSource("tictactoe"), tictactoe, recipe, 2)
    try:
        jobs = [("table", place, None, 10 + place, 0, 3) for place in (0, 1)]
        first, again = pool.share(jobs), pool.share(jobs)
        with pytest.raises(po.PlayoutError, match="AttributeError"):
            pool.share([("nothing", 0)])
    finally:
        pool.close()
    here = [play_table(tictactoe, recipe, None, 3, 10 + place) for place in (0, 1)]
    for one, two, three in zip(first, again, here, strict=True):
        assert np.array_equal(one.samples.policy, two.samples.policy)
        assert np.array_equal(one.samples.policy, three.samples.policy)


# The command.


def options_of(changes: dict[str, Any] | None = None) -> list[str]:
    given = {**TINY, **(changes or {})}
    return [f"--option={name}={value}" for name, value in given.items() if name not in ("games", "every", "workers")]


def test_the_command_trains_a_users_own_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "heap.py").write_text(OWN_GAME)
    arguments = ["train", f"{tmp_path / 'heap.py'}:Heap", "--out", str(tmp_path / "out"), "--generations", "2"]
    assert main([*arguments, "--games", "3", "--workers", "1", "--every", "1", *options_of()]) == 0
    out = capsys.readouterr().out
    assert out.startswith("generation 1: 3 games")
    assert (tmp_path / "out" / "Heap.onnx").is_file()
    assert str(tmp_path / "out" / "report.html") in out


def test_ctrl_c_says_where_it_stands(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(state: Any, *arguments: Any) -> Any:
        if state.generation == 1:
            raise KeyboardInterrupt
        return learn(state, *arguments)

    monkeypatch.setattr(module_of_training, "learn", interrupted)
    arguments = ["train", "tictactoe", "--out", str(tmp_path), "--games", "3", "--workers", "1", *options_of()]
    assert main(arguments) == 130
    error = capsys.readouterr().err
    assert "stopped during generation 2, learning; generation 1 is kept in" in error


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["train", "target_sum"], "target_sum has nothing that a network could see: define `observe"),
        (["train", "tictactoe", "--generations", "0"], "generations is 0, expected a whole number of at least 1"),
        (["train", "tictactoe", "--minutes", "-1"], "minutes is -1, expected a number above 0"),
        (["train", "tictactoe", "-n", "1"], "simulations is 1, expected a whole number from 2"),
        (["train", "tictactoe", "--games", "x"], "'x' is not a whole number"),
        (["train", "tictactoe", "--gate", "7"], "--gate is 7, expected a score from 0 to 1"),
        (["train", "tictactoe", "--option", "windows=3"], "--option got 'windows', expected a setting of the training"),
        (["train", "tictactoe", "--option", "rate=-1"], "rate is -1.0, expected a number from 1e-07 to 1"),
        (["train", "tictactoe", "--games", "3", "--option", "games=4"], "'games', which is also given as --games"),
        (["train", "nogame"], "no game 'nogame'"),
    ],
    ids=["unseen", "generations", "minutes", "simulations", "games", "gate", "option", "rate", "twice", "game"],
)
def test_mistakes_get_one_line(
    arguments: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([*arguments, "--out", str(tmp_path / "out")]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_another_setting_for_a_run_that_goes_on_is_refused(tictactoe: Any, tmp_path: Path) -> None:
    train(tictactoe, tmp_path / "t", 1, **TINY)
    with pytest.raises(SettingsError, match=r"filters is 8, but .* was started with 4; leave it out to resume"):
        train(tictactoe, tmp_path / "t", 2, filters=8)
    with pytest.raises(SettingsError, match=r"is a training of tictactoe .* choose another folder"):
        train("connect4", tmp_path / "t", 2)
    (tmp_path / "file").write_text("")
    with pytest.raises(FileError, match="is a file, expected a folder"):
        train(tictactoe, tmp_path / "file", 1)


def test_two_runs_in_one_folder_are_refused(tictactoe: Any, tmp_path: Path) -> None:
    one = Training(tictactoe, tmp_path, **TINY)
    with one.folder.locked(), pytest.raises(SettingsError, match="another process is training there"):
        train(tictactoe, tmp_path, 1)


def test_without_torch_the_line_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    assert main(["train", "tictactoe", "--out", str(tmp_path)]) == 2
    assert "pip install 'playout[train]'" in capsys.readouterr().err


# The report.


def test_the_report_of_nothing_and_of_one_generation() -> None:
    assert "nothing yet" in report_html("x", [], {}, "", 0.0)
    figures = {"generation": 1, "games": 4, "samples": 9, "policy_loss": 1.0, "value_loss": 0.5}
    page = report_html("x", [figures], {"a": "<b>"}, "", 61.0)
    assert "1 min 1 s" in page
    assert "&lt;b&gt;" in page


def test_ticks_are_round() -> None:
    assert ticks(0, 37) == [0, 10, 20, 30]
    assert ticks(0.0, 0.013) == [0.0, 0.005, 0.01]
