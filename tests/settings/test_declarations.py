"""A setting is declared once: its check, JSON, flat name, form and reference all follow from the field."""

import dataclasses
import json
import math
from pathlib import Path

import pytest

import playout as po
from playout.cli import main
from playout.common.declare import NUMBER, WHOLE, Declaration, Text, check_fields, declarations, flag, number, setting
from playout.common.declare import choice as choose
from playout.common.declare import whole as count
from playout.errors import SettingsError
from playout.settings import PRESETS
from playout.settings.options import OPTIONS, OptionError, flat, make_settings, options_with
from playout.web.catalogue import Catalogue, describe_presets, describe_settings

DOCS = Path(__file__).parents[2] / "docs"


@setting
class Tea:
    """A cup of tea."""

    sugar: int = count(default=1, least=0, most=5, meaning=Text("lumps of sugar", "方糖"))
    heat: float = number(default=90.0, above=0.0, most=100.0, meaning="in degrees")
    milk: bool | None = flag(default=None, none="auto")
    lemon: float = 0.0
    with_biscuit: bool = False
    spoons: int = 1


def refusal(**given):
    with pytest.raises(SettingsError) as caught:
        check_fields("tea", Tea(**given))
    return str(caught.value)


def test_a_field_makes_its_check():
    check_fields("tea", Tea(0, 100, False, -1.5, True, -3))
    assert refusal(sugar=6) == "settings: tea.sugar is 6, expected a whole number of at least 0 and at most 5"
    assert refusal(heat=0) == "settings: tea.heat is 0, expected a number of more than 0 and at most 100"
    assert refusal(heat=float("nan")).startswith("settings: tea.heat is nan")
    assert refusal(heat=True).startswith("settings: tea.heat is True")
    assert refusal(milk="no") == "settings: tea.milk is 'no', expected True or False, or None"
    assert refusal(lemon="x") == "settings: tea.lemon is 'x', expected a number"
    assert refusal(with_biscuit=None) == "settings: tea.with_biscuit is None, expected True or False"
    assert refusal(spoons=10**400).endswith("expected a whole number of 64 bits")
    assert refusal(spoons=2**63).endswith("expected a whole number of 64 bits")
    check_fields("tea", Tea(spoons=2**63 - 1))


def test_a_class_says_what_its_fields_mean():
    assert "sugar: lumps of sugar" in Tea.__doc__
    for name in (f.name for f in dataclasses.fields(po.Settings)):
        assert f"{name}: {OPTIONS[name].meaning}" in po.Settings.__doc__
    assert "c: how much the policy explores" in po.PUCT.__doc__


def test_numbers_keep_their_kind_and_bounds():
    declared = dict(declarations(Tea))
    assert (declared["sugar"].number, declared["sugar"].bounds) == (WHOLE, (0, 5))
    assert (declared["heat"].number, declared["heat"].bounds) == (NUMBER, (0.0, 100.0))
    assert (declared["spoons"].number, declared["spoons"].bounds) == (WHOLE, (None, None))
    assert (declared["lemon"].number, declared["lemon"].bounds) == (NUMBER, (None, None))


def test_a_choice_takes_its_classes_constants_and_numbers():
    declared = Declaration(words={"none": None, "tea": Tea, "water": "water"}, number=NUMBER, least=0.0)
    for good in (None, Tea(), "water", 0, 2.5):
        declared.check("drink", good)
    for wrong in ("tea", Tea, -1, True, [], "wine"):
        with pytest.raises(SettingsError, match=r"drink is .*expected 'water', a number of at least 0 or Tea"):
            declared.check("drink", wrong)
    with pytest.raises(SettingsError, match=r"drink.sugar is 9"):
        declared.check("drink", Tea(sugar=9))
    assert choose(default=Tea(), others=(Tea,)).metadata["declaration"].is_nested


def test_every_setting_is_an_option_with_words_in_both_languages():
    assert {option.part for option in OPTIONS.values()} == {f.name for f in dataclasses.fields(po.Settings)}
    for name, option in OPTIONS.items():
        assert option.declared.meaning.en, name
        assert option.declared.meaning.zh, name
        assert option.declared.unit is None or option.declared.unit.zh, name
    assert [name for name, preset in PRESETS.items() if not (preset.meaning.en and preset.meaning.zh)] == []


@pytest.mark.parametrize(
    ("name", "part", "kinds", "field"),
    [
        ("c", "policy", ("uct", "ucb1tuned", "puct", "thompson", "ucbv"), "c"),
        ("rollouts", "evaluator", ("rollouts", "mixed"), "n"),
        ("network", "evaluator", ("network",), "file"),
        ("policy_temperature", "evaluator", ("network",), "temperature"),
        ("noise_fraction", "noise", ("on",), "fraction"),
        ("outcomes_cap", "outcomes", ("widening",), "cap"),
        ("cap", "expansion", ("widening",), "cap"),
        ("temperature_then", "temperature", ("falling",), "then"),
        ("solver", "solver", (), ""),
    ],
)
def test_a_flat_name_says_where_it_goes(name, part, kinds, field):
    option = OPTIONS[name]
    assert (option.part, option.kinds, option.field) == (part, kinds, field)


