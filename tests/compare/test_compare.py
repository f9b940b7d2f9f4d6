"""`playout compare`: variants as text, the same conditions for all, resuming, tables, the chart and the page."""

import json
import math
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from benchmarks.variants import COMMANDS, PAGE, command
from typer.main import get_command

import playout as po
from playout import games
from playout.arena import play_match
from playout.cli import app, main
from playout.cli.compare import SILENT
from playout.cli.options import called
from playout.compare import (
    Comparison,
    ComparisonResult,
    Spec,
    compare,
    default_variants,
    make_comparison,
    read_variants,
)
from playout.compare.comparison import MARGIN
from playout.compare.page import as_markdown, markers
from playout.compare.variants import CHOICES, built_in
from playout.report.intervals import Estimate, Series, intervals_svg
from playout.scores import evaluate
from playout.settings.options import OPTIONS, flat
from tests.games.toy_games import NimOfThree

FEW: dict[str, Any] = {"games": 4, "simulations": 20, "workers": 1}


def figures(found: ComparisonResult) -> list[dict[str, Any]]:
    """What must not depend on when and where the games were played."""
    return [
        {k: v for k, v in row.to_dict().items() if k != "simulations_per_second"}
        for section in found.sections
        for row in (section.reference, *section.rows)
    ]


# Variants as text.


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        (["uct,puct"], [("uct", "policy=uct"), ("puct", "policy=puct")]),
        (["puct,c=2,power_mean,p=3"], [("puct,c=2", "policy=puct,c=2"), ("power_mean,p=3", "backup=power_mean,p=3")]),
        (["mine:policy=puct,c=2,suika"], [("mine", "policy=puct,c=2"), ("suika", "suika")]),
        (["mine: suika, c=2"], [("mine", "suika,c=2")]),
        (["c=2"], [("c=2", "c=2")]),
        (["puct", "a:puct,c=2"], [("puct", "policy=puct"), ("a", "policy=puct,c=2")]),
        (["greedy,best"], [("greedy", "greedy"), ("best", "best")]),
    ],
)
def test_texts_name_variants(given: list[str], expected: list[tuple[str, str]]) -> None:
    found = read_variants(given, games.load("suika"), "default")
    assert [(variant.name, variant.text) for variant in found] == expected


def test_a_variant_changes_the_base_and_another_preset_does_not() -> None:
    suika = games.load("suika")
    changed, other, own = read_variants(["depth=10,textbook,best"], suika, "suika,transpositions=off,c=3")
    assert changed.spec.settings == po.preset("suika", transpositions="off", c=3, depth=10)
    assert other.spec.settings == po.preset("textbook")
    assert own.spec.settings == po.preset("suika")
    (again,) = read_variants(["c=1"], suika, "suika,transpositions=off,c=3")
    assert again.spec.settings == po.preset("suika", transpositions="off", c=1)


def test_a_file_has_a_variant_a_line(tmp_path: Path) -> None:
    file = tmp_path / "variants.txt"
    file.write_text("# of connect four\n\nuct\nmine: policy=puct, c=2\n")
    found = read_variants([f"@{file}", "connect4"], games.load("connect4"), "default")
    assert [variant.name for variant in found] == ["uct", "mine", "connect4"]
    assert found[1].spec.settings == po.preset("default", policy="puct", c=2)
    file.write_text("# none\n")
    with pytest.raises(po.FileError, match="the file has none"):
        read_variants([f"@{file}"], games.load("connect4"), "default")


def test_a_policy_of_a_file_is_a_variant(tmp_path: Path) -> None:
    file = tmp_path / "own.py"
    file.write_text(
        "import playout as po\n\nclass Mean(po.Policy):\n    bonus: float = 1.0\n\n    @staticmethod\n"
        "    def score(policy, node, edge, shared, rng):\n        return edge.value + policy.bonus\n"
    )
    (found,) = read_variants([f"mine:policy={file}:Mean,bonus=2"], games.load("tictactoe"), "default")
    assert (found.name, found.spec.settings.policy.bonus) == ("mine", 2.0)  # type: ignore[attr-defined]


