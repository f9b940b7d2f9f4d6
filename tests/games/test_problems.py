"""Problems with one player: known optima, rules against slow copies, and the refusals of what can't be read."""

import itertools
import random
from functools import cache
from xml.etree import ElementTree

import numpy as np
import pytest

import playout as po
from playout import games
from playout.games.samegame.boards import BOARDS
from tests.oracles.solved import DATA

from .test_games import refusal

PROBLEMS = DATA / "problems"
NAMES = ("jobshop", "knapsack", "samegame", "tsp")
ULYSSES22 = "1-14-13-12-7-6-15-5-11-9-10-19-20-21-16-3-2-17-22-4-18-8"  # TSPLIB's optimal tours
BERLIN52 = (
    "1-49-32-45-19-41-8-9-10-43-33-51-11-52-14-13-47-26-27-28-12-25-4-6-15-5-24-48-38-37-40-39-36-35-34-44-46-16-29-50-"
    "20-23-30-2-7-42-21-17-3-18-31-22"
)


def tsp(name, **settings):
    return games.load("tsp", file=str(PROBLEMS / f"{name}.tsp"), **settings)


def random_game(game, seed=1):
    """The positions of a random game."""
    rng, position = random.Random(seed), game.position()
    yield position
    while not position.is_terminal:
        position = position.play(rng.choice(position.actions()))
        yield position


def shortest_tour(distances) -> float:
    """Held and Karp 1962: the shortest way through each set of cities to each of its cities."""
    n = len(distances)
    best = np.full((1 << (n - 1), n - 1), np.inf)
    for city in range(n - 1):
        best[1 << city, city] = distances[0, city + 1]
    for cities in range(1, 1 << (n - 1)):
        inside = [c for c in range(n - 1) if cities >> c & 1]
        for city in range(n - 1):
            if not cities >> city & 1:
                to = cities | 1 << city
                best[to, city] = (best[cities, inside] + distances[np.array(inside) + 1, city + 1]).min()
    return float((best[-1] + distances[1:, 0]).min())


@pytest.mark.parametrize("name", NAMES)
def test_positions_are_written_read_again_and_drawn(name):
    game = games.load(name)
    for position in random_game(game):
        again = game.position(position.text)
        assert again.text == position.text
        assert again.actions() == position.actions()
        ElementTree.fromstring(position.draw())
        assert position.show()
        for action in position.actions():
            assert position.action(position.action_text(action)) == action


@pytest.mark.parametrize("name", NAMES)
def test_rewards_add_up_to_the_score(name):
    game = games.load(name)
    positions = list(random_game(game))
    assert sum(float(p.rewards[0]) for p in positions) == pytest.approx(game.score(positions[-1].state))


# Travelling salesman


def test_the_optimal_tours_of_tsplib_have_their_lengths():
    assert tsp("ulysses22").position(ULYSSES22).state.length == 7013
    assert tsp("berlin52").position(BERLIN52).state.length == 7542


def test_the_shortest_tour_of_burma14_is_that_of_tsplib():
    state = tsp("burma14").position().state
    assert shortest_tour(state.distances[: 14 * 14].reshape(14, 14)) == 3323


@pytest.mark.reference
def test_the_shortest_tour_of_gr17_is_that_of_tsplib():
    state = tsp("gr17").position().state
    assert shortest_tour(state.distances[: 17 * 17].reshape(17, 17)) == 2085


def test_a_matrix_is_read_from_each_of_its_formats():
    cells = {(0, 1): 3, (0, 2): 5, (1, 2): 4}
    orders = {
        "UPPER_ROW": "3 5 4",
        "UPPER_COL": "3 5 4",
        "LOWER_ROW": "3 5 4",
        "LOWER_COL": "3 5 4",
        "UPPER_DIAG_ROW": "0 3 5 0 4 0",
        "LOWER_DIAG_ROW": "0 3 0 5 4 0",
        "UPPER_DIAG_COL": "0 3 0 5 4 0",
        "LOWER_DIAG_COL": "0 3 5 0 4 0",
        "FULL_MATRIX": "0 3 5 3 0 4 5 4 0",
    }
    for shape, numbers in orders.items():
        head = f"DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: {shape}"
        state = games.load("tsp", tsplib=f"{head}\nEDGE_WEIGHT_SECTION\n{numbers}\nEOF").position().state
        assert {(i, j): state.distances[3 * i + j] for i, j in cells} == cells, shape


