"""Policies and backups of a user's own on the command line, by `file.py:Class`, and in the processes of the arena."""

import sys
from pathlib import Path

import pytest

import playout as po
from playout.arena import play_match
from playout.cli import main
from playout.settings.options import flat, make_settings
from tests.places import EXAMPLES

BOLTZMANN = f"{EXAMPLES}/policies/boltzmann.py:Boltzmann"
GREEDY = f"{EXAMPLES}/policies/epsilon_greedy.py:EpsilonGreedy"
DISCOUNTED = f"{EXAMPLES}/backups/discounted_mean.py:DiscountedMean"

OWN = """
import playout as po

class Steady(po.Policy):
    c: float = {c}

    @staticmethod
    def score(policy, node, edge, shared, rng):
        return edge.value + policy.c / edge.visits
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A user's folder, the current one; what they import is forgotten afterwards."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    yield tmp_path
    for name, module in list(sys.modules.items()):
        if str(getattr(module, "__file__", None)).startswith(str(tmp_path)):
            del sys.modules[name]


def refusal(**given: str) -> str:
    with pytest.raises(po.SettingsError) as error:
        make_settings("default", {name.replace("__", "."): value for name, value in given.items()})
    return str(error.value)


def test_a_policy_of_ones_own_is_named_by_its_file_and_its_fields_by_their_names():
    given = {"policy": GREEDY, "epsilon": "0.2", "backup": DISCOUNTED, "keep": "0.9", "first_visit": "on"}
    made = make_settings("default", given)
    assert (type(made.policy).__name__, made.policy.epsilon) == ("EpsilonGreedy", 0.2)
    assert (type(made.backup).__name__, made.backup.keep) == ("DiscountedMean", 0.9)
    assert made.expansion == po.All(first_visit=True)
    words = flat(made)
    assert words["policy"] == "epsilon_greedy:EpsilonGreedy"
    assert make_settings("default", {name: words[name] for name in given}) == made


def test_a_backup_is_a_word_with_its_fields():
    assert make_settings("default", {"backup": "best"}).backup == po.Best()
    assert make_settings("default", {"backup": "power_mean", "p": "3"}).backup == po.PowerMean(3.0)
    assert "p belongs to backup=power_mean, and backup is mean" in refusal(p="3")
    minimax = make_settings("default", {"backup": "implicit_minimax", "minimax": "0.2"})
    assert minimax.backup == po.ImplicitMinimax(0.2)


def test_a_field_named_like_another_setting_is_given_with_its_part():
    both = make_settings("default", {"policy": BOLTZMANN, "policy.temperature": "0.1", "temperature": "1"})
    assert (both.policy.temperature, both.temperature) == (0.1, 1.0)
    assert "write policy.temperature=… for that of the policy" in refusal(policy=BOLTZMANN, temperature="0.1")
    assert make_settings("default", {"policy.c": "2"}).policy == po.UCT(2.0)
    assert "given twice" in refusal(policy__c="2", c="2")


def test_unknown_fields_and_values_are_refused():
    assert "did you mean 'epsilon'?" in refusal(policy=GREEDY, epsilom="0.2")
    assert "epsilon is 'lots', expected a number" in refusal(policy=GREEDY, epsilon="lots")
    assert "policy is epsilon_greedy:EpsilonGreedy" in refusal(policy=GREEDY, c="2")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("nowhere.py:Steady", "nowhere.py does not exist"),
        ("steady.py:Stedy", "did you mean steady.py:Steady?"),
        ("steady.py", "does not name a class; write steady.py:Class"),
        ("steady.py:po", "steady.py:po is not a policy; expected a class derived from po.Policy (there: Steady)"),
        ("broken.py:Steady", "broken.py:1: ZeroDivisionError: division by zero"),
        ("half.py:Half", "half.py:2: SettingsError: Half has no `score(policy, node, edge, shared, rng)`"),
        ("no_such_module:Steady", "there is no module 'no_such_module'"),
        (DISCOUNTED, "DiscountedMean is not a policy"),
        ("stedy", "expected uct, ucb1tuned, puct, improved, thompson, ucbv, grave or file.py:Class"),
    ],
)
def test_what_is_no_policy_is_refused_in_one_line(folder, capsys, name, expected):
    (folder / "steady.py").write_text(OWN.format(c=1.0))
    (folder / "broken.py").write_text("1 / 0\n")
    (folder / "half.py").write_text("import playout as po\nclass Half(po.Policy):\n    c: float = 1.0\n")
    assert main(["analyze", "tictactoe", "-n", "10", "--option", f"policy={name}"]) == 2
    out, err = capsys.readouterr()
    assert (out, err.count("\n")) == ("", 1)
    assert expected in err


def test_settings_lists_the_fields_of_ones_own_policy(capsys):
    assert main(["settings", "--option", f"policy={BOLTZMANN}", "--json"]) == 0
    assert '"name": "policy.temperature"' in capsys.readouterr().out


def three_of_one_name(folder: Path) -> list[str]:
    """Files of the same name in folders of their own, each with a policy whose c is another."""
    for c in (1, 2, 3):
        (folder / f"in_{c}").mkdir()
        (folder / f"in_{c}" / "same_name.py").write_text(OWN.format(c=float(c)))
    return [f"in_{c}/same_name.py:Steady" for c in (1, 2, 3)]


def test_files_of_one_name_are_modules_of_their_own_and_a_file_is_loaded_once(folder):
    files = three_of_one_name(folder)
    made = [make_settings("default", {"policy": file}).policy for file in files]
    assert [policy.c for policy in made] == [1.0, 2.0, 3.0]
    assert make_settings("default", {"policy": files[0]}).policy == made[0]


def test_the_processes_of_the_arena_import_the_files_of_parts(folder):
    policies = [BOLTZMANN, *three_of_one_name(folder)[1:]]
    for policy in policies:  # compiled here, or both processes would do it
        po.Search("tictactoe", make_settings("default", {"policy": policy}))
    players = [f"policy={policy},n=20" for policy in policies]
    assert len(play_match("tictactoe", players, games=2, concurrency=2, round_robin=True).records) == 6
