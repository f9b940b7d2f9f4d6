"""Tuning: spaces as text, the best setting is found, trials that are given up, resuming, refusals, the check."""

import json
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import playout as po
from playout import games
from playout.arena import Spec, Sprt, play_match
from playout.common.disk import locked
from playout.scores import evaluate
from playout.tune import Choices, Range, Tuning, TuningResult, make_tuning, read_space, tune
from playout.tune.objectives import MARGIN, tally_of
from playout.tune.result import COMPLETE, PRUNED, REFUSED, RUNNING, MatchCheck, ScoreCheck, as_code
from playout.tune.study import PRUNERS, SAMPLERS

from .aiming import BEST, Line

AIMING = f"{Path(__file__).parent / 'aiming.py'}:Aim"
FEW: dict[str, Any] = {"trials": 4, "games": 8, "simulations": 20, "workers": 1}
HOW = {"policy": AIMING, "solver": "off"}
AIM: dict[str, Any] = {"options": HOW, "simulations": 10, "workers": 1, "games": 6, "preset": "default"}


def space_of(over: Any, game: str = "connect4", preset: str = "connect4", **given: str) -> Any:
    return read_space(over, games.load(game), preset, given)


# What is tuned.


@pytest.mark.parametrize(
    ("over", "expected"),
    [
        ("c=0.5..4", [Range("c", 0.5, 4.0)]),
        ("c=0.1..10:log", [Range("c", 0.1, 10.0, log=True)]),
        ("depth=10..200", [Range("depth", 10, 200, whole=True)]),
        ("depth=10..1e2:20", [Range("depth", 10, 90, whole=True, step=20)]),
        ("C=.5..4,by-seen=on,off", [Range("c", 0.5, 4.0), Choices("by_seen", ("on", "off"))]),
        (["depth=5..9", "guided=yes|no"], [Range("depth", 5, 9, whole=True), Choices("guided", ("on", "off"))]),
        ("c=1..2,policy=uct,puct", [Choices("policy", ("uct", "puct")), Range("c", 1.0, 2.0)]),
        ("c=1,2.50,4", [Choices("c", ("1", "2.5", "4"))]),
        ("reduction=-0.5..0.5", [Range("reduction", -0.5, 0.5)]),
        ("unvisited=infinity,parent,0.5", [Choices("unvisited", ("infinity", "parent", "0.5"))]),
        ({"c": (0.5, 4), "guided": [True, False]}, [Range("c", 0.5, 4.0), Choices("guided", ("on", "off"))]),
        ({"c": "0.5..4:log", "depth": [5, 10]}, [Range("c", 0.5, 4.0, log=True), Choices("depth", ("5", "10"))]),
    ],
)
def test_texts_name_what_is_tuned(over: Any, expected: list[Any]) -> None:
    assert list(space_of(over, unvisited="parent").dimensions) == expected


@pytest.mark.parametrize(
    ("over", "message"),
    [
        ("c=4..0.5", "c=4..0.5 runs the wrong way round; write 0.5..4"),
        ("c=2..2", "is one point, and there is nothing to tune; set it by --option c=2"),
        ("c=-1..4", "c is -1.0, expected a number of at least 0"),
        ("alpha=0..1", "alpha belongs to expansion=widening"),
        ("weight=0..2", "weight is 2.0, expected a number of at least 0 and at most 1"),
        ("depth=0..20", "depth is 0, expected a whole number of at least 1"),
        ("depth=1.5..20", "depth is 1.5, expected a whole number"),
        ("depth=1..9:0.5", "expected log or a step: a whole number above 0 and below 8"),
        ("c=1..4:lg", "after the colon is 'lg', expected log or a step"),
        ("c=0..4:log", "a logarithmic scale begins above 0"),
        ("c=1..inf", "expected LOW..HIGH"),
        ("c=..4", "expected"),
        ("polcy=uct,puct", "no such setting .*did you mean 'policy'"),
        ("policy=uct,putc", "policy is 'putc', .*did you mean 'puct'"),
        ("policy=uct", "a single value, and there is nothing to tune"),
        ("policy=uct,uct", "uct is there twice"),
        ("policy=0..2", "and no range; write policy="),
        ("c=1..2,c=2..3", "has c twice"),
        ("c=1..2,3", "1..2 is a range and stands among choices"),
        ("growth=0..1,policy=uct,thompson", "growth belongs to policy=puct, and policy is uct or thompson"),
        ("backup=mean,power_mean", "PowerMean takes returns of at least 0"),
        ("seed=0..9", "nothing can be tuned there: it is chance; --seed"),
        ("threads=1..4", "nothing can be tuned there"),
        ("simulations=10..1000", "more of them are always better"),
        ("wdl=on,off", "it counts results and does not change the play"),
        ("c", "expected NAME=LOW..HIGH or NAME=CHOICE,CHOICE"),
        ("=2", "expected NAME=LOW..HIGH"),
        ("c=1..2,,depth=1..2", "expected NAME=LOW..HIGH"),
        ("", "expected NAME=LOW..HIGH"),
        ([], "there is nothing to tune"),
        ({"c": 2}, r"over has c: 2, expected \(low, high\)"),
        (3, "over is 3, expected a text"),
    ],
)
def test_what_cannot_be_tuned_is_refused(over: Any, message: str) -> None:
    with pytest.raises(po.SettingsError, match=message) as error:
        space_of(over)
    assert "\n" not in str(error.value)


