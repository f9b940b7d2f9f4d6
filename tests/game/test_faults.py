"""Rules that go wrong in the middle of a search: the process survives, and one line names the rule and the position."""

import math
import os
import signal
import subprocess
import sys
import threading

import numpy as np
import pytest

import playout as po
from tests.places import ROOT

from .faulty_games import FAULTS, Coin, Drawing, Faulty, Forgetful, Helpless, MutuallyRecursive, Recursive, countdown

compiled_only = pytest.mark.compiled_only


def run(fault, settings=None, simulations=2000, game=Faulty, **limits):
    search = po.Search(game(fault=FAULTS.index(fault)), settings, seed=1)
    return search.run(simulations, **limits)


def message(fault, settings=None, game=Faulty):
    with pytest.raises(po.GameError) as caught:
        run(fault, settings, game=game)
    assert "\n" not in str(caught.value)
    return str(caught.value)


SEARCHES = {
    "tree": po.Settings(),
    "graph": po.Settings(transpositions=True),
    "static": po.Settings(evaluator=po.Static()),
    "guided": po.Settings(policy=po.PUCT(), evaluator=po.Rollouts(guided=True)),
}


def test_the_game_is_sound_without_a_fault():
    assert po.check_game(Faulty()).ok
    assert run("none").best_text == "1"


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("many actions", ("Faulty.legal_actions", "300", "max_actions = 3")),
        ("many actions, few returned", ("Faulty.legal_actions", "1000", "max_actions = 3")),
        ("one action too many", ("Faulty.legal_actions wrote actions[3], 4 entries", "max_actions = 3", "raise it")),
        ("an action twice", ("Faulty.legal_actions listed action 1 more than once (1, 2, 1)", "list each action once")),
        ("no actions", ("Faulty.legal_actions returned 0",)),
        ("reward past the end", ("Faulty.apply", "rewards[2]", "players = 2")),
        ("index below zero", ("Faulty.apply wrote rewards[-", "players = 2")),
        ("index past the end of the state", ("Faulty.apply wrote state.board[", "1 entry", "(4,)")),
        ("square past the end of the state", ("Faulty.apply wrote state.grid[2, ", "1 entry", "(2, 3)")),
        ("mask past the end of the state", ("Faulty.apply used an index past the end", "9")),
        ("nan", ("Faulty.apply gave nan",)),
        ("infinity", ("Faulty.apply gave 0, inf",)),
        ("out of range", ("Faulty.apply gave ", "outside of value_range -1 to 1")),
        ("wrong sum", ("Faulty.apply", "returns_sum = 0")),
        ("player", ("Faulty.current_player returned 9",)),
        ("raises", ("Faulty.apply raised ValueError: no such stone",)),
        ("a range of step zero", ("Faulty.apply raised ValueError", "zero", "faulty_games.py:")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("name", ["tree", "graph"])
def test_a_wrong_rule_is_named_with_its_position(fault, said, name):
    text = message(fault, SEARCHES[name])
    for part in said:
        assert part in text
    assert "stones=" in text


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("values past the end", ("Faulty.evaluate", "values[7]", "players = 2")),
        ("static nan", ("Faulty.evaluate gave nan",)),
        ("static out of range", ("Faulty.evaluate gave 3, -3", "value_range")),
        ("static for one player", ("Faulty.evaluate gave 0.5, 0", "returns_sum = 0")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_wrong_static_value_is_named_with_its_position(fault, said):
    text = message(fault, SEARCHES["static"])
    for part in (*said, "stones="):
        assert part in text


GUIDED = {"policy": po.Settings(policy=po.PUCT()), "playouts": po.Settings(evaluator=po.Rollouts(guided=True))}


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("priors past the end", "wrote out[5000]"),
        ("prior nan", "gave nan to action 2"),
        ("prior below zero", "gave -0.5 to action 2"),
        ("prior infinite", "gave inf to action 2"),
        ("prior unwritten", "left out[2] unwritten"),
    ],
)
@pytest.mark.parametrize("name", list(GUIDED))
def test_wrong_priors_are_named_with_their_position(fault, said, name):
    text = message(fault, GUIDED[name])
    assert f"Faulty.priors {said}" in text
    assert "stones=9" in text


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        ("playout action", ("returned 99", "legal actions: 1, 2, 3")),
        ("playout action past the end", ("past the end", "faulty_games.py:")),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
@pytest.mark.parametrize("playouts", [1, 3])
def test_a_wrong_playout_action_is_named_with_its_position(fault, said, playouts):
    text = message(fault, po.Settings(evaluator=po.Rollouts(playouts, guided=True)), Drawing)
    for part in ("Drawing.playout_action", *said, "stones=7"):
        assert part in text


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (1, r"Coin\.chance_action returned 7 in tosses=3.*: 0, 1;"),
        (2, r"Coin\.chance_action returned 2 in tosses=3.*probability is above 0: 0, 1;"),
        (3, r"Coin\.chance_outcomes wrote probabilities\[3\], 4 entries.*max_actions = 3.*tosses=3"),
    ],
    ids=["not listed", "impossible", "probabilities past the end"],
)
def test_a_wrong_draw_of_chance_is_named_with_its_position(fault, said):
    assert po.Search(Coin(), seed=1).run(100).simulations > 0
    with pytest.raises(po.GameError, match=said):
        po.Search(Coin(fault=fault), seed=1).run(2000)


def test_a_hash_that_raises_is_named_with_its_position():
    text = message("hash raises", SEARCHES["graph"], Drawing)
    assert "Drawing.hash raised ValueError: no key in stones=9" in text


