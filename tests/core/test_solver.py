"""Proofs: every proven value is true, against full solutions, by hand, and against OpenSpiel's search."""

import math
import random

import numpy as np
import pytest

import playout as po
from playout.core import tree as core
from playout.core.jit import COMPILED
from tests.games.toy_games import (
    Coins,
    Dice,
    Gamble,
    KeptDice,
    KeptTwiceNim,
    KnownCoins,
    Nim,
    NimOfThree,
    Shares,
    TwiceNim,
)
from tests.oracles.solved import connect4, tictactoe


def exact(result):
    """The proven value of each action at the root."""
    return {s.action: s.proven for s in result.actions if s.proven is not None}


# Tic-tac-toe, all of it


def check_tictactoe(positions, simulations):
    game, solution = po.games.load("tictactoe"), tictactoe()
    for known in positions:
        result = po.Search(game, position=known.text, seed=1).run(simulations)
        assert result.stopped_by == "proven", known
        assert result.proven == known.value, known
        assert result.best in known.best, known
        for cell, value in exact(result).items():
            assert value == -solution[known.after(cell)].value, (known, cell)


def test_tictactoe_positions_are_proven_with_the_right_value():
    """Every tenth; uncompiled, where a thousand simulations take a second, some late ones."""
    begun = [known for known in tictactoe().values() if not known.is_over]
    if not COMPILED:
        begun = random.Random(1).sample([known for known in begun if known.board.count(".") <= 4], 400)
    check_tictactoe(begun[::10], 1_000_000 if COMPILED else 3000)


@pytest.mark.reference
def test_tictactoe_every_position_is_proven_with_the_right_value():
    begun = [known for known in tictactoe().values() if not known.is_over]
    assert len(begun) == 5478 - 958  # the rest are finished games
    check_tictactoe(begun, 1_000_000)


def test_tictactoe_finished_positions_are_over():
    game = po.games.load("tictactoe")
    finished = [known for known in tictactoe().values() if known.is_over]
    assert len(finished) == 958
    for known in finished[:: 1 if COMPILED else 20]:
        assert game.position(known.text).is_terminal


# Connect four against exact scores


def check_connect4(positions, simulations, settings=None):
    """(how many answers keep the exact result, how many positions were proven); fails on a false proof."""
    game, kept, proven = po.games.load("connect4"), 0, 0
    for known in positions:
        result = po.Search(game, settings, position=known.moves, seed=7).run(simulations)
        assert known.results.keys() == {s.action for s in result.actions}
        for column, value in exact(result).items():
            assert value == known.results[column], (known, column)
        if result.proven is not None:
            proven += 1
            assert result.proven == known.best, known
        kept += known.results[result.best] == known.best
    return kept, proven


def test_connect4_what_is_called_proven_on_late_positions_is_true():
    late = sorted(connect4(), key=lambda known: -len(known.moves))
    count, simulations = (40, 20_000) if COMPILED else (3, 400)
    kept, proven = check_connect4(late[:count], simulations)
    if COMPILED:
        assert proven >= 20
        assert kept >= 38


@pytest.mark.reference
@pytest.mark.parametrize(("preset", "share"), [("default", 0.91), ("guided", 0.93)])
def test_connect4_move_keeps_the_exact_result(preset, share):
    """Random playouts kept 93.3 %, guided ones 95.5 % of the 600 results with 100,000 simulations; two standard errors
    of such a share are 2 %. OpenSpiel's search with the same settings kept 91.7 % of every fifth of them: the rest are
    openings whose result hangs on play that random games do not see.
    """
    kept, _ = check_connect4(connect4(), 100_000, po.preset(preset))
    assert kept >= share * len(connect4())


@pytest.mark.slow
@pytest.mark.parametrize("policy", [po.UCB1Tuned(), po.PUCT(2.0)], ids=lambda p: type(p).__name__)
@pytest.mark.parametrize("expansion", [po.OneAtATime(), po.Widening(1, 1, 0.5)], ids=lambda e: type(e).__name__)
def test_connect4_no_setting_proves_what_is_false(policy, expansion):
    check_connect4(connect4()[::20], 30_000, po.Settings(policy=policy, expansion=expansion))


@pytest.mark.slow
@pytest.mark.parametrize("preset", ["default", "guided"])
def test_connect4_move_keeps_most_exact_results(preset):
    """Of 50 positions with 10,000 simulations 47 and 49 were kept; moves drawn at random keep 31."""
    kept, _ = check_connect4(connect4()[::12], 10_000, po.preset(preset))
    assert kept >= 42


