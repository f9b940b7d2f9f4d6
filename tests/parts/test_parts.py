"""Parts that users write: what is refused, in one line, and what a part keeps, wherever the tree goes."""

import json
import math
import re
import zipfile

import numpy as np
import pytest

import playout as po
from playout.core.copying import copied
from playout.core.jit import COMPILED
from playout.core.tree import EDGES
from playout.parts.part import KNOWN
from playout.report.steps import step_text
from playout.search.files import OF_PARTS
from tests.games.toy_games import Auction, Nim

from .own_policies import Habit, Latest, Remembers

SIMULATIONS = 600 if COMPILED else 120
TOTAL = np.dtype([("total", np.float64)])
FOUR = np.dtype([("four", np.float64, (4,))])


def policy(**body):
    """A policy's class with these functions, settings and facts."""
    return part_class(po.Policy, {"score": value_of, **body})


def backup(**body):
    return part_class(po.Backup, body)


def part_class(base, body):
    made = {name: staticmethod(each) if callable(each) else each for name, each in body.items()}
    return type("Mine", (base,), {"__module__": __name__, **made})


def value_of(policy, node, edge, shared, rng):
    return edge.value


def keeps(backup, edge, got):
    pass


def refused(text, make, *more):
    """Something is refused in one line, which has this text, and more of them."""
    with pytest.raises(po.SettingsError) as caught:
        make()
    assert "\n" not in str(caught.value)
    for each in (text, *more):
        assert each in str(caught.value)


def search_with(part, game=None, **more):
    return po.Search(game or Nim(), po.Settings(**{part._role: part}, **more), seed=1)


def run_is_refused(text, part, *more):
    """A run ends with one line, and what was found before is still there and can be saved."""
    search = search_with(part)
    refused(text, lambda: search.run(SIMULATIONS), *more)
    assert search.result().visits > 0
    assert [edge.action for edge in search.root.children]


# Refused when the class is defined.


def test_a_part_without_its_function_is_refused():
    refused("Mine has no `update(backup, edge, got)`; a backup needs one, as a @staticmethod", backup)
    refused("po.Policy is the base class of every policy; write a subclass with `score(", po.Policy)
    refused("po.Backup is the base class of every backup; write a subclass with `update(", po.Backup)


@pytest.mark.parametrize("name", ["score", "prepare", "update", "terms"])
def test_a_function_with_other_parameters_is_refused_with_the_signature_expected(name):
    refused(
        f"Mine.{name} takes (policy, edge), expected `{po.Policy._signatures[name]}`",
        lambda: policy(**{name: lambda policy, edge: 0.0}),
    )


def test_a_function_that_is_no_plain_static_method_is_refused():
    refused(
        "Mine.update is not a @staticmethod; expected `update(policy, edge, got)` as one",
        lambda: type("Mine", (po.Policy,), {"score": staticmethod(value_of), "update": lambda policy, edge, got: None}),
    )
    refused(
        "Mine.score is 3, expected a plain function", lambda: type("Mine", (po.Policy,), {"score": staticmethod(3)})
    )


@pytest.mark.parametrize("name", ["visits", "value", "prior", "children"])
def test_a_column_with_a_name_that_is_taken_is_refused(name):
    refused(f"Mine.columns has '{name}', which is a field", lambda: policy(columns=np.dtype([(name, np.float64)])))


def test_columns_of_another_kind_are_refused():
    refused(
        "Mine.columns: 'n' is int32, expected float64 or int64", lambda: policy(columns=np.dtype([("n", np.int32)]))
    )
    refused("Mine.columns has a field that is an array", lambda: policy(columns=FOUR))
    refused("expected a dtype with named fields, as in np.dtype([('total'", lambda: policy(columns=[("total", float)]))
    refused("Mine.columns is float64, expected a dtype with named fields", lambda: policy(columns=np.dtype(np.float64)))


def test_two_parts_with_a_column_of_the_same_name_are_refused():
    parts = {"policy": policy(columns=TOTAL)(), "backup": backup(update=keeps, columns=TOTAL)()}
    refused("settings: Mine and Mine both have a column 'total'", lambda: po.Settings(**parts))


def test_a_setting_that_every_part_has_already_is_refused():
    body = {"scores_unvisited": True, "__annotations__": {"scores_unvisited": bool}}
    refused("write `scores_unvisited = …` without a type to set it", lambda: policy(**body))