def test_a_setting_of_the_game_is_named_as_one() -> None:
    with pytest.raises(po.SettingsError, match=r"a setting of the game target_sum.*--set"):
        space_of("target=20..30", "target_sum", "default")


def test_a_field_is_drawn_only_for_the_choice_that_has_it() -> None:
    found = tune("tictactoe", "policy=uct,puct,growth=0.5..2", **{**FEW, "trials": 8, "games": 4})
    assert {row.chosen["policy"] for row in found.rows} == {"uct", "puct"}
    assert all(("growth" in row.chosen) == (row.chosen["policy"] == "puct") for row in found.rows)
    assert {row.state for row in found.rows} <= {COMPLETE, PRUNED}


def test_drawn_numbers_are_those_that_are_printed() -> None:
    found = tune("tictactoe", "c=0.1..1.00001", **FEW)
    for row in found.rows:
        assert float(f"{row.chosen['c']:.4g}") == row.chosen["c"]
        assert found.settings_of[row.number] == po.preset("default", c=row.chosen["c"])
    assert Range("c", 0.1, 0.99999).value(0.99998) == 0.99999


def test_settings_that_exclude_each_other_fail_with_their_reason() -> None:
    found = tune("tictactoe", "mast=on,off,nst=on,off", **{**FEW, "trials": 12, "games": 4})
    refused = [row for row in found.rows if row.state == REFUSED]
    assert refused
    assert all(row.chosen == {"mast": "on", "nst": "on"} and "leave all but one off" in row.reason for row in refused)
    assert found.best is not None
    assert len(found.rows) == 12


# The best is found.


@pytest.mark.parametrize("workers", [1, 2])
def test_a_trial_that_a_position_does_not_fit_fails_with_its_reason(workers: int) -> None:
    found = tune("connect4", "root=plain,halving", trials=4, games=4, simulations=5, workers=workers, sampler="random")
    reasons = {row.chosen["root"]: row.reason for row in found.rows}
    assert reasons["plain"] == ""
    assert reasons["halving"].startswith("Halving compares all 7 actions of ")


def test_the_best_setting_of_a_users_policy_is_found() -> None:
    found = tune(Line(), "where=0..20", **{**AIM, "trials": 25})
    assert found.best is not None
    assert abs(found.best.chosen["where"] - BEST) <= 1
    assert found.base_mean == pytest.approx(found.best.mean - found.best.difference.value)
    assert found.best.difference.low > 0


@pytest.mark.parametrize("sampler", SAMPLERS)
def test_every_sampler_draws_trials_of_its_own(sampler: str) -> None:
    found = tune(Line(), "where=0..20", **{**AIM, "trials": 12, "games": 2, "sampler": sampler})
    assert len({row.chosen["where"] for row in found.rows}) == 12


@pytest.mark.parametrize("pruner", PRUNERS)
def test_hopeless_trials_are_given_up(pruner: str) -> None:
    found = tune(Line(), "where=0..20", **{**AIM, "trials": 12, "games": 15, "batch": 5, "pruner": pruner})
    given_up = [row for row in found.rows if row.state == PRUNED]
    assert bool(given_up) == (pruner != "none")
    assert all(row.games in (5, 10) for row in given_up)
    assert found.best is not None
    assert all(row.mean < found.best.mean for row in given_up)


# The games are those of the arena and of `evaluate`.