# By hand


@pytest.mark.parametrize("stones", range(1, 13))
def test_nim_is_lost_on_multiples_of_four(stones):
    result = po.Search(Nim(stones=stones)).run(20_000)
    assert result.proven == (-1.0 if stones % 4 == 0 else 1.0)
    if stones % 4:
        assert result.best == stones % 4


def solve_three(stones, turn=0):
    """The returns of three players under best play; None if equally good moves differ for the other players."""
    if stones == 0:
        return None
    options = []
    for take in range(1, min(2, stones) + 1):
        if stones == take:
            options.append([float(p == turn) for p in range(3)])
        else:
            options.append(solve_three(stones - take, (turn + 1) % 3))
    for option in options:
        if option is not None and option[turn] == 1.0:
            return option  # if one player gets everything, that determines the others
    if any(option is None for option in options):
        return None
    best = max(option[turn] for option in options)
    equals = [option for option in options if option[turn] == best]
    return equals[0] if all(e == equals[0] for e in equals) else None


@pytest.mark.parametrize("stones", range(1, 11))
def test_three_players_proofs_agree_with_full_search(stones):
    search = po.Search(NimOfThree(stones=stones), seed=1)
    result = search.run(5000 if COMPILED else 1000)
    expected = solve_three(stones)
    root = search.tree.nodes[core.ROOT]
    if expected is None:
        assert result.proven is None
    else:
        assert search.tree.proofs[root["proof"]].tolist() == expected
        assert result.proven == expected[0]


def test_three_players_a_loss_for_me_does_not_say_who_wins():
    # Three stones, player 0: taking 2 leaves 1, and player 1 wins; taking 1 leaves 2, and player 1 wins. A sure loss.
    result = po.Search(NimOfThree(stones=3)).run(1000)
    assert result.proven == 0.0
    # Four: taking 2 leaves 2: player 1 wins. Taking 1 leaves 3, where player 1 loses: player 2 wins. Nothing for
    # player 0 either way, but who wins is undetermined: the root is not proven, though both actions are.
    result = po.Search(NimOfThree(stones=4)).run(1000)
    assert result.proven is None
    assert exact(result) == {1: 0.0, 2: 0.0}


