"""`check_game` finds each mistake, and none where there is none; a search of a broken game says so and lives."""

import inspect
import json
from typing import Any

import numpy as np
import pytest

import playout as po
from playout.core.jit import COMPILED
from playout.core.tree import END, ROOT
from tests.readme import NIM

from . import broken_buffers, broken_games  # noqa: F401  # both fill `BROKEN`
from .broken_games import BROKEN, COMPILED_ONLY, Dice, Nim

GAMES = 20 if COMPILED else 5
ALSO = {"RandomListing": ["not-compiled"]}


def line_of(function, text: str) -> int:
    """The number of the line of a function that holds a text."""
    lines, first = inspect.getsourcelines(function)
    return first + next(i for i, line in enumerate(lines) if text in line)


def only(report: po.Report, code: str, rule: str) -> po.Finding:
    found = [finding for finding in report.findings if (finding.code, finding.rule) == (code, rule)]
    assert len(found) == 1, str(report)
    return found[0]


# Each mistake


@pytest.mark.parametrize("cls", [c for c in BROKEN if COMPILED or c not in COMPILED_ONLY], ids=lambda cls: cls.__name__)
def test_each_mistake_is_found_and_explained(cls):
    code, rule, words = BROKEN[cls]
    report = po.check_game(cls(), games=20, max_length=300, rule_seconds=0.5)
    finding = only(report, code, rule)
    assert not report.ok
    text = str(finding)
    assert text.startswith(f"error {code}: {rule} ")
    assert text.count("\n") == 1
    assert ". Fix: " in text
    for word in words:
        assert word in text
    assert "{" not in text
    # One cause, one finding; few mistakes show in two places.
    assert {finding.code for finding in report.findings} <= {code, *ALSO.get(cls.__name__, ())}, str(report)


def test_a_finding_names_the_position_the_action_and_how_often():
    finding = only(po.check_game(broken_games.Refusing(), games=30), "action-refused", "apply")
    stones, action = int(finding.position.partition("stones=")[2].split()[0]), int(finding.action)
    assert stones < action
    assert 1 < finding.count <= 30
    assert f"({finding.count} times)" in str(finding)
    line = line_of(broken_games.Refusing.apply, "raise ValueError")
    assert f"{broken_games.__file__}:{line}" in finding.what


def test_an_action_is_named_by_its_text():
    report = po.check_game(broken_games.Walker(), games=30)
    finding = only(report, "nothing-happens", "apply")
    assert (finding.position, finding.action, finding.level) == ("cell=0", "left (0)", "warning")


def test_warnings_leave_the_game_fit_to_play():
    report = po.check_game(broken_games.NoRewards(), games=20)
    assert only(report, "no-rewards", "apply").level == "warning"
    assert report.ok
    assert "1 warning in 20 games" in str(report)


def test_rewards_that_sum_to_different_numbers_suggest_none():
    class Uneven(Nim):
        @staticmethod
        def apply(state, action, rewards):
            state.stones -= action
            rewards[state.turn] = 0.01 * action
            state.turn = 1 - state.turn

    assert "`returns_sum = None`" in only(po.check_game(Uneven(), games=20), "returns-sum", "apply").fix


def test_a_constant_sum_that_the_class_announces_is_no_finding():
    class Shared(broken_games.LoserForgotten):
        value_range = (0.0, 1.0)
        returns_sum = 1.0

    assert po.check_game(Shared(), games=20).findings == ()


def test_a_text_may_leave_out_what_nobody_can_see():
    """A history, for instance: a warning only, since who moves and what can be played come back."""

    class History(Nim):
        state = np.dtype([("stones", np.int32), ("turn", np.int8), ("moves", np.int32)])

        @staticmethod
        def apply(state, action, rewards):
            state.stones -= action
            state.moves += 1
            if state.stones == 0:
                rewards[state.turn], rewards[1 - state.turn] = 1.0, -1.0
            state.turn = 1 - state.turn

        def state_to_text(self, state):
            return f"{state.stones} {state.turn}"

        def state_from_text(self, state, text):
            state.stones, state.turn = map(int, text.split())

    report = po.check_game(History(), games=10)
    assert report.ok
    assert "moves: before 1, after 0" in only(report, "state-text", "state_from_text").what