def test_a_trial_is_the_match_that_the_arena_plays() -> None:
    found = tune("tictactoe", "c=0.2..3", **{**FEW, "trials": 2}, pruner="none", seed=5)
    for row in found.rows:
        player = Spec(f"c={row.chosen['c']}", "search", po.preset("default", c=row.chosen["c"]))
        alone = play_match(
            "tictactoe",
            [player, "default"],
            games=8,
            simulations=20,
            seed=5,
            concurrency=1,
            margin=MARGIN,
        )
        assert row.mean == alone.tally().score
        assert row.difference == pytest.approx((alone.tally().elo, *alone.tally().elo_interval))


def test_scores_are_those_of_evaluate() -> None:
    found = tune("game2048", "c=0.1..1", trials=2, games=3, simulations=5, workers=1, max_moves=40, seed=3)
    players = [f"game2048,c={row.chosen['c']}" for row in found.rows]
    other = evaluate("game2048", ["game2048", *players], games=3, simulations=5, workers=1, max_moves=40, seed=3)
    assert found.base_mean == pytest.approx(other.scores[0].mean)
    for row, scores in zip(found.rows, other.scores[1:], strict=True):
        assert row.mean == pytest.approx(scores.mean)
        lead, error = scores.lead(other.scores[0], 0.95)
        assert row.difference == pytest.approx((lead, lead - error, lead + error))


def test_pairs_make_the_tally() -> None:
    tally = tally_of([0.0, 0.25, 0.5, 0.75, 1.0, 1.0])
    assert tally.pairs == (1, 1, 1, 1, 2)
    assert (tally.games, tally.points) == (12, 7.0)


# The same again.


def test_a_seed_gives_the_same_trials_with_one_process_and_with_two() -> None:
    alone, both = (tune("tictactoe", "c=0.2..3,solver=on,off", **{**FEW, "workers": n}, seed=4) for n in (1, 2))
    assert alone.rows == both.rows
    assert tune("tictactoe", "c=0.2..3,solver=on,off", **FEW, seed=5).rows != alone.rows


class Stop:
    """Raises Ctrl-C after some games."""

    def __init__(self, games: int) -> None:
        self.left = games

    def __call__(self, tuning: Tuning) -> None:
        self.left -= 1
        if not self.left:
            raise KeyboardInterrupt


@pytest.mark.parametrize(("game", "over"), [("tictactoe", "c=0.2..3"), ("target_sum", "c=0.2..3")])
@pytest.mark.parametrize("sampler", ["tpe", "qmc"])
def test_going_on_gives_the_same_as_one_go(tmp_path: Path, game: str, over: str, sampler: str) -> None:
    options = {**FEW, "trials": 12, "games": 4, "sampler": sampler}
    whole = tune(game, over, **options)
    for stop in (2, 15, 2):
        with pytest.raises(KeyboardInterrupt):
            tune(game, over, **options, db=tmp_path / "a.sqlite", progress=Stop(stop))
    with closing(make_tuning(game, over, **{**options, "trials": 1}, db=tmp_path / "a.sqlite")) as tuning:
        assert tuning.result().rows[-1].state == RUNNING
        assert tuning.result().best is not None
    resumed = tune(game, over, **options, db=tmp_path / "a.sqlite")
    assert resumed.rows == whole.rows
    assert 0 < resumed.resumed < 12
    again = tune(game, over, **options, db=tmp_path / "a.sqlite", progress=lambda _: pytest.fail("nothing is left"))
    assert (again.rows, again.resumed) == (whole.rows, 12)


def test_more_trials_go_on_and_the_storage_is_optunas(tmp_path: Path) -> None:
    import optuna

    first = tune("tictactoe", "c=0.2..3", **FEW, db=tmp_path / "a.sqlite", study="mine")
    more = tune("tictactoe", "c=0.2..3", **{**FEW, "trials": 6}, db=tmp_path / "a.sqlite", study="mine")
    assert more.rows[:4] == first.rows
    assert (len(more.rows), more.resumed) == (6, 4)
    study = optuna.load_study(study_name="mine", storage=f"sqlite:///{tmp_path / 'a.sqlite'}")
    values = {trial.number: trial.value for trial in study.trials if trial.state.name == "COMPLETE"}
    assert {row.number: row.mean for row in more.rows if row.state == COMPLETE}.items() <= values.items()
    assert study.trials[0].params == {"c": pytest.approx(po.Settings().policy.c, rel=1e-5)}  # type: ignore[attr-defined]
    assert values[0] == 0.5
    study._storage.remove_session()