def solve_twice(stones, move=0):
    """Value for player 0."""
    player = (move // 2) % 2
    values = [
        (1.0 if player == 0 else -1.0) if take == stones else solve_twice(stones - take, move + 1)
        for take in range(1, min(2, stones) + 1)
    ]
    return max(values) if player == 0 else min(values)


@pytest.mark.parametrize("kind", [TwiceNim, KeptTwiceNim], ids=lambda kind: kind.__name__)
@pytest.mark.parametrize("stones", range(1, 12))
def test_a_player_who_moves_twice_is_proven_right(kind, stones):
    assert po.Search(kind(stones=stones)).run(20_000).proven == solve_twice(stones)


def test_chance_is_proven_at_its_mean():
    # 0.7 * 1 + 0.3 * -1 = 0.4, less than 0.5 for certain.
    result = po.Search(Gamble()).run(1000)
    assert exact(result) == pytest.approx({0: 0.5, 1: 0.4})
    assert (result.best, result.proven) == (0, 0.5)


def solve_dice(points=(0, 0), turn=0):
    """The expected return of player 0 with best play of both."""
    if turn == 4:
        return float(np.sign(points[0] - points[1]))

    def after(gain):
        return solve_dice((points[0] + gain, points[1]) if turn % 2 == 0 else (points[0], points[1] + gain), turn + 1)

    safe, throw = after(1), 0.5 * after(0) + 0.3 * after(1) + 0.2 * after(3)
    return max(safe, throw) if turn % 2 == 0 else min(safe, throw)


@pytest.mark.parametrize("kind", [Dice, KeptDice], ids=lambda kind: kind.__name__)
def test_chance_between_players_is_proven_at_its_expected_value(kind):
    result = po.Search(kind(), po.Settings(policy=po.UCT(3.0)), seed=1).run(100_000 if COMPILED else 2000)
    if COMPILED or result.proven is not None:
        assert result.proven == pytest.approx(solve_dice(), abs=1e-12)


def test_equals_that_differ_for_others_are_not_called_proven():
    # SHARES: after 1, player 1 has 3 either way, and player 0 has 2 or 0.
    # After 0, player 1 takes (1, 1), after 2 (1.5, 2).
    search = po.Search(Shares(), seed=1)
    result = search.run(2000)
    assert exact(result) == {0: 1.0, 2: 1.5}
    assert result.proven is None
    assert result.stats(1).visits > 0


def test_a_single_player_is_proven_only_by_all_or_by_the_most_there_is():
    # 5 + 7.25 + 2 + 30 = 44.25, below the 50 that the range allows: proven once all 81 games are finished.
    for game, c in ((Coins(), 5.0), (KnownCoins(), 300.0)):
        result = po.Search(game, po.Settings(policy=po.UCT(c)), seed=1).run(20_000)
        assert result.proven == 44.25
        assert result.line[:2] == (1, 2)
        assert result.line[3] == 1
    # A hit is the most there is: one game is enough.
    result = po.Search(po.games.load("target_sum", target=5, moves=3)).run(10_000)
    assert (result.proven, result.best_text) == (1.0, result.best_text)
    assert result.simulations < 10_000


def test_discounted_proofs_prefer_the_sooner():
    # 0.5^k of each later step: 5 + 7.25 / 2 + 2 / 4 + 30 / 8 = 12.875
    assert po.Search(Coins(), po.Settings(discount=0.5), seed=1).run(20_000).proven == pytest.approx(12.875)


def test_without_the_solver_nothing_is_proven():
    search = po.Search(po.games.load("tictactoe"), po.Settings(solver=False), position="XX./OO./...")
    result = search.run(500)
    assert (result.proven, exact(result), result.simulations) == (None, {}, 500)
    assert result.best_text == "3"


# Against OpenSpiel


def spiel_search(position, simulations, seed, c=1.4):
    """OpenSpiel's MCTS with the same settings: UCT, one random playout, no proofs."""
    import pyspiel

    game = pyspiel.load_game("connect_four")
    state = game.new_initial_state()
    for column in position:
        state.apply_action(int(column) - 1)
    bot = pyspiel.MCTSBot(
        game,
        pyspiel.RandomRolloutEvaluator(1, seed),
        c,
        simulations,
        10**9,  # bytes
        False,  # proofs
        seed,
        False,  # verbose
        pyspiel.ChildSelectionPolicy.UCT,
    )
    return bot, state


# Positions where no move ends the game: OpenSpiel gives finished games no exploration term, even without proofs.
@pytest.mark.parametrize("position", ["", "44", "4435", "4444477"])
def test_root_values_agree_with_openspiel_within_error_bars(position):
    simulations, seeds = (500, range(24)) if COMPILED else (60, range(6))
    ours, theirs = [], []
    for seed in seeds:
        result = po.Search(po.games.load("connect4"), po.Settings(solver=False), position=position, seed=seed).run(
            simulations
        )
        ours.append(result.value)
        bot, state = spiel_search(position, simulations, seed + 1)
        root = bot.mcts_search(state)
        # The root counts for the player who moved before: its children for the one to move.
        visits = sum(c.explore_count for c in root.children)
        theirs.append(sum(c.total_reward for c in root.children) / visits)
    error = math.sqrt((np.var(ours, ddof=1) + np.var(theirs, ddof=1)) / len(ours))
    assert abs(np.mean(ours) - np.mean(theirs)) < 4 * error + 0.02


@pytest.mark.reference
def test_a_match_against_openspiel_is_level_within_error_bars():
    game, simulations, scores = po.games.load("connect4"), 500, []
    openings = [f"{a}{b}" for a in range(1, 8) for b in range(1, 8)][:30]
    for number, opening in enumerate(openings):
        for ours in (0, 1):  # each opening from both sides
            bot, state = spiel_search(opening, simulations, seed=1000 + number)
            position = game.position(opening)
            while not position.is_terminal:
                if position.player == ours:
                    search = po.Search(game, po.Settings(solver=False), position=position, seed=number)
                    action = search.run(simulations).best
                else:
                    action = bot.step(state)
                position = position.play(action)
                state.apply_action(action)
            scores.append(float(position.rewards[ours]))
    pairs = np.array(scores).reshape(-1, 2).mean(axis=1)
    error = pairs.std(ddof=1) / math.sqrt(len(pairs))
    assert pairs.mean() > -3 * error
