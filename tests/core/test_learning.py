"""Playouts that learn (MAST and NST): against the oracle, by hand, and the traps: tables of both players, or of another
game, in one."""

import io
import math
import zipfile

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as budget
from hypothesis import strategies as st

import playout as po
from playout.core.jit import COMPILED
from playout.core.learned import MOST_PAIR_BITS, decayed, pair_bits_for, pair_place
from tests.game.objects import Board
from tests.games.toy_games import Lots, Nim, NimOfThree, TwiceNim
from tests.oracles.graph_oracle import GraphOracle, graphs_differ
from tests.oracles.openloop_oracle import OpenLoopOracle
from tests.oracles.oracle import Oracle
from tests.search.test_step import same_tree
from tests.sizes import examples

from .test_oracle import QUIET, SEEDS, assert_same

MAST, NST = po.Rollouts(mast=True), po.Rollouts(nst=True)


class Coded(TwiceNim):
    """A code is what is left to take modulo three, and the action: the same action has several codes."""

    action_codes = 9

    @staticmethod
    def action_code(state, action):
        return 3 * (state.stones % 3) + action

    @staticmethod
    def evaluate(state, values):
        mover = (state.move // 2) % 2
        values[mover], values[1 - mover] = 0.1 * (state.stones % 3), -0.1 * (state.stones % 3)


class KeptCoded(Coded):
    keep_states = True


# The oracle.


def tables(search):
    """What a search has learned: the mean and the count by (player, code) or (player, code before, code)."""
    codes, players, found = search.params.codes, search.game.players, {}
    single, bits = players * codes, pair_bits_for(players, codes)
    learned = search.tree.learned.reshape(-1, 2)
    for player in range(players):
        for code in range(min(codes, 9)):
            entry = player * codes + code
            found[player, code] = tuple(learned[entry])
            for before in range(min(codes, 9) if search.settings.rollouts.nst else 0):
                found[player, before, code] = tuple(learned[single + pair_place(entry, before, single, bits)])
    return {what: (float(mean), float(count)) for what, (mean, count) in found.items() if count > 0}


def assert_learned(search, oracle):
    learner = oracle.learner
    assert tables(search) == {what: (learner.means[what], count) for what, count in learner.counts.items()}


@st.composite
def learning(draw, game):
    """Settings with playouts that learn."""
    kind = draw(st.sampled_from(["mast", "nst"]))
    rollouts = po.Rollouts(
        n=draw(st.sampled_from([1, 1, 2])),
        depth=draw(st.sampled_from([None, None, 4])),
        led=draw(st.sampled_from([None, 0, 2, 10])),
        epsilon=draw(st.sampled_from([0.0, 0.1, 0.5, 1.0])),
        decay=draw(st.sampled_from([0.0, 0.3, 1.0])),
        **{kind: True},
    )
    mixed = game.has("evaluate") and draw(st.booleans())
    return po.Settings(
        policy=po.UCT(draw(st.sampled_from([0.3, 1.4]))),
        evaluator=po.Mixed(0.7, rollouts) if mixed else rollouts,
        solver=draw(st.booleans()),
        discount=draw(st.sampled_from([1.0, 0.9])),
        expansion=po.All(first_visit=draw(st.booleans())),
        evaluate_root=draw(st.booleans()),
        unvisited=draw(st.sampled_from([None, 0.0])),
    )


@budget(max_examples=examples(300), deadline=None, suppress_health_check=QUIET)
@given(
    data=st.data(),
    kind=st.sampled_from([Coded, KeptCoded, NimOfThree, Lots]),
    topology=st.sampled_from(["tree", "graph", "open loop"]),
    seed=SEEDS,
)
def test_playouts_learn_what_the_oracles_learn(data, kind, topology, seed):
    game, settings = kind(), data.draw(learning(kind()))
    settings = settings.replace(transpositions=topology == "graph", open_loop=topology == "open loop")
    oracles = {"tree": Oracle, "graph": GraphOracle, "open loop": OpenLoopOracle}
    start = game.position()
    while start.player == po.CHANCE:
        start = start.play(start.actions()[0])
    search, oracle = (
        po.Search(game, settings, position=start, seed=seed),
        oracles[topology](game, settings, start, seed),
    )
    for simulations in data.draw(st.lists(st.integers(1, 150 if COMPILED else 60), min_size=1, max_size=3)):
        search.run(simulations)
        oracle.run(simulations)
        if topology == "graph":
            assert graphs_differ(search, oracle) is None
        else:
            assert_same(search, oracle)
        assert_learned(search, oracle)
        action = search.result().best
        if topology == "graph" or action is None:  # the oracle of graphs can't play on
            return
        search.play(action)
        oracle.play(action)
        while search.position.player == po.CHANCE:
            outcome = search.position.outcomes()[0][0]
            search.play(outcome)
            oracle.play(outcome)
        assert_learned(search, oracle)
        if search.position.is_terminal:
            return


# By hand.


def test_each_player_has_a_table():
    """Two stones: taking both wins, taking one lets the other player win by taking one. If both players shared a table,
    taking one would be worth less than 1 to the second player, and more than -1 to the first."""
    search = po.Search(Nim(stones=2), po.Settings(evaluator=MAST, solver=False))
    search.run(20)
    found = tables(search)
    assert {what: mean for what, (mean, _) in found.items()} == {(0, 1): -1.0, (0, 2): 1.0, (1, 1): 1.0}
    assert found[0, 1][1] + found[0, 2][1] == 20
    assert found[1, 1][1] == found[0, 1][1]


def test_pairs_are_an_action_after_another():
    search = po.Search(Nim(stones=3), po.Settings(evaluator=NST, solver=False))
    search.run(50)
    found = tables(search)
    assert found[1, 1, 2][0] == 1.0  # after a one, two more win
    assert found[0, 1, 1][0] == 1.0  # one, one, one
    assert found[1, 2, 1][0] == 1.0
    assert (0, 1, 2) not in found
    assert sum(count for what, (_, count) in found.items() if len(what) == 2) == 50 + sum(
        count for what, (_, count) in found.items() if len(what) == 3
    )  # every action but the first has one before it


def test_greedy_playouts_take_what_did_best():
    """With epsilon 0, every led action has the highest mean of those it could be; a step shows the playout."""
    settings = po.Settings(evaluator=po.Rollouts(mast=True, led=None, epsilon=0.0), solver=False)
    search = po.Search(Nim(stones=21), settings, seed=3)
    search.run(300)
    means = {what: mean for what, (mean, _) in tables(search).items()}
    step = search.step()
    position = step.positions[-1]
    for text, after in zip(step.playouts[0].actions, step.playouts[0].positions, strict=True):
        assert means[position.player, int(text)] == max(means[position.player, a] for a in position.actions())
        position = after


def test_pairs_have_a_place_of_their_own_as_long_as_they_fit():
    for players, codes in ((2, 64), (3, 16), (2, 512)):
        single, bits = players * codes, pair_bits_for(players, codes)
        before, entry = np.divmod(np.arange(codes * single, dtype=np.int64), single)
        places = np.array([pair_place(e, b, single, bits) for b, e in zip(before[::7], entry[::7], strict=True)])
        assert places.min() >= 0
        assert places.max() < 2**bits
        if bits < MOST_PAIR_BITS:
            assert len(set(places.tolist())) == len(places)
        else:  # spread evenly: as many places are taken as by a random draw
            expected = 2**bits * (1 - math.exp(-len(places) / 2**bits))
            assert len(set(places.tolist())) > 0.9 * expected


# What becomes of the tables.


def test_a_new_game_has_learned_nothing_and_a_played_action_decays():
    settings = po.Settings(evaluator=po.Rollouts(mast=True, decay=0.25), solver=False)
    search = po.Search(Nim(), settings, seed=1)
    search.run(100)
    before = tables(search)
    search.play(search.result().best)
    assert tables(search) == {what: (mean, count / 4) for what, (mean, count) in before.items()}
    assert tables(po.Search(Nim(), settings, seed=1)) == {}  # of the same game and settings
    fresh = po.Search(Nim(), settings, seed=1)
    fresh.run(1)
    unvisited = next(a for a in (1, 2, 3) if a != fresh.result().best)
    fresh.play(unvisited)  # it has no subtree, so that a new tree is planted
    assert tables(fresh) == {}
    assert np.isnan(decayed(np.array([0.5, 3.0]), 0.0)[0])


@pytest.mark.parametrize("rollouts", [MAST, NST], ids=["mast", "nst"])
def test_the_same_seed_gives_the_same_tree_in_chunks_in_steps_from_a_file_and_rewound(rollouts, tmp_path):
    settings = po.Settings(evaluator=rollouts, solver=False)
    whole, parts = (po.Search(Coded(), settings, seed=5) for _ in range(2))
    whole.run(200)
    parts.run(70)
    parts.save(tmp_path / "a.search")
    parts = po.Search.load(tmp_path / "a.search", Coded())
    for _ in range(10):
        parts.step()
    parts.run(120)
    assert same_tree(whole, parts)
    whole.run(50)
    whole.rewind(200)
    assert same_tree(whole, parts)


def rewritten(path, change):
    """The same file with its array of what was learned changed; None: left out."""
    with zipfile.ZipFile(path) as archive:
        entries = {name: archive.read(name) for name in archive.namelist()}
    array = change(np.load(io.BytesIO(entries.pop("tree/learned.npy"))))
    if array is not None:
        buffer = io.BytesIO()
        np.save(buffer, array)
        entries["tree/learned.npy"] = buffer.getvalue()
    with zipfile.ZipFile(path, "w") as archive:
        for name, data in entries.items():
            archive.writestr(name, data)
    return path


def test_an_older_file_is_read_and_a_damaged_one_refused(tmp_path):
    plain, learns = (po.Search(Nim(), po.Settings(evaluator=e), seed=1) for e in (po.Rollouts(), MAST))
    for search in (plain, learns):
        search.run(50)
    plain.save(tmp_path / "plain")
    loaded = po.Search.load(rewritten(tmp_path / "plain", lambda array: None), Nim())
    assert same_tree(plain, loaded)
    for change in (lambda a: None, lambda a: a[:-2], lambda a: a - 1.0, lambda a: np.where(a > 1, np.inf, a)):
        learns.save(tmp_path / "learns")
        with pytest.raises(po.FileError, match="learned") as caught:
            po.Search.load(rewritten(tmp_path / "learns", change), Nim())
        assert "\n" not in str(caught.value)


def test_tables_count_as_memory():
    plain, learns = (po.Search(Coded(), po.Settings(evaluator=e)) for e in (po.Rollouts(), NST))
    assert learns.tree.learned.nbytes == 16 * (2 * 16 + 2 * 16 * 16)  # nine codes have the room of sixteen
    assert learns.tree_bytes - plain.tree_bytes == learns.tree.learned.nbytes
    with pytest.raises(po.SettingsError, match="expected at least"):
        learns.run(10, bytes=learns.tree.learned.nbytes)


# Refused.


class OwnPlayout(Nim):
    """Plays a whole playout by itself."""

    @staticmethod
    def playout(state, actions, weights, rewards, returns, rng, trace, limit, discount):
        returns[0], returns[1] = 1.0, -1.0
        state.stones = 0
        return 1


REFUSED = {
    "guided and mast": (lambda: po.Settings(evaluator=po.Rollouts(guided=True, mast=True)), "guided and mast are on"),
    "both": (lambda: po.Settings(evaluator=po.Mixed(0.5, po.Rollouts(nst=True, mast=True))), "mast and nst are on"),
    "network": (lambda: po.preset("network", mast=True), "mast belongs to evaluator=rollouts or mixed"),
    "led": (lambda: po.Settings(evaluator=po.Rollouts(mast=True, led=-1)), "evaluator.led is -1, expected"),
    "epsilon": (lambda: po.Settings(evaluator=po.Rollouts(mast=True, epsilon=1.5)), "evaluator.epsilon is 1.5"),
    "decay": (lambda: po.Settings(evaluator=po.Rollouts(mast=True, decay=-0.1)), "evaluator.decay is -0.1"),
    "objects": (lambda: po.Search(po.wrap(Board()), po.Settings(evaluator=MAST)), "made of Python objects"),
    "playout": (lambda: po.Search(OwnPlayout(), po.Settings(evaluator=NST)), "whose actions nst can't see"),
}


@pytest.mark.parametrize("case", REFUSED)
def test_what_has_no_meaning_is_refused_in_one_line(case):
    call, words = REFUSED[case]
    with pytest.raises(po.SettingsError) as caught:
        call()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


class FewCodes(Nim):
    """Below ten stones, the code is one too many."""

    action_codes = 4

    @staticmethod
    def action_code(state, action):
        return action + (state.stones < 10)


def test_a_wrong_code_in_a_playout_is_told_with_its_position():
    search = po.Search(FewCodes(), po.Settings(evaluator=MAST))
    with pytest.raises(po.GameError) as caught:
        search.run(100)
    assert "FewCodes.action_code returned 4 for action 3 in stones=" in str(caught.value)
    assert "codes are 0 to action_codes - 1 = 3; raise action_codes" in str(caught.value)
    assert np.isnan(search.tree.learned[::2]).all()