@pytest.mark.compiled_only
def test_a_rule_that_is_not_compiled_is_played_uncompiled_all_the_same():
    report = po.check_game(broken_games.Dictionary(), games=20)
    assert [finding.code for finding in report.findings] == ["not-compiled"]
    assert report.positions == report.positions_uncompiled > 20
    assert report.playouts_per_second is None


def test_an_optional_rule_that_raises_does_not_end_the_games():
    class Raising(Nim):
        @staticmethod
        def evaluate(state, values):
            values[0] = 1.0 / np.zeros(2)[state.stones]

    report = po.check_game(Raising(), games=10)
    finding = only(report, "raises", "evaluate")
    assert f"{__file__}:{line_of(Raising.evaluate, 'values[0]')}" in finding.what
    assert sum(count for _, count in report.results) == 10


# No mistake


@pytest.mark.parametrize("cls", [Nim, Dice])
def test_correct_games_have_no_finding(cls):
    assert po.check_game(cls(), games=GAMES).findings == ()


def test_the_first_game_of_the_readme_has_no_finding():
    scope: dict[str, Any] = {"__name__": "readme"}
    exec(NIM, scope)
    report = po.check_game(scope["Nim"](), games=GAMES)
    assert report.findings == ()
    assert str(report).startswith(f"Nim: no mistakes found in {GAMES} games\n")


LONG_GAMES = ("chess", "suika", "game2048", "samegame", "jobshop")


@pytest.mark.parametrize("name", po.games.names())
def test_built_in_games_have_no_finding(name):
    report = po.check_game(po.games.load(name), games=3 if name in LONG_GAMES else GAMES)
    assert report.findings == (), str(report)


@pytest.mark.reference
@pytest.mark.parametrize("name", po.games.names())
def test_built_in_games_have_no_finding_at_full_size(name):
    report = po.check_game(po.games.load(name), games=100)
    assert report.findings == (), str(report)


def test_settings_are_part_of_the_game():
    report = po.check_game(po.games.load("target_sum", target=5, moves=3, numbers="1,2"), games=GAMES)
    assert report.findings == ()
    assert report.length[2] <= 3
    assert report.branching == (2, 2.0, 2)


# The report


def test_the_report_counts():
    report = po.check_game(Nim(), games=30, seed=3)
    assert report.games == 30
    assert sum(count for _, count in report.results) == 30
    assert {returns for returns, _ in report.results} == {(1.0, -1.0), (-1.0, 1.0)}
    assert 4 <= report.length[0] <= report.length[1] <= report.length[2] <= 11
    assert report.branching[0] == 1
    assert report.branching[2] == 3
    assert report.positions == round(30 * (report.length[1] + 1))
    assert (report.playouts_per_second is not None) == COMPILED


def test_the_same_seed_gives_the_same_games():
    one, two, other = (po.check_game(Dice(), games=10, seed=seed).to_dict() for seed in (1, 1, 2))
    for report in (one, two, other):
        del report["playouts_per_second"]
    assert one == two
    assert one != other


def test_the_report_is_json():
    report = po.check_game(broken_games.LoserForgotten(), games=10).to_dict()
    assert json.loads(json.dumps(report)) == report
    assert report["ok"] is False
    assert report["findings"][0]["code"] == "returns-sum"
    assert report["length"]["least"] <= report["length"]["mean"] <= report["length"]["most"]