@pytest.mark.parametrize("game", games.names())
def test_the_set_has_every_part_or_says_why_not(game: str) -> None:
    found, left_out = default_variants(games.load(game), "default")
    names = {variant.name for variant in found} | {name for name, _ in left_out}
    own = games.load(game).preset
    base, texts = flat(po.Settings()), {text: name for name, text in built_in().items()}
    for choice in CHOICES:
        for word in OPTIONS[choice].words:
            assert (texts[f"{choice}={word}"] in names) == (word != base[choice])
    assert not own or own in names
    assert all(reason for _, reason in left_out)
    assert not set(built_in()) & set(po.settings.PRESETS)


def test_left_out_is_what_the_game_lacks_or_what_means_nothing() -> None:
    _, left_out = default_variants(games.load("chess"), "chess-classic")
    reasons = dict(left_out)
    assert "no chance" in reasons["open-loop"]
    assert "evaluator is static" in reasons["guided-playouts"]
    assert "at least 0" in reasons["power-mean"]
    assert "open-loop" in [variant.name for variant in default_variants(games.load("game2048"), "default")[0]]


# The same conditions for all.


def test_a_row_is_the_match_that_the_arena_plays() -> None:
    found = compare("tictactoe", ["random", "puct"], **FEW, seed=5, plies=2)
    for row, player in zip(found.sections[0].rows, ("random", "puct=default,policy=puct"), strict=True):
        alone = play_match(
            "tictactoe",
            [player, "default"],
            games=4,
            simulations=20,
            seed=5,
            plies=2,
            concurrency=1,
            margin=MARGIN,
        )
        assert row.tally == alone.tally()
        assert [r.moves for r in row.result.records] == [r.moves for r in alone.records]
        openings = [r.moves[:2] for r in row.result.records]
        assert openings[0] == openings[1] != openings[2]
        assert [r.players for r in row.result.records] == [(0, 1), (1, 0)] * 2


def test_scores_are_those_of_evaluate_with_intervals_of_95_percent() -> None:
    found = compare("target_sum", ["random", "greedy"], **FEW, seed=3)
    other = evaluate("target_sum", ["default", "random", "greedy"], games=4, simulations=20, workers=1, seed=3)
    section = found.sections[0]
    for row, scores in zip((section.reference, *section.rows), other.scores, strict=True):
        assert [r.score for r in row.scores.records] == [r.score for r in scores.records]
    row = section.rows[0]
    leads = [a.score - b.score for a, b in zip(other.scores[1].records, other.scores[0].records, strict=True)]
    mean = sum(leads) / 4
    deviation = math.sqrt(sum((lead - mean) ** 2 for lead in leads) / 3)
    assert deviation > 0
    assert row.difference.value == pytest.approx(mean)
    assert row.difference.high - mean == pytest.approx(3.18245 * deviation / 2, rel=1e-4)  # Student's t of 3


def test_both_limits_give_a_section_each_and_count_simulations() -> None:
    found = compare(
        "tictactoe", ["no-proofs"], base="textbook", games=2, simulations=30, seconds=0.002, workers=1, plies=0
    )
    counted, timed = found.sections
    assert (counted.limits.simulations, counted.limits.seconds) == (30, None)
    assert (timed.limits.simulations, timed.limits.seconds) == (None, 0.002)
    assert [s.title for s in found.sections] == [
        "30 simulations a move, against textbook",
        "2 ms a move, against textbook",
    ]
    for record in counted.rows[0].result.records:  # the ninth move is no choice
        moves = range(min(len(record.moves), 8))
        assert record.simulations == tuple(30 * len([move for move in moves if move % 2 == seat]) for seat in (0, 1))
        assert all(seconds > 0 for seconds in record.searched)
    assert all(row.rate > 0 for s in found.sections for row in (*s.rows, s.reference))


def test_without_a_limit_it_is_a_thousand_simulations() -> None:
    with closing(make_comparison("tictactoe", ["random"])) as comparison:
        assert comparison.groups[0].limits.simulations == 1000


