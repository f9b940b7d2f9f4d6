"""The examples run offline, and do what they say."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType

import pytest

import playout as po
from playout.common.chat import Completion

EXAMPLES = Path(__file__).parents[2] / "examples" / "generate"


@pytest.fixture(autouse=True)
def no_model(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PLAYOUT_LLM_URL", raising=False)


def load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(f"generate_{name}", EXAMPLES / f"{name}.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_game_of_24_finds_an_answer(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["game_of_24.py", "4", "5", "6", "10"])
    load("game_of_24").main()
    assert capsys.readouterr().out.endswith("= 24\nright\n")


def test_steps_of_the_game_of_24_are_exact() -> None:
    game = load("game_of_24")
    assert game.solvable(("1", "5", "5", "5"))  # only by 5 * (5 - 1/5)
    assert not game.solvable(("1", "1", "1", "1"))


def test_a_program_is_refined_until_its_tests_pass() -> None:
    result = load("program").main(seed=1)
    assert result.stopped == "target"
    assert result.best is not None
    assert result.best.depth > 1


def test_a_program_of_other_tokens_is_never_run() -> None:
    program = load("program")
    with pytest.raises(ValueError, match="token"):
        program.run("__import__('os')", (1, 2, 3))


def test_the_good_generator_gets_most_calls() -> None:
    assert load("three_generators").main().generators["good"].calls >= 80


class Simulated:
    """A model that answers with what it is asked, and a number."""

    def answer(self, system: str, user: str) -> Completion:
        return Completion(f"{user} 0.75", 500)


def test_a_prompt_becomes_a_proposal_and_a_score() -> None:
    propose = po.proposer(lambda parent: f"after {parent}", model=Simulated(), price=0.02)
    judge = po.judge(lambda state: f"how good is {state} from 0 to 1?", model=Simulated(), price=0.02)
    result = po.GeneratedSearch(propose, "nothing", evaluate=judge).run(1)
    assert result.best is not None
    assert (result.best.state, result.best.score) == ("after nothing 0.75", 0.75)
    assert result.cost == pytest.approx(0.02)
    assert result.generators["propose"].tokens == 500


def test_without_a_model_the_line_says_what_to_set() -> None:
    with pytest.raises(po.SettingsError, match="set PLAYOUT_LLM_URL, PLAYOUT_LLM_MODEL and PLAYOUT_LLM_KEY"):
        po.proposer(str)