def test_games_without_an_end_are_not_played_for_ever():
    report = po.check_game(broken_games.ForEver(), games=100, max_length=50)
    assert report.games == 3


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((Nim,), "expected Nim()"),
        (("nim",), "no game 'nim' (there are: chess"),
        ((5,), "check_game got 5, expected a Game, a game's name, or po.wrap(object)"),
        ((Nim(), 0), "games is 0, expected a whole number of at least 1"),
        ((Nim(), 5, 0, -1), "max_length is -1"),
        ((Nim(), 5, 0, 10, 0), "rule_seconds is 0, expected a number above 0"),
    ],
    ids=["class", "name", "number", "games", "length", "seconds"],
)
def test_what_can_not_be_checked_is_refused(arguments, words):
    with pytest.raises(po.PlayoutError) as caught:
        po.check_game(*arguments)
    assert words in str(caught.value)


# Mistakes in the class itself


def without(name):
    return type("Odd", (po.Game,), {k: v for k, v in vars(Nim).items() if k != name and not k.startswith("_")})


def changed(**parts):
    return type("Odd", (Nim,), parts)


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (without("players"), "Odd has no 'players'; add `players = 2`"),
        (without("max_actions"), "Odd has no 'max_actions'"),
        (without("state"), "Odd has no 'state'"),
        (without("initial_state"), "Odd has no 'initial_state'; define `@staticmethod def initial_state(state)`"),
        (without("current_player"), "Odd has no 'current_player'"),
        (without("legal_actions"), "Odd has no 'legal_actions'"),
        (without("apply"), "Odd has no 'apply'; define `@staticmethod def apply(state, action, rewards)`"),
        (changed(players=0), "Odd.players is 0, expected a whole number from 1 to 127"),
        (changed(max_actions=2.5), "Odd.max_actions is 2.5"),
        (changed(state=np.dtype(np.int32)), "Odd.state is int32, expected a NumPy dtype with named fields"),
        (changed(state="stones"), "expected a NumPy record dtype"),
        (changed(state=np.dtype([("x", object)])), "expected a NumPy dtype with named fields of numbers"),
        (changed(state=np.dtype([("item", np.int8)])), "call it something else, as in 'item_'"),
        (changed(current_player=lambda self, state: 0), "takes (self, state), expected `current_player(state)`"),
        (changed(apply=3), "Odd.apply is 3, expected a function"),
        (changed(settings={"pile": 3}), "setting 'pile' is not a field of the state"),
        (changed(value_range=(1, -1)), "Odd.value_range is (1, -1), expected (least, most) or None"),
    ],
    ids=lambda value: None if isinstance(value, str) else "",
)
def test_a_class_that_is_no_game_says_what_to_write(cls, words):
    with pytest.raises(po.GameError) as caught:
        cls()
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


# Rules that Numba can't compile


def plain_helper(x):
    return x + 1


class CallsPlain(Nim):
    @staticmethod
    def apply(state, action, rewards):
        state.turn = 1 - state.turn
        state.stones -= plain_helper(action)


class WrongField(Nim):
    @staticmethod
    def legal_actions(state, actions):
        actions[0] = 1
        return state.stone


class ReturnsNothing(Nim):
    @staticmethod
    def legal_actions(state, actions):
        if state.stones > 0:
            return 1


class Misspelt(Nim):
    @staticmethod
    def apply(state, action, rewards):
        state.stones -= actoin  # noqa: F821  # the mistake


class Format(Nim):
    @staticmethod
    def apply(state, action, rewards):
        text = f"{action:>3}"
        state.stones -= len(text)


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("cls", "rule", "line", "words"),
    [
        (CallsPlain, "apply", "plain_helper(", "`plain_helper` is a plain Python function"),
        (WrongField, "legal_actions", "state.stone", "the state has no field `stone`"),
        (ReturnsNothing, "legal_actions", "if state.stones", "a path through the function returns nothing"),
        (Misspelt, "apply", "actoin", "`actoin` is not defined"),
        (Format, "apply", "text = ", "format spec in f-strings not supported"),
        (broken_games.Dictionary, "apply", "CHOICES", "`CHOICES` is a dict"),
    ],
    ids=lambda value: value.__name__ if isinstance(value, type) else "",
)
def test_a_rule_that_can_not_be_compiled_is_named_with_its_line(cls, rule, line, words):
    with pytest.raises(po.GameError) as caught:
        po.Search(cls())
    message, function = str(caught.value), getattr(cls, rule)
    place = f"{inspect.getsourcefile(function)}:{line_of(function, line)}"
    assert message.startswith(f"{cls.__name__}.{rule} can't be compiled, at {place}: {words}")
    assert "\n" not in message
    finding = only(po.check_game(cls(), games=1), "not-compiled", rule)
    assert f"at {place}: {words}" in finding.what


