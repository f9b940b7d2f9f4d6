"""`check_part` finds each mistake of a policy or backup, and none where there is none."""

import importlib.util
import json

import pytest

import playout as po
from playout.cli import main
from playout.parts.part import Part
from playout.parts.part import kind_of as name_of
from tests.games.toy_games import Dice, Nim
from tests.parts import own_policies
from tests.places import EXAMPLES

from . import broken_parts
from .broken_parts import BROKEN

ALSO = {name: ["not-compiled"] for name in ("Undeclared", "Counts", "OneTermMore")}  # Numba finds these, too


@pytest.mark.parametrize("cls", BROKEN, ids=lambda cls: cls.__name__)
def test_each_mistake_is_found_and_explained(cls):
    code, function, words = BROKEN[cls]
    report = po.check_part(cls(), rule_seconds=0.5)
    assert not report.ok
    found = [finding for finding in report.findings if (finding.code, finding.rule) == (code, function)]
    assert len(found) == 1, str(report)
    text = str(found[0])
    assert text.count("\n") == 1
    assert ". Fix: " in text
    assert "{" not in text
    for word in words:
        assert word in text
    assert {finding.code for finding in report.findings} <= {code, *ALSO.get(cls.__name__, ())}, str(report)


def examples():
    for file in sorted(EXAMPLES.glob("*/*.py")):
        spec = importlib.util.spec_from_file_location(file.stem, file)
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield from parts_in(module)


def parts_in(module):
    for cls in vars(module).values():
        if isinstance(cls, type) and issubclass(cls, Part) and cls.__module__ == module.__name__:
            yield cls()


BUILT_IN = [
    po.UCT(),
    po.UCB1Tuned(),
    po.PUCT(growth=1.0),
    po.Improved(),
    po.Thompson(),
    po.UCBV(),
    po.GRAVE(),
    po.Mean(),
    po.Best(),
    po.PowerMean(),
    po.ImplicitMinimax(),
]


@pytest.mark.parametrize(
    "part", [*BUILT_IN, *examples(), *parts_in(own_policies)], ids=lambda part: name_of(type(part))
)
def test_nothing_is_found_where_nothing_is_wrong(part):
    report = po.check_part(part)
    assert report.ok, str(report)
    assert not report.findings
    assert report.asked > 500
    assert "no mistakes found" in str(report)


def test_a_part_is_asked_about_the_trees_of_the_game_given():
    assert po.check_part(po.UCT, Nim()).games == ("Nim",)
    assert po.check_part(own_policies.Remembers(), Dice()).ok


def test_the_same_seed_finds_the_same():
    broken = next(cls for cls in BROKEN if cls.__name__ == "LikesTheUnlikely")
    assert po.check_part(broken(), seed=3).to_dict() == po.check_part(broken(), seed=3).to_dict()


@pytest.mark.parametrize("given", [None, 3, "uct", po.Policy, Nim()])
def test_what_is_no_part_is_refused(given):
    with pytest.raises(po.SettingsError, match=r"check_part got .*, expected a po.Policy or a po.Backup"):
        po.check_part(given)


def test_the_command_takes_the_class_of_a_part(capsys):
    good = f"{EXAMPLES / 'policies' / 'boltzmann.py'}:Boltzmann"
    assert main(["doctor", good]) == 0
    assert "Boltzmann: no mistakes found" in capsys.readouterr().out
    assert main(["doctor", f"{broken_parts.__file__}:Doubles", "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["findings"][0]["code"] == "leaves-range"
