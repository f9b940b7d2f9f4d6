"""`help(po.Game)` and `help(po.Position)` name everything that a user can write or ask."""

import inspect

import pytest

import playout as po
from playout.game.checks import OPTIONAL, REQUIRED

FACTS = [name for name in inspect.get_annotations(po.Game) if not name.startswith("_") and name != "values"]
HOOKS = [
    "action_to_text(state, action)",
    "action_from_text(state, text)",
    "state_to_text(state)",
    "state_from_text(state, text)",
    "show(state)",
    "paint(state)",
    "draw(state)",
    "score(state)",
    "symmetries()",
    "check_settings()",
]


@pytest.mark.parametrize("call", [*(REQUIRED | OPTIONAL).values(), *HOOKS])
def test_help_of_game_has_every_rule_and_method_with_its_signature(call):
    assert call in po.Game.__doc__
    name, parameters = call.removesuffix(")").split("(")
    if (method := getattr(po.Game, name, None)) is not None:
        assert ", ".join(list(inspect.signature(method).parameters)[1:]) == parameters


@pytest.mark.parametrize("fact", FACTS)
def test_help_of_game_has_every_fact(fact):
    assert any(line.strip().startswith(fact) or f", {fact}:" in line for line in po.Game.__doc__.splitlines())


def test_help_of_position_has_what_users_call():
    public = [name for name in vars(po.Position) if not name.startswith("_")]
    internal = {"check_legal", "own_action"}
    assert [name for name in public if name not in internal and name not in po.Position.__doc__] == []