# A search given a broken game


class LateTrouble(Nim):
    """Correct down to four stones."""

    @staticmethod
    def apply(state, action, rewards):
        if state.stones - action < 4:
            raise ValueError("no further")
        state.stones -= action
        state.turn = 1 - state.turn


class LateStuck(Nim):
    @staticmethod
    def legal_actions(state, actions):
        if state.stones < 4:
            return 0
        for i in range(3):
            actions[i] = i + 1
        return 3


class LateCrowd(Nim):
    @staticmethod
    def legal_actions(state, actions):
        count = 3 if state.stones > 4 else 4
        for i in range(count):
            actions[i] = i + 1
        return count


def check_tree(search):
    """Visits add up: at the root, and from each edge to those below it."""
    result = search.result()
    assert sum(action.visits for action in result.actions) == search.simulations
    nodes, edges = search.tree.nodes, search.tree.edges

    def below(number):
        return edges[nodes[number]["first_edge"] : nodes[number]["first_edge"] + nodes[number]["count"]]

    left = list(below(ROOT))
    while left:
        edge = left.pop()
        assert np.isfinite(edge["value"])
        if (child := abs(int(edge["child"]))) > END:
            assert below(child)["visits"].sum() <= edge["visits"]
            left += list(below(child))


@pytest.mark.parametrize(
    ("cls", "words"),
    [
        (LateTrouble, "LateTrouble.apply raised ValueError: no further for action "),
        (LateStuck, "LateStuck.legal_actions returned 0 actions in "),
        (LateCrowd, "LateCrowd.legal_actions wrote actions[3], 4 entries in all, and the limit is max_actions = 3"),
    ],
    ids=["raises", "no actions", "too many"],
)
@pytest.mark.parametrize("rollouts", [True, False], ids=["playouts", "static"])
def test_a_search_of_a_broken_game_says_what_is_wrong_and_its_tree_is_unharmed(cls, words, rollouts):
    class Valued(cls):
        name = cls.__name__

        @staticmethod
        def evaluate(state, values):
            values[0] = 0.0

    settings = po.Settings(evaluator=po.Rollouts() if rollouts else po.Static())
    search = po.Search(Valued(), settings, seed=1)
    with pytest.raises(po.GameError) as caught:
        search.run(simulations=2000)
    message = str(caught.value)
    assert words in message
    assert "in stones=" in message
    assert "\n" not in message
    if cls is LateTrouble:
        assert f"at {__file__}:" in message
    check_tree(search)
    assert not search.runner.work.rewards.any()
    before = search.simulations
    with pytest.raises(po.GameError):
        search.run(simulations=2000)
    assert search.simulations >= before
    check_tree(search)


@pytest.mark.parametrize("cls", [broken_games.FewAnnounced, broken_games.NegativeCount])
def test_a_root_that_is_broken_is_told_at_once(cls):
    with pytest.raises(po.GameError, match="max_actions"):
        po.Search(cls())


@pytest.mark.compiled_only
def test_a_playout_without_an_end_is_told():
    search = po.Search(broken_games.ForEver())
    with pytest.raises(po.GameError, match=r"did not end within 1,000,000 actions; give it a limit, as in Rollouts"):
        search.run(simulations=10)
    check_tree(search)
    limited = po.Search(broken_games.ForEver(), po.Settings(evaluator=po.Rollouts(depth=20)))
    assert limited.run(simulations=100).simulations == 100