@pytest.mark.parametrize("name", list(PRESETS))
def test_the_words_of_a_preset_give_it_back(name):
    settings = po.preset(name)
    words = {key: value for key, value in flat(settings).items() if _counts(settings, key)}
    again = make_settings("default", words)
    assert flat(again) == flat(settings)
    assert po.Settings.from_dict(json.loads(json.dumps(settings.to_dict()))) == settings


def _counts(settings, name):
    option = OPTIONS[name]
    return not option.kinds or flat(settings)[option.part] in option.kinds


def test_a_preset_without_changes_is_made_once():
    assert make_settings("chess", {}) is po.preset("chess") is po.Search("chess", "best").settings


def test_fields_inside_of_a_part_are_changed_where_they_are():
    made = make_settings("connect4", {"rollouts": "3", "depth": "7"})
    assert made.evaluator == po.Mixed(0.5, po.Rollouts(3, 7, guided=True))
    assert make_settings("default", {"evaluator": "mixed", "rollouts": 2}).evaluator == po.Mixed(0.5, po.Rollouts(2))
    assert po.Mixed().rollouts == po.Rollouts()  # the default is untouched


def test_errors_carry_plain_names_and_the_command_line_adds_its_own(capsys):
    with pytest.raises(OptionError, match=r"^c is 'x', expected a number of at least 0$"):
        make_settings("default", {"c": "x"})
    with pytest.raises(OptionError, match=r"^growth=2: growth belongs to policy=puct"):
        make_settings("default", {"growth": 2})
    for given, begins in (("c=x", "c is 'x'"), ("growth=2", "growth=2: growth"), ("plicy=x", "plicy: the search")):
        for command in (["settings"], ["analyze", "tictactoe"]):
            assert main([*command, "--option", given]) == 2
            assert capsys.readouterr().err.startswith(f"playout: --option {begins}")


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: po.Settings(root="gumbel"), "Halving() or Forced(), or None; did you mean Gumbel()?"),
        (lambda: po.Settings(root="Forced"), "did you mean Forced()?"),
        (lambda: po.Settings(evaluator="network"), "did you mean Network()?"),
        (lambda: po.Settings(policy="alphazero"), "write preset('alphazero')"),
        (lambda: po.Settings(root_temperature=math.inf), "is inf, expected a finite number of more than 0"),
        (lambda: po.Settings(root=po.Forced(math.inf)), "root.k is inf, expected a finite number of more than 0"),
        (lambda: po.Settings(root=po.Gumbel(noise=math.inf)), "expected a finite number of at least 0"),
        (lambda: po.Settings(root_temperature=-1.0), "is -1.0, expected a number of more than 0"),
        (lambda: po.Settings(policy=po.GRAVE(ref=2**70)), "expected a whole number of at least 0 and below 2^63"),
        (lambda: po.Settings(policy=po.GRAVE(ref=-1)), "is -1, expected a whole number of at least 0"),
        (lambda: po.Settings(backup=po.ImplicitMinimax(), transpositions=True), "one node; leave one of them off"),
    ],
)
def test_a_message_names_what_was_meant_and_the_bound_that_was_broken(make, message):
    with pytest.raises(po.SettingsError) as told:
        make()
    assert str(told.value).endswith(message)


def test_fields_of_a_users_policy_are_described():
    class Described(po.Policy):
        keen: float = number(default=0.5, least=0.0, most=1.0, meaning="how keen it is")
        plain: int = 3

        @staticmethod
        def score(policy, node, edge, shared, rng):
            return edge.value

    options = options_with([Described])
    assert (options["keen"].meaning, options["keen"].declared.bounds) == ("how keen it is", (0.0, 1.0))
    assert options["plain"].meaning.endswith("Described")
    assert options["plain"].declared.number == WHOLE
    kind = options["keen"].kinds[0]
    assert list(options["policy"].words)[-1] == kind
    assert flat(po.Settings(policy=Described(0.25)))["keen"] == "0.25"


def test_the_form_gets_meanings_bounds_and_units_in_both_languages():
    rows = {row["name"]: row for row in describe_settings(Catalogue())}
    assert list(rows) == [name for name in OPTIONS if name != "roots"]  # the page shows one tree
    c = rows["c"]
    assert (c["meaning"], c["translations"]["zh"]["meaning"]) == ("how much the policy explores", "策略探索的强度")
    assert (c["least"], c["most"], c["above"], c["number"], c["unit"]) == (0.0, None, False, "number", None)
    assert c["defaults"] == {"uct": "1.4", "ucb1tuned": "1", "puct": "1.25", "thompson": "1", "ucbv": "0.5"}
    moves = rows["temperature_moves"]
    assert (moves["unit"], moves["translations"]["zh"]["unit"], moves["number"]) == ("moves", "步", "integer")
    assert (rows["discount"]["least"], rows["discount"]["above"], rows["discount"]["most"]) == (0.0, True, 1.0)
    assert (rows["depth"]["words"], rows["depth"]["number"], rows["depth"]["default"]) == (["none"], "integer", "none")
    for preset in describe_presets():
        assert preset["translations"]["zh"]["description"]
        assert preset["options"] == flat(po.preset(preset["preset"]))


def test_the_reference_is_what_the_command_prints(capsys):
    assert main(["settings", "--markdown"]) == 0
    printed = capsys.readouterr().out
    assert printed == (DOCS / "settings.md").read_text(encoding="utf-8")
    assert all(f"| `{name}` |" in printed for name in (*OPTIONS, *PRESETS))