def test_coordinates_and_matrices_are_given_as_texts_or_lists():
    by_text = games.load("tsp", coordinates="0 0; 3 4; 6 0")
    assert by_text.position("1-2-3").state.length == 16
    assert games.load("tsp", coordinates=[(0, 0), (3, 4), (6, 0)]).values == by_text.values
    one_way = games.load("tsp", distances=np.array([[0, 1, 9], [9, 0, 1], [1, 9, 0]]))
    assert [one_way.position(tour).state.length for tour in ("1-2-3", "1-3-2")] == [3, 27]


def test_a_tour_in_progress_has_a_code_for_each_step_and_near_cities_first():
    position = tsp("burma14").position("1-2")
    assert [position.action_code(a) for a in (2, 13)] == [14 + 2, 14 + 13]
    weights = dict(position.priors())
    near = min(weights, key=lambda city: position.state.distances[14 + city])
    assert max(weights, key=weights.get) == near


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        (
            {"tsplib": "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_3D"},
            "EDGE_WEIGHT_TYPE is 'EUC_3D', expected EUC_2D",
        ),
        ({"tsplib": "DIMENSIONS: 3"}, "line 1 has the unknown keyword 'DIMENSIONS'"),
        ({"tsplib": "EDGE_WEIGHT_TYPE: GEO"}, "DIMENSION is missing"),
        ({"tsplib": "DIMENSION: 3\nFIXED_EDGES_SECTION\n1 3\n-1"}, "FIXED_EDGES_SECTION is not supported"),
        ({"tsplib": "DIMENSION: 1000"}, "DIMENSION is 1000, expected at most 128 cities"),
        (
            {"tsplib": "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 2 3\n2 4"},
            "line 5 has 2 fields, expected 3",
        ),
        (
            {"tsplib": "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EUC_2D\nNODE_COORD_SECTION\n1 2 3\n2 4 5"},
            "NODE_COORD_SECTION has 2 cities, and DIMENSION is 3",
        ),
        (
            {
                "tsplib": "DIMENSION: 3\nEDGE_WEIGHT_TYPE: EXPLICIT\nEDGE_WEIGHT_FORMAT: UPPER_ROW\n"
                "EDGE_WEIGHT_SECTION\n1 2"
            },
            "EDGE_WEIGHT_SECTION has 2 numbers, expected 3 for 3 cities",
        ),
        ({"coordinates": "0 0; 1 2 3; 4 5"}, "city 2 has 3 numbers, expected 2"),
        ({"coordinates": "0 0; 1 x; 4 5"}, "row 2 has 'x', expected a number"),
        ({"coordinates": "0 0; 1 1"}, "it has 2 cities, expected 3 to 128"),
        ({"coordinates": "0 0;" * 200}, "it has 200 cities, expected at most 128"),
        ({"distances": "0 1 2; 1 0 -3; 2 3 0"}, "the distance from 2 to 3 is -3, expected 0 or more"),
        ({"distances": "0 1 2; 1 0; 2 3 0"}, "row 2 has 2 numbers, expected 3"),
        ({"distances": "0 1 2; 1 0 1; 2 1 0", "coordinates": "0 0; 1 1; 2 2"}, "are both given; give one of them"),
        ({"distances": "0 1 2; 1 0 1; 2 1 0", "cities": 20}, "setting 'cities' is 20, and 'distances' has 3"),
        ({"cities": 2}, "setting 'cities' is 2, expected 3 to 128"),
        ({"file": "nowhere.tsp"}, "can't read the file 'nowhere.tsp' of setting 'file': No such file or directory"),
        ({"file": str(PROBLEMS / "burma14.tsp"), "tsplib": "x"}, "'file' and 'tsplib' are both given"),
    ],
)
def test_cities_that_cannot_be_read_are_refused(settings, reason):
    assert reason in refusal(po.SettingsError, games.load, "tsp", **settings)


def test_tours_that_cannot_be_are_refused():
    game = games.load("tsp")
    assert "begins in city 1" in refusal(po.PositionError, game.position, "2-1")
    assert "visited before" in refusal(po.PositionError, game.position, "1-2-2")
    assert "the cities are 1 to 12" in refusal(po.PositionError, game.position, "1-13")
    assert "expected the cities so far, as in 1-5-3" in refusal(po.PositionError, game.position, "1-x")


