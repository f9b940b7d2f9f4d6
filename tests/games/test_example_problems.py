"""The problems in examples/problems: known answers, and the doctor's opinion."""

import pytest

import playout as po
from playout import games
from tests.places import EXAMPLES

from .test_games import refusal

FOLDER = EXAMPLES / "problems"
# Shortest networks (Knuth), found by others: 9 and 12 comparators.
FIVE = "1:4 2:5 1:3 2:4 1:2 3:5 2:3 4:5 3:4"
SIX = "1:6 2:4 3:5 2:3 4:5 1:4 3:6 1:2 3:4 5:6 2:3 4:5"
# The formulas of the benchmark in prefix notation.
NGUYEN = {
    1: "+ x * x + x * x x",
    2: "+ x * x + x * x + x * x x",
    3: "+ x * x + x * x + x * x + x * x x",
    4: "+ x * x + x * x + x * x + x * x + x * x x",
    5: "- * sin * x x cos x 1",
    6: "+ sin x sin + x * x x",
    7: "+ log + x 1 log + * x x 1",
    8: "exp / log x + 1 1",
}


def example(name, **settings):
    file, _, cls = name.partition(":")
    return games.load(f"{FOLDER / file}:{cls}", **settings)


@pytest.mark.parametrize(
    "name", ["sorting_network.py:SortingNetwork", "symbolic_regression.py:Formula", "week.py:Week"]
)
def test_the_doctor_finds_nothing_in_an_example(name):
    assert po.check_game(example(name), games=5).findings == ()


@pytest.mark.parametrize(("inputs", "network"), [(5, FIVE), (6, SIX)])
def test_the_known_networks_sort(inputs, network):
    position, total = example("sorting_network.py:SortingNetwork", inputs=inputs).position(), 0.0
    for comparator in network.split():
        position = position.play(comparator)
        total += position.rewards[0]
    assert position.is_terminal
    assert total == -len(network.split())


@pytest.mark.parametrize(("inputs", "fewest"), [(2, 1), (3, 3)])
def test_a_search_proves_the_shortest_network(inputs, fewest):
    game = example("sorting_network.py:SortingNetwork", inputs=inputs, limit=fewest + 1)
    assert po.Search(game, seed=1).run(2000).proven == -fewest


@pytest.mark.parametrize("number", NGUYEN)
def test_the_formula_of_each_benchmark_is_worth_one(number):
    position = example("symbolic_regression.py:Formula", nguyen=number, length=32).position()
    for token in NGUYEN[number].split():
        position = position.play(token)
    assert position.is_terminal
    assert position.rewards[0] == pytest.approx(1.0)


def test_a_week_is_planned_within_its_days():
    game = example("week.py:Week", tasks="a 5 1 3; b 5 1 4; c 5 2 2", hours=8)
    assert po.Search(game, seed=1).run(500).proven == 6  # b on Monday, c on Tuesday
    assert "expected name, hours, last day and value" in refusal(po.SettingsError, example, "week.py:Week", tasks="a 5")