def test_several_references_give_a_section_each_and_one_player_plays_once() -> None:
    found = compare("target_sum", ["puct"], against=["random", "greedy"], **FEW)
    assert [s.reference.name for s in found.sections] == ["random", "greedy"]
    assert found.played == 3 * 4
    assert compare("tictactoe", ["puct"], against=["random", "default,n=5"], **FEW).played == 2 * 4


def test_a_spec_is_a_variant() -> None:
    mine = Spec("mine", "search", po.Settings(policy=po.PUCT(3)))
    assert compare("tictactoe", [mine], **FEW).sections[0].rows[0].name == "mine"


@pytest.mark.parametrize("workers", [1, 2])
def test_a_variant_that_can_not_play_a_position_is_left_out_and_the_others_stay(workers: int) -> None:
    found = compare("connect4", ["halving", "puct"], games=4, simulations=5, workers=workers)
    assert [row.name for row in found.sections[0].rows] == ["puct"]
    assert found.sections[0].rows[0].games == 4
    ((name, reason),) = found.left_out
    assert name == "halving"
    assert reason.startswith("Halving compares all 7 actions of ")
    assert (found.played, found.wanted) == (4, 4)
    ElementTree.fromstring(found.svg())


def test_one_limit_may_be_enough_for_a_variant_and_the_other_not() -> None:
    found = compare("target_sum", ["halving"], games=2, simulations=1, seconds=0.002, workers=1)
    assert [[row.name for row in section.rows] for section in found.sections] == [[], ["halving"]]
    assert [name for name, _ in found.left_out] == ["halving"]
    assert "halving" in found.svg()


@pytest.mark.parametrize("game", ["connect4", "target_sum"])
def test_a_reference_that_can_not_play_a_position_is_named(game: str) -> None:
    with pytest.raises(po.SettingsError, match=r"^reference 'halving': Halving compares all \d actions of .*$"):
        compare(game, ["puct"], against=["halving"], games=2, simulations=1, workers=1)


# What stays.


@pytest.mark.parametrize("game", ["tictactoe", "target_sum"])
def test_going_on_gives_the_same_as_one_go(tmp_path: Path, game: str) -> None:
    db = tmp_path / "a.sqlite"
    variants = ["random", "no-proofs"]

    def stop(comparison: Comparison) -> None:
        if comparison.played == 3:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        compare(game, variants, **FEW, db=db, progress=stop)
    resumed = compare(game, variants, **FEW, db=db)
    assert resumed.resumed == 3
    whole = compare(game, variants, **FEW)
    assert whole.resumed == 0
    assert figures(resumed) == figures(whole)
    assert (
        compare(game, variants, **FEW, db=db, progress=lambda _: pytest.fail("nothing is left")).resumed == whole.wanted
    )


def test_other_variants_find_the_games_of_those_that_were_there(tmp_path: Path) -> None:
    db = tmp_path / "a.sqlite"
    compare("tictactoe", ["random"], **FEW, db=db)
    both = compare("tictactoe", ["mine:default,c=2", "random"], **FEW, db=db)
    assert (both.resumed, both.played) == (4, 8)
    assert compare("tictactoe", ["random"], **{**FEW, "simulations": 21}, db=db).resumed == 0
    assert compare("tictactoe", ["random"], **FEW, db=db, seed=1).resumed == 0


POLICY = """
import numba
import playout as po

WEIGHT = 1.0


@numba.njit
def bonus(edge):
    return WEIGHT / (1 + edge.visits)


class Mine(po.Policy):
    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + bonus(edge)
"""


def test_a_policy_that_was_edited_plays_its_own_games(tmp_path: Path) -> None:
    file, db = tmp_path / "policy_of_mine.py", tmp_path / "a.sqlite"

    def resumed(source: str) -> int:
        file.write_text(source)
        return compare("tictactoe", [f"mine:policy={file}:Mine"], **FEW, db=db).resumed

    assert resumed(POLICY) == 0
    assert resumed("# a remark\n" + POLICY) == 4
    assert resumed(POLICY.replace("edge.value +", "2 * edge.value +")) == 0
    assert resumed(POLICY.replace("WEIGHT = 1.0", "WEIGHT = 2.0")) == 0
    assert resumed(POLICY) == 4