def test_minutes_end_it_and_keep_what_is_done(tmp_path: Path) -> None:
    settings = {**FEW, "db": tmp_path / "a.sqlite"}
    first = tune("tictactoe", "c=0.2..3", **{**settings, "trials": 1})
    found = tune("tictactoe", "c=0.2..3", **{**settings, "trials": 1000}, minutes=0.5 / 60)
    assert found.rows[:1] == first.rows
    assert len(found.rows) < 1000


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"game": "connect4"}, "was started with game tictactoe, and now it is connect4"),
        ({"preset": "textbook"}, "was started with base default, and now it is textbook"),
        ({"options": {"solver": "off"}}, "was started with base default, and now it is default,solver=off"),
        ({"over": "c=0.2..4"}, r"was started with over c=0.2..3, and now it is c=0.2..4; go on with the same"),
        ({"games": 6}, "was started with games 4, and now it is 6"),
        ({"simulations": 21}, "was started with simulations 20, and now it is 21"),
        ({"seed": 1}, "was started with seed 0, and now it is 1"),
        ({"pruner": "median"}, "was started with pruner wilcoxon, and now it is median"),
    ],
)
def test_another_tuning_is_not_gone_on_with(tmp_path: Path, change: dict[str, Any], message: str) -> None:
    options = {"game": "tictactoe", "over": "c=0.2..3", **FEW, "games": 4, "trials": 1, "preset": "default"}
    options |= {"db": tmp_path / "a.sqlite", "study": "mine"}
    tune(**options)
    with pytest.raises(po.SettingsError, match=message):
        tune(**{**options, **change})
    assert tune(**{**options, **change, "study": "other"}).resumed == 0


@pytest.mark.parametrize("how", ["option", "choice"])
def test_a_policy_that_was_edited_needs_another_study(tmp_path: Path, how: str) -> None:
    file, db = tmp_path / "aiming_edited.py", tmp_path / "a.sqlite"
    source = Path(AIMING.rpartition(":")[0]).read_text()

    def run(text: str) -> int:
        file.write_text(text)
        part = f"{file}:Aim"
        over, options = ("where=0..20", {"policy": part}) if how == "option" else (f"policy=uct,{part}", {})
        options |= {"solver": "off"}
        return tune(Line(), over, **{**AIM, "options": options, "trials": 2}, db=db).resumed

    assert run(source) == 0
    assert run(source + "# a remark\n") == 2
    with pytest.raises(po.SettingsError, match="was started before a policy, a backup or a network was edited"):
        run(source.replace("return -abs(", "return -2.0 * abs("))


def test_two_at_once_are_refused(tmp_path: Path) -> None:
    db = tmp_path / "a.sqlite"
    with locked(Path(f"{db}.lock"), ""), pytest.raises(po.SettingsError, match="another process is tuning there"):
        make_tuning("tictactoe", "c=0.2..3", **FEW, db=db)


# The check.


def test_the_check_has_fresh_openings_and_the_arenas_test() -> None:
    with closing(make_tuning("tictactoe", "c=0.2..3", **{**FEW, "trials": 2})) as tuning:
        tuning.run()
        check = tuning.verify(12, Sprt(0, 50))
        assert isinstance(check, MatchCheck)
        assert check.better is {"H1": True, "H0": False}.get(check.result.decision or "")
        assert check.result.wanted == 12
        found = tuning.result()
        assert found.check is check
        assert tuning.objective.fresh_seed != tuning.objective.seed
        alone = play_match(
            "tictactoe",
            [Spec("best", "search", po.preset("default", **found.options)), "default"],
            games=12,
            simulations=20,
            seed=tuning.objective.fresh_seed,
            sprt=(0, 50),
            concurrency=1,
            margin=MARGIN,
        )
    assert check.result.tally() == alone.tally()


def test_the_check_of_one_player_is_a_lead_beyond_its_error() -> None:
    found = tune(Line(), "where=0..20", **{**AIM, "trials": 10}, verify=True, verify_games=8)
    assert isinstance(found.check, ScoreCheck)
    assert found.check.better is True
    lead, error = found.check.lead
    assert (lead, error) == (found.check.best.mean - found.check.base.mean, 0.0)  # the same luck for both
    json.dumps(found.to_dict(), allow_nan=False)


def test_without_a_complete_trial_there_is_no_check() -> None:
    with closing(make_tuning("tictactoe", "c=0.2..3", **FEW)) as tuning:
        assert tuning.verify(4) is None
        assert tuning.result().options == {}
        json.dumps(tuning.result().to_dict(), allow_nan=False)