# Knapsack


def best_load(values, weights, capacity) -> float:
    """By dynamic programming over whole weights."""
    best = [0.0] * (int(capacity) + 1)
    for value, weight in zip(values, weights, strict=True):
        for room in range(int(capacity), int(weight) - 1, -1):
            best[room] = max(best[room], best[room - int(weight)] + value)
    return best[-1]


@pytest.mark.compiled_only
def test_a_search_to_the_end_finds_the_best_load():
    game = games.load("knapsack", items=12, seed=5)
    state = game.position().state
    wanted = best_load(state.values[:12], state.weights[:12], state.capacity)
    result = po.Search(game, seed=1).run(200_000)
    assert result.proven == wanted


def test_items_come_by_value_for_their_weight_and_are_left_where_they_do_not_fit():
    game = games.load("knapsack", values=[12, 9, 8, 3], weights=[6, 3, 8, 4], capacity=10)
    position = game.position()
    assert [position.action_text(a) for a in position.actions()] == ["take 2", "leave 2"]
    full = game.position("+2 +1")
    assert (full.is_terminal, full.state.total) == (True, 21)
    assert game.position("+2 -1 +4").state.total == 12


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"values": [1, 2], "weights": [1]}, "'values' has 2 numbers and 'weights' has 1"),
        ({"values": [1, -2], "weights": [1, 1]}, "setting 'values' has -2, expected numbers above 0"),
        ({"values": [1], "weights": [5], "capacity": 3}, "'capacity' is 3, and the lightest item weighs 5"),
        ({"items": 65}, "setting 'items' is 65, expected 1 to 64"),
        ({"values": range(1, 70)}, "setting 'values' is"),
    ],
)
def test_items_that_cannot_be_packed_are_refused(settings, reason):
    assert reason in refusal(po.SettingsError, games.load, "knapsack", **settings)


# SameGame


def groups_of(rows):
    """Plain flood fill: {cell: cells of its group}, with columns from the left and rows from the floor."""
    cells = {(c, r): v for r, row in enumerate(reversed(rows)) for c, v in enumerate(row) if v != "."}
    found = {}
    for cell, colour in cells.items():
        if cell not in found:
            group, edge = {cell}, [cell]
            while edge:
                c, r = edge.pop()
                for other in ((c + 1, r), (c - 1, r), (c, r + 1), (c, r - 1)):
                    if cells.get(other) == colour and other not in group:
                        group.add(other)
                        edge.append(other)
            found |= dict.fromkeys(group, group)
    return found


def without(rows, group):
    """The rows after a group is gone: everything falls, then columns close up."""
    height, columns = len(rows), []
    for c in range(len(rows[0])):
        kept = [rows[height - 1 - r][c] for r in range(height) if (c, r) not in group]
        kept = [v for v in kept if v != "."]
        if kept:
            columns.append(kept + ["."] * (height - len(kept)))
    columns += [["."] * height] * (len(rows[0]) - len(columns))
    return ["".join(column[r] for column in columns) for r in reversed(range(height))]


@pytest.mark.parametrize(
    "settings", [{"board": 1}, {"columns": 7, "rows": 4, "colours": 2}, {"rows": 1}, {"columns": 1}]
)
def test_samegame_plays_as_a_plain_copy_of_its_rules(settings):
    game, rng = games.load("samegame", **settings), random.Random(3)
    position, score = game.position(), 0
    rows = position.text.split()[0].split("/")
    while True:
        groups = {min(group): group for group in groups_of(rows).values() if len(group) > 1}
        assert sorted(position.actions()) == sorted(16 * c + r for c, r in groups)
        if not groups:
            break
        cell = rng.choice(sorted(groups))
        rows = without(rows, groups[cell])
        score += (len(groups[cell]) - 2) ** 2 + (1000 if set("".join(rows)) == {"."} else 0)
        position = position.play(16 * cell[0] + cell[1])
        assert position.text.split()[0] == "/".join(rows)
        assert position.state.score == score
    assert position.is_terminal


def test_an_empty_board_brings_a_thousand_more():
    end = games.load("samegame", cells="112/112").position().play("a1").play("a1")
    assert (end.is_terminal, end.state.score, end.rewards.tolist()) == (True, 4 + 1000, [1000.0])