SUM = """
import numpy as np
import playout as po


class Sum(po.Game):
    name, players, max_actions, value_range = "sum", 1, 2, (0.0, 3.0)
    state = np.dtype([("turn", np.int64)])

    def initial_state(state):
        state.turn = 0

    def current_player(state):
        return po.TERMINAL if state.turn == 3 else 0

    def legal_actions(state, actions):
        actions[0], actions[1] = 0, 1
        return 2

    def apply(state, action, rewards):
        rewards[0] = action
        state.turn += 1
"""
OBJECT = """
import playout as po


class Sum:
    def __init__(self, turn=0, total=0):
        self.turn, self.total = turn, total

    def current_player(self):
        return None if self.turn == 3 else 0

    def legal_actions(self):
        return [0, 1]

    def play(self, action):
        return Sum(self.turn + 1, self.total + action)

    def returns(self):
        return [self.total]


def make():
    return po.wrap(Sum(), players=1)
"""


@pytest.mark.parametrize(
    ("source", "name", "before", "after"),
    [(SUM, "Sum", "= action", "= 1 - action"), (OBJECT, "make", "+ action)", "+ 1 - action)")],
)
def test_a_game_that_was_edited_plays_its_own_games(
    tmp_path: Path, source: str, name: str, before: str, after: str
) -> None:
    file, db = tmp_path / "sum_of_mine.py", tmp_path / "a.sqlite"

    def resumed(text: str) -> int:
        file.write_text(text)
        return compare(f"{file}:{name}", ["random"], **FEW, db=db).resumed

    assert resumed(source) == 0
    assert resumed(source + "# a remark\n") == 8  # with those of the reference
    assert resumed(source.replace(before, after)) == 0
    assert resumed(source) == 8


def test_a_damaged_score_is_one_clear_line(tmp_path: Path) -> None:
    db = tmp_path / "a.sqlite"
    compare("target_sum", ["random"], **FEW, db=db)
    with closing(sqlite3.connect(db)) as base, base:
        base.execute("UPDATE games SET record = replace(record, '\"score\": ', '\"score\": 1000') WHERE number = 2")
    with pytest.raises(po.FileError, match=r"game 2 of match \d is damaged: returns is \[1000.*choose another file$"):
        compare("target_sum", ["random"], **FEW, db=db)


def test_a_network_that_was_trained_further_is_another_player(tmp_path: Path) -> None:
    file = tmp_path / "net.onnx"
    described = []
    for content in (b"one", b"two", b"one"):
        file.write_bytes(content)
        described.append(Spec("net", "search", po.Settings(evaluator=po.Network(str(file)))).to_dict())
    assert described[0] == described[2] != described[1]


def test_processes_play_what_one_process_plays() -> None:
    alone, both = (compare("tictactoe", ["random", "no-proofs"], **{**FEW, "workers": n}) for n in (1, 2))
    assert figures(alone) == figures(both)