# What is printed can be used.


@pytest.mark.parametrize("name", [name for name in po.settings.PRESETS if name not in ("network", "alphazero", "lc0")])
def test_code_gives_the_settings_back(name: str) -> None:
    names = {key: getattr(po, key) for key in dir(po)}
    assert eval(as_code(po.preset(name)), names) == po.preset(name)


def test_options_player_and_code_are_the_same_settings() -> None:
    found = tune(
        "connect4", "c=0.5..3,guided=on,off", options={"weight": "0.25"}, trials=1, games=4, simulations=10, workers=1
    )
    assert found.settings is not None
    assert found.settings == po.preset("connect4", **found.options)
    assert found.option_line.startswith("--option weight=0.25 --option ")
    assert found.player.startswith("connect4,weight=0.25,")


# Mistakes.


@pytest.mark.parametrize(
    ("game", "options", "message"),
    [
        ("tictactoe", {"games": 3}, "games is 3, expected a whole number of at least 4"),
        ("tictactoe", {"games": 5}, "games is 5, expected an even number"),
        ("tictactoe", {"trials": 0}, "trials is 0"),
        ("tictactoe", {"minutes": 0}, "minutes is 0, expected a number above 0"),
        ("tictactoe", {"workers": 0}, "workers is 0"),
        ("tictactoe", {"batch": 99}, "batch is 99"),
        ("tictactoe", {"simulations": 0}, "limit simulations is 0"),
        ("tictactoe", {"sampler": "best"}, "sampler is 'best', expected one of tpe"),
        ("tictactoe", {"pruner": "shears"}, "pruner is 'shears', expected one of wilcoxon"),
        ("tictactoe", {"preset": "nothing"}, "no preset 'nothing'"),
        ("tictactoe", {"preset": "chess-classic"}, "tictactoe has no static value"),
        ("tictactoe", {"options": {"cc": 1}}, "cc: the search has no such setting"),
        ("tictactoe", {"plies": 99}, "random plies ended the game"),
        ("tictactoe", {"verify_games": 3}, "verify_games is 3, expected an even number"),
        ("target_sum", {"plies": 2}, "one player, whose games begin at the start"),
        ("tictactoe", {"db": "/nowhere/a.sqlite"}, "can't be written to"),
        ("tictactoe", {"trails": 3}, "has no 'trails'.*did you mean 'trials'"),
    ],
)
def test_mistakes_are_refused_in_one_line(game: str, options: dict[str, Any], message: str) -> None:
    with pytest.raises(po.PlayoutError, match=message) as error:
        tune(game, "c=0.2..3", **{**FEW, **options})
    assert "\n" not in str(error.value)


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a.sqlite").write_text("a letter, and a long one at that: " * 99)
    with pytest.raises(po.FileError, match=r"a\.sqlite"):
        tune("tictactoe", "c=0.2..3", **FEW, db=tmp_path / "a.sqlite")


def test_a_study_of_others_is_not_touched(tmp_path: Path) -> None:
    import optuna

    theirs = optuna.create_study(study_name="tictactoe", storage=f"sqlite:///{tmp_path / 'a.sqlite'}")
    theirs.optimize(lambda trial: trial.suggest_float("x", 0, 1), n_trials=1)
    with pytest.raises(po.SettingsError, match="is not one of playout tune"):
        tune("tictactoe", "c=0.2..3", **FEW, db=tmp_path / "a.sqlite")
    theirs._storage.remove_session()


def test_without_optuna_one_line_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "optuna", None)
    with pytest.raises(po.SettingsError, match=r"Optuna is not installed.*pip install 'playout\[tune\]'"):
        tune("tictactoe", "c=0.2..3", **FEW)


@pytest.fixture(autouse=True)
def no_file_is_left_open(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    opened = list[sqlite3.Connection]()
    connect = sqlite3.connect

    def noted(*arguments: Any, **named: Any) -> sqlite3.Connection:
        opened.append(connect(*arguments, **named))
        return opened[-1]

    monkeypatch.setattr("playout.play.store.sqlite3.connect", noted)
    yield
    monkeypatch.undo()
    for one in opened:
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            one.execute("SELECT 1")


def test_the_result_is_typed() -> None:
    assert isinstance(tune("tictactoe", {"c": (0.2, 3.0)}, **{**FEW, "trials": 1}), TuningResult)