@pytest.mark.parametrize(
    ("kind", "default", "expected"),
    [(float, "x", "a number"), (int, 1.5, "a whole number"), (bool, 3, "True or False"), (float, [1], "a number")],
)
def test_a_default_of_the_wrong_type_is_refused(kind, default, expected):
    body = {"c": default, "__annotations__": {"c": kind}}
    refused(f"Mine.c: the default is {default!r}, expected {expected}", lambda: policy(**body))


@pytest.mark.parametrize("name", ["scores_unvisited", "by_prior", "needs_range"])
def test_a_fact_that_is_neither_true_nor_false_is_refused(name):
    refused(f"Mine.{name} is 'yes', expected True or False", lambda: policy(**{name: "yes"}))


def test_what_an_unvisited_edge_counts_for_is_checked():
    refused("Mine.unvisited is 'zero', expected 'infinity', a number", lambda: policy(unvisited="zero"))
    refused("Mine.unvisited is nan, expected a finite number", lambda: policy(unvisited=math.nan))


def test_names_of_terms_that_nobody_computes_are_refused():
    refused("Mine.term_names has 3 names, but there is no `terms(", lambda: policy(term_names=("a", "b", "c")))


# Refused with the settings.


@pytest.mark.parametrize("value", ["x", None, 1.5, True, 2**70])
def test_a_whole_number_that_is_none_is_refused(value):
    counts = policy(n=1, __annotations__={"n": int})
    refused("settings: policy.n is", lambda: po.Settings(policy=counts(value)))


def test_settings_may_have_their_types_as_texts():
    written = policy(n=1, c=0.5, __annotations__={"n": "int", "c": "float"})
    assert written(1e3).n == 1000
    refused("settings: policy.n is 1.5, expected a whole number", lambda: po.Settings(policy=written(1.5)))


def test_a_new_default_in_a_subclass_is_the_default():
    louder = type("Louder", (po.UCT,), {"__module__": __name__, "c": 2.0})
    assert louder().c == 2.0
    refused("policy.c is -1, expected a number of at least 0", lambda: po.Settings(policy=louder(-1)))


def test_a_class_in_place_of_a_part_is_refused_with_what_to_write():
    refused("or a po.Policy of your own; did you mean Mine()?", lambda: po.Settings(policy=policy()))


def test_a_backup_that_graphs_cannot_carry_is_refused():
    own = backup(update=keeps)()
    refused("Mine can't be used with transpositions", lambda: po.Settings(backup=own, transpositions=True))
    refused(
        "Latest can't be used with transpositions in Auction, whose nodes have a value for each player",
        lambda: po.Search(Auction(), po.Settings(backup=Latest(), transpositions=True)),
    )


@pytest.mark.guarded
def test_another_update_does_not_inherit_what_the_mean_promises():
    own = type("Mine", (po.Mean,), {"__module__": __name__, "update": staticmethod(takes_the_last)})
    assert not own.graph
    means, lasts = (search_with(each, solver=False) for each in (po.Mean(), own()))
    for search in (means, lasts):
        search.run(SIMULATIONS)
    assert {edge.value for edge in lasts.root.children} <= {-1.0, 1.0}
    assert not {edge.value for edge in means.root.children} <= {-1.0, 1.0}


def takes_the_last(backup, edge, got):
    edge.value = got