# Mistakes.


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("tictactoe", {"variants": ["grave2"]}, "variant 'grave2': there is no variant or preset of that name"),
        ("tictactoe", {"variants": ["putc"]}, "did you mean 'puct'"),
        ("tictactoe", {"variants": ["puct,c=x"]}, "variant 'puct,c=x': c is 'x', expected a number"),
        ("tictactoe", {"variants": ["power-mean"]}, "variant 'power-mean': .*at least 0"),
        ("tictactoe", {"variants": ["puct,n=5"]}, "a limit of its own"),
        ("tictactoe", {"variants": ["puct", "puct"]}, "variant 'puct' is given twice"),
        ("tictactoe", {"variants": ["puct,,uct"]}, "has an empty part"),
        ("tictactoe", {"variants": ["mine:"]}, "a name and nothing after it"),
        ("tictactoe", {"variants": ["@missing.txt"]}, "can't read it"),
        ("tictactoe", {"variants": []}, "no variants to compare"),
        ("tictactoe", {"variants": [3]}, "variant is 3, expected a text"),
        ("tictactoe", {"against": ["nobody"]}, "reference 'nobody': there is no variant or preset"),
        ("tictactoe", {"base": "nothing"}, "base 'nothing': no preset 'nothing'"),
        ("tictactoe", {"base": "chess-classic"}, "base 'chess-classic': tictactoe has no static value"),
        ("tictactoe", {"games": 3}, "a multiple of 2"),
        ("tictactoe", {"games": 0}, "games is 0"),
        ("tictactoe", {"workers": 0}, "workers is 0"),
        ("tictactoe", {"simulations": 0}, "limit simulations is 0"),
        ("tictactoe", {"seconds": -1.0}, "limit seconds is -1"),
        ("target_sum", {"plies": 2}, "one player, whose games begin at the start"),
        (NimOfThree(), {}, "has 3 players"),
    ],
)
def test_mistakes_are_named(game: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(po.PlayoutError, match=message):
        make_comparison(game, **{"variants": ["random"], **options})


# The command.


def run(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert main(["compare", *arguments, "--games", "4", "--workers", "1", "--db", "none"]) == 0
    return capsys.readouterr().out


def test_the_command_prints_tables_and_writes_chart_and_page(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page, chart = tmp_path / "docs" / "page.md", tmp_path / "docs" / "charts" / "tictactoe.svg"
    chart.parent.mkdir(parents=True)
    first, last = markers("tictactoe")
    page.write_text(f"# Variants\n\n{first}\nold\n{last}\n\nmore text\n")
    files = ["--markdown", str(page), "--svg", str(chart)]
    out = run(capsys, "tictactoe", "--variants", "random,puct", "-n", "20", "-t", "0.001", "--seed", "2", *files)
    assert "20 simulations a move, against default" in out
    assert "1 ms a move, against default" in out
    written = page.read_text()
    assert written.startswith(f"# Variants\n\n{first}\n```\nplayout compare tictactoe --variants random,puct -n 20")
    assert "-t 0.001 --games 4 --seed 2\n```" in written
    assert "](charts/tictactoe.svg)" in written
    assert "| puct | `policy=puct` |" in written
    assert "old" not in written
    assert written.endswith(f"{last}\n\nmore text\n")
    ElementTree.parse(chart)
    run(capsys, "tictactoe", "--variants", "random", "-n", "20", "--markdown", str(page))
    again = page.read_text()
    assert again.endswith(f"{last}\n\nmore text\n")
    assert "charts/" not in again


def test_a_page_without_its_place_is_refused_before_the_games(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.md"
    page.write_text("precious")
    assert main(["compare", "tictactoe", "--variants", "random", "--db", "none", "--markdown", str(page)]) == 2
    err = capsys.readouterr().err
    assert "without the lines '<!-- playout compare tictactoe -->'" in err
    assert err.count("\n") == 1
    assert page.read_text() == "precious"


def test_json_is_one_object_with_what_is_left_out(capsys: pytest.CaptureFixture[str]) -> None:
    found = json.loads(run(capsys, "tictactoe", "--variants", "random", "-n", "20", "--json"))
    (row,) = found["sections"][0]["variants"]
    assert row["wins"] + row["draws"] + row["losses"] == row["games"] == 4
    assert row["simulations_per_second"] is None
    assert found["sections"][0]["against"]["simulations_per_second"] > 0
    assert found["left_out"] == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["tictactoe", "--variants", "nothing"], "there is no variant or preset of that name"),
        (["tictactoe", "--variants", "random", "--option", "c"], "expected NAME=VALUE"),
        (["tictactoe", "--variants", "random", "--preset", "chess-classic"], "base 'chess-classic'"),
        (["tictactoe", "--variants", "random", "--games", "x"], "'x' is not a whole number"),
        (["tictactoe", "--variants", "random", "--svg", "/nowhere/x.svg"], "can't write there"),
        (["nogame"], "no game 'nogame'"),
    ],
)
def test_mistakes_are_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["compare", *arguments, "--db", "none"]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1


def test_ctrl_c_shows_what_is_done(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    add, page = Comparison.run, tmp_path / "page.md"

    def interrupted(self: Comparison, progress: Any = None) -> ComparisonResult:
        def stop(comparison: Comparison) -> None:
            if comparison.played == 3:
                raise KeyboardInterrupt

        return add(self, stop)

    monkeypatch.setattr(Comparison, "run", interrupted)
    command = ["compare", "target_sum", "--variants", "random,greedy", "-n", "20", "--games", "4", "--workers", "1"]
    assert main([*command, "--db", str(tmp_path / "a.sqlite"), "--markdown", str(page)]) == 130
    assert "3 of 12 games" in capsys.readouterr().out
    assert "3 of 12 games" in page.read_text()
    monkeypatch.undo()
    assert main([*command, "--db", str(tmp_path / "a.sqlite"), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["resumed"] == 3


def test_a_comparison_without_a_game_can_be_shown() -> None:
    for game in ("tictactoe", "target_sum"):
        with closing(make_comparison(game, ["random", "puct"])) as comparison:
            found = comparison.result()
        assert "| random |" in as_markdown(found)
        ElementTree.fromstring(found.svg())
        json.dumps(found.to_dict(), allow_nan=False)


# The page.


@pytest.mark.parametrize("game", COMMANDS)
def test_the_page_shows_the_command_that_fills_it(game: str) -> None:
    first, last = markers(game)
    block = PAGE.read_text(encoding="utf-8").partition(f"{first}\n")[2].partition(last)[0]
    assert block.startswith(f"```\n{command(game)}\n```\n")
    words = shlex.split(command(game))
    with get_command(app).commands["compare"].make_context("playout compare", words[2:]) as context:  # type: ignore[attr-defined]
        assert called(context, SILENT) == command(game)


# The chart.


def drawn(estimates: dict[str, Estimate], most: float = math.inf) -> tuple[dict[str, Any], float]:
    """The discs and bars of a chart by the names of the rows, and where zero is."""
    chart = intervals_svg("title", "Elo", list(estimates), [Series("one", estimates)], "{:+.0f}".format, most)
    root = ElementTree.fromstring(chart)
    space = "{http://www.w3.org/2000/svg}"
    groups = {g.find(f"{space}title").text.split(",")[0]: g for g in root.iter(f"{space}g")}  # type: ignore[union-attr]
    zero = next(p.get("d") for p in root.iter(f"{space}path") if p.get("stroke-width") == "1.5")
    return groups, float(str(zero)[1:].split()[0])


def disc(group: Any) -> float | None:
    found = group.find("{http://www.w3.org/2000/svg}circle")
    return None if found is None else float(found.get("cx"))


def test_the_chart_is_to_scale_and_cut_where_it_goes_on() -> None:
    groups, zero = drawn(
        {
            "up": Estimate(100.0, 50.0, 150.0),
            "down": Estimate(-50.0, -100.0, 0.0),
            "won": Estimate(math.inf, 300.0, math.inf),
            "far": Estimate(-900.0, -1500.0, -700.0),
            "single": Estimate(50.0, math.nan, math.nan),
            "none": Estimate(math.nan, math.nan, math.nan),
        },
        400.0,
    )
    up, down = disc(groups["up"]), disc(groups["down"])
    assert up is not None
    assert down is not None
    assert (up - zero) / (zero - down) == pytest.approx(2.0, abs=0.01)
    assert disc(groups["single"]) == pytest.approx((up + zero) / 2, abs=0.2)
    assert disc(groups["won"]) is None
    assert disc(groups["far"]) is None
    assert "none" not in groups
    bar = groups["won"].find("{http://www.w3.org/2000/svg}path").get("d")
    assert "L" in bar  # an arrow
    assert "L" not in groups["up"].find("{http://www.w3.org/2000/svg}path").get("d")