def test_a_code_is_that_of_the_cells_and_their_colour_wherever_else_the_board_changes():
    game = games.load("samegame", cells="1133/2244")
    before = game.position()
    after = before.play("c2")  # the 3s, above the 4s
    assert before.action_code(before.action("a1")) == after.action_code(after.action("b1"))
    assert len({before.action_code(a) for a in before.actions()}) == 4
    assert before.action_code(before.action("a2")) != games.load("samegame", cells="33/22").position(
        "33/22"
    ).action_code(1)


def test_the_standard_boards_have_fifteen_rows_of_fifteen_cells():
    assert len(BOARDS) == 20
    assert {(len(b.split()), *map(len, b.split())) for b in BOARDS} == {(15,) * 16}
    assert {cell for board in BOARDS for cell in "".join(board.split())} == set("12345")
    assert games.load("samegame", board=1).position().text.startswith("422521515522134/443155242311515/")


def test_tabu_saves_the_most_frequent_colour():
    game = games.load("samegame", cells="1122/1133", tabu=1)
    assert [game.position().action_text(a) for a in game.position().actions()] == ["c1", "c2"]
    assert "tabu=1 saves this colour" in refusal(po.ActionError, game.position().action, "a1")
    last = game.position().play("c1").play("c1")
    assert [last.action_text(a) for a in last.actions()] == ["a1"]


@pytest.mark.parametrize(
    ("settings", "reason"),
    [
        ({"cells": "12/1"}, "row 2 has 1 cells, expected 2 as in the first"),
        ({"cells": "1x/12"}, "row 1 has 'x', expected digits"),
        ({"cells": "12/.1"}, "column 1 has an empty cell below a colour"),
        ({"cells": "1" * 16}, "row 1 has 16 cells, expected 1 to 15"),
        ({"board": 21}, "setting 'board' is 21, expected 0 to 20"),
        ({"board": 2, "columns": 10}, "setting 'columns' is 10, and board 2 has 15"),
        ({"cells": "11", "board": 2}, "setting 'board' is 2, expected 1 to 1: the boards given"),
    ],
)
def test_boards_that_cannot_be_are_refused(settings, reason):
    assert reason in refusal(po.SettingsError, games.load, "samegame", **settings)


# Job shop


@cache
def shop():
    return games.load("jobshop", file=str(PROBLEMS / "ft06"))


def test_schedules_keep_every_job_in_order_and_every_machine_to_one_job():
    game = shop()
    for seed in range(5):
        end = list(random_game(game, seed))[-1]
        state, free, busy, done, last = end.state, [0] * 6, [0] * 6, [0] * 6, 0
        for job in map(int, end.text.replace("-", " ").split()):
            step = 6 * (job - 1) + done[job - 1]
            machine, duration = int(state.places[step]), int(state.durations[step])
            finish = max(free[job - 1], busy[machine]) + duration
            free[job - 1] = busy[machine] = finish
            done[job - 1] += 1
            last = max(last, finish)
        assert (done, last) == ([6] * 6, state.makespan)
        assert last >= 55


@pytest.mark.compiled_only
def test_the_optimum_of_two_jobs_is_among_the_active_schedules():
    game = games.load("jobshop", jobs=3, machines=3, seed=4)
    state = game.position().state

    def makespan(order):
        free, busy, done = [0] * 3, [0] * 3, [0] * 3
        for job in order:
            step = 3 * job + done[job]
            done[job] += 1
            free[job] = busy[state.places[step]] = max(free[job], busy[state.places[step]]) + state.durations[step]
        return max(free)

    best = min(makespan(order) for order in set(itertools.permutations([0, 0, 0, 1, 1, 1, 2, 2, 2])))
    assert po.Search(game, seed=1).run(20_000).proven == -best


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("2 2; 0 1 1 2; 1 3", "job 2 has 2 numbers, expected 4"),
        ("2 2; 0 1 1 2; 1 3 2 1", "job 2 has machine 2, expected 0 to 1"),
        ("2 2; 0 1 1 2; 1 3 1 1", "job 2 has machine 1 twice"),
        ("3 2; 0 1 1 2; 1 3 0 1", "has 2 jobs, and its first row says 3"),
        ("0 1 1 -2", "row 1 has '-2', expected whole numbers"),
        ("# nothing", "has 0 jobs, expected 1 to 30"),
    ],
)
def test_shops_that_cannot_be_read_are_refused(text, reason):
    assert reason in refusal(po.SettingsError, games.load, "jobshop", instance=text)