def test_tables_are_checked_when_the_game_is_known():
    taken = policy(c=1.0, __annotations__={"c": float}, tables=np.dtype([("c", np.float64)]))
    refused("Mine.tables has 'c', which is a setting; choose", lambda: search_with(taken()))
    refused("Mine.tables is 3, expected a dtype", lambda: search_with(policy(tables=lambda game: 3)()))
    refused("Mine.tables raised ZeroDivisionError", lambda: search_with(policy(tables=lambda game: 1 // 0)()))


# Refused when the search runs, or, compiled, before it does.


def gives_text(policy, node, edge, shared, rng):
    return "x"


def gives_nothing(policy, node, edge, shared, rng):
    edge.value + 1.0


@pytest.mark.guarded
@pytest.mark.parametrize(("score", "what"), [(gives_text, ("'x'", "a string")), (gives_nothing, ("None", "nothing"))])
def test_a_score_that_is_no_number_at_all_is_refused(score, what):
    compiled = "Mine.score, at ", f"returns {what[1]}, expected a number"
    text, *more = compiled if COMPILED else (f"Mine.score returned {what[0]}, expected a number",)
    refused(text, lambda: search_with(policy(score=score)()).run(10), *more)


@pytest.mark.guarded
def test_a_preparation_that_is_no_number_is_refused():
    prepares = policy(prepare=lambda policy, node, rng: "x")()
    refused("Mine.prepare", lambda: search_with(prepares).run(10))


@pytest.mark.guarded
def test_terms_that_do_not_fit_their_names_are_refused_and_the_tree_stays():
    search = search_with(policy(terms=lambda policy, node, edge, shared: (edge.value,))())
    search.run(20)
    refused("expected a tuple of 2 numbers, one for each of term_names ('value', 'exploration')", search.step)
    assert search.result().visits == 20


@pytest.mark.guarded
@pytest.mark.parametrize(
    ("names", "terms", "words"),
    [
        (("a",), lambda policy, node, edge, shared: edge.value, "expected a tuple of 1 number, one for each of"),
        (("a", "b"), lambda policy, node, edge, shared: (edge.value, "x"), "expected a tuple of 2 numbers"),
    ],
)
def test_wrong_terms_are_named(names, terms, words):
    search = search_with(policy(terms=terms, term_names=names)())
    search.run(20)
    refused(words, search.step)


@pytest.mark.guarded
def test_a_term_that_is_a_string_is_named():
    search = search_with(policy(terms=lambda policy, node, edge, shared: (edge.value, "x"))())
    search.run(20)
    refused("a string as 'exploration', expected" if COMPILED else "'exploration' is 'x', expected", search.step)


@pytest.mark.guarded
def test_a_term_that_is_not_a_number_is_refused_and_the_tree_stays():
    search = search_with(policy(terms=lambda policy, node, edge, shared: (edge.value, math.nan))())
    search.run(20)
    fix = "; return a number for every term (po.check_part finds such cases)"
    refused("Mine.terms gave nan as 'exploration' for action ", search.step, fix)
    assert search.result().visits == 20


def nan_later(policy, node, edge, shared, rng):
    return math.nan if edge.visits > 3 else edge.value


@pytest.mark.guarded
def test_a_score_that_is_not_a_number_is_told_with_its_action_and_position():
    search = search_with(policy(score=nan_later)())
    with pytest.raises(
        po.SettingsError, match=r"Mine.score gave nan.* for action \d in stones=\d+ turn=\d \(visits 4, "
    ):
        search.run(SIMULATIONS)
    assert search.result().visits > 0


def raises_later(policy, node, edge, shared, rng):
    if edge.visits > 2:
        raise ValueError("oh")
    return edge.value


@pytest.mark.guarded
def test_what_a_score_raises_is_told_with_part_and_line():
    run_is_refused("Mine.score raised ValueError: oh, at " + __file__, policy(score=raises_later)())


def past_the_end(policy, node, edge, shared, rng):
    return edge.value + policy.four[edge.visits]


@pytest.mark.guarded
def test_an_index_past_the_end_of_a_table_is_refused():
    run_is_refused("Mine.score raised IndexError: ", policy(score=past_the_end, tables=FOUR)())


def writes_value(policy, node, edge, shared, rng):
    edge.value = 1.0
    return 0.0


def misspells(policy, node, edge, shared, rng):
    return edge.valu


def misspells_setting(policy, node, edge, shared, rng):
    return policy.k


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("score", "reason"),
    [
        (misspells, "`edge` has no `valu` (it has: visits, pending, value,"),
        (misspells_setting, "`policy` has no `k` (it has: c)"),
        (writes_value, "it writes `edge.value`, but `score` must not write"),
    ],
)
def test_what_numba_cannot_compile_is_named_with_function_line_and_reason(score, reason):
    mine = policy(score=score, c=1.0, __annotations__={"c": float})()
    refused(f"Mine.score can't be compiled, at {__file__}:", lambda: search_with(mine), reason)


def writes_into_a_number(policy, node, edge, shared, rng):
    x = edge.value
    x[0] = 1.0
    return x


def reads_a_number(policy, node, edge, shared, rng):
    return edge.value[0]


def adds_a_string(policy, node, edge, shared, rng):
    return edge.value + "a"


def stores_a_list(policy, node, edge, shared, rng):
    known = {}
    known["x"] = [edge.value, "a"]
    return known["x"][0]


def writes_into_a_tuple(policy, node, edge, shared, rng):
    pair = (1.0, 2.0)
    pair[0] = 5.0
    return pair[0]


def loops_over_a_number(policy, node, edge, shared, rng):
    total = 0.0
    for x in edge.value:
        total += x
    return total


def calls_a_number(policy, node, edge, shared, rng):
    return edge.value()


def two_kinds(policy, node, edge, shared, rng):
    x = 1.0
    if edge.visits > 3:
        x = "a"
    return x


@pytest.mark.compiled_only
@pytest.mark.parametrize(
    ("score", "reason"),
    [
        (writes_into_a_number, "it writes into a number as if it were an array (Numba: "),
        (reads_a_number, "it reads a number with an index, as if it were an array (Numba: "),
        (adds_a_string, "it applies `+` to a number and a string (Numba: no implementation of add(float64, "),
        (stores_a_list, "it stores a list in a dictionary, which compiled code can't do (Numba: "),  # and no warning
        (writes_into_a_tuple, "it writes into a tuple, which can't be changed (Numba: "),
        (loops_over_a_number, "it loops over a number (Numba: "),
        (calls_a_number, "it calls a number as if it were a function (Numba: "),
        (two_kinds, "`x` is a number on one path and a string on another (Numba: "),
    ],
)
def test_what_numba_cannot_compile_is_said_in_plain_words(score, reason):
    refused(reason, lambda: search_with(policy(score=score)()))


@pytest.mark.compiled_only
def test_a_backup_that_numba_cannot_compile_is_not_taken_for_the_policy():
    def update(backup, edge, got):
        edge.total = got

    where = "Mine.update can't be compiled, at " + __file__
    refused(where, lambda: search_with(backup(update=update)()), "`edge` has no `total`")


def leaves_the_range(backup, edge, got):
    edge.value = 5.0


def not_a_number(backup, edge, got):
    edge.value = math.nan


@pytest.mark.parametrize(("update", "value"), [(leaves_the_range, "5"), (not_a_number, "nan")])
def test_a_backup_that_leaves_the_range_is_refused_where_proofs_are_on(update, value):
    expected = " of Nim; expected a number within value_range -1 to 1, since proofs"
    run_is_refused(f"Mine.update gave {value} for action ", backup(update=update)(), " in stones=", expected)


@pytest.mark.parametrize("settings", [{}, {"open_loop": True}, {"discount": 0.9}])
def test_a_backup_that_overflows_names_the_value_where_the_game_has_no_range(settings):
    search = po.Search("game2048", po.Settings(backup=po.PowerMean(1000.0), **settings), seed=1)
    with pytest.raises(po.SettingsError) as refusal:
        search.run(300)
    assert re.search(
        r"^PowerMean.update gave inf for action (up|down|left|right) in .+ of game2048; expected a finite number \(",
        str(refusal.value),
    ), str(refusal.value)


def test_without_proofs_a_backup_may_leave_the_range():
    assert search_with(backup(update=leaves_the_range)(), solver=False).run(SIMULATIONS).value == 5.0


# What a part keeps.


class Sums(po.Backup):
    """The mean, by way of a column."""

    columns = np.dtype([("total", np.float64)])

    @staticmethod
    def update(backup, edge, got):
        edge.total += got
        edge.value = edge.total / edge.visits


PARTS = [Remembers(), Habit(), Sums()]
by_name = {"argvalues": PARTS, "ids": lambda part: type(part).__name__}


def whole(search):
    """All that the tree of a search holds, the records and columns of its parts included."""
    return [array.tobytes() for array in copied(search.tree)]


def started(part, **more):
    return search_with(part, solver=False, **more)


@pytest.mark.parametrize("part", **by_name)
def test_going_on_from_a_file_is_the_uninterrupted_search(part, tmp_path):
    search, uninterrupted = started(part), started(part)
    search.run(40)
    search.save(tmp_path / "x.search")
    again = po.Search.load(tmp_path / "x.search", game=Nim())
    again.run(40)
    uninterrupted.run(80)
    assert whole(again) == whole(uninterrupted)


@pytest.mark.parametrize("part", **by_name)
def test_a_search_that_was_played_on_keeps_what_its_part_knows(part):
    search = started(part)
    search.run(SIMULATIONS)
    root = search.root
    action = root.best.action
    before = columns_below(search, root.find(action))
    tables = search.tree.policy.tobytes(), search.tree.backup.tobytes()
    search.play(action)
    assert columns_below(search, search.root) == before
    assert (search.tree.policy.tobytes(), search.tree.backup.tobytes()) == tables


def columns_below(search, node):
    """Of each edge below a node: the actions to it, its visits, and its columns."""
    depth = len(node.path)
    return {
        each.path[depth:]: (each.visits, [of_edges[each._edge].item() for _, of_edges in search.columns])
        for each in node.walk(depth=3)
        if each.path != node.path
    }


@pytest.mark.parametrize("part", [Remembers(), Sums()], ids=lambda part: type(part).__name__)
@pytest.mark.parametrize("kind", [{}, {"open_loop": True}, {"expansion": po.Widening()}], ids=str)
def test_columns_follow_their_edges_when_the_tree_grows(part, kind):
    search = started(part, **kind)
    for _ in range(6):
        search.run(SIMULATIONS // 6)
        search.runner.tree = copied(search.tree)  # no room is left
    edges = search.tree.edges[: search.tree.counters[EDGES]]
    kept = {name: of_edges[: len(edges)] for name, of_edges in search.columns}
    if "times" in kept:
        assert kept["times"].tolist() == edges["visits"].tolist()
    else:
        assert kept["total"] == pytest.approx(edges["value"] * edges["visits"])


def test_a_graph_keeps_the_columns_of_a_policy():
    search = started(Remembers(), transpositions=True)
    search.run(SIMULATIONS)
    edges = search.tree.edges[: search.tree.counters[EDGES]]
    assert search.columns[1].of_edges[: len(edges)].tolist() == edges["visits"].tolist()


def test_columns_count_among_the_bytes_of_a_tree():
    plain, noted = started(po.PUCT()), started(Remembers(share=0.0))  # the same tree
    results = [search.run(SIMULATIONS) for search in (plain, noted)]
    edges = int(plain.tree.counters[EDGES])
    assert edges == noted.tree.counters[EDGES]
    records = len(noted.tree.policy) - len(plain.tree.policy)
    assert results[1].bytes - results[0].bytes == 2 * 8 * edges + records


@pytest.mark.parametrize("part", **by_name)
def test_what_a_part_keeps_is_rewound(part):
    search, short = started(part), started(part)
    search.run(60)
    short.run(25)
    search.rewind(25)
    assert whole(search) == whole(short)


HAND = {
    "children": {
        "1": {"visits": 4, "value": 0.5, "greatest": 1.0, "times": 4},
        "2": {"visits": 3, "value": 0.0, "greatest": 0.25, "times": 3},
        "3": {"visits": 2, "value": -0.5},
    }
}


def test_columns_are_written_by_hand_and_shown_in_a_step():
    search = po.Search.from_tree(Nim(), HAND, po.Settings(policy=Remembers(c=1.0, share=0.5), solver=False))
    step = search.step()
    first = {edge.text: edge for edge in step.selection[0].edges}
    assert {text: edge.terms["memory"] for text, edge in first.items()} == {"1": 0.5, "2": 0.125, "3": 0.0}
    for edge in first.values():
        assert set(edge.terms) == {"value", "memory", "exploration"}
        assert sum(edge.terms.values()) == pytest.approx(edge.score)
    # Exploration of "1": c = 1, 9 visits together, 3 actions of the same prior: sqrt(9) / 3 / (1 + 4) = 0.2
    for language, words in (
        ("en", "value 0.5 + memory 0.5 + exploration 0.2 = 1.2"),
        ("zh", "价值 0.5 + memory 0.5 + 探索 0.2 = 1.2"),
    ):
        assert [words in line for line in step_text(step, language).splitlines()].count(True) == 1
    chosen = step.selection[0].text
    changes = {c.field: (c.before, c.after) for c in step.backup if (c.what, c.path) == ("edge", (chosen,))}
    times = HAND["children"][chosen].get("times", 0)
    assert changes["times"] == (times, times + 1)


def test_a_step_shows_the_columns_that_a_backup_changed():
    search = started(Sums())
    search.run(20)
    step = search.step()
    changed = [change for change in step.backup if change.field == "total"]
    assert [change.path for change in changed][-1] == (step.selection[0].text,)
    assert all(abs(change.after - change.before) == 1.0 for change in changed)  # every game of Nim is won or lost


@pytest.mark.parametrize(
    ("child", "text"),
    [
        ({"visits": 2, "times": 1.5}, "tree, at 1: times is 1.5, expected a whole number"),
        ({"visits": 0, "times": 2}, "tree, at 1: times is 2 without a visit, expected 0"),
        ({"visits": 1, "total": 2}, "tree, at 1: unknown 'total', expected children, greatest,"),
        ({"visits": 1, "greatest": math.nan}, "tree, at 1: greatest is nan, expected a finite number"),
        ({"visits": 1, "greatest": 10**400}, "greatest is a whole number of 1,329 bits, expected a finite number"),
        ({"visits": 1, "times": 10**30}, f"times is {10**30}, expected a whole number of 64 bits"),
        ({"visits": 1, "times": 2**63}, f"times is {2**63}, expected a whole number of 64 bits"),
    ],
)
def test_columns_by_hand_that_no_search_could_have_are_refused(child, text):
    settings = po.Settings(policy=Remembers())
    refused(text, lambda: po.Search.from_tree(Nim(), {"children": {"1": child}}, settings))
    root = {"times": 1, "children": {"1": {"visits": 1}}}
    refused("tree, at the root: times is a column", lambda: po.Search.from_tree(Nim(), root, settings))


# Files.


def rewritten(path, change, leave_out=()):
    """A search file with another header, and without some of its arrays."""
    with zipfile.ZipFile(path) as old:
        header = json.loads(old.read("header.json"))
        entries = {name: old.read(name) for name in old.namelist() if name.partition("/")[2][:-4] not in leave_out}
    change(header)
    with zipfile.ZipFile(path, "w") as new:
        for name, data in {**entries, "header.json": json.dumps(header)}.items():
            new.writestr(name, data)


def test_a_file_of_version_2_goes_on_as_before(tmp_path):
    def make_old(header):
        header["version"] = 2
        del header["settings"]["backup"]

    search, uninterrupted = (po.Search(Nim(), po.Settings(policy=po.PUCT(), solver=False), seed=1) for _ in range(2))
    search.run(40)
    search.save(tmp_path / "x.search")
    rewritten(tmp_path / "x.search", make_old, OF_PARTS)
    again = po.Search.load(tmp_path / "x.search", game=Nim())
    assert again.settings == search.settings
    again.run(40)
    uninterrupted.run(80)
    assert whole(again) == whole(uninterrupted)


def defined_in_a_cell(source):
    """The class that a notebook's cell defines."""
    scope = {"__name__": "a_notebook", "po": po, "np": np}
    exec(compile(source, "<cell>", "exec"), scope)
    return scope["Cell"]


CELL = """
class Cell(po.Policy):
    weight: float = 1.0
    columns = np.dtype([("seen", np.int64)])

    @staticmethod
    def update(policy, edge, got):
        edge.seen += 1

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return SCORE
"""


@pytest.mark.guarded
def test_a_file_whose_part_is_not_at_hand_can_be_read_but_not_go_on(tmp_path):
    search = started(defined_in_a_cell(CELL.replace("SCORE", "edge.value"))(0.25))
    result = search.run(40)
    search.save(tmp_path / "x.search")
    del KNOWN["a_notebook:Cell"]
    read = po.Search.load(tmp_path / "x.search", game=Nim())
    assert read.result().visits == result.visits
    assert [child.visits for child in read.root.children] == [child.visits for child in search.root.children]
    assert read.settings.policy.weight == 0.25
    for go_on in (lambda: read.run(10), read.step, lambda: read.play(1), lambda: read.rewind(10)):
        refused("policy is Cell of the module a_notebook, which is not defined here; import that module", go_on)
    read.save(tmp_path / "again.search")
    search = defined_in_a_cell(CELL.replace("SCORE", "edge.value"))
    again = po.Search.load(tmp_path / "again.search", game=Nim())
    assert isinstance(again.settings.policy, search)
    again.run(10)


@pytest.mark.guarded
def test_a_cell_that_is_run_again_takes_the_place_of_the_one_before(tmp_path):
    first = defined_in_a_cell(CELL.replace("SCORE", "edge.value"))
    old = started(first())
    old.run(30)
    old.save(tmp_path / "x.search")
    second = defined_in_a_cell(CELL.replace("SCORE", "-edge.value"))
    new = started(second())
    new.run(30)
    assert whole(new) != whole(old)
    assert old.run(30).visits == 60  # the search that was under way goes on with the one it has
    assert type(old.settings.policy) is first
    assert type(po.Search.load(tmp_path / "x.search", game=Nim()).settings.policy) is second


@pytest.mark.guarded
def test_a_file_is_refused_where_its_part_keeps_something_else_now(tmp_path):
    search = started(defined_in_a_cell(CELL.replace("SCORE", "edge.value"))())
    search.run(30)
    search.save(tmp_path / "x.search")
    defined_in_a_cell(CELL.replace("SCORE", "edge.value").replace('("seen", np.int64)', '("seen", "i8"), ("b", "f8")'))
    with pytest.raises(po.FileError, match=r"was saved with another Cell; its columns or tables have changed"):
        po.Search.load(tmp_path / "x.search", game=Nim())