def test_a_hash_that_differs_for_the_same_position_is_refused():
    with pytest.raises(po.GameError, match=r"Forgetful\.hash returned \d+ and then \d+ in stones=21"):
        po.Search(Forgetful(), SEARCHES["graph"])


@pytest.mark.parametrize("name", list(SEARCHES))
def test_what_was_found_before_the_fault_stays(name):
    search = po.Search(Faulty(fault=FAULTS.index("out of range")), SEARCHES[name], seed=1)
    with pytest.raises(po.GameError):
        search.run(5000)
    root = search.result()
    assert all(math.isfinite(entry.value) and abs(entry.value) <= 1 for entry in root.actions if entry.visits)
    assert root.proven is None or abs(root.proven) <= 1


def test_a_helper_function_of_the_users_is_checked_as_well():
    with pytest.raises(po.GameError, match=r"Helpless\.legal_actions wrote actions\[999\]"):
        po.Search(Helpless()).run(10)


@compiled_only
@pytest.mark.parametrize(
    ("game", "said"),
    [(Recursive, "`countdown` calls itself"), (MutuallyRecursive, "`is_even` calls `is_odd`, which calls `is_even`")],
)
def test_recursion_in_a_helper_is_refused_by_name(game, said):
    with pytest.raises(po.GameError, match=rf"{game.__name__}\.legal_actions.*{said}.*write it as a loop"):
        po.Search(game())


@compiled_only
def test_recursion_in_a_helper_of_a_policy_is_refused_by_name():
    class RecursivePolicy(po.Policy):
        @staticmethod
        def score(policy, node, edge, shared, rng):
            return edge.value + countdown(edge.visits)

    with pytest.raises(po.SettingsError, match=r"RecursivePolicy\.score.*`countdown` calls itself"):
        po.Search(Faulty(), po.Settings(policy=RecursivePolicy()))


def test_no_proof_rests_on_a_value_outside_the_range():
    with pytest.raises(po.GameError, match="value_range"):
        po.Search(Faulty(fault=FAULTS.index("out of range")), position="stones=10").run(100_000)


@compiled_only
@pytest.mark.parametrize("fault", ["never returns", "a long range", "nested ranges"])
def test_a_rule_that_never_returns_ends_with_the_time_limit(fault):
    with pytest.raises(po.GameError, match=r"Faulty\.apply was still running at stones=7.*time of the search was up"):
        run(fault, simulations=None, seconds=0.2)


@compiled_only
def test_a_rule_that_never_returns_ends_with_stop():
    search = po.Search(Faulty(fault=FAULTS.index("never returns")))
    timer = threading.Timer(0.5, search.stop)
    timer.start()
    with pytest.raises(po.GameError, match=r"Faulty\.apply was still running at stones=7.*the search was stopped"):
        search.run(100_000)
    timer.join()


@compiled_only
def test_ctrl_c_ends_a_rule_that_never_returns():
    script = (
        "import signal, sys; signal.signal(signal.SIGINT, signal.default_int_handler)\n"
        "import playout as po\n"
        "from tests.game.faulty_games import FAULTS, Faulty\n"
        "search = po.Search(Faulty(fault=FAULTS.index('never returns')))\n"
        "search.runner.compile()\n"
        "while True:\n"
        "    try:\n"
        "        print('ready', flush=True)\n"
        "        search.run(100_000)\n"
        "    except KeyboardInterrupt as error:\n"
        "        if error.args:  # otherwise it came before the rule hung\n"
        "            print('stopped:', error, flush=True)\n"
        "            break\n"
    )
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), *sys.path])}
    command = [sys.executable, "-c", script]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment) as child:
        try:
            assert child.stdout is not None
            assert child.stdout.readline() == "ready\n"
            ended = threading.Event()

            def interrupt():
                while not ended.wait(0.3):
                    child.send_signal(signal.SIGINT)

            sender = threading.Thread(target=interrupt)
            sender.start()
            line = next(line for line in child.stdout if line != "ready\n")
            ended.set()
            sender.join()
            assert "Faulty.apply was still running at stones=7" in line
        finally:
            child.kill()


@compiled_only
def test_a_loop_without_end_is_interrupted_even_where_nothing_else_ends_it(monkeypatch):
    monkeypatch.setattr("playout.core.watch.MOST_ROUNDS", 1 << 20)
    with pytest.raises(po.GameError, match="went round 1,048,576 times"):
        Faulty(fault=FAULTS.index("never returns")).position("stones=8").play(1)


def test_a_position_names_what_is_wrong_with_its_rules():
    position = Faulty(fault=FAULTS.index("many actions")).position("stones=9")
    with pytest.raises(po.GameError, match=r"Faulty\.legal_actions wrote actions\[299\], 300 entries.*stones=9"):
        position.actions()


@pytest.mark.parametrize("depth", [1, 3])
def test_perft_refuses_more_actions_than_there_can_be(depth):
    from playout.game.perft import perft

    with pytest.raises(po.GameError, match=r"Faulty\.legal_actions"):
        perft(Faulty(fault=FAULTS.index("many actions")).position("stones=10"), depth + 1)


def test_values_from_a_function_outside_the_range_are_refused():
    def evaluate(observations):
        return np.full((len(observations), 9), 1 / 9), np.full(len(observations), 7.0)

    with pytest.raises(po.PlayoutError, match=r"7(\.0)?\b"):
        po.Search(po.games.load("tictactoe"), po.Settings(policy=po.PUCT(), evaluator=po.Outside(evaluate))).run(10)
